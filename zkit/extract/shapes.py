"""Calls without a marker: an object, a fence, a label, a name on a line of its own."""

from __future__ import annotations

import re
from dataclasses import replace

import regex

from zkit.extract.arguments import Task
from zkit.extract.braces_body import read_braces
from zkit.extract.envelopes import GENERIC_STOP
from zkit.extract.formats import FORMATS
from zkit.extract.headers import closed_by, plain_argument, read_header
from zkit.extract.hooks import BRACKETED, CALL_FENCES, CALLING, FENCES, FIRST_NAME
from zkit.extract.json_body import read_json, read_named
from zkit.extract.markup import LINES
from zkit.extract.markup_body import read_markup
from zkit.extract.objects import OPENING_KEYS
from zkit.extract.openings import envelope_at
from zkit.extract.position import LEAD_IN, declined, documented, indented, obstacle
from zkit.extract.progress import told
from zkit.extract.python_body import read_python
from zkit.extract.results import end_of_reading, line_of_text
from zkit.extract.scanner import Scanner
from zkit.extract.tape import WAIT, Steps, Tape, searched
from zkit.extract.units import Reading, Unit, shifted

_FENCE = regex.compile(r"(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^\n`]{0,80}+)(?:\n|\Z)")
_FENCE_INLINE = regex.compile(
    rf"(?P<mark>`{{3,}}+)[ \t]*+(?P<info>(?i:{CALL_FENCES})?+)[ \t]*+(?=[\[{{<])"
)
"""A fence whose content begins in its own line."""
_OPENING = regex.compile(r"[\[\s]*+\{\s*+(?:\"(?P<key>[^\"\n]{0,80})\"|'(?P<key>[^'\n]{0,80})'|(?P<key>[\w.-]{1,80}+))\s*+:")  # fmt: skip
_CALLING = regex.compile(rf"\[{CALLING}")
_BRACKETED = regex.compile(BRACKETED)
_STOP = rf"{GENERIC_STOP}|</tool_call>|<tool_call>"


def bracket(scan: Scanner, at: int) -> Steps[int]:
    """A brace or a bracket at the beginning of a line: an object, a list, or a mark in brackets."""
    word = (yield from scan.tape.look(_BRACKETED, at)) if scan.tape.char(at) == "[" else None
    if word is not None and word.lastgroup is not None:
        return (yield from scan.handle(word.lastgroup, at))
    return (yield from bare_json(scan, at))


def bare_json(scan: Scanner, at: int) -> Steps[int]:
    """An object or a list at the beginning of a line."""
    tape, tools = scan.tape, scan.task.tools
    calling = (yield from tape.look(_CALLING, at)) if tape.char(at) == "[" else None
    if calling is not None:
        if tools.name_of(calling["name"]) is None:
            return (yield from scan.skip(at))
        reading = yield from read_python(scan.task, at, _STOP)
        return (yield from _offered(scan, reading, at))
    opening = yield from tape.look(_OPENING, at)
    if opening is None:
        return (yield from scan.skip(at))
    key = opening["key"]
    if key not in OPENING_KEYS and tools.name_of(key) is None:
        return (yield from scan.skip(at))
    reading = yield from read_json(scan.task, at, _STOP)
    body = "array" if reading.body == "json_list" else "object"
    return (yield from _offered(scan, replace(reading, body=body), at))


def _offered(scan: Scanner, reading: Reading | None, at: int) -> Steps[int]:
    if reading is None or not reading.units:
        return (yield from scan.skip(at, 1 if reading is None else reading.end - at))
    return (yield from scan.offer(reading, "", at, shape=True))


# ── fences ───────────────────────────────────────────────────────────────────


def fenced(scan: Scanner, at: int) -> Steps[int]:
    """A fenced block; one that is the last thing of the reply may hold a call."""
    inline = yield from scan.tape.look(_FENCE_INLINE, at)
    head = inline or (yield from scan.tape.look(_FENCE, at))
    if head is None:
        return (yield from scan.skip(at, 3))
    info = head["info"].strip().lower()
    begin = at + head.end()
    if info == "tool" and inline is None:
        lines = read_markup(scan.task, LINES, begin, "(?!)")
        reading = yield from told(scan, lines, at, marked=True)
        if reading is not None:
            return (yield from scan.offer(reading, "", at, shape=True))
    before_closer = "" if inline else r"(?<=\n)[ \t]*"
    closer = searched(rf"{before_closer}{head['mark']}[`~]*[ \t]*(?=\r?\n|\Z|<)")
    if info not in FENCES or not _may_call(scan, at):
        yield from scan.text(at, begin)
        return (yield from scan.skip_past(begin, closer))
    steps = scan.tape.find(closer, begin)
    hit = yield from told(scan, steps, at, marked=FENCES[info] != "fence_object")
    end = scan.tape.size if hit is None else hit.end
    held = scan.tape.slice(begin, end if hit is None else hit.start)
    if hit is None:
        held = held.rstrip().removesuffix(head["mark"])
    found = _inside(scan.task, held, begin, info)
    if found is None:
        return (yield from scan.skip(at, end - at))
    opener, reading = found
    return (yield from scan.offer(replace(reading, end=end), opener, at, shape=True))


def _may_call(scan: Scanner, at: int) -> bool:
    """Whether a fence here may hold a call: after a short lead-in that announces no example."""
    before, made = scan.before(at), scan.settler
    described = documented(before) or declined(before)
    return made.shown <= LEAD_IN and not made.refused_shape and not described


def _inside(task: Task, text: str, at: int, info: str) -> tuple[str, Reading] | None:
    """What a fence holds, when it holds nothing but calls."""
    tape = Tape()
    tape.add(text)
    tape.final, tape.finish_reason = True, task.tape.finish_reason
    inner = Task(tape, task.tools)
    found = _run(_whole(inner, info))
    if found is None or tape.slice(found[1].end, tape.size).strip() or not found[1].units:
        return None
    opener, reading = found
    units = tuple(_moved(unit, at) for unit in reading.units)
    return opener, Reading(units, at + reading.end, reading.body, reading.closed)


def _run(steps: Steps[tuple[str, Reading] | None]) -> tuple[str, Reading] | None:
    """Run a reader over a text that has arrived whole."""
    while True:
        try:
            assert next(steps) is not WAIT
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]


def _whole(task: Task, info: str) -> Steps[tuple[str, Reading] | None]:
    start = yield from task.tape.next_solid(0)
    kind = FENCES[info]
    if kind == "fence_python":
        reading = yield from read_python(task, start, "(?!)")
        return None if reading is None else ("", replace(reading, body=kind))
    opening = yield from task.tape.look(_OPENING, start)
    if opening is not None:
        found = yield from read_json(task, start, "(?!)")
        listed = found.body == "json_list" and kind == "fence_object"
        return "", replace(found, body="fence_array" if listed else kind)
    if (yield from task.tape.look(_CALLING, start)) is not None and kind == "fence_object":
        spelt = yield from read_python(task, start, "(?!)")
        return None if spelt is None else ("", spelt)
    return (yield from envelope_at(task, start))


def _moved(unit: Unit, by: int) -> Unit:
    span = (unit.span[0] + by, unit.span[1] + by)
    return replace(unit, span=span, fixes=shifted(unit.fixes, by))


# ── labels ───────────────────────────────────────────────────────────────────

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
    rf"{_MARK}(?:Action|Call){_COLON}\s*+(?=(?P<name>[^\W\d][\w.:/-]*+)\s*+\()"
)
_WORD = regex.compile(rf"{_MARK}(?P<word>Final Answer|\w++){_COLON}")
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
    if kind in ("Observation", "Result"):
        direct = scan.settler.after_mark or kind == "Observation"
        if scan.settler.called and direct:
            return (yield from end_of_reading(scan, at, at + word.end()))
        return (yield from scan.skip(at, word.end()))
    if kind.lower() == "tool_name":
        lines = yield from read_markup(scan.task, LINES, at, "(?!)")
        return (yield from _offered(scan, lines, at))
    reading = yield from _labelled_call(scan, at)
    if reading is None:
        return (yield from scan.skip(at, word.end()))
    return (yield from scan.offer(reading, "", at, shape=True))


def _thought(scan: Scanner, at: int, begin: int) -> Steps[int]:
    """A thought up to the next label or call: reasoning when a call goes with it, else text."""
    blanks = yield from scan.tape.look(_BLANKS, begin)
    end = begin if blanks is None else begin + blanks.end()
    if not scan.thinks:
        scan.before_thought = obstacle(scan.before(at))
    scan.settler.new_thought()
    yield from scan.piece("thought", at, end, "")
    scan.thinks = True
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
    if tape.char(begin) == "{":
        reading = yield from read_named(task, name, at, begin, _NEXT)
        end = _FENCE_END if named["fence"] else ""
        return (yield from closed_by(task, replace(reading, body="react"), end))
    hit = yield from tape.find(searched(_NEXT), begin)
    end_at = tape.size if hit is None else hit.start
    whole = hit is not None or not tape.cut
    return Reading((plain_argument(task, name, begin, end_at, at, whole),), end_at, "react")


# ── names ────────────────────────────────────────────────────────────────────


_FOLLOWS_NAME = re.compile(r":[0-9]++\Z|\.call\Z")
"""A counter after a name, and the method of a built-in tool."""


def first_name(scan: Scanner, pos: int) -> Steps[int]:
    """The whole reply may be a name with an object, or a call with named arguments."""
    named = yield from scan.tape.look(FIRST_NAME, pos)
    if named is None or scan.task.tools.name_of(_FOLLOWS_NAME.sub("", named["name"])) is None:
        return pos
    at = pos + named.start("full")
    yield from scan.text(pos, at)
    if named["braces"]:
        return (yield from stripped_braces(scan, at))
    return (yield from bare_call(scan, at) if named["call"] is not None else name_line(scan, at))


def stripped_braces(scan: Scanner, at: int) -> Steps[int]:
    """Gemma's `call:NAME{...}` that lost the tokens around it."""
    reading = yield from read_braces(scan.task, at, _STOP)
    if reading is None:
        return (yield from scan.skip(at))
    return (yield from scan.offer(reading, FORMATS["gemma4"].opener, at, shape=True))


def name_line(scan: Scanner, at: int) -> Steps[int]:
    """A declared name and an object, and nothing before them."""
    reading = yield from read_header(scan.task, "name_line", at, _STOP)
    if reading is None:
        return (yield from scan.skip(at))
    return (yield from scan.offer(reading, "", at, shape=True))


def bare_call(scan: Scanner, at: int) -> Steps[int]:
    """A call of a declared tool with named arguments that is the whole reply."""
    reading = yield from read_python(scan.task, at, _STOP)
    return (yield from _offered(scan, reading and replace(reading, body="python_list"), at))


_RECIPIENT = regex.compile(r">>>(?P<name>[^\s<>{}()\[\]\"']{1,128}+)[ \t\r]*+(?:\n|(?=\{))")
_NEXT_RECIPIENT = re.compile(r"(?=\n>>>)")


def recipient(scan: Scanner, at: int) -> Steps[int]:
    """`>>>NAME` and an object; `>>>all` is the answer, anything else a prompt or a quotation."""
    head = yield from scan.tape.look(_RECIPIENT, at)
    if head is not None and head["name"] == "all":
        yield from scan.piece("frame", at, at + head.end())
        end = yield from scan.pass_to(at + head.end(), _NEXT_RECIPIENT)
        return scan.tape.size if end is None else end.start
    if head is None or scan.task.tools.name_of(head["name"]) is None:
        return (yield from line_of_text(scan, at))
    steps = read_header(scan.task, "functionary_v32", at, rf"{GENERIC_STOP}|\n>>>")
    reading = yield from told(scan, steps, at, marked=True)
    if reading is None:
        return (yield from line_of_text(scan, at))
    return (yield from scan.offer(reading, "", at))


_STRIPPED = regex.compile(
    r"(?:assistant\s*+)?(?:analysis|commentary)\s*+to=(?:functions\.)?(?P<name>[^\s<>{}()\[\]\"']{1,128}+)\s*+(?:(?:code|json)\s*+)?(?:<\|message\|>)?+(?=\{)"
)


def stripped_channel(scan: Scanner, at: int) -> Steps[int]:
    """A harmony header that lost its tokens."""
    head = yield from scan.tape.look(_STRIPPED, at)
    if head is None or scan.task.tools.name_of(head["name"]) is None:
        return (yield from scan.skip(at))
    reading = yield from read_named(scan.task, head["name"], at, at + head.end(), _STOP)
    return (yield from scan.offer(replace(reading, body="harmony"), "", at, shape=True))
