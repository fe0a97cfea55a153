"""A file with a schema or tools in, what a backend would choke on out."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import click

from zkit.cli.schema import DIALECT, known_dialect
from zkit.cli.streams import (
    BadUsageError,
    name_of,
    read_input,
    styled,
    write_json,
    write_styled,
)
from zkit.errors import ZkitError
from zkit.schema import SchemaProblem, lint_schema, lint_tool, offered

EPILOG = """\b
Example:
  zkit lint-schema weather.json --dialect openai-strict

Exit code: 0 clean, 1 findings, 2 bad usage."""
_TOOL_KEYS = ("function", "name", "tools", "functionDeclarations", "function_declarations")


@click.command(epilog=EPILOG)
@click.argument("file", default="-")
@DIALECT
@click.option("--json", "machine", is_flag=True, help="One JSON object a line, one line a finding.")
@click.pass_context
def command(ctx: click.Context, file: str, dialect: str, machine: bool) -> None:
    """List what a backend would refuse, ignore or misread in FILE, or on standard input.

    FILE holds a JSON Schema, one tool, or a list of tools as a request to a server carries it.
    """
    known_dialect(dialect)
    findings = all_findings(read_json(file), dialect, file)
    for tool, finding in findings:
        show(tool, finding, machine)
    ctx.exit(int(bool(findings)))


def read_json(path: str) -> Any:
    """Return the JSON in the file, or on standard input."""
    try:
        return json.loads(read_input(path).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadUsageError(f"{name_of(path)}: not JSON: {error}") from error


def all_findings(data: Any, dialect: str, path: str) -> list[tuple[str, SchemaProblem]]:
    """Return every finding, with the name of its tool where there is one."""
    if isinstance(data, dict) and not is_tool(data):
        return [("", finding) for finding in lint_schema(data, dialect)]
    if not isinstance(data, (dict, list)):
        raise BadUsageError(f"{name_of(path)}: neither a JSON Schema nor a list of tools")
    try:
        offers = offered(data)
    except ZkitError as error:
        raise BadUsageError(f"{name_of(path)}: {error}") from error
    return [(o.name, finding) for o in offers.values() for finding in lint_tool(o, dialect)]


def is_tool(data: dict[str, Any]) -> bool:
    """Tell a tool, or a listing of tools, from a JSON Schema."""
    return any(isinstance(data.get(key), (str, dict, list)) for key in _TOOL_KEYS)


def show(tool: str, finding: SchemaProblem, machine: bool) -> None:
    """Print one finding for programs or for people."""
    if machine:
        write_json(as_object(tool, finding))
    else:
        write_styled(as_line(tool, finding))


def as_object(tool: str, finding: SchemaProblem) -> str:
    """Return one finding as one JSON object."""
    return json.dumps({"tool": tool or None, **asdict(finding)}, ensure_ascii=False)


def as_line(tool: str, finding: SchemaProblem) -> str:
    """Return one finding as a line for people; in colour on a terminal."""
    place = ": ".join(part for part in (tool, finding.path or "the root") if part)
    return f"{styled(place, bold=True)}: {styled(f'{finding.problem}; {finding.advice}')}"
