"""Guards against loops: repeated calls, repeated failures, too many calls of one tool."""

from __future__ import annotations

import json
import threading
from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from pydantic_core import to_json

from zkit.dispatch.guards import Guard, GuardAnswer, is_exempt
from zkit.dispatch.live_call import LiveCall
from zkit.grade import WRITE
from zkit.required import require_count, require_mapping
from zkit.results import Failure, Result, Success, Validation
from zkit.tools import canonical_arguments
from zkit.tools.context import PerTask

_MOST_CALLS = 512
Key = tuple[str, str]
_NO_KEY: Key = ("", "")
ALREADY_DONE = (
    'already done, nothing has changed. Send the next call, {"name": ..., "arguments": {...}}, or'
    " give your answer in words."
)
"""The answer to a write that is done, the best of eight wordings for Qwen2.5-Coder-1.5B (decision 35). After
most of the others it sends the same call again or an empty reply."""


@dataclass(slots=True)
class Seen:
    """How often one call was made in a row with one answer, and how often refused since.

    `done` means that it succeeded, and that no other call has changed anything since.
    """

    answer: int
    times: int = 1
    changes: bool = False
    done: bool = False


@dataclass(slots=True)
class Ledger:
    """The calls of one task; the oldest are forgotten."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    calls: OrderedDict[Key, Seen] = field(default_factory=OrderedDict)


def repeated_calls(
    note: int = 2, refuse: int = 6, stop: int = 9, *, except_for: tuple[str, ...] = ()
) -> Guard:
    """Notice when a task repeats a call and gets the same answer.

    The `note`-th equal answer comes with a note; the call after `refuse` equal answers is refused,
    and from the `stop`-th on the refusal says `meta["stop"]`, for a loop to end the run. Another
    answer resets the count, and so does, for a reading tool, a call that may have changed
    something. Tools that poll are named in `except_for` (globs). Outside of any task nothing is
    counted.

    A call that succeeded is not run a second time if its tool is declared to write, unless another
    call may have changed something since, the tool is declared as not idempotent, or somebody has
    approved the call: small models repeat a write because each answer of it looks new.
    """
    for name, times in (("note", note), ("refuse", refuse), ("stop", stop)):
        require_count(name, times, least=1)
    ledgers = PerTask(Ledger)

    def before(call: LiveCall) -> GuardAnswer:
        ledger = ledgers.here()
        if ledger is None or is_exempt(call.name, except_for):
            return None
        with ledger.lock:
            seen = ledger.calls.get(_key(call) or _NO_KEY)
            is_done = seen is not None and seen.done and _runs_once(call)
            if seen is None or (seen.times < refuse and not is_done):
                return None
            seen.times += 1
            if is_done:
                return _already_done(seen.times, refuse)
            return _repeated_refusal(call, seen.times, stop)

    def after(call: LiveCall, result: Result) -> GuardAnswer:
        ledger = ledgers.here()
        if ledger is None or getattr(result, "code", "") == "loop":
            return None
        if is_exempt(call.name, except_for):
            return None
        with ledger.lock:
            times = _count(ledger, call, result)
        return _repeated_note(call, times, result) if times >= note else None

    def recall(call: LiveCall, result: Result) -> None:
        ledger = ledgers.here()
        seen = None if ledger is None else ledger.calls.get(_key(call) or _NO_KEY)
        if seen is not None and "repeated" in getattr(result, "meta", {}):
            seen.times += 1
        after(call, result)

    return Guard("repeated_calls", before, after, hits=True, recall=recall, in_tasks=True)


def _count(ledger: Ledger, call: LiveCall, result: Result) -> int:
    """Record an answer; return how often it was the same in a row."""
    key, answer, changes = _key(call), _digest(result), call.policy.clear
    if key is None or answer is None:
        return 0
    if changes and call.trace.ran:
        for other in [k for k, seen in ledger.calls.items() if not seen.changes]:
            del ledger.calls[other]
        for earlier in ledger.calls.values():
            earlier.done = False
    seen = ledger.calls.get(key)
    if seen is None or seen.answer != answer:
        seen = ledger.calls[key] = Seen(answer, 0, changes)
    seen.times += 1
    seen.done = isinstance(result, Success)
    ledger.calls.move_to_end(key)
    while len(ledger.calls) > _MOST_CALLS:
        ledger.calls.popitem(last=False)
    return seen.times


def _key(call: LiveCall) -> Key | None:
    """Return a key that equal calls share; None if the arguments are nested too deep."""
    arguments = canonical_arguments(call.spec, call.arguments)
    try:
        return call.name, json.dumps(arguments, sort_keys=True, default=str)
    except (RecursionError, ValueError):
        return None


def _digest(result: Result) -> int | None:
    """Return a number that equal answers share; None if the data is nested too deep."""
    data: Any = result.data if isinstance(result, Success) else (result.kind, str(result))
    try:
        return hash(data) if isinstance(data, str) else hash(to_json(data, fallback=str))
    except (RecursionError, ValueError):
        return None


def _runs_once(call: LiveCall) -> bool:
    """True if a call that succeeded need not run again."""
    spec = call.spec
    writes = spec.grade is not None and spec.grade.w == WRITE.w
    return writes and spec.idempotent is not False and call.approved is None


def _already_done(times: int, stop: int) -> Validation:
    meta = {"repeated": times, "done": True, **({"stop": True} if times >= stop else {})}
    return Validation(ALREADY_DONE, code="loop", meta=meta)


def _repeated_note(call: LiveCall, times: int, result: Result) -> str:
    """Return the note for an equal answer; a call that failed is not an answer to give."""
    if isinstance(result, Validation):
        # After "Give your answer from it" Qwen2.5-Coder-1.5B repeats the error as its answer (decision 35).
        return (
            f"this call of {call.name} was sent {times} times and failed in the same way each time."
            " Send it with other arguments."
        )
    return (
        f"this call of {call.name} was made {times} times, with the same answer each time."
        " Give your answer from it, or take the next step."
    )


def _repeated_refusal(call: LiveCall, times: int, stop: int) -> Validation:
    message = (
        f"{call.name} was not run: the same call was made {times - 1} times before, and the answer"
        " was always the same. Use that answer, send other arguments, or say what is in the way."
    )
    meta = {"repeated": times, **({"stop": True} if times >= stop else {})}
    return Validation(message, code="loop", meta=meta)


@dataclass(slots=True)
class Streaks:
    """How often each tool has failed in a row in one task, and its last message."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    failures: dict[str, tuple[int, str]] = field(default_factory=dict)


def repeated_failures(note: int = 4, refuse: int = 8, *, except_for: tuple[str, ...] = ()) -> Guard:
    """Notice when a tool fails a task many times in a row, whatever the arguments.

    `repeated_calls` notices the same call with the same answer; small models also keep trying the
    same tool with other arguments. The `note`-th failure in a row comes with a note; after `refuse`
    of them the tool is no longer run in this task. A success resets the count. Arguments that never
    reached the tool do not count: they have their own message. Tools that are expected to fail are
    named in `except_for` (globs). Outside of any task nothing is counted.
    """
    require_count("note", note, least=1)
    require_count("refuse", refuse, least=1)
    streaks = PerTask(Streaks)

    def before(call: LiveCall) -> GuardAnswer:
        here = streaks.here()
        if here is None:
            return None
        with here.lock:
            times, said = here.failures.get(call.name, (0, ""))
        return _failing_refusal(call, times, said) if times >= refuse else None

    def after(call: LiveCall, result: Result) -> GuardAnswer:
        here = streaks.here()
        if here is None or not call.trace.ran or is_exempt(call.name, except_for):
            return None
        with here.lock:
            if not isinstance(result, Failure):
                here.failures.pop(call.name, None)
                return None
            times = here.failures.get(call.name, (0, ""))[0] + 1
            here.failures[call.name] = (times, str(result))
        return _failing_note(call, times) if times >= note else None

    return Guard("repeated_failures", before, after, recall=after, in_tasks=True)


def _failing_note(call: LiveCall, times: int) -> str:
    return (
        f"{call.name} has failed {times} times in a row. Change the approach: a smaller step,"
        " another tool, or say what is in the way."
    )


def _failing_refusal(call: LiveCall, times: int, said: str) -> Validation:
    message = (
        f"{call.name} was not run: it has failed {times} times in a row in this task, at last with:"
        f" {said[:200]} Use another tool, or say what is in the way."
    )
    return Validation(message, code="loop", meta={"failures": times})


@dataclass(slots=True)
class Tally:
    """How often each tool was called in one task."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    calls: Counter[str] = field(default_factory=Counter)


def fan_out(limits: Mapping[str, int]) -> Guard:
    """Limit how often a task calls single tools: `fan_out({"list_files": 20, "spawn_*": 8})`.

    The last call that is allowed comes with a note; those after it are refused before they run.
    Outside of any task nothing is counted.
    """
    require_mapping("limits", limits)
    for name, most in limits.items():
        require_count(f"limits[{name!r}]", most)
    tallies = PerTask(Tally)

    def before(call: LiveCall) -> GuardAnswer:
        most = next((n for name, n in limits.items() if fnmatchcase(call.name, name)), None)
        made = 0 if most is None else count(call)
        if most is None or made < most:
            return None
        return _fan_out_refusal(call, most) if made > most else _fan_out_note(call, most)

    def count(call: LiveCall, result: Result | None = None) -> int:
        tally = tallies.here()
        if tally is None:
            return 0
        with tally.lock:
            tally.calls[call.name] += 1
            return tally.calls[call.name]

    return Guard("fan_out", before, recall=count, in_tasks=True)


def _fan_out_note(call: LiveCall, most: int) -> str:
    return f"this was call {most} of {most} of {call.name} in this task; go on with what you have."


def _fan_out_refusal(call: LiveCall, most: int) -> Validation:
    message = (
        f"{call.name} was not run: it was called {most} times in this task, and that is the limit."
        " Go on with what you have, or use a call that covers more at once."
    )
    return Validation(message, code="loop", meta={"limit": most})
