"""A setting that makes no sense is refused where it is given, with what is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from openai import OpenAI

from zkit import ChatLoop, Dispatcher, Rank, decode, find_calls, render_call, repair_json, wrap
from zkit.calls import Call

CLIENT = OpenAI(base_url="http://localhost:9/v1", api_key="none", max_retries=0)


def look(at: str) -> str:
    """Look at something."""
    return at


def _loop(**settings: Any) -> ChatLoop:
    return ChatLoop(CLIENT, "m", [look], **settings)


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "a rank by name": (lambda: wrap(CLIENT, limit="GUESS"), "limit must be a Rank, such as"),  # type: ignore[arg-type]
    "unmarked as a text": (lambda: wrap(CLIENT, unmarked="no"), "unmarked must be True or False"),  # type: ignore[arg-type]
    "a format of wrap": (lambda: wrap(CLIENT, formats=["hermes_jsn"]), "did you mean hermes_json"),
    "a tool of wrap": (lambda: wrap(CLIENT, tools=[1]), "1 names no tool"),
    "a client of wrap": (lambda: wrap(3), "3 has no chat.completions.create"),
    "an address": (lambda: ChatLoop("http://x/v1", "m"), "OpenAI.base_url='http://x/v1'."),
    "no client": (lambda: ChatLoop(None, "m").run_sync("?"), "None has no chat.completions.create"),
    "no model": (lambda: ChatLoop(CLIENT, None), "model must be the name of a model"),  # type: ignore[arg-type]
    "a fit": (lambda: _loop(fit="x"), "fit cannot be 'x'; one of 'all', 'weights'"),
    "no turns": (lambda: _loop(max_turns=0), "max_turns must be at least 1, not 0"),
    "turns as a text": (lambda: _loop(max_turns="3"), "max_turns must be a whole number"),
    "seconds": (lambda: _loop(max_seconds=-1), "max_seconds must be at least 0"),
    "a context": (lambda: _loop(context=0), "context must be at least 1"),
    "a share": (lambda: _loop(tool_share=30), "tool_share must be more than 0 and at most 1"),
    "a budget": (lambda: _loop(budgets={"x": 1}), "a key of budgets cannot be 'x'; one of"),
    "a format": (lambda: _loop(format="hermes"), "no format is called 'hermes'; did you mean"),
    "formats": (lambda: _loop(formats=["nope"]), "no format is called 'nope'; docs/formats.md"),
    "a setting": (lambda: _loop(max_turn=3), "no setting 'max_turn'; did you mean max_turns"),
    "an approver": (lambda: _loop(approve=True), "approve must be a function"),
    "a prompt": (lambda: _loop().run_sync(None), "a prompt is a text, or a list of messages"),  # type: ignore[arg-type]
    "a message": (lambda: _loop().run_sync(["hi"]), "not 'hi'"),  # type: ignore[list-item]
    "a streamed prompt": (lambda: _loop().stream_sync(3), "a prompt is a text, or a list"),  # type: ignore[arg-type]
    "an async prompt": (
        lambda: _loop().stream({"role": "user"}),  # type: ignore[dict-item]
        "a prompt is a text, or a list",
    ),
    "an approver of a dispatcher": (
        lambda: Dispatcher([look], approve="yes"),  # type: ignore[arg-type]
        "approve must be a function",
    ),
    "a rank of decode": (lambda: decode(look, "{'at': 1}", limit="GUESS"), "limit must be a Rank"),  # type: ignore[arg-type]
    "a rank of repair": (lambda: repair_json("{'at': 1}", limit="GUESS"), "limit must be a Rank"),  # type: ignore[arg-type]
    "a format to find": (lambda: find_calls("", [look], formats=["x"]), "no format is called 'x'"),
    "a format to write": (lambda: render_call(Call("f", {}), "kimi"), "did you mean kimi_k"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_setting_that_makes_no_sense_is_refused_at_once(mistake: str) -> None:
    """Before any request, and in a sentence that says what is due."""
    make, said = MISTAKES[mistake]
    with pytest.raises((TypeError, ValueError), match=said):
        make()


def test_settings_that_make_sense_are_taken() -> None:
    """The twins."""
    wrap(CLIENT, tools=[look], limit=Rank.GUESS, formats="hermes_json", unmarked=False)
    _loop(max_turns=1, max_seconds=0.5, context=1, tool_share=1, budgets={"empty": 0}, fit="all")
    _loop(formats=("hermes_json",), max_tokens=None, options={"temperature": 0})
