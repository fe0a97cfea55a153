"""Handlers for calls without a marker: objects, lists, names with arguments, and ReAct labels."""

from __future__ import annotations

import re
from dataclasses import replace

from zkit.extract.formats.table import FORMATS
from zkit.extract.parsers import headers
from zkit.extract.parsers.arguments import Reading, Unit
from zkit.extract.parsers.call_objects import ARGUMENT_KEYS, NAME_KEYS
from zkit.extract.parsers.envelopes import GENERIC_STOP
from zkit.extract.parsers.json_calls import read_json, read_named
from zkit.extract.parsers.python_calls import read_braces, read_python
from zkit.extract.parsers.tag_calls import read_markup
from zkit.extract.parsers.tag_dialects import KEY_VALUE, LINES
from zkit.extract.quoting import indented, row
from zkit.extract.scan import Handler, Scanner
from zkit.extract.scan_marks import ARGUMENTS_AHEAD, BRACKETED, LISTED_CALL, RESULT_LABELS
from zkit.extract.tape import MOST_HEADER, Match, Steps, searched

_STOP = rf"{GENERIC_STOP}|</tool_call>|<tool_call>"


def bracket(scan: Scanner, at: int) -> Steps[int]:
    """Read a brace or a bracket: an object, a list, or a mark in brackets."""
    if scan.tape.char(at) == "[" and (word := (yield from scan.tape.look(_BRACKETS, at))):
        return (yield from _bracketed(scan, word, at))
    if (yield from _spells_call(scan, at)):
        found = yield from read_json(scan.task, at, _STOP)
        if found.units:
            body = "array" if found.body == "json_list" else "object"
            return (yield from scan.offer(found, at, body))
        scan.tape.in_vain += 1
    return (yield from scan.skip(at))


# A mark in brackets, or a list that begins with a Python call.
_BRACKETS = rf"{BRACKETED}|{LISTED_CALL}"


def _bracketed(scan: Scanner, word: Match, at: int) -> Steps[int]:
    if not word["name"]:
        return (yield from scan.handle(str(word.lastgroup), at))
    if scan.standing.shown and scan.task.tools.name_of(word["name"]) is None:
        return (yield from scan.skip(at))
    calls = yield from read_python(scan.task, at, _STOP)
    return (yield from scan.offer(calls, at))


# An object that begins with a name, followed by arguments: a call, declared or not.
_NAME_FIRST = (
    rf"[\[\s]*+\{{(?:\s*+\{{)?+\s*+,?+\s*+[\"'](?i:{'|'.join(NAME_KEYS)})[\"']\s*+:"
    rf"\s*+[\"'][^\"',\n]{{0,128}}+[\"']\s*+,\s*+[\"'](?:{'|'.join(ARGUMENT_KEYS)})[\"']"
)


def _spells_call(scan: Scanner, at: int) -> Steps[bool]:
    """True if an object or a list names a declared tool near its beginning, or begins as any call does."""
    tape, tools = scan.tape, scan.task.tools
    while not tape.final and tape.size < at + MOST_HEADER:
        yield from tape.wait(at)
    text = tape.slice(at, at + MOST_HEADER)
    if tools.named_in(text) or (at + len(text) == tape.size and tools.begun_in(text)):
        return True
    return (yield from tape.look(_NAME_FIRST, at)) is not None


# A name, then parentheses or an object. Before the object there may be a few words, a label on its
# own line, or a fence (corpus/extract/small_models).
_SHAPE = rf"(?P<tick>`{{0,2}}+)(?P<name>[^\W\d](?:[\w./-]|\\_)*+)(?::[0-9]++)?+(?:(?P<call>\()|{ARGUMENTS_AHEAD})"


def named(scan: Scanner, at: int) -> Steps[int]:
    """Read the name of a tool and its arguments: `f(a=1)`, `f: {"a": 1}`, `f` and an object."""
    if (yield from scan.tape.look(KEY_VALUE.unit, at)) is not None:
        tags = yield from read_markup(scan.task, KEY_VALUE, at, GENERIC_STOP)
        return (yield from scan.offer(tags and replace(tags, opener=FORMATS["glm45"].opener), at))
    head = yield from scan.tape.look(_SHAPE, at)
    if head is None or scan.task.tools.name_of(head["name"]) is None:
        return (yield from scan.skip(at))
    if head["object"]:
        return (yield from _with_object(scan, at, head))
    reading = yield from read_python(scan.task, at, _STOP)
    line = scan.before(at).rpartition("\n")[2].strip()
    if reading is not None and line and not any(_is_made(unit, line) for unit in reading.units):
        reading = _listed(scan, reading)
    if reading is None:
        return (yield from scan.skip(at, head.end()))
    return (yield from scan.offer(reading, at, "python_list"))


_LINE_LABEL = re.compile(r"[:：=>→]\s*+\Z")


def _is_made(unit: Unit, line: str) -> bool:
    """True if a Python call after other text on its line counts as a call.

    It must have arguments or follow a label: `f()` alone names a function in any text (Gemma 4 12B),
    and `read_file(path: string)` describes a tool (corpus/untouched/calls_in_code).
    """
    return unit.state == "whole" and bool(unit.arguments or _LINE_LABEL.search(line))


def _listed(scan: Scanner, reading: Reading) -> Reading | None:
    """Return the calls without named arguments, to be listed as `positional` without a message.

    None if there are no such calls. See corpus/untouched/calls_in_code.
    """
    units = tuple(
        replace(unit, state="broken", reason="positional", message="")
        for unit in reading.units
        if unit.arguments == {}
        or (unit.reason == "positional" and _QUOTE.search(scan.tape.slice(*unit.span)))
    )
    return replace(reading, units=units) if units else None


_QUOTE = re.compile(r"[\"']")


def _with_object(scan: Scanner, at: int, head: Match) -> Steps[int]:
    """Read a name and the object after it.

    If words come between them, the object must have a key of the tool; otherwise it is data.
    """
    tools, words = scan.task.tools, head["words"] or ""
    reading = yield from read_named(scan.task, head["name"], at, at + head.end() - 1, _STOP)
    expected = tools.expect(head["name"]).keys
    if words and not any(expected & set(unit.arguments or ()) for unit in reading.units):
        return (yield from scan.skip(at, head.end() - 1))
    if head["fence"]:
        reading = yield from headers.closed_by(scan.task, reading, _FENCE_END)
    return (yield from scan.offer(reading, at, "name_line"))


# A counter after a name (Kimi), and the method of a built-in tool (Llama 3.1,
# corpus/extract/llama3_builtin).
_FOLLOWS_NAME = re.compile(r":[0-9]++\Z|\.call\Z")
# A name at the very beginning of a reply, then an object or parentheses.
FIRST_NAME = (
    r"\s*+(?P<full>(?P<braces>call:)?+(?:functions\.)?(?P<name>[^\s<>{}()\[\]\"'|,;]{1,128}+))"
    r"(?:(?:[ \t\r]*+\n\s*+|\[ARGS\])?+(?P<object>(?=\{))|(?P<call>(?=\()))"
)


def first_name(scan: Scanner, pos: int) -> Steps[int]:
    """Read a reply that begins with the name of a tool and its arguments."""
    found = yield from scan.tape.look(FIRST_NAME, pos)
    if found is None:
        return pos
    at = pos + found.start("full")
    if scan.task.tools.name_of(_FOLLOWS_NAME.sub("", found["name"])) is None:
        return (yield from _undeclared(scan, pos, at)) if found["call"] is not None else pos
    yield from scan.text(pos, at)
    if found["braces"]:
        reading = yield from read_braces(scan.task, at, _STOP)
        opener = FORMATS["gemma4"].opener
        return (yield from scan.offer(reading and replace(reading, opener=opener), at))
    if found["call"] is not None:
        calls = yield from read_python(scan.task, at, _STOP)
        return (yield from scan.offer(calls, at, "python_list"))
    header = yield from headers.read_header(scan.task, "name_line", at, _STOP)
    return (yield from scan.offer(header, at))


def _undeclared(scan: Scanner, pos: int, at: int) -> Steps[int]:
    """Read a Python call of an undeclared tool if it is the whole reply; otherwise it is text.

    Llama 3.1 8B calls `torch.linspace(start=0, end=1)` where it has no such tool.
    """
    calls = yield from read_python(scan.task, at, _STOP)
    if calls is None or not calls.closed:
        return pos
    if (yield from scan.tape.next_solid(calls.end)) < scan.tape.size:
        return pos
    yield from scan.text(pos, at)
    return (yield from scan.offer(calls, at, "python_list"))


_RECIPIENT = r">>>(?P<name>[^\s<>{}()\[\]\"']{1,128}+)[ \t\r]*+(?:\n|(?=\{))"
_NEXT_RECIPIENT = re.compile(r"(?=\n>>>)")


def recipient(scan: Scanner, at: int) -> Steps[int]:
    """Read `>>>NAME` and an object, as Functionary 3.2 writes calls.

    `>>>all` opens the answer; anything else is a shell prompt or a quotation.
    """
    head = yield from scan.tape.look(_RECIPIENT, at)
    if head is not None and head["name"] == "all":
        yield from scan.piece("frame", at, at + head.end())
        end = yield from scan.pass_to(at + head.end(), _NEXT_RECIPIENT)
        return scan.tape.size if end is None else end.start
    if head is None or scan.task.tools.name_of(head["name"]) is None:
        return (yield from row(scan, at))
    reading = yield from headers.read_header(
        scan.task, "functionary_v32", at, rf"{GENERIC_STOP}|\n>>>"
    )
    if reading is None:
        return (yield from row(scan, at))
    return (yield from scan.offer(reading, at))


_ACTION_JSON = rf"{headers.LABEL_MARK}Action{headers.LABEL_COLON}\s*+(?P<fence>```[\w-]*+[ \t\r]*+\n\s*+)?+(?=[{{\[])"
_ACTION_CALL = rf"(?:{headers.LABEL_MARK}Action|(?:\*\*|__)*+Call){headers.LABEL_COLON}\s*+(?=(?P<name>[^\W\d][\w.:/-]*+)\s*+\()"
_WORD = rf"{headers.LABEL_MARK}(?P<word>Final Answer|(?P<result>{RESULT_LABELS})(?=\W)|\w++){headers.LABEL_COLON}"
_OBSERVED_END = (
    rf"(?=\n\s*+{headers.LABEL_MARK}(?:Thought|Final Answer|Action){headers.LABEL_COLON})|\n\n"
)
_BLANKS = r"[ \t]*+"
_FENCE_END = r"\s*+(?:```|~~~|`)"


def labelled(scan: Scanner, at: int) -> Steps[int]:
    """Read a label at the beginning of a line: `Thought:`, `Action:`, `Call:`, `Observation:`."""
    word = yield from scan.tape.look(_WORD, at)
    if word is None:
        return (yield from scan.skip(at))
    kind = word["word"]
    if kind in ("Thought", "Plan", "Reflection"):
        if indented(scan.before(at)) and scan.before(at).strip() and not scan.thinks:
            return (yield from scan.skip(at, word.end()))
        return (yield from _thought(scan, at, at + word.end()))
    if scan.thinks:
        scan.thinks = False
        scan.text_from = at
    if word["result"]:
        direct = scan.standing.after_mark or kind == "Observation"
        if scan.standing.holds and direct:
            return (yield from scan.end_reply(at, at + word.end()))
        if kind == "Observation":
            return (yield from _observed(scan, at, at + word.end()))
        return (yield from scan.skip(at, word.end()))
    if kind.lower() == "tool_name":
        lines = yield from read_markup(scan.task, LINES, at, "(?!)")
        return (yield from scan.offer(lines, at))
    reading = yield from _labelled_call(scan, at)
    if reading is None:
        scan.tape.in_vain += 1
        return (yield from scan.skip(at, word.end()))
    return (yield from scan.offer(reading, at))


def _thought(scan: Scanner, at: int, begin: int) -> Steps[int]:
    """Begin a thought that ends at the next label or call: reasoning if a call follows, otherwise text."""
    blanks = yield from scan.tape.look(_BLANKS, begin)
    end = begin if blanks is None else begin + blanks.end()
    scan.standing.new_thought()
    yield from scan.piece("thought", at, end, "")
    scan.thinks = True
    return end


def _observed(scan: Scanner, at: int, begin: int) -> Steps[int]:
    """Pass over a result without a call before it, up to the next label: it is part of a transcript.

    See corpus/untouched/conversations.
    """
    yield from scan.text(at, begin)
    hit = yield from scan.pass_to(begin, searched(_OBSERVED_END))
    end = scan.tape.size if hit is None else hit.start
    yield from scan.list_quoted(begin, end)
    return end


def _labelled_call(scan: Scanner, at: int) -> Steps[Reading | None]:
    task = scan.task
    boxed = yield from task.look_named(headers.HEADERS["react_box"].pattern, at)
    named = yield from headers.read_header(task, "react" if boxed is None else "react_box", at, "")
    if named is not None:
        return replace(named, body="react")
    spelt = yield from task.tape.look(_ACTION_JSON, at)
    if spelt is not None:
        reading = yield from read_json(task, at + spelt.end(), headers.NEXT_LABEL)
        closed = yield from headers.closed_by(task, reading, _FENCE_END if spelt["fence"] else "")
        return replace(closed, body="action") if closed.units else None
    calling = yield from task.look_named(_ACTION_CALL, at)
    if calling is None:
        return None
    found = yield from read_python(task, at + calling.end(), headers.NEXT_LABEL)
    return None if found is None else replace(found, body="label_call")


def headed(kind: str) -> Handler:
    """Return a handler for calls that a header of this kind opens."""

    def read(scan: Scanner, at: int) -> Steps[int]:
        reading = yield from headers.read_header(scan.task, kind, at, _STOP)
        return (yield from scan.offer(reading, at))

    return read
