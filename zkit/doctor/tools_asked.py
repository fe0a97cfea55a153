"""The tools that the questions are about: one for each way in which schemas and arguments differ."""

from __future__ import annotations

from typing import Any

Tool = dict[str, Any]
TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def tool(
    name: str, about: str, properties: Any = None, *, optional: bool = False, defs: Any = None
) -> Tool:
    """A tool as a request offers it; every property is required unless all are optional."""
    properties = properties or {}
    parameters: dict[str, Any] = {"type": "object", "properties": properties}
    if properties and not optional:
        parameters["required"] = list(properties)
    if defs:
        parameters["$defs"] = defs
    function = {"name": name, "description": about, "parameters": parameters}
    return {"type": "function", "function": function}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _deep(levels: int) -> dict[str, Any]:
    inner: dict[str, Any] = _object(value=WHOLE)
    for _ in range(levels):
        inner = _object(next=inner)
    return inner


POINT = _object(x=WHOLE, y=WHOLE)
WEATHER = tool("get_weather", "Tell the weather in a city.", {"city": TEXT})
CLOCK = tool("get_time", "Tell the time. It takes no arguments.")
FILES = tool(
    "list_files",
    "List files.",
    {"folder": {**TEXT, "default": "."}, "hidden": {"type": "boolean", "default": False}},
    optional=True,
)
EVENT = tool(
    "add_event",
    "Put an event into the calendar.",
    {"title": TEXT, "place": _object(name=TEXT, address=_object(street=TEXT, city=TEXT))},
)
ORDER = tool(
    "place_order",
    "Order things.",
    {"items": {"type": "array", "items": _object(name=TEXT, count=WHOLE)}},
)
NOTE = tool("save_note", "Save a note.", {"text": TEXT})
FILE = tool("write_file", "Write a file.", {"path": TEXT, "content": TEXT})
LAMP = tool(
    "set_lamp",
    "Set a lamp.",
    {"lamp": TEXT, "level": WHOLE, "warmth": {"type": "number"}, "on": {"type": "boolean"}},
)
REMINDER = tool(
    "set_reminder",
    "Set a reminder; it may be repeated, or null.",
    {"text": TEXT, "repeat": {"anyOf": [TEXT, {"type": "null"}]}},
)
HEATING = tool(
    "set_heating", "Set the heating.", {"mode": {**TEXT, "enum": ["eco", "comfort", "off"]}}
)
LINE = tool(
    "draw_line",
    "Draw a line between two points.",
    {"start": {"$ref": "#/$defs/Point"}, "end": {"$ref": "#/$defs/Point"}},
    defs={"Point": POINT},
)
POST = tool("publish", "Publish a post.", {"kind": {"const": "post"}, "title": TEXT})
NEST = tool("put_deep", "Put a value deep down.", {"next": _deep(4)})
MANY = [
    *(tool(f"tool_{n:02}", f"Turn knob number {n}.", {"turns": WHOLE}) for n in range(39)),
    WEATHER,
]
