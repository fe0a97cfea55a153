"""A line before a call in, whether it announces the call out, and what it announces if not."""

from __future__ import annotations

import re

from zkit.extract.around.meaning import ASKED_OF_OTHERS, WONDERED, asks_for
from zkit.extract.around.showing import shows
from zkit.extract.around.tables import only, said

# ── what comes next ──────────────────────────────────────────────────────────

_NEXT = said("announcing", "next")
_POSSIBLE = said("announcing", "possible")
_ANNOUNCES = said("announcing", "announces")
# ── labels and steps ─────────────────────────────────────────────────────────

_LABEL = said("announcing", "label")
_TO_ONESELF = said("announcing", "to_oneself")
_POINTS = said("announcing", "points")
_NOT_HERE = said("announcing", "not_here")
_READY = only("announcing", "ready")
_SAYING = said("announcing", "saying")
_HERE_IT_IS = said("announcing", "here_it_is")
_LABELLED = re.compile(
    r"[\s*_#>-]*+(?:[0-9]{1,2}[.)]"
    r"|(?:step|phase|part|task|schritt|paso|étape|passo|шаг)\s++[0-9]{1,2}(?:\s?(?:of|/|von|sur|de|di|из)\s?[0-9]{1,2})?\s*+[.:)—–-]"
    r"|第[0-9一二三]步[:：]?|(?:next |my )?(?:action|task)\s*+:|next step\s*+:)[\s*_]*+"
)
"""The number of a step before what is done in it."""
_NAME = re.compile(r"[`*]*+[a-z][a-z0-9]*+(?:[_.-][a-z0-9]++)++[`*()]*+\s*+:?\Z")
"""The name of a tool, as programs write names, and nothing else."""


def announces(sentence: str) -> bool:
    """Whether a line announces the call itself, here and now."""
    return _ANNOUNCES.search(sentence) is not None and _NOT_HERE.search(sentence) is None


def announces_words(sentence: str) -> bool:
    """Whether a line announces what somebody says or writes."""
    return _SAYING.search(sentence) is not None and _HERE_IT_IS.search(sentence) is None


def leads_on(text: str) -> bool:
    """Whether a line, or the end of one, says that something comes next that is no example."""
    if _NEXT.search(text) is None or _POSSIBLE.search(text) is not None:
        return False
    if text.endswith(("?", "？")) and not asks_for(text, WONDERED, ASKED_OF_OTHERS):
        return False
    return not shows(text)


def says_ready(sentence: str) -> bool:
    """Whether there is nothing but words that say that it will be done."""
    return _READY.fullmatch(sentence) is not None and not shows(sentence)


def agrees(sentence: str) -> bool:
    """Whether a sentence begins with words that say that it will be done."""
    return _READY.match(sentence.lower()) is not None


def after_courtesies(text: str) -> str:
    """What follows the words that only say that it will be done."""
    polite = _READY.match(text)
    return text if polite is None else text[polite.end() :]


def step_in(sentence: str) -> str | None:
    """What is said of a step after its number; None when there is no number."""
    label = _LABELLED.match(sentence)
    return None if label is None else sentence[label.end() :]


def gives_order(step: str) -> bool:
    """Whether a step says what is to be done in it, and not what is to be written."""
    if _NAME.match(step) is not None:
        return True
    order = _TO_ONESELF.match(step)
    return order is not None and _POINTS.match(step[order.end() :]) is None


def labels_call(line: str) -> bool:
    """Whether a line is a label that announces the call itself."""
    return _LABEL.search(line.lower()) is not None
