"""The requests that the doctor sends, and the answer that is expected of each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from zkit.chat import ServerSettings
from zkit.chat.server_profile import fitted
from zkit.json_types import JsonMapping, JsonObject

Tool = JsonObject
Wanted = tuple[tuple[str, JsonMapping], ...]


@dataclass(frozen=True, slots=True)
class Question:
    """One request. `wants` are the calls that are expected, `says` is what the answer must contain.

    `settings` are the server settings that the question is about; `tokens` is the limit of the
    reply. `is_wrong` marks a request that a server should refuse.
    """

    name: str
    messages: tuple[JsonMapping, ...]
    tools: tuple[JsonMapping, ...] = ()
    wants: Wanted = ()
    says: str = ""
    stream: bool = False
    options: JsonMapping = field(default_factory=dict)
    settings: JsonMapping = field(default_factory=dict)
    tokens: int = 96
    is_wrong: bool = False

    def request(self, model: str, settings: ServerSettings) -> JsonObject:
        """Return what is sent to a server with these settings."""
        made: JsonObject = {"model": model, "messages": list(self.messages)}
        if self.tools:
            made["tools"] = self._offered(settings.max_tools)
        if self.stream:
            made |= {"stream": True, "stream_options": {"include_usage": True}}
        made |= {"temperature": 0, "max_tokens": self.tokens, **self.options}
        return made if self.is_wrong else fitted(made, settings)

    def _offered(self, most: int | None) -> list[JsonMapping]:
        """Return at most so many tools; the one that should be called is the last of them."""
        return list(self.tools if most is None else self.tools[-most:])


# ── the tools on offer: one for each way in which schemas and arguments differ ──

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}


def tool(
    name: str, about: str, properties: Any = None, *, optional: bool = False, defs: Any = None
) -> Tool:
    """Return a tool as a request offers it; every property is required unless all are optional."""
    properties = properties or {}
    parameters: JsonObject = {"type": "object", "properties": properties}
    if properties and not optional:
        parameters["required"] = list(properties)
    if defs:
        parameters["$defs"] = defs
    function = {"name": name, "description": about, "parameters": parameters}
    return {"type": "function", "function": function}


def _object(**properties: Any) -> JsonObject:
    return {"type": "object", "properties": properties, "required": list(properties)}


def _deep(levels: int) -> JsonObject:
    inner: JsonObject = _object(value=WHOLE)
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


# ── the questions ──


def _user(text: str) -> JsonMapping:
    return {"role": "user", "content": text}


def _call(name: str, asked: str, tool: Any, /, **wanted: Any) -> Question:
    return Question(name, (_user(asked),), (tool,), ((tool["function"]["name"], wanted),))


def _called(**more: Any) -> tuple[JsonMapping, ...]:
    """Return a conversation with a call of get_weather and its result."""
    function = {"name": "get_weather", "arguments": '{"city": "Bergen"}'}
    entry = {"id": "call00001", "type": "function", "function": function}
    return (
        _user("How many degrees is it in Bergen now? Answer with the number."),
        {"role": "assistant", "content": None, "tool_calls": [entry], **more},
        {"role": "tool", "tool_call_id": "call00001", "content": "18 degrees in Bergen, no wind"},
    )


LONG = " ".join(
    f"Connection {n}: the quick brown fox jumps over the lazy dog." for n in range(1, 9)
)
CODE = 'def greet(name):\n\tprint("Hi \\"" + name + "\\"\\n", r\'C:\\new\')\n'
TWICE = 'Call get_weather twice in one reply: once with city "Oslo" and once with city "Rome".'
BOTH: Wanted = (("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"}))

_ALL = (
    Question("answer", (_user("Say the word: hello."),), says="hello"),
    Question("system", ({"role": "system", "content": "Whatever the user writes, answer with the one word: banana."},
                   _user("What is the capital of France?")), says="banana", tokens=32),
    Question("turns", (_user("My dog is called Waldo."), {"role": "assistant", "content": "A nice name."},
                  _user("What is my dog called? Answer with the name.")), says="Waldo", tokens=32),
    _call("call", 'Call get_weather with city "Lima".', WEATHER, city="Lima"),
    _call("no_arguments", "What time is it? Call get_time.", CLOCK),
    _call("defaults", "Call list_files without any arguments.", FILES),
    Question("two_calls", (_user(TWICE),), (WEATHER,), BOTH),
    _call("nested", 'Call add_event with title "Tea" and place: name "Home", address: street "Elm 1", city "Bath".',
          EVENT, title="Tea", place={"name": "Home", "address": {"street": "Elm 1", "city": "Bath"}}),
    _call("list", 'Call place_order with items: 2 of "pen" and 3 of "ink".', ORDER,
          items=[{"name": "pen", "count": 2}, {"name": "ink", "count": 3}]),
    Question("long", (_user(f"Call save_note with exactly this text: {LONG}"),), (NOTE,), (("save_note", {"text": LONG}),), tokens=256),
    Question("code", (_user(f"Call write_file with path \"greet.py\" and exactly this content:\n{CODE}"),),
        (FILE,), (("write_file", {"path": "greet.py", "content": CODE}),), tokens=192),
    _call("unicode", 'Call save_note with the text "Zürich, 東京 – naïve 🎉".', NOTE, text="Zürich, 東京 – naïve 🎉"),
    _call("scalars", 'Call set_lamp with lamp "checker", level 7, warmth 0.5 and on true.', LAMP,
          lamp="checker", level=7, warmth=0.5, on=True),
    _call("null", 'Call set_reminder with text "Rest" and repeat null.', REMINDER, text="Rest", repeat=None),
    _call("enum", 'Call set_heating with mode "eco".', HEATING, mode="eco"),
    Question("required", (_user("Good morning to you."),), (WEATHER,), (("get_weather", {}),), options={"tool_choice": "required"}),
    Question("named", (_user("Good evening to you."),), (CLOCK, WEATHER), (("get_weather", {}),),
        options={"tool_choice": {"type": "function", "function": {"name": "get_weather"}}}),
    Question("none", (_user('Do not call anything. Say the word: never.'),), (WEATHER,), says="never", options={"tool_choice": "none"}),
    Question("stream_text", (_user("Count from one to ten in words, with commas."),), says="three", stream=True),
    Question("stream_call", (_user('Call get_weather with city "Cairo".'),), (WEATHER,), (("get_weather", {"city": "Cairo"}),), stream=True),
    Question("stream_calls", (_user(TWICE.replace("Oslo", "Quito").replace("Rome", "Delhi")),), (WEATHER,),
        (("get_weather", {"city": "Quito"}), ("get_weather", {"city": "Delhi"})), stream=True),
    Question("cut", (_user(f"Call save_note with this text, word for word: {LONG} Goodbye."),), (NOTE,), tokens=16),
    _call("ref", "Call draw_line with start x 1, y 2 and end x 3, y 4.", LINE, start={"x": 1, "y": 2}, end={"x": 3, "y": 4}),
    _call("const", 'Call publish with kind "post" and title "News".', POST, kind="post", title="News"),
    _call("deep", "Call put_deep with next.next.next.next.next.value 5.", NEST,
          next={"next": {"next": {"next": {"next": {"value": 5}}}}}),
    Question("many", (_user('Call get_weather with city "Sofia".'),), tuple(MANY), (("get_weather", {"city": "Sofia"}),)),
    Question("text_call", (_user('Call get_weather with city "Tunis".'),), (WEATHER,), (("get_weather", {"city": "Tunis"}),),
        settings={"mode": "text"}),
    Question("result", _called(), (WEATHER,), says="18", tokens=48),
    Question("replay", _called(reasoning_content="The user wants the weather, so I look."), (WEATHER,), says="18", tokens=48),
    Question("wrong", ({"role": "nobody", "content": 7},), is_wrong=True),
)  # fmt: skip
QUESTIONS: dict[str, Question] = {question.name: question for question in _ALL}
