"""`zkit chat` as people meet it: on a real terminal, in a pipe, paused, killed, and played again."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from chat_rules import assert_valid
from command_line import Done, zkit, zkit_process
from terminals import Terminal

from zkit.chat import PauseStore
from zkit.testing import Answer, Request, Script, ScriptedServer, call, error, says
from zkit.transcripts import Interrupted, Resized, Shown, read_transcript

KEY = "sk-very-secret-0123456789"
ACTS = '''
import time
from pathlib import Path
from zkit.effects import FileEffect
from zkit.grade import READ
from zkit.results import Success
from zkit.tools import tool

@tool(grade=READ)
def look(at: str) -> str:
    """Look at something."""
    return f"{at} is there"

@tool(destructive=True)
def delete(path: str) -> Success:
    """Delete a file."""
    Path(path).unlink()
    return Success("gone", effects=(FileEffect(path=path, op="delete"),))

@tool(grade=READ)
def sleep() -> str:
    """Sleep for long."""
    time.sleep(30)
    return "slept"
'''
LOOK = says("I look.", [call("look", "{'at': 'home',}", "l")])
DELETE = says(None, [call("delete", {"path": "old.txt"}, "d")])
ASK = says(None, [call("ask_clarification", {"question": "Which?", "options": ["a", "b"]}, "q")])
END = says("All done.")


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(then=END) as running:
        yield running


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "acts.py").write_text(ACTS)
    (tmp_path / "old.txt").write_text("old")
    return tmp_path


def options(server: ScriptedServer, *more: str) -> list[str]:
    return ["chat", "--base-url", server.url, "--model", "m", "--from", "acts", *more]


def piped(args: list[str], place: Path, given: str = "") -> Done:
    """Run zkit with pipes, in this process."""
    return zkit(*args, given=given, cwd=place)


class Gated:
    """The parts of an answer, of which the last are held back until somebody opens."""

    def __init__(self, answer: Answer, before: int) -> None:
        self.parts, self.before, self.opened = answer.parts, before, threading.Event()

    def __iter__(self) -> Iterator[bytes]:
        for number, part in enumerate(self.parts):
            if number == self.before:
                self.opened.wait(60)
            yield part


def gated(text: str, before: int, gates: list[Gated]) -> Script:
    def answer(request: Request) -> Answer:
        made = says(text)
        assert callable(made)
        found = made(request)
        gates.append(Gated(found, before))
        parts: Any = gates[-1]
        return replace(found, parts=parts)

    return answer


# ── on a terminal ────────────────────────────────────────────────────────────


def test_a_chat_shows_calls_receipts_results_and_answers(
    server: ScriptedServer, place: Path
) -> None:
    server.play(LOOK, END)
    with Terminal(*options(server), cwd=place) as screen:
        screen.wait_for("4 tools")
        screen.wait_for("> ")
        screen.type("where is it?\n")
        shown = screen.wait_for("2 requests · 1 call · 30 tokens")
        order = [
            "I look.",
            "● look({'at': 'home',})",
            "✎ repaired RESPELL",
            "✓ home is there",
            "All done.",
        ]
        assert [shown.index(part) for part in order] == sorted(shown.index(part) for part in order)
        screen.type("/why\n")
        assert "drop_trailing_comma at 13..14" in screen.wait_for("a closer")
        screen.type("/tools\n")
        assert "delete" in screen.wait_for("(asks first)")
        screen.type("/kit look\n")
        screen.wait_for("ask_clarification, look")
        screen.type("/save talk.json\n")
        screen.wait_for("4 messages saved to talk.json")
        screen.type("/nonsense\n")
        screen.wait_for("there is no /nonsense")
        screen.type("/help\n")
        screen.wait_for("/quit")
        screen.type("/quit\n")
        assert screen.end() == 0
        assert b"\x1b[36m" in screen.raw
    saved = json.loads((place / "talk.json").read_text())["messages"]
    assert_valid(saved)
    assert saved[-1] == {"role": "assistant", "content": "All done."}


@pytest.mark.slow
def test_the_kit_of_the_chat_is_what_is_offered(server: ScriptedServer, place: Path) -> None:
    server.play(END, END)
    with Terminal(*options(server, "--kit", "look"), cwd=place) as screen:
        screen.wait_for("2 tools")
        screen.type("hello\n")
        screen.wait_for("15 tokens")
        screen.type("/kit look,sleep\n")
        screen.wait_for("look, sleep")
        screen.type("hello\n")
        screen.wait_for("15 tokens")
        assert screen.leave() == 0
    offered = [[t["function"]["name"] for t in r["tools"]] for r in server.requests]
    assert offered == [["ask_clarification", "look"], ["ask_clarification", "look", "sleep"]]


@pytest.mark.slow
def test_text_is_shown_while_it_streams(server: ScriptedServer, place: Path) -> None:
    gates: list[Gated] = []
    server.play(gated("First words, and then the others.", 3, gates))
    with Terminal(*options(server), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("hello\n")
        assert "others" not in screen.wait_for("First")
        gates[0].opened.set()
        screen.wait_for("others.")


@pytest.mark.parametrize(
    "answer", ["y", *(pytest.param(no, marks=pytest.mark.slow) for no in ("n", ""))]
)
def test_a_call_that_destroys_is_asked_for(
    server: ScriptedServer, place: Path, answer: str
) -> None:
    server.play(DELETE, END)
    with Terminal(*options(server), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("clean up\n")
        assert '! delete(path="old.txt")' in screen.wait_for("run it? [y/N] ")
        assert (place / "old.txt").exists()
        screen.type(f"{answer}\n")
        shown = screen.wait_for("All done.")
        assert screen.leave() == 0
    assert (place / "old.txt").exists() == (answer != "y")
    assert ("delete old.txt" in shown) == (answer == "y")
    assert ("refused (approval): delete was not approved" in shown) == (answer != "y")


@pytest.mark.slow
def test_an_option_is_chosen_by_its_number(server: ScriptedServer, place: Path) -> None:
    server.play(ASK, END)
    with Terminal(*options(server), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("choose\n")
        screen.wait_for("answer> ")
        screen.type("2\n")
        screen.wait_for("All done.")
    assert server.requests[1]["messages"][-1]["content"] == "b"


def test_ctrl_c_stops_the_turn_and_keeps_the_chat(server: ScriptedServer, place: Path) -> None:
    gates: list[Gated] = []
    server.play(gated("First words, and then the others.", 3, gates), END)
    with Terminal(*options(server), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("hello\n")
        screen.wait_for("First")
        screen.type("\x03")
        screen.wait_for("stopped; the chat goes on")
        screen.wait_for("> ")
        screen.type("again\n")
        screen.wait_for("All done.")
        screen.interrupt_prompt()
        screen.wait_for("Ctrl-C again leaves")
        screen.interrupt_prompt()
        assert screen.end() == 0
    for gate in gates:
        gate.opened.set()
    messages = server.requests[1]["messages"]
    assert [m["role"] for m in messages] == ["user", "assistant", "user"]
    assert messages[1]["content"].startswith("First")
    assert messages[1]["content"].endswith("(stopped by the user)")


@pytest.mark.slow
def test_ctrl_c_stops_a_tool(server: ScriptedServer, place: Path) -> None:
    server.play(says(None, [call("sleep", {}, "s")]), END)
    with Terminal(*options(server), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("sleep\n")
        screen.wait_for("● sleep")
        screen.type("\x03")
        screen.wait_for("stopped; the chat goes on")
        screen.wait_for("> ")
        screen.type("go on\n")
        screen.wait_for("All done.")
    assert_valid(server.requests[1]["messages"])
    assert "The user stopped this call." in server.requests[1]["messages"][2]["content"]


@pytest.mark.slow
def test_a_narrower_screen_has_shorter_lines(server: ScriptedServer, place: Path) -> None:
    long = says(None, [call("look", {"at": "x" * 300}, "a")])
    server.play(long, END, says(None, [call("look", {"at": "x" * 300}, "b")]), END)
    with Terminal(*options(server, "--record", "t"), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("a\n")
        wide = screen.wait_for("All done.")
        screen.resize(50)
        screen.wait_for("> ")
        screen.type("b\n")
        narrow = screen.wait_for("All done.")
        assert screen.leave() == 0
    assert [
        max(len(line) for line in shown.splitlines() if "●" in line) for shown in (wide, narrow)
    ] == [99, 49]
    assert [line.record for line in read_transcript(place / "t").of(Resized)] == [Resized(50)]


@pytest.mark.slow
def test_a_model_cannot_rule_the_terminal(server: ScriptedServer, place: Path) -> None:
    server.play(says("\x1b]0;title\x07red\x1b[31m \u202egnp.exe"))
    with Terminal(*options(server), cwd=place, NO_COLOR="1") as screen:
        screen.wait_for("> ")
        screen.type("hello\n")
        shown = screen.wait_for("15 tokens")
        assert "\\x1b]0;title\\x07red\\x1b[31m \\u202egnp.exe" in shown
        assert b"\x1b[31m" not in screen.raw
        assert b"\x1b]0" not in screen.raw


# ── for scripts ──────────────────────────────────────────────────────────────


def test_once_the_answer_is_on_standard_output_and_all_else_is_not(
    server: ScriptedServer, place: Path
) -> None:
    server.play(LOOK, END)
    done = piped(options(server, "--once", "where?"), place)
    assert (done.code, done.out) == (0, "I look.\nAll done.\n")
    assert "✓ home is there" in done.err
    assert "\x1b" not in done.out + done.err


ENDINGS: dict[str, tuple[list[Script], list[str], int, str]] = {
    "the server failed": ([error(400, "no such model")], [], 1, "no such model"),
    "the server failed at length": (
        [error(400, "no such model " * 20 + "here")],
        [],
        1,
        "model here",
    ),
    "it waits for approval": ([DELETE], [], 3, "--store FILE"),
    "nobody may approve": ([DELETE, END], ["--approve", "never"], 0, "refused (approval)"),
    "everything is approved": ([DELETE, END], ["--approve", "always"], 0, "delete old.txt"),
    "there is no such kit": ([], ["--kit", "lok"], 2, "did you mean look"),
    "there is no store": ([], ["--resume", "x"], 2, "needs --store"),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_the_exit_code_says_how_it_ended(server: ScriptedServer, place: Path, name: str) -> None:
    script, more, code, says_ = ENDINGS[name]
    server.play(*script)
    done = piped(options(server, "--once", "clean up", *more), place)
    assert done.code == code
    assert says_ in done.err
    assert done.err.count("Traceback") == 0


def test_without_a_server_or_a_model_it_says_what_to_do(place: Path) -> None:
    done = piped(["chat"], place)
    assert (done.code, "which server? --base-url" in done.err) == (2, True)
    done = piped(["chat", "--base-url", "http://127.0.0.1:9/v1"], place)
    assert done.code == 2
    assert done.err.startswith("zkit: no answer from a model server at http://127.0.0.1:9/v1")
    assert "--model NAME" in done.err


def test_a_profile_says_how_the_server_wants_to_be_asked(
    server: ScriptedServer, place: Path
) -> None:
    (place / "p.toml").write_text(
        f'version = 1\nmodel = "small"\nbase_url = "{server.url}"\nmode = "text"\n'
    )
    server.play(END)
    args = ["chat", "--profile", "p.toml", "--from", "acts", "--once", "hello", "--record", "t"]
    assert piped(args, place).code == 0
    assert server.requests[0]["model"] == "small"
    assert "tools" not in server.requests[0]
    assert piped(["chat", "--replay", "t"], place).code == 0


# ── paused, and resumed by another process ───────────────────────────────────


@pytest.mark.slow
def test_a_paused_chat_is_resumed_by_another_process(server: ScriptedServer, place: Path) -> None:
    server.play(DELETE, END)
    first = piped(options(server, "--once", "clean up", "--store", "runs.db"), place)
    assert (first.code, (place / "old.txt").exists()) == (3, True)
    (waiting,) = PauseStore(place / "runs.db").list()
    assert waiting.waits_for == "approval of delete"
    wrong = piped(options(server, "--store", "runs.db", "--resume", "nope"), place)
    assert (wrong.code, waiting.id in wrong.err) == (2, True)
    resumed = ["--store", "runs.db", "--resume", waiting.id]
    unclear = piped(options(server, "--once", "maybe", *resumed), place)
    assert (unclear.code, "say yes or no" in unclear.err) == (3, True)
    elsewhere = ["chat", "--base-url", server.url, "--model", "m", "--once", "yes", *resumed]
    without_tools = piped(elsewhere, place)
    assert (without_tools.code, "no tool delete" in without_tools.err) == (
        3,
        True,
    )
    second = zkit_process(*options(server, "--once", "yes", *resumed), cwd=place)
    assert (second.code, second.out) == (0, "All done.\n")
    assert not (place / "old.txt").exists()
    assert PauseStore(place / "runs.db").list() == []
    assert_valid(server.requests[1]["messages"])
    assert server.requests[1]["messages"][-1]["content"] == "gone"


@pytest.mark.slow
def test_a_chat_killed_at_the_question_is_resumed(server: ScriptedServer, place: Path) -> None:
    server.play(ASK, END)
    with Terminal(*options(server, "--store", "runs.db"), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("choose\n")
        screen.wait_for("answer> ")
        screen.kill()
    with Terminal(*options(server, "--store", "runs.db", "--resume", "last"), cwd=place) as screen:
        screen.wait_for("? Which?")
        screen.wait_for("answer> ")
        screen.type("the third\n")
        screen.wait_for("All done.")
        assert screen.leave() == 0
    assert [m["content"] for m in server.requests[1]["messages"][::2]] == ["choose", "the third"]


# ── recorded, and played again ───────────────────────────────────────────────

TALK = "where is it?\n/why\nclean up\ny\nchoose\n2\n/tools\n/save talk.json\n/kit look\nhello\n"


def record_talk(server: ScriptedServer, place: Path) -> Done:
    text_call = '<tool_call>{"name": "look", "arguments": {"at": "home",}}</tool_call>'
    server.play(LOOK, END, DELETE, says(text_call), says("Wäre → done."), ASK, END, END)
    return piped(options(server, "--record", "talk.jsonl"), place, TALK)


def test_a_replay_shows_the_same_bytes_and_runs_nothing(
    server: ScriptedServer, place: Path
) -> None:
    recorded = record_talk(server, place)
    assert (recorded.code, recorded.err) == (0, "")
    assert "delete old.txt" in recorded.out
    (place / "old.txt").write_text("new")
    (place / "talk.json").unlink()
    (place / "acts.py").unlink()
    requests = len(server.requests)
    again = piped(["chat", "--replay", "talk.jsonl"], place)
    assert (again.code, again.err, again.out) == (0, "", recorded.out)
    assert len(server.requests) == requests
    assert (place / "old.txt").read_text() == "new"
    assert not (place / "talk.json").exists()


def test_a_replay_of_one_question_shows_the_same_bytes(server: ScriptedServer, place: Path) -> None:
    server.play(LOOK, error(503, "busy", {"Retry-After": "0"}), END)
    recorded = piped(options(server, "--once", "where?", "--record", "t"), place)
    again = piped(["chat", "--replay", "t"], place)
    assert recorded.code == again.code == 0
    assert (again.out, again.err) == (recorded.out, recorded.err)


def test_a_pause_and_what_came_of_it_are_replayed_without_the_store(
    server: ScriptedServer, place: Path
) -> None:
    server.play(DELETE, END)
    store = ["--store", "runs.db"]
    asked = piped(options(server, "--once", "clean up", *store, "--record", "asked"), place)
    more = ["--once", "yes", *store, "--resume", "last", "--record", "went on"]
    went_on = piped(options(server, *more), place)
    assert (asked.code, went_on.code) == (3, 0)
    (place / "old.txt").write_text("new")
    (place / "runs.db").unlink()
    # This process has resumed the run, so it could not play that a second time.
    for name, recorded, run in (("asked", asked, zkit), ("went on", went_on, zkit_process)):
        again = run("chat", "--replay", name, cwd=place)
        assert (again.code, again.out) == (0, recorded.out)
        assert again.err == recorded.err
    assert [path.name for path in place.glob("runs.db*")] == []
    assert (place / "old.txt").read_text() == "new"


def test_a_refusal_of_the_person_is_replayed_as_one_and_not_as_an_answer(
    server: ScriptedServer, place: Path
) -> None:
    """The same call is refused once, and then approved."""
    server.play(DELETE, DELETE, END)
    recorded = piped(options(server, "--record", "t"), place, "clean up\nn\ny\n")
    assert not (place / "old.txt").exists()
    assert "delete was not approved" in recorded.out
    again = piped(["chat", "--replay", "t"], place)
    assert (again.code, again.err, again.out) == (0, "", recorded.out)


def test_a_question_that_is_asked_again_waits_again_in_a_replay(
    server: ScriptedServer, place: Path
) -> None:
    """The answer of the person is no answer of the tool, which only ever asks."""
    server.play(ASK, END, ASK, END)
    recorded = piped(options(server, "--record", "t"), place, "choose\n2\nonce more\n1\n")
    assert recorded.out.count("? Which?") == 2
    again = piped(["chat", "--replay", "t"], place)
    assert (again.code, again.err, again.out) == (0, "", recorded.out)


def test_a_transcript_knows_which_answers_are_whole(server: ScriptedServer, place: Path) -> None:
    server.play(LOOK, error(400, "no"))
    piped(options(server, "--once", "where?", "--record", "t"), place)
    first, second = read_transcript(place / "t").exchanges()
    assert (first.status, first.complete, second.status, second.complete) == (200, True, 400, True)
    assert first.body.endswith(b"data: [DONE]\n\n")
    assert first.request == server.requests[0]


def test_a_mismatch_is_reported_with_its_place(server: ScriptedServer, place: Path) -> None:
    record_talk(server, place)
    lines = (place / "talk.jsonl").read_text().splitlines(keepends=True)
    at = next(
        n for n, line in enumerate(lines) if '"shown"' in line and "All done" not in line and n > 40
    )
    changed = json.loads(lines[at])
    lines[at] = json.dumps({**changed, "text": "something else"}) + "\n"
    (place / "talk.jsonl").write_text("".join(lines))
    again = piped(["chat", "--replay", "talk.jsonl"], place)
    assert again.code == 1
    assert f"talk.jsonl: line {at + 1}: recorded" in again.err
    assert "something else" in again.err


@pytest.mark.slow
def test_a_stopped_turn_is_replayed_as_one(server: ScriptedServer, place: Path) -> None:
    gates: list[Gated] = []
    server.play(
        gated("First words, and then the others.", 3, gates),
        says(None, [call("sleep", {}, "s")]),
        END,
    )
    with Terminal(*options(server, "--record", "t"), cwd=place) as screen:
        screen.wait_for("> ")
        for line, shown in (("hello", "First"), ("sleep", "● sleep")):
            screen.type(f"{line}\n")
            screen.wait_for(shown)
            screen.type("\x03")
            screen.wait_for("stopped; the chat goes on")
            screen.wait_for("> ")
        screen.type("go on\n")
        screen.wait_for("All done.")
        assert screen.leave() == 0
        recorded = screen.text.replace("^C", "")
    for gate in gates:
        gate.opened.set()
    assert len(list(read_transcript(place / "t").of(Interrupted))) == 2
    with Terminal("chat", "--replay", "t", cwd=place) as screen:
        assert screen.end() == 0
        assert screen.text == recorded


@pytest.mark.slow
def test_a_killed_process_loses_nothing_that_was_shown(server: ScriptedServer, place: Path) -> None:
    gates: list[Gated] = []
    server.play(LOOK, gated("First words, and then the others.", 3, gates))
    with Terminal(*options(server, "--record", "t"), cwd=place) as screen:
        screen.wait_for("> ")
        screen.type("where?\n")
        screen.wait_for("First")
        screen.kill()
        shown = screen.raw.replace(b"\r", b"").decode()
    gates[0].opened.set()
    transcript = read_transcript(place / "t")
    for line in transcript.of(Shown):
        assert isinstance(line.record, Shown)
        before, found, shown = shown.partition(line.record.text)
        assert found
        assert not before.strip() or "> " in before  # the prompt and what was typed
    assert not shown.strip()
    with Terminal("chat", "--replay", "t", cwd=place) as screen:
        assert screen.end() == 0
        assert "ends here" in screen.wait_for("ends here")
        assert "First" in screen.text


def test_no_key_is_ever_recorded(server: ScriptedServer, place: Path) -> None:
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {KEY}."}}).encode()
    cut = body.index(KEY.encode()) + 9
    server.play(Answer((body[:cut], body[cut:]), 401))
    url = server.url.replace("http://", "http://user:pass-word-1@")
    args = ["chat", "--base-url", url, "--model", "m", "--from", "acts", "--record", "t"]
    done = zkit(*args, given=f"my key is {KEY}\n", cwd=place, OPENAI_API_KEY=KEY)
    text = (place / "t").read_text()
    assert "Incorrect API key provided: [secret]" in done.out
    assert KEY not in text
    assert "pass-word-1" not in text
    assert "my key is [secret]" in text
    assert (place / "t").stat().st_mode & 0o077 == 0


def test_what_is_no_transcript_is_refused(place: Path) -> None:
    done = piped(["chat", "--replay", "acts.py"], place)
    assert (done.code, "not a line of a transcript" in done.err) == (2, True)
