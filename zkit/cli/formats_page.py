"""Write docs/formats.md from the records of the formats."""

from __future__ import annotations

from itertools import groupby

from zkit.calls import Tier
from zkit.extract import FORMATS, Format
from zkit.extract.standing import CONFIDENCE

INTRO = """\
# How models write tool calls as text

This page is generated from the records that the extraction itself uses: `make docs` writes it, and
a test fails when it drifts.

`find_calls(text, tools)` finds all of these without being given the model. The *tier* of a call says
how strong its evidence is. A **marker** is a special token or an envelope that only calls stand in. A
**shape** has no marker: it counts only with the name of a declared tool and arguments that fit its
schema. Where the reply is nothing but such a call, its tier is **alone**.

Structure and position decide whether a call was made, never the words around it. A call that is
quoted (inline code, a fence with more in it, a block quote, a quotation, a table row, a log line, the
reasoning) is not a call: it stays in the text and is listed in `refused`. A call that the reply goes on
after in prose is listed in `doubtful`. What then happens to it depends on the tool's grade:
[grades and doubtful calls](grades.md).

Values are written as JSON, as raw text that the schema types (a declared string is never parsed),
or as Python literals (nothing is evaluated).

The examples call a tool `f` with `a=1` and `b="x"`. Calls in one *family* are read alike;
`formats=` accepts names of formats or of families.
"""
VALUES = {"json": "JSON", "raw": "raw, by schema", "python": "Python literals"}
TIERS: dict[Tier, str] = {
    "marker": "Special tokens, and envelopes that only calls stand in.",
    "shape": "No marker: the shape, and the name of a declared tool. Where the reply is nothing else, the tier of the call is `alone`.",
}


def formats_page() -> str:
    """Return the page: every format by tier, with its models and an example."""
    return "\n".join([INTRO, *(tier_section(tier) for tier in TIERS), results_section()])


def tier_section(tier: Tier) -> str:
    """Return the formats of one tier, family by family."""
    records = sorted((r for r in FORMATS.values() if r.tier == tier), key=lambda r: r.family)
    head = f"## {tier} ({len(records)} formats, confidence {CONFIDENCE[tier]})\n\n{TIERS[tier]}\n"
    families = [family_section(name, list(of)) for name, of in groupby(records, lambda r: r.family)]
    return "\n".join([head, *families])


def family_section(name: str, records: list[Format]) -> str:
    """Return one family: each of its formats with an example."""
    return "\n".join([f"### {name}\n", *(format_entry(record) for record in records)])


def format_entry(record: Format) -> str:
    """Return one format: its name, its models, how values are written, an example."""
    many = "several calls" if record.parallel else "one call"
    about = f"{record.models}. Values: {VALUES[record.values]}; {many} in a reply."
    return f"**`{record.name}`**: {about}\n\n````text\n{record.example}\n````\n"


def results_section() -> str:
    """Return the table of how results are given back."""
    rows = [r for r in FORMATS.values() if any(r.result)]
    lines = [f"- `{r.name}`: {shown(r.result[0])} … {shown(r.result[1])}" for r in rows]
    head = "## Results\n\n`render_result` writes a result the way these formats do; in all others it is plain text.\n"
    return "\n".join([head, *lines, ""])


def shown(mark: str) -> str:
    """Return a mark as code, line ends made visible."""
    text = mark.replace("\n", "␊").replace("$name", "f")
    fence = "`" * (2 if "`" in text else 1)
    fence = "````" if "```" in text else fence
    return f"{fence} {text} {fence}" if "`" in text else (f"`{text}`" if text else "the end")
