"""A tool's name and arguments in; what the tool answers, through the same chain as any call, out."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from typing import Any

import anyio
import click

from zkit.calls import Call
from zkit.cli.streams import BadUsageError, read_input, styled, tell_lines, write_json, write_line
from zkit.cli.terminal import printable
from zkit.cli.toolboxes import FROM, MACHINE, toolbox_of
from zkit.dispatch import Dispatcher, Outcome
from zkit.results import Success
from zkit.tools import render_result, thaw

EPILOG = """\b
Example:
  zkit tools call get_weather city=Oslo days:=2 --from weather

Exit code: 0 the tool answered, 1 it was refused or failed, 2 bad usage."""


@click.command("call", epilog=EPILOG)
@click.argument("name")
@click.argument("arguments", nargs=-1)
@FROM
@click.option("--yes", "-y", is_flag=True, help="Approve a call that can destroy something.")
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, min_open=True),
    metavar="SECONDS",
    help="How long the tool may take.",
)
@MACHINE
@click.option("--quiet", "-q", is_flag=True, help="No receipt on standard error.")
def call_tool(
    name: str,
    arguments: tuple[str, ...],
    places: tuple[str, ...],
    yes: bool,
    timeout: float | None,
    machine: bool,
    quiet: bool,
) -> None:
    """Call the tool NAME, as a model would; a standard tool unless --from says otherwise.

    ARGUMENTS are one JSON object, or `-` for one on standard input, or pairs: `path=a.txt` for a
    text, `lines:=10` for JSON; a key that is repeated is a list. They are repaired like any others.
    The answer goes to standard output, the receipt of repairs to standard error.
    """
    limit: Any = {} if timeout is None else {"timeout": timeout}
    approve = (lambda call: True) if yes else _asked if sys.stdin.isatty() else None
    dispatcher = Dispatcher(toolbox_of(places, "std"), approve=approve, **limit)
    outcome = anyio.run(dispatcher.outcome, Call(name, sent_arguments(arguments), id="cli"))
    if machine:
        write_json(as_object(outcome))
    elif isinstance(outcome.result, Success):
        write_line(render_result(outcome.result))
    if not machine:
        _tell(outcome, quiet)
    raise click.exceptions.Exit(0 if isinstance(outcome.result, Success) else 1)


def sent_arguments(given: Sequence[str]) -> Any:
    """Return the arguments as a model would have sent them: a text, or an object of the pairs."""
    if not given:
        return {}
    if len(given) == 1 and (given[0] == "-" or "=" not in given[0].split("{", 1)[0]):
        return read_input("-") if given[0] == "-" else given[0]
    values: dict[str, list[Any]] = {}
    for pair in given:
        key, value = _pair(pair)
        values.setdefault(key, []).append(value)
    return {key: found[0] if len(found) == 1 else found for key, found in values.items()}


def _pair(pair: str) -> tuple[str, Any]:
    key, mark, value = pair.partition("=")
    if not mark or not key.strip(" :"):
        raise BadUsageError(f"{pair!r} is no pair: write key=text, or key:=JSON, or one object")
    if not key.endswith(":"):
        return key, value
    try:
        return key[:-1], json.loads(value)
    except ValueError as error:
        raise BadUsageError(f"{pair!r}: what follows := must be JSON: {error}") from error


def _asked(call: Call) -> bool:
    """Ask whoever sits at the terminal."""
    shown = json.dumps(call.arguments, ensure_ascii=False)
    return click.confirm(printable(f"Run {call.name} with {shown}?"), err=True, default=False)


def as_object(outcome: Outcome) -> str:
    """Return the call as it was read and its result as one JSON object on one line."""
    call = outcome.call
    fixes = [{**fix._asdict(), "rank": fix.rank.name} for fix in call.fixes]
    arguments = thaw(call.arguments) if isinstance(call.arguments, dict) else call.arguments
    found = {
        "call": {"name": call.name, "arguments": arguments, "fixes": fixes},
        "result": outcome.result.to_dict(),
    }
    return json.dumps(found, ensure_ascii=False, default=str)


def _tell(outcome: Outcome, quiet: bool) -> None:
    """Print what was repaired, and why nothing came of it, on standard error."""
    lines = (
        []
        if quiet
        else [styled(f"{fix.path or outcome.call.name}: {fix.note}") for fix in outcome.call.fixes]
    )
    if not isinstance(outcome.result, Success):
        code = getattr(outcome.result, "code", "")
        label = styled(f"{outcome.result.kind} ({code})", "red", bold=True)
        lines.append(f"{label}: {styled(render_result(outcome.result))}")
        if code == "approval" and not sys.stdin.isatty():
            lines.append("zkit: --yes approves a call that can destroy something")
    if lines:
        tell_lines(lines)
