"""Broken JSON in, a value with its receipt out, or a refusal that teaches."""

from zkit.receipt import Fix, Rank
from zkit.repair.api import loads, repair_all, repair_json
from zkit.repair.outcome import Repaired, RepairError, Unrepairable
from zkit.repair.partial import PartialReader

__all__ = [
    "Fix",
    "PartialReader",
    "Rank",
    "RepairError",
    "Repaired",
    "Unrepairable",
    "loads",
    "repair_all",
    "repair_json",
]
