"""A paused run in, the same run ready to go on out: its task, its limits, what it was allowed."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import replace
from typing import Protocol

from zkit.chat.events import Message
from zkit.chat.pause.deciding import Resumption
from zkit.chat.pause.paused import PausedRun
from zkit.chat.run_state import RunState
from zkit.chat.settings import LoopSettings
from zkit.chat.steering import Steering
from zkit.chat.task_scope import begin_task
from zkit.dispatch import Dispatcher
from zkit.dispatch.permissions import narrowed
from zkit.tools import Scope


class Loop(Protocol):
    """What a run needs of its loop."""

    model: str
    settings: LoopSettings
    workspace: str
    dispatcher: Dispatcher
    kit: str | None


def run_again(
    loop: Loop, resumed: Resumption, messages: list[Message], steering: Steering, live: bool
) -> RunState:
    """Claim the paused run, and go on where it was. Its messages stay as they are."""
    paused = resumed.paused
    paused.take()
    used = paused.used
    messages[:] = paused.messages
    settings = replace(loop.settings, **paused.limits)
    seconds = settings.max_seconds
    left = None if seconds is None else max(0.0, seconds - used.seconds)
    task = begin_task(loop.workspace or paused.workspace, left, paused.task, paused.role)
    dispatcher = _as_allowed(loop, paused)
    _restore_purse(dispatcher, paused, task)
    return RunState(
        loop.model,
        dispatcher,
        settings,
        messages,
        task,
        steering,
        live,
        paused.text_mode or settings.mode == "text",
        used.turn,
        used.calls,
        usage=used.usage,
        turns=deque(paused.turns),
        spent=Counter(used.spent),
        kit=paused.kit,
        resumed=resumed,
    )


def _as_allowed(loop: Loop, paused: PausedRun) -> Dispatcher:
    """The loop's dispatcher, within what the run was allowed when it was paused.

    A run that had a kit keeps to it: if the loop has another kit, or none, only the tools that
    the run saw remain.
    """
    allowed = narrowed(loop.dispatcher.settings.permissions, paused.permissions)
    if paused.kit is not None and not (paused.kit and paused.kit == loop.kit):
        seen = {"allow": list(paused.tools), "deny": [], "roles": None}
        allowed = narrowed(allowed, seen)
    return loop.dispatcher.changed(permissions=allowed)


def _restore_purse(dispatcher: Dispatcher, paused: PausedRun, task: Scope) -> None:
    if dispatcher.settings.limits is not None:
        with task.entered():
            dispatcher.settings.budgets.always().add(paused.used.purse)
