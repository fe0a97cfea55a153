"""Handlers for calls that a mark opens: envelopes, tags named after a tool, messages, fenced blocks."""

from __future__ import annotations

from dataclasses import replace

from zkit.extract import quoting, scan_marks
from zkit.extract.parsers import envelopes
from zkit.extract.parsers.arguments import Reading, Task, Unit
from zkit.extract.parsers.json_calls import DAMAGED, read_json, units_in
from zkit.extract.parsers.python_calls import read_python
from zkit.extract.parsers.tag_calls import read_markup
from zkit.extract.parsers.tag_dialects import LINES, TOOL_TAG
from zkit.extract.parsers.values import Extent, shifted
from zkit.extract.scan import Scanner
from zkit.extract.tape import Steps, Tape, searched


def opening(scan: Scanner, at: int) -> Steps[int]:
    """Read an envelope, or a call in a form that needs no envelope."""
    return (yield from scan.offer((yield from envelope_at(scan.task, at)), at))


def envelope_at(task: Task, at: int) -> Steps[Reading | None]:
    """Return the envelope at a position, or the call without one; None if neither begins there."""
    head = yield from task.tape.look(envelopes.OPENED, at)
    group = None if head is None else head.lastgroup
    if group is not None and group.startswith("b_"):
        reading = yield from envelopes.BODIES[group[2:]][1](task, at, envelopes.GENERIC_STOP)
        if reading is not None and reading.units:
            return reading
        head = yield from task.tape.look(envelopes.WRAPPED, at)
        group = None if head is None else head.lastgroup
    if head is None or group is None:
        return None
    wrapper = envelopes.WRAPPERS[int(group[2:])]
    found = yield from envelopes.read_envelope(task, wrapper, at, at + head.end())
    return found and replace(found, opener=wrapper.opener)


def tool_tag(scan: Scanner, at: int) -> Steps[int]:
    """Read a tag named after a tool."""
    reading = yield from read_markup(scan.task, TOOL_TAG, at, envelopes.GENERIC_STOP)
    return (yield from scan.offer(reading, at))


_FENCE = r"(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^\n`]{0,80}+)(?:\n|\Z)"
# A fence whose content begins on the same line, as in "```json {" (corpus/extract/around).
_FENCE_INLINE = rf"(?P<mark>`{{3,}}+)[ \t]*+(?P<info>(?i:{'|'.join(sorted(filter(None, scan_marks.FENCES), key=len, reverse=True))})?+)[ \t]*+(?=[\[{{<])"


def fenced(scan: Scanner, at: int) -> Steps[int]:
    """Read a fenced block; after a call, a fence with a made-up result ends the reply.

    See corpus/extract/around.
    """
    inline = yield from scan.tape.look(_FENCE_INLINE, at)
    head = inline or (yield from scan.tape.look(_FENCE, at))
    if head is None:
        return (yield from scan.skip(at, 3))
    info, begin = scan_marks.fence_kind(head["info"]), at + head.end()
    if info in scan_marks.RESULT_FENCES and scan.standing.holds:
        return (yield from scan.end_reply(at))
    if info == "tool" and inline is None:
        reading = yield from read_markup(scan.task, LINES, begin, "(?!)")
        if reading is not None:
            return (yield from scan.offer(reading, at))
    before_closer = "" if inline else r"(?<=\n)[ \t]*"
    closer = searched(rf"{before_closer}{head['mark']}[`~]*[ \t]*(?=\r?\n|\Z|<)")
    may_call = yield from scan.tape.look(scan_marks.MAY_CALL, begin)
    if info not in scan_marks.FENCES or may_call is None:
        return (yield from quoting.region(scan, at, begin, closer))
    hit = yield from scan.tape.find(closer, begin)
    end = scan.tape.size if hit is None else hit.end
    held = scan.tape.slice(begin, end if hit is None else hit.start)
    if hit is None:
        held = held.rstrip().removesuffix(head["mark"])
    finish = scan.tape.finish_reason if hit is None else "stop"
    may_be = info == "tool_code" or scan_marks.may_be_call(held, scan.task.tools)
    found = (yield from _inside(scan.task, held, begin, info, finish)) if may_be else None
    if found is not None:
        return (yield from scan.offer(replace(found, end=end), at))
    yield from scan.text(at, end)
    yield from scan.list_quoted(begin, end, held)
    return end


def _inside(task: Task, text: str, at: int, info: str, finish: str | None) -> Steps[Reading | None]:
    """Return the calls in a fence that holds nothing else, otherwise None.

    `finish` is the finish reason to assume for the content of the fence.
    """
    tape = Tape()
    tape.add(text)
    tape.final, tape.finish_reason = True, finish
    # The text is complete, so this never waits.
    found = yield from _whole(Task(tape, task.tools), info)
    if found is None or not found.units or any(map(str.isalnum, text[found.end :])):
        return None
    return replace(found, units=tuple(_moved(unit, at) for unit in found.units))


def _whole(task: Task, info: str) -> Steps[Reading | None]:
    start = yield from task.tape.next_solid(0)
    kind = scan_marks.FENCES[info]
    if kind == "fence_python":
        reading = yield from read_python(task, start, "(?!)")
        return reading and replace(reading, body=kind)
    opening = yield from task.tape.look(scan_marks.OPENING_KEY, start)
    listed = yield from task.tape.look(scan_marks.LISTED_NAME, start)
    if opening is not None or listed is not None:
        found = yield from read_json(task, start, "(?!)")
        array = found.body == "json_list" and kind == "fence_object"
        return replace(found, body="fence_array" if array else kind)
    for pattern, body, read in _NAMING:
        if (yield from task.look_named(pattern, start)) is not None:
            reading = yield from read(task, start, "(?!)")
            return reading and replace(reading, body=body)
    opened = yield from envelope_at(task, start)
    if opened is None and (yield from task.tape.look(DAMAGED, start)) is not None:
        size = task.tape.size
        units = units_in(task, task.tape.slice(start, size), start, Extent(size, True))
        return Reading(units, size, kind)
    return opened


_PYTHON = r"\[?+\s*+(?:[^\W\d]\w*+\s*+=\s*+)?+(?:print\(\s*+)?+(?P<name>[^\W\d][\w.:/\\-]*+)\s*+\("
_NAMED = r"(?P<name>[^\W\d][\w./\\-]*+):?\s*+\{"
_TAG = r"<(?P<name>[^\s<>/]{1,128}+)\s*+/?>"
# The forms in a fence that begin with the name of a tool, and their readers.
_NAMING: tuple[tuple[str, str, envelopes.Read], ...] = (
    (_PYTHON, "python_list", read_python),
    (_NAMED, "name_line", envelopes.by_header("name_line")),
    (_TAG, "tool_tag", envelopes.by_tags(TOOL_TAG)),
)


def _moved(unit: Unit, by: int) -> Unit:
    span = (unit.span[0] + by, unit.span[1] + by)
    return replace(unit, span=span, fixes=shifted(unit.fixes, by))
