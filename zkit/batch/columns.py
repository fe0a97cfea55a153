"""The pure function from a batch of texts to columns, the same for every engine."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Literal, NamedTuple

from zkit.arguments import Decoded, decode
from zkit.calls import Call
from zkit.extract import Extraction, find_calls
from zkit.json_types import JsonObject
from zkit.receipt import Rank, RankName
from zkit.repair import Unrepairable, repair_json
from zkit.required import require_count, require_mapping, require_seconds
from zkit.schema import target_for

Kind = Literal["repair", "extract", "decode"]
OUTCOMES: Mapping[str, str] = {
    "exact": "valid as it is",
    "repaired": "read in only one way, with a receipt",
    "calls": "calls were found in the text",
    "none": "no call in the text",
    "doubtful": "a call that should be confirmed",
    "refused": "refused, with a reason",
    "missing": "there is no text in this row",
    "failed": "the row could not be processed; the others were",
}
"""What the column `outcome` may hold."""

LONG = 20_000
"""Characters from which a row gets a time limit; a shorter text never takes a second."""


class Cells(NamedTuple):
    """What one row becomes, a cell for each of `COLUMNS`."""

    outcome: str
    value: str | None = None
    rank: str | None = None
    fixes: Sequence[str] = ()
    reason: str | None = None
    calls: str | None = None
    content: str | None = None


COLUMNS = Cells._fields
Columns = dict[str, list[Any]]
"""The names of `COLUMNS`, each with a cell for every row. Values and calls are JSON texts."""


@dataclass(frozen=True)
class Work:
    """What to do with every text of a batch; call it with a list of texts.

    `kind` is `repair`, `extract` or `decode`. `target` is a JSON Schema or a model for `decode`
    (optional for `repair`), and the tools on offer for `extract`. A text of more than `longest`
    characters is refused, and one that takes more than `seconds` fails (where the platform has
    timers, and in the main thread of a process): one row never holds up the others.
    """

    kind: Kind
    target: object = None
    limit: Rank | RankName | None = None
    seconds: float = 5.0
    longest: int = 4_000_000
    options: Mapping[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Reject what could not be applied to any row."""
        if self.kind not in _APPLY:
            raise ValueError(f"a kind of work is {', '.join(_APPLY)}, not {self.kind!r}")
        if self.kind != "repair" and self.target is None:
            what = "the tools on offer" if self.kind == "extract" else "a schema"
            raise ValueError(f"{self.kind} needs {what}")
        if self.kind == "decode":
            target_for(self.target)
        if self.kind == "extract":
            find_calls("", self.target)
        require_seconds("seconds", self.seconds, above_zero=True)  # 0 would set no timer
        require_count("longest", self.longest, least=1)
        require_mapping("options", self.options)
        if self.limit is not None:
            object.__setattr__(self, "limit", Rank.of(self.limit))

    def __call__(
        self, texts: Sequence[object], finish_reasons: Sequence[object] | None = None
    ) -> Columns:
        """Return the columns for a batch of texts."""
        reasons = finish_reasons if finish_reasons is not None else [None] * len(texts)
        rows = [self.cells(text, reason) for text, reason in zip(texts, reasons, strict=True)]
        return {name: [row[at] for row in rows] for at, name in enumerate(COLUMNS)}

    def cells(self, text: object, finish_reason: object = None) -> Cells:
        """Return the cells of one row; nothing in it raises."""
        given = as_text(text)
        if given is None:
            return Cells("missing")
        if len(given) > self.longest:
            return Cells("refused", reason="too_large")
        reason = finish_reason if isinstance(finish_reason, str) else None
        try:
            if len(given) <= LONG:
                return _APPLY[self.kind](self, given, reason)
            with time_limit(self.seconds):
                return _APPLY[self.kind](self, given, reason)
        except Exception as error:  # a bad row never stops the run
            return Cells("failed", reason=type(error).__name__)

    def given(self, finish_reason: str | None) -> dict[str, Any]:
        """Return the keyword arguments that all three kinds share."""
        limit = {} if self.limit is None else {"limit": self.limit}
        return {"finish_reason": finish_reason, **limit}


def as_text(value: object) -> str | None:
    """Return the text of a cell: bytes are UTF-8, parsed JSON is written again; None if empty."""
    if isinstance(value, str):
        return None if value.isspace() or not value else value
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    elif isinstance(value, Mapping | list | tuple):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return value if isinstance(value, str) and value.strip() else None


def _repair(work: Work, text: str, finish_reason: str | None) -> Cells:
    found = repair_json(text, schema=work.target, **work.given(finish_reason))
    if isinstance(found, Unrepairable):
        return Cells("refused", reason=found.reason)
    outcome = "repaired" if found.fixes else "exact"
    names = [fix.name for fix in found.fixes]
    return Cells(outcome, found.json.strip(), found.rank.name, names)


def _decode(work: Work, text: str, finish_reason: str | None) -> Cells:
    found = decode(work.target, text, **work.given(finish_reason))
    if not isinstance(found, Decoded):
        return Cells("refused", reason=found.code)
    outcome = "repaired" if found.fixes else "exact"
    names = [fix.name for fix in found.fixes]
    return Cells(outcome, _written(found.value), found.rank.name, names)


def _extract(work: Work, text: str, finish_reason: str | None) -> Cells:
    found = find_calls(text, work.target, finish_reason=finish_reason)
    made = [*found.calls, *(one.call for one in found.doubtful)]
    rank = max((call.rank for call in made), default=Rank.EXACT)
    names = [fix.name for call in made for fix in call.fixes]
    calls = _written([_entry(call) for call in made]) if made else None
    outcome, reason = _outcome(found)
    return Cells(outcome, None, rank.name if made else None, names, reason, calls, found.content)


def _outcome(found: Extraction) -> tuple[str, str | None]:
    """Return the outcome of an extraction, and the first reason why a call was not one."""
    if found.calls:
        return "calls", None
    if found.doubtful:
        return "doubtful", found.doubtful[0].reason
    told = [one.reason for one in found.refused if one.message]
    reasons = [*told, *("unknown_tool" for _ in found.unknown), *("cut" for _ in found.incomplete)]
    return ("refused", reasons[0]) if reasons else ("none", None)


def _entry(call: Call) -> JsonObject:
    return {
        "name": call.name,
        "arguments": call.arguments,
        "format": call.origin,
        "tier": call.tier,
    }


def _written(value: object) -> str:
    from pydantic_core import to_json

    return to_json(value, inf_nan_mode="constants", serialize_unknown=True).decode("utf-8")


_APPLY = {"repair": _repair, "extract": _extract, "decode": _decode}


class RowTimeoutError(Exception):
    """A row took longer than it may."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `RowTimeoutError` in the block after so many seconds, where that can be done."""
    can = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not can:
        yield
        return

    def stop(number: int, frame: FrameType | None) -> None:
        raise RowTimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
