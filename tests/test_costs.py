"""The table of costs: what it shows, and when `make bench-check` fails."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.cost_page import figure, goals_table
from benchmarks.cost_rows import LINES, ROWS
from benchmarks.costs import figure_of, worse

NAMES = {row.name: row for row in ROWS}
FOUND: dict[str, Any] = {
    "python_start": 10_000.0,
    "instructions": dict.fromkeys(NAMES, 100.0),
    "µs": dict.fromkeys(NAMES, 100_000.0),
}


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.what)
def test_a_line_is_made_of_rows_that_are_measured(line: Any) -> None:
    rows = [line.row, *(row for _, row in line.rivals), *([line.against] if line.against else [])]
    assert set(rows) <= set(NAMES)
    assert NAMES[line.row].ours
    assert not any(NAMES[row].ours for row in rows[1:])


def test_a_goal_that_is_missed_is_marked() -> None:
    counted = {**FOUND["instructions"], "import: ChatLoop": 500.0}
    table = goals_table({**FOUND, "instructions": counted})
    assert "| importing `ChatLoop` | 5.00 × (missed) | 4.00 × | openai 1.00 × |" in table
    assert "| importing `Dispatcher` | 1.00 × | 3.00 × | openai 1.00 × |" in table


def test_without_valgrind_a_line_shows_cpu_time() -> None:
    chat = next(line for line in LINES if line.row == "import: ChatLoop")
    timed = {**FOUND["µs"], "import: ChatLoop": 300_000.0}
    assert figure(chat, chat.row, {"µs": timed}) == 3.0


def test_the_shell_line_holds_the_start_of_python() -> None:
    shell = next(line for line in LINES if line.unit == "s")
    assert figure(shell, shell.row, FOUND) == pytest.approx(0.11)


def test_a_row_of_ours_that_is_ten_percent_worse_is_reported() -> None:
    kept = dict.fromkeys(NAMES, 100.0)
    found = {name: 1.0 if name.startswith("growth") else 109.0 for name in NAMES}
    assert worse(found, kept) == []
    found["a refusal"] = found["import: openai"] = 111.0
    assert worse(found, kept) == ["a refusal: 111.00, kept 100.00"]


def test_growth_is_worse_when_it_is_not_linear() -> None:
    name = "growth: one KB of a reply of 1 MB"
    row = NAMES[name]
    linear = figure_of(row, [5.0 + 2 * n for n in (1, 101, 1001)])
    quadratic = figure_of(row, [5.0 + n * n for n in (1, 101, 1001)])
    assert worse({name: linear}, {name: 1.0}) == []
    assert worse({name: quadratic}, {name: 1.0})
