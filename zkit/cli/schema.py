"""`zkit schema` and `zkit lint-schema`: the JSON Schema of a function, and what a backend rejects."""

from __future__ import annotations

import importlib
import json
import sys
from dataclasses import asdict
from functools import reduce
from pathlib import Path
from typing import Any

import click

from zkit.cli.streams import (
    BadUsageError,
    name_of,
    read_input,
    styled,
    tell,
    write_json,
    write_styled,
)
from zkit.errors import ZkitError
from zkit.json_types import JsonObject
from zkit.schema import (
    DIALECTS,
    DialectName,
    SchemaProblem,
    lint_schema,
    lint_tool,
    offered,
    schema_for,
)

DIALECT = click.option(
    "--dialect",
    metavar="NAME",
    default="openai",
    help=f"One of {', '.join(DIALECTS)} (default openai).",
)
EPILOG = """\b
Example:
  zkit schema weather:get_weather --dialect portable

Exit code: 0 done, 1 the dialect cannot express it, 2 bad usage."""


@click.command(epilog=EPILOG)
@click.argument("place", metavar="PLACE:NAME")
@DIALECT
@click.option("--json", "machine", is_flag=True, help="On one line.")
@click.pass_context
def command(ctx: click.Context, place: str, dialect: DialectName, machine: bool) -> None:
    """Print the JSON Schema of what a model must send for PLACE:NAME.

    PLACE is a module or a Python file. NAME is a pydantic model, a TypedDict, a dataclass, an
    annotated function or a tool; it may be dotted. Modules are looked up in the current folder too.
    """
    known_dialect(dialect)
    subject = found(place)
    try:
        schema = schema_for(subject, dialect)
    except ZkitError as error:
        tell(f"{place}: {error}")
        ctx.exit(1)
    write_json(json.dumps(schema, ensure_ascii=False, indent=None if machine else 2))


def known_dialect(name: str) -> None:
    """Refuse a dialect that does not exist."""
    if name not in DIALECTS:
        known = ", ".join(DIALECTS)
        raise BadUsageError(f"--dialect: no dialect is called {name!r}; one of {known}")


def module_name(place: str) -> str:
    """Return the name of a module that was given by it, or as a file below the current folder."""
    path = Path(place)
    if path.suffix != ".py" or not path.is_file() or path.is_absolute():
        return place
    return ".".join(path.with_suffix("").parts)


def found(place: str) -> Any:
    """Import the object that `module:name` or `file.py:name` names."""
    module, colon, name = place.rpartition(":")
    if not (module and colon and name):
        raise BadUsageError(f"{place}: write it as module:name, for example mytools.web:search")
    module = module_name(module)
    sys.path.insert(0, "")
    try:
        return reduce(getattr, name.split("."), importlib.import_module(module))
    except AttributeError:
        raise BadUsageError(f"{place}: the module {module} has no {name}") from None
    except Exception as error:  # any exception of the user's module
        line = str(error).split("\n", 1)[0]
        raise BadUsageError(f"{place}: {type(error).__name__}: {line}") from error


LINT_EPILOG = """\b
Example:
  zkit lint-schema weather.json --dialect openai-strict

Exit code: 0 clean, 1 findings, 2 bad usage."""
_TOOL_KEYS = ("function", "name", "tools", "functionDeclarations", "function_declarations")


@click.command(epilog=LINT_EPILOG)
@click.argument("file", default="-")
@DIALECT
@click.option("--json", "machine", is_flag=True, help="One JSON object a line, one line a finding.")
@click.pass_context
def lint_command(ctx: click.Context, file: str, dialect: DialectName, machine: bool) -> None:
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


def all_findings(data: Any, dialect: DialectName, path: str) -> list[tuple[str, SchemaProblem]]:
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


def is_tool(data: JsonObject) -> bool:
    """True for a tool or a list of tools; False for a JSON Schema."""
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
