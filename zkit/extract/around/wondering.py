"""A question before a call in, whether the one who writes asks it to find the answer out."""

from __future__ import annotations

import re

from zkit.extract.around.declining import is_question
from zkit.extract.around.meaning import ASKED_OF_OTHERS, WONDERED, asks_for

_PLAIN = re.compile(r"¿?\w[^\n:：\"“”„«»「」『』*_#|<>]{3,120}\Z")
"""A line of words without quotes, a label or the marks of a heading."""


def wonders(question: str) -> bool:
    """Whether a question is about the world, and asks neither the reader nor about a text.

    Who asks "Which trains are late?" and then writes a marker wants to know it. "Which one is
    valid?", "What should I send?" and "What does this do?" wait for somebody else.
    """
    if not is_question(question) or _PLAIN.match(question) is None:
        return False
    return asks_for(question.lower(), WONDERED, ASKED_OF_OTHERS)
