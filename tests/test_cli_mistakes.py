"""What a newcomer gets wrong on the command line: one line says what, and what to do."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest
from command_line import ZKIT, zkit

SLOW = pytest.mark.slow

TOOLS = '''
from zkit import tool


@tool(destructive=True)
def wipe(path: str) -> str:
    """Wipe something."""
    return f"wiped {path}"


def count(n: int) -> int:
    """Count."""
    return n
'''


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("ZKIT_BASE_URL", "OPENAI_BASE_URL", "ZKIT_MODEL", "ZKIT_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "mine.py").write_text(TOOLS)
    (tmp_path / "other.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "text.jsonl").write_text("hello\n")


ONCE = ["--model", "m", "--once", "hi"]


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            ["chat", "--base-url", "localhost:11434", *ONCE],
            "zkit: --base-url localhost:11434: an address begins with http:// or https://; did you"
            " mean http://localhost:11434/v1?",
        ),
        (["doctor", "--base-url", "localhost:9/v1"], "did you mean http://localhost:9/v1?"),
        (["demo", "--base-url", "localhost:9"], "did you mean http://localhost:9/v1?"),
        (
            ["chat", "--replay", "other.jsonl"],
            "other.jsonl:1: not a line of a transcript of zkit chat",
        ),
        (
            ["chat", "--replay", "text.jsonl"],
            "text.jsonl:1: not a line of a transcript: expected value",
        ),
        (
            ["chat", "--kit", "nope", "--base-url", "http://localhost:9/v1", *ONCE],
            "zkit: --kit nope: no kits/nope.kit, and there is no tool 'nope'",
        ),
        (
            ["doctor", "--base-url", "ftp://box/v1"],
            "zkit: --base-url ftp://box/v1: an address begins with http:// or https://; did you"
            " mean http://box/v1?",
        ),
        (["tools", "nope"], "zkit: No such command 'nope'."),
        (["tools", "call", "read_file", "--timeout", "0"], "0.0 is not in the range x>0"),
        (
            ["chat", "--base-url", "http://localhost:9/v1", "--system", "@nope", *ONCE],
            "zkit: nope: No such file or directory",
        ),
        (
            ["kit", "create", "mine", "read_file", "--kits", "other.jsonl/kits"],
            "zkit: other.jsonl/kits: Not a directory",
        ),
        (["repair", "--nope"], "zkit: No such option"),
        (["demo", "--model", "x"], "zkit: --model is for a live server"),
    ],
)
def test_bad_usage_is_told_in_one_voice(command: list[str], said: str) -> None:
    """Exit code 2, and no word of Python."""
    done = zkit(*command)
    assert done.code == 2
    assert said in done.err
    assert "Error" not in done.err


def test_standard_input_is_called_so() -> None:
    """And not as `-`."""
    assert "zkit: standard input: not JSON" in zkit("lint-schema", given="{bad").err


def test_a_call_that_needs_approval_says_how_to_give_it() -> None:
    """In a pipe there is no user to ask."""
    refused = zkit("tools", "call", "wipe", "path=a", "--from", "mine.py")
    assert refused.code == 1
    assert "zkit: --yes approves a call that can destroy something" in refused.err
    assert zkit("tools", "call", "wipe", "path=a", "--from", "mine.py", "--yes").out == "wiped a\n"


def test_a_schema_is_printed_from_a_file_as_from_a_module() -> None:
    """`file.py:name`, as for tools."""
    from_file = zkit("schema", "mine.py:count", "--json")
    assert from_file.code == 0
    assert from_file.out == zkit("schema", "mine:count", "--json").out


def test_one_of_a_thing_is_counted_as_one(tmp_path: Path) -> None:
    """Not `1 changes`."""
    (tmp_path / "n.json").write_text('{"type": "object", "properties": {"n": {"type": "integer"}}}')
    done = zkit("decode", "--schema", "n.json", given='{"n": "5"}')
    assert "decoded with 1 change, rank RESPELL" in done.err


def test_the_demo_asks_the_server_of_the_environment() -> None:
    """A model alone is no reason to ask anybody."""
    url = "http://localhost:9/v1"
    assert f"{url} did not answer" in zkit("demo", ZKIT_BASE_URL=url).err
    assert zkit("demo", ZKIT_MODEL="m").code == 0


@pytest.mark.parametrize("group", [[], ["tools"], ["kit"], ["corpus"]])
def test_a_command_that_needs_another_one_shows_its_help_once(group: list[str]) -> None:
    """It is the first thing that a newcomer types."""
    done = zkit(*group)
    assert (done.code, done.out) == (2, "")
    assert done.err == zkit(*group, "--help").out


FULL = Path("/dev/full")


@pytest.mark.skipif(not FULL.exists(), reason="needs a disk that is always full")
@pytest.mark.parametrize(
    "command",
    [
        ["repair"],
        *(
            pytest.param(one.split(), marks=SLOW)
            for one in ("--help", "demo --repair", "corpus run")
        ),
    ],
)
def test_an_output_that_cannot_be_written_is_told(command: list[str]) -> None:
    with FULL.open("w") as full:
        done = subprocess.run(
            [*ZKIT, *command], input=b"{}", stdout=full, stderr=subprocess.PIPE, text=False
        )
    assert done.returncode == 2
    assert done.stderr.decode() == "zkit: standard output: No space left on device\n"


@pytest.mark.parametrize(
    ("closed", "code", "said"),
    [
        ("<&-", 1, "refused (empty)"),
        pytest.param(">&-", 0, "repaired with 1 fix", marks=SLOW),
        pytest.param("2>&-", 0, '{"a": 1}', marks=SLOW),
        ("<&- >&- 2>&-", 1, ""),
    ],
)
def test_a_process_without_standard_streams_runs(closed: str, code: int, said: str) -> None:
    """As a service may be started."""
    line = f"printf '{{\"a\": 1,}}' | {{ {shlex.join(ZKIT)} repair {closed}; }}"
    done = subprocess.run(["sh", "-c", line], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode == code
    assert said in done.stdout.decode()
    assert b"Traceback" not in done.stdout
