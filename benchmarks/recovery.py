"""Count what each library reads right, reads wrong and refuses; write `results/recovery.json` and `recovery.md`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from typing import TextIO

from benchmarks.cases import SECTIONS
from benchmarks.command_line import RESULTS, dump_file, parser_of, progress_bar
from benchmarks.damage import Case
from benchmarks.judge import REFUSED
from benchmarks.recovery_page import page, summary, write_results
from benchmarks.rivals import Answer, Library, libraries
from benchmarks.scores import Score


def measure(
    cases: Iterable[Case], tested: list[Library], dump: TextIO | None, step: Callable[[], None]
) -> dict[str, Score]:
    """Run every library on every case of a section."""
    scores = {library.name: Score() for library in tested}
    for case in cases:
        for library in tested:
            answer = library.run(case.text, case.payload.schema)
            verdict = scores[library.name].add(case, answer)
            if dump and library.ours and verdict not in ("right", "clean"):
                dump.write(_dumped(library.name, case, answer, verdict))
        step()
    return scores


def _dumped(name: str, case: Case, answer: Answer, verdict: str) -> str:
    row = {
        "library": name,
        "section": case.section,
        "class": case.name,
        "kind": case.kind,
        "verdict": verdict,
        "note": answer.note,
        "text": case.text,
        "truth": case.payload.truth,
        "value": None if answer.value is REFUSED else answer.value,
        "schema": case.payload.schema,
    }
    return json.dumps(row, ensure_ascii=False, default=repr) + "\n"


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = parser_of("recovery", __doc__, cases=40, of="class of damage")
    parser.add_argument("--section", choices=list(SECTIONS), action="append")
    parser.add_argument(
        "--class", dest="classes", action="append", help="only this class of damage"
    )
    return parser.parse_args()


def run(asked: argparse.Namespace, dump: TextIO | None) -> dict[str, dict[str, Score]]:
    """Measure the sections asked for, with a progress bar each."""
    tested = libraries(asked.only)
    results = {}
    with progress_bar() as progress:
        for section in asked.section or SECTIONS:
            cases = list(SECTIONS[section](asked.seed, asked.cases))
            chosen = [case for case in cases if not asked.classes or case.name in asked.classes]
            task = progress.add_task(section, total=len(chosen))
            step = lambda task=task: progress.advance(task)  # noqa: E731
            results[section] = measure(chosen, tested, dump, step)
    return results


def main() -> None:
    """Measure, print and write."""
    asked = options()
    with dump_file(asked.dump) as dump:
        results = run(asked, dump)
    found = summary(results, asked.seed, asked.cases)
    print(page(found))
    whole = not (asked.only or asked.section or asked.classes)
    if asked.out or whole:
        write_results(found, asked.out or RESULTS)


if __name__ == "__main__":
    main()
