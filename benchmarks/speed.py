"""Measure the speed of repair as ratios of time, and write `results/speed.json` and `speed.md`."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from statistics import median
from time import process_time
from typing import Any

from pydantic_core import from_json
from rich.progress import track

from benchmarks.clock import best_times, exponent
from benchmarks.damage import DAMAGES, damaged_payload
from benchmarks.growing import ADVERSARIAL, DAMAGED, SCHEMA, VALID, Grow
from benchmarks.payloads import Payload
from benchmarks.recovery_page import compact_json, table
from benchmarks.rivals import Library, libraries
from benchmarks.speed_big import big_part, big_texts
from benchmarks.speed_counted import SMALL, counted_part, counted_ratios
from benchmarks.tokens import STYLES, text_of, tokenise
from zkit.repair import Repaired, repair_json

RESULTS = Path(__file__).parent / "results"
SIZES = (1_000, 4_000, 16_000, 64_000, 250_000, 1_000_000)
PATIENCE = 2.0  # seconds; an input that takes longer is not made larger
TOO_SLOW = 99.0  # stands for an exponent when already the smallest text takes too long
Measured = tuple[int, float, str]


# ── valid texts ───────────────────────────────────────────────────────────────


def valid_ratios() -> Iterator[dict[str, Any]]:
    """What zkit costs on valid texts, as a multiple of the strict parser."""
    for name, grow in VALID.items():
        for size in SIZES:
            text = grow(size)
            strict, plain, guided = best_times(
                partial(from_json, text),
                partial(repair_json, text),
                partial(repair_json, text, schema=SCHEMA),
            )
            yield {
                "text": name,
                "size": len(text),
                "strict_us": strict * 1e6,
                "zkit": plain / strict,
                "zkit_schema": guided / strict,
            }


# ── small damaged texts ───────────────────────────────────────────────────────


def damaged_ratios(seed: int, cases: int, rivals: list[Library]) -> Iterator[dict[str, Any]]:
    """For each damage: zkit against the strict parse of the undamaged text, rivals against zkit."""
    for damage in track(DAMAGES, "small damaged"):
        rng = Random(f"{seed}/{damage.name}")
        rows: list[dict[str, float]] = []
        while len(rows) < cases:
            found = damaged_payload(rng, (damage,))
            if found and len(found[1]) <= SMALL:
                rows.append(_compare(*found, rivals))
        yield {"class": damage.name, **{key: median(row[key] for row in rows) for key in rows[0]}}


def _compare(payload: Payload, text: str, rivals: list[Library]) -> dict[str, float]:
    whole = text_of(tokenise(payload.truth, STYLES[1]))
    strict, guided, plain, *others = best_times(
        partial(from_json, whole),
        partial(repair_json, text, schema=payload.schema),
        partial(repair_json, text),
        *(partial(rival.run, text, payload.schema) for rival in rivals),
    )
    ratios = {"zkit + schema / strict": guided / strict, "zkit / strict": plain / strict}
    ratios |= {
        f"{rival.name} / zkit": took / plain for rival, took in zip(rivals, others, strict=True)
    }
    return ratios


# ── growth ────────────────────────────────────────────────────────────────────


GROUPS: Mapping[str, Mapping[str, Grow]] = {
    "valid": VALID,
    "damaged": DAMAGED,
    "adversarial": ADVERSARIAL,
}


def growths() -> Iterator[dict[str, Any]]:
    """How zkit's time grows with the size of each input; one process for each core, since it is CPU time."""
    inputs = [(group, title) for group, titles in GROUPS.items() for title in titles]
    with ProcessPoolExecutor() as pool:
        for rows in track(pool.map(_growth, inputs), "growth", total=len(inputs)):
            yield from rows


def _growth(given: tuple[str, str]) -> list[dict[str, Any]]:
    """Without and with a schema; nothing for a damage that finds no place in so large and mixed a text."""
    group, title = given
    plain, guided = _times([text for text in map(GROUPS[group][title], SIZES) if text])
    return [
        {"group": group, "input": title, "schema": schema, **_fitted(rows)}
        for schema, rows in (("no", plain), ("yes", guided))
        if rows
    ]


def strict_growths() -> Iterator[dict[str, Any]]:
    """The strict parser on valid texts, to show what memory and noise alone add to an exponent."""
    for title, grow in VALID.items():
        texts = [grow(size) for size in SIZES]
        times = [
            (len(text), best_times(partial(from_json, text), clock=process_time)[0], "strict")
            for text in texts
        ]
        yield {"group": "strict parser", "input": title, "schema": "–", **_fitted(times)}


def _times(texts: list[str]) -> tuple[list[Measured], list[Measured]]:
    measured: tuple[list[Measured], list[Measured]] = ([], [])
    for text in texts if len(texts) > 2 else ():
        for rows, schema in zip(measured, (None, SCHEMA), strict=True):
            if not rows or rows[-1][1] < PATIENCE:
                rows.append(_time(text, schema))
    return measured


def _time(text: str, schema: Any) -> Measured:
    held = [""]

    def call() -> None:
        found = repair_json(text, schema=schema)
        held[0] = found.rank.name if isinstance(found, Repaired) else found.reason

    return len(text), best_times(call, clock=process_time)[0], held[0]


def _fitted(measured: list[Measured]) -> dict[str, Any]:
    # Below some kilobytes the fixed cost of a call hides the growth.
    fitted = measured[2:] if len(measured) > 4 else measured
    sizes, times, outcomes = zip(*fitted, strict=True)
    slope = exponent(sizes, times) if len(fitted) > 1 else TOO_SLOW
    return {
        "exponent": slope,
        "size": sizes[-1],
        "seconds": times[-1],
        "outcomes": ", ".join(dict.fromkeys(outcomes)),
        "times": measured,
    }


# ── the page ──────────────────────────────────────────────────────────────────


def page(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    head = "Written by `python -m benchmarks.speed`. Ratios of best times, those of a part measured in one run.\n"
    return "\n".join(
        ["# Speed\n", head, *(part(found[name]) for name, part in PARTS.items() if found.get(name))]
    )


def _valid_part(rows: list[dict[str, Any]]) -> str:
    body = [
        [
            row["text"],
            f"{row['size']:,}",
            f"{row['strict_us']:.1f}",
            f"{row['zkit']:.2f}",
            f"{row['zkit_schema']:.2f}",
        ]
        for row in rows
    ]
    head = ["text", "characters", "strict parser, µs", "zkit / strict", "zkit + schema / strict"]
    return "## Valid texts\n\n" + table(head, body)


def _damaged_part(rows: list[dict[str, Any]]) -> str:
    ratios = [key for key in rows[0] if key != "class"]
    overall = [
        "**median of classes**",
        *(f"{median(row[key] for row in rows):.1f}" for key in ratios),
    ]
    body = [[row["class"], *(f"{row[key]:.1f}" for key in ratios)] for row in rows]
    note = f"Texts of at most {SMALL} characters; `strict` is the strict parse of the undamaged text.\n\n"
    return "## Small damaged texts\n\n" + note + table(["damage", *ratios], [overall, *body])


def _growth_part(rows: list[dict[str, Any]]) -> str:
    ordered = sorted(rows, key=lambda row: -row["exponent"])
    body = [
        [
            *(row[key] for key in ("input", "group", "schema", "outcomes")),
            f"{row['exponent']:.2f}",
            f"{row['size']:,}",
            f"{row['seconds'] * 1000:.1f}",
        ]
        for row in ordered
    ]
    note = (
        "Exponent of time over size: 1 is linear; steepest first, with the time at the largest size. "
        "Sizes from 1 KB to 1 MB. Outcomes are the ranks or the reasons of refusal over the sizes: where they differ, the exponent "
        "compares different work. The rows of the strict parser show what memory and noise add.\n\n"
    )
    head = ["input", "group", "schema", "outcomes", "exponent", "characters", "ms"]
    return "## Growth\n\n" + note + table(head, body)


PARTS: Mapping[str, Callable[[list[dict[str, Any]]], str]] = {
    "valid": _valid_part,
    "damaged": _damaged_part,
    "counted": counted_part,
    "growth": _growth_part,
    "big": big_part,
}
"""The parts of the page, by their names."""


def options() -> argparse.Namespace:
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed", description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cases", type=int, default=5, help="small damaged texts for each damage")
    parser.add_argument("--only", choices=list(PARTS), help="one part, printed only")
    parser.add_argument("--update", action="store_true", help="put that part into the results")
    parser.add_argument("--without-rivals", action="store_true")
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    return parser.parse_args()


def measure(asked: argparse.Namespace) -> dict[str, Any]:
    """Run the parts asked for."""
    rivals = [] if asked.without_rivals else [one for one in libraries() if not one.ours]
    parts: dict[str, Callable[[], list[dict[str, Any]]]] = {
        "valid": lambda: list(valid_ratios()),
        "damaged": lambda: list(damaged_ratios(asked.seed, asked.cases, rivals)),
        "counted": lambda: counted_ratios(asked.seed, asked.cases),
        "growth": lambda: [*strict_growths(), *growths()],
        "big": lambda: list(big_texts()),
    }
    return {name: run() for name, run in parts.items() if asked.only in (None, name)}


def main() -> None:
    """Measure, print and write."""
    asked = options()
    found = measure(asked)
    if asked.only:
        print(PARTS[asked.only](found[asked.only]))
        if not asked.update:
            return
        found = json.loads((asked.out / "speed.json").read_text(encoding="utf-8")) | found
    asked.out.mkdir(parents=True, exist_ok=True)
    (asked.out / "speed.json").write_text(compact_json(found), encoding="utf-8")
    (asked.out / "speed.md").write_text(page(found), encoding="utf-8")
    print(page(found))


if __name__ == "__main__":
    main()
