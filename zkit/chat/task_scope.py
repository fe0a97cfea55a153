"""A run as a task: calls inside it share a memory and a ledger, which end with it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Event

from zkit.chat.desk import new_id
from zkit.tools.context import _SCOPE, Scope, _end, current_scope
from zkit.tools.watching import reset


def begin_task(workspace: str = "", seconds: float | None = None) -> Scope:
    """A task of its own inside whatever runs here; `end_task` must follow."""
    outer = current_scope()
    ends = None if seconds is None else time.monotonic() + seconds
    known = [moment for moment in (ends, outer.deadline) if moment is not None]
    return replace(
        outer,
        task=f"{outer.task}/{new_id()}" if outer.task else new_id(),
        workspace=workspace or outer.workspace,
        deadline=min(known, default=None),
        depth=outer.depth + 1,
        _ends={},
        _over=Event(),
    )


@contextmanager
def inside(task: Scope) -> Iterator[None]:
    """Run code inside a task that goes on after the block.

    A generator cannot hold a context open while its caller runs, so each step enters and leaves.
    """
    token = _SCOPE.set(task)
    try:
        yield
    finally:
        reset(_SCOPE, token)


def end_task(task: Scope) -> None:
    """Forget what was remembered for a task."""
    if not task.is_over:
        _end(task)
