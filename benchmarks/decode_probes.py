"""Reads `decode_probes.toml`: a tool, what a model sent for it, and the expected outcome."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PROBES = Path(__file__).with_suffix(".toml")
REFUSE = "refuse"


@dataclass(frozen=True, slots=True)
class Probe:
    """Arguments as a model sent them.

    `truth` holds the right arguments, or None where nothing may run. With `may_refuse` a refusal is
    no fault either. `group` names the class of the slip.
    """

    group: str
    tool: str
    text: str
    truth: dict[str, Any] | None
    may_refuse: bool = False
    finish_reason: str | None = None


def written_probes() -> Iterator[Probe]:
    """The probes that were written by hand."""
    for tool, table in tomllib.loads(PROBES.read_text(encoding="utf-8")).items():
        for group, text, expected, *rest in table["probes"]:
            truth = expected.removeprefix(REFUSE).removeprefix(" or ")
            may_refuse = expected.startswith(REFUSE)
            yield Probe(group, tool, text, json.loads(truth or "null"), may_refuse, *rest)
