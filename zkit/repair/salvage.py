"""The last resort, only when asked for: what the json_repair library makes of a text."""

from __future__ import annotations

import json
from typing import Any

from zkit.receipt import Fix, Rank
from zkit.repair.fixes import FIXES
from zkit.repair.outcome import Repaired


def salvaged(text: str) -> Repaired | None:
    """The library's value, marked as lossy; None when it finds nothing."""
    value = _library_value(text)
    if value is None or value == "":
        return None
    new = json.dumps(value)
    value = json.loads(new)
    note = f"{FIXES['salvage'].doc}: nothing vouches for it"
    return Repaired(
        value, (Fix("salvage", Rank.SALVAGE, 0, len(text), new, note),), Rank.SALVAGE, text
    )


def _library_value(text: str) -> Any:
    """Whatever json_repair returns; None when it raises, as it does on deep nesting."""
    import json_repair

    try:
        value = json_repair.loads(text)
        json.dumps(value)
    except (ValueError, RecursionError, TypeError, IndexError, KeyError, AttributeError):
        return None
    return value
