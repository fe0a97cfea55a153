"""A call on its way through the dispatcher, and what became of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from zkit.calls import Call
from zkit.dispatch.call_policy import CallPolicy
from zkit.effects import FileEffect, ProcessEffect
from zkit.receipt import Fix, Rank
from zkit.results import Failure, Result, Transient
from zkit.tools import Tool, ToolSpec

if TYPE_CHECKING:
    from zkit.dispatch.dispatch_settings import Settings


R = TypeVar("R", bound=Result)


def with_meta(result: R, **added: Any) -> R:
    """Return the result with more in its `meta`; why it failed stays with it."""
    changed: R = replace(result, meta={**result.meta, **added})  # type: ignore[attr-defined,type-var]
    if isinstance(result, Failure) and isinstance(changed, Failure):
        changed.__cause__ = result.__cause__
    return changed


def with_notes(result: R, *notes: str) -> R:
    """Return the result with notes that the model reads below it."""
    old = list(result.meta.get("notes", ()))  # type: ignore[attr-defined]
    new = [note for note in notes if note and note not in old]
    return with_meta(result, notes=[*old, *new]) if new else result


def effects_of(result: Result | None) -> tuple[FileEffect | ProcessEffect, ...]:
    """Return what was done to the world, as far as it is known."""
    found: tuple[FileEffect | ProcessEffect, ...] = getattr(result, "effects", ())
    return found


def cancelled(*, began: bool, abandoned: bool = False) -> Transient:
    """Return the result of a call that was cancelled: nobody waits, but it has an answer."""
    what = "while it ran; it may have had an effect" if began else "before it began"
    meta: dict[str, Any] = {"cancelled": True, "began": began}
    return Transient(
        f"the call was cancelled {what}", meta=meta | ({"abandoned": True} if abandoned else {})
    )


class Trace:
    """What became of one call so far: the only thing about it that changes."""

    __slots__ = ("abandoned", "attempts", "call", "in_turn", "ran", "result", "started", "untold")

    def __init__(self, *, in_turn: bool = False) -> None:
        self.in_turn = in_turn  # whether it is one of the calls of a `Turn`
        self.call: LiveCall | None = None  # the call as far as it was read
        self.started = perf_counter()
        self.ran = False  # whether code of the tool began
        self.attempts = 0
        self.abandoned = False  # whether code of the tool still ran when nobody waited any more
        self.result: Result | None = None  # as the chain gave it
        self.untold: list[Any] | None = None  # the hooks that have not heard of the result

    @property
    def seconds(self) -> float:
        """How long ago the call came in."""
        return perf_counter() - self.started

    def cancelled(self) -> Transient:
        """Return the result that the call has if it is cancelled now."""
        return cancelled(began=self.ran, abandoned=self.abandoned)


@dataclass(frozen=True, slots=True)
class LiveCall(Call):
    """A call on its way through the chain. `replace` it to change what the inner steps see.

    `tool`, its `spec` and `policy` are there once the name is resolved; `arguments` are JSON data
    that cannot be changed once they are decoded, and `typed_arguments` what the tool is called with.
    `approved` holds the arguments and the tool that somebody approved.
    """

    settings: Settings = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    trace: Trace = field(default_factory=Trace, repr=False, compare=False)
    tool: Tool = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    spec: ToolSpec = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    policy: CallPolicy = field(default=None, repr=False, compare=False)  # type: ignore[assignment]
    typed: tuple[Any, Any] | None = field(default=None, repr=False, compare=False)
    approved: tuple[Any, Tool] | None = field(default=None, repr=False, compare=False)
    finish_reason: str | None = field(default=None, repr=False)

    @property
    def typed_arguments(self) -> Any:
        """The arguments as the tool takes them; None when a step has changed the arguments."""
        typed = self.typed
        return typed[1] if typed is not None and typed[0] is self.arguments else None

    def with_tool(
        self,
        tool: Tool,
        spec: ToolSpec,
        policy: CallPolicy,
        fixes: tuple[Fix, ...],
        rank: Rank,
    ) -> LiveCall:
        """Return the call with its name resolved."""
        return _made(self, spec.name, self.arguments, fixes, rank, tool, spec, policy)

    def with_arguments(
        self, arguments: Any, typed: Any, fixes: tuple[Fix, ...], rank: Rank
    ) -> LiveCall:
        """Return the call with decoded arguments."""
        return _made(
            self,
            self.name,
            arguments,
            fixes,
            rank,
            self.tool,
            self.spec,
            self.policy,
            (arguments, typed),
        )


def live_call(call: Call, settings: Settings, trace: Trace, finish_reason: str | None) -> LiveCall:
    """Return a call ready to go through the chain."""
    return LiveCall(
        call.name,
        call.arguments,
        call.id,
        call.origin,
        call.tier,
        call.confidence,
        call.rank,
        call.fixes,
        call.span,
        call.position,
        settings,
        trace,
        finish_reason=finish_reason,
    )


def _made(
    call: LiveCall,
    name: str,
    arguments: Any,
    fixes: tuple[Fix, ...],
    rank: Rank,
    tool: Tool,
    spec: ToolSpec,
    policy: CallPolicy,
    typed: tuple[Any, Any] | None = None,
) -> LiveCall:
    """A live call by positions; `replace` would cost several times as much, on every call."""
    return LiveCall(
        name,
        arguments,
        call.id,
        call.origin,
        call.tier,
        call.confidence,
        rank,
        fixes,
        call.span,
        call.position,
        call.settings,
        call.trace,
        tool,
        spec,
        policy,
        typed,
        call.approved,
        call.finish_reason,
    )


Next = Callable[[LiveCall], Awaitable[Result]]
Middleware = Callable[[LiveCall, Next], Awaitable[Result]]


def plain_call(call: Call, arguments: Any = None) -> Call:
    """Return the call as a tool or a history takes it, without what the dispatcher knows."""
    given = call.arguments if arguments is None else arguments
    return Call(
        call.name,
        given,
        call.id,
        call.origin,
        call.tier,
        call.confidence,
        call.rank,
        call.fixes,
        call.span,
        call.position,
    )
