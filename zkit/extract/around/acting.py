"""A sentence before a call in, whether somebody acts in it out: says what they do now, or next."""

from __future__ import annotations

import re

from zkit.extract.around.announcing import (
    after_courtesies,
    announces,
    announces_words,
    gives_order,
    leads_on,
    says_ready,
    step_in,
)
from zkit.extract.around.deeds import announces_deed
from zkit.extract.around.meaning import (
    AGAIN,
    IN_EARNEST,
    ONESELF,
    PAST,
    QUOTED,
    TAUGHT,
    TOLD,
    means,
)
from zkit.extract.around.phrases import Phrases
from zkit.extract.around.showing import offers_choice, shown_elsewhere, shows
from zkit.extract.around.tables import said

# ── somebody who does something ──────────────────────────────────────────────

_FIRST_PERSON = said("acting", "first_person")
_FIRST_PERSON_ELSEWHERE = said("acting", "first_person_elsewhere")
_NOT_DOING = said("acting", "not_doing")
_SHOWING = ("showing", "quoting", "explaining", "describing", "repeating", "citing", "waiting", "thinking", "planning", "considering", "leaving", "holding", "keeping")  # fmt: skip
"""What somebody is doing who does not act."""
_NOT = said("acting", "not")
_TURNED_ROUND = said("acting", "turned_round")
_IN_O = re.compile(
    r"\W*+(?:(?:ahora|ora|adesso|agora|primero|prima|primeiro|entonces|quindi|então|poi|luego|lo|la|los|las|le|li|te|ti|vi|ci|ne|se|o|a|eu|yo|io)\s++)*+(?P<verb>[^\W\d_]{3,30})(?<=o)\s++(?:l['’]|(?:el|la|los|las|lo|il|gli|le|un|una|uno|o|os|as|um|uma|tu|su|mi|sus|tus|i|a(?!\s++\w++(?<=r)\b)|de\s++nuevo|de\s++novo|di\s++nuovo|otra\s++vez|outra\s++vez|ancora|subito|agora|ahora|adesso|ora)(?!\w))"
)  # fmt: skip
"""The first person as languages from Latin end it, before what it does something to."""
_IT_IN_O = re.compile(
    r"\W*+(?:(?:ahora|ora|adesso|agora|quindi|entonces|então)\s++)*+(?:lo|la|los|las|li|le|te|ti)\s++"
    r"(?P<verb>[^\W\d_]{4,30})(?<=o)\s*+[:.]"
)
"""The same at the end, with a pronoun for what it does something to."""
_THEN_IN_O = re.compile(
    r"\W*+(?:quindi|perciò|así\s++que|por\s++eso|entonces|então|portanto|por\s++isso)\s++(?P<verb>[^\W\d_]{4,30})(?<=o)\s*+[:.]"
)
"""The same at the end, after a word for what follows from something."""
_NO_VERBS = frozenset(["mismo", "stesso", "primo", "primero", "último", "ultimo", "único", "nuevo", "nuovo", "foto", "moto", "radio", "mano", "scopo", "studio", "texto", "testo", "dijo", "hizo", "puso", "tuvo", "quiso", "pudo", "vino", "trajo", "supo", "estuvo", "hubo", "anduvo"])  # fmt: skip
"""Words in "-o" that follow an article, or tell what somebody else did."""
_SELF = re.compile(
    r"\W*+(?:(?:and|so|but|then|thus|now|next|first|here|which|therefore|hence|for that|for this|to do so|this time|once more|again|instead)\s++)*+(?:i|we)\s++"
    r"(?:(?:now|just|only|then|also|therefore|almost|\w++(?<=ly))\s++)*+(?=\w)"
)
"""The first person at the beginning of a clause, up to its verb."""
_NOT_NOW = said("acting", "not_now")
_NOW = said("acting", "now")

# ── a line that says what is done, and not by whom ───────────────────────────

_ING = re.compile(r"\W*+[a-z]{2,}ing\b")
"""What is being done, without a word of who does it: "Looking it up"."""
_NO_DEEDS = said("acting", "no_deeds")
_FINITE = said("acting", "finite")
_WHETHER = re.compile(r"\b(?:whether|if|where|which)\b")
"""What is looked into, with a verb of its own."""
_FOR_THE_READER = said("acting", "for_the_reader")
_CLAUSE = re.compile(r"[,;，；—–]")
"""What somebody does stands in the last part of the sentence before a call."""


def acts(sentence: str) -> bool:
    """Whether somebody says here what they do next."""
    sentence = sentence.lower().rstrip()
    step = step_in(sentence)
    if step and gives_order(step):
        return True
    sentence = step or sentence
    if _FOR_THE_READER.search(sentence) is not None or offers_choice(sentence):
        return False
    clause = _CLAUSE.split(sentence)[-1]
    if announces(sentence) or _in_earnest(sentence, clause):
        return True
    if means(sentence, TAUGHT) or means(clause, PAST, unless=AGAIN) or _told(sentence, clause):
        return False
    if means(sentence, QUOTED) and not _done_by(_FIRST_PERSON, clause):
        return False
    if leads_on(clause) or (leads_on(sentence) and not shows(clause)):
        return True
    if says_ready(sentence) or (says_ready(clause) and not shows(sentence)):
        return True
    if announces_deed(sentence) or announces_deed(clause):
        return not shows(sentence)
    return _done_by(_FIRST_PERSON, sentence) or _done(sentence, clause)


def _in_earnest(sentence: str, clause: str) -> bool:
    """Whether a line that announces something says that it is no example, and nobody else's."""
    if not sentence.endswith((":", "：")) or not means(sentence, IN_EARNEST):
        return False
    return not (means(clause, TOLD) or means(clause, PAST) or announces_words(clause))


def _told(sentence: str, clause: str) -> bool:
    """Whether words are announced, or somebody else acts, and not the one who writes."""
    if _is_deed(sentence):
        return False
    if announces_words(sentence):
        return True
    return means(clause, TOLD) and not means(clause, ONESELF)


def _done(sentence: str, clause: str) -> bool:
    """Whether something is done in a sentence, or in its last clause."""
    for part in (sentence, clause):
        if _is_deed(part):
            return _FINITE.search(_WHETHER.split(part)[0]) is None and not shows(part)
    end = sentence[-1:]
    if end in "?？" or (end in ":：" and shown_elsewhere(clause)):
        return False
    if _does_in_o(clause) and not shows(clause):
        return True
    return _done_now(clause) or _done_by(_FIRST_PERSON_ELSEWHERE, clause)


def _does_in_o(clause: str) -> bool:
    """Whether a clause begins with a verb of the first person that ends in "-o"."""
    found = _IN_O.match(clause) or _IT_IN_O.match(clause) or _THEN_IN_O.match(clause)
    return found is not None and found["verb"] not in _NO_VERBS


def _done_by(person: Phrases, text: str) -> bool:
    """Whether somebody who speaks of himself does something, and does not show it or leave it."""
    return any(
        _NOT_DOING.match(text[who.end() :]) is None
        and _NOT.search(who.group()) is None
        and not who.group().endswith(_SHOWING)
        and _TURNED_ROUND.search(text[: who.start()]) is None
        for who in person.finditer(text)
    )


def _done_now(clause: str) -> bool:
    """Whether a clause begins with "I" and a verb of the present."""
    who = _SELF.match(clause)
    if who is None:
        return False
    verb = clause[who.end() :]
    return _NOW.match(verb) is not None or _NOT_NOW.match(verb) is None


def _is_deed(text: str) -> bool:
    """Whether a text begins with what is being done."""
    text = after_courtesies(text)
    return _ING.match(text) is not None and _NO_DEEDS.match(text) is None
