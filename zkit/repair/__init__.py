"""Repair damaged JSON: a value with its receipt, or a refusal with a message for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.lazy_names import lazy_names

if TYPE_CHECKING:
    from zkit.receipt import Fix as Fix
    from zkit.receipt import Rank as Rank
    from zkit.repair.api import repair_all as repair_all
    from zkit.repair.outcome import Repaired as Repaired
    from zkit.repair.outcome import RepairError as RepairError
    from zkit.repair.outcome import Unrepairable as Unrepairable
    from zkit.repair.reading import loads as loads
    from zkit.repair.reading import repair_json as repair_json

# Where each name lives; a module is loaded when one of its names is first used.
HOME = {
    "zkit.receipt": (
        "Fix",
        "Rank",
    ),
    "zkit.repair.api": ("repair_all",),
    "zkit.repair.outcome": (
        "Repaired",
        "RepairError",
        "Unrepairable",
    ),
    "zkit.repair.reading": (
        "loads",
        "repair_json",
    ),
}

__getattr__, __dir__, __all__ = lazy_names(__name__, HOME)
