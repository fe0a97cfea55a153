"""The properties that the fuzzers try to break, one function a target."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from zkit import Extraction, Extractor, Repaired, Unrepairable, decode, find_calls, repair_json
from zkit.chat import Assembler
from zkit.errors import ZkitError

TOOLS = [
    {
        "name": name,
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    }
    for name in ("get_weather", "search.web", "wipe")
]
SCHEMA = {
    "type": "object",
    "properties": {
        "path": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "size": {"type": ["integer", "null"]},
        "mode": {"enum": ["fast", "slow"]},
    },
    "required": ["path"],
    "additionalProperties": False,
}


class BrokenError(AssertionError):
    """A property that does not hold for an input."""


def check(holds: bool, message: str) -> None:
    """Raise `BrokenError` with the message unless the property holds."""
    if not holds:
        raise BrokenError(message)


def repair(data: bytes) -> None:
    """Valid JSON comes back as it is; anything else is a value or a refusal, and never raises."""
    text = data.decode("utf-8", "replace")
    for schema in (None, SCHEMA):
        found = repair_json(text, schema=schema)
        check(isinstance(found, Repaired | Unrepairable), f"returned {type(found).__name__}")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(found, Repaired):
            check(found.value == value or _has_nan(text), "valid JSON was changed")


def _has_nan(text: str) -> bool:
    return "NaN" in text or "Infinity" in text


def extract(data: bytes) -> None:
    """Extraction never raises, and every call names a declared tool."""
    found = find_calls(data.decode("utf-8", "replace"), TOOLS)
    check(isinstance(found, Extraction), "no extraction")
    names = {str(one["name"]) for one in TOOLS}
    check(all(call.name in names for call in found.calls), "a call of an undeclared tool")


def decode_arguments(data: bytes) -> None:
    """Decoding with a schema out of the input returns a result or rejects the schema."""
    head, _, raw = data.decode("utf-8", "replace").partition("\x00")
    try:
        schema = json.loads(head)
    except (ValueError, RecursionError):
        schema = SCHEMA
    if not isinstance(schema, dict):
        schema = SCHEMA
    try:
        decode(schema, raw)
    except (ZkitError, TypeError, ValueError):
        return  # an invalid schema is the caller's mistake, and is rejected


def chunking(data: bytes) -> None:
    """How a reply is cut into chunks changes nothing that is found in it."""
    if not data:
        return
    text = data[1:].decode("utf-8", "replace")
    size = 1 + data[0] % 16
    reader = Extractor(TOOLS)
    for at in range(0, len(text), size):
        reader.feed(text[at : at + size])
    reader.close()
    whole, cut = find_calls(text, TOOLS), reader.extraction
    check(
        [(c.name, c.arguments) for c in whole.calls] == [(c.name, c.arguments) for c in cut.calls],
        f"chunks of {size} give other calls",
    )
    check(whole.content == cut.content, f"chunks of {size} leave other text")


def assemble(data: bytes) -> None:
    """Whatever deltas a server streams, the assembler ends with a reply."""
    assembler = Assembler(str(one["name"]) for one in TOOLS)
    for line in data.split(b"\n"):
        try:
            chunk = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(chunk, dict):
            assembler.add(chunk)
    assembler.reply()


TARGETS: Mapping[str, Callable[[bytes], None]] = {
    "repair": repair,
    "extract": extract,
    "decode": decode_arguments,
    "chunking": chunking,
    "assemble": assemble,
}
