"""`zkit decode`: read raw arguments as a schema wants them, with a receipt."""

from __future__ import annotations

import json

import click
from pydantic_core import to_jsonable_python

from zkit import Decoded, Rank, Validation, decode
from zkit.cli.repair import as_entry, rank_of_name
from zkit.cli.streams import (
    BadUsageError,
    counted,
    read_input,
    read_schema,
    styled,
    tell_lines,
    write_json,
)
from zkit.errors import SchemaError

EPILOG = """\b
Example:
  echo "{'City': 'Oslo'}" | zkit decode --schema forecast.json

Exit code: 0 valid or decoded, 1 refused, 2 bad usage."""


@click.command(epilog=EPILOG)
@click.argument("file", default="-")
@click.option(
    "--schema", metavar="FILE", required=True, help="JSON Schema, or a tool that has one."
)
@click.option("--json", "machine", is_flag=True, help="One JSON object with value and receipt.")
@click.option(
    "--limit",
    metavar="RANK",
    callback=rank_of_name,
    default=Rank.GUESS.name,
    help="Highest rank allowed (default GUESS).",
)
@click.option(
    "--finish-reason", metavar="TEXT", help="The finish reason of the server: stop, length, ..."
)
@click.option("--quiet", "-q", is_flag=True, help="No receipt on standard error.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    schema: str,
    machine: bool,
    limit: Rank,
    finish_reason: str | None,
    quiet: bool,
) -> None:
    """Decode the arguments in FILE, or on standard input when FILE is missing or `-`.

    The arguments go to standard output as JSON that fits the schema, the receipt to standard error.
    """
    target = read_schema(schema)
    try:
        outcome = decode(target, read_input(file), limit=limit, finish_reason=finish_reason)
    except SchemaError as error:
        raise BadUsageError(f"{schema}: {error}") from error
    if machine:
        write_json(as_object(outcome))
    elif isinstance(outcome, Decoded):
        write_json(as_text(outcome))
    if not machine and not quiet:
        show_receipt(outcome)
    ctx.exit(int(isinstance(outcome, Validation)))


def as_text(outcome: Decoded) -> str:
    """Return the arguments as JSON on one line."""
    return json.dumps(to_jsonable_python(outcome.value), ensure_ascii=False)


def as_object(outcome: Decoded | Validation) -> str:
    """Return the outcome as one JSON object on one line."""
    if isinstance(outcome, Validation):
        return json.dumps({"outcome": "refused", **outcome.to_dict()}, ensure_ascii=False)
    found = {
        "outcome": "decoded",
        "value": to_jsonable_python(outcome.value),
        "rank": outcome.rank.name,
        "fixes": [as_entry(fix) for fix in outcome.fixes],
    }
    return json.dumps(found, ensure_ascii=False)


def show_receipt(outcome: Decoded | Validation) -> None:
    """Print what was done, or why nothing was, on standard error; in colour on a terminal."""
    if isinstance(outcome, Validation):
        label = styled(f"refused ({outcome.code})", "red", bold=True)
        lines = [f"{label}: {styled(outcome.message)}"]
    elif outcome.fixes:
        head = f"decoded with {counted(len(outcome.fixes), 'change')}, rank {outcome.rank.name}"
        entries = [
            styled(f"{f.path or 'the text'}: {f.note} [{f.name}, {f.rank.name}]")
            for f in outcome.fixes
        ]
        lines = [head, *entries]
    else:
        lines = ["valid arguments: nothing was changed"]
    tell_lines(lines)
