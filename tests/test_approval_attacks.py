"""Ways around an approval: other spellings, what is set for a tool, another attempt, a provider's spec."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any

import pytest
from dispatch_samples import data_of, failed
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AfterValidator, BeforeValidator, Field, SecretBytes, SecretStr

from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.dispatch.portal import run_sync
from zkit.results import Refused, Result, Transient
from zkit.sources import Kit, MemoSource, Overlay, Overlays, Toolbox
from zkit.tools import FunctionTool, ToolSpec, tool

UNSEEN = (
    "\u200b\u00ad\u2060\ufeff\u202e\u0000\u001b\u2028\u034f\u115f\u3164\u17b4\u180b\ufe0f\U000e0101"
)


@given(st.data())
def test_characters_that_nobody_sees_hide_no_destructive_value(data: st.DataObject) -> None:
    spec = ToolSpec(
        "x",
        "X.",
        {"properties": {"action": {"type": "string"}}},
        destructive={"action": ["delete"]},
    )
    unseen = st.text(UNSEEN, max_size=2)
    sent = "".join(data.draw(unseen) + one for one in "Delete") + data.draw(unseen)
    assert spec.is_destructive({"action": sent})
    assert not spec.is_destructive({"action": sent.replace("l", "")})


NUMBERS = [(Decimal, "3"), (Decimal, 3.0), (int | str, "3"), (int | str, " ３"), (float, "3.00")]
FLAGS = [(bool | str, "true"), (bool | str, "True "), (Any, 1)]


@pytest.mark.parametrize(
    ("kind", "sent", "destroys"),
    [*((kind, sent, 3) for kind, sent in NUMBERS), *((kind, sent, True) for kind, sent in FLAGS)],
)
def test_a_number_or_flag_destroys_however_it_is_written(
    kind: Any, sent: Any, destroys: Any
) -> None:
    ran: list[Any] = []

    def act(level: Any) -> str:
        """Act."""
        ran.append(level)
        return "done"

    act.__annotations__["level"] = kind
    dispatcher = Dispatcher([tool(destructive={"level": [destroys]})(act)])
    failed(dispatcher.call_sync(Call("act", {"level": sent})), Refused, "approval")
    assert ran == []


class Action(Enum):
    """What to do."""

    DELETE = "delete"
    LIST = "list"


class Hidden:
    """A value of the tool's own, with a text that says something else."""

    def __init__(self, value: str) -> None:
        self.value = value

    def __str__(self) -> str:
        return "list"


OWN_KINDS = [
    (Action, Action.DELETE, "delete"),
    (SecretStr, "delete", "delete"),
    (SecretBytes, "delete", "Delete"),
    (Annotated[Any, AfterValidator(Hidden)], "delete", "delete"),
]


@pytest.mark.parametrize(("kind", "destroys", "sent"), OWN_KINDS)
def test_a_value_whose_text_says_something_else_asks(kind: Any, destroys: Any, sent: Any) -> None:
    ran: list[Any] = []

    def act(action: Any) -> str:
        """Act."""
        ran.append(action)
        return "done"

    act.__annotations__["action"] = kind
    dispatcher = Dispatcher([tool(destructive={"action": [destroys]})(act)])
    failed(dispatcher.call_sync(Call("act", {"action": sent})), Refused, "approval")
    assert ran == []


def short_for(value: Any) -> Any:
    return {"rm": "delete", "ls": "list"}.get(value, value)


def acting(ran: list[str]) -> FunctionTool[..., Any]:
    @tool(destructive={"action": ["delete"]})
    def act(action: Annotated[str, BeforeValidator(short_for)], path: str = "a") -> str:
        """Act."""
        ran.append(action)
        return action

    return act


def pinned(ran: list[str]) -> Any:
    overlays = Overlays({"act": Overlay(preference={"overrides": {"path": "b"}})})  # type: ignore[arg-type]
    return Toolbox([acting(ran)], overlays=overlays)


def pinned_action(ran: list[str]) -> Any:
    overlays = Overlays({"act": Overlay(preference={"overrides": {"action": "rm"}})})  # type: ignore[arg-type]
    return Toolbox([acting(ran)], overlays=overlays)


def other_default(ran: list[str]) -> Any:
    return Kit([acting(ran)], {"act": {"tool": "act", "defaults": {"path": "b"}}})


def two_kits(ran: list[str]) -> Any:
    return Kit(other_default(ran), {"act": {"tool": "act", "description": "Other."}})


WAYS: list[Callable[[Any, Call], Result]] = [
    lambda source, call: Dispatcher(source).call_sync(call),
    lambda source, call: run_sync(source.call, call),
    lambda source, call: run_sync(MemoSource(source).call, call),
]


@pytest.mark.parametrize("way", WAYS, ids=["dispatcher", "source", "memo"])
@pytest.mark.parametrize("shown", [pinned, pinned_action, other_default, two_kits])
def test_what_the_tool_that_runs_makes_of_a_value_counts(shown: Any, way: Any) -> None:
    """Its validators see what a kit or an overlay shows under another schema."""
    ran: list[str] = []
    source = shown(ran)
    sent = {} if shown is pinned_action else {"action": "rm"}
    failed(way(source, Call("act", sent)), Refused, "approval")
    assert ran == []
    if sent:
        assert data_of(way(source, Call("act", {"action": "ls"}))) == "list"


MADE = ["list"]


def test_another_attempt_is_judged_again() -> None:
    ran: list[str] = []

    @tool(destructive={"action": ["delete"]}, idempotent=True)
    def act(action: Annotated[str, Field(default_factory=lambda: MADE[0])]) -> str:
        """Act."""
        ran.append(action)
        MADE[0] = "delete"
        raise Transient("busy", retry_after=0.0)

    MADE[0] = "list"
    failed(Dispatcher([act]).call_sync(Call("act")), Refused, "approval")
    assert ran == ["list"]


def test_a_tool_that_is_switched_off_is_not_tried_again() -> None:
    ran: list[int] = []
    box = Toolbox()

    @box.tool(idempotent=True)
    def act() -> str:
        """Act."""
        ran.append(1)
        box.overlays.change("act", enabled=False)
        raise Transient("busy", retry_after=0.0)

    failed(Dispatcher(box).call_sync(Call("act")), Refused, "disabled")
    assert ran == [1]


def test_the_spec_of_a_provider_makes_no_tool_harmless() -> None:
    ran: list[int] = []

    class Provides:
        """Provides a tool that destroys, under a spec that does not say so."""

        name = "own"

        def available(self) -> bool:
            return True

        def resolve(self, spec: ToolSpec, /) -> Any:
            return tool(name="wipe", description="Wipe.", destructive=True, grade="write")(
                lambda: ran.append(1)
            )

        def specs(self) -> list[ToolSpec]:
            return [ToolSpec("wipe", "Wipe.", provider="own")]

    box = Toolbox(providers=[Provides()])
    failed(Dispatcher(box).call_sync(Call("wipe")), Refused, "approval")
    failed(run_sync(box.call, Call("wipe")), Refused, "approval")
    assert ran == []
    assert box.specs()[0].grade is not None
