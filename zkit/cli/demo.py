"""`zkit demo`: replies of a small model through the bare client and through zkit, side by side."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, NamedTuple

import click
from click.core import ParameterSource
from rich.console import RenderableType
from rich.highlighter import JSONHighlighter
from rich.table import Table
from rich.text import Text

from zkit import Call, wrap
from zkit.cases import Recorded, recordings
from zkit.chat import RefusedCall, Report
from zkit.cli import demo_repair
from zkit.cli.screen import COLOURS, REFUSED, Cell, Screen, box, heading, plain
from zkit.cli.shared_options import API_KEY, check_server
from zkit.cli.streams import BadUsageError
from zkit.errors import MissingExtraError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema import offered
from zkit.testing import ScriptedServer, says

MOST_LINES, MOST_CHARACTERS = 12, 480
NEXT_STEPS = (
    ("make demo BASE_URL=http://localhost:11434/v1", "the same with a model of yours"),
    (".venv/bin/zkit demo --repair", "what is done to broken JSON, step by step"),
    ("docs/chat.md", "wrap(client) and the loop, by example"),
)


def show(screen: Screen, number: int, asked: Asked, *, is_recorded: bool) -> None:
    """Show one request."""
    reply = asked.wanted.reply
    about = f"{asked.wanted.shows} ({reply.model}, {reply.style})"
    head = (number, reply.prompt, about if is_recorded else f"This asks for {reply.expected}.")
    cells = [bare_cell(asked), zkit_cell(asked)]
    screen.print()
    if screen.is_terminal:
        screen.print(heading(*head))
        screen.print(box(cells, colour_of(asked)))
    else:
        parts = [(title, text.plain) for title, text in cells]
        screen.print(plain(*head, parts), soft_wrap=True)


def colour_of(asked: Asked) -> str:
    """Return the colour: green for a call, red for a refusal, none otherwise."""
    return "green" if asked.report.calls else REFUSED if asked.report.refusals else "white"


def bare_cell(asked: Asked) -> Cell:
    """Return what the bare client gives its caller."""
    bare = asked.bare
    if not bare.calls:
        return "bare client: no call, and this as the answer", Text(clipped(bare.text))
    body = Text("\n").join(Text(clipped(f"{name}\n{text}")) for name, text in bare.calls)
    if not bare.problem:
        return f"bare client: {counted(len(bare.calls), 'call')}", body
    return "bare client: a call that cannot be used", body.append(f"\n{bare.problem}", REFUSED)


def zkit_cell(asked: Asked) -> Cell:
    """Return what zkit gives its caller."""
    report = asked.report
    if report.calls:
        parts = [*map(call_text, report.calls), *map(refusal_text, report.refusals)]
        return f"zkit: {counted(len(report.calls), 'call')}", Text("\n").join(parts)
    if report.refusals:
        code = report.refusals[0].code
        return f"zkit: refused, {code}", Text("\n").join(map(refusal_text, report.refusals))
    return "zkit: no call, the answer as it is", Text(clipped(asked.bare.text))


def call_text(call: Call) -> Text:
    """Return a call, where it was found, and the receipt."""
    arguments = json.dumps(call.arguments, ensure_ascii=False, indent=2)
    text = Text.assemble((f"{call.name}\n", "bold"), JSONHighlighter()(arguments))
    found = "from the server" if call.origin == "native" else f"found in the text as {call.origin}"
    text.append(f"\n{found}", "dim")
    for fix in call.fixes:
        text.append(f"\n{fix.rank.name} {fix.name}", COLOURS[fix.rank]).append(f"\n  {fix.note}")
    return text if call.fixes else text.append("; nothing else had to be changed", "dim")


def refusal_text(refusal: RefusedCall) -> Text:
    """Return the message for the model."""
    return Text.assemble(("for the model: ", "dim"), refusal.message)


def clipped(text: str) -> str:
    """Return a text as far as there is room for it."""
    lines = text[:MOST_CHARACTERS].splitlines()
    shown = "\n".join(lines[:MOST_LINES])
    return shown if shown == text.rstrip("\n") else f"{shown} …"


def counted(number: int, noun: str) -> str:
    """Return a number with its noun."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary(found: Sequence[Asked], *, is_recorded: bool) -> RenderableType:
    """Return how many requests ended in a call that can be run, bare and with zkit."""
    count = len(found)
    bare = sum(bool(one.bare.calls) and not one.bare.problem for one in found)
    calls = sum(bool(one.report.calls) for one in found)
    refused = sum(bool(one.report.refusals) and not one.report.calls for one in found)
    unusable = sum(bool(one.bare.problem) for one in found)
    rows = [
        ("usable calls", f"{bare} of {count}", f"{calls} of {count}", "bold green"),
        ("calls that cannot be used", str(unusable), "0", ""),
        ("refused, with a message for the model", "0", str(refused), ""),
    ]
    if is_recorded:
        wrong = sum(one.is_wrong for one in found)
        rows.append(("wrong calls", "0", str(wrong), "bold"))
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0))
    for title in ("", "bare client", "zkit"):
        table.add_column(title, header_style="bold")
    for label, left, right, style in rows:
        table.add_row(label, left, Text(right, style=style))
    return table


def next_steps() -> Text:
    """Return what to try next."""
    text = Text("Try next\n", style="bold")
    for step, why in NEXT_STEPS:
        text.append_text(
            Text.assemble((f"  {step:<46}", "not bold cyan"), (f"{why}\n", "not bold"))
        )
    text.rstrip()
    return text


RECORDED = (
    "Replies of small models, recorded and played again by a server on loopback. The OpenAI client"
    " asks each request twice: bare, and wrapped by zkit. Ten tools are offered."
)
LIVE = "The OpenAI client asks {model} each request twice: bare, and wrapped by zkit."


EPILOG = """\b
Examples:
  zkit demo
  zkit demo --base-url http://localhost:11434/v1 --model qwen2.5:1.5b
  zkit demo --repair"""


@click.command(epilog=EPILOG)
@click.option(
    "--base-url",
    metavar="URL",
    envvar="ZKIT_BASE_URL",
    help="Ask a live server, such as http://localhost:11434/v1. [env: ZKIT_BASE_URL]",
)
@click.option(
    "--model",
    "-m",
    metavar="NAME",
    envvar="ZKIT_MODEL",
    help="The model to ask; without it, the first that the server lists. [env: ZKIT_MODEL]",
)
@API_KEY
@click.option("--repair", is_flag=True, help="Show what is done to broken JSON, step by step.")
@click.pass_context
def command(
    ctx: click.Context, base_url: str | None, model: str | None, api_key: str | None, repair: bool
) -> None:
    """Ask a small model with and without zkit, and see the difference.

    Needs neither model nor network: recorded replies are played. With --base-url the same requests
    go to a server of yours.
    """
    screen = Screen(highlight=False, markup=False)
    if repair:
        demo_repair.show(screen)
        return
    if ctx.get_parameter_source("model") is ParameterSource.COMMANDLINE and not base_url:
        raise click.UsageError("--model is for a live server; say which with --base-url")
    if base_url:
        check_server(base_url, api_key)
    try:
        with live(base_url, model, api_key) if base_url else recorded() as asking:
            found = list(shown(screen, asking))
    except MissingExtraError as error:
        raise BadUsageError(str(error)) from error
    except Exception as error:
        if not base_url:
            raise
        raise click.ClickException(f"{base_url} did not answer: {error}") from error
    screen.print()
    screen.print(summary(found, is_recorded=not base_url))
    screen.print()
    screen.print(next_steps(), soft_wrap=not screen.is_terminal)


def shown(screen: Screen, asking: Asking) -> Iterator[Asked]:
    """Ask request after request, and show each at once."""
    screen.print("What the bare client does, and what zkit makes of it", style="bold")
    screen.print(
        RECORDED if asking.server else LIVE.format(model=asking.model),
        soft_wrap=not screen.is_terminal,
    )
    for number, wanted in enumerate(requests(), 1):
        with screen.status(f"asking: {wanted.reply.prompt}"):
            asked = ask(asking, wanted)
        show(screen, number, asked, is_recorded=asking.server is not None)
        yield asked


USUAL_MODEL = "qwen2.5-coder-0.5b-q4_k_m"
MOST_TOKENS = 160


class Wanted(NamedTuple):
    """One request of the demo: what it shows, what is asked, and the recorded reply.

    `calls` are those that the model wrote; any other call would be wrong.
    """

    shows: str
    reply: Recorded
    calls: tuple[JsonObject, ...]


class Reply(NamedTuple):
    """A reply as the bare client gives it."""

    text: str
    finish_reason: str
    calls: tuple[tuple[str, str], ...]
    problem: str


class Asked(NamedTuple):
    """One request with both replies; `is_wrong` if zkit returned a call that the model did not write."""

    wanted: Wanted
    bare: Reply
    report: Report
    is_wrong: bool = False


class Asking(NamedTuple):
    """The model to ask: a client, its name, and the recorded replies if there is no server."""

    client: Any
    model: str
    server: ScriptedServer | None


def requests() -> list[Wanted]:
    """Return the requests of the demo, each with the reply that was recorded."""
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
        answer = says(wanted.reply.raw, finish=wanted.reply.finish_reason)
        asking.server.play(answer, answer)
    tools = recordings().tools
    bare = _created(asking.client, asking.model, wanted, tools)
    wrapped = wrap(asking.client)
    report: Report = _created(wrapped, asking.model, wanted, tools).zkit
    is_wrong = asking.server is not None and not _is_written(report.calls, wanted)
    return Asked(wanted, _reply(bare, tools), report, is_wrong)


def _created(client: Any, model: str, wanted: Wanted, tools: list[JsonObject]) -> Any:
    messages = [{"role": "user", "content": wanted.reply.prompt}]
    return client.chat.completions.create(
        model=model, messages=messages, tools=tools, temperature=0, max_tokens=MOST_TOKENS
    )


def _is_written(calls: tuple[Call, ...], wanted: Wanted) -> bool:
    """True if every call is one that the model wrote."""
    return all({"name": one.name, "arguments": one.arguments} in wanted.calls for one in calls)


def _reply(completion: Any, tools: list[JsonObject]) -> Reply:
    choice = completion.choices[0]
    calls = tuple(
        (str(one.function.name), str(one.function.arguments))
        for one in choice.message.tool_calls or ()
    )
    problem = next(filter(None, (_problem(name, text, tools) for name, text in calls)), "")
    return Reply(choice.message.content or "", str(choice.finish_reason), calls, problem)


def _problem(name: str, text: str, tools: list[JsonObject]) -> str:
    """Why a call cannot be used as it is; empty when it can."""
    offer = offered(tools).get(name)
    if offer is None:
        return f"there is no tool {name}"
    try:
        arguments = json.loads(text)
    except ValueError as error:
        return f"json.loads raises: {error}"
    if not isinstance(arguments, Mapping):
        return "the arguments are not an object"
    return _misfit(offer, arguments)


def _misfit(offer: Any, arguments: JsonMapping) -> str:
    import jsonschema

    try:
        jsonschema.validate(arguments, offer.parameters)
    except jsonschema.ValidationError as error:
        return f"does not fit the schema: {error.message}"
    return ""
