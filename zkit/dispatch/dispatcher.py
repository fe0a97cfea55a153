"""The dispatcher: sends every call through one chain of steps and returns its result."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal

from zkit.calls import Call
from zkit.dispatch.approval import Approver, Confirm, Confirmations, Waiting
from zkit.dispatch.budgets import Budget, Limits, rough_tokens
from zkit.dispatch.call_policy import Cells, checked_cells
from zkit.dispatch.chain import CHAIN, checked_chain, linked
from zkit.dispatch.dispatch_settings import Settings
from zkit.dispatch.guards import Guard, checked_guards, recall_outcome
from zkit.dispatch.hooks import Hooks
from zkit.dispatch.live_call import LiveCall, Middleware, Trace, live_call
from zkit.dispatch.loop_guards import repeated_calls
from zkit.dispatch.metrics import Metrics
from zkit.dispatch.permissions import permissions, warn_of_unmatched
from zkit.dispatch.portal import run_sync
from zkit.dispatch.recorder import Recorder, checked_recorder
from zkit.dispatch.run_step import memory_for, reached, result_of_step, step_result
from zkit.dispatch.tool_lookup import absent, find_tool
from zkit.dispatch.turns import Outcome, Turn, outcome_of
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Failure, Result
from zkit.sources import Memory, SourceView, ToolSource
from zkit.sources.source import as_source
from zkit.tools import Tool
from zkit.tools.context import PerTask

TIMEOUT = 300.0


class Dispatcher(SourceView):
    """Runs the calls that a model made. Mistakes of a model or a tool are results and never raised.

    `source` is a `Toolbox`, a `Kit`, any other source, or a list of tools and functions. A
    dispatcher is a source itself: it lists the tools that may be called. Safe to use from several
    threads and event loops.

    Who may call what: `allow`, `deny`, `roles` (selections like those of a kit), `enabled`.
    `approve` is called before a destructive call, and must return True. It is also called for a
    call that was found in text and may not have been meant (`zkit.tools.TEXT_CALLS`); without it,
    the model confirms such a call by sending it again. `confirm="never"` runs it at once. What a
    task may spend: `budget`. `memory` is the one to use (False for none); without it, answers are
    remembered inside tasks. `guards` look at calls, `recorder` at files, `hooks` and `metrics` at
    outcomes. `policy` changes the table of defaults by column (0 to 3) or by tool. `timeout`,
    `attempts`, `longest_wait` (before a retry) and `grace` (to stop in) are limits. `chain` is the
    order of the steps.
    """

    def __init__(
        self,
        source: ToolSource | Iterable[Any],
        *,
        allow: object = "*",
        deny: object = (),
        roles: JsonMapping | None = None,
        enabled: bool | Callable[[], bool] = True,
        approve: Approver | None = None,
        confirm: Confirm = "doubtful",
        budget: Limits | None = None,
        memory: Memory | Literal[False] | None = None,
        guards: Iterable[Guard] | None = None,
        recorder: Recorder | None = None,
        hooks: Hooks | None = None,
        metrics: Metrics | None = None,
        policy: Cells | None = None,
        timeout: float | None = TIMEOUT,
        attempts: int = 3,
        longest_wait: float = 30.0,
        grace: float = 1.0,
        max_parallel: int = 8,
        record_content: bool = False,
        count_tokens: Callable[[str], int] = rough_tokens,
        chain: Sequence[Middleware] = CHAIN,
    ) -> None:
        super().__init__()
        found = as_source(source)
        remembered, always = memory_for(found, memory)
        self.settings = Settings(
            source=found,
            execute=reached(found),
            hooks=Hooks() if hooks is None else hooks,
            metrics=Metrics() if metrics is None else metrics,
            permissions=permissions(allow, deny, roles, enabled),
            approver=approve,
            confirm=confirm,
            confirmations=PerTask(Confirmations),
            limits=budget,
            budgets=PerTask(lambda: Budget(budget or Limits())),
            memory=remembered,
            remember_always=always,
            guards=checked_guards((repeated_calls(),) if guards is None else guards),
            recorder=checked_recorder(recorder),
            cells=checked_cells({} if policy is None else policy),
            timeout=timeout,
            attempts=attempts,
            longest_wait=longest_wait,
            grace=grace,
            max_parallel=max_parallel,
            record_content=record_content,
            count_tokens=count_tokens,
        )
        self.chain = checked_chain(chain)
        self._first = linked(self.chain, self.settings)
        warn_of_unmatched(self.settings.permissions, found.tools())

    def __repr__(self) -> str:
        return f"<dispatcher: {', '.join(self.names()) or 'no tools'}>"

    # One call

    async def call(self, call: Call, /, *, finish_reason: str | None = None) -> Result:
        """Run a call and return its result. `finish_reason` is the one that the server sent for the turn.

        Only cancellation is raised.
        """
        live = live_call(call, self.settings, Trace(), finish_reason)
        try:  # like `step_result`, without another coroutine on every call
            result = await self._first(live)
        except BaseException as error:
            return result_of_step(error, live)
        return result if isinstance(result, Result) else result_of_step(result, live)

    def call_sync(self, call: Call, /, *, finish_reason: str | None = None) -> Result:
        """Run a call and return its result, from plain code, in any thread."""
        return run_sync(self.run, self.live(call, Trace(), finish_reason))

    async def outcome(self, call: Call, /, *, finish_reason: str | None = None) -> Outcome:
        """Run a call and return its result with the call as it was read, for a history."""
        trace = Trace()
        result = await self.run(self.live(call, trace, finish_reason))
        return outcome_of(call, trace, result)

    # The calls of one turn

    def turn(
        self, calls: Sequence[Call], *, finish_reason: str | None = None, resumed: bool = False
    ) -> Turn:
        """Prepare the calls of one turn; after `run`, each call has an outcome, whatever happened.

        `resumed` means that these are calls of a reply of which others have run before.
        """
        return Turn(self, calls, finish_reason, resumed=resumed)

    async def call_all(
        self, calls: Sequence[Call], *, finish_reason: str | None = None
    ) -> list[Result]:
        """Run the calls of one turn and return their results, in the order of the calls.

        Reads run together, writes in their order; a failure cancels no other call.
        """
        return await self.turn(calls, finish_reason=finish_reason).run()

    def call_all_sync(
        self, calls: Sequence[Call], *, finish_reason: str | None = None
    ) -> list[Result]:
        """Run the calls of one turn and return their results, from plain code."""
        return run_sync(self.turn(calls, finish_reason=finish_reason).run)

    # Calls that wait for the model to confirm them

    def unconfirmed_calls(self) -> list[JsonObject]:
        """Return the calls of this task that its next reply can confirm, as plain JSON data."""
        return self.settings.confirmations.always().to_list()

    def restore_unconfirmed(self, calls: Iterable[Waiting]) -> None:
        """Let the next reply of this task confirm what `unconfirmed_calls` returned before.

        Raises `ValueError` for anything else.
        """
        self.settings.confirmations.always().restore(calls)

    # A task that continues in another process

    def recall(self, outcomes: Iterable[Outcome]) -> None:
        """Let the guards count the earlier calls of this task, in the order given; nothing is run."""
        for outcome in outcomes:
            call = self.live(outcome.call, Trace())
            call.trace.ran = outcome.attempts > 0
            tool = find_tool(self.settings, call.name)
            if tool is not None:
                spec, policy = tool.definition(), self.settings.policy_of(tool)
                call = call.with_tool(tool, spec, policy, call.fixes, call.rank)
            recall_outcome(call, outcome.result)

    # As a source

    @property
    def version(self) -> int:
        """A number that grows whenever the listing of the source changes."""
        return self.settings.source.version

    def tools(self) -> Sequence[Tool]:
        """List the tools that may be called here, sorted by name."""
        tools, allowed = self.settings.source.tools(), self.settings.permissions
        return tools if allowed.is_open else tuple(t for t in tools if not allowed.refusal(t))

    def get(self, name: str) -> Tool | None:
        """Find a tool that may be called here, by its name or its wire name."""
        tool, allowed = self.settings.source.get(name), self.settings.permissions
        return None if tool is None or (not allowed.is_open and allowed.refusal(tool)) else tool

    def _once(self, what: str, make: Callable[[], Any]) -> Any:
        """Cache a value made from the listing, unless the allowed tools depend on the caller."""
        return super()._once(what, make) if self.settings.permissions.is_open else make()

    def absent(self, name: str) -> Failure:
        """Say why there is no tool of that name here."""
        tool = find_tool(self.settings, name)
        refusal = None if tool is None else self.settings.permissions.refusal(tool)
        return refusal or absent(self.settings, name)

    def changed(self, **settings: Any) -> Dispatcher:
        """Return a dispatcher with some fields of its `settings` changed; all others are shared."""
        made = copy.copy(self)
        made.settings = replace(self.settings, **settings)
        made._first = linked(made.chain, made.settings)
        return made

    # Its parts

    @property
    def hooks(self) -> Hooks:
        """The functions that are called with the events of calls."""
        return self.settings.hooks

    @property
    def metrics(self) -> Metrics:
        """The numbers by tool."""
        return self.settings.metrics

    def live(self, call: Call, trace: Trace, finish_reason: str | None = None) -> LiveCall:
        """Return a call ready to go through the chain."""
        return live_call(call, self.settings, trace, finish_reason)

    def run(self, call: LiveCall) -> Awaitable[Result]:
        """Send a live call through the chain; what a step of it raises is a result too."""
        return step_result(self._first, call)
