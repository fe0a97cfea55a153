"""The recordings behind the figures of the coach hold what they are played for."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.coach import _spread
from benchmarks.coach_played import (
    WORDINGS,
    Played,
    Pretended,
    Repeat,
    copied,
    mode_of,
    recorded_firsts,
    recorded_repeats,
    reply_after,
)
from zkit.calls import Call
from zkit.dispatch.loop_guards import ALREADY_DONE


class Model:
    """A client that answers with one text, and keeps the last request."""

    def __init__(self, text: str) -> None:
        self.played = Played(None, [text] * 9, 0)
        self.request: dict[str, Any] = {}
        self.chat = self.completions = self

    def create(self, **request: Any) -> Any:
        """Answer a request."""
        self.request = request
        return self.played.create(**request)


@pytest.mark.parametrize("one", recorded_repeats(), ids=lambda one: one.task.ask[:40])
def test_each_recorded_repetition_ends_in_a_write_that_is_done(one: Repeat) -> None:
    model = Model("All done.")
    assert reply_after(model, "m", one, "told so", {}) in ("answer, task done", "answer too early")
    assert model.request["messages"][-1]["content"] == "told so"


@pytest.mark.parametrize(
    ("text", "kind"),
    [("", "empty"), ("<tool_response>ok</tool_response>", "made-up result"), (None, "same call"),
     ('{"name": "read_file", "arguments": {"path": "a"}}', "another call"),
     ('{"name": "make_tea", "arguments": {}}', "another call")],
)  # fmt: skip
def test_what_a_model_writes_next_is_told_apart(text: str | None, kind: str) -> None:
    one = recorded_repeats()[0]
    model = Model(one.replies[-1] if text is None else text)
    assert reply_after(model, "m", one, ALREADY_DONE, {}) == kind


def test_the_wording_in_use_was_measured() -> None:
    assert ALREADY_DONE in WORDINGS.values()


def test_failures_are_spread_over_their_modes() -> None:
    failing = [(one, tools, mode_of(one, tools)) for one, tools in recorded_firsts(None)]
    modes = {mode for _, _, mode in failing}
    assert {"unknown_tool", "bad_value", "wrong_type", "truncated"} <= modes
    assert {mode for _, _, mode in _spread(failing, len(modes))} == modes
    assert _spread(failing, len(failing)) == failing


def test_a_call_with_the_values_of_the_example_is_not_right() -> None:
    declared = {
        "name": "post",
        "description": "Post a text.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}},
        "examples": [{"arguments": {"text": "Lunch?"}}],
    }
    tools = [Pretended(declared)]
    assert copied(Call("post", {"text": "Lunch?"}), "Say hello.", tools)
    assert not copied(Call("post", {"text": "hello"}), "Say hello.", tools)
    assert not copied(Call("post", {"text": "Lunch?"}), "Ask: Lunch?", tools)
