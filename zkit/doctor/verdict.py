"""How a probe came out: fine, covered by zkit, or open; with one line of evidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

Status = Literal["ok", "covered", "open", "skipped"]
_WORST = ("skipped", "ok", "covered", "open")
LONGEST_SHOWN = 72


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one probe shows. `by` says what covers it; `settings` are those that a profile needs for it."""

    status: Status
    evidence: str
    by: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def ok(evidence: str) -> Verdict:
    """Nothing is wrong."""
    return Verdict("ok", evidence)


def covered(evidence: str, by: str, **settings: Any) -> Verdict:
    """Something is wrong, and zkit copes with it: by itself, or with a setting."""
    return Verdict("covered", evidence, by, settings)


def still_open(evidence: str) -> Verdict:
    """Something is wrong, and nothing covers it."""
    return Verdict("open", evidence)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The worst of several; the first of them where they are alike."""
    found = list(verdicts) or [Verdict("skipped", "nothing to look at")]
    return max(found, key=lambda one: _WORST.index(one.status))


def shown(value: Any) -> str:
    """A value on one line, shortened."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"
