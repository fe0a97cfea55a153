"""No command lets text from a model, a tool or a file control the terminal."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from command_line import Done, zkit

from zkit.cli.streams import is_printable

ROOT = Path(__file__).parent.parent
HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b]52;c;aGk=\x07\x9b31m\u202egnp.exe\x08\r"
TOOLS = [
    {
        "name": "get_weather",
        "description": HOSTILE,
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
]
TOOL_FILE = f"""
from zkit import tool

@tool(summary={HOSTILE!r})
def shout(text: str) -> str:
    \"\"\"Shout.\"\"\"
    return {HOSTILE!r} + text

@tool
def fail(text: str) -> str:
    \"\"\"Fail.\"\"\"
    raise ValueError({HOSTILE!r})
"""
CASE = f"""
[[case]]
it = {json.dumps("hold " + HOSTILE)}
text = {json.dumps('{"a": 1}')}
json = {json.dumps(json.dumps({"a": HOSTILE}))}
"""


def repair(folder: Path) -> Done:
    return zkit("repair", given=f"{{'a': '{HOSTILE}',}}")


def repair_json(folder: Path) -> Done:
    return zkit("repair", "--json", given=f"{{'a': '{HOSTILE}',}}")


def refuse(folder: Path) -> Done:
    return zkit("repair", given=f'{{"a": {HOSTILE}(1)}}')


def decode(folder: Path) -> Done:
    schema = folder / "schema.json"
    schema.write_text(json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}}))
    return zkit("decode", "--schema", schema, given=json.dumps({"a": HOSTILE}))


def extract(folder: Path) -> Done:
    tools = folder / "tools.json"
    tools.write_text(json.dumps(TOOLS))
    call = {"name": "get_weather", "arguments": {"city": HOSTILE}}
    text = f"{HOSTILE}\n<tool_call>{json.dumps(call, ensure_ascii=False)}</tool_call>"
    return zkit("extract", "--tools", tools, given=text)


def list_tools(folder: Path) -> Done:
    (folder / "shouting.py").write_text(TOOL_FILE)
    return zkit("tools", "list", "--from", folder)


def call_tool(folder: Path) -> Done:
    (folder / "shouting.py").write_text(TOOL_FILE)
    return zkit("tools", "call", "shout", f"text={HOSTILE}", "--from", folder)


def call_failing_tool(folder: Path) -> Done:
    (folder / "shouting.py").write_text(TOOL_FILE)
    return zkit("tools", "call", "fail", "text=x", "--from", folder)


def list_kits(folder: Path) -> Done:
    (folder / "bad.kit").write_text(f"# {HOSTILE}\nread_file\n{HOSTILE}\n")
    return zkit("kit", "list", "--kits", folder)


def run_cases(folder: Path) -> Done:
    (folder / "repair.toml").write_text(CASE, "utf-8")
    return zkit("corpus", "run", folder)


def wrong_option(folder: Path) -> Done:
    return zkit("repair", f"--{HOSTILE}")


def missing_file(folder: Path) -> Done:
    return zkit("repair", folder / HOSTILE.replace("\x00", ""))


def examine_no_address(folder: Path) -> Done:
    return zkit("doctor", "--base-url", f"http://127.0.0.1:9/{HOSTILE}", "--model", "m")


COMMANDS = [
    repair, repair_json, refuse, decode, extract, list_tools, call_tool, call_failing_tool,
    list_kits, run_cases, wrong_option, missing_file, examine_no_address,
]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.__name__)
def test_hostile_text_reaches_no_terminal(command: Callable[[Path], Done], tmp_path: Path) -> None:
    done = command(tmp_path)
    assert done.out or done.err
    assert "Traceback" not in done.err
    assert is_printable(done.out)
    assert is_printable(done.err)


def test_a_report_of_hostile_rows_holds_no_script_and_no_control_characters(tmp_path: Path) -> None:
    evil = f"<script>alert(1)</script>{HOSTILE}"
    rows = [{"text": f'{{"a": "{evil}",', "model": evil}, {"text": "{'a': 1}", "model": evil}]
    log, out, page = tmp_path / "log.jsonl", tmp_path / "out.jsonl", tmp_path / "page.html"
    log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    zkit("batch", "repair", log, "-o", out, "--column", "text")
    done = zkit("batch", "report", out, "-o", page)
    text = page.read_text("utf-8")
    assert "alert(1)" in text
    assert "<script>" not in text
    assert is_printable(text)
    assert is_printable(done.out)


def test_escaped_json_is_still_the_same_value(tmp_path: Path) -> None:
    text = "a\x9b31m\u202eb"
    assert json.loads(zkit("repair", given=json.dumps({"a": text})).out) == {"a": text}


def test_only_the_output_modules_write_to_the_terminal() -> None:
    """`click.echo` and `print` elsewhere would go past the sanitiser."""
    allowed = {"streams.py", "terminal.py", "main.py"}
    found = []
    for path in sorted((ROOT / "zkit/cli").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and path.name not in allowed:
                name = ast.unparse(node.func)
                if name in ("print", "click.echo", "click.secho", "sys.stdout.write"):
                    found.append(f"{path.relative_to(ROOT)}:{node.lineno}: {name}")
    assert found == []
