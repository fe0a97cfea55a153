"""A fence in, the candidate out: one that ends the reply may hold a call."""

from __future__ import annotations

from dataclasses import replace

import regex

from zkit.extract.around.lead_in import unled
from zkit.extract.arriving_text import WAIT, Steps, Tape, compiled, searched
from zkit.extract.bodies.arguments import Task
from zkit.extract.bodies.json_body import read_json
from zkit.extract.bodies.markup_body import read_markup
from zkit.extract.bodies.python_body import read_python
from zkit.extract.bodies.readings import Reading, Unit, shifted
from zkit.extract.bodies.tag_dialects import LINES, TOOL_TAG
from zkit.extract.handlers.marked_calls import envelope_at
from zkit.extract.handlers.progress import told
from zkit.extract.handlers.quoted import end_of_reading
from zkit.extract.marks.search_patterns import (
    CALL_FENCES,
    FENCES,
    LISTED_CALL,
    OPENING_KEY,
    tags_of,
)
from zkit.extract.scanner import Scanner

_FENCE = regex.compile(r"(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<info>[^\n`]{0,80}+)(?:\n|\Z)")
_FENCE_INLINE = regex.compile(
    rf"(?P<mark>`{{3,}}+)[ \t]*+(?P<info>(?i:{CALL_FENCES})?+)[ \t]*+(?=[\[{{<])"
)
"""A fence whose content begins in its own line."""
MARKED = frozenset({"fence_call", "fence_python", "lines"})
"""What stands only in fences whose info string says that they hold a call: it marks it."""
_RESULT_FENCES = frozenset(
    {"tool_output", "tool_outputs", "tool_result", "tool_results", "tool_response"}
)
"""What a model calls a fence in which it writes what it thinks a tool would answer."""


def fenced(scan: Scanner, at: int) -> Steps[int]:
    """A fenced block; one that is the last thing of the reply may hold a call."""
    inline = yield from scan.tape.look(_FENCE_INLINE, at)
    head = inline or (yield from scan.tape.look(_FENCE, at))
    if head is None:
        return (yield from scan.skip(at, 3))
    info = head["info"].strip().lower()
    begin = at + head.end()
    if info in _RESULT_FENCES and scan.settler.called:
        return (yield from end_of_reading(scan, at, begin))
    if info == "tool" and inline is None:
        lines = read_markup(scan.task, LINES, begin, "(?!)")
        reading = yield from told(scan, lines, at, marked=True)
        if reading is not None:
            return (yield from scan.offer(reading, "", at))
    before_closer = "" if inline else r"(?<=\n)[ \t]*"
    closer = searched(rf"{before_closer}{head['mark']}[`~]*[ \t]*(?=\r?\n|\Z|<)")
    marked = FENCES.get(info) in MARKED
    if info not in FENCES or not (marked or _may_call(scan, at)):
        yield from scan.text(at, begin)
        return (yield from scan.skip_past(begin, closer))
    steps = scan.tape.find(closer, begin)
    hit = yield from told(scan, steps, at, marked=marked)
    end = scan.tape.size if hit is None else hit.end
    held = scan.tape.slice(begin, end if hit is None else hit.start)
    if hit is None:
        held = held.rstrip().removesuffix(head["mark"])
    finish = scan.tape.finish_reason if hit is None else "stop"
    found = _inside(scan.task, held, begin, info, finish)
    if found is None:
        return (yield from scan.skip(at, end - at))
    opener, reading = found
    return (yield from scan.offer(replace(reading, end=end), opener, at, shape=not marked))


def _may_call(scan: Scanner, at: int) -> bool:
    """Whether a fence here may hold a call: after a short lead-in that announces no example."""
    before = scan.before(at)
    return not scan.too_late(before) and not unled(before)


def _inside(
    task: Task, text: str, at: int, info: str, finish: str | None
) -> tuple[str, Reading] | None:
    """What a fence holds, when it holds nothing but calls; `finish` says how it ended."""
    tape = Tape()
    tape.add(text)
    tape.final, tape.finish_reason = True, finish
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
    opening = yield from task.tape.look(OPENING_KEY, start)
    if opening is not None:
        found = yield from read_json(task, start, "(?!)")
        listed = found.body == "json_list" and kind == "fence_object"
        return "", replace(found, body="fence_array" if listed else kind)
    if (yield from task.tape.look(LISTED_CALL, start)) is not None and kind == "fence_object":
        spelt = yield from read_python(task, start, "(?!)")
        return None if spelt is None else ("", spelt)
    if (yield from task.tape.look(compiled(tags_of(task.tools.pattern()).pattern), start)):
        tags = yield from read_markup(task, TOOL_TAG, start, "(?!)")
        return None if tags is None else ("", replace(tags, body="tool_tag"))
    return (yield from envelope_at(task, start))


def _moved(unit: Unit, by: int) -> Unit:
    span = (unit.span[0] + by, unit.span[1] + by)
    return replace(unit, span=span, fixes=shifted(unit.fixes, by))
