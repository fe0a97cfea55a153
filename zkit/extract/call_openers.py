"""Calls that begin with a mark: envelopes, calls without one, and tags that name a tool."""

from __future__ import annotations

from dataclasses import replace

from zkit.extract.hooks import openers, wrappers
from zkit.extract.parsers.arguments import Task
from zkit.extract.parsers.envelopes import BODIES, GENERIC_STOP, WRAPPERS, read_envelope
from zkit.extract.parsers.headers import closed_by, quoted_object, read_header
from zkit.extract.parsers.json_calls import read_named
from zkit.extract.parsers.readings import Reading, Unit
from zkit.extract.parsers.tag_calls import read_markup
from zkit.extract.parsers.tag_dialects import TOOL_TAG
from zkit.extract.scan import Scanner
from zkit.extract.tape import Steps

Opened = tuple[str, Reading]
"""The opener of an envelope, empty for a call without one, and what was read."""
_MESSAGE_STOP = r"<\|(?:call|end|return|start|channel|eom|eot)\|>"
_MESSAGE_END = r"\s*+(?:<\|(?:call|end|return|eom|eot)\|>)"


def opening(scan: Scanner, at: int) -> Steps[int]:
    """Read an envelope, or a call that needs none."""
    found = yield from envelope_at(scan.task, at)
    opener, reading = ("", None) if found is None else found
    return (yield from scan.offer(reading, opener, at))


def envelope_at(task: Task, at: int) -> Steps[Opened | None]:
    """What begins at a place: an envelope, or a call without one."""
    head = yield from task.tape.look(openers(), at)
    group = None if head is None else head.lastgroup
    if group is not None and group.startswith("b_"):
        reading = yield from BODIES[group[2:]][1](task, at, GENERIC_STOP)
        if reading is not None and reading.units:
            return "", reading
        head = yield from task.tape.look(wrappers(), at)
        group = None if head is None else head.lastgroup
    if head is None or group is None:
        return None
    wrapper = WRAPPERS[int(group[2:])]
    found = yield from read_envelope(task, wrapper, at, at + head.end())
    return None if found is None else (wrapper.opener, found)


def tool_tag(scan: Scanner, at: int) -> Steps[int]:
    """Read a tag that bears the name of a tool."""
    reading = yield from read_markup(scan.task, TOOL_TAG, at, GENERIC_STOP)
    if reading is None:
        return (yield from scan.skip(at))
    return (yield from scan.offer(replace(reading, body="tool_tag"), "", at))


def functions_colon(scan: Scanner, at: int) -> Steps[int]:
    """Read `functions.NAME:` and an object."""
    reading = yield from read_header(scan.task, "functions_colon", at, GENERIC_STOP)
    return (yield from scan.offer(reading, "", at))


def message_call(scan: Scanner, to: str, at: int, begin: int) -> Steps[int | None]:
    """Read a message to a tool; None when it holds no object."""
    name = to.removeprefix("functions.")
    solid = yield from scan.tape.next_solid(begin)
    if solid >= scan.tape.size:
        cut = Unit(name, None, (at, scan.tape.size), state="cut")
        return (yield from scan.offer(Reading((cut,), scan.tape.size, "harmony", False), "", at))
    quoted = yield from quoted_object(scan.task, name, at, solid)
    if quoted is not None:
        ended = yield from closed_by(scan.task, replace(quoted, body="harmony"), _MESSAGE_END)
        return (yield from scan.offer(ended, "", at))
    if scan.tape.char(solid) != "{":
        return None
    reading = yield from read_named(scan.task, name, at, solid, _MESSAGE_STOP)
    closed = yield from closed_by(scan.task, replace(reading, body="harmony"), _MESSAGE_END)
    return (yield from scan.offer(closed, "", at))
