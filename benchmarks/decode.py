"""Measures how libraries decode the probes: right, wrong, refused, and the cost."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from typing import Any, TextIO

from benchmarks.command_line import RESULTS, dump_file, parser_of, progress_bar
from benchmarks.decode_cases import SECTIONS
from benchmarks.decode_cost import cost_rows, kind_rows
from benchmarks.decode_page import page, summary, write_results
from benchmarks.decode_probes import Probe
from benchmarks.decode_rivals import Answer, Library, libraries
from benchmarks.decode_scores import Score
from benchmarks.decode_tools import TOOLS


def measure(
    probes: Iterable[Probe], tested: list[Library], dump: TextIO | None, step: Callable[[], None]
) -> dict[str, Score]:
    """Run every library on every probe of a section."""
    scores = {library.name: Score() for library in tested}
    for probe in probes:
        for library in tested:
            answer = library.run(TOOLS[probe.tool], probe.text, probe.finish_reason)
            verdict = scores[library.name].add(probe, answer.value)
            if dump and library.ours and verdict != "right":
                dump.write(_dumped(library.name, probe, answer, verdict))
        step()
    return scores


def _dumped(name: str, probe: Probe, answer: Answer, verdict: str) -> str:
    row = {
        "library": name,
        "class": probe.group,
        "verdict": verdict,
        "tool": probe.tool,
        "text": probe.text,
        "truth": probe.truth,
        "value": answer.value and answer.value.model_dump(),
        "finish_reason": probe.finish_reason,
        "note": answer.note,
    }
    return json.dumps(row, ensure_ascii=False, default=str) + "\n"


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = parser_of("decode", __doc__, cases=40, of="class of slip")
    parser.add_argument("--section", choices=[*SECTIONS, "cost"], action="append")
    parser.add_argument("--class", dest="classes", action="append", help="only this class of slip")
    return parser.parse_args()


def run(asked: argparse.Namespace, dump: TextIO | None) -> dict[str, dict[str, Score]]:
    """Measure the sections asked for, with a progress bar each."""
    tested = libraries(asked.only)
    results = {}
    with progress_bar() as progress:
        for section, make in SECTIONS.items():
            if asked.section and section not in asked.section:
                continue
            probes = [
                probe
                for probe in make(asked.seed, asked.cases)
                if not asked.classes or probe.group in asked.classes
            ]
            task = progress.add_task(section, total=len(probes))
            step = lambda task=task: progress.advance(task)  # noqa: E731
            results[section] = measure(probes, tested, dump, step)
    return results


def cost(asked: argparse.Namespace) -> list[dict[str, Any]]:
    """The cost by class, unless only other parts are asked for."""
    if asked.section and "cost" not in asked.section:
        return []
    return [*cost_rows(asked.seed, max(3, asked.cases // 8)), *kind_rows()]


def main() -> None:
    """Measure, print and write."""
    asked = options()
    with dump_file(asked.dump) as dump:
        results = run(asked, dump)
    found = summary(results, cost(asked), asked.seed, asked.cases)
    print(page(found))
    whole = not (asked.only or asked.section or asked.classes)
    if asked.out or whole:
        write_results(found, asked.out or RESULTS)


if __name__ == "__main__":
    main()
