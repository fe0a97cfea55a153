"""The standard tools for files, against real files: what they do, and what they refuse."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from std_samples import Bench

from zkit import Call, FileEffect, Rank, Success, Validation
from zkit.std.confined_tree import ConfinedTree
from zkit.std.folder_walk import Globs, walk
from zkit.std.text_edits import Edit, apply_edits
from zkit.tools import scope


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A small project; beside its root lies a secret."""
    root = tmp_path / "root"
    root.mkdir()
    made = Bench(root, only=["files", "manager", "code_search"])
    made.write("a.txt", "one\ntwo\none\n")
    made.write("src/app.py", "import os\n\n\ndef main():\n    port = 80\n    return port\n")
    made.write("src/deep/util.py", "# TODO: later\nx = 1\n")
    made.write(".gitignore", "build/\n*.log\n!keep.log\n")
    made.write("build/out.py", "# TODO: generated\n")
    made.write("x.log", "TODO\n")
    made.write("keep.log", "TODO\n")
    made.write(".git/config", "TODO\n")
    (tmp_path / "secret.txt").write_text("TODO secret", "utf-8")
    os.symlink(tmp_path / "secret.txt", root / "link.txt")
    os.symlink(tmp_path, root / "up")
    return made


# Reading


def test_a_file_is_read_as_it_is_with_its_effect(bench: Bench) -> None:
    bench.write("crlf.txt", "a\r\nb\r\n")
    assert bench.ok("read_file", path="crlf.txt") == "a\r\nb\r\n"
    result = bench.result("read_file", path="./src/../a.txt")
    assert result.effects == (FileEffect(path="a.txt", op="read"),)  # type: ignore[attr-defined]


def test_some_lines_are_read(bench: Bench) -> None:
    assert bench.ok("read_file", path="a.txt", start=2, lines=1) == "two\n"
    assert bench.ok("read_file", path="a.txt", start=3) == "one\n"
    assert "3 lines" in bench.refused("read_file", path="a.txt", start=9).message


def test_a_long_file_keeps_its_head_and_its_tail(bench: Bench) -> None:
    bench.write("long.txt", "".join(f"line {n}\n" for n in range(20_000)))
    text = bench.ok("read_file", path="long.txt")
    assert text.startswith("line 0\n")
    assert text.endswith("line 19999\n")
    assert "left out here" in text
    assert len(text) < 31_000


def test_a_whole_path_below_the_root_is_as_good(bench: Bench) -> None:
    assert bench.ok("read_file", path=str(bench.root / "a.txt")).startswith("one")


def test_a_move_out_of_the_root_is_refused(bench: Bench, tmp_path: Path) -> None:
    for to in ("../b.txt", "up/b.txt", "/tmp/b.txt"):
        bench.refused("file_manager", action="move", path="a.txt", to=to)
    assert sorted(os.listdir(tmp_path)) == ["root", "secret.txt"]
    assert bench.read("a.txt") == "one\ntwo\none\n"


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda p: p.write_bytes(b"a\0b"), "binary"),
        (lambda p: p.write_bytes(b"caf\xe9"), "UTF-8"),
        (lambda p: p.mkdir(), "folder"),
        (lambda p: os.mkfifo(p), "regular file"),
        (lambda p: os.truncate(os.open(p, os.O_CREAT | os.O_WRONLY), 3_000_000_000), "bytes"),
        (lambda p: None, "no file"),
    ],
    ids=["binary", "latin-1", "folder", "fifo", "huge", "missing"],
)
def test_what_is_no_text_file_is_refused_at_once(bench: Bench, make: Any, said: str) -> None:
    make(bench.root / "odd")
    assert said in bench.refused("read_file", path="odd").message
    assert isinstance(bench.result("edit_file", path="odd", old_str="a", new_str="b"), Validation)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_told(bench: Bench) -> None:
    bench.write("closed.txt", "x").chmod(0)
    assert "permission" in bench.refused("read_file", path="closed.txt").message


# Listing and finding


def test_a_folder_is_listed_without_what_is_ignored(bench: Bench) -> None:
    found = bench.ok("ls")
    assert [row["path"] for row in found["entries"]] == [
        ".gitignore", "a.txt", "keep.log", "link.txt", "src", "up",
    ]  # fmt: skip
    text = bench.text("ls", path="src")
    assert text.splitlines()[0] == "entries: 2  path: src"
    assert "deep/" in text
    assert "build" in [row["path"] for row in bench.ok("ls", ignored=True)["entries"]]
    assert bench.refused("ls", path="nope").code == "not_found"
    assert "is a link" in bench.refused("ls", path="up").message


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("deep/APP.py", "The nearest: src/app.py."),
        ("keep.lgo", "The nearest: keep.log"),
        ("zzzzzz", "There are: a.txt, keep.log"),
    ],
)
def test_a_path_that_is_not_there_gets_what_is(bench: Bench, path: str, said: str) -> None:
    refused = bench.refused("read_file", path=path)
    assert refused.code == "not_found"
    assert f'there is no file "{path}". {said}' in refused.message
    assert ".gitignore" not in refused.message


def test_an_edit_that_is_made_already_is_told(bench: Bench) -> None:
    bench.ok("write_file", path="a.txt", content="one\ntwo\n")
    bench.ok("edit_file", path="a.txt", old_str="two", new_str="three")
    again = bench.refused("edit_file", path="a.txt", old_str="two", new_str="three")
    assert "new_str is there already (line 2)" in again.message
    other = bench.refused("edit_file", path="a.txt", old_str="two", new_str="four")
    assert "already" not in other.message


def test_files_are_found_by_globs(bench: Bench) -> None:
    assert bench.ok("find_files", pattern="**/*.py") == ["src/app.py", "src/deep/util.py"]
    assert bench.ok("find_files", pattern="*.{txt,log}") == ["a.txt", "keep.log"]
    assert bench.ok("find_files", pattern="nope/**") == []
    assert bench.ok("find_files", pattern="src/*.py") == ["src/app.py"]
    for pattern in ("../*", "/etc/*", "", "src/../../*", "{a,b}{c,d}" * 8):
        bench.refused("find_files", pattern=pattern)


def test_glob_lists_the_newest_first(bench: Bench) -> None:
    os.utime(bench.root / "src/app.py", (1, 1))
    found = bench.ok("glob", pattern="**/*.py", path="src")
    assert [row["path"] for row in found["entries"]] == ["src/deep/util.py", "src/app.py"]
    assert bench.ok("glob", pattern="**/*.py", limit=1)["left_out"] == 1


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("**/*.py", "a.py", True),
        ("**", "a/b/c", True),
        ("a/**/c", "a/c", True),
        ("a/**/c", "a/x/y/c", True),
        ("a/**/c", "b/c", False),
        ("*", "a/b", False),
        ("[ab].?", "a.c", True),
        ("**/x/**/y", "x/y/x/z", False),
        ("docs/", "docs/a/b.md", True),
    ],
)
def test_a_glob_is_matched_step_by_step(pattern: str, path: str, fits: bool) -> None:
    assert Globs([pattern]).fits(path) is fits


def test_a_glob_made_to_take_long_does_not() -> None:
    assert not Globs(["**/" * 30 + "*a*a*a*a*a*a*b"]).fits("/".join(["a" * 200] * 60))


IGNORES = [
    "*.log\n!important.log\n", "/top\n", "build/\n", "doc/*.txt\n", "**/temp\n", "a/**/z\n",
    "\\#hash\n#comment\n", "trail \\ \n", "[invalid\n", "!nothing\n", "*\n!*/\n!*.py\n",
]  # fmt: skip


@pytest.mark.parametrize("seed", range(12))
def test_the_walk_leaves_out_what_git_leaves_out(tmp_path: Path, seed: int) -> None:
    """Random trees with ignore files, next to what git itself lists."""
    chance = random.Random(seed)
    names = [
        "a",
        "z",
        "top",
        "build",
        "temp",
        "doc",
        "x.log",
        "important.log",
        "r.txt",
        "m.py",
        "#hash",
    ]
    folders = [tmp_path]
    for _ in range(60):
        here = chance.choice(folders) / chance.choice(names)
        if not here.exists() and chance.random() < 0.4 and "." not in here.name:
            here.mkdir()
            folders.append(here)
        elif not here.exists():
            here.write_text("x", "utf-8")
    for folder in chance.sample(folders, min(3, len(folders))):
        (folder / ".gitignore").write_text("".join(chance.sample(IGNORES, 3)), "utf-8")
    git = ["git", "-c", "core.excludesFile=", "-C", str(tmp_path)]
    subprocess.run([*git, "init", "-q"], check=True)
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--others", "--exclude-standard"], capture_output=True, check=True
    ).stdout.decode()
    found = [
        folder.path_of(name)
        for folder, names in walk(ConfinedTree(tmp_path))
        for name, kind in names
        if kind == "file"
    ]
    assert sorted(found) == sorted(filter(None, listed.split("\0")))


# Writing


def test_files_are_written_with_their_folders(bench: Bench) -> None:
    result = bench.result("write_file", path="new/deep/c.txt", content="é\n")
    assert result.effects == (FileEffect(path="new/deep/c.txt", op="create", bytes_after=3),)  # type: ignore[attr-defined]
    assert bench.read("new/deep/c.txt") == "é\n"
    assert sorted(os.listdir(bench.root / "new/deep")) == ["c.txt"]


def test_a_replaced_file_keeps_its_mode(bench: Bench) -> None:
    bench.write("run.sh", "x").chmod(0o755)
    bench.ok("write_file", path="run.sh", content="#!/bin/sh\n")
    assert (bench.root / "run.sh").stat().st_mode & 0o777 == 0o755


def test_python_that_is_not_valid_is_written_and_noted(bench: Bench) -> None:
    assert "line 1" in bench.text("write_file", path="b.py", content="def f(:\n")
    assert "Note" not in bench.text("write_file", path="b.py", content="def f(): ...\n")
    bench.text("write_file", path="n.py", content="(" * 5000)


def test_a_planted_temporary_name_is_not_followed(bench: Bench, tmp_path: Path) -> None:
    """A link planted at a predictable temporary name was once followed."""
    for name in (f".a.txt.{os.getpid()}.new", ".a.txt.new"):
        os.symlink(tmp_path / "secret.txt", bench.root / name)
    bench.ok("write_file", path="a.txt", content="new")
    assert (tmp_path / "secret.txt").read_text("utf-8") == "TODO secret"


def test_threads_do_not_break_each_others_writes(bench: Bench) -> None:
    texts = [f"{n}\n" * 5000 for n in range(4)]
    failures: list[object] = []

    def work(text: str) -> None:
        for _ in range(10):
            with scope(f"task {text[0]}"):
                result = bench.result("write_file", path="shared.txt", content=text)
            if not isinstance(result, Success):
                failures.append(result)

    threads = [threading.Thread(target=work, args=(text,)) for text in texts]
    [thread.start() for thread in threads]  # type: ignore[func-returns-value]
    [thread.join() for thread in threads]  # type: ignore[func-returns-value]
    assert not failures
    assert bench.read("shared.txt") in texts
    assert not [name for name in os.listdir(bench.root) if name.startswith(".zkit")]


def test_a_link_swapped_in_during_calls_leads_nowhere(bench: Bench, tmp_path: Path) -> None:
    """A folder turns into a link to the outside and back, while files in it are written and read."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "f.txt").write_text("secret", "utf-8")
    bench.write("dir/f.txt", "plain")
    over = threading.Event()

    def swap() -> None:
        folder = bench.root / "dir"
        while not over.is_set():
            kept = bench.root / f"kept {random.random()}"
            with contextlib.suppress(OSError):  # a write may have made the folder again
                os.rename(folder, kept)
            with contextlib.suppress(OSError):
                os.symlink(outside, folder)
                os.unlink(folder)
            with contextlib.suppress(OSError):
                os.rename(kept, folder)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        for n in range(25):
            with scope(f"t{n}"):
                result = bench.result("read_file", path="dir/f.txt")
                assert not isinstance(result, Success) or "secret" not in result.data
                bench.result("write_file", path="dir/f.txt", content=f"plain {n}")
                found = bench.result("grep", pattern="secret|plain", path=".")
                assert not isinstance(found, Success) or "secret" not in str(found.data["files"])
    finally:
        over.set()
        swapping.join()
    assert (outside / "f.txt").read_text("utf-8") == "secret"
    assert os.listdir(outside) == ["f.txt"]


def test_a_file_that_changed_since_it_was_read_is_stale(bench: Bench) -> None:
    with scope("task"):
        bench.ok("read_file", path="a.txt")
        bench.write("a.txt", "somebody else\n")
        for name, more in (
            ("write_file", {"content": "x"}),
            ("edit_file", {"old_str": "somebody", "new_str": "x"}),
            ("file_manager", {"action": "append", "content": "x"}),
        ):
            assert bench.refused(name, path="a.txt", **more).code == "stale"
        assert bench.read("a.txt") == "somebody else\n"
        bench.ok("read_file", path="a.txt")
        bench.ok("edit_file", path="a.txt", old_str="somebody", new_str="nobody")
        bench.ok("edit_file", path="a.txt", old_str="nobody", new_str="all")
    with scope("another task"):
        bench.ok("write_file", path="a.txt", content="this task never read it")


# Editing


def edited(text: str, old: str, new: str) -> tuple[str, str, str]:
    changed, [receipt] = apply_edits(text, [Edit(old, new)], "f")
    return changed, receipt.rank, receipt.strategy


@pytest.mark.parametrize(
    ("text", "old", "new", "after", "rank", "strategy"),
    [
        ("a\nb\nc\n", "b", "x", "a\nx\nc\n", "EXACT", "exact"),
        ("a\r\nb\r\n", "a\nb", "x\ny", "x\r\ny\r\n", "RESPELL", "line ends"),
        ("a\r\nb\r\n", "b", "x\ny", "a\r\nx\r\ny\r\n", "EXACT", "exact, line ends of the file"),
        ("a\nb\n", "a\r\nb\r\n", "c\r\n", "c\n", "RESPELL", "line ends"),
        ("a  \nb\t\nc\n", "a\nb\n", "x\n", "x\nc\n", "RESPELL", "trailing blanks"),
        ("a\nb\n", "a  \nb", "x", "x\n", "RESPELL", "trailing blanks"),
        ("  if a:\n      b\n", "if a:\n    b\n", "if c:\n    d\n", "  if c:\n      d\n", "COMPLETE", "indentation"),
        ("if a:\n    b\n", "    if a:\n        b", "    c", "c\n", "COMPLETE", "indentation"),
        ("\tif a:\n\t\tb\n", "    if a:\n        b\n", "    if a:\n        c\n", "\tif a:\n\t\tc\n", "COMPLETE", "indentation"),
        ("  a\r\n  b\r\n", "a\nb\n", "c\n", "  c\r\n", "COMPLETE", "indentation"),
    ],
)  # fmt: skip
def test_an_edit_finds_its_place_by_the_lowest_rank(
    text: str, old: str, new: str, after: str, rank: str, strategy: str
) -> None:
    assert edited(text, old, new) == (after, rank, strategy)
    assert Rank[rank] <= Rank.COMPLETE


@pytest.mark.parametrize(
    ("text", "old", "code"),
    [
        ("one\ntwo\none\n", "one", "ambiguous"),
        ("aaa", "aa", "ambiguous"),  # two places that overlap
        ("  if x:\n    b\n   if x:\n     b\n", "if x:\n  b", "ambiguous"),  # indented in two places
        ("a\n", "b", "stale"),
        ("a\n", "", "stale"),
        ("a\n\n\n", "\n", "stale"),
        ("  a\n b\n", "a\n  b\n", "stale"),  # lines that are not indented alike
        ("if a:\n  b\n", "if a: b", "stale"),
        ("A\n", "a", "stale"),
    ],
)
def test_an_edit_that_is_not_clear_is_refused(text: str, old: str, code: str) -> None:
    with pytest.raises(Validation) as caught:
        edited(text, old, "new")
    assert caught.value.code == code


def test_several_edits_are_made_all_or_none(bench: Bench) -> None:
    good = {"old_str": "port = 80", "new_str": "port = 8080"}
    bad = {"old_str": "nowhere", "new_str": "x"}
    before = bench.read("src/app.py")
    refused = bench.refused("edit_file", path="src/app.py", edits=[good, bad])
    assert "edit 2" in refused.message
    assert bench.read("src/app.py") == before
    done = bench.ok(
        "edit_file", path="src/app.py", edits=[good, {"old_str": "import os\n", "new_str": ""}]
    )
    assert [one["line"] for one in done["edits"]] == [5, 1]
    assert bench.read("src/app.py").startswith("\n\ndef main():\n    port = 8080\n")
    bench.refused("edit_file", path="a.txt", old_str="two", edits=[good])
    bench.refused("edit_file", path="a.txt", old_str="two", new_str="two")


def test_the_result_of_an_edit_says_how_it_was_found(bench: Bench) -> None:
    bench.write("w.txt", "a\r\nb\r\n")
    assert "line 1: RESPELL (line ends)" in bench.text(
        "edit_file", path="w.txt", old_str="a\nb", new_str="c"
    )
    result = bench.result("edit_file", path="w.txt", old_str="c", new_str="d")
    assert result.effects == (FileEffect(path="w.txt", op="modify", bytes_after=3),)  # type: ignore[attr-defined]


LINES = st.lists(st.sampled_from(["a", "  b", "\tc", "d  ", "", "é", "{"]), min_size=1, max_size=8)


@given(LINES, LINES, LINES, st.sampled_from(["\n", "\r\n"]), st.data())
def test_an_edit_changes_nothing_but_its_place(
    before: list[str], block: list[str], after: list[str], end: str, data: st.DataObject
) -> None:
    """Everything outside of the place stays byte for byte, whatever rank found it."""
    text = end.join([*before, *block, *after]) + end
    old = data.draw(st.sampled_from(["\n".join(block), "\n".join(line.rstrip() for line in block)]))
    try:
        changed, _ = apply_edits(text, [Edit(old, "NEW")], "f")
    except Validation:
        return
    head, found, tail = changed.partition("NEW")
    assert found
    assert text.startswith(head)
    assert text.endswith(tail)


def test_an_edit_of_a_large_file_of_equal_lines_ends(bench: Bench) -> None:
    text = "x\n" * 100_000
    with pytest.raises(Validation):
        apply_edits(text, [Edit("x \n" * 5_000, "y")], "f")


# One tool for all


def test_the_file_manager_does_it_all(bench: Bench) -> None:
    bench.ok("file_manager", action="write", path="m.txt", content="a\n")
    result = bench.result("file_manager", action="append", path="m.txt", content="b\n")
    assert result.effects == (FileEffect(path="m.txt", op="append", bytes_after=4),)  # type: ignore[attr-defined]
    assert bench.ok("file_manager", action="read", path="m.txt") == "a\nb\n"
    moved = bench.result("file_manager", action="move", path="m.txt", to="n/m.txt")
    assert moved.effects == (FileEffect(path="n/m.txt", op="rename", from_path="m.txt"),)  # type: ignore[attr-defined]
    bench.refused("file_manager", action="move", path="a.txt", to="n/m.txt")
    bench.refused("file_manager", action="move", path="a.txt")
    bench.ok("file_manager", action="delete", path="n/m.txt")
    assert not (bench.root / "n/m.txt").exists()
    bench.ok("file_manager", action="append", path="fresh.txt", content="x")
    bench.ok("file_manager", action="delete", path="link.txt")  # the link, not what it leads to
    assert (bench.root.parent / "secret.txt").exists()
    assert "folder" in bench.refused("file_manager", action="delete", path="src").message


@pytest.mark.parametrize("action", ["delete", "DELETE", " delete"])
def test_deleting_asks_whatever_way_it_is_written(bench: Bench, action: str) -> None:
    asked = Bench(bench.root, approve=False, only=["manager"])
    result = asked.dispatcher.call_sync(Call("file_manager", {"action": action, "path": "a.txt"}))
    assert not isinstance(result, Success)
    assert (bench.root / "a.txt").exists()


# Searching


@pytest.fixture(params=["ripgrep", "regex"])
def engine(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both engines; ripgrep is hidden for the second."""
    if request.param == "ripgrep" and shutil.which("rg") is None:
        pytest.skip("ripgrep is not installed")
    if request.param == "regex":
        monkeypatch.setattr("zkit.std.text_search.shutil.which", lambda name: None)
    return str(request.param)


def hits(found: dict[str, Any]) -> list[tuple[str, int, str]]:
    return [
        (file["path"], line["line"], line["text"])
        for file in found["files"]
        for line in file["lines"]
        if line["match"]
    ]


def test_grep_finds_lines_and_leaves_out_what_is_ignored(bench: Bench, engine: str) -> None:
    bench.write("binary.dat", b"TODO\n\0\n")
    found = bench.ok("grep", pattern="TODO")
    assert found["engine"] == engine
    assert hits(found) == [
        ("keep.log", 1, "TODO"),
        ("src/deep/util.py", 1, "# TODO: later"),
    ]
    text = bench.text("grep", pattern="todo", ignore_case=True, glob="*.py")
    assert text == ("matches: 1  files: 1  pattern: todo\nsrc/deep/util.py\n    1: # TODO: later")
    assert hits(bench.ok("grep", pattern="port = 80", path="src/app.py")) == [
        ("src/app.py", 5, "    port = 80")
    ]


@pytest.mark.parametrize(
    ("pattern", "more", "count"),
    [
        (r"^x = \d$", {}, 1),
        (r"def \w+\(", {"path": "src"}, 1),
        (r"main()", {"literal": True}, 1),
        (r"nothing here", {}, 0),
        (r"(?<=port = )80", {}, 1),  # ripgrep has no look-behind: the other engine takes over
        (r"one", {"glob": "**/*.txt"}, 2),
        (r".", {"limit": 3}, 3),
        (r"\s+return", {"glob": "src/*.py"}, 1),
        (r"^$", {"path": "src/app.py"}, 2),
    ],
)
def test_both_engines_find_the_same(
    bench: Bench, engine: str, pattern: str, more: dict[str, Any], count: int
) -> None:
    found = bench.ok("grep", pattern=pattern, **more)
    assert found["matches"] == count == len(hits(found))
    assert found["complete"] is ("limit" not in more)


def test_a_pattern_that_backtracks_is_refused_in_time(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkit.std.text_search.shutil.which", lambda name: None)
    monkeypatch.setattr("zkit.std.text_search._SECONDS_PER_FILE", 0.3)
    bench.write("evil.txt", "a" * 40 + "!\n")
    refused = bench.refused("grep", pattern=r"^(a|a|aa)+$", path="evil.txt")
    assert "takes too long" in refused.message


def test_a_pattern_that_is_none_is_refused(bench: Bench, engine: str) -> None:
    for pattern in ("(", "[", "", "a\nb", "x" * 5000, "(" * 900):
        assert bench.refused("grep", pattern=pattern).message.startswith("pattern:")
    assert bench.refused("grep", pattern="a", path="nope").code == "not_found"
    assert "outside" in bench.refused("grep", pattern="a", path="../").message
    assert "is a link" in bench.refused("grep", pattern="a", path="up").message


def test_a_glob_does_not_bring_back_what_is_ignored(bench: Bench, engine: str) -> None:
    assert hits(bench.ok("grep", pattern="TODO", glob="*.log")) == [("keep.log", 1, "TODO")]


def test_code_search_shows_lines_around_and_counts(bench: Bench, engine: str) -> None:
    text = bench.text("code_search", pattern=r"\bport", globs=["*.py"], context=1)
    assert text.splitlines()[1:] == [
        "src/app.py",
        "    4- def main():",
        "    5:     port = 80",
        "    6:     return port",
    ]
    counts = bench.text("code_search", pattern="port", show="counts")
    assert counts == "matches: 3  files: 1  pattern: port\nsrc/app.py: 3"
    assert bench.ok("code_search", pattern="one|two", show="files")["files"][0]["count"] == 3


def test_long_lines_are_cut_and_odd_names_are_searched(bench: Bench, engine: str) -> None:
    bench.write("a b'\"\n.txt", "needle" + "x" * 5000)
    [(path, _, text)] = hits(bench.ok("grep", pattern="needle"))
    assert path == "a b'\"\n.txt"
    assert len(text) < 500
