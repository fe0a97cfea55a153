"""Calls without a marker: objects, lists, names with arguments, and the labels of ReAct prompts."""

from __future__ import annotations

import re
from dataclasses import replace

from zkit.extract.events import Refusal
from zkit.extract.formats.table import FORMATS
from zkit.extract.parsers.arguments import Reading, Task
from zkit.extract.parsers.brace_calls import read_braces
from zkit.extract.parsers.call_objects import (
    ARGUMENT_KEYS,
    ID_KEYS,
    LIST_KEYS,
    NAME_KEYS,
    NEST_KEYS,
    OPENING_KEYS,
    RPC_KEY,
    spelt_key,
)
from zkit.extract.parsers.envelopes import GENERIC_STOP
from zkit.extract.parsers.headers import closed_by, plain_argument, read_arguments, read_header
from zkit.extract.parsers.json_calls import read_json, read_named
from zkit.extract.parsers.python_calls import read_python
from zkit.extract.parsers.tag_calls import PAIRS, Draft, from_pairs, read_markup, read_unit
from zkit.extract.parsers.tag_dialects import KEY_VALUE, LINES
from zkit.extract.quoting import indented, row
from zkit.extract.scan import Scanner
from zkit.extract.scan_marks import (
    ARGUMENTS_AHEAD,
    BRACKETED,
    LISTED_CALL,
    LISTED_NAME,
    OPENING_KEY,
    RESULT_LABELS,
)
from zkit.extract.tape import Match, Steps, searched

# Keys that data begins with as often as calls do.
BEFORE_NAME = frozenset(
    {*ID_KEYS, RPC_KEY, "type", "thought", "thoughts", "content", "role", "index"}
)
# Keys that an object inside of another begins with if it is a call, in any case.
FIRST_KEYS = tuple(key.replace("_", "_?") for key in (*NAME_KEYS, *ID_KEYS))
# The key of a name further on in an object.
NAME_LATER = re.compile(rf"\b(?:{'|'.join({*NAME_KEYS, *LIST_KEYS, *NEST_KEYS})})[\"'”]?\s*:")
# How far: a thought of a few sentences may come before the name (corpus/extract/openai_envelope).
NAMED_WITHIN = 500
_STOP = rf"{GENERIC_STOP}|</tool_call>|<tool_call>"


def bracket(scan: Scanner, at: int) -> Steps[int]:
    """Read a brace or a bracket: an object, a list, or a mark in brackets."""
    if scan.tape.char(at) == "[" and (word := (yield from scan.tape.look(_BRACKETS, at))):
        return (yield from _bracketed(scan, word, at))
    if (yield from _spells_call(scan, at)):
        found = yield from read_json(scan.task, at, _STOP)
        body = "array" if found.body == "json_list" else "object"
        return (yield from scan.offer(replace(found, body=body), "", at))
    return (yield from scan.skip(at))


# A mark in brackets, a call in Python's way, or a name in brackets and an object after it
# (corpus/extract/small_models).
_BRACKETS = rf"{BRACKETED}|{LISTED_CALL}|\[(?P<headed>[^\W\d][\w./-]{{0,127}}+)\]:?+\s*+(?=\{{)"


def _bracketed(scan: Scanner, word: Match, at: int) -> Steps[int]:
    known = scan.task.tools.name_of(word["headed"] or word["name"] or "")
    if word["headed"] and known:
        reading = yield from read_named(scan.task, word["headed"], at, at + word.end(), _STOP)
        return (yield from scan.offer(replace(reading, body="name_line"), "", at))
    if word["name"] and (known or not scan.standing.shown):
        calls = yield from read_python(scan.task, at, _STOP)
        return (yield from scan.offer(calls, "", at))
    if word["name"] or word["headed"]:
        return (yield from scan.skip(at))
    return (yield from scan.handle(str(word.lastgroup), at))


def _spells_call(scan: Scanner, at: int) -> Steps[bool]:
    """Whether an object or a list begins as one does that spells calls."""
    tools = scan.task.tools
    listed = (yield from scan.tape.look(LISTED_NAME, at)) if scan.tape.char(at) == "[" else None
    if listed is not None:
        return tools.name_of(listed["name"]) is not None
    opening = yield from scan.tape.look(OPENING_KEY, at)
    if opening is None:
        return False
    key = spelt_key(opening["key"])
    if key in NAME_KEYS and (value := (yield from scan.tape.look(_NAME_FIRST, at))) is not None:
        return value["argued"] is not None or tools.name_of(value["name"]) is not None
    if key in BEFORE_NAME:
        return (yield from scan.tape.find(NAME_LATER, at, at + NAMED_WITHIN)) is not None
    if key in OPENING_KEYS or tools.name_of(key) is not None:
        return True
    first = yield from scan.tape.look(_FIRST_VALUE, at)
    if first is None:
        return False
    name = first["name"]
    return name is None or tools.name_of(name) is not None


# An object that begins with a name, and maybe goes on with arguments.
_NAME_FIRST = rf"[\[\s]*+\{{\s*+,?+\s*+[\"'](?i:{'|'.join(NAME_KEYS)})[\"']\s*+:\s*+[\"'](?P<name>[^\"',\n]{{0,128}}+)(?:[\"']|(?=,))(?:\s*+,\s*+[\"'](?P<argued>{'|'.join(ARGUMENT_KEYS)})[\"'])?+"
# The first value of an object with keys of its own making: a name, a call, or a list of calls, as in
# `{"method": "f", ...}`, `{"functionCall": {...}}`, `{"actions": [...]}`.
_FIRST_VALUE = (
    r"[\[\s]*+\{\s*+[\"'][\w -]{1,80}+[\"']\s*+:\s*+(?:[\"'](?P<name>[^\"'\n]{1,128}+)[\"']\s*+[,}]"
    rf"|(?:\[\s*+)?+\{{\s*+[\"'](?i:{'|'.join(FIRST_KEYS)})[\"'])"
)

# A name, then parentheses or an object, maybe after a few words, a label of its own line, or in a
# fence.
_SHAPE = rf"(?P<tick>`{{0,2}}+)(?P<name>[^\W\d](?:[\w./-]|\\_)*+)(?::[0-9]++)?+(?:(?P<call>\()|{ARGUMENTS_AHEAD})"


def named(scan: Scanner, at: int) -> Steps[int]:
    """Read the name of a tool and its arguments: `f(a=1)`, `f: {"a": 1}`, `f` and an object."""
    keyed = yield from scan.tape.look(_KEYED, at)
    if keyed is not None:
        return (yield from _with_tags(scan, at, keyed))
    head = yield from scan.tape.look(_SHAPE, at)
    if head is None and _lone(scan, at):
        pairs = yield from _with_pairs(scan, at)
        if pairs is not None:
            return (yield from scan.offer(pairs, "", at))
    if head is None or scan.task.tools.name_of(head["name"]) is None:
        return (yield from scan.skip(at, _word_size(scan, at)))
    if head["object"]:
        return (yield from _with_object(scan, at, head))
    line = scan.before(at).rpartition("\n")[2].strip()
    empty = yield from scan.tape.look(_EMPTY, at + head.end())
    if empty and line and _LINE_LABEL.search(line) is None:
        # `f()` names a function in any text, and `def f():` defines one (Gemma 4 12B): it is listed.
        end = at + head.end() + empty.end()
        yield from scan.standing.refuse(
            [Refusal(head["name"], "quoted", (at, end), "", "pythonic_list")]
        )
        return (yield from scan.skip(at, end - at))
    reading = yield from read_python(scan.task, at, _STOP)
    if reading is not None and line and _is_signature(reading):
        reading = _listed(scan, reading)
    if reading is None:
        return (yield from scan.skip(at, head.end()))
    reading = replace(reading, body="python_list")
    return (yield from scan.offer(reading, "", at, mentioned=not _begins_line(scan, at)))


_KEYED = r"(?P<name>[^\s<>{}()]{1,128}+)\s*+(?=<(?:arg|param)_key>)"


def _with_tags(scan: Scanner, at: int, head: Match) -> Steps[int]:
    """Read a name and tags of arguments whose `<tool_call>` is missing (GLM-4.5-Air)."""
    draft = Draft(head["name"], at)
    unit, end, closed = yield from read_unit(
        scan.task, KEY_VALUE, draft, at + head.end(), GENERIC_STOP
    )
    reading = Reading((unit,), end, "key_value", closed)
    return (yield from scan.offer(reading, FORMATS["glm45"].opener, at))


# A line that is a name and attributes: `f a="x"` (corpus/extract/small_models).
_PAIRS = rf"(?P<name>[^\W\d](?:[\w./-]|\\_)*+)(?=[ \t]){PAIRS}[ \t\r]*+(?=\n|\Z)"


def _with_pairs(scan: Scanner, at: int) -> Steps[Reading | None]:
    """Read a line that is the name of a tool and attributes, one of which it takes."""
    head = yield from scan.task.look_named(_PAIRS, at)
    if head is None:
        return None
    unit = from_pairs(scan.task, head["name"], head["pairs"], (at, at + head.end()))
    taken = scan.task.tools.expect(head["name"]).keys & set(unit.arguments or ())
    return Reading((unit,), at + head.end(), "name_line") if taken or unit.reason else None


_EMPTY = r"\s*+\)"
_LINE_LABEL = re.compile(r"[:：=>→]\s*+\Z")


def _is_signature(reading: Reading) -> bool:
    """Whether nothing that was read is a call: `read_file(path: string)` in a list describes a tool.

    See corpus/untouched/calls_in_code.
    """
    return all(unit.state != "whole" for unit in reading.units)


def _listed(scan: Scanner, reading: Reading) -> Reading | None:
    """What names no argument but gives values, `f("a", 1)` in code: listed, without words for the model.

    See corpus/untouched/calls_in_code.
    """
    units = tuple(
        replace(unit, message="")
        for unit in reading.units
        if unit.reason == "positional" and _QUOTE.search(scan.tape.slice(*unit.span))
    )
    return replace(reading, units=units) if units else None


_QUOTE = re.compile(r"[\"']")


def _lone(scan: Scanner, at: int) -> bool:
    """Whether a line holds nothing before this place."""
    return not any(map(str.isalnum, scan.before(at).rpartition("\n")[2]))


def _begins_line(scan: Scanner, at: int) -> bool:
    """Whether a call begins its line, or what its line says ends with a colon: else a sentence names it."""
    line = scan.before(at).rpartition("\n")[2]
    return _lone(scan, at) or _LINE_LABEL.search(line) is not None


def _word_size(scan: Scanner, at: int) -> int:
    text = scan.tape.slice(at, at + 128)
    return max(
        next((i for i, c in enumerate(text) if not (c.isalnum() or c in "_\\")), len(text)), 1
    )


def _with_object(scan: Scanner, at: int, head: Match) -> Steps[int]:
    """Read a name and an object after it: in a sentence one whose keys are the tool's, else it is data."""
    tools, words = scan.task.tools, head["words"] or ""
    if any(tools.name_of(word) is not None for word in words.split()):
        return (yield from scan.skip(at, _word_size(scan, at)))
    reading = yield from read_named(scan.task, head["name"], at, at + head.end() - 1, _STOP)
    expected = tools.expect(head["name"]).keys
    if words and not any(expected & set(unit.arguments or ()) for unit in reading.units):
        return (yield from scan.skip(at, head.end() - 1))
    if head["fence"]:
        closer = yield from scan.tape.look(_FENCE_END, reading.end)
        reading = replace(reading, end=reading.end + (0 if closer is None else closer.end()))
    return (yield from scan.offer(replace(reading, body="name_line"), "", at))


# A counter after a name (Kimi), and the method of a built-in tool (Llama 3.1).
_FOLLOWS_NAME = re.compile(r":[0-9]++\Z|\.call\Z")
# A name, then an object or parentheses, and nothing before them.
FIRST_NAME = (
    r"\s*+(?P<full>(?P<braces>call:)?+(?:functions\.)?(?P<name>[^\s<>{}()\[\]\"'|,;]{1,128}+))"
    r"(?:(?:[ \t\r]*+\n\s*+|\[ARGS\])?+(?P<object>(?=\{))|(?P<call>(?=\()))"
)


def first_name(scan: Scanner, pos: int) -> Steps[int]:
    """Read a reply that begins with a name and its arguments."""
    found = yield from scan.tape.look(FIRST_NAME, pos)
    if found is None:
        return pos
    at = pos + found.start("full")
    if scan.task.tools.name_of(_FOLLOWS_NAME.sub("", found["name"])) is None:
        return (yield from _undeclared(scan, pos, at)) if found["call"] is not None else pos
    yield from scan.text(pos, at)
    if found["braces"]:
        reading = yield from read_braces(scan.task, at, _STOP)
        return (yield from scan.offer(reading, FORMATS["gemma4"].opener, at))
    if found["call"] is not None:
        calls = yield from read_python(scan.task, at, _STOP)
        return (yield from scan.offer(calls and replace(calls, body="python_list"), "", at))
    header = yield from read_header(scan.task, "name_line", at, _STOP)
    return (yield from scan.offer(header, "", at))


def _undeclared(scan: Scanner, pos: int, at: int) -> Steps[int]:
    """Read a reply that is nothing but a call of a tool that is not on offer; any other is text.

    Llama 3.1 8B calls `torch.linspace(start=0, end=1)` where it has no such tool.
    """
    calls = yield from read_python(scan.task, at, _STOP)
    if calls is None or not calls.closed:
        return pos
    if (yield from scan.tape.next_solid(calls.end)) < scan.tape.size:
        return pos
    yield from scan.text(pos, at)
    return (yield from scan.offer(replace(calls, body="python_list"), "", at))


_RECIPIENT = r">>>(?P<name>[^\s<>{}()\[\]\"']{1,128}+)[ \t\r]*+(?:\n|(?=\{))"
_NEXT_RECIPIENT = re.compile(r"(?=\n>>>)")


def recipient(scan: Scanner, at: int) -> Steps[int]:
    """Read `>>>NAME` and an object; `>>>all` is the answer, anything else a prompt or a quotation."""
    head = yield from scan.tape.look(_RECIPIENT, at)
    if head is not None and head["name"] == "all":
        yield from scan.piece("frame", at, at + head.end())
        end = yield from scan.pass_to(at + head.end(), _NEXT_RECIPIENT)
        return scan.tape.size if end is None else end.start
    if head is None or scan.task.tools.name_of(head["name"]) is None:
        return (yield from row(scan, at))
    reading = yield from read_header(scan.task, "functionary_v32", at, rf"{GENERIC_STOP}|\n>>>")
    if reading is None:
        return (yield from row(scan, at))
    return (yield from scan.offer(reading, "", at))


_STRIPPED = r"(?:assistant\s*+)?(?:analysis|commentary)\s*+to=(?:functions\.)?(?P<name>[^\s<>{}()\[\]\"']{1,128}+)\s*+(?:(?:code|json)\s*+)?(?:<\|message\|>)?+(?=\{)"


def stripped_channel(scan: Scanner, at: int) -> Steps[int]:
    """Read a harmony header that lost its tokens."""
    head = yield from scan.task.look_named(_STRIPPED, at)
    if head is None:
        return (yield from scan.skip(at))
    reading = yield from read_named(scan.task, head["name"], at, at + head.end(), _STOP)
    return (yield from scan.offer(replace(reading, body="harmony"), "", at))


_MARK = r"(?:\*\*|__|#{1,4}[ \t]|[0-9]{1,2}[.)][ \t])*+"
_COLON = r"(?:[ \t]?[0-9]{1,2})?+(?:\*\*|__)?+[ \t]*+:(?:\*\*|__)?+"
_NEXT = r"\n[ \t]*+" + _MARK + r"(?:Observation|Thought|Final Answer|Action)" + _COLON
_ACTION = rf"{_MARK}Action{_COLON}[ \t]*+(?:`)?+(?P<name>[^\s`(){{}}\[\]<>]{{1,128}}+)(?:`)?+[ \t\r]*+\n\s*+{_MARK}Action[ _]Input{_COLON}\s*+(?P<fence>```[\w-]*+\s*+|`(?=\{{))?+"
_ACTION_JSON = rf"{_MARK}Action{_COLON}\s*+(?P<fence>```[\w-]*+[ \t\r]*+\n\s*+)?+(?=[{{\[])"
_ACTION_CALL = (
    rf"(?:{_MARK}Action|(?:\*\*|__)*+Call){_COLON}\s*+(?=(?P<name>[^\W\d][\w.:/-]*+)\s*+\()"
)
_ACTION_BOX = rf"{_MARK}Action{_COLON}[ \t]*+(?P<name>[^\W\d][\w.:/-]*+)[ \t]*+\[\s*+"
_BOX_END = r"\s*+\](?=[ \t\r]*+(?:\n|\Z))"
_WORD = rf"{_MARK}(?P<word>Final Answer|(?P<result>{RESULT_LABELS})(?=\W)|\w++){_COLON}"
_BLANKS = r"[ \t]*+"
_FENCE_END = r"\s*+(?:```|~~~|`)"


def labelled(scan: Scanner, at: int) -> Steps[int]:
    """`Thought:`, `Action:`, `Call:`, `Observation:` at the beginning of a line."""
    word = yield from scan.tape.look(_WORD, at)
    if word is None:
        return (yield from scan.skip(at))
    kind = word["word"]
    if kind in ("Thought", "Plan", "Reflection"):
        before = scan.before(at)
        if indented(before) and before.strip() and not scan.thinks:
            return (yield from scan.skip(at, word.end()))
        return (yield from _thought(scan, at, at + word.end()))
    if scan.thinks:
        scan.thinks = False
        scan.start_of_text(at)
    if word["result"]:
        direct = scan.after_mark or kind == "Observation"
        if scan.called and direct:
            return (yield from scan.end_reply(at, at + word.end()))
        if kind == "Observation":
            return (yield from _observed(scan, at, at + word.end()))
        return (yield from scan.skip(at, word.end()))
    if kind.lower() == "tool_name":
        lines = yield from read_markup(scan.task, LINES, at, "(?!)")
        return (yield from scan.offer(lines, "", at))
    reading = yield from _labelled_call(scan, at)
    if reading is None:
        scan.tape.in_vain += 1
        return (yield from scan.skip(at, word.end()))
    return (yield from scan.offer(reading, "", at))


def _thought(scan: Scanner, at: int, begin: int) -> Steps[int]:
    """A thought up to the next label or call: reasoning when a call goes with it, else text."""
    blanks = yield from scan.tape.look(_BLANKS, begin)
    end = begin if blanks is None else begin + blanks.end()
    scan.standing.new_thought()
    yield from scan.piece("thought", at, end, "")
    scan.thinks = True
    return end


def _observed(scan: Scanner, at: int, begin: int) -> Steps[int]:
    """Pass over a result that no call comes before, up to the next label: a transcript, not a reply."""
    yield from scan.text(at, begin)
    hit = yield from scan.pass_to(
        begin, searched(rf"(?=\n\s*+{_MARK}(?:Thought|Final Answer|Action){_COLON})|\n\n")
    )
    end = scan.tape.size if hit is None else hit.start
    yield from scan.list_quoted(begin, end)
    return end


def _labelled_call(scan: Scanner, at: int) -> Steps[Reading | None]:
    task, tape = scan.task, scan.tape
    named = yield from tape.look(_ACTION, at)
    if named is not None:
        return (yield from _react(task, named, at))
    spelt = yield from tape.look(_ACTION_JSON, at)
    if spelt is not None:
        reading = yield from read_json(task, at + spelt.end(), _NEXT)
        end = _FENCE_END if spelt["fence"] else ""
        return (
            (yield from closed_by(task, replace(reading, body="action"), end))
            if reading.units
            else None
        )
    boxed = yield from task.look_named(_ACTION_BOX, at)
    if boxed is not None:
        return (yield from _boxed(task, boxed, at))
    calling = yield from task.look_named(_ACTION_CALL, at)
    if calling is None:
        return None
    found = yield from read_python(task, at + calling.end(), _NEXT)
    return None if found is None else replace(found, body="label_call")


def _boxed(task: Task, boxed: Match, at: int) -> Steps[Reading | None]:
    """`Action: NAME[...]`: an object, or a plain text for the only argument (the ReAct paper's way)."""
    tape, name, begin = task.tape, boxed["name"], at + boxed.end()
    if tape.char(begin) == "{":
        reading = yield from read_named(task, name, at, begin, rf"\]\s*+\Z|{_NEXT}")
        return (yield from closed_by(task, replace(reading, body="react"), r"\s*+\]"))
    hit = yield from tape.find(searched(rf"{_BOX_END}|\n"), begin)
    closed = hit is not None and hit.match.group() != "\n"
    end = tape.size if hit is None else hit.start
    unit = plain_argument(task, name, begin, end, at, closed)
    return Reading((unit,), hit.end if hit is not None and closed else end, "react", closed)


def _react(task: Task, named: Match, at: int) -> Steps[Reading | None]:
    """`Action: NAME` and its input: an object, or a plain text for the only argument."""
    tape, name, begin = task.tape, named["name"], at + named.end()
    end = _FENCE_END if named["fence"] else ""
    found = yield from read_arguments(task, name, at, begin, _NEXT, end)
    if found is not None:
        return replace(found, body="react")
    hit = yield from tape.find(searched(_NEXT), begin)
    end_at = tape.size if hit is None else hit.start
    whole = hit is not None or not tape.cut
    return Reading((plain_argument(task, name, begin, end_at, at, whole),), end_at, "react")
