"""Reads recorded completions of small models and reports the outcome of each:
`results/recorded.md`.

The completions were recorded from a local server without parser or grammar, on prompts that ask for
one of ten tools in six styles (`corpus/wild/recorded.json`).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.recovery_page import table
from zkit import Decoded, decode, find_calls
from zkit.cases import Recorded, recordings
from zkit.schema import offered

HERE = Path(__file__).parent
FATES = (
    "a call to the tool asked for",
    "a call to another tool",
    "refused: the arguments",
    "refused: in the text",
    "incomplete",
    "an unknown tool",
    "no call",
)


class Fate(NamedTuple):
    """The outcome of one completion."""

    model: str
    style: str
    prompt: str
    fate: str
    detail: str


def fates() -> Iterator[Fate]:
    """Every recorded completion, through extract and decode."""
    recorded = recordings()
    known = offered(recorded.tools)
    for one in recorded.completions:
        found = find_calls(one.raw, recorded.tools, finish_reason=one.finish_reason)
        fate, detail = _fate(found, known, one)
        yield Fate(one.model, one.style, one.prompt, fate, detail)


def _fate(found: Any, known: Any, row: Recorded) -> tuple[str, str]:
    for call in found.calls[:1]:
        outcome = decode(known[call.name].parameters, call.arguments)
        if not isinstance(outcome, Decoded):
            return FATES[2], outcome.message.splitlines()[1]
        asked = call.name == row.expected
        shown = f"{call.name}({json.dumps(outcome.value, ensure_ascii=False)}) as {call.origin}"
        return FATES[0] if asked else FATES[1], shown
    told = [one for one in found.refused if one.message]
    if told:
        return FATES[3], told[0].reason
    if found.incomplete:
        return FATES[4], str(found.incomplete[0].name)
    if found.unknown:
        return FATES[5], found.unknown[0].name
    return FATES[6], row.raw.strip().split("\n")[0][:80]


def page(found: list[Fate]) -> str:
    """The counts by model and style, then each completion."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for one in found:
        counts[one.model, one.style][one.fate] += 1
    rows = [
        [model, style, *(str(count[fate]) for fate in FATES)]
        for (model, style), count in sorted(counts.items())
    ]
    each = [[one.model, one.style, one.prompt, one.fate, f"`{one.detail}`"] for one in found]
    return "\n".join(
        [
            "# Recorded completions of small models\n",
            f"{len(found)} completions through `find_calls` and `decode`; `python -m benchmarks.recorded` writes this page.\n",
            table(["model", "style", *FATES], rows),
            "## Each of them\n",
            table(["model", "style", "asked", "what became of it", "detail"], _safe(each)),
        ]
    )


def _safe(rows: list[list[str]]) -> list[list[str]]:
    return [[cell.replace("|", r"\|").replace("\n", " ") for cell in row] for row in rows]


def main() -> None:
    """Print the counts and write the page."""
    text = page(list(fates()))
    (HERE / "results" / "recorded.md").write_text(text, encoding="utf-8")
    print(text.partition("## Each")[0])


if __name__ == "__main__":
    main()
