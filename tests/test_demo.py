"""The demo, as somebody sees it who has just cloned the repository."""

from __future__ import annotations

import click
import pytest
from command_line import ESCAPE, on_a_terminal, zkit

from zkit import Repaired, Unrepairable
from zkit.cli import demo_repair
from zkit.cli.demo import Asked, Wanted, ask, recorded, requests
from zkit.testing import Request, Said, ScriptedServer, call, says

WANTED = requests()


@pytest.fixture(scope="module")
def asked() -> list[Asked]:
    with recorded() as asking:
        return [ask(asking, wanted) for wanted in WANTED]


def test_the_demo_shows_both_clients_and_a_summary() -> None:
    done = zkit("demo")
    assert (done.code, done.err) == (0, "")
    assert ESCAPE not in done.out
    for wanted in WANTED:
        assert wanted.reply.prompt in done.out
    parts = ("bare client: no call", "zkit: 1 call", "zkit: refused", "RESPELL respell_tool_name")
    assert [part for part in parts if part not in done.out] == []
    summary = [line.split() for line in done.out.splitlines()]
    assert ["usable", "calls", "0", "of", "10", "6", "of", "10"] in summary
    assert ["wrong", "calls", "0", "0"] in summary


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--repair",)])
@pytest.mark.parametrize("columns", ["80", "100", "160"])
def test_the_demo_fits_a_terminal(columns: str, options: tuple[str, ...]) -> None:
    code, screen = on_a_terminal("demo", *options, COLUMNS=columns)
    assert (code, ESCAPE in screen) == (0, True)
    lines = [line.rpartition("\r")[2] for line in screen.replace("\r\n", "\n").splitlines()]
    assert max(len(click.unstyle(line).rstrip()) for line in lines) <= int(columns)


@pytest.mark.parametrize("wanted", WANTED, ids=lambda one: one.shows)
def test_each_request_ends_in_the_calls_that_the_model_wrote(
    wanted: Wanted, asked: list[Asked]
) -> None:
    (found,) = [one for one in asked if one.wanted == wanted]
    calls = [{"name": one.name, "arguments": one.arguments} for one in found.report.calls]
    assert calls == list(wanted.calls)
    assert bool(found.report.refusals) == wanted.shows.startswith("Refused")
    assert (found.bare.text, found.bare.calls) == (wanted.reply.raw, ())


def test_a_call_that_the_model_did_not_write_would_be_counted_as_wrong() -> None:
    with recorded() as asking:
        other = WANTED[0]._replace(calls=WANTED[1].calls)
        assert ask(asking, other).is_wrong


# with a live server


def test_the_demo_asks_a_live_server_and_takes_its_first_model() -> None:
    def model(request: Request) -> Said:
        return says(None, [call("get_weather", "{'city': 'Oslo'}", "a")])

    with ScriptedServer(then=lambda request: model(request)(request)) as server:
        done = zkit("demo", "--base-url", server.url)
        models = {request["model"] for request in server.requests}
        count = len(server.requests)
    assert (done.code, models, count) == (0, {"scripted"}, 2 * len(WANTED))
    assert "bare client: a call that cannot be used" in done.out
    assert "json.loads raises" in done.out
    assert "This asks for get_weather." in done.out
    assert WANTED[0].shows not in done.out
    assert ["usable", "calls", "0", "of", "10", "10", "of", "10"] in [
        line.split() for line in done.out.splitlines()
    ]


def test_a_server_that_is_not_there_is_said_in_a_sentence() -> None:
    done = zkit("demo", "--base-url", "http://127.0.0.1:9/v1", "--model", "m")
    assert done.code == 1
    assert "http://127.0.0.1:9/v1 did not answer" in done.err
    assert "Traceback" not in done.err


def test_a_model_without_a_server_is_bad_usage() -> None:
    assert zkit("demo", "--model", "m").code == 2


# zkit demo --repair


def test_the_repair_demo_shows_text_value_receipt_and_refusal() -> None:
    done = zkit("demo", "--repair")
    assert done.code == 0
    assert ESCAPE not in done.out
    parts = ("the model wrote:", "value, rank ", "receipt:", "refused, ", "zkit repair answer.txt")
    assert [part for part in parts if part not in done.out] == []
    assert max(len(line) - len(line.rstrip()) for line in done.out.splitlines()) == 0


@pytest.mark.parametrize(
    "shown", [demo_repair.repaired(n, s) for n, s in enumerate(demo_repair.samples(), 1)]
)
def test_every_sample_does_what_its_sentence_says(shown: demo_repair.Shown) -> None:
    refuses = shown.sample.shows.startswith("Refuse")
    assert isinstance(shown.outcome, Unrepairable if refuses else Repaired)
    if isinstance(shown.outcome, Repaired):
        assert shown.outcome.fixes
        assert shown.outcome.lossy == ("cut" in shown.sample.shows)
