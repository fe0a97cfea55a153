"""`zkit tools call`: a call from the shell goes through the same chain as a model's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from zkit.cli.tools import call_tool, sent_arguments

TOOLS = '''
from zkit.tools import tool
from zkit.grade import READ, WRITE

@tool(grade=READ)
def head(path: str, lines: int = 3, tags: list[str] = []) -> str:
    """Show the beginning."""
    return f"{path} {lines} {','.join(tags)}"

@tool(grade=WRITE, destructive=True)
def drop(path: str) -> str:
    """Delete."""
    return f"dropped {path}"

@tool(grade=READ)
def broken() -> str:
    """Break."""
    raise RuntimeError("a bug")
'''


@pytest.fixture
def place(tmp_path: Path) -> str:
    (tmp_path / "my_tools.py").write_text(TOOLS)
    return str(tmp_path)


def run(place: str, *arguments: str, input: str | None = None) -> Result:
    return CliRunner().invoke(call_tool, [*arguments, "--from", place], input=input)


@pytest.mark.parametrize(
    "arguments",
    [
        ['{"path": "a=b", "lines": 5}'],
        ["path=a=b", "lines=5"],
        ["path=a=b", "lines:=5"],
        ["{'path': 'a=b', 'lines': 5,}"],
        ['{"path": "a=b", lines: "5"}'],
    ],
)
def test_arguments_are_json_or_pairs_and_repaired_like_any_others(
    arguments: list[str], place: str
) -> None:
    done = run(place, "head", *arguments)
    assert (done.exit_code, done.stdout.strip()) == (0, "a=b 5")


def test_a_repeated_key_is_a_list_and_standard_input_is_one_object(place: str) -> None:
    assert run(place, "head", "path=a", "tags=x", "tags=y").stdout.strip() == "a 3 x,y"
    assert run(place, "head", "-", input='{"path": "b"}').stdout.strip() == "b 3"
    assert sent_arguments([]) == {}


def test_the_receipt_goes_to_standard_error(place: str) -> None:
    done = run(place, "functions.Head", '{"path": "a",}')
    assert done.exit_code == 0
    assert 'the name "functions.Head" was read as head' in done.stderr
    assert "comma" in done.stderr
    assert run(place, "functions.Head", '{"path": "a",}', "--quiet").stderr == ""


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["hed", "path=a"], "Did you mean head"),
        (["head", "lines=5"], "path"),
        (["head", '{"path": "a'], "truncated"),
        (["broken"], "fault in the tool"),
        (["drop", "path=a"], "nobody to ask"),
    ],
)
def test_what_fails_says_why_and_exits_with_1(arguments: list[str], said: str, place: str) -> None:
    done = run(place, *arguments)
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr


def test_a_destructive_call_needs_yes(place: str) -> None:
    assert run(place, "drop", "path=a", "--yes").stdout.strip() == "dropped a"


def test_as_json_it_tells_the_call_and_the_result(place: str) -> None:
    found: dict[str, Any] = json.loads(run(place, "head", "{path: 'a'}", "--json").stdout)
    assert found["call"]["arguments"] == {"path": "a"}
    assert found["call"]["fixes"]
    assert found["result"]["data"] == "a 3 "
    failed = run(place, "nobody", "--json")
    assert failed.exit_code == 1
    assert json.loads(failed.stdout)["result"]["code"] == "unknown_tool"


@pytest.mark.parametrize("arguments", [["a", "b=c"], ["=x", "b=c"], ["a:=no json", "b=c"]])
def test_what_is_no_pair_is_bad_usage(arguments: list[str], place: str) -> None:
    assert run(place, "head", *arguments).exit_code == 2
