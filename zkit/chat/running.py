"""Calls in, what came of them out; and a history that is whole even if somebody breaks it off."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from zkit.calls import Call
from zkit.chat.events import ToolStarted
from zkit.chat.run_state import RunState
from zkit.chat.wants import RunCalls, Want
from zkit.dispatch import Outcome


def run_calls(
    run: RunState,
    calls: Sequence[Call],
    finish_reason: str | None,
    keep: Callable[[Sequence[Outcome]], object],
) -> Generator[Want, Any, Sequence[Outcome]]:
    """Run calls as one turn.

    If it is cancelled, `keep` puts what came of them until then into the history, for whoever goes on with it.
    """
    turn = run.dispatcher.turn(calls, finish_reason=finish_reason)
    try:
        for call in calls:
            yield ToolStarted(call)
        if calls:
            yield RunCalls(turn)
    except BaseException:
        keep(turn.outcomes)
        raise
    return turn.outcomes
