"""Calls in; a note, then a refusal, when a task calls one tool very often, out."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase

from zkit.dispatch.guards.guard import Guard, Verdict
from zkit.dispatch.live import LiveCall
from zkit.dispatch.per_task import PerTask
from zkit.required import require_count, require_mapping
from zkit.results import Validation


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

    def before(call: LiveCall) -> Verdict:
        most = next((n for name, n in limits.items() if fnmatchcase(call.name, name)), None)
        tally = None if most is None else tallies.here()
        if tally is None or most is None:
            return None
        with tally.lock:
            tally.calls[call.name] += 1
            made = tally.calls[call.name]
        if made > most:
            return _refusal(call, most)
        return _note(call, most) if made == most else None

    return Guard("fan_out", before)


def _note(call: LiveCall, most: int) -> str:
    return f"this was call {most} of {most} of {call.name} in this task; go on with what you have."


def _refusal(call: LiveCall, most: int) -> Validation:
    message = (
        f"{call.name} was not run: it was called {most} times in this task, and that is the limit."
        " Go on with what you have, or use a call that covers more at once."
    )
    return Validation(message, code="loop", meta={"limit": most})
