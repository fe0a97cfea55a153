"""Write docs/cli.md again, with what its commands print today."""

from __future__ import annotations

import re
import shlex
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path

from command_line import Done, zkit
from test_doctor import asked, good_model, served

from zkit.testing import SHORTCOMINGS, Answer, Request, Said, ScriptedServer, says

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs/cli.md"
SERVER = "http://localhost:8080/v1"
_FILE = re.compile(r"^`([\w.]+)`:\n\n```\w*\n(.*?)^```$", re.M | re.S)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)
_TIME = re.compile(r"in \d+\.\d+ s\b")
CALL = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo",}}\n</tool_call>'


def model(request: Request) -> Said:
    """The model of the page: it does what the doctor asks, and asks for the weather in a chat."""
    try:
        asked(request)
    except StopIteration:
        is_known = any("sunny in Oslo" in str(one.get("content")) for one in request["messages"])
        return says("It will be sunny in Oslo.") if is_known else says(CALL)
    return good_model(request)


def server() -> ScriptedServer:
    """A server that takes no $ref in schemas."""
    script = served(SHORTCOMINGS["refuses_schemas"].server_of(model))

    def answer(request: Request) -> Answer:
        assert callable(script)
        return script(request)

    return ScriptedServer(then=answer)


def played(page: str) -> str:
    """The page with the output of every command as it is today."""
    with tempfile.TemporaryDirectory() as folder, server() as running:
        for name, text in _FILE.findall(page):
            (Path(folder) / name).write_text(text, "utf-8")

        def block(match: re.Match[str]) -> str:
            lines = [line for line in match[1].splitlines() if line.startswith("$ ")]
            shown = [f"{line}\n{_output(line[2:], folder, running.url)}" for line in lines]
            return f"```console\n{''.join(shown)}```"

        return _CONSOLE.sub(block, page)


def _output(line: str, folder: str, url: str) -> str:
    """Return what a line of shell prints: zkit runs in this process, other programs as processes.

    Known are `;`, `|`, `> FILE`, `2>/dev/null` and `$?`: what the page needs.
    """
    words = shlex.shlex(line.replace(SERVER, url), posix=False, punctuation_chars=True)
    words.whitespace_split, words.commenters = True, ""
    shown, code = "", 0
    for command in _split(words, ";"):
        data = ""
        for stage in _split(command, "|"):
            done = _stage([one.replace("$?", str(code)) for one in stage], data, Path(folder))
            data, code = done.out, done.code
            shown += done.err
        shown += data
    assert "Traceback" not in shown, shown
    return _TIME.sub("in 0.5 s", shown.replace(url, SERVER))


def _split(words: Iterable[str], mark: str) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for word in words:
        if word == mark:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts


def _stage(words: list[str], given: str, folder: Path) -> Done:
    if words[0] != "zkit":
        command = ["sh", "-c", " ".join(words)]
        ran = subprocess.run(command, cwd=folder, input=given.encode(), capture_output=True)
        return Done(ran.returncode, ran.stdout, ran.stderr)
    target = ""
    if ">" in words:
        at = words.index(">")
        words, target = words[:at], words[at + 1]
    is_quiet = target == "/dev/null" and words.pop() == "2"
    args = [shlex.split(one)[0] for one in words[1:]]
    unset = {"OPENAI_API_KEY": "", "OPENAI_BASE_URL": ""}
    done = zkit(*args, given=given, cwd=folder, err_with_out=not target, **unset)
    if is_quiet:
        done.err = ""
    elif target:
        (folder / target).write_text(done.out, "utf-8")
        done.out = ""
    return done


if __name__ == "__main__":
    PAGE.write_text(played(PAGE.read_text("utf-8")), "utf-8")
