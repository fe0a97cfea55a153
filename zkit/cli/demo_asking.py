"""The requests of the demo, each answered by the bare client and by the wrapped one."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, NamedTuple

from zkit import Call, wrap
from zkit.cases import Recorded, recordings
from zkit.chat import Report
from zkit.errors import MissingExtraError
from zkit.schema import offered
from zkit.testing import ScriptedServer, says

USUAL_MODEL = "qwen2.5-coder-0.5b-q4_k_m"
MOST_TOKENS = 160


class Wanted(NamedTuple):
    """One request of the demo: what it shows, what is asked, and the recorded reply.

    `calls` are those that the model wrote; whatever else is run would be a wrong call.
    """

    shows: str
    reply: Recorded
    calls: tuple[dict[str, Any], ...]


class Reply(NamedTuple):
    """A reply as the bare client gives it."""

    text: str
    finish_reason: str
    calls: tuple[tuple[str, str], ...]
    problem: str


class Asked(NamedTuple):
    """One request, with both replies; `is_wrong` when zkit gave out a call that nobody wrote."""

    wanted: Wanted
    bare: Reply
    report: Report
    is_wrong: bool = False


class Asking(NamedTuple):
    """Whom to ask: a client, the name of a model, and the recorded replies if there is no model."""

    client: Any
    model: str
    server: ScriptedServer | None


def requests() -> list[Wanted]:
    """The requests of the demo, each with the reply that was recorded."""
    listed = tomllib.loads(files("zkit.cli").joinpath("demo_requests.toml").read_text("utf-8"))
    by_key = {(one.model, one.style, one.prompt): one for one in recordings().completions}
    return [
        Wanted(row["shows"], by_key[row.get("model", USUAL_MODEL), row["style"], row["prompt"]],
               tuple(row["calls"]))
        for row in listed["request"]
    ]  # fmt: skip


@contextmanager
def recorded() -> Iterator[Asking]:
    """Ask a server on loopback that plays the recordings, through the real client."""
    with ScriptedServer() as server, _client(server.url) as client:
        yield Asking(client, USUAL_MODEL, server)


@contextmanager
def live(base_url: str, model: str | None, api_key: str | None = None) -> Iterator[Asking]:
    """Ask a live server; without a name, the first model that it lists."""
    with _client(base_url, api_key or "none") as client:
        yield Asking(client, model or client.models.list().data[0].id, None)


def _client(base_url: str, api_key: str = "none") -> Any:
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingExtraError("openai", "zkit demo") from error
    return OpenAI(base_url=base_url, api_key=api_key, max_retries=0, timeout=600)


def ask(asking: Asking, wanted: Wanted) -> Asked:
    """Send the request twice, bare and wrapped."""
    if asking.server is not None:
        said = says(wanted.reply.raw, finish=wanted.reply.finish_reason)
        asking.server.play(said, said)
    tools = recordings().tools
    bare = _created(asking.client, asking.model, wanted, tools)
    wrapped = wrap(asking.client)
    report: Report = _created(wrapped, asking.model, wanted, tools).zkit
    is_wrong = asking.server is not None and not _is_written(report.calls, wanted)
    return Asked(wanted, _reply(bare, tools), report, is_wrong)


def _created(client: Any, model: str, wanted: Wanted, tools: list[dict[str, Any]]) -> Any:
    messages = [{"role": "user", "content": wanted.reply.prompt}]
    return client.chat.completions.create(
        model=model, messages=messages, tools=tools, temperature=0, max_tokens=MOST_TOKENS
    )


def _is_written(calls: tuple[Call, ...], wanted: Wanted) -> bool:
    """Whether every call is one that the model wrote."""
    return all({"name": one.name, "arguments": one.arguments} in wanted.calls for one in calls)


def _reply(completion: Any, tools: list[dict[str, Any]]) -> Reply:
    choice = completion.choices[0]
    calls = tuple(
        (str(one.function.name), str(one.function.arguments))
        for one in choice.message.tool_calls or ()
    )
    problem = next(filter(None, (_problem(name, text, tools) for name, text in calls)), "")
    return Reply(choice.message.content or "", str(choice.finish_reason), calls, problem)


def _problem(name: str, text: str, tools: list[dict[str, Any]]) -> str:
    """Why a call cannot be used as it is; empty when it can."""
    offer = offered(tools).get(name)
    if offer is None:
        return f"there is no tool {name}"
    try:
        arguments = json.loads(text)
    except ValueError as error:
        return f"json.loads raises: {error}"
    if not isinstance(arguments, Mapping):
        return "the arguments are no object"
    return _misfit(offer, arguments)


def _misfit(offer: Any, arguments: Mapping[str, Any]) -> str:
    import jsonschema

    try:
        jsonschema.validate(arguments, offer.parameters)
    except jsonschema.ValidationError as error:
        return f"does not fit the schema: {error.message}"
    return ""
