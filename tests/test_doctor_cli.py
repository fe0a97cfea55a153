"""`zkit doctor` as its users meet it: real processes, a real server, exit codes and a terminal."""

from __future__ import annotations

import json
import signal
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import ZKIT, on_a_terminal, zkit
from test_doctor import good_model, good_model_as_script, served

from zkit.chat import Profile
from zkit.doctor import PROBES
from zkit.testing import SHORTCOMINGS, Answer, Request, ScriptedServer, error


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(then=served(good_model_as_script)) as running:
        yield running


def test_a_server_that_behaves_is_usable_and_every_probe_is_a_line(server: ScriptedServer) -> None:
    done = zkit("doctor", "--base-url", server.url)
    assert (done.code, done.err) == (0, "")
    head, _, *lines = done.out.splitlines()
    assert head == (
        f"scripted at {server.url}/: {len(PROBES)} probes, 30 requests (and some more where"
        " something is wrong)"
    )
    findings = lines[: len(PROBES)]
    assert [line.split()[:2] for line in findings] == [["ok", name] for name in PROBES]
    assert lines[len(PROBES) + 1].startswith(f"{len(PROBES)} ok, 0 covered by zkit, 0 not covered")
    assert lines[len(PROBES) + 2] == 'profile: mode = "native"'
    assert len(server.requests) == 30


def test_a_profile_is_written_that_can_be_read(tmp_path: Path) -> None:
    script = served(SHORTCOMINGS["refuses_schemas"].server_of(good_model))
    for name in ("p.toml", "p.json"):
        path = tmp_path / name
        with ScriptedServer(then=script) as server:
            done = zkit("doctor", "--base-url", server.url, "--model", "scripted", "--out", path)
        assert (done.code, done.err) == (0, f"zkit: wrote {path}\n")
        assert 'covered      null_union         dialect = "portable" ← 400: failed' in done.out
        expected = Profile(
            model="scripted", base_url=f"{server.url}/", mode="native", dialect="portable"
        )
        assert Profile.read(path) == expected


def test_json_holds_everything(server: ScriptedServer) -> None:
    done = zkit("doctor", "--json", "--only", "call_*", "--only", "enum", ZKIT_BASE_URL=server.url)
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    found = json.loads(done.out)
    assert (found["usable"], found["requests"], found["interrupted"]) == (True, 21, False)
    assert [one["probe"] for one in found["findings"]] == ["enum", "call_ids", "call_type"]
    assert found["findings"][0] == {
        "probe": "enum",
        "shows": "one of a list of values",
        "status": "ok",
        "evidence": 'set_heating {"mode": "eco"}',
        "covered_by": "",
        "settings": {},
    }
    assert Profile.from_dict(found["profile"]).model == "scripted"


def test_the_list_asks_nothing() -> None:
    done = zkit("doctor", "--list", "--only", "stream*")
    assert done.code == 0
    names = [name for name in PROBES if name.startswith("stream")]
    assert [line.split()[0] for line in done.out.splitlines()] == names
    machine = zkit("doctor", "--list", "--json")
    assert [json.loads(line)["probe"] for line in machine.out.splitlines()] == list(PROBES)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["doctor"], "zkit: which server? --base-url http://localhost:11434/v1 (Ollama)"),
        (["doctor", "--only", "x*"], "zkit: no probe is called x*; zkit doctor --list names them"),
    ],
)
def test_bad_usage_says_what_to_do(args: list[str], said: str) -> None:
    done = zkit(*args, OPENAI_API_KEY="", OPENAI_BASE_URL="")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(said)


def test_a_server_that_is_not_there_is_told_in_one_line() -> None:
    done = zkit("doctor", "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert (done.code, done.out) == (1, "")
    assert done.err == (
        "zkit: http://127.0.0.1:9/v1/ cannot be reached: Connection error; is it running, and does"
        " the address end in /v1?\n"
    )
    machine = zkit("doctor", "--base-url", "http://127.0.0.1:9/v1", "--model", "m", "--json")
    assert machine.code == 1
    assert json.loads(machine.out)["usable"] is False


def test_a_server_that_answers_nothing_is_left_alone_after_the_first_question() -> None:
    with ScriptedServer(then=error(400, "the model is broken")) as server:
        done = zkit("doctor", "--base-url", server.url, "--out", "never.toml")
    assert done.code == 1
    assert "not covered  answer             400: the model is broken" in done.out
    assert "not usable" in done.out
    assert len(server.requests) == 1
    assert not Path("never.toml").exists()


def test_a_model_that_is_not_listed_is_told_and_asked_all_the_same(server: ScriptedServer) -> None:
    done = zkit("doctor", "--base-url", server.url, "--model", "other", "--only", "answer")
    assert (done.code, done.err) == (0, "zkit: the server does not list other; it has: scripted\n")
    assert server.requests[0]["model"] == "other"


def test_ctrl_c_shows_what_it_has(tmp_path: Path) -> None:
    reached = threading.Event()

    def stuck(request: Request) -> Answer:
        if len(slow.requests) < 5:
            return good_model_as_script(request)
        reached.set()
        return Answer(tuple(b" " for _ in range(500)), pause=0.5)

    path = tmp_path / "p.toml"
    with ScriptedServer(then=stuck) as slow:
        command = [*ZKIT, "doctor", "--base-url", slow.url, "--out", str(path)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert reached.wait(120)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=120)
    partial = f"zkit: wrote {path} (partial: 4 of {len(PROBES)} probes)\n"
    assert (process.returncode, err.decode()) == (130, partial)
    lines = out.decode("utf-8").splitlines()
    assert [line.split()[1] for line in lines[2:6]] == list(PROBES)[:4]
    assert lines[7].startswith("interrupted: 4 ok, 0 covered by zkit, 0 not covered; 5 requests")
    assert Profile.read(path).mode == "native"


def test_a_timeout_is_a_status_of_its_own_with_advice() -> None:
    def stuck(request: Request) -> Answer:
        if request.get("tools"):
            return Answer(tuple(b" " for _ in range(100)), pause=0.5)
        return good_model_as_script(request)

    with ScriptedServer(then=stuck) as server:
        done = zkit(
            "doctor", "--base-url", server.url, "--only", "answer", "--only", "enum", "--timeout", "2"
        )  # fmt: skip
    assert done.code == 0
    assert "timed out    enum " in done.out
    assert "1 ok, 0 covered by zkit, 0 not covered, 1 timed out; 2 requests" in done.out
    assert "there is no verdict on what timed out: try --timeout 8" in done.out


def test_the_smallest_request_that_fails_is_printed() -> None:
    script = served(SHORTCOMINGS["refuses_schemas"].server_of(good_model))
    args = ("--only", "ref", "--minimize")
    with ScriptedServer(then=script) as server:
        done = zkit("doctor", "--base-url", server.url, *args)
        machine = zkit("doctor", "--base-url", server.url, *args, "--json")
    assert "smallest request that fails ref (" in done.out
    assert f"curl -s {server.url}/chat/completions" in done.out
    [finding] = json.loads(machine.out)["findings"]
    parameters = {"properties": {"end": {"$ref": "#/$defs/Point"}}}
    assert finding["smallest_request"]["tools"] == [{"function": {"parameters": parameters}}]


class NothingHere(BaseHTTPRequestHandler):
    """A web server that has no model."""

    def do_GET(self) -> None:
        self.send_error(404)

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_an_address_without_v1_is_named() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), NothingHere) as server:
        threading.Thread(target=server.serve_forever).start()
        done = zkit("doctor", "--base-url", f"http://127.0.0.1:{server.server_port}")
        server.shutdown()
    assert done.code == 1
    assert "does the address end in /v1?" in done.err


@pytest.mark.slow
def test_on_a_terminal_there_is_colour_a_bar_and_one_line_each(server: ScriptedServer) -> None:
    code, screen = on_a_terminal("doctor", "--base-url", server.url, "--only", "[a-m]*")
    assert code == 0
    assert "\x1b[1;32mok" in screen
    assert "━" in screen
    plain = on_a_terminal("doctor", "--base-url", server.url, "--only", "enum", NO_COLOR="1")
    assert "\x1b[1;32m" not in plain[1]


def test_the_key_is_never_shown(server: ScriptedServer) -> None:
    done = zkit("doctor", "--base-url", server.url, "--json", ZKIT_API_KEY="sk-very-secret-123")
    assert done.code == 0
    assert "sk-very-secret" not in done.out + done.err
