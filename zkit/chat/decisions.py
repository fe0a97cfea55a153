"""Questions and approvals: a person decides now, or when the run is resumed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, TypedDict

from anyio import to_thread
from pydantic import Field

from zkit.calls import Call
from zkit.chat.paused_run import PausedRun, Waiting, require_paused
from zkit.dispatch import Dispatcher, approval_key, wait_for_answer
from zkit.dispatch.approval import nobody_to_ask
from zkit.errors import ResumeError
from zkit.grade import PURE
from zkit.results import Refused, Validation
from zkit.tools import FunctionTool, canonical_arguments, tool

Answer = str | Mapping[str, str] | None
Approve = bool | Mapping[str, bool] | None


@dataclass(frozen=True, slots=True)
class Resumption:
    """How a paused run goes on: answers by the id of the call, approvals by the key of the call."""

    paused: PausedRun
    answers: Mapping[str, str] = field(default_factory=dict)
    approvals: Mapping[str, bool] = field(default_factory=dict)
    reason: str = ""


class Decided(TypedDict, total=False):
    """What somebody decided on a paused run: answers, approvals, and why not."""

    answer: Answer
    approve: Approve
    reason: str


def resumption(
    paused: PausedRun, answer: Answer = None, approve: Approve = None, reason: str = ""
) -> Resumption:
    """Bind what was decided to the calls that wait for it; everything must have been decided."""
    require_paused(paused)
    asked = [one for one in paused.waiting if one.kind == "answer"]
    held = [one for one in paused.waiting if one.kind == "approval"]
    answers = _answers(asked, answer)
    approvals = _approvals(held, approve)
    for one in asked:
        if not answers.get(one.call.id, "").strip():
            raise ResumeError(f"the run waits for an answer to: {one.question}. Pass answer=...")
    for one in held:
        if one.key not in approvals:
            raise ResumeError(f"the run waits for a decision on {one.call.name}. Pass approve=...")
    return Resumption(paused, answers, approvals, reason)


def _answers(asked: list[Waiting], answer: Answer) -> Mapping[str, str]:
    if not isinstance(answer, str | Mapping | None):
        raise ResumeError(f"answer must be a text, or texts by call id, not {answer!r:.80}")
    if not isinstance(answer, str):
        return answer or {}
    if len(asked) != 1:
        raise ResumeError(
            f"{len(asked)} questions wait: pass answer={{call id: answer}}"
            if asked
            else "no question waits for an answer"
        )
    return {asked[0].call.id: answer}


def _approvals(held: list[Waiting], approve: Approve) -> Mapping[str, bool]:
    decided = list(approve.values()) if isinstance(approve, Mapping) else [approve]
    # 1 and "no" are true in Python too: only True is an approval.
    if not all(isinstance(one, bool) for one in decided) and approve is not None:
        raise ResumeError(
            f"approve must be True or False, or these by the key of the call, not {approve!r:.80}"
        )
    if not isinstance(approve, bool):
        return approve or {}
    if not held:
        raise ResumeError("no call waits for approval")
    return {one.key: approve for one in held}


class Approvals:
    """The approver of one run: it knows what was decided, and calls the loop's approver for everything else.

    `seen` are the calls that needed approval, by id, each with the key of its decision.
    """

    def __init__(
        self,
        dispatcher: Dispatcher,
        decided: Mapping[str, bool],
        reason: str,
        waiting: Iterable[Waiting] = (),
    ) -> None:
        self._dispatcher = dispatcher
        self._decided = decided
        self._keys = {one.call.id: one.key for one in waiting}
        self._reason = f": {reason}" if reason else ""
        self.seen: dict[str, tuple[str, Call]] = {}

    def __call__(self, call: Call) -> object:
        """Decide, or call the loop's approver."""
        key = self._key(call)
        self.seen[call.id] = (key, call)
        # A decision counts for the call that was shown with this key, and for no other.
        decided = self._decided.get(key) if self._keys.get(call.id) == key else None
        if decided is not None:
            refusal = Refused(f"{call.name} was not approved{self._reason}", code="approval")
            return decided is True or refusal
        ask = self._dispatcher.settings.approver
        return nobody_to_ask(call) if ask is None else ask(call)

    def _key(self, call: Call) -> str:
        """Return a key for what the tool will do: its digest, and the call with defaults filled in."""
        tool = self._dispatcher.get(call.name)
        if tool is None:
            return approval_key(call)
        arguments = canonical_arguments(tool.definition(), call.arguments)
        return approval_key(replace(call, arguments=arguments), tool.definition())


Ask = Callable[[str, tuple[str, ...]], object]


def clarification(ask: Ask | None = None) -> FunctionTool[..., Any]:
    """Make the tool `ask_clarification`.

    `ask` gets the question and the options and returns the answer; it may be async. Without it
    the run pauses, and the answer is given to `ChatLoop.resume`.
    """

    @tool(grade=PURE, cacheable=False, tags=["people"])
    async def ask_clarification(
        question: Annotated[str, Field(description="One question, complete in itself.")],
        options: Annotated[
            Sequence[str], Field(description="Answers to choose from, if there are only a few.")
        ] = (),
    ) -> object:
        """Ask the user a question, and wait for the answer.

        Only for what you cannot find out with the other tools, and cannot go on without.
        """
        if not question.strip():
            raise Validation("question: must not be empty. Send the question that you want to ask.")
        offered = tuple(option for option in options if option.strip())
        if ask is None:
            return wait_for_answer(question, offered)
        if inspect.iscoroutinefunction(ask):
            return await ask(question, offered)
        # It waits for a person, so it has a thread.
        return await to_thread.run_sync(ask, question, offered, abandon_on_cancel=True)

    return ask_clarification


if TYPE_CHECKING:
    ask_clarification: FunctionTool[..., object]
    """The tool that pauses a run for a question."""


def __getattr__(name: str) -> object:
    """Make the tool `ask_clarification` on first use: few runs have it."""
    if name != "ask_clarification":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    made = globals()[name] = clarification()
    return made
