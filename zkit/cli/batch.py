"""`zkit batch`: repair, extract or decode every row of a log, and report what was found."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from zkit.batch import (
    BatchError,
    Progress,
    Statistics,
    Work,
    broken_thresholds,
    collect,
    render_report,
    run_batch,
)
from zkit.batch.columns import Kind
from zkit.batch.engines import ENGINES, run_engine
from zkit.batch.logs import read_output
from zkit.batch.report import headline
from zkit.cli.commands import CONTEXT
from zkit.cli.extract import read_tools
from zkit.cli.screen import Screen
from zkit.cli.streams import BadUsageError, printable, read_schema, tell, write_line
from zkit.errors import ZkitError
from zkit.receipt import limit_of

EPILOG = """\b
Examples:
  zkit batch repair replies.jsonl -o repaired.parquet --column response.text
  zkit batch extract requests.jsonl.gz -o calls.jsonl --tools tools.json
  zkit batch report repaired.parquet -o report.html --fail-on 'refused>5%'

Exit code: 0 done, 1 a threshold was exceeded or an engine is missing, 2 bad usage."""
Command = Callable[..., None]


@click.group(context_settings=CONTEXT, epilog=EPILOG)
def command() -> None:
    """Repair, extract or decode every row of a log, and report what was found.

    A log is Parquet, JSONL (also gzipped) or CSV. A run that was interrupted goes on when the same
    command is given again.
    """


def _shared(run: Command) -> Command:
    """Add the options that all three kinds of work have."""
    for option in reversed(
        (
            click.argument("log"),
            click.option("-o", "--out", required=True, metavar="FILE", help="Where the columns go: .parquet, .jsonl, .jsonl.gz or .csv."),
            click.option("--column", metavar="PATH", help="The column with the text, or a path into a record, such as response.choices.0.message.content. Known logs are recognised."),
            click.option("--processes", type=click.IntRange(1), metavar="N", help="Size of the process pool (default: all cores)."),
            click.option("--engine", type=click.Choice(sorted(ENGINES)), help="Run on this engine instead of the pool."),
            click.option("--no-text", is_flag=True, help="Leave the texts out of the output."),
            click.option("--force", is_flag=True, help="Start over, and replace the output."),
        )
    ):  # fmt: skip
        run = option(run)
    return run


@command.command("repair", epilog=EPILOG)
@_shared
@click.option("--schema", metavar="FILE", help="JSON Schema that the values should fit.")
@click.option("--limit", metavar="RANK", help="Highest rank allowed (default CUT).")
def repair_log(schema: str | None, limit: str | None, **given: Any) -> None:
    """Repair the JSON in every row of LOG."""
    _run("repair", None if schema is None else read_schema(schema), limit, **given)


@command.command("extract", epilog=EPILOG)
@_shared
@click.option("--tools", metavar="FILE", required=True, help="JSON with the tools on offer.")
def extract_log(tools: str, **given: Any) -> None:
    """Find the tool calls in every row of LOG."""
    _run("extract", read_tools(tools), None, **given)


@command.command("decode", epilog=EPILOG)
@_shared
@click.option("--schema", metavar="FILE", required=True, help="JSON Schema of the arguments.")
@click.option("--limit", metavar="RANK", help="Highest rank allowed (default GUESS).")
def decode_log(schema: str, limit: str | None, **given: Any) -> None:
    """Decode the arguments in every row of LOG as a schema wants them."""
    _run("decode", read_schema(schema), limit, **given)


def _run(
    kind: Kind,
    target: Any,
    limit: str | None,
    *,
    log: str,
    out: str,
    column: str | None,
    processes: int | None,
    engine: str | None,
    no_text: bool,
    force: bool,
) -> None:
    try:
        work = Work(kind, target, None if limit is None else limit_of(limit))
        if engine is not None:
            run_engine(engine, log, out, work, column or "text")
            tell(f"wrote {out}")
            return
        done = _with_progress(log, out, work, column, processes, no_text, force)
    except ImportError as error:
        tell(error)
        raise click.exceptions.Exit(1) from error
    except (ZkitError, ValueError, TypeError) as error:
        raise BadUsageError(str(error)) from error
    resumed = f", {done.resumed:,} of them from an earlier run" if done.resumed else ""
    tell(f"wrote {done.rows:,} rows to {out}{resumed}")


def _with_progress(
    log: str,
    out: str,
    work: Work,
    column: str | None,
    processes: int | None,
    no_text: bool,
    force: bool,
) -> Progress:
    """Run with a counter on a terminal."""
    screen = Screen(stderr=True, highlight=False, markup=False)
    with screen.status("starting") as shown:

        def show(progress: Progress) -> None:
            shown.update(f"{progress.rows:,} rows")

        return run_batch(
            log, out, work,
            column=column, processes=processes or os.cpu_count(), keep_text=not no_text,
            force=force, on_progress=show if screen.is_terminal else None,
        )  # fmt: skip


@command.command("report", epilog=EPILOG)
@click.argument("output")
@click.option(
    "-o",
    "--out",
    metavar="FILE",
    multiple=True,
    help="Write the report: .html, .md or .json. May be repeated.",
)
@click.option("--fail-on", "limits", metavar="LIMIT", multiple=True, help="Exit with 1 if an outcome exceeds this, such as 'refused>5%' or 'failed>0'. May be repeated.")  # fmt: skip
@click.pass_context
def report_output(
    ctx: click.Context, output: str, out: tuple[str, ...], limits: tuple[str, ...]
) -> None:
    """Report what the file OUTPUT of a batch shows: damage, reasons, and what to change."""
    try:
        found = collect(read_output(output))
        broken = broken_thresholds(found, limits)
        for path in out:
            _write(path, found)
    except (BatchError, ImportError) as error:
        raise BadUsageError(str(error)) from error
    write_line(headline(found))
    for limit in broken:
        tell(f"exceeded: {limit}")
    ctx.exit(int(bool(broken)))


def _write(path: str, found: Statistics) -> None:
    page = render_report(found, path)
    try:
        Path(path).write_text(printable(page), "utf-8")
    except OSError as error:
        raise BadUsageError(f"{path}: {error.strerror}") from error
    tell(f"wrote {path}")
