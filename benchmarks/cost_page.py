"""The tables of costs, from the figures of one run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.cost_rows import LINES, ROWS, Line, Row
from benchmarks.recovery_page import table

COUNTED, TIMED = "instructions", "µs"
Found = Mapping[str, Any]


def is_growth(row: Row) -> bool:
    """True if the row is a ratio of two costs."""
    return row.name.startswith("growth")


def figure(line: Line, row: str, found: Found) -> float | None:
    """Return the figure of a row as a line shows it; None if it was not measured."""
    unit = COUNTED if line.unit == COUNTED and found.get(COUNTED) else TIMED
    costs = found.get(unit, {})
    if row not in costs or (line.against and line.against not in costs):
        return None
    value = costs[row]
    if line.against:
        against = costs[line.against]
        return float(value / against if line.by == "×" else value - against)
    if line.unit == "s":  # from the shell: with the start of Python itself
        return float((value + found["python_start"]) / 1e6)
    return float(value)


def shown(line: Line, value: float | None) -> str:
    """Return a figure in the unit of its line."""
    if value is None:
        return "–"
    if line.against and line.by == "×":
        return f"{value:,.2f} ×"
    if line.unit == "s":
        return f"{value:.2f} s"
    return f"+{value:,.0f} µs" if line.by == "+" else f"{value:,.0f}"


def goals_table(found: Found) -> str:
    """Return the goals: zkit, the goal, and the rivals that the goal was set beside."""
    rows = []
    for line in LINES:
        value = figure(line, line.row, found)
        if value is None:
            continue
        rivals = [(name, figure(line, row, found)) for name, row in line.rivals]
        told = ", ".join(f"{name} {shown(line, one)}" for name, one in rivals if one is not None)
        met = "" if value <= line.goal else " (missed)"
        rows.append([line.what, shown(line, value) + met, shown(line, line.goal), told or "–"])
    return table(["", "zkit", "goal", "rivals"], rows)


def rows_table(found: Found) -> str:
    """Return every row as it was measured."""
    rows = []
    for row in ROWS:
        cells = [
            f"{found[unit][row.name]:,.{2 if is_growth(row) or unit == TIMED else 0}f}"
            if row.name in found.get(unit, {})
            else "–"
            for unit in (COUNTED, TIMED)
        ]
        if cells != ["–", "–"]:
            rows.append([row.name, *(f"{c} ×" if is_growth(row) and c != "–" else c for c in cells)])  # fmt: skip
    return table(["", COUNTED, "µs of CPU time"], rows)


def about(found: Found) -> str:
    """Return what the run was measured with."""
    versions = ", ".join(f"{name} {one}" for name, one in found["versions"].items())
    return f"Python {found['python']}; {versions}."


def sentence(found: Found) -> str:
    """Return the costs that a reader asks for first."""
    lines = {line.row: line for line in LINES}
    call, chat = lines["one call through the default chain"], lines["import: ChatLoop"]
    rivals = [f"{name} {_both(row, found)}" for name, row in call.rivals]
    decoding = [figure(line, line.row, found) or 0.0 for line in LINES if line.row in _VALID]
    openai = shown(chat, figure(chat, "import: openai", found))
    return (
        f"What it costs: one call through the whole chain takes {_both(call.row, found)} of CPU time"
        f" ({', '.join(rivals)}), importing `ChatLoop` {shown(chat, figure(chat, chat.row, found))} what importing pydantic"
        f" takes (openai {openai}), decoding valid arguments {min(decoding):.2f} to {max(decoding):.2f} × validating them."
    )


def _both(row: str, found: Found) -> str:
    """A cost in instructions and in time: the two need not agree on who is quicker."""
    counted, timed = (found.get(unit, {}).get(row) for unit in (COUNTED, TIMED))
    parts = [f"{counted:,.0f} instructions"] if counted else []
    return " or ".join([*parts, *([f"{timed:,.0f} µs"] if timed else [])]) or "–"


_VALID = ("decoding a model", "decoding a TypedDict", "decoding the arguments of a function")
