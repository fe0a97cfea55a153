"""The command line as its users meet it: real processes, pipes, exit codes and a terminal."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import click
import pytest
from command_line import ESCAPE, ZKIT, on_a_terminal, zkit, zkit_process

from zkit import Rank
from zkit.cli.commands import zkit as commands_of_zkit
from zkit.cli.corpus import junit_xml, writable

SLOW = pytest.mark.slow

FENCED = 'Here it is:\n```json\n{"a": 1, "b": [true, "é"],}\n```\n'
VALUE = {"a": 1, "b": [True, "é"]}
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
    "required": ["path", "content"],
    "additionalProperties": False,
}


def write(path: Path, text: str) -> Path:
    path.write_text(text, "utf-8")
    return path


# zkit


def test_help_lists_the_commands_and_loads_none_of_them() -> None:
    code = (
        "import sys; sys.argv = ['zkit', '--help']\n"
        "from zkit.cli.main import run\n"
        "run(); print([m for m in sys.modules if m.split('.')[0] == 'rich' or m == 'zkit.cases'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.endswith("[]\n")
    assert [name for name in ("repair", "corpus", "demo") if f"  {name} " in done.stdout] == [
        "repair",
        "corpus",
        "demo",
    ]


@pytest.mark.parametrize("missing", ["click", "rich"])
def test_a_missing_extra_fails_with_the_line_that_fixes_it(missing: str) -> None:
    code = f"import sys; sys.modules[{missing!r}] = None; from zkit.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    expected = (
        f"zkit: the command line needs {missing}; install it with: pip install 'zkit-llm[cli]'\n"
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", expected)


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "zkit", "--version"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout) == (0, "zkit 0.2.0\n")


@pytest.mark.parametrize("args", [["nonsense"], ["repair", "--nonsense"], ["corpus", "walk"]])
def test_bad_usage_exits_2_without_a_traceback(args: list[str]) -> None:
    done = zkit(*args)
    assert (done.code, done.out) == (2, "")
    assert "nonsense" in done.err or "walk" in done.err
    assert "Traceback" not in done.err


# zkit repair


def test_repair_reads_standard_input_and_writes_strict_json() -> None:
    done = zkit("repair", given=FENCED)
    assert (done.code, json.loads(done.out)) == (0, VALUE)
    assert done.out.endswith("\n")
    assert done.err


def test_repair_reads_a_file_and_a_dash_is_standard_input(tmp_path: Path) -> None:
    from_file = zkit("repair", write(tmp_path / "answer.txt", FENCED))
    from_dash = zkit("repair", "-", given=FENCED)
    assert from_file.out == from_dash.out == zkit("repair", given=FENCED).out


def test_valid_json_comes_out_as_it_went_in() -> None:
    text = '{"b" : 1.50,\r\n  "a": "\\u00e9"}\n'
    done = zkit("repair", "--quiet", given=text)
    assert (done.code, done.out, done.err) == (0, text, "")
    assert zkit("repair", "--quiet", given=text.strip()).out == text


def test_a_refusal_exits_1_and_leaves_standard_output_empty() -> None:
    done = zkit("repair", given="There is nothing to read here.")
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith("refused (no_json): ")


def test_quiet_says_nothing_on_standard_error() -> None:
    assert zkit("repair", "--quiet", given=FENCED).err == ""
    assert zkit("repair", "-q", given="no").err == ""


def test_indent_lays_the_value_out() -> None:
    done = zkit("repair", "--indent", "2", given=FENCED)
    assert done.out == json.dumps(VALUE, indent=2, ensure_ascii=False) + "\n"


def test_indent_leaves_a_number_that_no_float_can_hold() -> None:
    assert zkit("repair", "--indent", "2", given="[1e999]").out == "[1e999]\n"


def test_json_gives_machines_value_and_receipt() -> None:
    done = zkit("repair", "--json", given=FENCED)
    said = json.loads(done.out)
    assert done.out.count("\n") == 1
    assert list(said) == ["outcome", "value", "rank", "lossy", "fixes"]
    assert (said["outcome"], said["value"], said["lossy"]) == ("repaired", VALUE, False)
    assert said["rank"] == "RESPELL"
    assert {tuple(fix) for fix in said["fixes"]} == {
        ("name", "rank", "start", "end", "new", "note", "path")
    }
    assert {fix["rank"] for fix in said["fixes"]} <= set(Rank.__members__)
    assert replay(FENCED, said["fixes"]) == VALUE


def replay(text: str, fixes: list[dict[str, Any]]) -> Any:
    """Apply the receipt to the text, as its reader would."""
    for fix in reversed(fixes):
        text = text[: fix["start"]] + fix["new"] + text[fix["end"] :]
    return json.loads(text)


def test_json_keeps_every_digit_of_a_number() -> None:
    assert (
        "0.12345678901234567890123"
        in zkit("repair", "--json", given='{"a": 0.12345678901234567890123,}').out
    )


def test_json_gives_machines_the_refusal() -> None:
    done = zkit("repair", "--json", given="There is nothing to read here.")
    said = json.loads(done.out)
    assert done.code == 1
    assert list(said) == ["outcome", "reason", "at", "message"]
    assert (said["outcome"], said["reason"]) == ("refused", "no_json")


def test_a_schema_is_evidence(tmp_path: Path) -> None:
    schema = write(tmp_path / "schema.json", json.dumps(SCHEMA))
    text = '{"path": "a.py", "content": "print("hello", "world")"}'
    done = zkit("repair", "--schema", schema, given=text)
    assert json.loads(done.out) == {"path": "a.py", "content": 'print("hello", "world")'}


@pytest.mark.parametrize("limit", ["exact", "Unwrap", "EXACT"])
def test_a_text_beyond_the_limit_is_refused(limit: str) -> None:
    done = zkit("repair", "--limit", limit, "--json", given=FENCED)
    assert (done.code, json.loads(done.out)["reason"]) == (1, "limit")


def test_the_finish_reason_reaches_the_repair() -> None:
    text = '{"a": 1, "b": [2'
    stopped = json.loads(
        zkit(
            "repair",
            "--json",
            given='{"a": [1]',
        ).out
    )
    cut = json.loads(zkit("repair", "--json", "--finish-reason", "length", given=text).out)
    assert (stopped["rank"], stopped["lossy"]) == ("COMPLETE", False)
    assert (cut["rank"], cut["lossy"]) == ("CUT", True)


def test_all_writes_one_value_a_line() -> None:
    text = '{\n  "city": "Oslo"\n}\n{"city": "Bergen",}\n'
    done = zkit("repair", "--all", given=text)
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"city": "Oslo"},
        {"city": "Bergen"},
    ]
    assert zkit("repair", given=text).code == 1


def test_all_refuses_a_text_without_any_value() -> None:
    done = zkit("repair", "--all", "--json", given="none at all")
    assert (done.code, json.loads(done.out)["outcome"]) == (1, "refused")


@pytest.mark.parametrize(
    ("args", "content", "says"),
    [
        (["repair", "none.json"], None, "zkit: none.json: No such file or directory\n"),
        (["repair", "."], None, "zkit: .: Is a directory\n"),
        (["repair", "x"], b'{"a": "\xff"}', "zkit: x: not UTF-8 (byte 0xff at 7)\n"),
        (["repair", "--schema", "none"], None, "zkit: none: No such file or directory\n"),
        (["repair", "--schema", "x"], b"{,}", "zkit: x: not a JSON Schema: Expecting property"),
        (["repair", "--schema", "x"], b"[]", "zkit: x: not a JSON Schema: its root must be"),
        (["repair", "--limit", "far"], None, "zkit: --limit: no rank is called 'far'; one of"),
        (["corpus", "run", "none"], None, "zkit: none: no such file or folder\n"),
        (["corpus", "run", "x"], b"", "zkit: x: not a case file"),
    ],
)
def test_bad_usage_is_told_in_one_line(
    args: list[str], content: bytes | None, says: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "x").write_bytes(content)
    done = zkit(*args, cwd=tmp_path, given="{}")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(says)
    assert done.err.count("\n") == 1


def test_standard_input_that_is_not_utf8_is_told() -> None:
    done = zkit("repair", given=b"\xff\xfe{")
    assert (done.code, done.err) == (2, "zkit: standard input: not UTF-8 (byte 0xff at 0)\n")


@pytest.mark.parametrize("locale", ["C", "POSIX"])
def test_the_output_is_utf8_in_every_locale(locale: str) -> None:
    done = zkit("repair", given='{"a": "日本 é",}', LC_ALL=locale, PYTHONUTF8="0")
    assert json.loads(done.out) == {"a": "日本 é"}


@pytest.mark.parametrize(
    "args", ["repair -q", *(pytest.param(one, marks=SLOW) for one in ("demo", "corpus run cases"))]
)
def test_a_reader_that_leaves_early_is_no_error(args: str, tmp_path: Path) -> None:
    write(tmp_path / "big.json", json.dumps(["x" * 100] * 20_000))
    many = "\n".join(CASE.format(number=number) for number in range(2000))
    (tmp_path / "cases").mkdir()
    write(tmp_path / "cases/many.toml", f'about = "many"\n{many}')
    line = (
        f"{sys.executable} -m zkit {args} < big.json | head -c 10 | wc -c; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", line], capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == ""
    assert done.stdout.split() == ["10", "1" if args.startswith("corpus") else "0"]


def test_colours_appear_on_a_terminal_only() -> None:
    code, screen = on_a_terminal("repair", given="nothing here")
    assert code == 1
    assert ESCAPE in screen
    assert ESCAPE not in on_a_terminal("repair", given="nothing here", NO_COLOR="1")[1]
    assert ESCAPE not in zkit("repair", given="nothing here").err


def test_repair_says_that_it_waits_for_a_text_from_the_terminal() -> None:
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*ZKIT, "repair"], stdin=terminal, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    os.close(terminal)
    assert process.stderr is not None
    assert b"end with Ctrl-D" in process.stderr.readline()
    os.write(main, b'{"a": 1}\n\x04')
    out, _ = process.communicate()
    os.close(main)
    assert (process.returncode, json.loads(out)) == (0, {"a": 1})


# zkit corpus run

CASE = """
[[case]]
it = "read text {number}"
text = '[{number}]'
json = '[]'
"""

CASES = """\
about = "Cases of a user."

[[case]]
it = "leave valid JSON alone"
text = '{"a": 1}'
untouched = true

[[case]]
it = "read one as two"
text = '[1]'
json = '[2]'
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A user's folder with one case that holds and one that differs."""
    (tmp_path / "mine/deep").mkdir(parents=True)
    write(tmp_path / "mine/deep/numbers.toml", CASES)
    held = {"it": "read a list", "text": "[1]", "json": "[1]"}
    write(tmp_path / "mine/held.jsonl", json.dumps(held) + "\n")
    return tmp_path


def test_a_mismatch_names_place_sentence_expected_and_got(folder: Path) -> None:
    done = zkit("corpus", "run", "mine", cwd=folder)
    assert done.code == 1
    assert "mine/deep/numbers.toml:8  it should read one as two\n" in done.out
    assert "expected [2], came [1] (EXACT)" in done.out
    assert "cases 3, passed 2, mismatches 1 in " in done.out
    assert done.err == ""


def test_the_table_counts_by_file(folder: Path) -> None:
    rows = [line.split() for line in zkit("corpus", "run", "mine", cwd=folder).out.splitlines()]
    assert ["mine/deep/numbers.toml", "2", "1", "1"] in rows
    assert ["mine/held.jsonl", "1", "1", "0"] in rows


def test_cases_that_hold_exit_0(folder: Path) -> None:
    done = zkit("corpus", "run", "mine/held.jsonl", cwd=folder)
    assert (done.code, "mismatches 0" in done.out) == (0, True)


def test_two_folders_may_hold_files_of_the_same_name(folder: Path) -> None:
    (folder / "yours").mkdir()
    write(folder / "yours/held.jsonl", (folder / "mine/held.jsonl").read_text("utf-8"))
    done = zkit("corpus", "run", "yours", "mine/held.jsonl", cwd=folder)
    assert (done.code, "cases 2, passed 2" in done.out) == (0, True)


def test_junit_reads_back(folder: Path) -> None:
    assert zkit("corpus", "run", "mine", "--junit", "report.xml", cwd=folder).code == 1
    suites = ElementTree.parse(folder / "report.xml").getroot()
    counts = [(s.get("name"), s.get("tests"), s.get("failures")) for s in suites]
    assert counts == [("mine/deep/numbers.toml", "2", "1"), ("mine/held.jsonl", "1", "0")]
    [failed] = [case for case in suites.iter("testcase") if case.find("failure") is not None]
    assert (failed.get("name"), failed.get("line")) == ("read one as two", "8")
    assert failed.find("failure").get("message") == "expected [2], came [1] (EXACT)"  # type: ignore[union-attr]


def test_junit_escapes_what_xml_cannot_hold() -> None:
    assert writable("a\x00b\ud800\n\ufffe") == "a\\u0000b\\ud800\n\\ufffe"
    assert ElementTree.fromstring(junit_xml([])).tag == "testsuites"


def test_a_junit_file_that_cannot_be_written_is_told(folder: Path) -> None:
    done = zkit("corpus", "run", "mine/held.jsonl", "--junit", "none/report.xml", cwd=folder)
    assert (done.code, done.err) == (2, "zkit: none/report.xml: No such file or directory\n")


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        (
            "a.toml",
            'about = "x"\n[[case]]\nit = "y"\ntxt = "z"\n',
            "bad/a.toml:4: unknown key 'txt'",
        ),
        ("a.toml", 'about = "x"\n[[case]\n', "bad/a.toml:2: not TOML"),
        ("a.jsonl", '{"text": "1", "json": "1"}\n{"text": \n', "bad/a.jsonl:2: not JSON"),
        ("readme.txt", "", "bad: no case files"),
    ],
)
def test_a_malformed_case_file_is_told_with_its_line(
    name: str, content: str, says: str, tmp_path: Path
) -> None:
    (tmp_path / "bad").mkdir()
    write(tmp_path / "bad" / name, content)
    done = zkit("corpus", "run", "bad", cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"zkit: {says}")
    assert done.err.count("\n") == 1


@pytest.mark.slow
def test_our_own_corpus_holds_and_is_the_default(tmp_path: Path) -> None:
    done = zkit("corpus", "run", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")


def test_the_progress_bar_is_for_terminals(folder: Path) -> None:
    code, screen = on_a_terminal("corpus", "run", folder / "mine")
    assert (code, "running the cases" in screen, ESCAPE in screen) == (1, True, True)


def test_corpus_run_tells_machines_of_every_mismatch(tmp_path: Path) -> None:
    cases = """about = "two"

[[case]]
it = "hold"
text = '[1,]'
json = '[1]'

[[case]]
it = "not hold"
text = '[1,]'
json = '[2]'
"""
    write(tmp_path / "two.toml", cases)
    done = zkit("corpus", "run", "--json", "two.toml", cwd=tmp_path)
    found = json.loads(done.out)
    assert (done.code, found["cases"], found["passed"]) == (1, 2, 1)
    assert found["mismatches"] == [
        {"file": "two.toml", "line": 8, "it": "not hold",
         "mismatch": "expected [2], came [1] (RESPELL)"}
    ]  # fmt: skip


def test_a_misspelt_command_gets_a_suggestion() -> None:
    done = zkit("reapir")
    assert done.code == 2
    assert "No such command 'reapir'. Did you mean 'repair'?" in done.err


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_for_the_shell(shell: str) -> None:
    done = zkit("completion", shell)
    assert (done.code, done.err) == (0, "")
    assert "_ZKIT_COMPLETE" in done.out


def test_the_shell_completes_commands() -> None:
    done = zkit_process(_ZKIT_COMPLETE="bash_complete", COMP_WORDS="zkit re", COMP_CWORD="1")
    assert "plain,repair" in done.out


def every_command(group: click.Group, *above: str) -> Iterator[tuple[str, click.Command]]:
    for name in group.list_commands(click.Context(group)):
        one = group.get_command(click.Context(group), name)
        assert one is not None
        yield " ".join((*above, name)), one
        if isinstance(one, click.Group):
            yield from every_command(one, *above, name)


def test_the_help_of_every_command_has_an_example_that_can_be_typed() -> None:
    commands = dict(every_command(commands_of_zkit))
    assert len(commands) > 25
    for name, one in commands.items():
        epilog = one.epilog or ""
        assert re.match(r"\x08\nExamples?\b.*:\n", epilog), name
        top = name.split()[0]
        assert re.search(rf"^  .*zkit {top}\b", epilog, re.M), name
