"""Whatever names tools, as offers."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from zkit.errors import ToolDefinitionError, ToolNameTakenError
from zkit.schema import Offer, offered

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"q": {"type": "string"}},
    "required": ["q"],
}
SEARCH = Offer("search", SCHEMA, "Look it up.")


class search(BaseModel):  # noqa: N801 (a tool's name)
    """Look it up."""

    q: str


def look_up(q: str) -> None:
    """Look it up."""


class Source:
    """Something with tools."""

    def tools(self) -> Iterator[Any]:
        yield SimpleNamespace(name="search", parameters=SCHEMA, description="Look it up.")


FLAT = {"name": "search", "description": "Look it up."}


@pytest.mark.parametrize(
    "tools",
    [
        [{"type": "function", "function": {**FLAT, "parameters": SCHEMA}}],
        {"type": "function", "function": {**FLAT, "parameters": SCHEMA}},
        {"type": "function", **FLAT, "parameters": SCHEMA},
        [{**FLAT, "input_schema": SCHEMA}],
        [{**FLAT, "inputSchema": SCHEMA}],
        {"tools": [{**FLAT, "inputSchema": SCHEMA}]},
        [{"functionDeclarations": [{**FLAT, "parameters": SCHEMA}]}],
        {"search": {**SCHEMA, "description": "Look it up."}},
        {"search": {"description": "Look it up.", "parameters": SCHEMA}},
        SimpleNamespace(**FLAT, parameters=SCHEMA),
        SimpleNamespace(definition=lambda: SimpleNamespace(**FLAT, parameters=SCHEMA)),
        Source(),
        [Source()],
        search,
        (tool for tool in [search]),
        {"search": search},
    ],
)
def test_a_tool_is_an_offer_however_it_is_written(tools: Any) -> None:
    assert offered(tools) == {"search": SEARCH}


def test_a_function_is_offered_under_its_name_or_a_given_one() -> None:
    schema = {**SCHEMA, "additionalProperties": False}
    assert offered([look_up]) == {"look_up": Offer("look_up", schema, "Look it up.")}
    assert list(offered({"find": look_up, "go": lambda: None})) == ["find", "go"]


def test_a_tool_without_parameters_has_none() -> None:
    empty = {"type": "object", "properties": {}}
    assert offered([{"name": "now"}, {"name": "then", "parameters": None}]) == {
        "now": Offer("now", empty),
        "then": Offer("then", empty),
    }


def test_a_tool_may_bear_the_name_of_a_key() -> None:
    tools = {"name": SCHEMA, "type": SCHEMA, "function": SCHEMA, "tools": SCHEMA}
    assert list(offered(tools)) == list(tools)


def test_no_tools_are_no_offers() -> None:
    assert offered([]) == offered({}) == {}


def test_the_order_is_kept() -> None:
    assert list(offered([{"name": name} for name in "cab"])) == ["c", "a", "b"]


@pytest.mark.parametrize(
    ("tools", "says"),
    [
        ("search", "tools: 'search' names no tool"),
        (["search"], r"tools\[0\]: 'search' names no tool"),
        (None, "tools: None names no tool"),
        ([{"name": "a"}, 3], r"tools\[1\]: 3 names no tool"),
        (SCHEMA, "names no tool"),
        ([{"type": "function", "function": {"parameters": SCHEMA}}], "name"),
        ([{"name": " "}], r"tools\[0\]: a tool's name must be a text that is not blank"),
        (
            [{"name": "a", "parameters": "none"}],
            "the parameters of 'a' are not a JSON Schema: 'none'",
        ),
        ([lambda q: q], "a lambda has no name"),
    ],
)
def test_what_names_no_tool_is_refused_with_its_place(tools: Any, says: str) -> None:
    with pytest.raises(ToolDefinitionError, match=says):
        offered(tools)


def test_a_source_that_must_be_awaited_is_refused() -> None:
    class Later:
        async def tools(self) -> list[Any]:
            return []

    with pytest.raises(ToolDefinitionError, match="asynchronously"):
        offered(Later())


def test_a_name_twice_is_refused() -> None:
    with pytest.raises(ToolNameTakenError, match="'a'"):
        offered([{"name": "a"}, {"name": "a"}])
