"""Write the scores as a page of tables and a JSON file."""

from __future__ import annotations

import json
import platform
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.scores import CUT_SECTIONS, Score

VERDICTS = ("right", "wrong", "shape", "refused")
CUT_VERDICTS = ("clean", "invented", "lost", "refused")
TWO_VERDICTS = ("right", "wrong")
SECTION_VERDICTS = {
    **dict.fromkeys(CUT_SECTIONS, CUT_VERDICTS),
    "no-json": TWO_VERDICTS,
    "not a value": TWO_VERDICTS,
}
NODE_PACKAGE = Path(__file__).parent / "node_modules" / "jsonrepair" / "package.json"
PACKAGES = (
    "zkit",
    "json-repair",
    "jsonmend",
    "repairjson",
    "fast-json-repair",
    "dirtyjson",
    "pyjson5",
    "baml-py",
    "pydantic-core",
)

Extra = Callable[[Mapping[str, Any], int], tuple[int, int]]
FITS: Mapping[str, Extra] = {
    "wrong, yet fits the schema": lambda score, whole: (score["wrong_but_fits"], whole),
}
COLLATERAL: Mapping[str, Extra] = {
    "collateral": lambda score, _whole: (score["collateral"], score["outside"]),
}
DEMANDED: Mapping[str, Extra] = {
    "not right, as the rules demand": lambda score, whole: (score["demanded"], whole),
}
UNMARKED: Mapping[str, Extra] = {
    "short, and not marked so": lambda score, whole: (score["unmarked"], whole),
}
EXTRAS: Mapping[str, Mapping[str, Extra]] = {
    "single": {**FITS, **COLLATERAL, **DEMANDED},
    "pairs": {**FITS, **DEMANDED},
    "unlisted": FITS,
    "edit1": FITS,
    **dict.fromkeys(CUT_SECTIONS, UNMARKED),
}

EXPLAIN = {
    "single": "One damage in each text. Right: equal to what was meant. Wrong: another object, silently. Shape: a list or a string where an object was expected. Refused: raised, empty, or (zkit) marked as incomplete. Wrong, yet fits the schema: nothing downstream can notice. Collateral: of the texts whose damage is outside every string, those that came back with a string changed. Not right, as the rules demand: without a schema a valid JSON string is left alone, of a draft and the final object neither is chosen (`several`), and a string that runs to the end of the text makes it a cut one. These are not counted as right.",
    "pairs": "Two different damages in each text.",
    "unlisted": "One damage of a kind that zkit makes no promise about.",
    "edit1": "One structural character deleted, doubled, swapped for another or with the next one, anywhere; texts that stay valid are left out.",
    "truncation": "Valid texts cut at every position. Clean: only parts of what was meant, and all that was complete. Invented: something that was not said. Lost: something complete is missing. Short, and not marked so: less than what was meant, without saying that the text was cut (no server's word on why it ended is given here).",
    "damaged+truncated": "Texts with one damage, cut at places after it.",
    "no-json": "Texts that hold no JSON object or list. Wrong: one came out.",
    "not a value": "An expression where a value is expected, or a string that repeats until the text ends. The only right answer is to refuse (or to say that it is incomplete).",
}


def summary(results: Mapping[str, Mapping[str, Score]], seed: int, cases: int) -> dict[str, Any]:
    """Everything that the page and the chart need, as plain data."""
    return {
        "seed": seed,
        "cases": cases,
        "python": platform.python_version(),
        "versions": dict(_versions()),
        "sections": {
            section: {name: score.plain() for name, score in scores.items()}
            for section, scores in results.items()
        },
    }


def _versions() -> Iterable[tuple[str, str]]:
    for name in PACKAGES:
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
    if NODE_PACKAGE.exists():
        yield "jsonrepair (node)", json.loads(NODE_PACKAGE.read_text(encoding="utf-8"))["version"]


def percent(part: int, whole: int) -> str:
    """A share with two digits, and a plain 0 for none at all."""
    return f"{100 * part / whole:.2f}" if part else "0"


def page(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    parts = [
        "# Recovery\n",
        f"Written by `python -m benchmarks.recovery`, seed {found['seed']}, {found['cases']} cases a class; "
        f"Python {found['python']}; {versions}. All figures but counts are percent.\n",
    ]
    for section, scores in found["sections"].items():
        parts += _section(section, scores)
    return "\n".join(parts)


def _section(section: str, scores: Mapping[str, Any]) -> list[str]:
    verdicts = SECTION_VERDICTS.get(section, VERDICTS)
    extras = EXTRAS.get(section, {})
    count = max((sum(score["total"].values()) for score in scores.values()), default=0)
    rows = [[name, *_shares(score, verdicts, extras)] for name, score in scores.items()]
    lines = [
        f"## {section} ({count:,} texts)\n",
        EXPLAIN[section] + "\n",
        table(["library", *verdicts, *extras], rows),
    ]
    ours = {name: score for name, score in scores.items() if name.startswith("zkit")}
    if section != "no-json":
        lines += _details("by class", "classes", ours, verdicts)
        lines += _details("by place of the cut", "kinds", ours, verdicts)
    return lines


def _shares(
    score: Mapping[str, Any], verdicts: Iterable[str], extras: Mapping[str, Extra]
) -> list[str]:
    whole = sum(score["total"].values())
    shares = [percent(score["total"].get(verdict, 0), whole) for verdict in verdicts]
    return shares + [percent(*extra(score, whole)) for extra in extras.values()]


def _details(
    title: str, part: str, ours: Mapping[str, Any], verdicts: tuple[str, ...]
) -> list[str]:
    names = {name: Counter(count) for score in ours.values() for name, count in score[part].items()}
    if not names or len(names) > 150:
        return []
    rows = []
    for name in names:
        counts = [Counter(score[part].get(name, {})) for score in ours.values()]
        rows.append(
            [name, str(counts[0].total()), *(_compact(count, verdicts) for count in counts)]
        )
    head = [title, "texts", *(f"{name}: {' / '.join(verdicts)}" for name in ours)]
    return [f"<details><summary>zkit {title}</summary>\n", table(head, rows), "</details>\n"]


def _compact(count: Counter[str], verdicts: Iterable[str]) -> str:
    whole = count.total() or 1
    return " / ".join(f"{100 * count[verdict] / whole:.0f}" for verdict in verdicts)


def table(head: list[str], rows: Iterable[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "\n".join("| " + " | ".join(row) + " |" for row in lines) + "\n"


def compact_json(found: Any) -> str:
    """Indented JSON with four digits a fraction, innermost objects and lists on one line each."""
    short = json.loads(json.dumps(found), parse_float=lambda digits: float(f"{float(digits):.4g}"))
    text = json.dumps(short, indent=1, ensure_ascii=False)
    innermost = re.compile(r"([\[{])\n\s+([^][{}]*?)\n\s+([\]}])")
    return innermost.sub(lambda at: at[1] + re.sub(r"\n\s+", " ", at[2]) + at[3], text) + "\n"


def write_results(found: Mapping[str, Any], folder: Path) -> None:
    """Write recovery.json and recovery.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "recovery.json").write_text(compact_json(found), encoding="utf-8")
    (folder / "recovery.md").write_text(page(found), encoding="utf-8")
