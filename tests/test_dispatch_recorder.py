"""What calls change in files: seen before and after, from effects, call by call and turn by turn."""

from __future__ import annotations

import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from dispatch_samples import cancel_when, data_of, failed, send
from hypothesis import given, settings
from hypothesis import strategies as st

from zkit.calls import Call
from zkit.dispatch import Change, Dispatcher, Recorder
from zkit.dispatch.diffs import unified_diff
from zkit.effects import FileEffect
from zkit.grade import EXECUTE, WRITE
from zkit.results import Crashed, Transient
from zkit.sources import Toolbox
from zkit.std import BuiltinProvider
from zkit.tools import Context, tool


def recorded(root: Path, *tools: Any, **options: Any) -> tuple[Dispatcher, Recorder]:
    recorder = Recorder(root, **options)
    box = Toolbox(tools, providers=[BuiltinProvider(root)])
    return Dispatcher(box, recorder=recorder), recorder


def test_a_write_and_an_edit_are_seen_with_their_diffs(tmp_path: Path) -> None:
    dispatcher, recorder = recorded(tmp_path)
    send(dispatcher, "write_file", {"path": "a.txt", "content": "one\ntwo\n"}, id="c1")
    send(dispatcher, "edit_file", {"path": "a.txt", "old_str": "two", "new_str": "2"}, id="c2")
    send(dispatcher, "read_file", {"path": "a.txt"})
    first, second = recorder.changes()
    assert (first.path, first.tool, first.call_id) == ("a.txt", "write_file", "c1")
    assert first.before.why == "missing"
    assert second.diff == "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    assert first.turn != second.turn


def test_the_changes_of_a_turn_add_up(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("0\n")
    received: list[Change] = []
    dispatcher, recorder = recorded(tmp_path, on_change=received.append)
    turn = [Call("write_file", {"path": "a.txt", "content": f"{n}\n"}) for n in (1, 2, 3)]
    dispatcher.call_all_sync(turn)
    dispatcher.call_all_sync([Call("write_file", {"path": "b.txt", "content": "x"})])
    one, two = recorder.turns()
    assert len(recorder.changes(one)) == 3
    assert recorder.diff(one) == "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-0\n+3\n"
    assert "b.txt" in recorder.diff(two)
    assert len(received) == 4
    assert recorder.diff().count("+++") == 2


def test_tools_are_known_by_what_they_do_not_by_their_names(tmp_path: Path) -> None:
    @tool(grade=EXECUTE)
    def frobnicate(target: str, context: Context) -> str:
        """Do things to a file."""
        (tmp_path / target).write_text("new\n")
        (tmp_path / "side.txt").write_text("side\n")
        context.record(FileEffect(path="side.txt", op="create"))
        return "x"

    (tmp_path / "t.txt").write_text("old\n")
    dispatcher, recorder = recorded(tmp_path, frobnicate)
    send(dispatcher, "frobnicate", {"target": "t.txt"})
    assert sorted(change.path for change in recorder.changes()) == ["side.txt", "t.txt"]
    assert "-old\n+new\n" in recorder.diff()


def test_a_write_that_changes_nothing_is_no_change(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("same")
    dispatcher, recorder = recorded(tmp_path)
    data_of(send(dispatcher, "write_file", {"path": "a.txt", "content": "same"}))
    assert recorder.changes() == []


def test_what_a_failing_tool_changed_is_seen_too(tmp_path: Path) -> None:
    @tool(grade=WRITE, touches=["path"])
    def half(path: str) -> str:
        """Write half."""
        (tmp_path / path).write_text("half")
        raise RuntimeError("disk full")

    dispatcher, recorder = recorded(tmp_path, half)
    failed(send(dispatcher, "half", {"path": "a.txt"}), Crashed)
    assert [change.path for change in recorder.changes()] == ["a.txt"]


def test_what_an_abandoned_tool_changes_is_seen_when_it_ends(tmp_path: Path) -> None:
    go_on = threading.Event()

    @tool(grade=WRITE, touches=["path"], timeout=0.3)
    def late(path: str) -> str:
        """Write too late."""
        go_on.wait(10)
        (tmp_path / path).write_text("late")
        return "x"

    dispatcher, recorder = recorded(tmp_path, late)
    failed(send(dispatcher, "late", {"path": "a.txt"}), Transient, "timeout")
    assert recorder.changes() == []
    go_on.set()
    for _ in range(500):
        if recorder.changes():
            break
        time.sleep(0.01)
    assert [change.after.text for change in recorder.changes()] == ["late"]


def test_what_a_cancelled_call_changed_is_seen(tmp_path: Path) -> None:
    @tool(grade=WRITE, touches=["path"])
    async def slow(path: str) -> str:
        """Write, then wait."""
        (tmp_path / path).write_text("x")
        await anyio.sleep(60)
        return "x"

    dispatcher, recorder = recorded(tmp_path, slow)

    async def main() -> None:
        one = Call("slow", {"path": "a.txt"})
        await cancel_when((tmp_path / "a.txt").exists, lambda: dispatcher.call(one))

    anyio.run(main)
    assert [change.path for change in recorder.changes()] == ["a.txt"]


def test_deleting_and_renaming_are_changes(tmp_path: Path) -> None:
    @tool(grade=WRITE, touches=["path"])
    def drop(path: str) -> str:
        """Delete."""
        (tmp_path / path).unlink()
        return "x"

    @tool(grade=WRITE, touches=["old", "new"])
    def move(old: str, new: str, context: Context) -> str:
        """Rename."""
        (tmp_path / old).rename(tmp_path / new)
        context.record(FileEffect(path=new, op="rename", from_path=old))
        return "x"

    (tmp_path / "a.txt").write_text("a\n")
    (tmp_path / "b.txt").write_text("b\n")
    dispatcher, recorder = recorded(tmp_path, drop, move)
    send(dispatcher, "drop", {"path": "a.txt"})
    assert "--- a/a.txt\n+++ /dev/null\n" in recorder.diff()
    send(dispatcher, "move", {"old": "b.txt", "new": "c.txt"})
    moved = recorder.changes()[-1]
    assert (moved.old_path, moved.path, moved.before.text) == ("b.txt", "c.txt", "b\n")
    assert moved.diff == "rename from b.txt\nrename to c.txt\n"


@pytest.mark.parametrize("path", ["../outside.txt", "/etc/hostname", "link.txt"])
def test_what_lies_outside_of_the_root_is_not_looked_at(path: str, tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "outside.txt").write_text("secret")
    (root / "link.txt").symlink_to(tmp_path / "outside.txt")

    @tool(grade=WRITE, touches=["path"])
    def touch(path: str, context: Context) -> str:
        """Say that a file was changed."""
        context.record(FileEffect(path=path, op="modify"))
        return "x"

    dispatcher, recorder = recorded(root, touch)
    data_of(send(dispatcher, "touch", {"path": path}))
    assert recorder.changes() == []


def test_binary_and_large_files_are_told_in_words(tmp_path: Path) -> None:
    @tool(grade=WRITE, touches=["path"])
    def dump(path: str, size: int) -> str:
        """Write bytes."""
        (tmp_path / path).write_bytes(b"\x00\xff" * size)
        return "x"

    dispatcher, recorder = recorded(tmp_path, dump, max_bytes=1000)
    send(dispatcher, "dump", {"path": "a.bin", "size": 5})
    send(dispatcher, "dump", {"path": "a.bin", "size": 6})
    send(dispatcher, "dump", {"path": "b.bin", "size": 5000})
    assert len(recorder.changes()) == 3
    assert "binary, 12 bytes" in recorder.diff()
    assert "large, 10000 bytes" in recorder.diff()


def test_only_so_many_turns_are_kept(tmp_path: Path) -> None:
    dispatcher, recorder = recorded(tmp_path, max_turns=2)
    for n in range(5):
        send(dispatcher, "write_file", {"path": "a.txt", "content": str(n)})
    assert len(recorder.turns()) == 2


# Diffs


@pytest.mark.parametrize(
    ("before", "after"),
    [("a\r\n", "a\n"), ("a", "a\n"), ("a\n", "a"), ("a\n\n", "a\n"), ("", "a"), ("a\u2028b", "a")],
)
def test_line_ends_and_a_missing_newline_are_visible(before: str, after: str) -> None:
    assert "\n-" in unified_diff(before, after, "f") or "\n+" in unified_diff(before, after, "f")
    assert unified_diff(after, after, "f") == ""


LINES = st.lists(st.sampled_from(["a", "b", "c", "", "a\r", "x\x0c", "ä"]), max_size=25)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


@settings(max_examples=60)
@given(TEXTS, TEXTS)
def test_applied_to_the_old_text_a_diff_gives_the_new_one(before: str, after: str) -> None:
    """With `patch`, which knows nothing of us."""
    import tempfile

    if not before or not after or before == after:
        return
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "f")
        file.write_bytes(before.encode())
        done = subprocess.run(
            ["git", "apply", "--unsafe-paths", "-p1", "--whitespace=nowarn", "-"],
            input=unified_diff(before, after, "f").encode(),
            cwd=folder,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        assert file.read_bytes() == after.encode()


def test_two_long_texts_without_anything_in_common_are_compared_in_linear_time() -> None:
    before = "".join(f"old {n % 7}\n" for n in range(60_000))
    after = "".join(f"new {n % 7}\n" for n in range(60_000))
    diff = unified_diff(before, after, "f")
    assert diff.count("\n-") == 60_000
    one_line = before.replace("old 3\n", "changed\n", 1)
    assert len(unified_diff(before, one_line, "f").splitlines()) == 11
