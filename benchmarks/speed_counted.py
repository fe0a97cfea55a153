"""Count the instructions of small repairs with valgrind: unlike a clock, the count is the same on a busy machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from random import Random
from statistics import mean, median
from typing import Any

from benchmarks.costs import CONTROL, instructions_of
from benchmarks.damage import DAMAGES, damaged_payload
from benchmarks.recovery_page import table
from benchmarks.tokens import STYLES, text_of, tokenise

SMALL = 1500
# How often a text is parsed strictly for one count: once is too little to measure.
PARSES = 20
COLUMNS = ("zkit / strict", "zkit + schema / strict", "json_repair / zkit")
_PROGRAM = """
import gc
from json_repair import loads
from pydantic_core import from_json
from benchmarks.speed_counted import PARSES, small_damaged
from zkit.repair import repair_json
_texts = small_damaged({seed}, {cases})
_works = (
    lambda whole, text, schema: [from_json(whole) for _ in range(PARSES)],
    lambda whole, text, schema: repair_json(text),
    lambda whole, text, schema: repair_json(text, schema=schema),
    lambda whole, text, schema: loads(text),
)
gc.disable()
for _rows in _texts.values():  # a warm-up: modules are loaded, schemas prepared, bytecode specialised
    for _work in _works:
        [_work(*_row) for _row in _rows]
_control("-i", "on")
for _rows in _texts.values():
    for _work in _works:
        [_work(*_row) for _row in _rows]
        _control("-d")
"""


def small_damaged(seed: int, cases: int) -> Mapping[str, list[tuple[str, str, Any]]]:
    """Return, for each damage, some valid texts, the same with the damage, and their schemas."""
    found: dict[str, list[tuple[str, str, Any]]] = {}
    for damage in DAMAGES:
        rng = Random(f"{seed}/{damage.name}")
        rows = found.setdefault(damage.name, [])
        while len(rows) < cases:
            made = damaged_payload(rng, (damage,))
            if made and len(made[1]) <= SMALL:
                payload, text = made
                rows.append((text_of(tokenise(payload.truth, STYLES[1])), text, payload.schema))
    return found


def counted_ratios(seed: int, cases: int) -> list[dict[str, Any]]:
    """Return the ratios of instructions for each damage; an empty list without valgrind."""
    if shutil.which("valgrind") is None:
        return []
    program = CONTROL + _PROGRAM.format(seed=seed, cases=cases)
    counts = instructions_of(program, "--instr-atstart=no")
    rows = []
    for at, damage in enumerate(DAMAGES):
        strict, plain, guided, rival = counts[4 * at : 4 * at + 4]
        strict /= PARSES
        ratios = (plain / strict, guided / strict, rival / plain)
        rows.append({"class": damage.name, **dict(zip(COLUMNS, ratios, strict=True))})
    return rows


def counted_part(rows: list[dict[str, Any]]) -> str:
    """The part of the page: the median, the mean and the most, then each damage."""
    overall: Mapping[str, Callable[[list[float]], float]] = {
        "**median of classes**": median,
        "**mean**": mean,
        "**most**": max,
    }
    body = [
        [name, *(f"{of([row[key] for row in rows]):.1f}" for key in COLUMNS)]
        for name, of in overall.items()
    ]
    body += [[row["class"], *(f"{row[key]:.1f}" for key in COLUMNS)] for row in rows]
    note = (
        "Instructions, counted by valgrind, of repairing texts of at most "
        f"{SMALL} characters; `strict` is the strict parse of the undamaged text.\n\n"
    )
    return "## Small damaged texts, in instructions\n\n" + note + table(["damage", *COLUMNS], body)
