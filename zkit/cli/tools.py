"""Places of tools in; a list of them, or one of them in any projection, out."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import click

from zkit.cli.commands import CONTEXT
from zkit.cli.streams import tell, write_json, write_line
from zkit.cli.toolboxes import FROM, MACHINE, toolbox_of
from zkit.cli.tools_call import call_tool
from zkit.cli.tools_history import tool_history
from zkit.tools import ToolSpec

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


def _entry(spec: ToolSpec) -> dict[str, Any]:
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
