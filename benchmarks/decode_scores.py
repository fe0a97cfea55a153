"""Counts the verdicts on answers: right, wrong, refused."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

from benchmarks.decode_probes import Probe
from benchmarks.decode_tools import TOOLS
from benchmarks.judge import same

VERDICTS = ("right", "wrong", "refused")


def verdict_of(probe: Probe, value: BaseModel | None) -> str:
    """right, wrong (the tool would run with other arguments) or refused (though it can be read)."""
    if value is None:
        return "right" if probe.truth is None or probe.may_refuse else "refused"
    if probe.truth is None:
        return "wrong"
    truth = TOOLS[probe.tool].model_validate(probe.truth)
    return "right" if same(value.model_dump(), truth.model_dump()) else "wrong"


@dataclass(slots=True)
class Score:
    """Counts for one library in one section."""

    total: Counter[str] = field(default_factory=Counter)
    classes: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def add(self, probe: Probe, value: BaseModel | None) -> str:
        """Judge one answer and count it."""
        verdict = verdict_of(probe, value)
        self.total[verdict] += 1
        self.classes[probe.group][verdict] += 1
        return verdict

    def plain(self) -> dict[str, Any]:
        """The counts as plain data."""
        classes = {name: dict(counts) for name, counts in self.classes.items()}
        return {"total": dict(self.total), "classes": classes}
