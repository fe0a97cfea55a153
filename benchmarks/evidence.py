"""Writes the page `docs/evidence.md`: every committed result beside the rivals."""

from __future__ import annotations

from collections.abc import Mapping
from statistics import median
from typing import Any

from benchmarks import cost_page
from benchmarks.endtoend_page import long_table
from benchmarks.recovery_chart import NAMES, Scores, figure, ordered, share
from benchmarks.recovery_page import table

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
        cells = [figure(sections[section][name], *verdicts) for _, section, verdicts in COLUMNS]
        label = NAMES.get(name, name)
        rows.append([f"**{label}**" if name.startswith("zkit") else label, *cells])
    return table(head, rows)


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
        "All figures: [recovery.md](../benchmarks/results/recovery.md), [speed.md](../benchmarks/results/speed.md); run them yourself with `make bench`.\n"
    )


def speed_line(found: Mapping[str, Any]) -> str:
    """The figures of speed that matter."""
    valid = median(row["zkit"] for row in found["valid"])
    damaged = median(row["zkit / strict"] for row in found["damaged"])
    guided = median(row["zkit + schema / strict"] for row in found["damaged"])
    rival = "json_repair / zkit"
    slower = [row[rival] for row in found["damaged"] if rival in row]
    growth = [row["exponent"] for row in found["growth"] if row["group"] != "strict parser"]
    strict = [row["exponent"] for row in found["growth"] if row["group"] == "strict parser"]
    against = (
        f", where json_repair takes {median(slower):.1f} times as long as zkit" if slower else ""
    )
    return (
        f"On valid input {valid:.2f} times the strict parser; on small damaged payloads {damaged:.0f} times "
        f"the strict parse of the undamaged one ({guided:.0f} times with a schema){against}. From 1 KB to 10 MB the median growth exponent of "
        f"{len(growth)} inputs is {median(growth):.2f} and the steepest {max(growth):.2f} (1 is linear; the strict parser's own are "
        f"{median(strict):.2f} and {max(strict):.2f}). A steep one may be a step, where a text outgrows the short ways and is searched.\n"
    )


def decode_part(found: Mapping[str, Any]) -> str:
    """Typed arguments: what was written by hand, what was generated, what nobody can read."""
    head = ["percent of payloads", "written: right", "wrong", "one slip: right", "wrong"]
    rows = [[_label(name), *_decoded(found["sections"], name)] for name in _by_right(found)]
    counts = {
        section: sum(scores["zkit"]["total"].values())
        for section, scores in found["sections"].items()
    }
    return (
        f"## Typed arguments\n\n{counts['written']:,} payloads written for eighteen tools, {counts['one slip']:,} "
        f"with one generated slip, {counts['unreadable']:,} that nobody can read; "
        "[decode.md](../benchmarks/results/decode.md).\n\n"
        + table([*head, "unreadable: run all the same"], rows)
    )


def _by_right(found: Mapping[str, Any]) -> list[str]:
    scores = found["sections"]["one slip"]
    rivals = [name for name in scores if not name.startswith("zkit")]
    return ["zkit", *sorted(rivals, key=lambda name: -share(scores[name], "right"))]


def _decoded(sections: Mapping[str, Any], name: str) -> list[str]:
    written, slip, none = (sections[part][name] for part in ("written", "one slip", "unreadable"))
    shares = [(written, "right"), (written, "wrong"), (slip, "right"), (slip, "wrong")]
    return [figure(*one) for one in [*shares, (none, "wrong")]]


def extract_part(found: Mapping[str, Any]) -> str:
    """Calls out of text: found, wrong, and made where there is none."""
    held, none = found["calls"], found["no call"]
    rivals = [name for name in held if name != "zkit"]
    rivals.sort(key=lambda name: -share(scored(held[name]), "right"))
    head = ["percent of completions", "calls right", "wrong", "no call there: false calls"]
    rows = [[_label(name), *_extracted(held, none, name)] for name in ["zkit", *rivals]]
    counts = [sum(scored(part["zkit"])["total"].values()) for part in (held, none)]
    return (
        f"## Calls out of text\n\n{counts[0]:,} completions in {len(held['zkit']['formats'])} formats, and "
        f"{counts[1]:,} without a complete call; [extract.md](../benchmarks/results/extract.md).\n\n"
        + table(head, rows)
    )


def _extracted(held: Mapping[str, Any], none: Mapping[str, Any], name: str) -> list[str]:
    shares = [(held[name], "right"), (held[name], "wrong"), (none[name], "wrong")]
    return [figure(scored(score), verdict) for score, verdict in shares]


def scored(score: Scores) -> Scores:
    """The counts of verdicts alone, without those of kept texts."""
    total = {name: score["total"].get(name, 0) for name in ("right", "wrong", "missed")}
    return {"total": total}


def _label(name: str) -> str:
    return f"**{name}**" if name.startswith("zkit") else name


def endtoend_part(found: Mapping[str, Any]) -> str:
    """One bad first turn, end to end, beside the frameworks and under them."""
    return (
        "## One bad first turn, end to end\n\nA scripted server spoils the first reply of a model and no later one;"
        " `ok, n` is the right answer after n requests (2 is perfect; 3 where the first reply must be refused)."
        " *Raw text*: the call is shown to the user as the answer. *Wrong call*: a tool ran with arguments that"
        f" nobody meant. {len(found['turns'])} first turns, these among them; `+ wrap` is the same framework over"
        " `zkit.wrap(client)`. All: [endtoend.md](../benchmarks/results/endtoend.md).\n\n"
        + long_table(found)
    )


def recovery_part(found: Mapping[str, Any]) -> str:
    """Broken JSON: right, wrong and made up, by kind of damage."""
    return "\n".join(["## Broken JSON\n", results_table(found), counts_line(found)])


def costs_part(found: Mapping[str, Any]) -> str:
    """What zkit costs before and beside the work."""
    return (
        f"## Costs\n\nWritten by `python -m benchmarks.costs --save` in one run; {cost_page.about(found)} Instructions are"
        " counted by valgrind, which a busy machine does not change: of one import, one call, one decoding or one chunk."
        " CPU times are the least of several. `make bench-check` fails if a row of ours takes 10 % more instructions.\n\n"
        + cost_page.goals_table(found)
        + "\nImports are multiples of `import pydantic`, decodings of pydantic's own validator (jsonschema's for a raw"
        " schema), errors and refusals of validating the same fields. A shell row holds the start of Python. The rivals'"
        " calls are those of [dispatch.md](../benchmarks/results/dispatch.md). All rows; for growth, what one more costs"
        " at full size as a multiple of what it costs at a tenth (CPU time without Python's garbage collector):\n\n"
        + cost_page.rows_table(found)
    )


def coach_part(found: Mapping[str, Any]) -> str:
    """What the coach is worth on live models, and the wordings that were tried."""
    parts = [
        "## The coach on live models\n\nRecorded replies are played to a loop, then the live model goes on, at temperature 0:"
        " `python -m benchmarks.coach`. The figures are small numbers of calls, not percent.\n"
    ]
    for model, figures in found.items():
        parts.append(f"**{model}**, {figures['about']}\n")
        parts += [write(figures[part]) for part, write in _COACH.items() if part in figures]
    return "\n".join(parts)


def _coach_first(found: Mapping[str, Any]) -> str:
    ways = {name: figures for name, figures in found.items() if name != "modes"}
    modes = ", ".join(f"{count} {mode}" for mode, count in found["modes"].items())
    head = [f"added to the second failure ({modes})", *next(iter(ways.values()))]
    return table(head, [[name, *map(str, figures.values())] for name, figures in ways.items()])


def _coach_repeats(found: Mapping[str, Any]) -> str:
    head = [
        "a write that is done was sent again: wording of the answer",
        *next(iter(found.values())),
    ]
    return table(head, [[name, *map(str, counts.values())] for name, counts in found.items()])


def _coach_tasks(found: Mapping[str, Any]) -> str:
    head = ["tasks of two to four calls on files", *next(iter(found.values()))]
    return table(head, [[way, *map(str, sums.values())] for way, sums in found.items()])


_COACH = {"first": _coach_first, "repeats": _coach_repeats, "tasks": _coach_tasks}

PARTS = {
    "endtoend": endtoend_part,
    "recovery": recovery_part,
    "speed": lambda found: f"## Time\n\n{speed_line(found)}",
    "decode": decode_part,
    "extract": extract_part,
    "costs": costs_part,
    "coach": coach_part,
}
"""The parts of the page, by the results that they are made from."""


def page(found: Mapping[str, Any]) -> str:
    """The whole page."""
    head = (
        "# Evidence\n\nWhat zkit and its rivals made of the same inputs in the same runs. Written from the committed"
        " results by `python -m benchmarks.report`; `make bench` measures again. How the figures are made, and how far"
        " to trust them: [benchmarks](../benchmarks/README.md).\n"
    )
    return "\n".join([head, *(part(found[name]) for name, part in PARTS.items() if found[name])])
