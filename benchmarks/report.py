"""Writes the tables of the README, the chart and `docs/evidence.md` from the committed results."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import cost_page, evidence
from benchmarks.evidence import scored
from benchmarks.recovery_chart import STRICT, Scores, chart, figure, share
from benchmarks.recovery_page import table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
PARTS = ("frameworks", "live", "results")
"""The generated parts of the README, each between two markers of that name."""
Found = Mapping[str, Any]

_OURS = (
    "Our own sets, made with the generators in `benchmarks/`: they show how zkit compares with"
    " others on damage that we thought of. *Wrong* is a result that silently differs from what was meant."
    " None of n texts is shown as less than 3 in n, the most that so many texts can show."
    " In the last row a call that must be confirmed, because text follows it, counts as found.\n"
)
_REST = (
    "Every rival, every figure, how it was measured and what it does not show: [docs/evidence.md](docs/evidence.md)."
    " Run it yourself: `make bench`.\n"
)


def compared(found: Found) -> list[tuple[str, str, Mapping[str, Scores], str]]:
    """What is compared: the title, our name there, the scores by library, and what is wrong."""
    rows: list[tuple[str, str, Mapping[str, Scores], str]] = []
    titles = {"single": "one damage", "pairs": "two damages"}
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
        figure(scores[name], verdict) for name in (ours, best) for verdict in ("right", wrong)
    ]
    return [f"{title} ({count:,})", *figures, best]


def frameworks_part(found: Found) -> str:
    """Right answers and wrong calls of each framework, bare and with zkit, whole and streamed."""
    if found["frameworks"] is None:
        return ""
    modes = ("whole, bare", "whole, zkit", "stream, bare", "stream, zkit")
    rows = [
        [name, *(_turns(ways.get(mode)) for mode in modes)]
        for name, ways in found["frameworks"].items()
    ]
    return table(["", *modes], rows)


def _turns(turns: Mapping[str, Mapping[str, int]] | None) -> str:
    """The right answers among the turns, and the wrong calls that ran, if there are any."""
    if not turns:
        return "–"
    right, wrong = (sum(turn[key] for turn in turns.values()) for key in ("right", "wrong"))
    return f"{right} of {len(turns)}" + (f", **{wrong} wrong**" if wrong else "")


def live_part(found: Found) -> str:
    """The table of the live run, with what was asked."""
    if found["live"] is None:
        return ""
    head = ["", "right function ran", "answered", "others that ran", "requests"]
    about = f"{found['live']['about']} `python -m benchmarks.live`\n"
    return f"{table(head, found['live']['rows'])}\n{about}"


def readme_parts(found: Found) -> dict[str, str]:
    """The text between the markers of the README."""
    return {
        "frameworks": frameworks_part(found),
        "live": live_part(found),
        "results": "\n".join([_OURS, small_table(found), _costs(found) + _REST]),
    }


def _costs(found: Found) -> str:
    return f"{cost_page.sentence(found['costs'])} " if found["costs"] else ""


def put_between_markers(page: str, parts: Mapping[str, str]) -> str:
    """The page with each part between its markers; unchanged when it has none."""
    for name, part in parts.items():
        markers = re.compile(rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
        page = markers.sub(lambda found, part=part: found[1] + part + found[2], page)  # type: ignore[misc]
    return page


def committed() -> Found:
    """The results as they are committed; None for what was not measured yet."""
    files = {name: RESULTS / f"{name}.json" for name in (*evidence.PARTS, "frameworks", "live")}
    return {
        name: json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
        for name, path in files.items()
    }


def main() -> None:
    """Write the chart, the page and the README's part from the committed results."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0]).parse_args()
    found = committed()
    if found["recovery"] is None:
        raise SystemExit("there are no results yet: run python -m benchmarks.recovery first")
    picture = chart(found["recovery"]["sections"]["single"])
    (ROOT / "docs" / "recovery.svg").write_text(picture, encoding="utf-8")
    (ROOT / "docs" / "evidence.md").write_text(evidence.page(found), encoding="utf-8")
    readme = ROOT / "README.md"
    page = readme.read_text(encoding="utf-8")
    readme.write_text(put_between_markers(page, readme_parts(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
