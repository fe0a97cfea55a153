"""What a finished batch shows: counts by outcome, model, day, rank, reason and tool, and advice."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from zkit.batch.logs import BatchError
from zkit.json_types import JsonMapping, JsonObject
from zkit.masking import without_secrets

MOST_PATTERNS = 12
"""Patterns that a report lists; the rest is counted. Twelve cover over 90 % of the rows of our logs."""
MOST_KINDS = 5_000
"""How many different models, days, tools or patterns are counted separately; hostile logs have many."""
EXAMPLE = 240
"""Characters of an example."""
OTHER = "(others)"
GOOD = frozenset({"exact", "repaired", "calls"})
STRICT = frozenset({"exact", "none", "missing"})
"""Outcomes that a strict parser, or a server's own parser, would have reached too."""


@dataclass(slots=True)
class Pattern:
    """Rows whose damage has the same fixes or the same reason, with an example without secrets."""

    name: str
    rows: int
    share: float
    example: str
    advice: str


@dataclass(slots=True)
class Statistics:
    """Everything that a report shows."""

    rows: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)
    fixes: dict[str, int] = field(default_factory=dict)
    tools: dict[str, int] = field(default_factory=dict)
    models: dict[str, dict[str, int]] = field(default_factory=dict)
    days: dict[str, dict[str, int]] = field(default_factory=dict)
    saved: int = 0
    patterns: list[Pattern] = field(default_factory=list)

    def to_dict(self) -> JsonObject:
        """Return the statistics as plain data, for `json.dumps`."""
        return asdict(self)

    def share(self, outcome: str) -> float:
        """Return the percentage of rows with an outcome; `damaged` is all that was not valid."""
        if outcome == "damaged":
            count = self.rows - sum(self.outcomes.get(one, 0) for one in STRICT)
        else:
            count = self.outcomes.get(outcome, 0)
        return 100 * count / self.rows if self.rows else 0.0


class _Seen:
    """Counts of names; beyond a limit, further names are counted together."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()

    def add(self, name: str) -> str:
        known = name if name in self.counts or len(self.counts) < MOST_KINDS else OTHER
        self.counts[known] += 1
        return known


def collect(rows: Iterable[JsonMapping]) -> Statistics:
    """Read the rows that a batch wrote, once, and return what they show."""
    made = Statistics()
    seen = {name: _Seen() for name in ("outcome", "rank", "reason", "fix", "tool", "model", "day")}
    patterns, examples = _Seen(), dict[str, str]()
    for row in rows:
        made.rows += 1
        outcome = seen["outcome"].add(str(row.get("outcome")))
        made.saved += outcome in GOOD and outcome not in STRICT
        if row.get("rank"):
            seen["rank"].add(str(row["rank"]))
        if row.get("reason"):
            seen["reason"].add(str(row["reason"]))
        for name in dict.fromkeys(row.get("fixes") or ()):
            seen["fix"].add(str(name))
        for name in _tools(row.get("calls")):
            seen["tool"].add(name)
        for kind, table, value in (
            ("model", made.models, row.get("model")),
            ("day", made.days, day_of(row.get("time"))),
        ):
            if value is not None:
                counts = table.setdefault(seen[kind].add(str(value)), {})
                counts[outcome] = counts.get(outcome, 0) + 1
        name = pattern_of(row)
        if name is not None:
            known = patterns.add(name)
            if known not in examples and row.get("text"):
                examples[known] = _example(str(row["text"]))
    made.outcomes, made.ranks = _sorted(seen["outcome"]), _sorted(seen["rank"])
    made.reasons, made.fixes = _sorted(seen["reason"]), _sorted(seen["fix"])
    made.tools, made.days = _sorted(seen["tool"]), dict(sorted(made.days.items()))
    made.patterns = [
        Pattern(name, count, 100 * count / made.rows, examples.get(name, ""), advice_for(name))
        for name, count in patterns.counts.most_common(MOST_PATTERNS)
    ]
    return made


def _sorted(seen: _Seen) -> dict[str, int]:
    return dict(seen.counts.most_common())


def _tools(calls: object) -> list[str]:
    try:
        listed = json.loads(calls) if isinstance(calls, str) else ()
    except ValueError:
        return []
    return [str(one.get("name")) for one in listed if isinstance(one, dict)]


def pattern_of(row: JsonMapping) -> str | None:
    """Return the name of a row's damage: its reason, or its fixes; None for a row without any."""
    if row.get("reason"):
        return f"{row.get('outcome')}: {row['reason']}"
    names = sorted(set(row.get("fixes") or ()))
    if names:
        return ", ".join(names[:4]) + (", …" if len(names) > 4 else "")
    return "calls left in the text" if row.get("outcome") == "calls" else None


def _example(text: str) -> str:
    """Return the beginning of a text, without secrets."""
    return without_secrets(text[: 4 * EXAMPLE])[:EXAMPLE]


def day_of(time: object) -> str | None:
    """Return the day of a timestamp (seconds, milliseconds or ISO 8601) as YYYY-MM-DD, or None."""
    if time is None:
        return None
    text = str(time)
    if re.fullmatch(r"\d{4}-\d\d-\d\d.*", text):
        return text[:10]
    try:
        seconds = float(text)
        stamp = datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None
    return stamp.date().isoformat()


# ── advice ───────────────────────────────────────────────────────────────────


class Advice(NamedTuple):
    """What to change when a pattern is frequent."""

    pattern: re.Pattern[str]
    text: str


ADVICE = tuple(
    Advice(re.compile(pattern), text)
    for pattern, text in (
        (r"truncated|cut|length|close_|end_", "Replies end too early: raise max_tokens, or ask for shorter values."),
        (r"fence|prose|unwrap", "The model wraps its JSON: use response_format or a grammar if the server has one; zkit unwraps it otherwise."),
        (r"calls left in the text", "The server leaves calls in the text: start it with its tool parser, or keep zkit in front of it."),
        (r"unknown_tool|respell_tool", "Names of tools are misspelt: give fewer tools, and names without rare words."),
        (r"several|ambiguous", "Replies hold more than one value: ask for one call at a time."),
        (r"expression|not_json|empty|no_json", "The model writes code or prose: show it one example of a call."),
        (r"invalid_arguments|missing|unknown_key", "Arguments do not fit the schema: shorten it, and describe each field with an example."),
        (r"unescaped|quote|escape", "Strings with quotes or line ends break: pass long texts through a file, or use a format with tags."),
        (r"python|literal|respell|single", "The model writes Python literals: nothing is lost, a JSON example in the prompt reduces it."),
        (r"number|boolean|coerce|_from_", "Values have other types than the schema: zkit converts them; name the type in the description."),
        (r"comma|colon|closer|bracket", "Punctuation is missing: lower the temperature, or use a grammar."),
    )
)  # fmt: skip
"""The first row that matches the name of a pattern gives its advice."""


def advice_for(pattern: str) -> str:
    """Return what to change when a pattern is frequent, or an empty text."""
    return next((one.text for one in ADVICE if one.pattern.search(pattern)), "")


# ── thresholds ───────────────────────────────────────────────────────────────

_THRESHOLD = re.compile(r"\s*(\w+)\s*(>=?)\s*(\d+(?:\.\d+)?)\s*(%?)\s*")


def broken_thresholds(found: Statistics, limits: Sequence[str]) -> list[str]:
    """Return the limits, such as `refused>5%` or `failed>0`, that the statistics exceed.

    Names are outcomes, or `damaged` for everything that was not valid. Raises `BatchError` for a
    limit that cannot be read.
    """
    return [limit for limit in limits if _exceeds(found, limit)]


def _exceeds(found: Statistics, limit: str) -> bool:
    match = _THRESHOLD.fullmatch(limit)
    if match is None:
        raise BatchError(f"{limit!r} is not a threshold; write refused>5% or failed>0")
    name, sign, number, percent = match.groups()
    share = found.share(name)
    value = share if percent else share * found.rows / 100
    return value >= float(number) if sign == ">=" else value > float(number) + 1e-9
