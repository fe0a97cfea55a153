"""Render the statistics of a batch as a self-contained page, as Markdown, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from pathlib import Path

from zkit.batch.columns import OUTCOMES
from zkit.batch.logs import BatchError
from zkit.batch.statistics import Statistics

COLOURS = {
    "exact": "#2e8b57", "repaired": "#d9a400", "calls": "#3f7fbf", "none": "#9a9a9a",
    "doubtful": "#c46fc4", "refused": "#c8442e", "missing": "#bbbbbb", "failed": "#5c1a1a",
}  # fmt: skip
MOST_BARS = 25
_STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --dim: #6b6b6b; --line: #d8d8d8; --page: #fff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8e8e8; --dim: #a0a0a0; --line: #3a3a3a; --page: #161616; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .25rem .5rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
code, pre { font: 13px/1.4 ui-monospace, monospace; } pre { white-space: pre-wrap; word-break: break-word; margin: .25rem 0; }
.bar { display: inline-block; height: .8rem; vertical-align: middle; } .dim { color: var(--dim); }
svg text { fill: var(--dim); font-size: 11px; } .key span { margin-right: 1rem; } .key i { display: inline-block; width: .8rem; height: .8rem; margin-right: .3rem; vertical-align: middle; }
"""


def render_report(found: Statistics, path: str | Path) -> str:
    """Return the report in the format of a path's suffix: .html, .md or .json."""
    suffix = Path(path).suffix
    if suffix not in _RENDER:
        raise BatchError(f"{path}: a report is .html, .md or .json")
    return _RENDER[suffix](found)


def as_json(found: Statistics) -> str:
    """Return the statistics as one JSON object."""
    return json.dumps(found.to_dict(), ensure_ascii=False, indent=2) + "\n"


def headline(found: Statistics) -> str:
    """Return the summary of a batch in one sentence."""
    return (
        f"{found.rows:,} rows: {found.share('damaged'):.1f} % were not valid as they were,"
        f" {found.saved:,} of them could be used with zkit and would have been lost without,"
        f" {found.outcomes.get('refused', 0):,} were refused."
    )


# ── Markdown ─────────────────────────────────────────────────────────────────


def as_markdown(found: Statistics) -> str:
    """Return the report for a pull request or a job summary."""
    parts = ["# Replies in this log", headline(found)]
    for title, counts in _sections(found):
        if counts:
            parts += [f"## {title}", _markdown_table(counts, found.rows)]
    if found.models:
        parts += ["## By model", _markdown_models(found)]
    if found.patterns:
        parts.append("## Most frequent patterns")
        for one in found.patterns:
            example = one.example.replace("`", "'").replace("\n", "⏎")
            parts.append(
                f"**{one.name}**: {one.rows:,} rows ({one.share:.1f} %). {one.advice}".rstrip()
                + (f"\n\n`{example}`" if example else "")
            )
    return "\n\n".join(parts) + "\n"


def _sections(found: Statistics) -> list[tuple[str, Mapping[str, int]]]:
    return [
        ("Outcomes", found.outcomes),
        ("Ranks of repair", found.ranks),
        ("Reasons for refusal", found.reasons),
        ("Fixes", found.fixes),
        ("Tools called", found.tools),
    ]


def _markdown_table(counts: Mapping[str, int], rows: int) -> str:
    lines = ["| | rows | % |", "|---|--:|--:|"]
    for name, count in list(counts.items())[:MOST_BARS]:
        lines.append(f"| {_cell(name)} | {count:,} | {100 * count / max(1, rows):.1f} |")
    return "\n".join(lines)


def _markdown_models(found: Statistics) -> str:
    names = [name for name in OUTCOMES if name in found.outcomes]
    lines = [f"| model | {' | '.join(names)} |", f"|---|{'--:|' * len(names)}"]
    for model, counts in list(found.models.items())[:MOST_BARS]:
        cells = " | ".join(f"{counts.get(name, 0):,}" for name in names)
        lines.append(f"| {_cell(model)} | {cells} |")
    return "\n".join(lines)


def _cell(name: str) -> str:
    return name.replace("|", "\\|").replace("\n", " ")


# ── HTML ─────────────────────────────────────────────────────────────────────


def as_html(found: Statistics) -> str:
    """Return a page without scripts and without anything that is fetched."""
    body = [f"<h1>Replies in this log</h1><p>{escape(headline(found))}</p>", _key(found)]
    if len(found.days) > 1:
        body.append(f"<h2>Over time</h2>{_stacked_days(found)}")
    if found.models:
        body.append(f"<h2>By model</h2>{_stacked_models(found)}")
    for title, counts in _sections(found):
        if counts:
            body.append(f"<h2>{title}</h2>{_bars(counts, found.rows)}")
    if found.patterns:
        body.append(f"<h2>Most frequent patterns, and what to change</h2>{_patterns(found)}")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>zkit: replies in this log</title><style>{_STYLE}</style>"
        f"<body>{''.join(body)}</body></html>\n"
    )


def _colour(outcome: str) -> str:
    return COLOURS.get(outcome, "#888888")


def _key(found: Statistics) -> str:
    entries = "".join(
        f'<span title="{escape(OUTCOMES.get(name, ""))}"><i style="background:{_colour(name)}"></i>{escape(name)}</span>'
        for name in found.outcomes
    )
    return f'<p class="key">{entries}</p>'


def _bars(counts: Mapping[str, int], rows: int) -> str:
    most = max(counts.values())
    lines = []
    for name, count in list(counts.items())[:MOST_BARS]:
        width = 100 * count / most
        bar = f'<span class="bar" style="width:{width:.1f}%;background:{_colour(name)}"></span>'
        share = 100 * count / max(1, rows)
        lines.append(
            f'<tr><td>{escape(name)}</td><td class="n">{count:,}</td>'
            f'<td class="n">{share:.1f} %</td><td style="width:50%">{bar}</td></tr>'
        )
    hidden = len(counts) - MOST_BARS
    more = f'<tr><td class="dim" colspan="4">and {hidden} more</td></tr>' if hidden > 0 else ""
    return f"<table>{''.join(lines)}{more}</table>"


def _stacked_models(found: Statistics) -> str:
    lines = []
    for model, counts in list(found.models.items())[:MOST_BARS]:
        total = sum(counts.values())
        bar = "".join(
            f'<span class="bar" style="width:{100 * count / total:.2f}%;background:{_colour(name)}"'
            f' title="{escape(name)}: {count:,}"></span>'
            for name, count in sorted(counts.items())
        )
        lines.append(
            f'<tr><td>{escape(model)}</td><td class="n">{total:,}</td>'
            f'<td style="width:60%"><div style="display:flex">{bar}</div></td></tr>'
        )
    return f"<table>{''.join(lines)}</table>"


def _stacked_days(found: Statistics) -> str:
    """Return the outcomes of each day as stacked columns, as shares of that day."""
    days = list(found.days.items())[-120:]
    width, height = 900, 160
    step = width / len(days)
    shapes = []
    for at, (day, counts) in enumerate(days):
        total, top = sum(counts.values()), 0.0
        for name in OUTCOMES:
            share = height * counts.get(name, 0) / total
            if share:
                shapes.append(
                    f'<rect x="{at * step:.1f}" y="{top:.1f}" width="{max(1.0, step - 1):.1f}"'
                    f' height="{share:.1f}" fill="{_colour(name)}">'
                    f"<title>{escape(day)} {name}: {counts[name]:,}</title></rect>"
                )
                top += share
    labels = "".join(
        f'<text x="{x}" y="{height + 14}" text-anchor="{anchor}">{escape(day)}</text>'
        for x, anchor, day in ((0, "start", days[0][0]), (width, "end", days[-1][0]))
    )
    return f'<svg viewBox="0 0 {width} {height + 20}" width="100%" role="img">{"".join(shapes)}{labels}</svg>'


def _patterns(found: Statistics) -> str:
    lines = []
    for one in found.patterns:
        example = f"<pre>{escape(one.example)}</pre>" if one.example else ""
        lines.append(
            f'<tr><td class="n">{one.rows:,}<br><span class="dim">{one.share:.1f} %</span></td>'
            f"<td><b>{escape(one.name)}</b><br>{escape(one.advice)}{example}</td></tr>"
        )
    return f"<table>{''.join(lines)}</table>"


_RENDER = {".html": as_html, ".md": as_markdown, ".json": as_json}
