"""Calls that only their shape tells: an object, a list, a name on a line of its own."""

from __future__ import annotations

import re
from dataclasses import replace

import regex

from zkit.extract.arriving_text import Steps
from zkit.extract.bodies.braces_body import read_braces
from zkit.extract.bodies.call_objects import OPENING_KEYS
from zkit.extract.bodies.envelopes import GENERIC_STOP
from zkit.extract.bodies.headers import read_header
from zkit.extract.bodies.json_body import read_json, read_named
from zkit.extract.bodies.python_body import read_python
from zkit.extract.bodies.readings import Reading
from zkit.extract.formats.table import FORMATS
from zkit.extract.handlers.progress import told
from zkit.extract.handlers.quoted import line_of_text
from zkit.extract.marks.search_patterns import BRACKETED, FIRST_NAME, LISTED_CALL, OPENING_KEY
from zkit.extract.scanner import Scanner

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
    calling = (yield from tape.look(LISTED_CALL, at)) if tape.char(at) == "[" else None
    if calling is not None:
        if tools.name_of(calling["name"]) is None:
            return (yield from scan.skip(at))
        reading = yield from read_python(scan.task, at, _STOP)
        return (yield from offered_shape(scan, reading, at))
    opening = yield from tape.look(OPENING_KEY, at)
    if opening is None:
        return (yield from scan.skip(at))
    key = opening["key"]
    if key not in OPENING_KEYS and tools.name_of(key) is None:
        return (yield from scan.skip(at))
    reading = yield from read_json(scan.task, at, _STOP)
    body = "array" if reading.body == "json_list" else "object"
    return (yield from offered_shape(scan, replace(reading, body=body), at))


def offered_shape(scan: Scanner, reading: Reading | None, at: int) -> Steps[int]:
    """A candidate for the end of the reply; what spells no call is text."""
    return (yield from scan.offer(reading, "", at, shape=True))


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
    return (yield from scan.offer(reading, FORMATS["gemma4"].opener, at, shape=True))


def name_line(scan: Scanner, at: int) -> Steps[int]:
    """A declared name and an object, and nothing before them."""
    reading = yield from read_header(scan.task, "name_line", at, _STOP)
    return (yield from scan.offer(reading, "", at, shape=True))


def bare_call(scan: Scanner, at: int) -> Steps[int]:
    """A call of a declared tool with named arguments that is the whole reply."""
    reading = yield from read_python(scan.task, at, _STOP)
    return (yield from offered_shape(scan, reading and replace(reading, body="python_list"), at))


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
