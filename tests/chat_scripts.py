"""Replies of a model and outcomes of tools, at random, and what may come of them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from zkit.dispatch import Dispatcher
from zkit.grade import READ
from zkit.results import Crashed, Refused, Success, Transient, Validation
from zkit.sources import Toolbox
from zkit.testing import (
    MISBEHAVIOURS,
    Answer,
    Misbehaviour,
    Request,
    Said,
    Script,
    call,
    error,
    says,
    stream,
)
from zkit.tools import tool

MEANT = ("Oslo", "Rome")
"""Calls of these may run. Every other city stands only where nothing may run from:"""
CUT, BESIDE, THOUGHT, QUOTED, EITHER = (
    "Cutville",
    "Besideville",
    "Thinkville",
    "Quoteville",
    "Orville",
)
"""in a cut call, in text beside native calls, in reasoning, in a quotation, in two readings."""


def tagged(city: str, name: str = "look") -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{"city": "{city}"}}}}\n</tool_call>'


# ── replies ──────────────────────────────────────────────────────────────────

CITIES = st.sampled_from(MEANT)
NAMES = st.sampled_from(["look", "act", "Look", "functions.act", "nope"])
SPELLINGS: list[Callable[[str], str]] = [
    lambda city: json.dumps({"city": city}),
    lambda city: f'{{"city" :"{city}"}}',
    lambda city: f"{{'city': '{city}',}}",
    lambda city: f'```json\n{{"City": "{city}"}}\n```',
    lambda city: '{"town": 3}',
    lambda city: f"{city}, please",
    lambda city: f'{{"city": "{EITHER}"}}{{"city": "{EITHER} 2"}}',
]
CALLS = st.builds(
    lambda name, city, spelt, id: call(name, spelt(city), id),
    NAMES, CITIES, st.sampled_from(SPELLINGS), st.sampled_from([None, "a", "b", "call_0"]),
)  # fmt: skip
NATIVE = st.builds(
    lambda calls, text: says(text, calls),
    st.lists(CALLS, min_size=1, max_size=3), st.sampled_from([None, "I look.", tagged(BESIDE)]),
)  # fmt: skip
IN_TEXT = st.builds(
    lambda before, city, name: says(f"{before}{tagged(city, name)}"),
    st.sampled_from(["", "I look. ", f"<think>Not {tagged(THOUGHT)}.</think>"]),
    CITIES,
    st.sampled_from(["look", "act", "nope"]),
)
CUT_SHORT = st.sampled_from(
    [
        says(None, [call("look", {"city": "Rome"}, "a"), call("act", f'{{"city": "{CUT}', "b")], finish="length"),
        says(None, [call("act", {"city": CUT}, "b")], finish="length"),
        says(tagged(CUT)[:-18], finish="length"),
        says(None, [call("look", f'{{"city": "{CUT}', "b")]),
    ]
)  # fmt: skip
WORDS = st.sampled_from(
    [
        says("It is sunny."), says(""), says(" "), says("", reasoning_content="Hm."), says("<think>Hm, so"),
        says(f"You could write `{tagged(QUOTED)}`."), says("<tool_call>look at Oslo</tool_call>"),
        says("It is", finish="length"), says("", finish="content_filter"), says(None, refusal="I cannot."),
    ]
)  # fmt: skip
MODELS = NATIVE | NATIVE | IN_TEXT | CUT_SHORT | WORDS
TROUBLES: list[Answer] = [
    error(429, "slow", {"Retry-After": "0"}), error(500, "oops"), error(400, "no"),
    error(500, "Failed to parse tool call arguments as JSON"), error(400, "does not support tools"),
    error(400, "maximum context length exceeded"), Answer((b"{}",)), Answer((b"",), status=204),
    stream([{"content": "It is"}], finish=None, usage=None, done=False, breaks_off=True),
]  # fmt: skip
DELIVERIES = [one for one in MISBEHAVIOURS.values() if one.kind not in ("model", "ending")]

READABLE = [one for one in DELIVERIES if one.outcome == "calls"]
BY_ID = [MISBEHAVIOURS[name] for name in ("index_0", "mixed_parts")]
"""Streams in which only the id says whose part a part is."""


def two_calls(first: str, second: str) -> Said:
    """Calls of a tool that only reads: one that acts is not run from text without a mark."""
    return says(None, [call("look", {"city": first}, "a"), call("look", {"city": second}, "b")])


def meant_by(said: Said) -> list[tuple[str, str]]:
    """The calls of a valid reply."""
    functions = [one["function"] for one in said.calls]
    return [(one["name"], json.loads(one["arguments"])["city"]) for one in functions]


def delivered(said: Said, spoilt: Misbehaviour) -> Script:
    """What a model says, by way of a server that misbehaves."""

    def answer(request: Request) -> Answer:
        has_objects = all(_is_object(one["function"]["arguments"]) for one in said.calls)
        if has_objects and spoilt.concerns(said, request):
            return spoilt.spoil(said, request)
        return said(request)

    return answer


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


# ── tools ────────────────────────────────────────────────────────────────────

SLOW, LEARN = object(), object()
OUTCOMES: list[Any] = [
    "sunny", "sunny", "", None, {"t": 3}, "x" * 9000, Success("ok"), Validation("Try another city."),
    Transient("busy"), Refused("no"), Crashed("broken"), RuntimeError("boom"), SLOW, LEARN,
    Success("wait", meta={"pause": True}),
]  # fmt: skip


class World:
    """Tools whose outcomes are scripted, what they received, and the box that holds them."""

    def __init__(self) -> None:
        self.received: list[tuple[str, str]] = []
        self.outcomes: list[Any] = []
        self.box = Toolbox()
        self.dispatcher = Dispatcher(self.box, attempts=1, timeout=0.25)

        async def act_in(name: str, city: str) -> Any:
            self.received.append((name, city))
            outcome = self.outcomes.pop(0) if self.outcomes else "sunny"
            if outcome is SLOW:
                await asyncio.sleep(5)
            if isinstance(outcome, RuntimeError):
                raise outcome
            if outcome is LEARN:
                self.toggle_extra()
                return "there are other tools now"
            return outcome

        @self.box.tool(grade=READ, cacheable=False)
        async def look(city: str) -> Any:
            """Look at the weather in a city."""
            return await act_in("look", city)

        @self.box.tool
        async def act(city: str) -> Any:
            """Do something in a city."""
            return await act_in("act", city)

    def toggle_extra(self) -> None:
        """Add a tool, or take it away."""
        if self.box.get("extra") is None:
            self.box.register(tool(name="extra")(lambda: "extra"))
        else:
            self.box.unregister("extra")

    @property
    def offered(self) -> list[str]:
        return sorted(one.definition().name for one in self.box.tools())
