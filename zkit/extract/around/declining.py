"""A sentence in, whether a call is not made in it, or not yet, out: declined, or left to the reader."""

from __future__ import annotations

import re

from zkit.extract.around.acting import acts
from zkit.extract.around.meaning import (
    BY_THE_READER,
    GRANTED,
    HANGS_ON_A_YES,
    LATER,
    LEAVE,
    NEEDS_A_YES,
    NEGATED,
    NOW,
    REFUSED,
    REVIEW,
    UNNEEDED,
    clauses,
    means,
)
from zkit.extract.around.tables import said

_DECLINED = said("declining", "declined")
_BROKEN_OFF = re.compile(r"\b(?:won['’]t|will\s++not|can['’]t|cannot)\b\s*+(?:[,.;!—]|because\b|\Z)")  # fmt: skip
"""A refusal that needs no verb."""
_AWAITS_YES = said("declining", "awaits_yes")
_IF_YOU_LIKE = said("declining", "if_you_like")
_NEEDS_NO_YES = said("declining", "needs_no_yes")
_BUT = said("declining", "but")
_BUT_NOT_NOW = said("declining", "but_not_now")
_DEFERRED = said("declining", "deferred")
_ASKS = said("declining", "asks")
_AROUND = " *_)]\"'"
_AFTERWARDS = said("declining", "afterwards")


def is_for_later(sentence: str) -> bool:
    """Whether the sentence speaks of what comes after the call, and not of the call."""
    sentence = sentence.lower()
    return _AFTERWARDS.search(sentence) is not None or means(sentence, LATER)


def declines(sentence: str) -> bool:
    """Whether the sentence says that a call is not made, or not yet."""
    sentence = sentence.lower()
    if awaits_yes(sentence) or _IF_YOU_LIKE.search(sentence) is not None:
        return True
    if means(sentence, REVIEW) or _left_to_the_reader(sentence):
        return True
    if _refuses(sentence) or _puts_off(sentence):
        return True
    said = _DECLINED.search(sentence) or _BROKEN_OFF.search(sentence)
    return said is not None and not _goes_on(sentence[said.end() :])


def withholds(sentence: str) -> bool:
    """Whether the sentence refuses a call for good, or leaves it to the reader; a later one may tell why."""
    sentence = sentence.lower()
    if means(sentence, HANGS_ON_A_YES, unless=GRANTED):
        return True
    return _left_to_the_reader(sentence) or _refuses(sentence) or _puts_off(sentence)


def _left_to_the_reader(sentence: str) -> bool:
    """Whether a part of the sentence says that the reader is to do it."""
    return any(means(part, BY_THE_READER, unless=NEGATED) for part in clauses(sentence))


def _refuses(sentence: str) -> bool:
    """Whether a part of the sentence refuses, and nothing is done in those after it."""
    parts = clauses(sentence)
    for place, part in enumerate(parts):
        if means(",".join(parts[: place + 1]), REFUSED):
            done = acts(part) and not means(part, REFUSED)
            return not done and not any(map(_goes_on, parts[place + 1 :]))
    return False


def _puts_off(sentence: str) -> bool:
    """Whether it is done at another time, or not before a yes that is missing, and nothing now."""
    put_off = _DEFERRED.search(sentence)
    if put_off is not None:
        return not _now_after_all(sentence[put_off.end() :])
    parts = clauses(sentence)
    for place, part in enumerate(parts):
        if means(part, NEEDS_A_YES, unless=(*GRANTED, *UNNEEDED, *NOW)):
            return not _now_after_all(",".join(parts[place + 1 :]))
    return False


def _now_after_all(rest: str) -> bool:
    """Whether something is done in the rest of a sentence, at once or against what was said before."""
    return (means(rest, NOW) or _BUT.search(rest) is not None) and _goes_on(rest)


def _goes_on(part: str) -> bool:
    """Whether something is done after what is not, and neither later nor by the reader."""
    if _BUT_NOT_NOW.search(part) is not None:
        return False
    return acts(part) or _BUT.search(part) is not None


def awaits_yes(sentence: str) -> bool:
    """Whether the sentence makes the call depend on what the reader says."""
    sentence = sentence.lower()
    if means(sentence, HANGS_ON_A_YES, unless=GRANTED):
        return _NEEDS_NO_YES.search(sentence) is None
    return _AWAITS_YES.search(sentence) is not None and _NEEDS_NO_YES.search(sentence) is None


def asks_leave(sentence: str) -> bool:
    """Whether the sentence asks the reader whether a call should be made."""
    sentence = sentence.lower()
    if is_for_later(sentence):
        return False
    if is_question(sentence) and means(sentence, LEAVE):
        return True
    return _ASKS.search(sentence) is not None or _is_short_question(sentence)


def is_question(sentence: str) -> bool:
    """Whether the sentence asks something, as its last sign or word says."""
    return sentence.rstrip(_AROUND + "。.").endswith(("?", "？", "か", "吗", "嗎", "까요"))


def _is_short_question(sentence: str) -> bool:
    """Whether a question has no room for anything but the call: "Right?", "Shall I?"."""
    if sentence.lstrip(_AROUND).startswith("why"):
        return False
    return sentence.rstrip(_AROUND).endswith("?") and sentence.isascii() and sentence.count(" ") < 3
