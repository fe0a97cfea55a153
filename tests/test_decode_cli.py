"""`zkit decode`: arguments on standard output, the receipt on standard error, an exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from zkit.cli.commands import zkit

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
    "required": ["city"],
}


@pytest.fixture
def schema(tmp_path: Path) -> str:
    path = tmp_path / "schema.json"
    path.write_text(json.dumps(SCHEMA))
    return str(path)


def run(*arguments: str, text: str = "") -> Result:
    return CliRunner().invoke(zkit, ["decode", *arguments], input=text)


def test_arguments_come_out_as_the_schema_wants_them(schema: str) -> None:
    done = run("--schema", schema, text='{"City": "Oslo", days: "3"}')
    assert (done.exit_code, done.stdout) == (0, '{"city": "Oslo", "days": 3}\n')
    assert 'city: read the key "City" as "city" [key_by_spelling, RESPELL]' in done.stderr


def test_valid_arguments_are_said_to_be_valid(schema: str) -> None:
    done = run("--schema", schema, text='{"city": "Oslo"}')
    assert done.stdout == '{"city": "Oslo"}\n'
    assert done.stderr == "valid arguments: nothing was changed\n"
    assert run("-q", "--schema", schema, text='{"city": "Oslo"}').stderr == ""


def test_a_refusal_exits_with_1_and_prints_no_arguments(schema: str) -> None:
    done = run("--schema", schema, text='{"days": 3}')
    assert (done.exit_code, done.stdout) == (1, "")
    assert "city: missing, expected a text." in done.stderr


def test_a_machine_gets_one_object(schema: str) -> None:
    read = json.loads(run("--json", "--schema", schema, text='{"city": 5}').stdout)
    assert (read["outcome"], read["value"], read["rank"]) == ("decoded", {"city": "5"}, "RESPELL")
    assert [fix["name"] for fix in read["fixes"]] == ["text_from_value"]
    refused = json.loads(run("--json", "--schema", schema, text="{}").stdout)
    assert (refused["outcome"], refused["code"]) == ("refused", "invalid_arguments")
    assert [problem["path"] for problem in refused["problems"]] == ["city"]


def test_limit_and_finish_reason_reach_decoding(schema: str) -> None:
    assert run("--schema", schema, "--limit", "unwrap", text='{"city": 5}').exit_code == 1
    cut = run("--schema", schema, "--finish-reason", "length", text='{"city": "Oslo"')
    assert cut.exit_code == 1


def test_a_schema_that_is_none_is_bad_usage(tmp_path: Path) -> None:
    path = tmp_path / "schema.json"
    path.write_text('{"type": 5}')
    done = run("--schema", str(path), text="{}")
    assert done.exit_code == 2
    assert "not a JSON Schema" in done.stderr
