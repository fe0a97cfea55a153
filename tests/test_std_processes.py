"""The standard tools that run commands: bash, git, pytest; real processes, and sure ends."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from std_samples import Bench

from zkit import Call, Dispatcher, ProcessEffect, Refused, Success, Toolbox, Transient, Validation
from zkit.std import Sandbox, StdProvider, std_tools
from zkit.std.bubblewrap import bubblewrap_works
from zkit.std.processes import HeadAndTail
from zkit.tools import render_result, scope

needs_bubblewrap = pytest.mark.skipif(
    not bubblewrap_works(), reason="bubblewrap does not work here"
)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, sandbox=False, only=["process"])


@pytest.fixture(params=["never", pytest.param("required", marks=needs_bubblewrap)])
def shell(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    """The tools without a boundary, and within bubblewrap."""
    return Bench(tmp_path, sandbox=request.param, only=["process"])


def alive(marker: str) -> list[str]:
    """The processes whose command line holds a text; a killed one may need a moment to go."""
    for _ in range(40):
        found = []
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = Path(f"/proc/{name}/cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, UnicodeDecodeError):
                continue
            if marker in line and int(name) != os.getpid():
                found.append(line)
        if not found:
            return []
        time.sleep(0.05)
    return found


def effects(result: Any) -> tuple[Any, ...]:
    found: tuple[Any, ...] = result.effects
    return found


# bash


def test_a_command_returns_its_output_and_exit_code(shell: Bench) -> None:
    result = shell.result("bash", command="echo out; echo err >&2; exit 3")
    assert isinstance(result, Success)
    assert result.data["output"] == "out\nerr\n"
    assert result.data["exit_code"] == 3
    [effect] = effects(result)
    assert isinstance(effect, ProcessEffect)
    assert (effect.command, effect.exit_code) == ("echo out; echo err >&2; exit 3", 3)
    boundary = "confined by bubblewrap" if result.data["confined"] else "no boundary"
    assert boundary in shell.text("bash", command="true")


def test_a_command_works_in_the_workspace(shell: Bench) -> None:
    shell.ok("bash", command="mkdir -p a && echo hi > a/b.txt")
    assert shell.read("a/b.txt") == "hi\n"
    assert shell.ok("bash", command="pwd")["output"].strip() == str(shell.root)


def test_secrets_of_this_process_are_not_in_the_environment(
    shell: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_API_KEY", "s3cret")
    assert (
        "s3cret" not in shell.ok("bash", command="env; cat /proc/$PPID/environ || true")["output"]
    )


@needs_bubblewrap
def test_a_confined_command_reaches_nothing_outside(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    bench = Bench(root, sandbox="required", approve=False, only=["bash"])
    command = f"cat {tmp_path}/secret.txt; touch /etc/x ~/x; echo x > {tmp_path}/y; true"
    output = bench.ok("bash", command=command)["output"]
    assert "Read-only file system" in output
    assert not Path("/etc/x").exists()
    assert sorted(os.listdir(tmp_path)) == ["root", "secret.txt"]
    network = "exec 3<>/dev/tcp/127.0.0.1/22 && echo reached"
    assert "reached" not in bench.ok("bash", command=network)["output"]


def test_without_a_boundary_a_command_asks(tmp_path: Path) -> None:
    bench = Bench(tmp_path, sandbox=False, approve=False, only=["process"])
    result = bench.result("bash", command="touch x")
    assert isinstance(result, Refused)
    assert result.code == "approval"
    assert not (tmp_path / "x").exists()


def test_a_required_boundary_that_is_missing_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zkit.std.bubblewrap.bubblewrap_works", lambda: False)
    result = Bench(tmp_path, sandbox=True, only=["bash"]).result("bash", command="touch x")
    assert isinstance(result, Refused)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("given", [3, "sometimes"])
def test_a_sandbox_that_makes_no_sense_is_our_mistake(tmp_path: Path, given: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        std_tools(tmp_path, sandbox=given)
    assert Sandbox("never").works is False


def test_a_command_that_takes_too_long_is_killed(shell: Bench) -> None:
    result = shell.result("bash", command="echo begun; sleep 987601", timeout=0.4)
    assert isinstance(result, Success)
    assert result.data["timed_out"] is True
    assert result.data["output"] == "begun\n"
    assert effects(result)[0].timed_out is True
    assert "timed out" in shell.text("bash", command="sleep 987601", timeout=0.2)
    assert alive("sleep 987601") == []


def test_a_command_that_forks_and_ignores_signals_is_killed_whole(shell: Bench) -> None:
    """One child in the group, one in a session of its own, all deaf to SIGTERM and SIGHUP."""
    command = "trap '' TERM HUP INT; (sleep 987602 &); (setsid sleep 987602 &); sleep 987602"
    assert shell.ok("bash", command=command, timeout=0.4)["timed_out"]
    assert alive("sleep 987602") == []


def test_what_a_command_leaves_behind_is_killed_and_not_waited_for(shell: Bench) -> None:
    done = shell.ok("bash", command="sleep 987603 & setsid sleep 987603 & echo done")
    assert done["output"] == "done\n"
    assert not done.get("timed_out")
    assert alive("sleep 987603") == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_call_kills_the_whole_group(bench: Bench, backend: str) -> None:
    async def main() -> None:
        with anyio.move_on_after(0.4):
            await bench.dispatcher.call(Call("bash", {"command": "sleep 987604; true"}))

    anyio.run(main, backend=backend)
    assert alive("sleep 987604") == []


def test_output_without_end_is_bounded(bench: Bench) -> None:
    data = bench.ok("bash", command="yes | head -c 30000000; echo the end", timeout=30)
    assert len(data["output"]) < 31_000
    assert data["output"].startswith("y\n")
    assert data["output"].endswith("the end\n")
    assert "left out" in data["output"]


def test_head_and_tail_keep_both_ends() -> None:
    kept = HeadAndTail(10)
    for n in range(100):
        kept.add(b"%02d" % n)
    assert kept.take() == "0001020304\n[… 180 bytes left out here]\n9596979899"
    assert kept.take() == ""
    kept.add(b"abc")
    assert kept.take() == "abc"


@pytest.mark.parametrize("command", ["", "a\0b", "x" * 30_000])
def test_a_command_that_is_none_is_refused(bench: Bench, command: str) -> None:
    assert isinstance(bench.result("bash", command=command), Validation)


def test_binary_output_and_a_missing_program_are_results(bench: Bench) -> None:
    assert "�" in bench.ok("bash", command=r"printf '\xff\xfe'")["output"]
    assert bench.ok("bash", command="no-such-program-here")["exit_code"] == 127


# Background


def test_a_background_command_is_read_in_parts_and_stopped(shell: Bench) -> None:
    with scope("task"):
        started = shell.result("bash", command="echo one; sleep 987605", background=True)
        assert isinstance(started, Success)
        assert effects(started)[0].background is True
        name = started.data["id"]
        for _ in range(100):
            first = shell.ok("bash_output", id=name, wait=0.1)
            if first["output"]:
                break
        assert (first["output"], first["running"]) == ("one\n", True)
        assert shell.ok("bash_output", id=name)["output"] == ""
        assert shell.ok("bash_output", id=name, stop=True)["running"] is False
        assert shell.refused("bash_output", id=name).code == "not_found"
    assert alive("sleep 987605") == []


def test_a_background_command_that_ends_by_itself_tells_its_exit_code(bench: Bench) -> None:
    with scope("task"):
        name = bench.ok("bash", command="echo a; sleep 0.2; echo b; exit 4", background=True)["id"]
        done = bench.ok("bash_output", id=name, wait=10)
        assert (done["output"], done["exit_code"], done["running"]) == ("a\nb\n", 4, False)


def test_background_commands_end_with_their_task(bench: Bench) -> None:
    with scope("one"):
        name = bench.ok(
            "bash", command="trap '' TERM; sleep 987606; sleep 987606", background=True
        )["id"]
        with scope("two"):
            assert bench.refused("bash_output", id=name).code == "not_found"
    assert alive("sleep 987606") == []


def test_background_commands_end_with_the_program(tmp_path: Path) -> None:
    code = (
        "import sys; from zkit import Call; from zkit.std import std_tools\n"
        "[bash] = std_tools(sys.argv[1], only=['bash'], sandbox=False)\n"
        "print(bash.execute(Call('bash', {'command': 'sleep 987607', 'background': True})).kind)"
    )
    python = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(python, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "success"
    assert alive("sleep 987607") == []


def test_the_alias_is_the_same_tool(tmp_path: Path) -> None:
    [tool] = std_tools(tmp_path, only=["bash_manager"], sandbox=False)
    assert tool.definition().name == "bash_manager"
    box = Toolbox([tool])
    result = Dispatcher(box, approve=lambda call: True).call_sync(
        Call("bash_manager", {"command": "echo hi"})
    )
    assert isinstance(result, Success)
    assert result.data["output"] == "hi\n"


# git


@pytest.fixture
def repository(shell: Bench) -> Bench:
    shell.ok("git_manager", action="init", name="main")
    for key, value in (("user.name", "Ada"), ("user.email", "ada@example.com")):
        subprocess.run(["git", "-C", str(shell.root), "config", key, value], check=True)
    return shell


def test_git_from_init_to_log(repository: Bench) -> None:
    repository.write("a b.txt", "one\n")
    status = repository.ok("git_manager", action="status")
    assert status["files"] == [{"state": "??", "path": "a b.txt"}]
    assert (
        repository.ok("git_manager", action="add", paths=["a b.txt"])["files"][0]["state"] == "A "
    )
    message = 'It\'s "quoted" $(touch x); --amend'
    [commit] = repository.ok("git_manager", action="commit", message=message)["commits"]
    assert (commit["author"], commit["subject"]) == ("Ada", message)
    repository.write("a b.txt", "two\n")
    assert "+two" in repository.text("git_manager", action="diff")
    repository.ok("git_manager", action="branch", name="topic/x")
    assert "* topic/x" in repository.text("git_manager", action="branch")
    assert repository.text("git_manager", action="status").startswith("branch: topic/x")
    assert len(repository.ok("git_manager", action="log")["commits"]) == 1
    assert sorted(os.listdir(repository.root)) == [".git", "a b.txt"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"action": "add", "paths": ["../x"]},
        {"action": "add"},
        {"action": "commit", "message": " "},
        {"action": "commit", "message": "nothing was added"},
        {"action": "branch", "name": "--delete"},
        {"action": "branch", "name": "a..b"},
        {"action": "diff", "name": "--output=x"},
        {"action": "log"},
    ],
)
def test_git_refuses_what_it_cannot_do(repository: Bench, arguments: dict[str, Any]) -> None:
    assert repository.refused("git_manager", **arguments).message
    assert sorted(os.listdir(repository.root)) == [".git"]


def test_a_repository_above_the_root_is_not_touched(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "root").mkdir()
    bench = Bench(tmp_path / "root", sandbox=False, only=["git_manager"])
    assert bench.refused("git_manager", action="status").code == "not_found"


def test_what_a_repository_could_run_is_switched_off(repository: Bench) -> None:
    """The model can write the configuration and the hooks of its own repository."""
    root = repository.root
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\ntouch {root}/hooked\n", "utf-8")
    hook.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "core.pager"):
        subprocess.run(["git", "-C", str(root), "config", key, f"touch {root}/ran"], check=True)
    repository.write("a.txt", "x\n")
    repository.ok("git_manager", action="add", paths=["."])
    repository.ok("git_manager", action="commit", message="m")
    repository.write("a.txt", "y\n")
    repository.ok("git_manager", action="diff")
    assert not (root / "hooked").exists()
    assert not (root / "ran").exists()


def test_push_works_only_if_it_is_enabled(tmp_path: Path) -> None:
    there = tmp_path / "there.git"
    subprocess.run(["git", "init", "-q", "--bare", str(there)], check=True)
    root = tmp_path / "root"
    root.mkdir()
    bench = Bench(root, sandbox=False, push=True, only=["git_manager"])
    bench.ok("git_manager", action="init", name="main")
    for key, value in (
        ("user.name", "A"),
        ("user.email", "a@b"),
        ("remote.origin.url", str(there)),
    ):
        subprocess.run(["git", "-C", str(root), "config", key, value], check=True)
    bench.write("a.txt", "x")
    bench.ok("git_manager", action="add", paths=["."])
    bench.ok("git_manager", action="commit", message="first")
    closed = Bench(root, sandbox=False, only=["git_manager"]).result("git_manager", action="push")
    assert isinstance(closed, Refused)
    assert closed.code == "denied"
    unasked = Bench(root, sandbox=False, push=True, approve=False, only=["git_manager"])
    refused = unasked.result("git_manager", action="PUSH", name="main")
    assert not isinstance(refused, Success)
    bench.ok("git_manager", action="push", name="main")
    log = ["git", "-C", str(there), "log", "--format=%s", "main"]
    assert subprocess.run(log, capture_output=True, text=True, check=True).stdout == "first\n"


# test_runner

TESTS = """\
import time, pytest

def test_good(): pass

def test_slow(): time.sleep(0.06)

def test_bad():
    value = {"a": 1}
    assert value == {"a": 2}

@pytest.mark.skip
def test_later(): pass

@pytest.fixture
def broken(): raise RuntimeError("no database")

def test_error(broken): pass
"""


# Pytest starts quicker without the plug-ins of this project.
INI = "[pytest]\naddopts = -p no:xdist -p no:hypothesispytest -p no:anyio -p no:asyncio\n"


def test_a_test_run_is_reported_with_places(tmp_path: Path) -> None:
    shell = Bench(tmp_path, only=["test_runner"])
    shell.write("pytest.ini", INI)
    shell.write("tests/test_it.py", TESTS)
    result = shell.result("test_runner")
    assert isinstance(result, Success)
    report = result.data
    counts = {name: report[name] for name in ("passed", "failed", "errors", "skipped")}
    assert counts == {"passed": 2, "failed": 1, "errors": 1, "skipped": 1}
    bad, error = report["failures"]
    assert (bad["test"], bad["file"], bad["line"]) == ("test_bad", "tests/test_it.py", 9)
    assert "{'a': 1} == {'a': 2}" in bad["message"]
    assert error["line"] == 15
    assert report["slowest"][0]["test"] == "test_slow"
    assert "tests/test_it.py:9: test_bad" in render_result(result)
    assert sorted(os.listdir(shell.root)) == ["pytest.ini", "tests"]
    one = shell.ok("test_runner", paths=["tests/test_it.py::test_good"], keyword="good")
    assert (one["passed"], one["exit_code"]) == (1, 0)


def test_tests_that_cannot_run_are_told(bench: Bench) -> None:
    bench.write("pytest.ini", INI)
    bench.write("test_broken.py", "import nothing_like_this\n")
    assert bench.ok("test_runner")["errors"] == 1
    assert "outside" in bench.refused("test_runner", paths=["../x.py"]).message
    for missing in ("-p evil", "gone.py::test_x"):
        assert bench.refused("test_runner", paths=[missing]).code == "not_found"
    bench.write("test_broken.py", "def test_forever():\n    while True: pass\n")
    assert "took more than" in bench.refused("test_runner", timeout=1.5).message


def test_the_failing_command_of_a_test_is_not_tried_again(bench: Bench) -> None:
    """A command that fails halfway runs once: exit codes are results, not failures to retry."""
    bench.ok("bash", command="echo x >> count; exit 1")
    assert bench.read("count") == "x\n"


def test_the_provider_names_its_tools(tmp_path: Path) -> None:
    provider = StdProvider(tmp_path, only=["process"])
    assert [spec.name for spec in provider.specs()] == [
        "bash", "bash_output", "git_manager", "test_runner",
    ]  # fmt: skip
    assert isinstance(Transient("x"), Exception)
