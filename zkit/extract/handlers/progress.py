"""A reader at work in, what it reads told while it waits out: a call begun, more of its text."""

from __future__ import annotations

import re
from functools import cache
from typing import TypeVar

from zkit.extract import events
from zkit.extract.around.follow_up import mid_sentence
from zkit.extract.around.position import obstacle
from zkit.extract.arriving_text import LONGEST_MARK, WAIT, Steps
from zkit.extract.bodies.call_objects import name_in
from zkit.extract.bodies.envelopes import WRAPPERS
from zkit.extract.declared import Declared
from zkit.extract.formats.table import FORMATS
from zkit.extract.marks.search_patterns import openers
from zkit.extract.scanner import Scanner

T = TypeVar("T")
_CALLED = re.compile(r"(?!print\()\b(?P<name>[^\W\d][\w.]*+)\(")
_NAME_WITHIN = 400
"""How far from the beginning of a call its name is looked for."""


def told(
    scan: Scanner, steps: Steps[T], at: int, *, marked: bool = False, name: str = ""
) -> Steps[T]:
    """Run a reader, and while it waits tell of a call behind a marker that it reads.

    `marked` says that what begins at `at` is a marker; else its opener must be one. `name` is the
    call's, where it is known already.
    """
    started, given, scan.tape.named = False, at, name
    while True:
        try:
            step = next(steps)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        if step is WAIT:
            started = started or (yield from _start(scan, at, marked))
            upto = scan.tape.size - LONGEST_MARK
            if started and upto > given:
                yield events.CallProgress(scan.tape.slice(given, upto))
                given = upto
        yield step


def _start(scan: Scanner, at: int, marked: bool) -> Steps[bool]:
    """Tell of a call as soon as a declared name is known, unless it may be no call at all."""
    text = scan.tape.slice(at, at + _NAME_WITHIN)
    name = scan.task.tools.name_of(scan.tape.named or _name_so_far(text, scan.task.tools))
    before = scan.before(at)
    if name is None or not (marked or _has_marker(text)):
        return False
    if obstacle(before) or mid_sentence(before):
        return False
    scan.settler.started.add(at)
    yield events.CallStarted(name, at)
    return True


def _name_so_far(text: str, tools: Declared) -> str:
    """The name in an object, or before a parenthesis, as far as either has arrived."""
    called = _CALLED.search(text)
    in_object = name_in(text[max(text.find("{"), 0) :], tools)
    return in_object or (called["name"] if called else "")


def _has_marker(text: str) -> bool:
    """Whether what opens here is a marker and no tag."""
    head = openers().match(text)
    return head is not None and head.lastgroup in _markers()


@cache
def _markers() -> frozenset[str]:
    """The groups of openers that are markers."""
    marked = [record for record in FORMATS.values() if record.tier == "marker"]
    wrapped = {f"w_{i}" for i, w in enumerate(WRAPPERS) if w.opener in {r.opener for r in marked}}
    free = {f"b_{record.body}" for record in marked if not record.opener}
    return frozenset({*wrapped, *free, "b_call_begin", "b_solar"})
