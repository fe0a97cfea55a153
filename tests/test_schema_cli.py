"""`zkit schema` and `zkit lint-schema` as their users meet them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import command_line
import pytest
from command_line import Done

TOOLS = '''
from pydantic import BaseModel


class Read(BaseModel):
    """Read a file."""

    path: str
    lines: int = 10


class Node(BaseModel):
    children: "list[Node]" = []


class Box:
    @staticmethod
    def put(what: str) -> None:
        """Put it in."""
'''
CLEAN = {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]}
DIRTY = {"type": "object", "properties": {"q": {"const": "a", "title": "Q"}}, "required": ["q"]}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mytools.py").write_text(TOOLS, "utf-8")
    (tmp_path / "broken.py").write_text("1 / 0", "utf-8")
    return tmp_path


def zkit(folder: Path, *args: str, given: str = "") -> Done:
    return command_line.zkit(*args, given=given, cwd=folder)


def write(folder: Path, data: Any) -> str:
    (folder / "tools.json").write_text(json.dumps(data), "utf-8")
    return "tools.json"


def test_schema_prints_the_schema_in_a_dialect(folder: Path) -> None:
    done = zkit(folder, "schema", "mytools:Read", "--dialect", "openai-strict")
    schema = json.loads(done.out)
    assert (done.code, done.err) == (0, "")
    assert schema["required"] == ["path", "lines"]
    assert done.out.count("\n") > 5
    assert zkit(folder, "schema", "mytools:Read", "--json").out.count("\n") == 1


def test_schema_finds_dotted_names(folder: Path) -> None:
    done = zkit(folder, "schema", "mytools:Box.put")
    assert list(json.loads(done.out)["properties"]) == ["what"]


def test_schema_says_what_the_dialect_cannot_express(folder: Path) -> None:
    done = zkit(folder, "schema", "mytools:Node", "--dialect", "portable")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("zkit: mytools:Node: properties.children.items: ")


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["schema", "mytools"], "zkit: mytools: write it as module:name"),
        (["schema", "mytools:Reed"], "zkit: mytools:Reed: the module mytools has no Reed"),
        (["schema", "nothing:X"], "zkit: nothing:X: ModuleNotFoundError: No module named"),
        (["schema", "broken:X"], "zkit: broken:X: ZeroDivisionError: division by zero"),
        (
            ["schema", "mytools:Read", "--dialect", "x"],
            "zkit: --dialect: no dialect is called 'x'; one of",
        ),
        (["lint-schema", "none.json"], "zkit: none.json: No such file"),
        (["lint-schema", "mytools.py"], "zkit: mytools.py: not JSON"),
        (
            ["lint-schema", "-", "--dialect", "x"],
            "zkit: --dialect: no dialect is called 'x'; one of",
        ),
    ],
)
def test_bad_usage_is_told_in_one_line(folder: Path, args: list[str], says: str) -> None:
    done = zkit(folder, *args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(says)
    assert done.err.count("\n") == 1


@pytest.mark.parametrize(
    "data",
    [
        CLEAN,
        {"name": "search", "parameters": CLEAN},
        [{"type": "function", "function": {"name": "search", "parameters": CLEAN}}],
        [],
    ],
)
def test_what_is_clean_exits_0_and_says_nothing(folder: Path, data: Any) -> None:
    done = zkit(folder, "lint-schema", write(folder, data), "--dialect", "portable")
    assert (done.code, done.out, done.err) == (0, "", "")


def test_findings_name_tool_and_place_and_exit_1(folder: Path) -> None:
    tools = [{"name": "search", "input_schema": DIRTY}, {"name": "fine", "parameters": CLEAN}]
    done = zkit(folder, "lint-schema", write(folder, tools), "--dialect", "portable")
    assert done.code == 1
    assert done.out.splitlines() == [
        "search: properties.q.const: portable does not know 'const' here; write an enum of one value",
        "search: properties.q.title: portable does not know 'title' here; drop it",
    ]


def test_findings_are_json_lines_for_machines(folder: Path) -> None:
    done = zkit(folder, "lint-schema", "--json", "--dialect", "portable", given=json.dumps(DIRTY))
    found = [json.loads(line) for line in done.out.splitlines()]
    assert done.code == 1
    assert [list(entry) for entry in found] == [["tool", "path", "problem", "advice"]] * 2
    assert found[0]["path"] == "properties.q.const"


def test_a_name_that_no_backend_takes_is_found(folder: Path) -> None:
    done = zkit(folder, "lint-schema", write(folder, {"name": "web.search", "parameters": CLEAN}))
    assert (done.code, done.out.startswith("web.search: name: ")) == (1, True)


@pytest.mark.parametrize("data", [3, "x", ["search"], [{"parameters": CLEAN}]])
def test_what_is_neither_schema_nor_tools_is_bad_usage(folder: Path, data: Any) -> None:
    done = zkit(folder, "lint-schema", write(folder, data))
    assert (done.code, done.out) == (2, "")
    assert done.err.count("\n") == 1
