"""Read one value by its schema, and record what was repaired."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from pydantic_core import from_json

from zkit.expect import Expect
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank
from zkit.repair import Repaired, Unrepairable, repair_json
from zkit.repair.repeated_keys import Repeat, repeats_in, repeats_of

MAX_LITERAL = 1_000_000
_GIVEN_TWICE = (
    "The key {key} is given more than once: {values}. Send the call again with one of them."
)
_INTEGRAL = re.compile(r"(?P<digits>[+-]?[0-9]{1,400}+)(?:\.0{0,400}+)?\Z")
_NUMBER = re.compile(
    r"[+-]?(?:[0-9]{1,400}+\.?[0-9]{0,400}+|\.[0-9]{1,400}+)(?:[eE][+-]?[0-9]{1,9}+)?\Z"
)
_ODD_ESCAPE = re.compile(r"\\(?:\\|[^\n'\"abfnrtvxuUN0-7\\])")
_BOOLEANS = {"true": (True,), "false": (False,)}
_NULLS = frozenset({"null", "None"})


class Slot(NamedTuple):
    """One argument of a tool: its key, what the schema allows, and the schema of all arguments."""

    key: str
    expect: Expect
    around: JsonObject | None


class Value(NamedTuple):
    """A value that was read, or the reason why it could not be."""

    value: Any
    fixes: tuple[Fix, ...] = ()
    reason: str = ""
    message: str = ""


def typed(raw: str, slot: Slot, at: int) -> Value:
    """Return the value of a raw text by its schema; a declared string is never parsed.

    Without a type, only valid objects and lists are parsed, because a text may also begin with a
    bracket. With several types, the order is null, boolean, integer, number, list or object,
    string. Anything that does not parse stays text.
    """
    kinds = slot.expect.kinds
    bare = raw.strip()
    if len(kinds) > 5:
        found = (strict(bare) or python_literal(bare)) if bare[:1] in ("{", "[") else None
        return Value(raw) if found is None else structure(raw, slot, at)
    if bare in _NULLS and ("null" in kinds or "string" not in kinds):
        return Value(None)
    for kind, read in _READERS:
        if kind in kinds and (scalar := read(bare)) is not None:
            return Value(scalar[0])
    if kinds & {"array", "object"} and bare[:1] in ("{", "[", "("):
        held = structure(raw, slot, at)
        return Value(raw) if held.reason and "string" in kinds else held
    return Value(raw)


def structure(raw: str, slot: Slot, at: int) -> Value:
    """Return an object or a list, read as JSON, as a Python literal (Qwen3-Coder), or repaired."""
    bare = raw.strip()
    found = unambiguous(bare) or python_literal(bare)
    if found is not None:
        return Value(found[0])
    return repaired_value(bare, slot, at + raw.find(bare))


def repaired_value(text: str, slot: Slot, at: int) -> Value:
    """Repair a damaged value, with the schema of its key as evidence."""
    lead = f"{{{json.dumps(slot.key)}: "
    schema = None if slot.around is None else {**slot.around, "required": []}
    outcome = repaired(f"{lead}{text}}}", schema)
    if isinstance(outcome, Unrepairable):
        return Value(text, (), outcome.reason, outcome.message)
    if outcome.rank >= Rank.CUT or not _only(outcome, slot.key):
        return Value(text, (), "damaged", f"{slot.key}: the value cannot be read in only one way.")
    return Value(outcome.value[slot.key], shifted(outcome.fixes, at - len(lead)))


def repaired(
    text: str, schema: JsonObject | None, finish_reason: str | None = None
) -> Repaired | Unrepairable:
    """Repair damaged JSON with the schema as evidence, and refuse a key with two values.

    A text that can be read without a guess keeps that reading, even if it does not fit the schema.
    If several readings fit the schema, the reading without the schema decides, if there is one.
    """
    outcome = repair_json(text, schema=schema, finish_reason=finish_reason)
    if schema is not None and _is_unsure(outcome):
        plain = repair_json(text, finish_reason=finish_reason)
        if isinstance(plain, Repaired) and _says_more(plain, outcome):
            outcome = plain
    twice = _two_values(repeats_of(outcome)) if isinstance(outcome, Repaired) else None
    if twice is None:
        return outcome
    values = " or ".join(json.dumps(value, ensure_ascii=False)[:60] for value in twice.values[:3])
    message = _GIVEN_TWICE.format(key=json.dumps(twice.path[-1]), values=values)
    return Unrepairable("ambiguous", 0, message)


def _is_unsure(outcome: Repaired | Unrepairable) -> bool:
    """True if a repair is a guess, or if several readings fit the schema."""
    return (
        outcome.rank == Rank.GUESS
        if isinstance(outcome, Repaired)
        else outcome.reason == "ambiguous"
    )


def _says_more(plain: Repaired, fitted: Repaired | Unrepairable) -> bool:
    """True if the reading without the schema is preferred to the one with it."""
    return plain.rank < Rank.GUESS + isinstance(fitted, Unrepairable)


def _only(outcome: Repaired, key: str) -> bool:
    return isinstance(outcome.value, dict) and list(outcome.value) == [key]


def shifted(fixes: Iterable[Fix], by: int) -> tuple[Fix, ...]:
    """Return fixes of a part of the text with their positions in the whole text."""
    return tuple(fix._replace(start=fix.start + by, end=fix.end + by) for fix in fixes)


def strict(text: str) -> tuple[Any] | None:
    """Return the value of valid JSON; None for anything else."""
    try:
        return (from_json(text, allow_inf_nan=False),)
    except (ValueError, TypeError):  # a lone surrogate is not UTF-8, and raises a TypeError
        return None


def unambiguous(text: str) -> tuple[Any] | None:
    """Return the value of valid JSON in which no key has two values; None for anything else."""
    found = strict(text)
    return None if found is None or _two_values(repeats_in(text, found[0])) else found


def _two_values(repeats: Iterable[Repeat]) -> Repeat | None:
    """Return the first key with two different values; None if there is none."""
    return next((one for one in repeats if not one.is_harmless), None)


def _integer(text: str) -> tuple[Any] | None:
    whole = _INTEGRAL.match(text)
    return None if whole is None else (int(whole["digits"]),)


def number(text: str) -> tuple[Any] | None:
    """Return the value of a number as JSON or Python writes it; None for anything else."""
    if not _NUMBER.match(text):
        return None
    return (int(text) if text.lstrip("+-").isdigit() else float(text),)


_READERS: tuple[tuple[str, Callable[[str], tuple[Any] | None]], ...] = (
    ("boolean", lambda text: _BOOLEANS.get(text.lower())),
    ("integer", _integer), ("number", number),
)  # fmt: skip


def python_literal(text: str) -> tuple[Any] | None:
    """Return the value of a Python literal that JSON can express (a set as a list); None otherwise.

    Nothing is evaluated: `ast.literal_eval` reads only constants and containers, and its parser
    refuses deep nesting. Escapes that Python would warn about are left to repair.
    """
    if len(text) > MAX_LITERAL or any(
        len(m.group()) > 1 and m.group() != "\\\\" for m in _ODD_ESCAPE.finditer(text)
    ):
        return None
    try:
        tree = ast.parse(text.lstrip(" \t"), mode="eval")
        for node in ast.walk(tree):
            if not _has_own_keys(node):
                return None
            if isinstance(node, ast.Set):  # in the order as written (LFM2)
                node.__class__ = ast.List  # type: ignore[assignment]
        return (json.loads(json.dumps(ast.literal_eval(tree), allow_nan=False)),)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None


def _has_own_keys(node: ast.AST) -> bool:
    """False for a dict with a repeated key or one that is not a string; repair handles it."""
    keys = [getattr(key, "value", None) for key in getattr(node, "keys", ())]
    return all(isinstance(key, str) for key in keys) and len(set(keys)) == len(keys)
