"""The place of a model or function in, its JSON Schema in a backend's dialect out."""

from __future__ import annotations

import importlib
import json
import sys
from functools import reduce
from pathlib import Path
from typing import Any

import click

from zkit.cli.streams import BadUsageError, tell, write_json
from zkit.errors import ZkitError
from zkit.schema import DIALECTS, schema_for

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
def command(ctx: click.Context, place: str, dialect: str, machine: bool) -> None:
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
    """Import what `module:name` or `file.py:name` stands for."""
    module, colon, name = place.rpartition(":")
    if not (module and colon and name):
        raise BadUsageError(f"{place}: write it as module:name, for example mytools.web:search")
    module = module_name(module)
    sys.path.insert(0, "")
    try:
        return reduce(getattr, name.split("."), importlib.import_module(module))
    except AttributeError:
        raise BadUsageError(f"{place}: the module {module} has no {name}") from None
    except Exception as error:  # whatever the user's module raises when it is imported
        line = str(error).split("\n", 1)[0]
        raise BadUsageError(f"{place}: {type(error).__name__}: {line}") from error
