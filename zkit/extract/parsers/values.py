"""Find where a value ends, and read it by its schema."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any, Literal, NamedTuple

from pydantic_core import from_json

from zkit.expect import Expect
from zkit.extract.tape import Steps, Tape, compiled
from zkit.receipt import Fix, Rank
from zkit.repair import Repaired, Unrepairable, repair_json
from zkit.repair.repeated_keys import Repeat, repeats_in, repeats_of

# How strings are written: `loose` is Python with unescaped quotes inside strings, and `tokens` is
# Gemma's notation, in which tokens are quotes.
Notation = Literal["json", "python", "loose", "tokens"]
_BRACKETS = {"json": r"[{}\[\]]", "tokens": r"[{}\[\]]"}
_QUOTES = {"python": r"\"{3}|'{3}|[\"']", "tokens": r"<escape>|<\|\"\|>|(?<!\|)\""}
# What follows the closing quote of a key without its colon: a value that is not a string
# (corpus/extract/damaged).
_VALUE_AFTER = (
    r"\s{0,40}+(?:(?:true|false|null|True|False|None|-?[0-9][0-9.eE+-]{0,40}+)\s{0,40}+[,}\]]"
    r"|\{\s{0,40}+[\"}]|\[\s{0,40}+[\"{\[\]0-9])"
)
_AFTER_STRING = r"\s*+(?:[,:}\]]|\Z)"
# What must follow a quote that ends a string, since quotes inside may be unescaped (Llama 3.1 8B).
_AFTER = {"json": rf"{_AFTER_STRING}|{_VALUE_AFTER}", "loose": r"\s*+(?:[,:}\])]|\Z)"}
_BEFORE_STRING = frozenset("{[(,:=")
_DECODER = json.JSONDecoder(parse_int=str)  # int() refuses 5,000 digits


class Extent(NamedTuple):
    """Where a bracketed value ends. `closed` is False if a stop mark or the end of the text came first.

    `open` is how many brackets were open at the end of the text. `torn` is True if a string in the
    value was not closed: the text after that string's beginning may belong to another call.
    """

    end: int
    closed: bool
    open: int = 0
    torn: bool = False


_STRING = re.compile(r"\"(?:[^\"\\]|\\.)*+\"", re.DOTALL)
_CLOSER = re.compile(rf"(?:\\.|(?!\"{_AFTER_STRING}).)*+\"", re.DOTALL)


def torn_at(text: str, stop: re.Pattern[str]) -> int | None:
    """Return where a damaged value ends if one of its strings runs past the end of its envelope.

    Such a string contains a stop mark, and the quote that seems to close it opens a string of the
    next call. None if there is no such string. The length of the text if the mark may also be part
    of the string, so that nothing after it is certain (corpus/extract/ends).
    """
    at = 0
    while (found := _STRING.search(text, at)) is not None:
        at = found.end()
        if compiled(_AFTER["json"]).match(text, at):
            continue
        closer = _CLOSER.search(text, at)
        at = len(text) if closer is None else closer.end()
        marks = list(stop.finditer(text, found.start(), at))
        if marks:
            passed = marks[0].group() != marks[-1].group()
            return marks[0].start() if passed else len(text)
    return None


_LAST_STRING = re.compile(
    r"(?:[^\"']|\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+')*+(?P<quote>[\"'])(?P<text>[^\n]*+)\Z",
    re.DOTALL,
)
# A string without its closing quote must not contain this: it may be the next argument
# (corpus/extract/around).
NEXT_ARGUMENT = re.compile(r"[,(]\s*+\w++\s*+=(?!=)")
_EACH_BRACKET = re.compile(r"[()\[\]{}]")


def last_quote(text: str, tail: re.Pattern[str]) -> tuple[int, str] | None:
    """Return the missing closing quote of the last string, and its position before the text's `tail`.

    Llama 3.1 8B leaves it out: `{"name": "f", "parameters": {"a": "x}}`, `[f(a='x', b='y)]`. None if
    the brackets or another argument may be part of the string (corpus/extract/damaged).
    """
    end, last = tail.search(text), _LAST_STRING.match(text)
    if end is None or last is None or end.start() < last.start("text"):
        return None
    held = text[last.start("text") : end.start()]
    marks = _EACH_BRACKET.findall(held)
    balanced = all(marks.count(a) == marks.count(b) for a, b in ("()", "[]", "{}"))
    return (end.start(), last["quote"]) if balanced and not NEXT_ARGUMENT.search(held) else None


@cache
def _outside(notation: Notation, stop: str) -> re.Pattern[str]:
    brackets, quotes = _BRACKETS.get(notation, r"[{}\[\]()]"), _QUOTES.get(notation, "[\"']")
    return re.compile(rf"{brackets}|(?P<quote>{quotes})|{stop or '(?!)'}")


@cache
def _inside(quote: str) -> re.Pattern[str]:
    return re.compile(rf"\\.|{quote}" if quote[0] in "\"'" else re.escape(quote), re.DOTALL)


def extent(tape: Tape, pos: int, notation: Notation = "json", stop: str = "") -> Steps[Extent]:
    """Return where the value that opens at `pos` ends; a match of `stop` outside strings ends it too."""
    if notation == "json" and (end := _strict_end(tape, pos)) is not None:
        return Extent(end, True)
    if tape.exhausted:
        return Extent(tape.size, False)
    marks, at, depth = _outside(notation, stop), pos, 0
    while (hit := (yield from tape.find(marks, at))) is not None:
        at, mark = hit.end, hit.match.group()
        if mark in "{[(":
            depth += 1
        elif mark in "}])":
            depth -= 1
            if depth <= 0:
                return Extent(at, True)
        elif mark == "'" and notation in _AFTER and not _may_open(tape, hit.start):
            continue
        elif hit.match["quote"]:
            at = yield from _string_end(tape, at, mark, notation)
        else:
            return Extent(hit.start, False)
    return Extent(tape.size, False, depth)


def _may_open(tape: Tape, at: int) -> bool:
    """True if an apostrophe is where a string may begin; it is not in a comment."""
    return tape.slice(at - 60, at).rstrip()[-1:] in _BEFORE_STRING


def _string_end(tape: Tape, at: int, quote: str, notation: Notation) -> Steps[int]:
    """Return the position after a string; the end of the text if it is not closed."""
    closer, after = _inside(quote), _AFTER.get(notation)
    while (hit := (yield from tape.find(closer, at))) is not None:
        at = hit.end
        if hit.match.group()[0] == "\\":
            continue
        if after is None or (yield from tape.look(after, at)) is not None:
            return at
    return tape.size


def _strict_end(tape: Tape, pos: int) -> int | None:
    """Return the end of a valid JSON value that has arrived completely, otherwise None.

    This is the common case, and the C parser is fast.
    """
    text, base = tape.window(pos)
    try:
        return int(_DECODER.raw_decode(text, pos - base)[1]) + base
    except (ValueError, RecursionError):
        return None


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
    """One argument of a tool: its key, and what the schema allows."""

    key: str
    expect: Expect


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
    """Repair a damaged value as a member of an object."""
    lead = f"{{{json.dumps(slot.key)}: "
    outcome = repaired(f"{lead}{text}}}")
    if isinstance(outcome, Unrepairable):
        return Value(text, (), outcome.reason, outcome.message)
    value = outcome.value if outcome.rank < Rank.CUT else None
    if not isinstance(value, dict) or list(value) != [slot.key]:
        return Value(text, (), "damaged", f"{slot.key}: the value cannot be read in only one way.")
    return Value(value[slot.key], shifted(outcome.fixes, at - len(lead)))


def repaired(text: str, finish_reason: str | None = None) -> Repaired | Unrepairable:
    """Repair damaged JSON, and refuse a key with two values.

    The schema is no evidence here: with it, real damaged calls were read less well (decision 26).
    """
    outcome = repair_json(text, finish_reason=finish_reason)
    twice = _two_values(repeats_of(outcome)) if isinstance(outcome, Repaired) else None
    if twice is None:
        return outcome
    values = " or ".join(json.dumps(value, ensure_ascii=False)[:60] for value in twice.values[:3])
    message = _GIVEN_TWICE.format(key=json.dumps(twice.path[-1]), values=values)
    return Unrepairable("ambiguous", 0, message)


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
