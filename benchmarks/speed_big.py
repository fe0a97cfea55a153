"""Measures the time and memory of a few texts of each sort at 10 MB and at a tenth of it."""

from __future__ import annotations

import gc
import tracemalloc
from collections.abc import Iterator, Mapping
from time import process_time
from typing import Any

from rich.progress import track

from benchmarks.clock import exponent
from benchmarks.growing import ADVERSARIAL, DAMAGED, SCHEMA, VALID, Grow
from benchmarks.recovery_page import table
from zkit.repair import Repaired, repair_json

SIZES = (1_000_000, 10_000_000)
SIZES_OF_MEMORY = (100_000, 1_000_000)
"""Watching memory makes everything slower, so it is watched on smaller texts."""
MOST_CALLS = 12
PATIENCE = 4.0
"""So many calls in so many seconds: other work on the machine may make any one of them twice as slow."""
INPUTS: Mapping[str, Grow] = {
    name: group[name]
    for group, names in (
        (VALID, ("one long string", "mixed payloads")),
        (DAMAGED, ("inner_quotes_word", "plus_number", "prose_braces", "single_quotes")),
        (
            ADVERSARIAL,
            (
                "quotes in a value",
                "words",
                "braces in prose",
                "fences with objects",
                "tags with objects",
                "tildes with objects",
            ),
        ),
    )
    for name in names
}


def big_texts() -> Iterator[dict[str, Any]]:
    """For each text, without and with a schema: how time and memory grow over a factor of ten."""
    for title, grow in track(INPUTS.items(), "10 MB", total=len(INPUTS)):
        texts, smaller = list(map(grow, SIZES)), list(map(grow, SIZES_OF_MEMORY))
        for given, schema in (("no", None), ("yes", SCHEMA)):
            times, outcomes = zip(*(_time(text, schema) for text in texts), strict=True)
            peaks = [_peak(text, schema) for text in smaller]
            yield {
                "input": title,
                "schema": given,
                "outcomes": ", ".join(dict.fromkeys(outcomes)),
                "size": len(texts[-1]),
                "seconds": times[-1],
                "exponent": exponent([len(text) for text in texts], times),
                "memory": exponent([len(text) for text in smaller], peaks),
            }


def _time(text: str, schema: Any) -> tuple[float, str]:
    """Return the CPU time, the best of some calls, and the outcome."""
    gc.collect()
    gc.disable()  # else it looks through the tokens that the texts were made of
    took: list[float] = []
    while not took or (len(took) < MOST_CALLS and sum(took) < PATIENCE):
        start = process_time()
        found = repair_json(text, schema=schema)
        took.append(process_time() - start)
    gc.enable()
    return min(took), found.rank.name if isinstance(found, Repaired) else found.reason


def _peak(text: str, schema: Any) -> int:
    """The most memory that was held at once, in bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        repair_json(text, schema=schema)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def big_part(rows: list[dict[str, Any]]) -> str:
    """The results as a part of the page."""
    head = ["input", "schema", "outcomes", "characters", "seconds", "exponent of time", "of memory"]
    body = [
        [
            *(row[key] for key in ("input", "schema", "outcomes")),
            f"{row['size']:,}",
            f"{row['seconds']:.2f}",
            f"{row['exponent']:.2f}",
            f"{row['memory']:.2f}",
        ]
        for row in sorted(rows, key=lambda row: -row["exponent"])
    ]
    note = (
        "Time on the processor from 1 to 10 MB, steepest first; memory from 100 KB to 1 MB, the most that was held"
        " at once. 1 is linear.\n\n"
    )
    return "## Ten megabytes\n\n" + note + table(head, body)
