"""zkit stands between "the model wrote something" and "a tool ran"."""

from zkit.repair import (
    Fix,
    PartialReader,
    Rank,
    Repaired,
    RepairError,
    Unrepairable,
    loads,
    repair_all,
    repair_json,
)

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
