"""`zkit tools`: list tools, show one in any projection, call one, and show its versions."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from typing import Any

import anyio
import click

from zkit.calls import Call
from zkit.cli.commands import CONTEXT
from zkit.cli.mcp import CATALOG, catalog_at
from zkit.cli.shared_options import FROM, MACHINE, toolbox_of
from zkit.cli.streams import (
    BadUsageError,
    printable,
    read_input,
    styled,
    tell,
    tell_lines,
    write_json,
    write_line,
)
from zkit.dispatch import Dispatcher, Outcome
from zkit.dynamic import ToolCode
from zkit.errors import ZkitError
from zkit.json_types import JsonObject
from zkit.results import Success
from zkit.tools import ToolSpec, render_result, thaw

CALL_EPILOG = """\b
Example:
  zkit tools call get_weather city=Oslo days:=2 --from weather

Exit code: 0 the tool answered, 1 it was refused or failed, 2 bad usage."""


@click.command("call", epilog=CALL_EPILOG)
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
        raise BadUsageError(f"{pair!r} is not a pair: write key=text, or key:=JSON, or one object")
    if not key.endswith(":"):
        return key, value
    try:
        return key[:-1], json.loads(value)
    except ValueError as error:
        raise BadUsageError(f"{pair!r}: what follows := must be JSON: {error}") from error


def _asked(call: Call) -> bool:
    """Ask the user at the terminal."""
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
    """Print what was repaired, or why the call failed, on standard error."""
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


HISTORY_EPILOG = """\b
Example:
  zkit tools history make_report --catalog .zkit/catalog.db

Exit code: 0 done, 1 there is no such tool, 2 bad usage."""


@click.command("history", epilog=HISTORY_EPILOG)
@click.argument("name")
@click.option("--restore", metavar="VERSION", type=int, help="Make this version the current one.")
@click.option("--code", is_flag=True, help="With the code of each version.")
@CATALOG
@MACHINE
def tool_history(
    name: str, restore: int | None, code: bool, path: str | None, machine: bool
) -> None:
    """List the versions of the tool NAME that was made at run time."""
    catalog = catalog_at(path)
    if restore is not None:
        try:
            tell(f"{name} is version {catalog.restore(name, restore)} now")
        except ZkitError as error:
            raise BadUsageError(str(error)) from error
    found = catalog.history(name)
    if not found:
        tell(f"the catalog holds no tool {name!r}")
        raise click.exceptions.Exit(1)
    if machine:
        write_json(json.dumps([one._asdict() for one in found], indent=2))
        return
    for one in found:
        mark = "*" if one.current else " "
        write_line(f"{mark} {one.version:>3}  {one.created}  {one.note}")
        if code:
            source = ToolCode.of(one.definition).source
            write_line("\n".join(f"    {line}" for line in source.split("\n")))


EPILOG = """\b
Examples:
  zkit tools list --from weather
  zkit tools show get_weather --from weather --as signature

Exit code: 0 done, 1 there is no such tool, 2 bad usage."""
PROJECTIONS: dict[str, Callable[[ToolSpec], Any]] = {
    "text": lambda spec: spec.text(),
    "signature": lambda spec: spec.signature(),
    "summary": lambda spec: spec.summary_entry(),
    "full": lambda spec: spec.full(),
    "openai": lambda spec: spec.openai(),
    "strict": lambda spec: spec.openai(strict=True),
    "mcp": lambda spec: spec.mcp(),
}


@click.group(context_settings=CONTEXT, epilog=EPILOG)
def command() -> None:
    """List tools, show one, or call one."""


@command.command("list", epilog=EPILOG)
@FROM
@click.option("--std", "standard", is_flag=True, help="The standard tools, as --from std.")
@click.option("--tag", "tags", metavar="TAG", multiple=True, help="Only tools with every TAG.")
@click.option("--search", metavar="WORDS", help="Only tools that these words mean, best first.")
@MACHINE
def list_tools(
    places: tuple[str, ...],
    standard: bool,
    tags: tuple[str, ...],
    search: str | None,
    machine: bool,
) -> None:
    """List the tools with their grades."""
    box = toolbox_of((*places, "std") if standard else places)
    specs = [spec for spec in box.specs() if set(tags) <= set(spec.tags)]
    if search is not None:
        specs = box.search(search, tags, limit=len(box))
    if not specs and len(box):
        tell(f"none of the {len(box)} tools fits; without --tag and --search all are listed")
    if machine:
        write_json(json.dumps([_entry(spec) for spec in specs], ensure_ascii=False, indent=2))
    elif specs:
        width = max(len(spec.name) for spec in specs)
        for spec in specs:
            write_line(f"{spec.name:<{width}}  {spec.effective_grade}  {spec.summary}".rstrip())


def _entry(spec: ToolSpec) -> JsonObject:
    return {
        **spec.summary_entry(),
        "grade": {"w": spec.effective_grade.w, "d": spec.effective_grade.d},
        "provider": spec.provider,
    }


@command.command("show", epilog=EPILOG)
@click.argument("name")
@FROM
@click.option(
    "--as",
    "projection",
    type=click.Choice(list(PROJECTIONS)),
    default="text",
    help="How it is shown (default text).",
)
def show_tool(name: str, places: tuple[str, ...], projection: str) -> None:
    """Show the tool NAME: what it takes, and what it is for."""
    box = toolbox_of(places, "std")
    tool = box.get(name)
    if tool is None:
        near = " or ".join(box.catalog().nearest(name))
        hint = f"; did you mean {near}?" if near else "."
        tell(f"there is no tool {name!r}{hint} zkit tools list shows all, --from looks elsewhere")
        raise click.exceptions.Exit(1)
    shown = PROJECTIONS[projection](tool.definition())
    if isinstance(shown, str):
        write_line(shown)
    else:
        write_json(json.dumps(shown, ensure_ascii=False, indent=2))


command.add_command(call_tool)
command.add_command(tool_history)
