"""The invariants of the loop hold in every conversation; and each can be seen red.

For the second, the loop is broken in one place, and the machine must find it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import chat_machine
import pytest
from chat_machine import Conversation
from hypothesis import Phase, settings
from hypothesis.errors import FlakyFailure
from hypothesis.stateful import run_state_machine_as_test
from profiles import many

from zkit.chat import call_answers, history, reply_reader, tool_offer
from zkit.chat.assembler import CallParts
from zkit.chat.reply_reader import ReplyReader
from zkit.chat.run_state import RunState
from zkit.dispatch import loop_guards
from zkit.sources import Toolbox


@pytest.fixture(scope="module", autouse=True)
def _closed() -> Iterator[None]:
    yield
    chat_machine.close()


# A failure is told as it was found: each step is a conversation over HTTP, and shrinking would take long.
STEPS = settings(many(60, quick=15), stateful_step_count=16, phases=[Phase.generate])
TestConversation = Conversation.TestCase
TestConversation.settings = STEPS


# ── each invariant can go red ────────────────────────────────────────────────

Patch = pytest.MonkeyPatch


def answers_are_empty(patch: Patch) -> None:
    patch.setattr(call_answers, "tool_message", lambda id, text: {"role": "tool", "tool_call_id": id, "content": ""})  # fmt: skip


def the_last_answer_is_forgotten(patch: Patch) -> None:
    added = call_answers._added

    def forgetful(run: Any, *given: Any) -> Any:
        found = added(run, *given)
        del run.messages[-1]
        return found

    patch.setattr(call_answers, "_added", forgetful)


def text_wins_over_native_calls(patch: Patch) -> None:
    made = ReplyReader._made

    def confused(self: ReplyReader, reply: Any, found: Any) -> Any:
        return made(self, replace(reply, calls=()) if found.calls else reply, found)

    patch.setattr(ReplyReader, "_made", confused)


def broken_text_is_stored(patch: Patch) -> None:
    patch.setattr(history, "dumps", lambda value: json.dumps(value, separators=(",", ":")))


def a_call_is_stored_as_text_too(patch: Patch) -> None:
    made = ReplyReader._made
    patch.setattr(
        ReplyReader, "_made", lambda self, reply, found: replace(made(self, reply, found), text=reply.content)
    )  # fmt: skip


def the_finish_reason_is_lost(patch: Patch) -> None:
    patch.setattr(reply_reader, "_finish", lambda reason, usage, most: "stop")


def deltas_are_routed_by_index_alone(patch: Patch) -> None:
    route = CallParts._route
    patch.setattr(CallParts, "_route", lambda self, id, index, name: route(self, "", index, ""))


def the_tools_are_read_once(patch: Patch) -> None:
    offering = RunState.offering
    kept: dict[str, Any] = {}
    patch.setattr(
        RunState, "offering", lambda self: kept.setdefault(self.task.task, offering(self))
    )


def the_tools_are_not_sorted(patch: Patch) -> None:
    listed = Toolbox.tools
    patch.setattr(Toolbox, "tools", lambda self, *given: tuple(reversed(listed(self, *given))))
    patch.setattr(tool_offer, "sorted", lambda found, key: list(found), raising=False)


def repeated_calls_are_not_refused(patch: Patch) -> None:
    patch.setattr(loop_guards, "_repeated_refusal", lambda *given: None)


def fixes_are_not_reported(patch: Patch) -> None:
    events = call_answers.finished_events
    patch.setattr(
        call_answers, "finished_events", lambda *given: (one for one in events(*given) if one.kind != "call_repaired")
    )  # fmt: skip


BREAKS = [
    answers_are_empty, the_last_answer_is_forgotten, text_wins_over_native_calls, broken_text_is_stored,
    a_call_is_stored_as_text_too, the_finish_reason_is_lost, deltas_are_routed_by_index_alone,
    the_tools_are_read_once, the_tools_are_not_sorted, repeated_calls_are_not_refused, fixes_are_not_reported,
]  # fmt: skip


RARE = {the_finish_reason_is_lost, the_tools_are_read_once}
"""Found after a hundred conversations and more."""


@pytest.mark.parametrize(
    "break_it",
    [pytest.param(one, marks=pytest.mark.slow if one in RARE else ()) for one in BREAKS],
    ids=[one.__name__ for one in BREAKS],
)
def test_a_broken_loop_is_found(break_it: Callable[[Patch], None], monkeypatch: Patch) -> None:
    break_it(monkeypatch)
    looking = settings(STEPS, max_examples=200, report_multiple_bugs=False)
    with pytest.raises((AssertionError, FlakyFailure)):  # the second: found, and not found again
        run_state_machine_as_test(Conversation, settings=looking)
