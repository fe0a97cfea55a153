"""Writes the page of tables and the JSON file of the extraction benchmark."""

from __future__ import annotations

import platform
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from benchmarks.extract_cases import Completion
from benchmarks.extract_rivals import Found
from benchmarks.judge import same
from benchmarks.recovery_page import compact_json, table

VERDICTS = ("right", "wrong", "missed")
PACKAGES = (
    "zkit",
    "google-adk",
    "qwen-agent",
    "smolagents",
    "langchain-classic",
    "llama-index-core",
)
EXPLAIN = (
    "Completions in all 96 formats with known calls. Right: exactly the calls that are there, in their order, and "
    "none of a call that was cut. Wrong: a call with other arguments, a call that is not there, or one that was cut. "
    "Missed: fewer calls, none of them wrong. Doubtful: found, and listed as calls that must be confirmed because text "
    "follows them; they count as found here. Text kept: of the completions read right, those whose visible text is "
    "what it should be (white space aside; a dash where the library has no opinion on it)."
)
EXPLAIN_NONE = (
    "Texts without a complete call: cut in a string or between two arguments, shown in a fence, quoted, rehearsed in reasoning, "
    "declared, and corpus/untouched. False call: any call to a tool that was offered."
)


def _counters() -> defaultdict[str, Counter[str]]:
    return defaultdict(Counter)


@dataclass(slots=True)
class Tally:
    """Counts for one library: by scenario, by format, and over all."""

    scenarios: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    formats: defaultdict[str, Counter[str]] = field(default_factory=_counters)
    total: Counter[str] = field(default_factory=Counter)

    def add(self, case: Completion, found: Found) -> tuple[str, bool | None]:
        """Judge what was found and count it; the flag says whether the text was kept."""
        verdict, kept = judge(case, found), kept_text(case, found)
        for counter in (self.total, self.scenarios[case.scenario], self.formats[case.format]):
            counter[verdict] += 1
            if found.doubtful:
                counter["doubtful"] += 1
            if verdict == "right" and kept is not None:
                counter["kept" if kept else "changed"] += 1
        return verdict, kept

    def plain(self) -> dict[str, Any]:
        """The counts as plain data."""
        return {
            "total": dict(self.total),
            "scenarios": {name: dict(count) for name, count in self.scenarios.items()},
            "formats": {name: dict(count) for name, count in self.formats.items()},
        }


def judge(case: Completion, found: Found) -> str:
    """right, wrong or missed."""
    due = list(case.calls)
    # A doubtful call was found; it counts where the completion holds one, and is no false call elsewhere.
    calls = [*found.calls, *found.doubtful] if due else found.calls
    for name, args in calls:
        while due and not _is_call(due[0], name, args):
            due.pop(0)
        if not due:
            return "wrong"
        due.pop(0)
    return "right" if len(calls) == len(case.calls) else "missed"


def _is_call(call: tuple[str, Any], name: str, args: Any) -> bool:
    return call[0] == name and same(dict(call[1]), args)


def kept_text(case: Completion, found: Found) -> bool | None:
    """Whether the visible text is what it should be; None where nobody says."""
    if case.content is None or found.content is None or found.doubtful:
        return None  # a doubtful call stays in the text
    return case.content.split() == found.content.split()


# ── the page ──────────────────────────────────────────────────────────────────


def summary(
    held: Mapping[str, Tally], none: Mapping[str, Tally], speed: Any, seed: int, cases: int
) -> dict[str, Any]:
    """Everything that the page needs, as plain data."""
    return {
        "seed": seed,
        "cases": cases,
        "python": platform.python_version(),
        "versions": {name: found for name in PACKAGES if (found := _version(name))},
        "calls": {name: tally.plain() for name, tally in held.items()},
        "no call": {name: tally.plain() for name, tally in none.items()},
        "speed": speed,
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def page(found: Mapping[str, Any]) -> str:
    """The whole page in Markdown."""
    used = ", ".join(f"{name} {number}" for name, number in found["versions"].items())
    head = f"# Calls out of text\n\nSeed {found['seed']}, Python {found['python']}, {used}.\n"
    parts = [head, *_calls(found["calls"]), *_none(found["no call"]), *_speed(found["speed"])]
    return "\n".join(parts)


def _calls(results: Mapping[str, Any]) -> list[str]:
    texts = max((_whole(score["total"]) for score in results.values()), default=0)
    rows = [
        [
            name,
            *(_percent(score["total"], verdict) for verdict in (*VERDICTS, "doubtful")),
            _kept(score["total"]),
        ]
        for name, score in results.items()
    ]
    parts = [
        f"## {texts:,} completions with calls\n\n{EXPLAIN}\n",
        table(["percent", *VERDICTS, "doubtful", "text kept"], rows),
        _by(results, "scenarios", "scenario"),
    ]
    return [*parts, _by(results, "formats", "format")] if results else parts


def _none(results: Mapping[str, Any]) -> list[str]:
    texts = max((_whole(score["total"]) for score in results.values()), default=0)
    rows = [
        [name, str(score["total"].get("wrong", 0)), _kept(score["total"])]
        for name, score in results.items()
    ]
    return [
        f"## {texts:,} texts without a call\n\n{EXPLAIN_NONE}\n",
        table(["library", "false calls", "text kept"], rows),
        _by(results, "scenarios", "kind of text", "wrong"),
    ]


def _by(results: Mapping[str, Any], part: str, title: str, verdict: str = "right") -> str:
    """One row for each scenario or format: the share of a verdict for every library."""
    names = list(dict.fromkeys(name for score in results.values() for name in score[part]))
    rows = []
    for name in names:
        counts = [score[part].get(name, {}) for score in results.values()]
        texts = max(map(_whole, counts))
        rows.append([name, str(texts), *(_percent(count, verdict) for count in counts)])
    body = table([title, "texts", *(f"{name}: {verdict}" for name in results)], rows)
    return f"<details><summary>by {title}</summary>\n\n{body}\n</details>\n"


def _whole(count: Mapping[str, int]) -> int:
    return sum(count.get(verdict, 0) for verdict in VERDICTS)


def _percent(count: Mapping[str, int], verdict: str) -> str:
    return f"{100 * count.get(verdict, 0) / (_whole(count) or 1):.1f}"


def _kept(count: Mapping[str, int]) -> str:
    kept, changed = count.get("kept", 0), count.get("changed", 0)
    return f"{100 * kept / (kept + changed):.1f}" if kept + changed else "–"


def _speed(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = [
        [row["text"], f"{row['ms_per_mb']:.1f}", f"{row['exponent']:.2f}", f"{row['largest']:,}"]
        for row in rows
    ]
    if not lines:
        return []
    head = ["text", "ms per MB", "exponent", "largest, characters"]
    note = "Time of `find_calls` by size of the text; the exponent of growth is 1 when linear.\n"
    return [f"## Speed\n\n{note}", table(head, lines)]


def write_results(found: Mapping[str, Any], folder: Path) -> None:
    """Write extract.json and extract.md."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "extract.json").write_text(compact_json(found), encoding="utf-8")
    (folder / "extract.md").write_text(page(found), encoding="utf-8")
