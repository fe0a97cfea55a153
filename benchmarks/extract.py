"""Measures what each library finds in completions: right, wrong and false calls."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Sequence
from typing import TextIO

from benchmarks.command_line import RESULTS, dump_file, parser_of, progress_bar
from benchmarks.extract_cases import SCENARIOS, Completion, completions
from benchmarks.extract_formats import FORMATS
from benchmarks.extract_negatives import without_call
from benchmarks.extract_page import Tally, page, summary, write_results
from benchmarks.extract_rivals import Finder, Found, finders
from benchmarks.extract_speed import speed_rows


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = parser_of("extract", __doc__, cases=3, of="format and scenario")
    parser.add_argument("--format", choices=list(FORMATS), action="append")
    parser.add_argument("--scenario", choices=list(SCENARIOS), action="append")
    parser.add_argument("--no-speed", action="store_true", help="leave the times out")
    return parser.parse_args()


def measure(
    title: str, cases: Sequence[Completion], tested: list[Finder], dump: TextIO | None
) -> dict[str, Tally]:
    """Run every library on every text, with a progress bar."""
    tallies = {finder.name: Tally() for finder in tested}
    with progress_bar() as progress:
        for case in progress.track(cases, description=title):
            for finder in tested:
                found = finder.run(case.text, case.tools)
                verdict, kept = tallies[finder.name].add(case, found)
                if dump and finder.name == "zkit" and (verdict != "right" or kept is False):
                    dump.write(_dumped(case, found, verdict, kept))
    return tallies


def _dumped(case: Completion, found: Found, verdict: str, kept: bool | None) -> str:
    row = {
        "format": case.format,
        "scenario": case.scenario,
        "verdict": verdict,
        "text kept": kept,
        "text": case.text,
        "due": case.calls,
        "came": found.calls,
        "content due": case.content,
        "content": found.content,
        "note": found.note,
        "tools": case.tools,
    }
    return json.dumps(row, ensure_ascii=False, default=repr) + "\n"


def chosen(cases: Iterable[Completion], asked: argparse.Namespace) -> list[Completion]:
    """The cases that the command line asks for."""
    return [
        case
        for case in cases
        if (not asked.format or case.format in asked.format)
        and (not asked.scenario or case.scenario in asked.scenario)
    ]


def run(
    asked: argparse.Namespace, dump: TextIO | None
) -> tuple[dict[str, Tally], dict[str, Tally]]:
    """Measure the texts with calls, then those without."""
    tested = finders(asked.only)
    made = chosen(completions(asked.seed, asked.cases), asked)
    held = [case for case in made if case.calls]
    none = [case for case in made if not case.calls]
    none += chosen(without_call(asked.seed, max(1, asked.cases // 3)), asked)
    return measure("calls", held, tested, dump), measure("no call", none, tested, dump)


def main() -> None:
    """Measure, print and write."""
    asked = options()
    with dump_file(asked.dump) as dump:
        held, none = run(asked, dump)
    whole = not (asked.only or asked.format or asked.scenario or asked.no_speed)
    speed = [] if asked.no_speed or asked.only not in "zkit" else list(speed_rows())
    found = summary(held, none, speed, asked.seed, asked.cases)
    print(page(found))
    if asked.out or whole:
        write_results(found, asked.out or RESULTS)


if __name__ == "__main__":
    main()
