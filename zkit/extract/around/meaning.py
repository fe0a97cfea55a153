"""A sentence in, whether it holds words of all the meanings that together say a thing, out.

The words may stand in any order, as languages put them, but all of them in one language.
"""

from __future__ import annotations

import re
from functools import lru_cache

from zkit.extract.around.tables import LANGUAGES, words

Ways = tuple[tuple[str, ...], ...]
"""Ways to say one thing: for each the meanings whose words it takes."""

_CLAUSE = re.compile(r"[,;，；—–]")

TAUGHT = ("teach", "how"), ("teach", "form"), ("teach", "call")
"""How a call is built."""
SHOWN = (
    ("shown",),
    ("tale",),
    ("planned",),
    ("points",),
    ("done already",),
    ("this", "form", "written"),
    ("below", "text"),
    ("below", "call"),
    ("below", "task"),
    ("this one", "text"),
    ("examined", "call"),
    ("explain", "call"),
    ("quote",),
    ("imagined",),
    ("unsent",),
    ("meta",),
    ("that was", "call"),
    ("each", "text"),
    ("text", "written"),
    ("rejected", "this"),
    ("code", "call"),
    ("code", "below"),
    ("code", "this one"),
    *TAUGHT,
)
"""A text, a story or a plan for later."""
QUOTED = ("quote",), ("propose",)
"""Words that are read out, or a proposal: nobody acts who says so."""
ONESELF = (("me",),)
"""The one who writes."""
TOLD = (
    ("machine", "says"),
    ("machine", "does", "this"),
    ("machine", "does", "call"),
    ("person", "does", "this"),
    ("person", "does", "call"),
    ("person", "says", "this"),
    ("source", "says", "this"),
    ("person", "himself"),
)
"""What somebody else does or says, and not the one who writes."""
PAST = (("past", "call", "this one"),)
"""A call that was made before."""
AGAIN = (("again",),)
OPENED = (
    *TOLD,
    ("source", "says"),
    ("source", "begins"),
    ("source", "machine"),
    ("source", "person"),
    ("talk",),
)
"""In a line that ends with a colon: what follows is somebody else's, whatever it announces."""
SPEECH = (("says",),)
WITH_ME = ("you",), ("me",)
"""The reader, or the one who writes."""
IN_EARNEST = (("in earnest",),)
"""No example and no explanation: it is done."""
TO_DO = (("to do",),)
"""Several things that are to be done."""
REVIEW = (("look",),)
"""The reader is to look at it first."""
BY_THE_READER = (("must", "yourself"),)
"""The reader is to do it."""
NEGATED = (("not",),)
GRANTED = ("granted",), ("received",)
"""A yes that was given, or a confirmation that comes of the call."""
LATER = (("afterwards",),)
"""What comes after the call."""
CONDITION = ("if",), ("else",)
"""What may be, and what is said of the rest."""
REFUSED = (
    ("refuse",),
    ("not", "able", "do"),
    ("me", "not", "done"),
    ("nothing", "done"),
    ("ask first",),
    ("withdraw", "proposal"),
    ("never", "enter"),
    ("not allowed",),
    ("skip", "this one"),
    ("would",),
    ("no tools",),
)
"""Not done, or not before somebody was asked."""
HANGS_ON_A_YES = (
    ("if", "yes", "you"),
    ("wait", "yes"),
    ("wait", "you", "answer"),
    ("until", "you", "answer"),
    ("until", "confirm"),
    ("a word", "you"),
)
"""Done only if the reader says so."""
NEEDS_A_YES = ("needed", "your yes"), ("on approval",)
"""Leave that is still missing."""
NOW = (("now",),)
UNNEEDED = (("unneeded",),)
LEAVE = (("agree",),)
"""In a question: whether the reader agrees."""
BY_A_BUTTON = (("press", "do"),)
"""After a call: the reader is to press something that makes it."""
UNDONE = ("drop", "call"), ("wrong", "call"), ("nothing", "done")
"""After a call: taken back, or never made."""
SPOKEN_OF = (
    ("this is", "form"),
    ("this is", "shown"),
    ("this", "form", "written"),
    ("name", "parts", "place"),
    ("parts", "order"),
    ("shown", "origin"),
    ("if", "somebody", "does"),
    ("meta",),
    ("code",),
)
"""After a call: what it is as a text."""
ABOUT_TEXTS = ("text",), ("call",), ("shown",), ("verdict",), ("form",), ("code",), ("meta",)
"""Of a line that says what a call says: words for a text make a label of it."""
DATA = (("data",),)
"""Before what may be data as well as a call: words for data."""
RELAYED = (("source",),)
"""In a line that ends with a colon: somebody else's text begins."""
LABELS = ("verdict",), ("shown",), ("form",)
"""After a call: what a remark with a label is about."""
PART_OF_IT = ("name", "place"), ("which part", "change")
"""In a question after a call: what a part of it is."""

WONDERED = (("wonder",),)
"""In a question: something of the world that is to be found out."""
ASKED_OF_OTHERS = (
    ("you",),
    ("shall",),
    ("riddle",),
    ("this",),
    ("below",),
    ("machine",),
    ("person",),
    ("somebody",),
    ("source",),
    ("does",),
    ("parts",),
    ("task",),
    ("data",),
    *ABOUT_TEXTS,
)
"""In a question: the reader is to answer it, or it is about a text or a call."""


@lru_cache(maxsize=512)
def means(text: str, ways: Ways, unless: Ways = ()) -> bool:
    """Whether a text in lower case holds, in one language, words of all the meanings of one way.

    It does not mean it where it holds those of a way of `unless` in the same language.
    """
    return any(
        _holds(text, ways, language) and not _holds(text, unless, language)
        for language in LANGUAGES
    )


def asks_for(text: str, asked: Ways, others: Ways) -> bool:
    """Whether a question in lower case asks for one thing and, in no language that it may be in, for others.

    Words of one language often look like those of another one, and English ones are used in all.
    """
    languages = [language for language in LANGUAGES if _holds(text, asked, language)]
    if not languages:
        return False
    return not any(_holds(text, others, language) for language in {*languages, "en"})


def _holds(text: str, ways: Ways, language: str) -> bool:
    return any(all(words(one, language).search(text) for one in way) for way in ways)


def is_told(sentence: str) -> bool:
    """Whether somebody else acts or speaks in a part of a sentence in lower case."""
    return any(means(clause, TOLD) for clause in clauses(sentence))


def clauses(sentence: str) -> list[str]:
    """The parts of a sentence between its commas."""
    return _CLAUSE.split(sentence)
