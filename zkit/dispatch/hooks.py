"""Functions that are called before and after calls, at six points."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, Protocol, TypeVar, get_args

from zkit.calls import Call
from zkit.errors import ZkitError
from zkit.results import Failure, Refused, Result, Success
from zkit.tools import Scope, current_scope
from zkit.tools.context import log_failure
from zkit.tools.execution import is_contained

Point = Literal["before", "after", "error", "denied", "over_budget", "disabled"]
POINTS: tuple[Point, ...] = get_args(Point)
_BY_CODE: dict[str, Point] = {"budget": "over_budget", "disabled": "disabled"}


class HookError(ZkitError, ValueError):
    """A hook for a point that does not exist."""


@dataclass(frozen=True, slots=True)
class HookEvent:
    """The event that a hook receives.

    At `before` the call is as the model sent it. At the other points it is as it was read, with its
    `result`, its duration in seconds and the number of attempts.
    """

    point: Point
    call: Call
    scope: Scope
    result: Result | None = None
    seconds: float = 0.0
    attempts: int = 0


class Emitted(Protocol):
    """What is known about a finished call."""

    result: Result | None
    attempts: int

    @property
    def seconds(self) -> float:
        """How long it took."""


Hook = Callable[[HookEvent], Any]
H = TypeVar("H", bound=Hook)


class Hooks:
    """Functions by the point at which they are called, plain or async, in order of registration.

    Every call fires `before`, and then exactly one of the others. A hook vetoes by returning or
    raising a `Failure`: at `before` the call does not run, at `after` its answer is withheld. If a
    `before` hook crashes, the call is refused; a crash of any other hook is logged.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._hooks: dict[Point, tuple[tuple[Hook, str | None], ...]] = {}
        self.is_empty = True
        """True if no hook was ever added."""

    def add(self, point: Point, hook: H, *, workspace: str | None = None) -> H:
        """Add a function to a point, where it is called once however often it is added.

        With `workspace`, only for calls of that workspace.
        """
        if point not in POINTS:
            raise HookError(f"there is no point {point!r}; there are {', '.join(POINTS)}")
        with self._lock:
            known = self._hooks.get(point, ())
            if (hook, workspace) not in known:
                self._hooks[point] = (*known, (hook, workspace))
                self.is_empty = False
        return hook

    def on(self, point: Point, *, workspace: str | None = None) -> Callable[[H], H]:
        """Add the function below, as a decorator."""
        return lambda hook: self.add(point, hook, workspace=workspace)

    def remove(self, point: Point, hook: Hook) -> bool:
        """Remove a hook; return False if it was not registered."""
        with self._lock:
            known = self._hooks.get(point, ())
            self._hooks[point] = tuple(entry for entry in known if entry[0] != hook)
            return len(self._hooks[point]) < len(known)

    def clear(self, point: Point | None = None, *, workspace: str | None = None) -> None:
        """Remove all hooks of a point, or of all points; with `workspace`, only those of that
        workspace."""
        with self._lock:
            for one in POINTS if point is None else (point,):
                kept = self._hooks.get(one, ()) if workspace is not None else ()
                self._hooks[one] = tuple(entry for entry in kept if entry[1] != workspace)

    def has(self, point: Point) -> bool:
        """True if a hook is registered for a point."""
        return bool(self._hooks.get(point))

    def at(self, point: Point, workspace: str = "") -> list[Hook]:
        """List the hooks of a point that are called in a workspace."""
        found = self._hooks.get(point)
        return [hook for hook, only in found if only in (None, workspace)] if found else []

    async def fire(
        self,
        point: Point,
        call: Call,
        trace: Emitted | None = None,
        hooks: list[Hook] | None = None,
    ) -> Failure | None:
        """Call the hooks of a point, or the remaining ones; return the first veto.

        Each hook is taken from the list before it is called.
        """
        scope = current_scope()
        told = (trace.result, trace.seconds, trace.attempts) if trace is not None else ()
        event = HookEvent(point, call, scope, *told)
        left = self.at(point, scope.workspace) if hooks is None else hooks
        first: Failure | None = None
        while left:
            veto = await _asked(left.pop(0), event)
            first = first or veto
        return first


async def _asked(hook: Hook, event: HookEvent) -> Failure | None:
    try:
        answer = hook(event)
        if inspect.isawaitable(answer):
            answer = await _awaited(answer)
    except Failure as failure:
        answer = failure
    except BaseException as error:
        if not is_contained(error):
            raise
        log_failure("the %s hook %r failed with %s", error, event.point, hook)
        reason = "a hook that must agree to each call failed"
        return Refused(reason) if event.point == "before" else None
    may_veto = event.point in ("before", "after") and isinstance(answer, Failure)
    return answer if may_veto else None


async def _awaited(answer: Awaitable[Any]) -> Any:
    return await answer


def point_of(result: Result) -> Point:
    """Return the hook point for a result."""
    if isinstance(result, Success):
        return "after"
    if isinstance(result, Refused):
        return _BY_CODE.get(result.code, "denied")
    return "error"
