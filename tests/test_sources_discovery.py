"""Hundreds of tools in a small context: a catalogue, a search, and a tool that opens others."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_samples import PlainSpecTool, call, data_of, simple

from zkit.calls import Call
from zkit.grade import READ
from zkit.results import Result, Success, Validation
from zkit.sources import Catalog, Discovery, Kit, Toolbox, ToolSource, discovery_tools
from zkit.sources.catalog import words
from zkit.tools import Example, Tool, ToolSpec, scope, tool


@tool(grade=READ, tags=["weather", "network"], examples=[{"arguments": {"city": "Oslo"}}])
def weather_forecast(city: str, days: int = 1) -> str:
    """Tell what the weather will be. From a public service."""
    return f"sun in {city}"


def many() -> Toolbox:
    box = Toolbox([simple(f"tool_{n:03}", tags=["many"]) for n in range(300)])
    box.register(weather_forecast)
    return box


def test_summaries_are_filtered_by_all_tags() -> None:
    box = Toolbox([simple("a", tags=["x"]), simple("b", tags=["x", "y"]), simple("c")])
    assert [entry["name"] for entry in box.summaries()] == ["a", "b", "c"]
    assert [entry["name"] for entry in box.summaries(["x"])] == ["a", "b"]
    assert [entry["name"] for entry in box.summaries(["y", "x"])] == ["b"]
    assert [entry["name"] for entry in box.summaries("y")] == ["b"]
    assert box.summaries(["x", "nope"]) == []


def test_a_summary_leads_to_the_description_and_to_a_call() -> None:
    box = many()
    [entry] = box.summaries(["weather"])
    described = data_of(box.describe(entry["name"]))
    assert described["examples"] == [{"arguments": {"city": "Oslo"}}]
    assert data_of(call(box, described["name"], described["examples"][0]["arguments"]))


def test_describing_an_unknown_tool_gives_a_hint_in_band() -> None:
    result = many().describe("weather_forcast")
    assert isinstance(result, Validation)
    assert result.code == "unknown_tool"
    assert "Did you mean weather_forecast?" in result.message
    assert "search_tools" in result.message


def test_a_catalogue_is_small() -> None:
    box = many()
    whole = len(json.dumps(list(box.openai())))
    assert len(json.dumps(box.summaries())) * 2 < whole
    assert len(json.dumps(Discovery(box).openai())) * 50 < whole


def test_only_two_tools_are_listed_until_one_is_described() -> None:
    found = Discovery(many())
    assert isinstance(found, ToolSource)
    assert found.names() == ["describe_tool", "search_tools"]
    listed = call(found, "search_tools", {"query": "what is the weather"})
    assert data_of(listed).startswith("weather_forecast: Tell what the weather will be.\n")
    version = found.version
    text = data_of(call(found, "describe_tool", {"name": "weather_forecast"}))
    assert text.startswith("weather_forecast(city: str, days: int = 1) -> str")
    assert found.names() == ["describe_tool", "search_tools", "weather_forecast"]
    assert found.version > version
    assert data_of(call(found, "weather_forecast", {"city": "Oslo"})) == "sun in Oslo"


def test_a_tool_that_is_not_open_is_described_and_not_run() -> None:
    found = Discovery(many())
    result = call(found, "weather_forecast", {"city": "Oslo"})
    assert isinstance(result, Validation)
    assert "weather_forecast(city: str" in result.message
    assert data_of(call(found, "weather_forecast", {"city": "Oslo"})) == "sun in Oslo"


def test_some_tools_are_always_listed_and_the_last_ones_stay_open() -> None:
    found = Discovery(many(), always=["weather_forecast"], keep=2)
    for n in (1, 2, 3, 2):
        call(found, "describe_tool", {"name": f"tool_00{n}"})
    call(found, "describe_tool", {"name": "tool_004"})
    assert found.names() == [
        "describe_tool",
        "search_tools",
        "tool_002",
        "tool_004",
        "weather_forecast",
    ]


def test_every_task_opens_its_own() -> None:
    found = Discovery(many())

    async def main() -> None:
        with scope("one"):
            await found.call(Call("describe_tool", {"name": "tool_001"}))
            assert "tool_001" in found
            with scope("two"):
                assert "tool_001" not in found
            assert found.openai()[2]["function"]["name"] == "tool_001"
        with scope("one"):
            assert "tool_001" not in found

    anyio.run(main)


def test_unknown_names_are_answered_with_the_nearest_of_all() -> None:
    found = Discovery(many())
    for result in (
        call(found, "weather_forcast"),
        call(found, "describe_tool", {"name": "weather_forcast"}),
    ):
        assert isinstance(result, Validation)
        assert "Did you mean weather_forecast?" in result.message


def test_a_search_without_a_hit_says_so() -> None:
    found = Discovery(many())
    assert "No tool fits" in data_of(call(found, "search_tools", {"query": "zebra"}))
    tagged = call(found, "search_tools", {"query": "weather", "tags": ["nope"]})
    assert "with the tags nope" in data_of(tagged)


def test_a_kit_can_be_discovered_under_its_aliases() -> None:
    kit = Kit(many(), {"sky": "weather_forecast"})
    search, describe = discovery_tools(kit)
    assert search("weather").startswith("sky: ")
    assert isinstance(describe("sky"), Success)
    assert isinstance(describe("weather_forecast"), Validation)


class Bare:
    """A source of nobody's making but its own."""

    version = 1

    def __init__(self) -> None:
        self.tool = PlainSpecTool("echo")

    def tools(self) -> Sequence[Tool]:
        return [self.tool]

    def get(self, name: str) -> Tool | None:
        return self.tool if name == "echo" else None

    async def call(self, call: Call, /) -> Result:
        return await self.tool.execute(call)


def test_a_source_of_ones_own_can_be_discovered_and_made_a_kit_of() -> None:
    assert isinstance(Bare(), ToolSource)
    found = Discovery(Bare())
    assert data_of(call(found, "search_tools", {"query": "echo"})).startswith("echo: Does echo.")
    call(found, "describe_tool", {"name": "echo"})
    assert data_of(call(found, "echo", {"text": "x"})) == {"text": "x"}
    assert isinstance(call(found, "nope"), Validation)
    kit = Kit(Bare(), {"say": "echo"})
    assert data_of(call(kit, "say", {"text": "x"})) == {"text": "x"}


# The search

SPECS = [
    ToolSpec("read_file", "Read a text file.", tags=("files",)),
    ToolSpec("write_file", "Write a text file.", tags=("files", "risky")),
    ToolSpec("http.fetch", "Download a web page.", tags=("network",)),
    ToolSpec("sendMail", "Send a message to somebody.", tags=("network",)),
]
SEARCHES: list[tuple[str, list[str], str]] = [
    ("read", [], "read_file"),
    ("READ FILE", [], "read_file"),
    ("fetch a web page", [], "http.fetch"),
    ("mail", [], "sendMail"),
    ("download", [], "http.fetch"),
    ("file", ["risky"], "write_file"),
    ("messag", [], "sendMail"),
]


@pytest.mark.parametrize(("query", "tags", "first"), SEARCHES, ids=[s[0] for s in SEARCHES])
def test_a_search_finds_what_is_meant(query: str, tags: list[str], first: str) -> None:
    assert Catalog(SPECS).search(query, tags)[0].name == first


def test_a_search_for_nothing_lists_by_name() -> None:
    names = [spec.name for spec in Catalog(SPECS).search("", limit=2)]
    assert names == ["http.fetch", "read_file"]
    assert Catalog(SPECS).search("file", limit=0) == []


@pytest.mark.parametrize(
    ("name", "words_of"),
    [
        ("readFile", ["read", "file"]),
        ("HTTPServer2", ["http", "server2"]),
        ("git.status-all", ["git", "status", "all"]),
        ("größe_in cm", ["grösse", "in", "cm"]),
    ],
)
def test_names_are_read_as_words(name: str, words_of: list[str]) -> None:
    assert words(name) == words_of


@given(st.text(max_size=60), st.integers(0, 5))
def test_any_query_is_answered_and_always_the_same(query: str, limit: int) -> None:
    one, other = Catalog(SPECS), Catalog(SPECS)
    assert one.search(query, limit=limit) == other.search(query, limit=limit)
    assert len(one.search(query, limit=limit)) <= limit
    assert one.nearest(query) == other.nearest(query)


@given(st.sampled_from(SPECS), st.data())
def test_a_slip_of_the_pen_finds_the_name(spec: ToolSpec, data: Any) -> None:
    at = data.draw(st.integers(0, len(spec.name) - 1))
    wrong = spec.name[:at] + spec.name[at + 1 :]
    assert Catalog(SPECS).nearest(wrong)[0] == spec.name


def test_examples_are_records() -> None:
    assert Example({"a": 1}).arguments == {"a": 1}
