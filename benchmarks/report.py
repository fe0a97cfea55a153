"""The committed results in; the README's part, the chart and the page `docs/evidence.md` out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import evidence
from benchmarks.endtoend_page import short_table
from benchmarks.evidence import scored
from benchmarks.recovery_chart import STRICT, Scores, chart, number, share
from benchmarks.recovery_page import table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
MARKERS = re.compile(r"(<!-- results -->\n).*?(<!-- /results -->)", re.DOTALL)
Found = Mapping[str, Any]

_ENDTOEND = (
    "**One bad first turn, end to end**: the server spoils the first reply of the model and no later one. `ok, n` is"
    " the right answer after n requests; 2 is perfect, 3 where the reply must be refused.\n"
)
_PICTURE = "![What each library makes of broken tool-call arguments](docs/recovery.svg)\n"
_REST = (
    "*Wrong* is a result that differs from what was meant, without a word. Every rival, every figure, the time it takes"
    " and how it was measured: [docs/evidence.md](docs/evidence.md). Run it yourself: `make bench`.\n"
)


def compared(found: Found) -> list[tuple[str, str, Mapping[str, Scores], str]]:
    """What is compared: the title, our name there, the scores by library, and what is wrong."""
    rows: list[tuple[str, str, Mapping[str, Scores], str]] = []
    titles = {"single": "one damage", "pairs": "two damages", "edit1": "one random edit"}
    for section, title in titles.items():
        scores = found["recovery"]["sections"][section]
        rows.append((f"JSON with {title}", "zkit", scores, "wrong"))
        rows.append(("the same, schema given", "zkit + schema", scores, "wrong"))
    if found["decode"]:
        scores = found["decode"]["sections"]["one slip"]
        rows.append(("typed arguments with one slip", "zkit", scores, "wrong"))
    if found["extract"]:
        held = {name: scored(score) for name, score in found["extract"]["calls"].items()}
        rows.append(("completions that hold calls, in 96 formats", "zkit", held, "wrong"))
    return rows


def small_table(found: Found) -> str:
    """zkit beside the rival that is right most often, kind by kind."""
    head = ["percent", "zkit: right", "wrong", "best rival: right", "wrong", "which"]
    return table(head, [_compared_row(*row) for row in compared(found)])


def _compared_row(title: str, ours: str, scores: Mapping[str, Scores], wrong: str) -> list[str]:
    rivals = [name for name in scores if not name.startswith("zkit") and name != STRICT]
    best = max(rivals, key=lambda name: share(scores[name], "right"))
    count = sum(scores[ours]["total"].values())
    figures = [
        number(share(scores[name], verdict))
        for name in (ours, best)
        for verdict in ("right", wrong)
    ]
    return [f"{title} ({count:,})", *figures, best]


def readme_part(found: Found) -> str:
    """What stands between the markers of the README."""
    first = [_ENDTOEND, short_table(found["endtoend"])] if found["endtoend"] else []
    return "\n".join([*first, _PICTURE, small_table(found), _REST])


def put_between_markers(page: str, part: str) -> str:
    """The page with the part between its markers; unchanged when it has none."""
    return MARKERS.sub(lambda found: found[1] + part + found[2], page)


def committed() -> Found:
    """The results as they are committed; None for what was not measured yet."""
    files = {name: RESULTS / f"{name}.json" for name in evidence.PARTS}
    return {
        name: json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        for name, path in files.items()
    }


def main() -> None:
    """Write the chart, the page and the README's part from the committed results."""
    found = committed()
    if found["recovery"] is None:
        raise SystemExit("there are no results yet: run python -m benchmarks.recovery first")
    picture = chart(found["recovery"]["sections"]["single"])
    (ROOT / "docs" / "recovery.svg").write_text(picture, encoding="utf-8")
    (ROOT / "docs" / "evidence.md").write_text(evidence.page(found), encoding="utf-8")
    readme = ROOT / "README.md"
    page = readme.read_text(encoding="utf-8")
    readme.write_text(put_between_markers(page, readme_part(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
