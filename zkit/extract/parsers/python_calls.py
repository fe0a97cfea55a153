"""Parse calls in notations of their own: Python, Gemma's braces, and the arrows of MiniMax on hosted APIs."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import NamedTuple

from zkit.expect import Expect
from zkit.extract.parsers import values
from zkit.extract.parsers.arguments import Reading, Task, Unit, broken, finished, from_text
from zkit.extract.parsers.values import Notation, Slot, Value
from zkit.extract.tape import Match, Steps
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank

# `calculate\_growth` is Markdown for `calculate_growth` (Mistral, Gemma).
NAME = r"[^\W\d](?:[\w.:/-]|\\_)*+"
# Small models put an assignment or `print(` before a call in a code block.
_BEFORE = r"(?:[^\W\d]\w*+\s*+=\s*+)?+(?:print\(\s*+)?"
_CALL = rf"\s*+{_BEFORE}(?P<name>{NAME})\s*+\("
# Between two calls: a comma, a line end, or the end of a list and the beginning of the next.
_BETWEEN = (
    rf"(?:\s*+\]?+\s*+[,;]\s*+\[?+\s*+|[ \t]*+\]?+[ \t]*+\n\s*+\[?+)(?={_BEFORE}{NAME}\s*+\()"
)
_CLOSER = r"\s*+,?\s*+\]"
# Strings, brackets and separators, by the same rules as the search for the end of the call.
_TOKENS = {
    "python": re.compile(
        r"(?P<quote>\"{3}|'{3}|[\"'])(?:\\.|.)*?(?:(?P=quote)|\Z)|[()\[\]{},=:]", re.DOTALL
    ),
    "loose": re.compile(
        r"(?P<quote>[\"'])(?:\\.|.)*?(?:(?P=quote)(?=\s*+(?:[,:}\])]|\Z))|\Z)|[()\[\]{},=:]",
        re.DOTALL,
    ),
}
_KEY = re.compile(r"\s*+(?:\"(\w+)\"|'(\w+)'|([^\W\d][\w-]*+))\s*+\Z")
_QUOTED = re.compile(r"\s*+[rRbBuU]{0,2}[\"']")
_TYPOGRAPHIC = re.compile(r"“[^“”\\]*+”\Z")  # corpus/extract/small_models
NO_QUOTE = "{key}: the quotes do not match. Close every string, and escape quotes in it."
_OPENERS, _CLOSERS = frozenset("([{"), frozenset(")]}")


class Argument(NamedTuple):
    """One argument as written: its key (may be empty), its text, and where the text begins."""

    key: str
    text: str
    at: int


def read_python(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """Return the calls at `pos`, in a list or one after the other; None if there are none."""
    listed = task.tape.char(pos) == "["
    at = pos + listed
    units: list[Unit] = []
    closed = True
    while closed:
        head = yield from task.tape.look(_CALL, at)
        if head is None:
            break
        unit, at, closed = yield from _read_call(task, at, head, stop)
        units.append(unit)
        between = yield from task.tape.look(_BETWEEN, at)
        if between is None:
            break
        at += between.end()
    if not units:
        return None
    if listed and closed:
        end = yield from task.tape.look(_CLOSER, at)
        after = at if end is None else at + end.end()
        odd = _OPERATOR if end is None else _APPLIED
        if (yield from task.tape.look(odd, after)) is not None:
            return (yield from _with_expression(task, units, pos, stop))
        closed, at = end is not None, after
    return Reading(tuple(units), at, "python_list" if listed else "python", closed)


# An operator makes the call before it part of an expression (corpus/untouched/calls_in_code).
_OPERATOR = r"[ \t]*+(?:[-+*/%|&^.\[]|[<>=!]=)"


# A list that is itself called (xLAM-2: `[f(a=1)](f(a=1))`).
_APPLIED = rf"\(\s*+{NAME}\("


def _with_expression(task: Task, units: list[Unit], pos: int, stop: str) -> Steps[Reading]:
    """Refuse the last call of a list because it is part of an expression: `[f(a=1) / g(b=2)]`."""
    found = yield from values.extent(task.tape, pos, "python", stop)
    message = f"{units[-1].name}: the call is a part of an expression. Send the call itself."
    units[-1] = broken(units[-1].name, units[-1].span, "expression", message)
    return Reading(tuple(units), found.end, "python_list", found.closed)


def _read_call(task: Task, at: int, head: Match, stop: str) -> Steps[tuple[Unit, int, bool]]:
    """Return the call that `head` opens, the position after it, and whether it was closed."""
    tape = task.tape
    start, opening = at + head.start("name"), at + head.end() - 1
    name = head["name"]
    if task.tools.name_of(name) is None:
        name = name.removesuffix(".call")
    found = yield from values.extent(tape, opening, "python", stop)
    notation: Notation = "python"
    if not found.closed and (tape.final or found.end < tape.size):
        loose = yield from values.extent(tape, opening, "loose", stop)
        if loose.closed:
            found, notation = loose, "loose"
    end = found.end
    inside = tape.slice(opening + 1, end - 1 if found.closed else end)
    if not found.closed and end >= tape.size and not tape.cut:
        missing = values.last_quote(inside, _LIST_END)
        if missing is not None:  # the parenthesis and the bracket after it are there
            place, quote = missing
            end = opening + 1 + place
            text = inside[:place] + quote
            unit = unit_from(task, name, text, opening + 1, (start, end + 1), "python")
            fix = Fix("add_closing_quote", Rank.GUESS, end, end, quote, "not closed")
            return replace(unit, fixes=(*unit.fixes, fix)), end + 1, True
    unit = unit_from(task, name, inside, opening + 1, (start, end), notation)
    whole = found.closed or (not found.open and inside.rstrip()[-1:] in ('"', "'", "]", "}"))
    if not whole:  # a closed string or container would be a complete last argument
        unit = Unit(unit.name, unit.arguments, unit.span, state="cut")
    return unit, end, found.closed


_LIST_END = re.compile(r"\)\s*+\]\s*+\Z")


_STRING_OR_COMMENT = re.compile(r"(?s)(\"{3}|'{3}|[\"'])(?:\\.|(?!\1).)*+\1|(?<![^\s,(])#[^\n]*+")


def _blanked(part: re.Match[str]) -> str:
    """Return a string as it is, and blanks in the place of a comment (corpus/extract/gemma_tool_code)."""
    return " " * len(part[0]) if part[0][0] == "#" else part[0]


def unit_from(
    task: Task, name: str, inside: str, at: int, span: tuple[int, int], notation: Notation
) -> Unit:
    """Return the call whose arguments are the text between its parentheses."""
    given: JsonObject = {}
    fixes: tuple[Fix, ...] = ()
    if "#" in inside:
        inside = _STRING_OR_COMMENT.sub(_blanked, inside)
    arguments = split(inside, at, notation)
    if arguments and arguments[0].key and not all(argument.key for argument in arguments):
        notation, arguments = "loose", split(inside, at, "loose")  # a comma between inner quotes
    for argument in arguments:
        if not argument.key:
            return _positional(task, name, inside, at, span, argument)
        if argument.key in given:
            return broken(name, span, "ambiguous", f"{name}: {argument.key} is given twice.")
        found = value_of(argument, task.slot(name, argument.key))
        if found.reason:
            return broken(name, span, found.reason, found.message)
        given[argument.key] = found.value
        fixes += found.fixes
    return finished(task, name, given, span, fixes)


def _positional(
    task: Task, name: str, inside: str, at: int, span: tuple[int, int], argument: Argument
) -> Unit:
    """Read an argument without a name: an object of all arguments, or the tool's only argument.

    BitAgent-8B and Llama 3.1 8B write `math.factorial(5)`. Anything else is refused.
    """
    expect = task.tools.expect(name)
    if len(split(inside, at, "python")) == 1:
        key = expect.order[0] if len(expect.order) == 1 else ""
        slot = task.slot(name, key) if key else Slot("", expect)
        text = argument.text.strip().removeprefix("**").strip()
        found = value_of(Argument(key, text, argument.at), slot)
        if found.reason and key:
            return broken(name, span, found.reason, found.message)
        if isinstance(found.value, dict) and (
            not key or key in found.value or "object" not in slot.expect.kinds
        ):
            return finished(task, name, found.value, span, found.fixes)
        if key:
            note = f"the only argument of {name} was given without its name"
            begin = argument.at
            fix = Fix("name_only_argument", Rank.COMPLETE, begin, begin, f"{key}=", note)
            return finished(task, name, {key: found.value}, span, (fix, *found.fixes))
    names = ", ".join(f"{key}=..." for key in expect.order[:6]) or "..."
    return broken(name, span, "positional", f"Name every argument: {name}({names}).")


def value_of(argument: Argument, slot: Slot) -> Value:
    """Return the value of one argument; an expression is refused (corpus/untouched/calls_in_code)."""
    text = argument.text.strip()
    at = argument.at + argument.text.find(text)
    found = values.python_literal(text) or values.unambiguous(text)
    if found is not None:
        return Value(found[0])
    if _QUOTED.match(text) and values.NEXT_ARGUMENT.search(text):
        return Value(None, (), "ambiguous", NO_QUOTE.format(key=slot.key))
    if _QUOTED.match(text) or text[:1] in ("{", "[") or _TYPOGRAPHIC.match(text):
        return values.repaired_value(text, slot, at)
    bare = values.typed(text, slot, at)
    if text[:1].isdigit() and (not isinstance(bare.value, str) or slot.expect.kinds == {"string"}):
        return bare
    message = f"{slot.key or 'An argument'}: {text[:60]!r} is an expression. Send the value itself."
    return Value(None, (), "expression", message)


def split(inside: str, at: int, notation: Notation) -> list[Argument]:
    """Split the text between two parentheses at the commas outside of strings and brackets."""
    found: list[Argument] = []
    key, begin, depth = "", 0, 0
    for match in (*_TOKENS[notation].finditer(inside), None):
        mark, place = (match.group(), match.start()) if match else ("", len(inside))
        if mark in _OPENERS or mark in _CLOSERS:
            depth += 1 if mark in _OPENERS else -1
        elif match and (depth or match["quote"]):
            continue
        elif mark in ("=", ":"):  # Kimi and small models write `f(city: "London")`
            named = _KEY.match(inside, begin, place)
            if named is not None and not key:
                key, begin = next(filter(None, named.groups())), place + 1
        else:
            text = inside[begin:place]
            if key or text.strip():
                found.append(Argument(key, text, at + begin))
            key, begin = "", place + 1
    return found


# ── call:NAME{key:value} ─────────────────────────────────────────────────────


# ── call:NAME{key:value} ─────────────────────────────────────────────────────

_NAME = r"[^\s{}<>()\[\]\"']{1,128}"
_HEAD = rf"(?:call\s*+:\s*+)?(?P<name>{_NAME}?)\s*+(?=\{{)"
_QUOTE = r"<escape>|<\|\"\|>"
_TOKEN = re.compile(
    rf"(?P<mark>{_QUOTE})(?P<body>.*?)(?P=mark)|\"(?:[^\"\\]|\\.)*+\"|(?P<key>(?<=[{{,])\s*+(?:(?!{_QUOTE})[^{{}}\[\],:\"])++)(?=:)|(?P<bare>(?:(?!{_QUOTE})[^{{}}\[\],:\"])++)",
    re.DOTALL,
)


def read_braces(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """Read `call:NAME{...}`, whose strings are between quote tokens."""
    head = yield from task.tape.look(_HEAD, pos)
    if head is None:
        return None
    opening = pos + head.end()
    end, closed, *_ = yield from values.extent(task.tape, opening, "tokens", stop)
    span = (pos, end)
    if not closed:
        return Reading((Unit(head["name"], None, span, state="cut"),), end, "braces", False)
    text = task.tape.slice(opening, end)
    return Reading((_from_braces(task, head["name"], text, opening, span),), end, "braces")


def _from_braces(task: Task, name: str, text: str, at: int, span: tuple[int, int]) -> Unit:
    """Return the call, after its braces were rewritten as JSON: keys, strings and bare words are quoted."""
    key, words, expect = "", [], task.tools.expect(name)

    def spelt(token: re.Match[str]) -> str:
        nonlocal key
        bare = (token["bare"] or "").strip()
        if token["key"] is not None:
            key = token["key"].strip()
            return json.dumps(key)
        if token["body"] is not None:
            return json.dumps(token["body"])
        if not bare:
            return token.group()
        # `108.` is a number (Gemma 4), unless the schema has a string here.
        literal = (
            None
            if expect.child(key).kinds == {"string"}
            else values.strict(bare) or values.number(bare)
        )
        if literal is None:
            start, end = at + token.start("bare"), at + token.end("bare")
            quoted = json.dumps(bare)
            words.append(Fix("quote_word", Rank.RESPELL, start, end, quoted, "a bare word"))
        return json.dumps(bare if literal is None else literal[0])

    written = _TOKEN.sub(spelt, text)
    found = values.unambiguous(written)
    if found is not None:
        return finished(task, name, found[0], span, tuple(words))
    unit = from_text(task, name, written, at, span)
    moved = tuple(fix._replace(start=at, end=span[1]) for fix in unit.fixes)
    state = "broken" if unit.state == "cut" else unit.state
    return replace(unit, fixes=moved, state=state, reason=unit.reason or "damaged")


# ── {tool => "NAME", args => { --key value }} ────────────────────────────────

_ARROW = rf"\{{\s*+tool\s*+=>\s*+[\"'](?P<name>{_NAME})[\"']\s*+,?+\s*+(?:args\s*+=>\s*+)?+"
_FLAG = re.compile(
    r"\"(?:[^\"\\]|\\.)*+\"|\s*+,?+\s*+(?<![\w-])--(?P<key>[\w.-]++)[ \t=]*+(?P<word>[^\s\"\[{}]++)?+",
    re.DOTALL,
)


def read_arrows(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """Read `{tool => "NAME", args => { --key value }}`: each argument is a flag and a JSON value."""
    tape = task.tape
    head = yield from tape.look(_ARROW, pos)
    if head is None:
        return None
    name, opening = head["name"], pos + head.end()
    end, closed, *_ = yield from values.extent(tape, pos, "tokens", stop)
    inner, whole, *_ = yield from values.extent(tape, opening, "tokens", stop)
    if not whole:
        return Reading((Unit(name, None, (pos, end), state="cut"),), end, "arrows", False)
    expect = task.tools.expect(name)
    flags = tape.slice(opening + 1, inner - 1)
    text = _FLAG.sub(lambda flag: _member(flag, expect), flags)
    unit = from_text(task, name, f"{{{text.strip().removeprefix(',')}}}", opening, (pos, end))
    return Reading((unit,), end, "arrows", closed)


def _member(flag: re.Match[str], expect: Expect) -> str:
    """Return a flag as a member of a JSON object; a quoted string stays as it is."""
    key, word = flag["key"], flag["word"] or ""
    if key is None:
        return flag.group()
    quoted = word and (values.strict(word) is None or expect.child(key).kinds == {"string"})
    return f",{json.dumps(key)}: {json.dumps(word) if quoted else word}"
