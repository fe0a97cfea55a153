"""Write docs/std.md: every standard tool with its output in a small workspace."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import NamedTuple

from zkit import Call, Dispatcher, Toolbox
from zkit.coach import tool_document
from zkit.json_types import JsonObject
from zkit.std import FAMILIES, SearchHit, StdProvider, Web, std_tools
from zkit.tools import ToolSpec, render_result

INTRO = """\
# The standard tools

This page is generated: every answer below is what the tool returned in a small workspace when `make
docs` ran, and a test fails when it drifts.

```python
from zkit import ChatLoop, Toolbox
from zkit.std import StdProvider, std_kit, std_tools

tools = std_tools(".")                                # all of them, for the files below a folder
tools = std_tools(".", only=["std/files", "bash"])    # some: names and families
box = Toolbox(providers=[StdProvider(".")])           # as the provider `std`
kit = box.kit(["std/files", "@std", "!bash"])         # in kits: a family, the provider, exceptions
kit = std_kit("tdd_workflow", root=".")               # a workflow kit by its name
```

`pip install 'zkit-llm[std]'` brings what they import; `code_exec` needs `sandbox` too. From the shell:
`zkit tools list --std`, `zkit tools call grep pattern=TODO`, `zkit chat --kit tdd_workflow`.

* **Files** never leave the root. No link is followed, not even one that is swapped in during a
  call.
  Ignore files are respected. A file that has changed since the task read it is refused as stale.
* **Edits and diffs** have ranks and receipts, as repairs have: exact, then line ends and trailing
  blanks, then indentation or a line offset; one place only, all edits or none.
* **Commands** run in a process group that is killed as a whole, and in bubblewrap where it is
  installed (only the workspace is writable, no network); the result says whether they were
  confined. Commands that are not confined need approval. `sandbox=True` runs them confined or not
  at all.
* **Web tools** reach public addresses only. Each address is looked up once and checked at every
  redirect.

| family | tools |
|---|---|
"""
KITS = """
## Kits and skills

`tdd_workflow`, `debug_cycle`, `project_setup` and `code_quality` are workflow kits, and every tool has
a skill: when to use it, when not, tips. Both are YAML files in the package. `std_kit(name, kits="kits",
skills="skills")` reads yours first. `kit.prompt()` holds the workflow and the guides; `ChatLoop` puts
it into requests.
"""
APP = 'import os\n\nPORT = 80  # TODO: settings\n\n\ndef address(host: str) -> str:\n    return f"{host}:{PORT}"\n'
TEST = 'from app import address\n\n\ndef test_address():\n    assert address("a") == "a:8080"\n'
PATCH = '--- a/app.py\n+++ b/app.py\n@@ -6,2 +6,2 @@\n def address(host: str) -> str:\n-    return f"{host}:{PORT}"\n+    return f"http://{host}:{PORT}"\n'


class Shown(NamedTuple):
    """A call that the page shows."""

    name: str
    arguments: JsonObject


CALLS = (
    Shown("read_file", {"path": "app.py", "start": 3, "lines": 1}),
    Shown("write_file", {"path": "notes/plan.md", "content": "# Plan\n"}),
    Shown("edit_file", {"path": "app.py", "old_str": "PORT = 80 ", "new_str": "PORT = 8000 "}),
    Shown("find_files", {"pattern": "**/*.py"}),
    Shown("ls", {"path": "."}),
    Shown("glob", {"pattern": "*.py"}),
    Shown("grep", {"pattern": "TODO"}),
    Shown("file_manager", {"action": "move", "path": "notes/plan.md", "to": "plan.md"}),
    Shown("bash", {"command": "wc -l *.py; exit 3"}),
    Shown("bash", {"command": "echo ready; sleep 60", "background": True}),
    Shown("bash_output", {"id": "b1", "wait": 1, "stop": True}),
    Shown("git_manager", {"action": "status"}),
    Shown("test_runner", {}),
    Shown("lsp_manager", {"action": "definition", "path": "test_app.py", "line": 5, "column": 12}),
    Shown("code_exec", {"code": "print('sum:')\nsum(range(10))"}),
    Shown("diff_editor", {"action": "apply", "patch": PATCH}),
    Shown("code_search", {"pattern": "address", "globs": ["test_*.py"], "context": 1}),
    Shown("web_search", {"query": "zkit", "limit": 1}),
    Shown("web_fetch", {"url": "http://127.0.0.1:PORT/"}),
    Shown("pdf_read", {"path": "manual.pdf"}),
    Shown("ask_clarification", {"question": "Which port is meant?", "options": ["80", "8080"]}),
)  # fmt: skip


@cache
def std_page() -> str:
    """Return the page: every tool with its answer."""
    rows = "".join(
        f"| `std/{name}` | {', '.join(f'`{t}`' for t in FAMILIES[name])} |\n" for name in FAMILIES
    )
    specs = std_specs()
    parts: dict[str, list[str]] = {}
    for shown, text in _answers():
        arguments = ", ".join(f"{key}={_shown(value)}" for key, value in shown.arguments.items())
        parts.setdefault(shown.name, []).append(f"{shown.name}({arguments})\n\n{text}")
    sections = [
        f"\n### {name}\n\n{specs[name].summary}\n\n```text\n" + "\n\n".join(found) + "\n```\n"
        for name, found in parts.items()
    ]
    return INTRO + rows + "\n## Output of each tool\n" + "".join(sections) + KITS


def std_specs() -> dict[str, ToolSpec]:
    """Return the spec of every standard tool by name, as it is without a sandbox."""
    specs = [tool.definition() for tool in std_tools(".", sandbox=False)]
    return {spec.name: spec for spec in specs}


def tool_pages() -> dict[str, Callable[[], str]]:
    """Return the pages of all tools by their path in the package."""
    names = [name for family in FAMILIES.values() for name in family]
    return {f"zkit/std/pages/std/{name}.md": _page_maker(name) for name in names}


def _page_maker(name: str) -> Callable[[], str]:
    return lambda: tool_document(_specs()[name])


@cache
def _specs() -> JsonObject:
    return std_specs()


def _shown(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


class _Engine:
    """A search engine that always finds the same page."""

    def search(self, query: str, limit: int, /) -> list[SearchHit]:
        return [SearchHit("zkit", "https://example.com/zkit", "No wrong call, no lost call.")]


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Ports</h1><p>Use <b>8080</b>.</p><script>x()</script>")

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def _served() -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _answers() -> list[tuple[Shown, str]]:
    """Return the output of each call, without the parts that differ from run to run."""
    with tempfile.TemporaryDirectory() as folder, _served() as port:
        root = Path(folder).resolve() / "workspace"
        _workspace(root)
        provider = StdProvider(root, web=Web(search=_Engine(), allow_private=True), sandbox=False)
        box = Toolbox(providers=[provider])
        dispatcher = Dispatcher(box, approve=lambda call: True)
        found = []
        for shown in CALLS:
            text = json.dumps(shown.arguments).replace("PORT/", f"{port}/")
            result = dispatcher.call_sync(Call(shown.name, json.loads(text)))
            found.append((shown, _steady(render_result(result), port)))
        return found


def _workspace(root: Path) -> None:
    root.mkdir()
    files = {"app.py": APP, "test_app.py": TEST, ".gitignore": "__pycache__/\n", "pytest.ini": _INI}
    for name, text in files.items():
        (root / name).write_text(text, "utf-8")
    (root / "manual.pdf").write_bytes(_PDF)
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    _freeze_times(root)


# Pytest without plug-ins that may or may not be installed: the output would differ.
_INI = "[pytest]\naddopts = -p no:xdist -p no:hypothesispytest -p no:anyio\n"


def _freeze_times(root: Path) -> None:
    for path in root.rglob("*"):
        if ".git" not in path.parts:
            os.utime(path, (1_767_225_600, 1_767_225_600))


def _steady(text: str, port: int) -> str:
    text = text.replace(str(port), "PORT")
    text = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d", "2026-01-01 12:00", text)
    text = re.sub(r"seconds: [\d.]+", "seconds: 0.2", text)
    return re.sub(r"\nslowest: .*", "", text)


_PDF = b"""%PDF-1.4
1 0 obj
<< /Type /Catalog /Pages 2 0 R >>
endobj
2 0 obj
<< /Type /Pages /Kids [4 0 R] /Count 1 >>
endobj
3 0 obj
<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>
endobj
4 0 obj
<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 5 0 R /Resources << /Font << /F1 3 0 R >> >> >>
endobj
5 0 obj
<< /Length 48 >>
stream
BT /F1 12 Tf 72 720 Td (The port is 8080.) Tj ET
endstream
endobj
xref
0 6
0000000000 65535 f\x20
0000000009 00000 n\x20
0000000058 00000 n\x20
0000000115 00000 n\x20
0000000185 00000 n\x20
0000000311 00000 n\x20
trailer
<< /Size 6 /Root 1 0 R >>
startxref
409
%%EOF
"""
