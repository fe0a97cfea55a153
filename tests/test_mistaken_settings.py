"""A setting that makes no sense is refused where it is given, with what is expected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from grouped import grouped
from httpx import HTTPTransport
from openai import OpenAI

from zkit import (
    ChatLoop,
    Crashed,
    Dispatcher,
    Extractor,
    Kit,
    MemoSource,
    PartialReader,
    Rank,
    Refused,
    Success,
    Toolbox,
    ToolSpec,
    Transient,
    Validation,
    decode,
    find_calls,
    lint_schema,
    render_call,
    repair_all,
    repair_json,
    schema_for,
    transport,
    wrap,
)
from zkit.batch import Work, run_batch
from zkit.calls import Call
from zkit.chat import PauseStore, Profile
from zkit.coach import Coach
from zkit.dispatch import (
    Guard,
    Limits,
    Recorder,
    budget,
    fan_out,
    read_before_write,
    repeated_calls,
    repeated_failures,
    verify_files,
)
from zkit.proxy import ProxySettings, Upstream
from zkit.sources import Discovery, RedisCounts, RedisMemo, SqliteMemo
from zkit.tools import render_result, scope

CLIENT = OpenAI(base_url="http://localhost:9/v1", api_key="none", max_retries=0)


def look(at: str) -> str:
    """Look at something."""
    return at


def _loop(**settings: Any) -> ChatLoop:
    return ChatLoop(CLIENT, "m", [look], **settings)


MISTAKES: dict[str, tuple[Callable[[], Any], str]] = {
    "a rank by a wrong name": (
        lambda: wrap(CLIENT, limit="GUES"),  # type: ignore[call-overload]
        "limit: there is no rank 'GUES'",
    ),
    "a format of wrap": (lambda: wrap(CLIENT, formats=["hermes_jsn"]), "did you mean hermes_json"),
    "a tool of wrap": (lambda: wrap(CLIENT, tools=[1]), "1 names no tool"),
    "a client of wrap": (lambda: wrap(3), "3 has no chat.completions.create"),
    "an address": (lambda: ChatLoop("http://x/v1", "m"), "OpenAI.base_url='http://x/v1'."),
    "no client": (lambda: ChatLoop(None, "m").run_sync("?"), "None has no chat.completions.create"),
    "no model": (lambda: ChatLoop(CLIENT, None), "model must be the name of a model"),  # type: ignore[arg-type]
    "a fit": (lambda: _loop(fit="x"), "fit cannot be 'x'; one of 'all', 'weights'"),
    "no turns": (lambda: _loop(max_turns=0), "max_turns must be at least 1, not 0"),
    "turns as a text": (lambda: _loop(max_turns="3"), "max_turns must be a whole number"),
    "seconds": (lambda: _loop(max_seconds=-1), "max_seconds must be at least 0"),
    "a context": (lambda: _loop(context=0), "context must be at least 1"),
    "a share": (lambda: _loop(tool_share=30), "tool_share must be more than 0 and at most 1"),
    "a budget": (lambda: _loop(budgets={"x": 1}), "a key of budgets cannot be 'x'; one of"),
    "a format": (lambda: _loop(format="hermes"), "no format is called 'hermes'; did you mean"),
    "formats": (lambda: _loop(formats=["nope"]), "no format is called 'nope'; docs/formats.md"),
    "a setting": (lambda: _loop(max_turn=3), "no setting 'max_turn'; did you mean max_turns"),
    "an approver": (lambda: _loop(approve=True), "approve must be a function"),
    "a prompt": (lambda: _loop().run_sync(None), "a prompt is a text, or a list of messages"),  # type: ignore[arg-type]
    "a message": (lambda: _loop().run_sync(["hi"]), "not 'hi'"),  # type: ignore[list-item]
    "a streamed prompt": (lambda: _loop().stream_sync(3), "a prompt is a text, or a list"),  # type: ignore[arg-type]
    "an async prompt": (
        lambda: _loop().stream({"role": "user"}),  # type: ignore[dict-item]
        "a prompt is a text, or a list",
    ),
    "an approver of a dispatcher": (
        lambda: Dispatcher([look], approve="yes"),  # type: ignore[arg-type]
        "approve must be a function",
    ),
    "a rank of decode": (
        lambda: decode(look, "{'at': 1}", limit="GUES"),  # type: ignore[call-overload]
        "there is no rank 'GUES'",
    ),
    "a rank of repair": (lambda: repair_json("{}", limit="GUES"), "there is no rank"),  # type: ignore[arg-type]
    "a format to find": (lambda: find_calls("", [look], formats=["x"]), "no format is called 'x'"),
    "a format to write": (lambda: render_call(Call("f", {}), "kimi"), "did you mean kimi_k"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_setting_that_makes_no_sense_is_refused_at_once(mistake: str) -> None:
    """Before any request, and in a sentence that says what is expected."""
    make, said = MISTAKES[mistake]
    with pytest.raises((TypeError, ValueError), match=said):
        make()


Made = Callable[..., Any]
BOX = Toolbox([look])
NO_COUNT: list[Any] = ["3", 1.5, True, [1], -1, float("nan"), float("inf")]
NO_COUNT_ABOVE_0 = [*NO_COUNT, 0]
NO_SECONDS: list[Any] = ["3", True, [1], -1, float("nan"), float("inf")]
NO_SECONDS_ABOVE_0 = [*NO_SECONDS, 0]
NO_FLAG: list[Any] = [None, 0, 1, "yes", [True]]
NO_FUNCTION: list[Any] = [0, "yes", True, [print]]
NO_MAPPING: list[Any] = [0, "x", [1], True]
NO_PATH: list[Any] = [0, True, ["x"], {"a": 1}]
NO_TEXT: list[Any] = [0, True, ["x"], b"x"]
NO_LIST: list[Any] = [0, 1.5, True]
NO_RECORD: list[Any] = [0, "x", True, {"a": 1}, [1]]
NO_SOURCE = [one for one in NO_RECORD if not isinstance(one, list | set | tuple)]
NO_RANK_NAME: list[Any] = ["GUES", None, True, 2.5]


def _dispatcher(**settings: Any) -> Dispatcher:
    return Dispatcher([look], **settings)


def _wrapped(**settings: Any) -> Any:
    return wrap(CLIENT, **settings)


def _scoped(**settings: Any) -> None:
    with scope(**settings):
        pass


def _budget(**limits: Any) -> None:
    with budget(**limits):
        pass


REPAIRED: dict[str, list[Any]] = {"ask_again": [*NO_COUNT, None], "on_report": NO_FUNCTION}
REDIS: dict[str, list[Any]] = {
    "url": [*NO_TEXT, None],
    "ttl": [*NO_SECONDS_ABOVE_0, None],
    "timeout": [*NO_SECONDS_ABOVE_0, None],
    "prefix": [*NO_TEXT, None, ""],
}
UPSTREAM = Upstream("http://x/v1")


WRONG: list[tuple[Made, dict[str, list[Any]]]] = [
    (
        _dispatcher,
        {
            "timeout": NO_SECONDS_ABOVE_0,
            "longest_wait": [*NO_SECONDS, None],
            "grace": [*NO_SECONDS, None],
            "attempts": [*NO_COUNT_ABOVE_0, None],
            "max_parallel": [*NO_COUNT_ABOVE_0, None],
            "record_content": NO_FLAG,
            "enabled": [None, 0, "yes"],
            "approve": NO_FUNCTION,
            "count_tokens": [*NO_FUNCTION, None],
            "budget": NO_RECORD,
            "hooks": NO_RECORD,
            "metrics": NO_RECORD,
            "recorder": NO_RECORD,
            "memory": [0, "x", True],
            "guards": [*NO_LIST, "x"],
            "chain": [*NO_LIST, None, ["x"]],
            "roles": NO_MAPPING,
            "policy": NO_MAPPING,
        },
    ),
    (
        _loop,
        {
            "max_turns": [*NO_COUNT_ABOVE_0, None],
            "max_calls": [*NO_COUNT, None],
            "result_limit": [*NO_COUNT_ABOVE_0, None],
            "keep_turns": [*NO_COUNT_ABOVE_0, None],
            "max_total_tokens": NO_COUNT_ABOVE_0,
            "context": NO_COUNT_ABOVE_0,
            "max_tools": NO_COUNT_ABOVE_0,
            "max_seconds": NO_SECONDS,
            "backoff": [*NO_SECONDS, None],
            "tool_share": [*NO_SECONDS_ABOVE_0, 1.5, None],
            "compact_at": [*NO_SECONDS_ABOVE_0, 1.5, None],
            "parallel": NO_FLAG,
            "stream": NO_FLAG,
            "stream_usage": NO_FLAG,
            "replay_reasoning": NO_FLAG,
            "reasoning": NO_TEXT,
            "system": NO_TEXT,
            "format": NO_TEXT,
            "compact": NO_FUNCTION,
            "spill": NO_PATH,
            "workspace": NO_PATH,
            "profile": NO_PATH,
            "options": NO_MAPPING,
            "budgets": NO_MAPPING,
            "formats": NO_LIST,
            "mode": ["tools", 0, None, ["text"]],
            "dialect": ["gpt", 0, None, ["openai"]],
        },
    ),
    (Profile, {"system": NO_FLAG, "stream": NO_FLAG}),
    (_wrapped, {**REPAIRED, "limit": NO_RANK_NAME, "formats": NO_LIST, "profile": NO_PATH}),
    (Limits, {"calls": NO_COUNT, "tokens": NO_COUNT, "per_tool": [*NO_MAPPING, {"look": "3"}]}),
    (_budget, {"calls": NO_COUNT, "tokens": NO_COUNT}),
    (
        repeated_calls,
        {"note": NO_COUNT_ABOVE_0, "refuse": NO_COUNT_ABOVE_0, "stop": NO_COUNT_ABOVE_0},
    ),
    (repeated_failures, {"note": NO_COUNT_ABOVE_0, "refuse": NO_COUNT_ABOVE_0}),
    (fan_out, {"limits": [*NO_MAPPING, {"look": "3"}, {"look": -1}]}),
    (read_before_write, {"root": NO_PATH, "mode": ["warn", 0, None]}),
    (verify_files, {"root": NO_PATH, "verifiers": NO_MAPPING}),
    (
        lambda **given: Guard(**{"name": "mine", **given}),
        {"name": NO_TEXT, "before": NO_FUNCTION, "after": NO_FUNCTION},
    ),
    (
        Recorder,
        {
            "root": [*NO_PATH, None],
            "max_bytes": NO_COUNT,
            "max_turns": NO_COUNT_ABOVE_0,
            "on_change": NO_FUNCTION,
        },
    ),
    (
        lambda **given: MemoSource(**{"source": BOX, **given}),
        {
            "source": [*NO_SOURCE, None],
            "max_entries": NO_COUNT,
            "max_bytes": NO_COUNT,
            "root": NO_PATH,
            "memory": NO_RECORD,
        },
    ),
    (
        lambda **given: Discovery(**{"source": BOX, **given}),
        {"source": [*NO_SOURCE, None], "always": [*NO_LIST, "look"], "keep": NO_COUNT_ABOVE_0},
    ),
    (
        lambda **given: Kit(**{"source": BOX, "selection": "*", **given}),
        {
            "source": [*NO_SOURCE, None],
            "name": NO_TEXT,
            "docs": [*NO_LIST, "a.md"],
            "workflows": NO_LIST,
            "skills": NO_MAPPING,
        },
    ),
    (Toolbox, {"tools": NO_LIST, "providers": NO_LIST, "overlays": NO_RECORD}),
    (_scoped, {"task": NO_TEXT, "timeout": ["3", [1]], "role": NO_TEXT, "workspace": NO_TEXT}),
    (lambda docs: ToolSpec("look", docs=docs), {"docs": NO_TEXT}),
    (
        lambda **given: PauseStore(**{"path": ":memory:", **given}),
        {"path": [*NO_PATH, None], "lease": [*NO_SECONDS, None], "secret": [0, True, "", b""]},
    ),
    (transport.client, {**REPAIRED, "limit": NO_RANK_NAME, "formats": [*NO_LIST, [1]]}),
    (transport.async_client, {**REPAIRED, "limit": NO_RANK_NAME, "formats": [*NO_LIST, [1]]}),
    (lambda **given: transport.transport(HTTPTransport(), **given), REPAIRED),
    (
        lambda **given: ProxySettings(**{"upstreams": [UPSTREAM], **given}),
        {
            "upstreams": [*NO_LIST, "http://x/v1", None, [], ["http://x/v1"], [None]],
            "host": [*NO_TEXT, None],
            "port": [*NO_COUNT, None, 65_536],
            "ask_again": [*NO_COUNT, None],
            "rules": [*NO_RECORD, None],
            "profiles": [*NO_LIST, "x", None, [1]],
            "max_body": [*NO_COUNT_ABOVE_0, None],
            "max_reply": [*NO_COUNT_ABOVE_0, None],
            "max_requests": [*NO_COUNT_ABOVE_0, None],
            "timeout": [*NO_SECONDS_ABOVE_0, None],
            "keep": NO_PATH,
            "keep_last": [*NO_COUNT_ABOVE_0, None],
            "cases": NO_PATH,
            "token": [*NO_TEXT, None],
            "allowed_hosts": [*NO_LIST, "x", None, [1]],
            "allowed_origins": [*NO_LIST, "x", None, [1]],
        },
    ),
    (
        lambda **given: Upstream(**{"url": "http://x/v1", **given}),
        {"url": [*NO_TEXT, None], "models": [*NO_TEXT, None], "speaks": ["x", None, ["auto"]]},
    ),
    (RedisMemo, {**REDIS, "lease": [*NO_SECONDS_ABOVE_0, None]}),
    (RedisCounts, REDIS),
    (
        lambda **given: SqliteMemo(**{"path": ":memory:", **given}),
        {"path": [*NO_PATH, None], "ttl": NO_SECONDS_ABOVE_0, "lease": NO_SECONDS_ABOVE_0},
    ),
    (lambda store: MemoSource(BOX, store=store), {"store": NO_RECORD}),
    (
        lambda **given: run_batch(**{"log": "-", "out": "-", "work": Work("repair"), **given}),
        {
            "log": [*NO_PATH, None],
            "out": [*NO_PATH, None],
            "work": [*NO_RECORD, None],
            "column": NO_TEXT,
            "processes": NO_COUNT_ABOVE_0,
            "chunk": [*NO_COUNT_ABOVE_0, None],
            "keep_text": NO_FLAG,
            "force": NO_FLAG,
            "on_progress": NO_FUNCTION,
        },
    ),
    (
        lambda **given: Work("repair", **given),
        {
            "seconds": [*NO_SECONDS_ABOVE_0, None],
            "longest": [*NO_COUNT_ABOVE_0, None],
            "options": [*NO_MAPPING, None],
        },
    ),
    (
        Coach,
        {
            "budget": [*NO_COUNT, None],
            "sections": NO_MAPPING,
            "meant": NO_MAPPING,
            "select": NO_FUNCTION,
            "model": NO_TEXT,
        },
    ),
    (
        lambda **given: Transient(**{"cause": "busy", **given}),
        {
            "cause": [*NO_TEXT, None],
            "retry_after": ["soon", [1]],
            "code": ["busy", None, ["timeout"]],
        },
    ),
    (
        lambda **given: Validation(**{"message": "no", **given}),
        {"message": [*NO_TEXT, None], "code": ["wrong"]},
    ),
    (
        lambda **given: Refused(**{"reason": "no", **given}),
        {"reason": [*NO_TEXT, None], "code": ["no"]},
    ),
    (
        lambda **given: Crashed(**{"cause": "no", **given}),
        {"cause": [*NO_TEXT, None], "code": ["no"]},
    ),
    (lambda limit: repair_json('{"at": 1}', limit=limit), {"limit": NO_RANK_NAME}),
    (lambda limit: repair_all('{"at": 1}', limit=limit), {"limit": NO_RANK_NAME}),
    (PartialReader, {"limit": NO_RANK_NAME, "schema": [0, "x", [1]]}),
    (lambda limit: decode(look, '{"at": "here"}', limit=limit), {"limit": NO_RANK_NAME}),
    (lambda limit: decode(look, '{"at": "here",}', limit=limit), {"limit": NO_RANK_NAME}),
    (lambda formats: find_calls("", [look], formats=formats), {"formats": NO_LIST}),
    (lambda chunk: Extractor([look]).feed(chunk), {"chunk": [*NO_TEXT, None]}),
    (lambda call: render_call(call, "hermes_json"), {"call": [*NO_RECORD, None]}),
    (lambda format: render_call(Call("look", {}), format), {"format": [*NO_TEXT, None]}),
    (lambda dialect: schema_for(look, dialect), {"dialect": ["gpt", 0, ["openai"]]}),
    (lambda dialect: lint_schema({}, dialect), {"dialect": ["gpt", 0, ["openai"]]}),
    (
        lambda **given: render_result(**{"result": Success("x"), **given}),
        {"result": [*NO_RECORD, None], "limit": [*NO_COUNT_ABOVE_0, None], "output": ["xml", 0]},
    ),
]


@pytest.mark.parametrize(("make", "given"), WRONG)
def test_a_setting_of_the_wrong_kind_is_named_where_it_is_given(
    make: Made, given: dict[str, list[Any]]
) -> None:
    """In one sentence of zkit's own; Python's own message about an `int` does not help."""
    with grouped() as group:
        for name, value in [(key, one) for key in given for one in given[key]]:
            with group.case(f"{name}={value!r}"):
                with pytest.raises((TypeError, ValueError), match=name) as caught:
                    make(**{name: value})
                assert "\n" not in str(caught.value)
                assert "object" not in str(caught.value).replace("<object", "")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({1: {"limit": "GUESSED"}}, r"policy\[1\]\['limit'\]: there is no rank 'GUESSED'"),
        ({"look": {"timeout": 0}}, r"policy\['look'\]\['timeout'\] must be more than 0"),
        ({"look": {"attempts": 0}}, "at least 1, not 0"),
        ({"look": {"approve": "no"}}, "True or False or None, not 'no'"),
        ({"look": {"retry": None}}, "True or False, not None"),
        ({"look": True}, r"policy\['look'\] must be a mapping"),
        ({None: {}}, "a column of the table is 0 to 3, not None"),
    ],
)
def test_a_cell_of_a_policy_holds_what_it_can_hold(cells: Any, said: str) -> None:
    with pytest.raises((TypeError, ValueError), match=said):
        _dispatcher(policy=cells)


def test_settings_that_make_sense_are_taken() -> None:
    """The twins."""
    _dispatcher(timeout=None, attempts=1, grace=0, longest_wait=0.5, enabled=lambda: True)
    _dispatcher(policy={"look": {"limit": Rank.EXACT, "timeout": None, "approve": None}})
    Limits(calls=0, tokens=None, per_tool={"look": 0})
    Kit(BOX, "*", docs=("a.md",), extra=(one for one in (look,)))
    _scoped(task="t", timeout=-1)  # a deadline that is over
    wrap(CLIENT, tools=[look], limit=Rank.GUESS, formats="hermes_json")
    _loop(max_turns=1, max_seconds=0.5, context=1, tool_share=1, budgets={"empty": 0}, fit="all")
    _loop(formats=("hermes_json",), max_total_tokens=None, options={"temperature": 0})
