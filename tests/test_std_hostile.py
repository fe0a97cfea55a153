"""Hostile input for each of the standard tools: paths, files, commands, patterns, in one table."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from std_samples import Bench

from zkit import Refused, Success, Validation
from zkit.results import Result
from zkit.std import FAMILIES, text_search
from zkit.tools import render_result

Arguments = dict[str, Any]
SECRET = "TODO secret\n"
PATCH = "--- a/{0}\n+++ b/{0}\n@@ -1 +1 @@\n-TODO secret\n+x\n"

# How each tool is sent a path; a tool that takes several kinds of paths has several rows.
PATHS: dict[str, list[Callable[[str], Arguments]]] = {
    "read_file": [lambda p: {"path": p}],
    "write_file": [lambda p: {"path": p, "content": "x"}],
    "edit_file": [lambda p: {"path": p, "old_str": "TODO", "new_str": "x"}],
    "find_files": [lambda p: {"pattern": p}, lambda p: {"pattern": f"{p}/*"}],
    "ls": [lambda p: {"path": p}, lambda p: {"path": p, "ignored": True}],
    "glob": [lambda p: {"pattern": "**", "path": p}, lambda p: {"pattern": p}],
    "grep": [
        lambda p: {"pattern": "secret", "path": p},
        lambda p: {"pattern": "secret", "glob": p},
    ],
    "code_search": [
        lambda p: {"pattern": "secret", "path": p, "context": 3},
        lambda p: {"pattern": "secret", "globs": [p], "show": "counts"},
    ],
    "file_manager": [
        lambda p: {"action": "read", "path": p},
        lambda p: {"action": "write", "path": p, "content": "x"},
        lambda p: {"action": "append", "path": p, "content": "x"},
        lambda p: {"action": "move", "path": p, "to": "moved"},
        lambda p: {"action": "move", "path": "a.txt", "to": p},
    ],
    "git_manager": [
        lambda p: {"action": "add", "paths": [p]},
        lambda p: {"action": "diff", "paths": [p]},
        lambda p: {"action": "diff", "name": p},
    ],
    "test_runner": [lambda p: {"paths": [p], "timeout": 20}],
    "lsp_manager": [
        lambda p: {"action": "diagnostics", "path": p},
        lambda p: {"action": "ruff_check", "path": p},
    ],
    "diff_editor": [
        lambda p: {"action": "create", "path": p, "content": "x"},
        lambda p: {"action": "apply", "patch": PATCH.format(p)},
    ],
    "pdf_read": [lambda p: {"path": p}],
}
# What leads out of the root, and what is not a name: refused, whatever the tool.
OUTSIDE = [
    "../secret.txt",
    "/etc/passwd",
    "link.txt",
    "up/secret.txt",
    "up/new",
    "d/../../secret.txt",
]
NO_NAMES = ["a\0b", "x" * 5000, "-rf", "--output=x"]
# What is not a text file. A tool that only lists files shows them; a tool that reads refuses them.
ODD = ["binary", "huge", "fifo", "missing", "closed"]
NAMING = {"find_files", "ls", "glob", "grep", "code_search", "git_manager"}
# What is not about paths.
OTHER: list[tuple[str, Arguments, str]] = [
    ("find_files", {"pattern": "**/" * 60 + "*a*a*a*a*a*b"}, ""),
    ("find_files", {"pattern": "{a,b}" * 12}, "more than 64 patterns"),
    ("glob", {"pattern": "[" * 500}, ""),
    ("grep", {"pattern": "(a+)+$", "path": "many.txt"}, ""),
    ("grep", {"pattern": "(?=(a+)+$)(a+)+$", "path": "many.txt"}, "takes too long"),
    ("grep", {"pattern": "(" * 1500 + ")" * 1500}, "pattern"),
    ("code_search", {"pattern": r"(a|aa)+\1$", "path": "many.txt"}, "takes too long"),
    ("edit_file", {"path": "many.txt", "old_str": "a\n" * 20_000, "new_str": ""}, "occurs many times"),
    ("bash", {"command": "(trap '' TERM INT HUP; sleep 321 & setsid sleep 321 & wait)", "timeout": 0.3}, "timed out"),
    ("bash", {"command": "yes secret2 | head -c 30000000; printf '\\0\\377'"}, "exit code: 0"),
    ("bash", {"command": "kill -9 $$"}, "exit code"),
    ("bash_output", {"id": "../b1"}, "no command"),
    ("bash_output", {"id": "b" * 100_000}, "no command"),
    ("git_manager", {"action": "diff", "name": "--output=/tmp/x"}, "not the name"),
    ("git_manager", {"action": "branch", "name": "a..b"}, "not the name"),
    ("git_manager", {"action": "commit", "message": "\0"}, ""),
    ("test_runner", {"keyword": "((("}, "pytest could not run"),
    ("code_exec", {"code": "while True: pass", "timeout": 0.3}, "took too long"),
    ("code_exec", {"code": "x = 'a' * 10**10"}, "memory"),
    ("code_exec", {"code": "(" * 50_000}, "code"),
    ("code_exec", {"code": "def f(): return f()\nf()"}, "code"),
    ("code_exec", {"code": "print('z' * 10**6)"}, "value"),
    ("code_exec", {"code": "open('/etc/passwd').read()"}, "code"),
    ("diff_editor", {"action": "apply", "patch": "@@ -1,999999999 +1 @@\n" + "-a\n" * 5000}, "patch"),
    ("diff_editor", {"action": "apply", "patch": "GIT binary patch\nliteral 9\n"}, "patch"),
    ("web_fetch", {"url": "file:///etc/passwd"}, "url"),
    ("web_fetch", {"url": "http://127.0.0.1:9/"}, ""),
    ("web_fetch", {"url": "http://[" + ":" * 5000}, "url"),
    ("web_search", {"query": "x" * 100_000}, ""),
    ("ask_clarification", {"question": "", "options": []}, ""),
    ("ask_clarification", {"question": "q", "options": ["x"] * 10_000}, ""),
]  # fmt: skip
TOOLS = [name for names in FAMILIES.values() for name in names]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A root with what is hostile in it, below a folder that any user may enter."""
    with tempfile.TemporaryDirectory() as name:
        outer = Path(name)
        root = outer / "root"
        (root / "d").mkdir(parents=True)
        outer.chmod(0o755)
        (outer / "secret.txt").write_text(SECRET)
        (root / "a.txt").write_text("one\n")
        (root / "d" / "f.txt").write_text("plain TODO\n")
        (root / "many.txt").write_text("a" * 40_000 + "!\n" + "a\n" * 50_000)
        (root / "binary").write_bytes(b"%PDF-\0secret2\xff" * 10)
        (root / "huge").touch()
        os.truncate(root / "huge", 3_000_000_000)
        os.mkfifo(root / "fifo")
        (root / "closed").write_text("secret2")
        (root / "closed").chmod(0)
        os.symlink(outer / "secret.txt", root / "link.txt")
        os.symlink(outer, root / "up")
        yield root


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """As a user who may not read everything."""
    if os.geteuid():
        yield
        return
    os.setegid(65534)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def harmless(root: Path, result: Result) -> str:
    """Check that a call ended as a result that a model can read, and reached nothing outside."""
    text = render_result(result)
    assert isinstance(result, Success | Validation | Refused), text
    assert text.strip()
    assert len(text) < 70_000
    assert (root.parent / "secret.txt").read_text() == SECRET
    assert sorted(os.listdir(root.parent)) == ["root", "secret.txt"]
    return text


def test_each_tool_is_in_the_table() -> None:
    assert {*PATHS, *(name for name, _, _ in OTHER)} == set(TOOLS)


@pytest.mark.parametrize("tool", PATHS)
def test_no_path_leads_out_or_is_something_else(folder: Path, tool: str) -> None:
    bench = Bench(folder, only=[tool], sandbox=False)
    for arguments in PATHS[tool]:
        for path in [*OUTSIDE, *NO_NAMES]:
            result = bench.result(tool, **arguments(path))
            text = harmless(folder, result)
            assert "secret\n" not in text, path
            assert "root:" not in text, path
            if path in OUTSIDE and tool not in NAMING:
                assert not isinstance(result, Success), (path, text)


@pytest.mark.parametrize("tool", PATHS)
def test_odd_files_are_refused_or_only_named(folder: Path, tool: str) -> None:
    bench = Bench(folder, only=[tool], sandbox=False)
    bench.result(tool, **PATHS[tool][0]("a.txt"))  # what is imported late is imported now
    folder.chmod(0o777)
    for arguments in PATHS[tool]:
        for path in ODD if tool != "test_runner" else ["missing"]:  # pytest reads what it collects
            closed = without_privileges() if path == "closed" else contextlib.nullcontext()
            with closed:
                result = bench.result(tool, **arguments(path))
            text = harmless(folder, result)
            assert "secret2" not in text, path
            if tool in {"read_file", "edit_file", "lsp_manager", "pdf_read"}:
                assert isinstance(result, Validation), (path, text)


@pytest.mark.parametrize("number", range(len(OTHER)), ids=lambda n: f"{OTHER[n][0]}-{n}")
def test_what_is_made_to_hurt_does_not(
    folder: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_search, "_SECONDS_PER_FILE", 0.2)
    tool, arguments, said = OTHER[number]
    bench = Bench(folder, only=[tool], sandbox=False)
    text = harmless(folder, bench.result(tool, **arguments))
    assert said in text
    assert "root:" not in text


@pytest.mark.parametrize("moment", ["before the folder is opened", "before the file is opened"])
@pytest.mark.parametrize("tool", [tool for tool in PATHS if tool != "test_runner"])
def test_a_link_swapped_in_at_the_worst_moment_leads_nowhere(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tool: str, moment: str
) -> None:
    """The folder, or the file in it, turns into a link after it was looked at."""
    (folder.parent / "secret.txt").rename(folder.parent / "f.txt")
    bench = Bench(folder, only=[tool], sandbox=False)
    wanted, target = (
        ("d", folder.parent) if "folder" in moment else ("f.txt", folder.parent / "f.txt")
    )
    place = folder / ("d" if wanted == "d" else "d/f.txt")
    opened = os.open

    def swapping(path: Any, *rest: Any, **more: Any) -> int:
        if path == wanted and not place.is_symlink():
            place.rename(folder / "kept")
            place.symlink_to(target)
        return opened(path, *rest, **more)

    monkeypatch.setattr(os, "open", swapping)
    monkeypatch.setattr(text_search, "_ripgrep", lambda: None)  # it opens files in its own way
    for arguments, path in product(PATHS[tool], ("d/f.txt", "d")):
        result = bench.result(tool, **arguments(path))
        assert "secret\n" not in render_result(result)
        with contextlib.suppress(OSError):
            place.unlink()
            (folder / "kept").rename(place)
    assert (folder.parent / "f.txt").read_text() == SECRET
    assert sorted(os.listdir(folder.parent)) == ["f.txt", "root"]
