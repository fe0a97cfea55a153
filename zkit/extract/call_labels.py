"""The labels of ReAct prompts: `Thought:`, `Action:`, `Observation:` where a line begins."""

from __future__ import annotations

from dataclasses import replace

import regex

from zkit.extract.hooks import RESULT_LABELS
from zkit.extract.parsers.arguments import Task
from zkit.extract.parsers.headers import closed_by, plain_argument, quoted_object
from zkit.extract.parsers.json_calls import read_json, read_named
from zkit.extract.parsers.python_calls import read_python
from zkit.extract.parsers.readings import Reading, Unit
from zkit.extract.parsers.tag_calls import read_markup
from zkit.extract.parsers.tag_dialects import LINES
from zkit.extract.quoting import indented
from zkit.extract.scan import Scanner
from zkit.extract.tape import Steps, searched

_MARK = r"(?:\*\*|__|#{1,4}[ \t]|[0-9]{1,2}[.)][ \t])*+"
_COLON = r"(?:[ \t]?[0-9]{1,2})?+(?:\*\*|__)?+[ \t]*+:(?:\*\*|__)?+"
_NEXT = r"\n[ \t]*+" + _MARK + r"(?:Observation|Thought|Final Answer|Action)" + _COLON
_ACTION = regex.compile(
    rf"{_MARK}Action{_COLON}[ \t]*+(?:`)?+(?P<name>[^\s`(){{}}\[\]<>]{{1,128}}+)(?:`)?+[ \t\r]*+\n\s*+{_MARK}Action[ _]Input{_COLON}\s*+(?P<fence>```[\w-]*+\s*+)?+"
)
_ACTION_JSON = regex.compile(
    rf"{_MARK}Action{_COLON}\s*+(?P<fence>```[\w-]*+[ \t\r]*+\n\s*+)?+(?=[{{\[])"
)
_ACTION_CALL = regex.compile(
    rf"(?:{_MARK}Action|(?:\*\*|__)*+Call){_COLON}\s*+(?=(?P<name>[^\W\d][\w.:/-]*+)\s*+\()"
)
_WORD = regex.compile(
    rf"{_MARK}(?P<word>Final Answer|(?P<result>{RESULT_LABELS})(?=\W)|\w++){_COLON}"
)
_BLANKS = regex.compile(r"[ \t]*+")
_FENCE_END = r"\s*+(?:```|~~~)"


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
    calling = yield from tape.look(_ACTION_CALL, at)
    if calling is None or task.tools.name_of(calling["name"]) is None:
        return None
    found = yield from read_python(task, at + calling.end(), _NEXT)
    return None if found is None else replace(found, body="label_call")


def _react(task: Task, named: regex.Match[str], at: int) -> Steps[Reading | None]:
    """`Action: NAME` and its input: an object, or a plain text for the only argument."""
    tape, name, begin = task.tape, named["name"], at + named.end()
    solid = yield from tape.next_solid(begin)
    if solid >= tape.size:
        return Reading((Unit(name, None, (at, tape.size), state="cut"),), tape.size, "react", False)
    quoted = yield from quoted_object(task, name, at, begin)
    if quoted is not None:
        return replace(quoted, body="react")
    if tape.char(begin) == "{":
        reading = yield from read_named(task, name, at, begin, _NEXT)
        end = _FENCE_END if named["fence"] else ""
        return (yield from closed_by(task, replace(reading, body="react"), end))
    hit = yield from tape.find(searched(_NEXT), begin)
    end_at = tape.size if hit is None else hit.start
    whole = hit is not None or not tape.cut
    return Reading((plain_argument(task, name, begin, end_at, at, whole),), end_at, "react")
