"""A sentence in, whether it speaks of calls as of texts out: examples, formats, somebody's words."""

from __future__ import annotations

from zkit.extract.around.meaning import SHOWN, is_told, means
from zkit.extract.around.tables import said

_SHOWN = said("showing", "shown")
_CAPTION = said("showing", "caption")
_POINTS_AT = said("showing", "points_at")
_WISHED = said("showing", "wished")
_SHOWN_ELSEWHERE = said("showing", "shown_elsewhere")
_CHOICE = said("showing", "choice")
_CHOSEN = said("showing", "chosen")
_MENTIONED = said("showing", "mentioned")


def shows(sentence: str) -> bool:
    """Whether the sentence announces an example, somebody's words, or a call as such."""
    sentence = sentence.lower()
    if _CAPTION.search(sentence) is not None or shown_elsewhere(sentence):
        return True
    if offers_choice(sentence):
        return True
    if sentence.rstrip().endswith(".") and _points_at_it(sentence):
        return True
    if means(_MENTIONED.without(sentence), SHOWN) or is_told(sentence):
        return True
    return _SHOWN.search(_MENTIONED.without(sentence)) is not None


def _points_at_it(sentence: str) -> bool:
    return _POINTS_AT.search(sentence) is not None and _WISHED.search(sentence) is None


def offers_choice(sentence: str) -> bool:
    """Whether the sentence is headed as one of several things to choose from."""
    sentence = sentence.lower()
    return _CHOICE.search(sentence) is not None and _CHOSEN.search(sentence) is None


def shown_elsewhere(sentence: str) -> bool:
    """The same, of a sentence that is not English."""
    return _SHOWN_ELSEWHERE.search(_MENTIONED.without(sentence.lower())) is not None
