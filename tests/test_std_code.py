"""The standard tools for Python code and diffs, against real files and a real interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anyio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from std_samples import Bench

from zkit import Call, FileEffect, Validation
from zkit.std.patches import apply_patch, read_patch
from zkit.tools import scope


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, only=["code", "read_file"])


# lsp_manager

CODE = """\
import os


def port(name: str) -> int:
    \"\"\"Return the port of a server.\"\"\"
    return len(name)


print(port("a"), port("b"))
"""


def test_names_are_found_in_python_code(bench: Bench) -> None:
    bench.write("app.py", CODE)
    bench.write("other.py", "from app import port\nport('x')\n")
    [place] = bench.ok("lsp_manager", action="definition", path="other.py", line=2, column=2)[
        "places"
    ]
    assert (place["path"], place["line"], place["column"]) == ("app.py", 4, 5)
    found = bench.ok("lsp_manager", action="references", path="app.py", line=4, column=6)["places"]
    assert sorted((one["path"], one["line"]) for one in found) == [
        ("app.py", 4), ("app.py", 9), ("app.py", 9), ("other.py", 1), ("other.py", 2),
    ]  # fmt: skip
    assert "Return the port" in bench.text(
        "lsp_manager", action="hover", path="app.py", line=9, column=7
    )


def test_errors_are_found_without_running_anything(bench: Bench) -> None:
    bench.write("bad.py", "import os\nopen('ran', 'w')\ndef f(:\n")
    places = bench.ok("lsp_manager", action="diagnostics", path="bad.py")["places"]
    assert places[0]["line"] == 3
    bench.write("lint.py", "import os\n")
    assert "F401" in bench.text("lsp_manager", action="ruff_check", path="lint.py")
    assert not (bench.root / "ran").exists()


def test_a_module_behind_a_link_is_not_shown(tmp_path: Path) -> None:
    (tmp_path / "hidden.py").write_text('def key():\n    """The key is 42."""\n')
    (tmp_path / "root").mkdir()
    bench = Bench(tmp_path / "root", only=["lsp_manager"])
    bench.write("app.py", "import linked\nlinked.key()\n")
    (bench.root / "linked.py").symlink_to(tmp_path / "hidden.py")
    for action in ("hover", "definition"):
        found = bench.text("lsp_manager", action=action, path="app.py", line=2, column=9)
        assert found == f"{action}: 0"


def test_a_place_that_is_not_there_is_refused(bench: Bench) -> None:
    bench.write("app.py", CODE)
    bench.write("data.py", b"\xff\xfe\0")
    for more in ({"line": 99}, {"line": 1, "column": 900}):
        assert (
            "Read the file"
            in bench.refused("lsp_manager", action="hover", path="app.py", **more).message
        )
    assert "binary" in bench.refused("lsp_manager", action="hover", path="data.py").message
    assert bench.refused("lsp_manager", action="hover", path="nope.py").code == "not_found"
    assert "outside" in bench.refused("lsp_manager", action="ruff_check", path="../x.py").message


def test_ruff_that_is_not_installed_is_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.write("app.py", CODE)
    monkeypatch.setattr("zkit.std.code_tool.sys.executable", "/nowhere/python")
    monkeypatch.setattr("zkit.std.code_tool.shutil.which", lambda name: None)
    assert bench.refused("lsp_manager", action="ruff_check", path="app.py").code == "not_found"


# code_exec


def test_code_returns_its_value_and_what_it_printed(bench: Bench) -> None:
    assert bench.ok("code_exec", code="print('hi')\nsum(n * n for n in range(10))") == {
        "value": "285",
        "printed": "hi\n",
    }
    assert bench.text("code_exec", code="import json\njson.loads('[1]')[0]") == "value: 1"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("open('/etc/passwd').read()", "There are no files here"),
        ("import os\nos.listdir('/')", "There are no files here"),
        ("import subprocess", "For packages use bash"),
        ("class A(list): pass", "not supported here"),
        ("while True: pass", "took too long"),
        ("x = [0] * 10**9", "too much memory"),
        ("1 / 0", "division by zero"),
        ("def f(:", "code:"),
        ("print('before')\nboom", "It printed before: before"),
    ],
)
def test_what_the_subset_lacks_is_explained(bench: Bench, code: str, said: str) -> None:
    assert said in bench.refused("code_exec", code=code, timeout=0.5).message


def test_cancelled_code_is_killed(bench: Bench) -> None:
    async def main() -> None:
        with anyio.fail_after(20), anyio.move_on_after(0.3):
            await bench.dispatcher.call(
                Call("code_exec", {"code": "while True: pass", "timeout": 25})
            )

    anyio.run(main)


# diff_editor

TEXT = "".join(f"line {n}\n" for n in range(1, 21))


def patch(*hunks: str, path: str = "a.txt") -> str:
    return f"--- a/{path}\n+++ b/{path}\n" + "".join(hunks)


def test_a_diff_is_applied_with_receipts(bench: Bench) -> None:
    bench.write("a.txt", TEXT)
    first = "@@ -2,3 +2,3 @@\n line 2\n-line 3\n+LINE 3\n line 4\n"
    second = "@@ -10,2 +10,3 @@\n line 10\n+new\n line 11\n"
    result = bench.result("diff_editor", action="apply", patch=patch(first, second))
    assert [(h["line"], h["offset"], h["rank"]) for h in result.data["hunks"]] == [  # type: ignore[attr-defined]
        (2, 0, "EXACT"),
        (10, 0, "EXACT"),
    ]
    assert "LINE 3\n" in bench.read("a.txt")
    assert "line 10\nnew\nline 11\n" in bench.read("a.txt")
    assert [effect.op for effect in result.effects] == ["modify"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("hunk", "after", "receipt"),
    [
        ("@@ -6,2 +6,2 @@\n line 8\n-line 9\n+NINE\n", "NINE", "COMPLETE (+2 lines"),
        ("@@ -9,77 +9,1 @@\n line 9\n-line 10\n+TEN\n", "TEN", "a.txt:9: EXACT"),
        ("@@ -20,1 +20,1 @@\n-line 20\n+END\n", "END", "EXACT"),
        ("@@ -1,0 +2,1 @@\n+second\n", "line 1\nsecond\n", "EXACT"),
    ],
    ids=["offset", "wrong counts", "at the end", "only added"],
)
def test_a_hunk_finds_its_place(bench: Bench, hunk: str, after: str, receipt: str) -> None:
    bench.write("a.txt", TEXT)
    assert receipt in bench.text("diff_editor", action="apply", patch=patch(hunk))
    assert after in bench.read("a.txt")


@pytest.mark.parametrize(
    ("text", "hunk", "code"),
    [
        (TEXT, "@@ -3,1 +3,1 @@\n-line 33\n+x\n", "stale"),
        ("a\nb\n" * 9, "@@ -4,2 +4,2 @@\n a\n-b\n+c\n", "ambiguous"),
        ("x\n" * 300 + "a\n", "@@ -1,1 +1,1 @@\n-a\n+b\n", "stale"),
        (TEXT, "@@ nonsense\n-line 3\n", "invalid_arguments"),
        (TEXT, "", "invalid_arguments"),
        (TEXT, "@@ -3,2 +3,2 @@\n line 3\n-line  4\n+x\n", "stale"),
    ],
    ids=["not there", "several places", "too far", "no hunk", "empty", "a blank more"],
)
def test_a_hunk_without_a_clear_place_changes_nothing(
    bench: Bench, text: str, hunk: str, code: str
) -> None:
    bench.write("a.txt", text)
    good = "@@ -1,1 +1,1 @@\n-b\n+c\n"
    bench.write("b.txt", "b\n")
    both = patch(good, path="b.txt") + patch(hunk)
    assert bench.refused("diff_editor", action="apply", patch=both).code == code
    assert (bench.read("a.txt"), bench.read("b.txt")) == (text, "b\n")


def test_files_are_made_deleted_and_renamed_by_a_diff(bench: Bench) -> None:
    bench.write("old.txt", "a\nb\n")
    bench.write("gone.txt", "x\n")
    text = (
        "--- /dev/null\n+++ b/sub/new.py\n@@ -0,0 +1,2 @@\n+x = 1\n+y = (\n"
        "--- a/gone.txt\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-x\n"
        "--- a/old.txt\n+++ b/moved.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    )
    shown = bench.text("diff_editor", action="apply", patch=text)
    assert "sub/new.py is not valid Python" in shown
    assert bench.read("sub/new.py") == "x = 1\ny = (\n"
    assert bench.read("moved.txt") == "a\nc\n"
    assert not (bench.root / "gone.txt").exists()
    assert not (bench.root / "old.txt").exists()


def test_a_diff_never_leaves_the_root_and_keeps_line_ends(bench: Bench) -> None:
    evil = patch("@@ -1,1 +1,1 @@\n-a\n+b\n", path="../x.txt")
    assert "outside" in bench.refused("diff_editor", action="apply", patch=evil).message
    bench.write("w.txt", "a\r\nb\r\nc")
    bench.ok(
        "diff_editor", action="apply", patch=patch("@@ -1,2 +1,2 @@\n a\n-b\n+B\n", path="w.txt")
    )
    assert bench.read("w.txt") == "a\r\nB\r\nc"


def test_a_stale_file_is_refused_and_a_failed_write_is_undone(bench: Bench) -> None:
    bench.write("a.txt", "a\n")
    with scope("task"):
        bench.ok("read_file", path="a.txt")
        bench.write("a.txt", "a\nmore\n")
        change = patch("@@ -1,1 +1,1 @@\n-a\n+b\n")
        assert bench.refused("diff_editor", action="apply", patch=change).code == "stale"
    bench.write("file", "x\n")
    both = (
        patch("@@ -1,1 +1,1 @@\n-a\n+b\n")
        + "--- /dev/null\n+++ b/file/new.txt\n@@ -0,0 +1,1 @@\n+x\n"
    )
    assert isinstance(bench.result("diff_editor", action="apply", patch=both), Validation)
    assert bench.read("a.txt") == "a\nmore\n"


def test_a_diff_is_created_and_nothing_is_written(bench: Bench) -> None:
    bench.write("a.txt", "a\nb\n")
    made = bench.ok("diff_editor", action="create", path="a.txt", content="a\nc\n")["diff"]
    assert made == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
    assert bench.read("a.txt") == "a\nb\n"
    result = bench.result("diff_editor", action="apply", patch=made)
    assert bench.read("a.txt") == "a\nc\n"
    assert result.effects == (FileEffect(path="a.txt", op="modify", bytes_after=4),)  # type: ignore[attr-defined]
    bench.refused("diff_editor", action="create", content="x")
    bench.refused("diff_editor", action="apply")


LINES = st.lists(st.sampled_from(["a", "b", "  c", "", "+d", "-e"]), max_size=12)


@given(LINES, LINES)
def test_a_diff_that_python_makes_is_applied_exactly(before: list[str], after: list[str]) -> None:
    import difflib

    old, new = "".join(f"{x}\n" for x in before), "".join(f"{x}\n" for x in after)
    made = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/f", "b/f"))
    if old == new:
        return
    [file] = read_patch(made)
    changed, receipts = apply_patch(old, file)
    assert changed == new
    assert {one.rank for one in receipts} == {"EXACT"}


@pytest.mark.parametrize(
    "junk",
    [
        "hello",
        "--- a\n+++ b\n",
        "@@ -1 +1 @@\n-a\n",
        "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\nno sign\n",
        "\0" * 50,
    ],
)
def test_what_is_no_diff_is_refused(bench: Bench, junk: str) -> None:
    result: Any = bench.result("diff_editor", action="apply", patch=junk)
    assert isinstance(result, Validation)
