"""A run as a task: calls inside it share a memory and a ledger, which end with it."""

from __future__ import annotations

from zkit.chat.desk import new_id
from zkit.tools import Scope, current_scope


def begin_task(workspace: str = "", seconds: float | None = None) -> Scope:
    """A task of its own inside whatever runs here; it must be ended.

    A generator cannot hold a context open while its caller runs, so each step of a run enters the
    scope and leaves it.
    """
    outer = current_scope()
    task = f"{outer.task}/{new_id()}" if outer.task else new_id()
    return outer.inner(task, timeout=seconds, workspace=workspace or outer.workspace)
