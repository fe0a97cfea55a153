"""`zkit demo --repair`: broken JSON of real models, with value, receipt and refusal side by side."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from rich.console import Group, RenderableType
from rich.highlighter import JSONHighlighter
from rich.text import Text

from zkit import Fix, Rank, Repaired, Unrepairable, repair_json
from zkit.cli.screen import COLOURS, REFUSED, Screen, box, heading, plain
from zkit.json_types import JsonObject

THREE_COLUMNS = 130  # narrower than this, the receipt goes below text and value

NEXT_STEPS = (
    ("zkit repair answer.txt", "a text of your own; see also --schema and --json"),
    ("zkit corpus run", "run every case that zkit promises"),
    ("zkit --help", "what else there is"),
)


class Sample(NamedTuple):
    """One text of the demo, who wrote it, and the sentence that says what it shows."""

    shows: str
    origin: str
    text: str
    finish_reason: str
    schema: JsonObject | None = None


class Shown(NamedTuple):
    """A sample and its outcome."""

    number: int
    sample: Sample
    outcome: Repaired | Unrepairable


def show(screen: Screen) -> None:
    """Repair a handful of real broken completions and show what was done to each."""
    shown = [repaired(number, sample) for number, sample in enumerate(samples(), 1)]
    screen.print("What a model wrote, and what zkit made of it", style="bold")
    for each in shown:
        screen.print()
        if screen.is_terminal:
            screen.print(boxes(each, screen.width))
        else:
            head = (each.number, each.sample.shows, about(each.sample))
            screen.print(plain(*head, list(sections(each))), soft_wrap=True)
    screen.print()
    screen.print(summary(shown))


def samples() -> list[Sample]:
    """Return the texts of the demo."""
    lines = files("zkit.cli").joinpath("demo_repair.jsonl").read_text("utf-8").splitlines()
    return [Sample(**json.loads(line)) for line in lines]


def repaired(number: int, sample: Sample) -> Shown:
    """Repair one sample."""
    outcome = repair_json(sample.text, schema=sample.schema, finish_reason=sample.finish_reason)
    return Shown(number, sample, outcome)


# On a terminal: boxes.


def boxes(shown: Shown, width: int) -> RenderableType:
    """Lay text, value and receipt side by side, or the receipt below when there is no room."""
    cells = [wrote(shown), result(shown.outcome)]
    if isinstance(shown.outcome, Repaired):
        cells.append(("receipt", receipt(shown.sample.text, shown.outcome)))
    row = cells if width >= THREE_COLUMNS else cells[:2]
    colour = COLOURS[shown.outcome.rank] if isinstance(shown.outcome, Repaired) else REFUSED
    rows = (row, cells[len(row) :])
    return Group(
        heading(shown.number, shown.sample.shows, about(shown.sample)),
        *(box(cells, colour) for cells in rows if cells),
    )


def wrote(shown: Shown) -> tuple[str, Text]:
    """Show the text as it came, the repaired places in the colour of their rank."""
    text = Text(shown.sample.text)
    for fix in shown.outcome.fixes if isinstance(shown.outcome, Repaired) else ():
        text.stylize(mark(fix), fix.start, max(fix.end, fix.start + 1))
    return "the model wrote", text


def mark(fix: Fix) -> str:
    """Return the style of a repaired place: dropped text around the value is dim."""
    if fix.rank is Rank.UNWRAP:
        return f"dim {COLOURS[fix.rank]}"
    return f"{'reverse' if fix.end - fix.start <= 1 else 'bold'} {COLOURS[fix.rank]}"


def result(outcome: Repaired | Unrepairable) -> tuple[str, Text]:
    """Show the value with its rank, or the refusal."""
    if isinstance(outcome, Unrepairable):
        return f"refused: {outcome.reason}", Text(outcome.message)
    value = JSONHighlighter()(json.dumps(outcome.value, ensure_ascii=False, indent=2))
    return f"value, rank {rank_of(outcome)}", value


def receipt(text: str, outcome: Repaired) -> Text:
    """Show every kind of fix in the colour of its rank, with its place and its sentence."""
    lines = [
        Text.assemble((f"{fix.name}  ", COLOURS[fix.rank]), (f"{place}\n", "dim"), f"  {fix.note}")
        for fix, place in entries(text, outcome)
    ]
    return Text("\n").join(lines)


# In a pipe: the same, one below the other.


def sections(shown: Shown) -> Iterator[tuple[str, str]]:
    """Return the titled parts of one sample."""
    text, outcome = shown.sample.text, shown.outcome
    yield "the model wrote", text
    if isinstance(outcome, Unrepairable):
        yield f"refused, {outcome.reason}", outcome.message
        return
    yield f"value, rank {rank_of(outcome)}", json.dumps(outcome.value, ensure_ascii=False, indent=2)
    lines = [f"{fix.name} ({place}): {fix.note}" for fix, place in entries(text, outcome)]
    yield "receipt", "\n".join(lines)


# What both lay out.


def about(sample: Sample) -> str:
    """Return who wrote the text and what else repair knows."""
    known = [f"finish_reason {sample.finish_reason}"] if sample.finish_reason != "stop" else []
    known += ["with its schema"] if sample.schema else []
    return "; ".join([sample.origin, *known])


def rank_of(outcome: Repaired) -> str:
    """Return the name of the rank, and whether data is missing."""
    return f"{outcome.rank.name}, lossy" if outcome.lossy else outcome.rank.name


def entries(text: str, outcome: Repaired) -> list[tuple[Fix, str]]:
    """Return the first fix of each name, with its place and how often there are more."""
    counts = Counter(fix.name for fix in outcome.fixes)
    first = {fix.name: fix for fix in reversed(outcome.fixes)}
    return [(first[name], place(text, first[name], count)) for name, count in counts.items()]


def place(text: str, fix: Fix, count: int) -> str:
    """Return the rank of a fix, its line and column from one, and how many more of it there are."""
    line = text.count("\n", 0, fix.start) + 1
    column = fix.start - text.rfind("\n", 0, fix.start)
    more = f", and {count - 1} more" if count > 1 else ""
    return f"{fix.rank.name}, line {line}, column {column}{more}"


def summary(shown: list[Shown]) -> Text:
    """Return the count of outcomes in one line, and what to try next."""
    kept = sum(isinstance(each.outcome, Repaired) for each in shown)
    text = Text.assemble(
        (f"{kept} repaired, every change on a receipt", "bold green"),
        ("; ", "bold"),
        (f"{len(shown) - kept} refused, with the reason", f"bold {REFUSED}"),
        (".\n\nTry next\n", "bold"),
    )
    for step, why in NEXT_STEPS:
        text.append_text(Text.assemble((f"  {step:<24}", "cyan"), f"{why}\n"))
    text.rstrip()
    return text
