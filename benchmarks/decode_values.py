"""Generates arguments that fit a tool's model, and the places in them where a slip may happen."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

from benchmarks import text_material as words
from benchmarks.decode_tools import TOOLS
from benchmarks.kinds import any_text, pick

Schema = Mapping[str, Any]
Path = tuple[str | int, ...]
NULL = {"type": "null"}


@cache
def schema_of(tool: str) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments with its references replaced by what they name."""
    whole = TOOLS[tool].model_json_schema()
    found: dict[str, Any] = _inlined(whole, whole.get("$defs", {}))
    return found


def _inlined(part: Any, named: Mapping[str, Any]) -> Any:
    if isinstance(part, list):
        return [_inlined(item, named) for item in part]
    if not isinstance(part, dict):
        return part
    if "$ref" in part:
        return _inlined(named[part["$ref"].rpartition("/")[2]], named)
    return {key: _inlined(item, named) for key, item in part.items() if key != "$defs"}


def core(schema: Schema) -> Schema:
    """The schema without its alternative of null."""
    options = [option for option in schema.get("anyOf", ()) if option != NULL]
    return options[0] if options else schema


def nullable(schema: Schema) -> bool:
    """True if null is accepted here."""
    return NULL in schema.get("anyOf", ())


# ── values ────────────────────────────────────────────────────────────────────


def make_arguments(rng: Random, tool: str) -> dict[str, Any]:
    """Arguments that fit the tool's model."""
    found: dict[str, Any] = _object(rng, schema_of(tool))
    return found


def make_value(rng: Random, schema: Schema) -> Any:
    """A value that fits the schema (the part of JSON Schema that our tools use)."""
    if nullable(schema) and rng.random() < 0.25:
        return None
    inner = core(schema)
    if "enum" in inner:
        return rng.choice(inner["enum"])
    return MAKERS[inner["type"]](rng, inner)


def _object(rng: Random, schema: Schema) -> dict[str, Any]:
    if "properties" not in schema:
        inner = schema.get("additionalProperties")
        keys = rng.sample(("Accept", "X-Trace", "LANG", "DEBUG", "if none"), rng.randint(0, 3))
        return {key: make_value(rng, inner) for key in keys} if isinstance(inner, dict) else {}
    required = schema.get("required", ())
    return {
        key: make_value(rng, inner)
        for key, inner in schema["properties"].items()
        if key in required or rng.random() < 0.6
    }


def _array(rng: Random, schema: Schema) -> list[Any]:
    low = schema.get("minItems", 0)
    return [make_value(rng, schema["items"]) for _ in range(rng.randint(low, low + 3))]


def _string(rng: Random, schema: Schema) -> str:
    day = f"20{rng.randint(20, 39)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
    clock = f"{rng.randint(0, 23):02}:{rng.randint(0, 59):02}:00"
    made = {"date": day, "time": clock, "date-time": f"{day}T{clock}Z"}
    if "format" in schema:
        return made[schema["format"]]
    if "pattern" in schema:  # the one of PlaceOrder
        return f"{rng.choice('ABCD')}{rng.choice('XYZ')}-{rng.randint(0, 9999):04}"
    looks = ("5", "true", "null", "3.0", '["a"]', '{"a": 1}', "2026-11-16", "yes", "None")
    pools = (words.SHORT, words.PROSE, words.POSIX, words.MAILS, words.SCRIPTS, looks)
    return any_text(rng) if rng.random() < 0.2 else pick(rng, *pools)


def _bounds(schema: Schema) -> tuple[int, int]:
    low = int(schema.get("minimum", schema.get("exclusiveMinimum", -1) + 1))
    return low, int(schema.get("maximum", low + 5000))


def _integer(rng: Random, schema: Schema) -> int:
    low, high = _bounds(schema)
    step = int(schema.get("multipleOf", 1))
    return rng.randint(-(-low // step), high // step) * step


def _number(rng: Random, schema: Schema) -> float:
    low, high = _bounds(schema)
    return round(rng.uniform(low, high), rng.randint(1, 3)) + 0.5 * (low == 0)


MAKERS: Mapping[str, Callable[[Random, Schema], Any]] = {
    "object": _object,
    "array": _array,
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": lambda rng, _schema: rng.random() < 0.5,
}


# ── places ────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the arguments: the way there, what is expected and the value there.

    `required` where it may not be left out; `strict` where the object around it forbids other keys.
    """

    path: Path
    schema: Schema
    value: Any
    required: bool = True
    strict: bool = False

    @property
    def kind(self) -> str:
        """The type that is expected, null aside; `enum` for a choice."""
        inner = core(self.schema)
        return "enum" if "enum" in inner else str(inner["type"])

    @property
    def free(self) -> bool:
        """A string without any condition."""
        return self.kind == "string" and not {"format", "pattern"} & core(self.schema).keys()


def spots(value: Any, schema: Schema, path: Path = ()) -> Iterator[Spot]:
    """Every place inside the value, the value itself left out."""
    inner = core(schema)
    if isinstance(value, list):
        for at, item in enumerate(value):
            yield Spot((*path, at), inner["items"], item)
            yield from spots(item, inner["items"], (*path, at))
    elif isinstance(value, dict):
        strict = inner.get("additionalProperties") is False
        for key, item in value.items():
            due = inner.get("properties", {}).get(key) or inner["additionalProperties"]
            named = "properties" in inner
            yield Spot((*path, key), due, item, key in inner.get("required", ()), strict and named)
            yield from spots(item, due, (*path, key))


def around(arguments: Any, path: Path) -> tuple[Any, Any]:
    """A deep copy of the arguments, and in it the container that holds the place."""
    copied = deepcopy(arguments)
    holder = copied
    for step in path[:-1]:
        holder = holder[step]
    return copied, holder


def put(arguments: Any, path: Path, value: Any) -> Any:
    """The arguments with another value at one place."""
    copied, holder = around(arguments, path)
    holder[path[-1]] = value
    return copied


def without(arguments: Any, path: Path) -> Any:
    """The arguments with one member left out."""
    copied, holder = around(arguments, path)
    del holder[path[-1]]
    return copied


def renamed(arguments: Any, path: Path, name: str) -> Any:
    """The arguments with another key at one place, at its old position."""
    copied, holder = around(arguments, path)
    members = [(name if key == path[-1] else key, item) for key, item in holder.items()]
    holder.clear()
    holder.update(members)
    return copied


def spelled(rng: Random, arguments: Any) -> str:
    """Strict JSON of the arguments in one of the layouts that models use."""
    indent = rng.choice((None, None, None, 2))
    tight = rng.random() < 0.3 and indent is None
    separators = (",", ":") if tight else None
    return json.dumps(
        arguments, ensure_ascii=rng.random() < 0.3, indent=indent, separators=separators
    )
