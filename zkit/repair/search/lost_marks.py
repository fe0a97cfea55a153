"""The content of a string in; the same with the mark that its own pattern says was lost or doubled out.

`\\"done\\"` that lost a quote is `\\done\\"`: a backslash that escapes nothing, and an odd number of
quotes. `\\\\d+\\\\\\s` has runs of two backslashes and one of three. One such place in a string,
and nothing else wrong with it, can be mended in one way.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
_RUN = re.compile(r"\\++(?=(.))", re.DOTALL)
_VALID = frozenset("\"\\/bfnrt'\n")
_CLOSES = frozenset(" \t,;:.)]}>!?")
"""What may follow a closing quote, and never an opening one."""


class Mended(NamedTuple):
    """The content with its mark, and what was wrong with it."""

    body: str
    issue: str


def mended(body: str) -> Mended | None:
    """The content with the mark that is missing or too many; None when there is no such place, or two."""
    return _with_quote(body) or _with_even_run(body)


def _with_quote(body: str) -> Mended | None:
    """Write the quote after the one backslash that escapes nothing, where the quotes are odd."""
    quotes, bare, place = 0, 0, -1
    before = 0
    for match in _ESCAPE.finditer(body):
        letter = match.group()[1]
        if letter == '"':
            quotes += 1
        elif letter not in _VALID and len(match.group()) == 2:
            bare, place, before = bare + 1, match.start(), quotes
    if bare != 1 or quotes % 2 == 0 or body.count('"') != quotes:
        return None
    left, right = body[:place][-1:], body[place + 1]
    if left == "\\":
        return None
    if before % 2:
        fits = left.strip() and not right.isalnum()
    else:
        fits = not left.isalnum() and right not in _CLOSES
    return Mended(f'{body[: place + 1]}"{body[place + 1 :]}', "lost_quote") if fits else None


def _is_share(body: str, start: int, end: int) -> bool:
    """Whether the run may begin a network path, which takes twice as many backslashes there."""
    return not body[:start][-1:].strip() and _FOLDER.match(body, end) is not None


_FOLDER = re.compile(r"[\w.$-]++\\")


def _with_even_run(body: str) -> Mended | None:
    """Make the one odd run of backslashes as long as all the others are."""
    runs = [match for match in _RUN.finditer(body) if match[1] != '"']
    odd = [run for run in runs if len(run.group()) % 2]
    if len(odd) != 1 or not odd[0][1].isalnum():
        return None
    run, start = odd[0].group(), odd[0].start()
    lengths = {len(other.group()) for other in runs if other.start() and other is not odd[0]}
    if len(run) < 3 or len(lengths) != 1 or _is_share(body, start, odd[0].end()):
        return None
    (length,) = lengths
    if abs(len(run) - length) != 1:
        return None
    return Mended(body[:start] + "\\" * length + body[odd[0].end() :], "uneven_run")
