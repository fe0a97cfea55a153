"""`zkit corpus run`: run case files, and report every case that fails."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import click
from rich.box import SIMPLE_HEAD
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from zkit.cases import Case, CaseFileError, CaseResult, load, run, shipped_corpus
from zkit.cli.commands import CONTEXT
from zkit.cli.corpus_add import command as add_case
from zkit.cli.screen import Screen
from zkit.cli.streams import BadUsageError, write_json

# XML 1.0 has no way to write these, not even as a reference.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Judged(NamedTuple):
    """A verdict, the file it belongs to as the user knows it, and how long it took."""

    file: str
    verdict: CaseResult
    seconds: float


def junit_xml(judged: Iterable[Judged]) -> bytes:
    """Return one test suite for each case file."""
    root = ElementTree.Element("testsuites", name="zkit corpus")
    for file, group in groupby(judged, key=lambda each: each.file):
        root.append(suite(file, list(group)))
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml


def suite(file: str, judged: list[Judged]) -> ElementTree.Element:
    """Return the test suite of one file."""
    failures = sum(not each.verdict.passes for each in judged)
    attributes = {
        "name": writable(file),
        "tests": str(len(judged)),
        "failures": str(failures),
        "errors": "0",
        "time": f"{sum(each.seconds for each in judged):.6f}",
    }
    element = ElementTree.Element("testsuite", attributes)
    element.extend([testcase(each) for each in judged])
    return element


def testcase(each: Judged) -> ElementTree.Element:
    """Return one case, with its mismatch as the failure."""
    case, mismatch = each.verdict.case, each.verdict.mismatch
    file = writable(each.file)
    element = ElementTree.Element(
        "testcase",
        {
            "classname": file,
            "name": writable(case.it),
            "file": file,
            "line": str(case.line),
            "time": f"{each.seconds:.6f}",
        },
    )
    if mismatch is not None:
        message = writable(mismatch)
        failure = ElementTree.SubElement(element, "failure", message=message)
        failure.text = f"{file}:{case.line}: it should {writable(case.it)}\n{message}"
    return element


def writable(text: str) -> str:
    """Write what XML cannot hold as escapes."""
    return NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


EPILOG = """\b
Examples:
  zkit corpus run
  zkit corpus run cases --junit report.xml

Exit code: 0 every case holds, 1 some differ, 2 a case file is missing or malformed."""


@click.group(context_settings=CONTEXT, epilog=EPILOG)
def command() -> None:
    """Run cases of repair, extraction and decoding as a regression check, or add one."""


@command.command("run", epilog=EPILOG, short_help="Run case files, or zkit's own corpus.")
@click.argument("paths", nargs=-1)
@click.option("--junit", metavar="FILE", help="Write the result as JUnit XML too.")
@click.option("--json", "machine", is_flag=True, help="One JSON object with every mismatch.")
@click.pass_context
def run_cases(ctx: click.Context, paths: tuple[str, ...], junit: str | None, machine: bool) -> None:
    """Run the case files and folders in PATHS, or zkit's own corpus when there are none."""
    cases = load_cases(paths)
    started = time.perf_counter()
    judged = judge(cases)
    seconds = time.perf_counter() - started
    if machine:
        write_json(as_object(judged, seconds))
    else:
        report(judged, seconds)
    if junit is not None:
        write_junit(junit, judged)
    ctx.exit(int(not all(each.verdict.passes for each in judged)))


def load_cases(paths: Sequence[str]) -> list[tuple[str, Case]]:
    """Return every case with the path under which the user knows its file."""
    if not paths:
        return list(cases_below(shipped_corpus(), name_from=shipped_corpus()))
    return [pair for path in paths for pair in cases_below(Path(path), name_from=Path())]


def cases_below(path: Path, name_from: Path) -> Iterator[tuple[str, Case]]:
    """Load one path; a file is named as seen from `name_from`."""
    if not path.exists():
        raise BadUsageError(f"{path}: no such file or folder")
    try:
        cases = load([path])
    except CaseFileError as error:
        place = named(path, error.file, Path())
        line = "" if error.line is None else f":{error.line}"
        raise BadUsageError(f"{place}{line}: {error.problem}") from error
    return ((named(path, case.file, name_from), case) for case in cases)


def named(path: Path, file: str, name_from: Path) -> str:
    """Return the name of a case file; below a folder, `file` is relative to that folder."""
    whole = path / file if path.is_dir() and file != str(path) else path
    return whole.relative_to(name_from).as_posix() if name_from.parts else whole.as_posix()


def judge(cases: list[tuple[str, Case]]) -> list[Judged]:
    """Run every case, with a progress bar when standard error is a terminal."""
    screen = Screen(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, console=screen, transient=True, disable=not screen.is_terminal
    ) as progress:
        return [
            judge_one(file, case)
            for file, case in progress.track(cases, description="running the cases")
        ]


def judge_one(file: str, case: Case) -> Judged:
    """Run one case and measure its time; an exception must not affect the others."""
    started = time.perf_counter()
    try:
        verdict = run(case)
    except Exception as error:
        verdict = CaseResult(case, f"raised {type(error).__name__}: {error}")
    return Judged(file, verdict, time.perf_counter() - started)


def as_object(judged: list[Judged], seconds: float) -> str:
    """Return the counts and every mismatch as one JSON object on one line."""
    mismatches = [
        {"file": each.file, "line": each.verdict.case.line, "it": each.verdict.case.it,
         "mismatch": each.verdict.mismatch}
        for each in judged
        if each.verdict.mismatch is not None
    ]  # fmt: skip
    found = {
        "cases": len(judged),
        "passed": len(judged) - len(mismatches),
        "seconds": round(seconds, 1),
    }
    return json.dumps({**found, "mismatches": mismatches}, ensure_ascii=False)


def report(judged: list[Judged], seconds: float) -> None:
    """Print the table by file, every mismatch, and the count in one line."""
    screen = Screen(highlight=False, markup=False)
    screen.print(table_by_file(judged))
    for each in judged:
        if each.verdict.mismatch is not None:
            screen.print(mismatch(each), soft_wrap=True)
    failed = sum(not each.verdict.passes for each in judged)
    counts = (f"cases {len(judged)}", f"passed {len(judged) - failed}", f"mismatches {failed}")
    line = f"{', '.join(counts)} in {seconds:.1f} s"
    screen.print(line, style="bold red" if failed else "bold green", soft_wrap=True)


def table_by_file(judged: list[Judged]) -> Table:
    """Count cases, passes and mismatches of each file."""
    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("file", overflow="fold")
    for name in ("cases", "passed", "mismatches"):
        table.add_column(name, justify="right")
    for file, group in groupby(judged, key=lambda each: each.file):
        passes = [each.verdict.passes for each in group]
        failed = passes.count(False)
        style = "red" if failed else "green"
        table.add_row(
            file, str(len(passes)), str(len(passes) - failed), Text(str(failed), style=style)
        )
    return table


def mismatch(each: Judged) -> Text:
    """Return the place of the case, its sentence, and the expected and the actual outcome."""
    case = each.verdict.case
    return Text.assemble(
        (f"{each.file}:{case.line}", "bold"),
        f"  it should {case.it}\n",
        (f"    {each.verdict.mismatch}\n", "red"),
    )


def write_junit(path: str, judged: list[Judged]) -> None:
    """Write the JUnit file, or say why it cannot be written."""
    try:
        Path(path).write_bytes(junit_xml(judged))
    except OSError as error:
        raise BadUsageError(f"{path}: {error.strerror}") from error


command.add_command(add_case)
