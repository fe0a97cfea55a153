"""Calls and results in; a note, then a refusal, when the same call gets the same answer again, out."""

from __future__ import annotations

import json
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

from pydantic_core import to_json

from zkit.dispatch.guards.guard import Guard, Verdict, is_exempt
from zkit.dispatch.live import LiveCall
from zkit.dispatch.per_task import PerTask
from zkit.required import require_count
from zkit.results import Result, Success, Validation
from zkit.tools import canonical_arguments

_MOST_CALLS = 512
Key = tuple[str, str]
_NO_KEY: Key = ("", "")


@dataclass(slots=True)
class Seen:
    """How often one call was made in a row with one answer, and how often refused since."""

    answer: int
    times: int = 1
    changes: bool = False


@dataclass(slots=True)
class Ledger:
    """The calls of one task; the oldest are forgotten."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    calls: OrderedDict[Key, Seen] = field(default_factory=OrderedDict)


def repeated_calls(
    note: int = 3, refuse: int = 6, stop: int = 9, *, except_for: tuple[str, ...] = ()
) -> Guard:
    """Notice when a task repeats a call and gets the same answer.

    The `note`-th equal answer comes with a note; the call after `refuse` equal answers is refused,
    and from the `stop`-th on the refusal says `meta["stop"]`, for a loop to end the run. Another
    answer, or for a reading tool a call that may have changed something, begins at zero. Tools
    that poll are named in `except_for` (globs). Outside of any task nothing is counted.
    """
    for name, times in (("note", note), ("refuse", refuse), ("stop", stop)):
        require_count(name, times, least=1)
    ledgers = PerTask(Ledger)

    def before(call: LiveCall) -> Verdict:
        ledger = None if is_exempt(call.name, except_for) else ledgers.here()
        if ledger is None:
            return None
        with ledger.lock:
            seen = ledger.calls.get(_key(call) or _NO_KEY)
            if seen is None or seen.times < refuse:
                return None
            seen.times += 1
            return _refusal(call, seen.times, stop)

    def after(call: LiveCall, result: Result) -> Verdict:
        ledger = None if is_exempt(call.name, except_for) else ledgers.here()
        if ledger is None or getattr(result, "code", "") == "loop":
            return None
        with ledger.lock:
            times = _count(ledger, call, result)
        return _note(call, times) if times >= note else None

    return Guard("repeated_calls", before, after, hits=True)


def _count(ledger: Ledger, call: LiveCall, result: Result) -> int:
    """Note an answer; how often it was the same in a row."""
    key, answer, changes = _key(call), _digest(result), call.policy.clear
    if key is None or answer is None:
        return 0
    if changes and call.trace.ran:
        for other in [k for k, seen in ledger.calls.items() if not seen.changes]:
            del ledger.calls[other]
    seen = ledger.calls.get(key)
    if seen is None or seen.answer != answer:
        seen = ledger.calls[key] = Seen(answer, 0, changes)
    seen.times += 1
    ledger.calls.move_to_end(key)
    while len(ledger.calls) > _MOST_CALLS:
        ledger.calls.popitem(last=False)
    return seen.times


def _key(call: LiveCall) -> Key | None:
    """What makes two calls the same; None when the arguments are nested too deep to tell."""
    arguments = canonical_arguments(call.spec, call.arguments)
    try:
        return call.name, json.dumps(arguments, sort_keys=True, default=str)
    except (RecursionError, ValueError):
        return None


def _digest(result: Result) -> int | None:
    """A number that two equal answers share; None when the data is nested too deep to tell."""
    data: Any = result.data if isinstance(result, Success) else (result.kind, str(result))
    try:
        return hash(data) if isinstance(data, str) else hash(to_json(data, fallback=str))
    except (RecursionError, ValueError):
        return None


def _note(call: LiveCall, times: int) -> str:
    return (
        f"this call of {call.name} was made {times} times, with the same answer each time."
        " The answer will not change by asking again; use it, or send another call."
    )


def _refusal(call: LiveCall, times: int, stop: int) -> Validation:
    message = (
        f"{call.name} was not run: the same call was made {times - 1} times before, and the answer"
        " was always the same. Use that answer, send other arguments, or say what is in the way."
    )
    meta = {"repeated": times, **({"stop": True} if times >= stop else {})}
    return Validation(message, code="loop", meta=meta)
