"""Tools and calls that the tests of the extraction share."""

from __future__ import annotations

from typing import Any

from zkit.extract import events

TOOLS: list[dict[str, Any]] = [
    {
        "name": "send_mail",
        "description": "Send a message.",
        "parameters": {
            "type": "object",
            "properties": {
                "to": {"type": "string"},
                "body": {"type": "string"},
                "copies": {"type": "integer"},
                "urgent": {"type": "boolean"},
                "weight": {"type": "number"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "where": {
                    "type": "object",
                    "properties": {"room": {"type": "string"}, "floor": {"type": "integer"}},
                },
            },
            "required": ["to"],
        },
    },
    {"name": "list_mail", "parameters": {"type": "object", "properties": {}}},
    {
        "name": "look_up",
        "parameters": {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        },
    },
]
F = [
    {
        "name": "f",
        "parameters": {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string"}},
            "required": ["a", "b"],
        },
    }
]
SEND = '{"name": "send_mail", "arguments": {"to": "ann"}}'
HERMES = f"<tool_call>\n{SEND}\n</tool_call>"


def joined(told: list[events.Event]) -> list[Any]:
    """The events with neighbouring texts put together, and without calls that are only held."""
    found: list[Any] = []
    for event in told:
        if isinstance(event, events.CallHeld):
            continue
        last = found[-1] if found else None
        if isinstance(event, events.Text | events.Reasoning) and type(event) is type(last):
            found[-1] = type(event)(last.text + event.text)
        else:
            found.append(event)
    return found
