"""Writes `decode.json` and `decode.md` from scores and ratios."""

from __future__ import annotations

import platform
from collections.abc import Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.decode_scores import VERDICTS, Score
from benchmarks.recovery_page import compact_json, percent, table

PACKAGES = (
    "zkit",
    "pydantic",
    "json-repair",
    "baml-py",
    "pydantic-ai-slim",
    "langchain-core",
)
EXPLAIN = {
    "written": "Arguments written by hand for eighteen tools. Right: the tool would run with what was meant, or nothing runs where nothing may. Wrong: the tool would run with other arguments. Refused: it can be read, but was not.",
    "one slip": "Random valid arguments with one slip (the last class: a slip in damaged JSON). Each has one sensible reading.",
    "unreadable": "Random valid arguments that lost something: no reading is left, or two are. Only a refusal is right.",
}


def summary(
    scores: Mapping[str, Mapping[str, Score]], cost: list[dict[str, Any]], seed: int, cases: int
) -> dict[str, Any]:
    """Everything that the page needs, as plain data."""
    return {
        "seed": seed,
        "cases": cases,
        "python": platform.python_version(),
        "versions": dict(_versions()),
        "sections": {
            section: {name: score.plain() for name, score in found.items()}
            for section, found in scores.items()
        },
        "cost": cost,
    }


def _versions() -> Iterable[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue


def page(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    parts = [
        "# Decode\n",
        f"Written by `python -m benchmarks.decode`, seed {found['seed']}, {found['cases']} cases a class; "
        f"Python {found['python']}; {versions}.\n",
    ]
    for section, scores in found["sections"].items():
        parts += _section(section, scores)
    if found["cost"]:
        parts.append(_cost(found["cost"]))
    return "\n".join(parts)


def _section(section: str, scores: Mapping[str, Any]) -> list[str]:
    count = max((sum(score["total"].values()) for score in scores.values()), default=0)
    rows = [[name, *_shares(score["total"])] for name, score in scores.items()]
    head = ["percent", *VERDICTS]
    return [
        f"## {section} ({count:,} texts)\n",
        EXPLAIN[section] + "\n",
        table(head, rows),
        "<details><summary>by class: right / wrong / refused</summary>\n",
        _by_class(scores),
        "</details>\n",
    ]


def _shares(total: Mapping[str, int]) -> list[str]:
    whole = sum(total.values()) or 1
    return [percent(total.get(verdict, 0), whole) for verdict in VERDICTS]


def _by_class(scores: Mapping[str, Any]) -> str:
    names = {name: None for score in scores.values() for name in score["classes"]}
    rows = [
        [name, *(_counts(score["classes"].get(name, {})) for score in scores.values())]
        for name in names
    ]
    return table(["class", *scores], rows)


def _counts(counts: Mapping[str, int]) -> str:
    return " / ".join(str(counts.get(verdict, 0)) for verdict in VERDICTS)


def _cost(rows: list[dict[str, Any]]) -> str:
    slips = [row["zkit / strict"] for row in rows if not row["class"].startswith("valid")]
    body = [["**median of slips**", "", f"{median(slips):.1f}", ""]] if slips else []
    body += [
        [
            row["class"],
            f"{row['strict_us']:.1f}",
            f"{row['zkit / strict']:.2f}",
            f"{row['worst']:.1f}",
        ]
        for row in rows
    ]
    note = (
        "Medians of CPU time, measured in turns in one process. `strict` is `model_validate_json` of the arguments"
        " that were meant; for the last rows, which are one tool declared in several ways, the plain validator of each.\n\n"
    )
    head = ["class", "strict, µs", "zkit / strict", "worst case"]
    return "## Cost\n\n" + note + table(head, body)


def write_results(found: Mapping[str, Any], folder: Path) -> None:
    """Write decode.json and decode.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "decode.json").write_text(compact_json(found), encoding="utf-8")
    (folder / "decode.md").write_text(page(found), encoding="utf-8")
