"""Outcomes in, the words of a deviation out: equal text means equal value."""

from __future__ import annotations

import json
from typing import Any

from zkit.receipt import Rank

LONGEST_SHOWN = 240


def spelled(value: Any) -> str:
    """Spell a value so that equal text means equal value: 1, 1.0 and true differ, NaN is NaN."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def difference(wanted: Any, came: Any) -> str | None:
    """Say how two values differ, shortened to the neighbourhood, or None when they are equal."""
    one, other = spelled(wanted), spelled(came)
    if one == other:
        return None
    one, other = near_difference(one, other)
    return f"expected {one}, came {other}"


def near_difference(wanted: str, came: str) -> tuple[str, str]:
    """Shorten two long spellings to the neighbourhood of their first difference."""
    if max(len(wanted), len(came)) <= LONGEST_SHOWN:
        return wanted, came
    pairs = enumerate(zip(wanted, came, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(came)))
    start = max(0, same - LONGEST_SHOWN // 3)
    return clipped(wanted, start), clipped(came, start)


def clipped(text: str, start: int) -> str:
    """Cut a window out of a long text, with dots where something is left out."""
    end = start + LONGEST_SHOWN
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def named(what: object) -> str:
    """Show a rank by its name, names as a list, a flag as it is."""
    if isinstance(what, Rank):
        return what.name
    return ", ".join(what) or "none" if isinstance(what, tuple) else str(what).lower()


def unlike(what: str, wanted: object, came: object) -> str | None:
    """Say that a rank, a list of names or a flag deviates; None when it is not spoken of."""
    if wanted is None or wanted == came:
        return None
    return f"expected {what} {named(wanted)}, came {named(came)}"


def refusal(accepted: tuple[str, ...], known: tuple[str, ...]) -> str:
    """Name the refusal that a case expects."""
    return "refused" if accepted == known else f"refused ({' or '.join(accepted)})"


def one_line(message: str) -> str:
    """Fold a message to one line."""
    return " ".join(message.split())
