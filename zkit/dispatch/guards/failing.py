"""Results in; a note, then a refusal, when one tool fails a task again and again, out."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from zkit.dispatch.guards.guard import Guard, Verdict, is_exempt
from zkit.dispatch.live import LiveCall
from zkit.dispatch.per_task import PerTask
from zkit.required import require_count
from zkit.results import Failure, Result, Validation


@dataclass(slots=True)
class Streaks:
    """How often each tool has failed in a row in one task, and what it said last."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    failures: dict[str, tuple[int, str]] = field(default_factory=dict)


def repeated_failures(note: int = 4, refuse: int = 8, *, except_for: tuple[str, ...] = ()) -> Guard:
    """Notice when a tool fails a task many times in a row, whatever the arguments.

    `repeated_calls` sees the same call with the same answer; a small model rather tries the same
    tool with other arguments for ever. The `note`-th failure in a row comes with a note; after
    `refuse` of them the tool is not run in this task any more. A success begins at zero. Arguments
    that never reached the tool do not count: their message teaches by itself. Tools that fail as a
    matter of course are named in `except_for` (globs). Outside of any task nothing is counted.
    """
    require_count("note", note, least=1)
    require_count("refuse", refuse, least=1)
    streaks = PerTask(Streaks)

    def before(call: LiveCall) -> Verdict:
        here = streaks.here()
        if here is None:
            return None
        with here.lock:
            times, said = here.failures.get(call.name, (0, ""))
        return _refusal(call, times, said) if times >= refuse else None

    def after(call: LiveCall, result: Result) -> Verdict:
        here = streaks.here()
        if here is None or not call.trace.ran or is_exempt(call.name, except_for):
            return None
        with here.lock:
            if not isinstance(result, Failure):
                here.failures.pop(call.name, None)
                return None
            times = here.failures.get(call.name, (0, ""))[0] + 1
            here.failures[call.name] = (times, str(result))
        return _note(call, times) if times >= note else None

    return Guard("repeated_failures", before, after)


def _note(call: LiveCall, times: int) -> str:
    return (
        f"{call.name} has failed {times} times in a row. Change the approach: a smaller step,"
        " another tool, or say what is in the way."
    )


def _refusal(call: LiveCall, times: int, said: str) -> Validation:
    message = (
        f"{call.name} was not run: it has failed {times} times in a row in this task, at last with:"
        f" {said[:200]} Use another tool, or say what is in the way."
    )
    return Validation(message, code="loop", meta={"failures": times})
