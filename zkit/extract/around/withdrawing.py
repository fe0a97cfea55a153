"""A sentence after a call in, whether it undoes the call out: taken back, not made, or only a text."""

from __future__ import annotations

from zkit.extract.around.acting import acts
from zkit.extract.around.declining import asks_leave, awaits_yes, is_for_later, is_question
from zkit.extract.around.meaning import (
    BY_A_BUTTON,
    CONDITION,
    LABELS,
    PART_OF_IT,
    SPOKEN_OF,
    UNDONE,
    means,
)
from zkit.extract.around.showing import offers_choice, shown_elsewhere
from zkit.extract.around.tables import said

# ── takes it back ────────────────────────────────────────────────────────────

_TAKEN_BACK = said("withdrawing", "taken_back")
_MAY_BE_DROPPED = said("withdrawing", "may_be_dropped")

# ── says that it was not made ────────────────────────────────────────────────

_NOT_MADE = said("withdrawing", "not_made")

# ── speaks of it as of a text ────────────────────────────────────────────────

_SPOKEN_OF = said("withdrawing", "spoken_of")
_QUIZ = said("withdrawing", "quiz")
_YOU = said("withdrawing", "you")
LABEL = 30
"""How long the label of a remark may be."""


def takes_back(sentence: str) -> bool:
    """Whether the sentence after a call says that it shall not be made, or not be made yet."""
    sentence = sentence.lower()
    if means(sentence, UNDONE, unless=CONDITION) or means(sentence, BY_A_BUTTON):
        return True
    undone = _TAKEN_BACK.search(sentence)
    if undone is not None and _MAY_BE_DROPPED.search(sentence) is None:
        return True
    return _NOT_MADE.search(sentence) is not None or asks_leave(sentence) or awaits_yes(sentence)


def speaks_of(sentence: str) -> bool:
    """Whether the sentence after a call speaks of it as of a text."""
    sentence = sentence.lower()
    if offers_choice(sentence):
        return True
    if acts(sentence):
        return False
    if "?" in sentence and is_for_later(sentence):
        return False
    if means(sentence, PART_OF_IT if is_question(sentence) else SPOKEN_OF):
        return True
    if means(_label_of(sentence), LABELS):
        return True
    if _QUIZ.search(sentence) is not None and _YOU.search(sentence) is None:
        return True
    return _SPOKEN_OF.search(sentence) is not None or shown_elsewhere(sentence)


def _label_of(sentence: str) -> str:
    """The few words before a colon that a sentence begins with; empty when there are none."""
    label, colon, _ = sentence.replace("：", ":").partition(":")
    return label if colon and len(label) <= LABEL else ""
