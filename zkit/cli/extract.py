"""`zkit extract`: find the tool calls in a reply, and show what is left of the text."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import asdict
from typing import Any

import click

from zkit.calls import Call
from zkit.cli.streams import (
    BadUsageError,
    printable,
    read_input,
    read_text,
    styled,
    write_json,
    write_line,
    write_styled,
)
from zkit.errors import ZkitError
from zkit.extract import Extraction, find_calls
from zkit.extract.events import Doubtful
from zkit.grade import Grade
from zkit.json_types import JsonObject
from zkit.receipt import Fix
from zkit.tools.policy import text_call_action

EPILOG = """\b
Examples:
  zkit extract reply.txt --tools tools.json
  zkit extract reply.txt --tools tools.json --format hermes_json --json

Exit code: 0 everything was read, 1 something was refused, cut or unknown, 2 bad usage."""
GRADES = ("pure", "read", "execute", "write")
COLOURS = {"call": "green", "reasoning": "bright_black", "frame": "bright_black", "token": "bright_black", "ended": "red"}  # fmt: skip


@click.command(epilog=EPILOG)
@click.argument("file", default="-")
@click.option("--tools", metavar="FILE", required=True, help="JSON with the tools on offer.")
@click.option("--json", "machine", is_flag=True, help="One JSON object with everything found.")
@click.option(
    "--format", "formats", metavar="NAME", multiple=True, help="Only this format; may be repeated."
)
@click.option(
    "--finish-reason", metavar="TEXT", help="The finish reason of the server: stop, length, ..."
)
@click.pass_context
def command(
    ctx: click.Context,
    file: str,
    tools: str,
    machine: bool,
    formats: tuple[str, ...],
    finish_reason: str | None,
) -> None:
    """Find the tool calls in FILE, or on standard input when FILE is missing or `-`.

    TOOLS is a JSON list of tool definitions, as they are sent to a model.
    """
    text = read_input(file)
    try:
        found = find_calls(
            text, read_tools(tools), formats=formats or None, finish_reason=finish_reason
        )
    except (ZkitError, ValueError) as error:
        raise BadUsageError(str(error)) from error
    if machine:
        write_json(as_object(found))
    else:
        show(text, found)
    ctx.exit(int(needs_attention(found)))


def read_tools(path: str) -> Any:
    """Return the tools in the file."""
    try:
        tools = json.loads(read_text(path).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadUsageError(f"{path}: not JSON: {error}") from error
    if not isinstance(tools, list | dict):
        raise BadUsageError(f"{path}: must hold a list of tools")
    return tools


def needs_attention(found: Extraction) -> bool:
    """True if the model should get a message: on a doubtful, refused, cut or unknown call."""
    listed = found.doubtful or found.unknown or found.incomplete
    return bool(listed or any(r.message for r in found.refused))


def as_object(found: Extraction) -> str:
    """Return everything that was found as one JSON object on one line."""
    plain = {
        "calls": [as_entry(call) for call in found.calls],
        "doubtful": [
            {"call": as_entry(one.call), "reason": one.reason, "message": one.message}
            for one in found.doubtful
        ],
        "content": found.content,
        "reasoning": found.reasoning,
        "unknown": [asdict(one) for one in found.unknown],
        "incomplete": [asdict(one) for one in found.incomplete],
        "refused": [asdict(one) for one in found.refused],
        "spans": [asdict(span) for span in found.spans],
        "ended_at": found.ended_at,
    }
    return json.dumps(plain, ensure_ascii=False, default=str)


def as_entry(call: Call) -> JsonObject:
    """Return one call with its rank by name."""
    fixes = [_fix(fix) for fix in call.fixes]
    return {**asdict(call), "rank": call.rank.name, "fixes": fixes}


def _fix(fix: Fix) -> JsonObject:
    entry = dict(zip(Fix._fields, fix, strict=False))
    return {**entry, "rank": fix.rank.name}


def show(text: str, found: Extraction) -> None:
    """Print what was found for people.

    On a terminal that is the text with its calls and its reasoning in colour, then the lists; in a
    pipe the text without them is one of the lists.
    """
    in_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    if in_colour:
        write_styled(marked(text, found) + "\n")
    for heading, lines in sections(found):
        if lines and not (in_colour and heading in ("text", "reasoning")):
            write_line("\n".join([heading, *(f"  {line}" for line in lines)]))


def marked(text: str, found: Extraction) -> str:
    """Return the reply with everything that is not content in colour."""
    pieces, at = [], 0
    for span in sorted(found.spans, key=lambda span: span.start):
        pieces.append(printable(text[at : span.start]))
        colour = COLOURS.get(span.kind, "yellow")
        pieces.append(styled(text[span.start : span.end], colour))
        at = span.end
    return "".join([*pieces, printable(text[at:])])


def sections(found: Extraction) -> list[tuple[str, list[str]]]:
    """Return the parts of the report, each with its lines."""
    ended = [] if found.ended_at is None else [f"from character {found.ended_at} on"]
    return [
        ("calls", [_call(call) for call in found.calls]),
        ("doubtful", [line for one in found.doubtful for line in _doubtful(one)]),
        ("text", found.content.strip().splitlines()),
        ("reasoning", found.reasoning.strip().splitlines()),
        ("unknown tools", [f"{one.name} {_json(one.arguments)} [{one.origin}]" for one in found.unknown]),
        ("cut off", [f"{one.name or '?'} after {len(one.text)} characters [{one.origin}]" for one in found.incomplete]),
        ("refused", [line for one in found.refused if one.message for line in _refusal(one.reason, one.message, one.name)]),
        ("after the end of the reply, not acted on", ended),
    ]  # fmt: skip


def _call(call: Call) -> str:
    place = f"{call.span[0]} to {call.span[1]}" if call.span else "nowhere"
    return f"{call.name} {_json(call.arguments)} [{call.origin}, {call.tier}, {call.rank.name}, {place}]"


def _doubtful(one: Doubtful) -> list[str]:
    """Return a doubtful call, why it is doubtful, and for which tools it would be run."""
    call = one.call
    grades = [n for n in GRADES if text_call_action(Grade.of(n), call.tier, call.position) == "run"]
    runs = f"runs if the grade of {call.name} is {' or '.join(grades)}; " if grades else ""
    hint = f"{runs}otherwise the model is asked to confirm it"
    return [_call(call), *(f"  {line}" for line in [*_refusal(one.reason, one.message), hint])]


def _refusal(reason: str, message: str, name: str = "") -> list[str]:
    first, *rest = message.splitlines()
    head = f"{name} ({reason})" if name else reason
    return [f"{head}: {first}", *(f"  {line}" for line in rest)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
