"""Draw the scores of texts with one damage as stacked bars."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import Any

STRICT = "pydantic_core strict"
NAMES = {STRICT: "strict parser (pydantic_core)"}
# Modes that say nothing new in a small table; they are in recovery.md.
LEFT_OUT = ("pydantic_core partial", "json_repair stream_stable")

Scores = Mapping[str, Any]


def share(score: Scores, *verdicts: str) -> float:
    """The share of these verdicts, in percent."""
    total: Mapping[str, int] = score["total"]
    return 100 * sum(total.get(verdict, 0) for verdict in verdicts) / (sum(total.values()) or 1)


def ordered(single: Mapping[str, Scores]) -> list[str]:
    """zkit first, then the rivals, the most often right first, then the strict parser."""
    rivals = [
        name for name in single if not name.startswith("zkit") and name not in (*LEFT_OUT, STRICT)
    ]
    rivals.sort(key=lambda name: -share(single[name], "right"))
    ours = [name for name in single if name.startswith("zkit")]
    return [*ours, *rivals, *(name for name in single if name == STRICT)]


def figure(score: Scores, *verdicts: str) -> str:
    """The share of these verdicts in percent, for a table.

    None of n texts, or all of them, is no proof of 0 or 100 %: the table shows the bound that n texts
    give with 95 % confidence (3 / n, the rule of three).
    """
    value, count = share(score, *verdicts), sum(score["total"].values())
    bound = 300 / count if count else 100
    if value == 0:
        return f"< {_digits(bound)}"
    if value == 100:
        return f"> {min(100 - bound, 99.9):.1f}"
    return _digits(min(value, 99.9))


def _digits(value: float) -> str:
    return f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"


LEFT, BAR, ROW, TOP = 210, 420, 30, 70
PARTS = (("right", ("right",)), ("refused", ("refused", "shape")), ("wrong", ("wrong",)))
LEGEND = {"right": "right", "refused": "refused, or not even an object", "wrong": "silently wrong"}
STYLE = """
  text { font: 13px -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #1f2328 }
  .head { font-size: 15px; font-weight: 600 } .ours { font-weight: 700 } .small { font-size: 12px; fill: #59636e }
  .right { fill: #1a7f37 } .refused { fill: #c8ced5 } .wrong { fill: #cf222e }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc } .small { fill: #9198a1 }
    .right { fill: #3fb950 } .refused { fill: #3d444d } .wrong { fill: #f85149 }
  }
"""


def chart(single: Mapping[str, Scores]) -> str:
    """Stacked bars: right, refused, wrong, on texts with one damage."""
    names = ordered(single)
    width, height = LEFT + BAR + 190, TOP + ROW * len(names) + 10
    title = "Broken tool-call arguments with one damage: what each library makes of them"
    rows = [_row(name, single[name], TOP + ROW * at) for at, name in enumerate(names)]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img">',
            f"<title>{title}</title>",
            f"<style>{STYLE}</style>",
            f'<text class="head" x="10" y="24">{title}</text>',
            *_legend(),
            *rows,
            "</svg>\n",
        ]
    )


def _legend() -> list[str]:
    parts, x = [], LEFT
    for name, label in LEGEND.items():
        parts.append(f'<rect class="{name}" x="{x}" y="40" width="12" height="12" rx="2"/>')
        parts.append(f'<text class="small" x="{x + 18}" y="51">{label}</text>')
        x += 40 + 7 * len(label)
    return parts


def _row(name: str, score: Scores, y: int) -> str:
    ours = ' class="ours"' if name.startswith("zkit") else ""
    label = escape(NAMES.get(name, name))
    parts = [f'<text{ours} x="{LEFT - 10}" y="{y + 15}" text-anchor="end">{label}</text>']
    x = float(LEFT)
    for part, verdicts in PARTS:
        width = BAR * share(score, *verdicts) / 100
        parts.append(f'<rect class="{part}" x="{x:.1f}" y="{y}" width="{width:.1f}" height="20"/>')
        x += width
    figures = f"{figure(score, 'right')} % right, {figure(score, 'wrong')} % wrong"
    parts.append(f'<text class="small" x="{LEFT + BAR + 10}" y="{y + 15}">{escape(figures)}</text>')
    return "".join(parts)
