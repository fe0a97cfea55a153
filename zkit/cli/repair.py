"""`zkit repair`: repaired JSON on standard output, and the receipt on standard error."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

import click

from zkit import Fix, Rank, Repaired, Unrepairable, repair_all, repair_json
from zkit.cli.streams import (
    BadUsageError,
    read_input,
    read_schema,
    styled,
    tell_lines,
    write_json,
)
from zkit.json_types import JsonObject

# A line end in strict JSON is never inside a string, so folding it changes no value.
LINE_END = re.compile(r"[\r\n][ \t\r\n]*")

CARETS = re.compile(r"[ |]*\^")

EPILOG = """\b
Examples:
  echo "{'a': 1,}" | zkit repair
  zkit repair answer.txt --schema forecast.json --limit COMPLETE

Exit code: 0 valid or repaired, 1 refused, 2 bad usage."""


class Style(NamedTuple):
    """How the user wants to see the outcome."""

    machine: bool
    indent: int | None
    one_line: bool
    quiet: bool


def rank_of_name(ctx: click.Context, option: click.Parameter, name: str) -> Rank:
    """Return the rank of that name, in any case."""
    try:
        return Rank[name.upper()]
    except KeyError:
        known = ", ".join(rank.name for rank in Rank)
        raise BadUsageError(f"--limit: no rank is called {name!r}; one of {known}") from None


@click.command(epilog=EPILOG)
@click.argument("file", default="-")
@click.option("--json", "machine", is_flag=True, help="One JSON object with value and receipt.")
@click.option("--schema", metavar="FILE", help="JSON Schema that the value should fit.")
@click.option(
    "--limit",
    metavar="RANK",
    callback=rank_of_name,
    default=Rank.CUT.name,
    help="Highest rank allowed (default CUT).",
)
@click.option(
    "--finish-reason", metavar="TEXT", help="The finish reason of the server: stop, length, ..."
)
@click.option("--all", "every", is_flag=True, help="Every value in the text, one per line.")
@click.option("--indent", type=click.IntRange(0, 16), help="Pretty-print with N spaces.")
@click.option("--quiet", "-q", is_flag=True, help="No receipt on standard error.")
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    machine: bool,
    schema: str | None,
    limit: Rank,
    finish_reason: str | None,
    every: bool,
    indent: int | None,
    quiet: bool,
) -> None:
    """Repair the JSON in FILE, or on standard input when FILE is missing or `-`.

    The repaired JSON goes to standard output, the receipt to standard error.
    """
    options = {
        "schema": None if schema is None else read_schema(schema),
        "limit": limit,
        "finish_reason": finish_reason,
    }
    style = Style(machine, indent, one_line=every, quiet=quiet)
    outcomes = read_values(read_input(file), every, options)
    for outcome in outcomes:
        show(outcome, style)
    ctx.exit(int(any(isinstance(outcome, Unrepairable) for outcome in outcomes)))


def read_values(text: str, every: bool, options: JsonObject) -> Sequence[Repaired | Unrepairable]:
    """Return the one outcome, or with `every` each value; a text without any is a refusal."""
    if every and (values := repair_all(text, **options)):
        return values
    return [repair_json(text, **options)]


def show(outcome: Repaired | Unrepairable, style: Style) -> None:
    """Print one outcome: the value, or the machine's object, and the receipt."""
    if style.machine:
        write_json(as_object(outcome))
    elif isinstance(outcome, Repaired):
        write_json(as_text(outcome, style))
    if not style.quiet and not style.machine:
        show_receipt(outcome)


def as_text(outcome: Repaired, style: Style) -> str:
    """Return the value as strict JSON, the way the user wants it laid out."""
    if style.indent is not None:
        return pretty(outcome, style.indent)
    # A text that ends its last line keeps that line end and gets no second one.
    return folded(outcome) if style.one_line else outcome.json.removesuffix("\n")


def folded(outcome: Repaired) -> str:
    """Return the value as repaired, on one line."""
    return LINE_END.sub(" ", outcome.json.strip())


def pretty(outcome: Repaired, indent: int) -> str:
    """Return the value with a new layout, or as repaired when Python cannot write its numbers."""
    try:
        return json.dumps(outcome.value, indent=indent, ensure_ascii=False, allow_nan=False)
    except ValueError:  # 1e999 is infinite as a float; an int may have too many digits to print
        return outcome.json


def as_object(outcome: Repaired | Unrepairable) -> str:
    """Return the outcome as one JSON object on one line."""
    if isinstance(outcome, Unrepairable):
        return json.dumps({"outcome": "refused", **outcome._asdict()}, ensure_ascii=False)
    receipt = {
        "rank": outcome.rank.name,
        "lossy": outcome.lossy,
        "fixes": [as_entry(fix) for fix in outcome.fixes],
    }
    # The value goes in as it was repaired: a float would not keep every digit of its number.
    rest = json.dumps(receipt, ensure_ascii=False).removeprefix("{")
    return f'{{"outcome": "repaired", "value": {folded(outcome)}, {rest}'


def as_entry(fix: Fix) -> JsonObject:
    """Return one fix with its rank by name."""
    return {**fix._asdict(), "rank": fix.rank.name}


def show_receipt(outcome: Repaired | Unrepairable) -> None:
    """Print what was done, or why nothing was, on standard error; in colour on a terminal."""
    if isinstance(outcome, Unrepairable):
        label = styled(f"refused ({outcome.reason})", "red", bold=True)
        lines = [f"{label}: {styled(outcome.message)}"]
    else:
        lines = [colour(line) for line in outcome.explain().splitlines()]
    tell_lines(lines)


def colour(line: str) -> str:
    """Mark the line that points at a place."""
    return styled(line, "green", bold=True) if CARETS.match(line) else styled(line)
