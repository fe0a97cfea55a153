"""`zkit extract` prints calls, text and what could not be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from extract_samples import HERMES, SEND, TOOLS

from zkit.cli.extract import command, marked
from zkit.extract import find_calls


@pytest.fixture
def tools(tmp_path: Path) -> str:
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(TOOLS), "utf-8")
    return str(path)


def run(tools: str, text: str, *options: str) -> Result:
    return CliRunner().invoke(command, ["--tools", tools, *options], input=text)


def test_calls_and_text_are_printed(tools: str) -> None:
    result = run(tools, f"Now:\n{HERMES}")
    assert result.exit_code == 0
    assert 'send_mail {"to": "ann"} [hermes_json, marker, EXACT, 5 to ' in result.output
    assert "text\n  Now:\n" in result.output


def test_json_holds_everything(tools: str) -> None:
    result = run(tools, f"Now:\n{HERMES}", "--json")
    found = json.loads(result.output)
    assert found["calls"][0]["arguments"] == {"to": "ann"}
    assert found["calls"][0]["rank"] == "EXACT"
    assert found["content"] == "Now:\n"


def test_a_repaired_call_shows_its_fixes_in_json(tools: str) -> None:
    result = run(tools, HERMES.replace('"', "'"), "--json")
    [call] = json.loads(result.output)["calls"]
    assert call["rank"] == "RESPELL"
    assert call["fixes"][0]["rank"] == "RESPELL"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (HERMES.replace("send_mail", "rm"), "unknown tools\n  rm"),
        (HERMES[:-20], "cut off\n  send_mail after "),
        (
            "Sure: " + SEND.replace('"to"', '"whom"'),
            "refused\n  send_mail (arguments): send_mail needs to.",
        ),
    ],
)
def test_what_needs_attention_sets_the_exit_code(tools: str, text: str, shown: str) -> None:
    result = run(tools, text)
    assert result.exit_code == 1
    assert shown in result.output


def test_a_reply_without_calls_is_fine(tools: str) -> None:
    assert run(tools, "Nothing to do.").exit_code == 0


def test_only_the_asked_formats_are_read(tools: str) -> None:
    assert "calls" not in run(tools, HERMES, "--format", "lfm2").output
    assert "calls" in run(tools, HERMES, "--format", "lfm2", "--format", "hermes_json").output
    assert run(tools, HERMES, "--format", "nonsense").exit_code == 2


def test_the_finish_reason_counts(tools: str) -> None:
    text = "<function=look_up>\n<parameter=query>ann</parameter>\n"
    assert run(tools, text).exit_code == 0
    assert run(tools, text, "--finish-reason", "length").exit_code == 1


def test_tools_that_cannot_be_read_are_bad_usage(tmp_path: Path) -> None:
    path = tmp_path / "tools.json"
    path.write_text("{", "utf-8")
    assert run(str(path), "x").exit_code == 2
    path.write_text("3", "utf-8")
    assert run(str(path), "x").exit_code == 2


def test_on_a_terminal_the_spans_are_in_colour() -> None:
    text = f"Now:\n{HERMES}"
    shown = marked(text, find_calls(text, TOOLS))
    assert shown.replace("\x1b[22m", "") == f"Now:\n\x1b[32m{HERMES}\x1b[0m"
