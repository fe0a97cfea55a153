"""A line before a call in, whether it tells what is done without a word of who does it, out.

The number of a step, what was agreed or asked for, another attempt, a deed that is only named.
"""

from __future__ import annotations

import re

from zkit.extract.around.tables import said

_STEP = said("deeds", "step")
_ONE_OF_THEM = said("deeds", "counted")
_AGREED = said("deeds", "agreed")
_AGAIN = said("deeds", "again")
_PUT_RIGHT = said("deeds", "put_right")
_NAMED = said("deeds", "named")
_OUTCOME = said("deeds", "outcome")
_COUNTED = re.compile(r"[\W_]*+[0-9]{1,2}\s?/\s?[0-9]{1,2}[\W_]*+\Z")
"""Nothing but which of how many calls comes: "(1/2)"."""
_ARROW = re.compile(
    r"\s*+(?:[\"“][^\"“”\n]{1,120}+[\"”]\s*+)?+(?:[-=]>|[→➜➔➡⇒▶►🔧🛠⚙]\ufe0f?)\s*+[`*]*+[A-Za-z_][\w.:-]*+[`*()]*+\s*+\Z"
)
"""Nothing but an arrow and a name, maybe with the words before it that it answers."""


def heads_call(line: str, sentence: str) -> bool:
    """Whether the line above a call only counts it or names it, or says that it is put right."""
    if _COUNTED.match(line) or _ARROW.match(line) or is_step(line):
        return True
    return _PUT_RIGHT.search(sentence.lower()) is not None


def is_step(sentence: str) -> bool:
    """Whether a sentence is nothing but the number of a step."""
    return _STEP.search(sentence.lower()) is not None


def counts_off(sentence: str) -> bool:
    """Whether a sentence only says which one of several things comes: "Number two:"."""
    return _ONE_OF_THEM.search(sentence.lower()) is not None


def announces_deed(sentence: str) -> bool:
    """Whether a sentence in lower case says that it was agreed, is tried again, or is named."""
    if _AGREED.search(sentence) is not None or _AGAIN.search(sentence) is not None:
        return True
    return _NAMED.search(sentence) is not None and _OUTCOME.search(sentence) is None
