"""The committed results in, the README's table and the chart `docs/recovery.svg` out."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.endtoend_page import readme_table
from benchmarks.recovery_page import table

ROOT = Path(__file__).parent.parent
RESULTS = ROOT / "benchmarks" / "results"
MARKERS = re.compile(r"(<!-- results -->\n).*?(<!-- /results -->)", re.DOTALL)
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


# ── the table ─────────────────────────────────────────────────────────────────

COLUMNS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("one damage: right", "single", ("right",)),
    ("wrong", "single", ("wrong",)),
    ("two damages: right", "pairs", ("right",)),
    ("wrong", "pairs", ("wrong",)),
    ("one random edit: right", "edit1", ("right",)),
    ("wrong", "edit1", ("wrong",)),
    ("cut: clean", "truncation", ("clean",)),
    ("invented", "truncation", ("invented",)),
    ("no JSON: made up", "no-json", ("wrong",)),
)


def results_table(found: Mapping[str, Any]) -> str:
    """One row for each library, in percent."""
    sections = found["sections"]
    head = ["percent of texts", *(title for title, _, _ in COLUMNS)]
    rows = []
    for name in ordered(sections["single"]):
        cells = [
            _number(share(sections[section][name], *verdicts)) for _, section, verdicts in COLUMNS
        ]
        label = NAMES.get(name, name)
        rows.append([f"**{label}**" if name.startswith("zkit") else label, *cells])
    return table(head, rows)


def _number(value: float) -> str:
    return "0" if value == 0 else f"{value:.1f}" if value >= 0.1 else f"{value:.2f}"


def counts_line(found: Mapping[str, Any]) -> str:
    """How many texts there were, and where the rest is."""
    counts = {
        section: max(sum(score["total"].values()) for score in scores.values())
        for section, scores in found["sections"].items()
    }
    total = sum(counts.values())
    return (
        f"{total:,} generated texts with known truth ({counts['single']:,} with one damage of "
        f"{len(found['sections']['single']['zkit']['classes']) - 1} classes), seed {found['seed']}. "
        "*Wrong* is an object that differs from what was meant, without a word. The rest was refused, or was not even an object. "
        "All figures: [recovery.md](benchmarks/results/recovery.md), [speed.md](benchmarks/results/speed.md); run them yourself with `make bench`.\n"
    )


def speed_line(found: Mapping[str, Any]) -> str:
    """The three figures of speed that matter."""
    valid = median(row["zkit"] for row in found["valid"])
    damaged = median(row["zkit / strict"] for row in found["damaged"])
    rival = "json_repair / zkit"
    slower = [row[rival] for row in found["damaged"] if rival in row]
    growth = [row["exponent"] for row in found["growth"] if row["group"] != "strict parser"]
    strict = [row["exponent"] for row in found["growth"] if row["group"] == "strict parser"]
    against = (
        f", where json_repair takes {median(slower):.1f} times as long as zkit" if slower else ""
    )
    return (
        f"Time: on valid input {valid:.2f} times the strict parser; on small damaged payloads {damaged:.0f} times "
        f"the strict parse of the undamaged one{against}. From 1 KB to 1 MB the steepest growth exponent of "
        f"{len(growth)} inputs is {max(growth):.2f} (1 is linear; the strict parser's own is {max(strict):.2f}).\n"
    )


# ── the chart ─────────────────────────────────────────────────────────────────

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
    figures = f"{_number(share(score, 'right'))} % right, {_number(share(score, 'wrong'))} % wrong"
    parts.append(f'<text class="small" x="{LEFT + BAR + 10}" y="{y + 15}">{figures}</text>')
    return "".join(parts)


# ── writing ───────────────────────────────────────────────────────────────────


def decode_part(found: Mapping[str, Any]) -> str:
    """Typed arguments: what was written by hand, what was generated, what nobody can read."""
    head = ["percent of payloads", "written: right", "wrong", "one slip: right", "wrong"]
    rows = [[_label(name), *_decoded(found["sections"], name)] for name in _by_right(found)]
    counts = {
        section: sum(scores["zkit"]["total"].values())
        for section, scores in found["sections"].items()
    }
    return (
        f"**Typed arguments** ({counts['written']:,} payloads written for eighteen tools, {counts['one slip']:,} "
        f"with one generated slip, {counts['unreadable']:,} that nobody can read; "
        "[decode.md](benchmarks/results/decode.md)):\n\n"
        + table([*head, "unreadable: run all the same"], rows)
    )


def _by_right(found: Mapping[str, Any]) -> list[str]:
    scores = found["sections"]["one slip"]
    rivals = [name for name in scores if not name.startswith("zkit")]
    return ["zkit", *sorted(rivals, key=lambda name: -share(scores[name], "right"))]


def _decoded(sections: Mapping[str, Any], name: str) -> list[str]:
    written, slip, none = (sections[part][name] for part in ("written", "one slip", "unreadable"))
    shares = [(written, "right"), (written, "wrong"), (slip, "right"), (slip, "wrong")]
    return [_number(share(*one)) for one in [*shares, (none, "wrong")]]


def extract_part(found: Mapping[str, Any]) -> str:
    """Calls out of text: found, wrong, and made where there is none."""
    held, none = found["calls"], found["no call"]
    rivals = [name for name in held if name != "zkit"]
    rivals.sort(key=lambda name: -share(scored(held[name]), "right"))
    head = ["percent of completions", "calls right", "wrong", "no call there: false calls"]
    rows = [[_label(name), *_extracted(held, none, name)] for name in ["zkit", *rivals]]
    counts = [sum(scored(part["zkit"])["total"].values()) for part in (held, none)]
    return (
        f"**Calls out of text** ({counts[0]:,} completions in {len(held['zkit']['formats'])} formats, and "
        f"{counts[1]:,} without a complete call; [extract.md](benchmarks/results/extract.md)):\n\n"
        + table(head, rows)
    )


def _extracted(held: Mapping[str, Any], none: Mapping[str, Any], name: str) -> list[str]:
    shares = [(held[name], "right"), (held[name], "wrong"), (none[name], "wrong")]
    return [_number(share(scored(score), verdict)) for score, verdict in shares]


def scored(score: Scores) -> Scores:
    """The counts of verdicts alone, without those of kept texts."""
    total = {name: score["total"].get(name, 0) for name in ("right", "wrong", "missed")}
    return {"total": total}


def _label(name: str) -> str:
    return f"**{name}**" if name.startswith("zkit") else name


def endtoend_part(found: Mapping[str, Any]) -> str:
    """One bad first turn, end to end, beside the frameworks."""
    return (
        "**One bad first turn, end to end.** A scripted server spoils the first reply of a model and no later one;"
        " `ok, n` is the right answer after n requests (2 is perfect; 3 where the first reply must be refused)."
        " *Raw text*: the call is shown to the user as the answer. *Wrong call*: a tool ran with arguments that"
        f" nobody meant. {len(found['turns'])} first turns, these among them; `+ wrap` is the same framework over"
        " `zkit.wrap(client)`"
        " ([endtoend.md](benchmarks/results/endtoend.md)):\n\n" + readme_table(found)
    )


def readme_part(found: Mapping[str, Any]) -> str:
    """What stands between the markers."""
    recovery = found["recovery"]
    picture = "![What each library makes of broken tool-call arguments](docs/recovery.svg)\n"
    parts = [endtoend_part(found["endtoend"])] if found.get("endtoend") is not None else []
    parts += [picture, "**Broken JSON**:\n", results_table(recovery), counts_line(recovery)]
    for name, part in (("speed", speed_line), ("decode", decode_part), ("extract", extract_part)):
        if found.get(name) is not None:
            parts.append(part(found[name]))
    return "\n".join(parts)


def put_between_markers(page: str, part: str) -> str:
    """The page with the part between its markers; unchanged when it has none."""
    return MARKERS.sub(lambda found: found[1] + part + found[2], page)


def _read(name: str) -> Any:
    path = RESULTS / name
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None


def main() -> None:
    """Write the chart and the README's part from the committed results."""
    found = {
        name: _read(f"{name}.json")
        for name in ("endtoend", "recovery", "speed", "decode", "extract")
    }
    recovery = found["recovery"]
    if recovery is None:
        raise SystemExit(
            f"{RESULTS / 'recovery.json'} is missing: run python -m benchmarks.recovery first"
        )
    (ROOT / "docs" / "recovery.svg").write_text(
        chart(recovery["sections"]["single"]), encoding="utf-8"
    )
    readme = ROOT / "README.md"
    page = readme.read_text(encoding="utf-8")
    readme.write_text(put_between_markers(page, readme_part(found)), encoding="utf-8")


if __name__ == "__main__":
    main()
