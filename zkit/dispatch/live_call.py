"""A call on its way through the dispatcher, and its outcome."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, fields, replace
from time import perf_counter
from typing import TYPE_CHECKING, Any, TypeVar

from zkit.calls import Call
from zkit.dispatch.call_policy import CallPolicy
from zkit.effects import FileEffect, ProcessEffect
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank
from zkit.results import Failure, Result, Transient
from zkit.tools import Tool, ToolSpec

if TYPE_CHECKING:
    from zkit.dispatch.dispatch_settings import Settings


R = TypeVar("R", bound=Result)


def with_meta(result: R, **added: object) -> R:
    """Return the result with more in its `meta`; the cause of a failure is kept."""
    changed: R = replace(result, meta={**result.meta, **added})  # type: ignore[attr-defined, type-var]
    if isinstance(result, Failure) and isinstance(changed, Failure):
        changed.__cause__ = result.__cause__
    return changed


def with_notes(result: R, *notes: str) -> R:
    """Return the result with notes that the model reads below it."""
    old = list(result.meta.get("notes", ()))  # type: ignore[attr-defined]
    new = [note for note in notes if note and note not in old]
    return with_meta(result, notes=[*old, *new]) if new else result


def effects_of(result: Result | None) -> tuple[FileEffect | ProcessEffect, ...]:
    """Return the known effects of a result."""
    found: tuple[FileEffect | ProcessEffect, ...] = getattr(result, "effects", ())
    return found


def cancelled(*, began: bool, abandoned: bool = False) -> Transient:
    """Return the result of a cancelled call: nobody waits for it, but every call has a result."""
    what = "while it ran; it may have had an effect" if began else "before it began"
    meta: JsonObject = {"cancelled": True, "began": began}
    return Transient(
        f"the call was cancelled {what}", meta=meta | ({"abandoned": True} if abandoned else {})
    )


class Trace:
    """The state of one call so far: its only mutable part."""

    call: LiveCall | None = None  # the call, as far as it was read
    ran = False  # whether code of the tool began
    attempts = 0
    abandoned = False  # whether code of the tool was still running when the wait ended
    result: Result | None = None  # as the chain returned it
    unnotified: list[Any] | None = None  # the hooks that have not received the result

    def __init__(self, *, in_turn: bool = False) -> None:
        self.in_turn = in_turn  # whether it is one of the calls of a `Turn`
        self.started = perf_counter()

    @property
    def seconds(self) -> float:
        """How long ago the call came in."""
        return perf_counter() - self.started

    def cancelled(self) -> Transient:
        """Return the result that the call has if it is cancelled now."""
        return cancelled(began=self.ran, abandoned=self.abandoned)


@dataclass(frozen=True, init=False)
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

    def __init__(self, **values: object) -> None:
        self.__dict__.update(_DEFAULTS, **values)

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
        values = self.__dict__.copy()
        values["name"] = spec.name
        values["tool"] = tool
        values["spec"] = spec
        values["policy"] = policy
        values["fixes"] = fixes
        values["rank"] = rank
        made: LiveCall = _new(LiveCall)
        _set(made, "__dict__", values)
        return made

    def with_arguments(
        self, arguments: object, typed: object, fixes: tuple[Fix, ...], rank: Rank
    ) -> LiveCall:
        """Return the call with decoded arguments."""
        values = self.__dict__.copy()
        values["arguments"] = arguments
        values["typed"] = (arguments, typed)
        values["fixes"] = fixes
        values["rank"] = rank
        made: LiveCall = _new(LiveCall)
        _set(made, "__dict__", values)
        return made


_DEFAULTS: JsonObject = {
    "settings": None,
    "tool": None,
    "spec": None,
    "policy": None,
    "typed": None,
    "approved": None,
    "finish_reason": None,
}
# `replace` would cost several times as much, on every call.
_new, _set = object.__new__, object.__setattr__
_CALL_FIELDS = tuple(entry.name for entry in fields(Call))


def live_call(call: Call, settings: Settings, trace: Trace, finish_reason: str | None) -> LiveCall:
    """Return a call ready to go through the chain."""
    values: JsonObject = _DEFAULTS.copy()
    if type(call) is Call:
        values.update(call.__dict__)
    else:
        values.update({name: getattr(call, name) for name in _CALL_FIELDS})
    values["settings"] = settings
    values["trace"] = trace
    values["finish_reason"] = finish_reason
    made: LiveCall = _new(LiveCall)
    _set(made, "__dict__", values)
    return made


Next = Callable[[LiveCall], Awaitable[Result]]
Middleware = Callable[[LiveCall, Next], Awaitable[Result]]
"""A step. A plain function that returns what `proceed` returned saves a coroutine if it has nothing
to await; most steps of most calls have nothing to do."""


async def ended(result: Result) -> Result:
    """Return the result: what a step that is a plain function returns when the call ends there."""
    return result


def plain_call(call: Call, arguments: object = None) -> Call:
    """Return the plain call for a tool or a history, without the dispatcher's state."""
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
