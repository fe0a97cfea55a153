"""docs/cli.md in, the same page with what its commands print today out. Run it to write the page again."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

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
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    unset = ("FORCE_COLOR", "NO_COLOR", "COLUMNS", "OPENAI_API_KEY", "OPENAI_BASE_URL")
    clean = {key: value for key, value in os.environ.items() if key not in unset}
    done = subprocess.run(
        ["sh", "-c", line.replace(SERVER, url)],
        cwd=folder, env={**clean, "PATH": path}, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert "Traceback" not in done.stdout, done.stdout
    return _TIME.sub("in 0.5 s", done.stdout.replace(url, SERVER))


if __name__ == "__main__":
    PAGE.write_text(played(PAGE.read_text("utf-8")), "utf-8")
