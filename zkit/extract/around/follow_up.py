"""The text around a call in, whether what follows confirms it out.

The text before a call says what the text after it has to confirm. A call that a later sentence
takes back, asks leave for or speaks of as of a text is none; that is waited for as far as `REACH`.
"""

from __future__ import annotations

import re
import unicodedata

from zkit.extract.around.acting import acts
from zkit.extract.around.lead_in import announced, sentences_back, told_by
from zkit.extract.around.position import ANY_QUOTE, BEFORE_OPENING, CLOSERS, open_quote
from zkit.extract.around.withdrawing import speaks_of, takes_back

REACH = 400
"""How far after a call it is waited for words that take it back."""
MOST_QUOTED = 4000
"""How far after a call the end of a quotation is waited for."""
_SENTENCE_END = frozenset(".:!?;…。！？：；)]}>*_~")
_SECTION = re.compile(r"(?:§\s?[0-9]{1,3}|\([0-9]{1,2}\)|[0-9]{1,2}(?:\.[0-9]{1,2})++)\s++(?=\w)")
"""The number of a section or a clause."""
_GOES_ON = frozenset(",;—–→←…，、；")
"""What goes on with a sentence that a line broke off."""
_EXPLAINS = frozenset(",;:—–→←=(#/&-，、；：（")
"""What goes on right after a call that is only spoken of."""


def mid_sentence(before: str) -> bool:
    """Whether the line before a call breaks off in a sentence."""
    return _breaks_off(before.rpartition("\n")[2])


def _breaks_off(line: str) -> bool:
    line = line.rstrip()
    return bool(line) and line[-1] not in _SENTENCE_END


def awaited(before: str) -> frozenset[str]:
    """What the text after a call still has to confirm, given the text before it.

    `line`: that nothing follows in the line of a call that stands in a sentence. `remark`: that
    what follows does not go on about it. `aside`: the same of a call that its own line announces,
    unless that leads on to another call. `quote`: that no quotation which is open before it is
    closed after it; a lone quote, or an inch, closes nowhere. `word`: that nobody takes it back or
    speaks of it as of a text; `retraction`: only the former, of a call that somebody says he makes.
    """
    line = before.rpartition("\n")[2]
    goes_on = "line" if _breaks_off(line) else "aside" if line.strip() else "remark"
    word = "retraction" if announced(before) else "word"
    return frozenset({word, goes_on, *(("quote",) if open_quote(before) else ())})


def confirmed(awaits: frozenset[str], after: str, closers: str) -> bool | None:
    """Whether the text after a call confirms it; None as long as that is not decided."""
    verdicts = [_CONFIRMS[one](after, closers) for one in awaits]
    if False in verdicts:
        return False
    return None if None in verdicts else not said_against(awaits, after)


def objection(awaits: frozenset[str], after: str, closers: str) -> str:
    """Why a call does not count after which nothing more comes than this text; empty if it does."""
    if any(_CONFIRMS[one](after + "\n", closers) is False for one in awaits):
        return "followed_by_text"
    return said_against(awaits, after)


def said_against(awaits: frozenset[str], after: str) -> str:
    """What the words after a call, as far as they count, have against it; empty when nothing."""
    sentences = list(sentences_back(after[:REACH]))
    first = sentences[-1:]
    against = [*map(_next_section, first), *map(told_by, first), *map(takes_back, sentences)]
    if "word" in awaits:
        against += map(speaks_of, first)
    return "taken_back" if any(against) else ""


def _next_section(sentence: str) -> bool:
    """Whether a document goes on with its next section."""
    number = _SECTION.match(sentence)
    if number is None:
        return False
    return "(" not in number.group() or not acts(sentence[number.end() :])


def _nothing_follows(after: str, closers: str) -> bool | None:
    return False if after.strip() else None


def _line_ends(after: str, closers: str) -> bool | None:
    line, newline, _ = after.partition("\n")
    return False if line.strip() else (_no_remark(after, closers) if newline else None)


def _no_remark(after: str, closers: str) -> bool | None:
    """Whether what follows is a text of its own: it does not go on about the call before it."""
    solid = after.lstrip()
    if not solid:
        return None
    below = "\n" in after[: len(after) - len(solid)]
    solid = solid.lstrip(".…").lstrip() or solid
    if below and solid[0].islower():
        line, newline, _ = solid.partition("\n")
        return acts(line[:REACH]) if newline or len(line) > REACH else None
    if below:
        return solid[0] not in _GOES_ON
    spoken_of = solid[0].islower() or solid[0] in _EXPLAINS or solid.startswith("<-")
    return not (spoken_of or unicodedata.category(solid[0]) == "Lo")


def _no_aside(after: str, closers: str) -> bool | None:
    """Whether the rest of the line does not go on about the call that it has announced."""
    line, newline, _ = after.partition("\n")
    verdict = _no_remark(after, closers)
    return None if verdict is False and not newline and len(line) <= REACH else verdict


def _quote_stays_open(after: str, closers: str) -> bool | None:
    """Whether the next quote does not close the one that is open before the call."""
    for match in ANY_QUOTE.finditer(after):
        mark = match.group()
        begins = after[match.start() - 1 : match.start()] in BEFORE_OPENING
        if mark in closers and not (mark == '"' and match.start() and begins):
            return False
        if mark == '"' or mark in CLOSERS:
            return True
    return True if len(after) > MOST_QUOTED else None


def _enough_said(after: str, closers: str) -> bool | None:
    """Whether so much was said that words about the call are not waited for any more."""
    return True if len(after) > REACH else None


_CONFIRMS = {
    "end": _nothing_follows,
    "line": _line_ends,
    "remark": _no_remark,
    "aside": _no_aside,
    "quote": _quote_stays_open,
    "word": _enough_said,
    "retraction": _enough_said,
}
