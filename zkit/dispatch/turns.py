"""Runs the calls of one turn, and returns an outcome for each, in their order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from anyio import CapacityLimiter, create_task_group, get_cancelled_exc_class

from zkit.calls import Call
from zkit.dispatch.approval import before_its_turn, pause_in
from zkit.dispatch.live_call import LiveCall, Trace, plain_call
from zkit.dispatch.tool_lookup import find_tool
from zkit.results import Result

if TYPE_CHECKING:
    from zkit.dispatch.dispatcher import Dispatcher


@dataclass(frozen=True, slots=True)
class Outcome:
    """A call as it was read (as it was sent, if it could not be read), and its result."""

    call: Call
    result: Result
    seconds: float = 0.0
    attempts: int = 0


def outcome_of(call: Call, trace: Trace, result: Result) -> Outcome:
    """Return the outcome of a finished call."""
    return Outcome(plain_call(trace.call or call), result, trace.seconds, trace.attempts)


class Turn:
    """The calls that a model made in one turn.

    Calls of tools that only read run together, all others alone and in their order; a call that
    fails cancels no other. After a call that pauses the turn, running calls finish, and no other
    starts. `outcomes` has one entry for each call once `run` has ended, even if it was cancelled.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        calls: Sequence[Call],
        finish_reason: str | None = None,
        *,
        resumed: bool = False,
    ) -> None:
        self._is_resumed = resumed
        self.calls = tuple(calls)
        self._dispatcher = dispatcher
        self._finish_reason = finish_reason
        self._outcomes: list[Outcome | None] = [None] * len(self.calls)
        self._is_paused = False

    @property
    def outcomes(self) -> list[Outcome]:
        """The outcome of each call so far; a call without a result was not run."""
        return [
            found or Outcome(call, before_its_turn() if self._is_paused else Trace().cancelled())
            for call, found in zip(self.calls, self._outcomes, strict=True)
        ]

    @property
    def results(self) -> list[Result]:
        """The result of each call, in the order of the calls."""
        return [outcome.result for outcome in self.outcomes]

    async def run(self) -> list[Result]:
        """Run the calls and return their results."""
        if not self._is_resumed:
            self._dispatcher.settings.confirmations.always().next_reply()
        recorder = self._dispatcher.settings.recorder
        block: AbstractContextManager[Any] = nullcontext() if recorder is None else recorder.turn()
        with block:
            for group in self._groups():
                await self._together(group)
                if any(map(self._pauses, group)):
                    self._is_paused = True
                    break
        return self.results

    def _pauses(self, index: int) -> bool:
        found = self._outcomes[index]
        return found is not None and pause_in(found.result) is not None

    def _groups(self) -> Iterator[list[int]]:
        """Return the groups of calls that run together; computed late, because a call may change
        the tools."""
        at = 0
        while at < len(self.calls):
            end = at + 1
            while self._reads(at) and end < len(self.calls) and self._reads(end):
                end += 1
            yield list(range(at, end))
            at = end

    def _reads(self, index: int) -> bool:
        """True if a call may run beside others; a call of an unknown tool runs nothing.

        If that cannot be decided it runs alone, and its result says why.
        """
        settings = self._dispatcher.settings
        try:
            tool = find_tool(settings, self.calls[index].name)
            return tool is None or settings.policy_of(tool).parallel
        except Exception:
            return False

    async def _together(self, group: list[int]) -> None:
        if len(group) == 1:
            await self._one(group[0])
            return
        limiter = CapacityLimiter(self._dispatcher.settings.max_parallel)
        async with create_task_group() as tasks:
            for index in group:
                tasks.start_soon(self._one, index, limiter)

    async def _one(self, index: int, limiter: CapacityLimiter | None = None) -> None:
        trace = Trace(in_turn=True)
        call = self.calls[index]
        live: LiveCall = self._dispatcher.live(call, trace, self._finish_reason)
        try:
            async with limiter or nullcontext():
                result = await self._dispatcher.run(live)
        except get_cancelled_exc_class():
            self._outcomes[index] = outcome_of(call, trace, trace.cancelled())
            raise
        self._outcomes[index] = outcome_of(call, trace, result)
