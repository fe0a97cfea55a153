"""`zkit corpus add`: make a case from a recorded failure, without secrets, confirmed by the user."""

from __future__ import annotations

import json
import re
import sys
from dataclasses import replace
from pathlib import Path

import click

from zkit import masking
from zkit.cases.case import Case, CaseFileError, EntryError
from zkit.cases.case_files import mismatch
from zkit.cases.draft import Draft, Expects, ShapeLostError, as_case, proposed, redacted, sentence
from zkit.cases.writing import NotAddedError, add_case, case_lines, twin_of
from zkit.cli.extract import read_tools
from zkit.cli.repair import rank_of_name
from zkit.cli.streams import (
    BadUsageError,
    counted,
    name_of,
    printable,
    read_input,
    read_schema,
    styled,
    tell,
    tell_lines,
    write_json,
    write_line,
)
from zkit.json_types import JsonObject
from zkit.receipt import Rank
from zkit.transcripts import TranscriptError, read_transcript

EPILOG = """\b
Examples:
  zkit corpus add reply.txt --it 'read a Python dict'
  zkit corpus add talk.jsonl --yes

Exit code: 0 added, 1 not added (a duplicate, declined, or it would not hold), 2 bad usage."""
QUESTION = "Is that right? y(es), n(o, leave it), or what must come: JSON, untouched, refused"


@click.command("add", epilog=EPILOG)
@click.argument("file", default="-")
@click.option(
    "--to",
    default="cases",
    metavar="PATH",
    help="A case file, or a folder for one of each kind (default cases).",
)
@click.option(
    "--kind",
    type=click.Choice(["repair", "decode", "extract"]),
    help="What is tried: by default extract with --tools, decode with --schema, else repair.",
)
@click.option(
    "--schema", metavar="FILE", help="JSON Schema of the arguments, or a tool that has one."
)
@click.option("--tools", metavar="FILE", help="JSON with the tools that were on offer.")
@click.option(
    "--finish-reason", metavar="TEXT", help="The finish reason of the server: stop, length, ..."
)
@click.option(
    "--limit",
    metavar="RANK",
    callback=lambda ctx, option, name: name and rank_of_name(ctx, option, name),
    help="Highest rank allowed.",
)
@click.option("--pick", type=click.IntRange(1), metavar="N", help="Which failure of a transcript.")
@click.option("--it", metavar="SENTENCE", help='Finishes the sentence "it should ...".')
@click.option("--source", metavar="TEXT", help="Where it comes from: the model, an issue.")
@click.option(
    "--expect", metavar="WHAT", help="What must come of it: JSON, untouched, or refused[:REASON]."
)
@click.option("--yes", "-y", is_flag=True, help="Today's outcome is right; ask nothing.")
@click.option("--no-redact", is_flag=True, help="Keep secrets and long texts.")
@click.option("--json", "machine", is_flag=True, help="The added case as one JSON object.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    file: str,
    to: str,
    kind: str | None,
    schema: str | None,
    tools: str | None,
    finish_reason: str | None,
    limit: Rank | None,
    pick: int | None,
    it: str | None,
    source: str | None,
    expect: str | None,
    yes: bool,
    no_redact: bool,
    machine: bool,
) -> None:
    """Turn a failure into a case of the corpus.

    FILE is what a model wrote, or a transcript of `zkit chat --record`; without FILE it is read from
    standard input. Secrets and long texts are taken out, with the damage left in. What zkit makes of
    the text today is proposed as what must come of it: confirm it, or say what is right. A case that
    zkit does not do right yet goes into the folder beyond/, where an improvement is noticed.
    """
    text = read_input(file)
    draft = picked(file, pick) if is_transcript(text) else pasted(text, kind, schema, tools, pick)
    draft = with_given(draft, finish_reason, limit, source)
    if not no_redact:
        draft = without_secrets(draft)
    refuse_twin(ctx, draft, to)
    asks = expect is None and not yes
    expects = confirmed(ctx, draft) if asks else expected(draft, expect)
    title = it or chosen_sentence(draft, expects, asks)
    title = title if no_redact else masking.without_secrets(title)
    added = added_case(ctx, target(to, draft, expects), draft, title, expects)
    show(added, machine)


def refuse_twin(ctx: click.Context, draft: Draft, to: str) -> None:
    """End when the same case is there already."""
    folder = Path(to).parent if Path(to).suffix else Path(to)
    twin = twin_of(draft, folder)
    if twin is not None:
        place = f"{folder / twin.file}:{twin.line}"
        tell(f"is there already: {place} it should {twin.it}")
        ctx.exit(1)


def show(added: Case, machine: bool) -> None:
    """Say what was added, and where."""
    if machine:
        listed = {"file": added.file, "line": added.line, "it": added.it, "beyond": added.beyond}
        write_json(json.dumps(listed, ensure_ascii=False))
        return
    held = "a known failure, kept until it holds" if added.beyond else "it holds"
    write_line(f"{added.file}:{added.line}: it should {added.it} ({held})")


# ── what is added ────────────────────────────────────────────────────────────


def is_transcript(text: str) -> bool:
    """True if a text is a transcript of a chat: its first line is the header of one."""
    try:
        first = json.loads(text.split("\n", 1)[0])
    except (ValueError, RecursionError):
        return False
    return isinstance(first, dict) and first.get("kind") == "header" and "version" in first


def pasted(
    text: str, kind: str | None, schema: str | None, tools: str | None, pick: int | None
) -> Draft:
    """Return the draft of a text that a model wrote."""
    if pick is not None:
        raise BadUsageError("--pick is for transcripts of zkit chat --record")
    if kind is None and tools is None and schema is None and holds_a_call(text):
        if not sys.stdin.isatty():
            raise BadUsageError(
                "the text holds a tool call: give --tools FILE, the tools that were on offer,"
                " or --kind repair if it is only JSON"
            )
        kind = "extract"
    kind = kind or ("extract" if tools else "decode" if schema else "repair")
    if kind == "extract" and tools is None and sys.stdin.isatty():
        tools = click.prompt("JSON file with the tools that were on offer", type=str)
    needs = {"extract": (tools, "--tools FILE: the tools that were on offer"),
             "decode": (schema, "--schema FILE: what the arguments must look like")}  # fmt: skip
    given, what = needs.get(kind, ("", ""))
    if given is None:
        raise BadUsageError(f"a case of {kind} needs {what}")
    if kind == "extract":
        listed = read_tools(str(tools))
        return Draft(kind, text, toolset=listed if isinstance(listed, list) else [listed])
    return Draft(kind, text, None if schema is None else read_schema(schema))


_NAME = re.compile(r"(?<![`\w.-])[A-Za-z_][\w.-]{1,63}")
_MOST_NAMES = 200
"""Words of a text that are tried as names of tools; a call has its name near its beginning."""


def holds_a_call(text: str) -> bool:
    """True if a text holds a call in markers, or an object that names a tool and its arguments."""
    from zkit.extract import FORMATS, find_calls

    names = list(dict.fromkeys(_NAME.findall(text)))[:_MOST_NAMES]
    tools = [{"name": name, "parameters": {"type": "object"}} for name in names]
    found = find_calls(text, tools)
    origins = [call.origin for call in (*found.calls, *(one.call for one in found.doubtful))]
    origins += [one.origin for one in found.unknown]
    return any(FORMATS[one].tier == "marker" or one.startswith("json_") for one in origins)


def with_given(
    draft: Draft, finish_reason: str | None, limit: Rank | None, source: str | None
) -> Draft:
    """Return the draft with the user's input."""
    known: JsonObject = {"finish_reason": finish_reason, "source": source}
    if draft.kind != "extract":
        known["limit"] = limit
    return replace(draft, **{key: value for key, value in known.items() if value is not None})


def picked(file: str, pick: int | None) -> Draft:
    """Return the failure of a transcript that is meant."""
    from zkit.cases.draft import drafts_of  # slow to load, and not needed for pasted texts

    if file == "-":
        raise BadUsageError("a transcript is read from a file: zkit corpus add FILE")
    try:
        drafts = drafts_of(read_transcript(file))
    except TranscriptError as error:
        raise BadUsageError(str(error)) from error
    if not drafts:
        raise BadUsageError(f"{name_of(file)}: nothing in it had to be repaired or refused")
    if pick is None and len(drafts) > 1:
        listed = "\n".join(f"  {at}  {summary(one)}" for at, one in enumerate(drafts, 1))
        tell(f"{file} has {len(drafts)} failures:\n{listed}")
        if not sys.stdin.isatty():
            raise BadUsageError("say which with --pick N")
        pick = click.prompt("Which", type=click.IntRange(1, len(drafts)), err=True)
    if pick is not None and pick > len(drafts):
        raise BadUsageError(
            f"{name_of(file)}: --pick {pick}, but there {'is' if len(drafts) == 1 else 'are'} {counted(len(drafts), 'failure')}"
        )
    return drafts[(pick or 1) - 1]


def summary(draft: Draft) -> str:
    """Return one line on a draft: its kind, its outcome, and its beginning."""
    begins = " ".join(draft.text.split())
    shown = begins if len(begins) <= 60 else f"{begins[:59]}…"
    return f"{draft.kind}, {sentence(draft, proposed(draft))}: {shown}"


def without_secrets(draft: Draft) -> Draft:
    """Return the draft without secrets; ends when the damage would not survive."""
    try:
        return redacted(draft)
    except ShapeLostError as error:
        raise BadUsageError(
            f"{error}; write the text with other words in their place, and add that"
        ) from error


# ── the expected outcome ─────────────────────────────────────────────────────


def confirmed(ctx: click.Context, draft: Draft) -> Expects:
    """Show today's outcome and ask whether it is right; exit if the user wants no case."""
    if not sys.stdin.isatty():
        raise BadUsageError(
            "nobody to ask: say --yes if today's outcome is right, or --expect WHAT"
        )
    today = proposed(draft)
    tell_lines(styled(line) for line in case_lines({**draft.given(), **today}))
    while True:
        answer = click.prompt(QUESTION, default="y", err=True).strip()
        if answer.lower() in ("y", "yes"):
            return today
        if answer.lower() in ("n", "no"):
            ctx.exit(1)
        try:
            return expected(draft, answer)
        except BadUsageError as error:
            tell(error.format_message())


def expected(draft: Draft, what: str | None) -> Expects:
    """Return the expected outcome: today's, or `untouched`, `refused`, `refused:REASON`, or JSON."""
    today = proposed(draft)
    if what is None:
        return today
    word, _, reason = what.strip().partition(":")
    if word == "untouched":
        found: Expects = {"untouched": True}
    elif word == "refused":
        found = {"refused": reason.strip() or True}
    else:
        found = {"calls" if draft.kind == "extract" else "json": what}
    try:
        case = as_case(draft, "hold", found)
    except EntryError as error:
        raise BadUsageError(f"what must come of it: {error}") from error
    return today if mismatch(case) is None else found


def chosen_sentence(draft: Draft, expects: Expects, ask: bool) -> str:
    """Return the sentence of the case, as the user wants it."""
    begins = sentence(draft, expects)
    if not ask:
        return begins
    return str(click.prompt("It should", default=printable(begins), err=True))


def target(to: str, draft: Draft, expects: Expects) -> Path:
    """Return the file for the case; what zkit does not do yet is kept apart."""
    path = Path(to)
    if path.suffix and path.suffix != ".toml":
        raise BadUsageError(f"{to}: a case file ends in .toml")
    file = path if path.suffix else path / f"{draft.kind}.toml"
    is_beyond = mismatch(as_case(draft, "hold", expects)) is not None
    return file.parent / "beyond" / file.name if is_beyond else file


def added_case(ctx: click.Context, path: Path, draft: Draft, it: str, expects: Expects) -> Case:
    """Write the case and run it; exit if that fails."""
    try:
        return add_case(path, draft, it, expects)
    except (NotAddedError, CaseFileError) as error:
        tell(error)
        ctx.exit(1)
    except OSError as error:
        raise BadUsageError(f"{path}: {error.strerror}") from error
