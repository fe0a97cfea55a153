"""The pages on coercions and formats, and the Markdown tables of all generated pages."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from itertools import groupby

from zkit import Rank
from zkit.arguments import COERCIONS, Coercion
from zkit.calls import Tier
from zkit.extract import FORMATS, Format
from zkit.extract.standing import CONFIDENCE

UNSEEN = re.compile(r"[^\S ]|[\x00-\x1f\x7f-\xa0\u200b-\u200f\u2028-\u202f\u2060-\u2064\ufeff]")
PICTURES = {"\n": "␊", "\t": "␉"}


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Return a Markdown table."""
    lines = [head, ("---",) * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def cell(text: str) -> str:
    """Make a text safe inside a Markdown table."""
    return text.replace("|", r"\|").replace("\n", " ")


def code(text: str) -> str:
    """Show a text as code inside a Markdown table, with what cannot be seen made visible."""
    seen = UNSEEN.sub(picture, text)
    longest = max((len(run) for run in re.findall("`+", seen)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return cell(f"{fence}{pad}{seen}{pad}{fence}")


def picture(match: re.Match[str]) -> str:
    """Return a visible stand-in for a character that cannot be seen."""
    return PICTURES.get(match[0], f"⟨U+{ord(match[0]):04X}⟩")


COERCIONS_INTRO = """\
# What zkit coerces

This page is generated from the table that decoding itself uses: `make docs` writes it, and a test
fails when it drifts.

Arguments that validate are never changed. Where a value is rejected, these are tried, and only at
that place: a coercion counts when the unchanged value is rejected and the changed one accepted.
When two different values would do, none is taken and the call is refused as `ambiguous`. Nothing
is invented: a required field that is missing is always refused. `limit=` sets the highest rank
allowed, for repairs and coercions alike.

In the examples the schema is that of the field `x`, or of the whole object where it has properties.
"""


def coercions_page() -> str:
    """Return the page: every coercion by rank."""
    ranks = [rank for rank in Rank if any(one.rank == rank for one in COERCIONS.values())]
    return "\n".join([COERCIONS_INTRO, *(_section(rank) for rank in ranks)])


def _section(rank: Rank) -> str:
    """Return the heading of a rank and the table of its coercions."""
    rows = [_row(one) for one in COERCIONS.values() if one.rank == rank]
    head = ("coercion", "what it does", "schema", "before", "after")
    return f"## {rank.name} ({int(rank)})\n\n{table(head, rows)}"


def _row(one: Coercion) -> tuple[str, ...]:
    """Return one coercion as the cells of its row."""
    schema = code(json.dumps(one.schema))
    return (f"`{one.name}`", cell(one.doc), schema, code(one.before), code(one.after))


FORMATS_INTRO = """\
# How models write tool calls as text

This page is generated from the records that the extraction itself uses: `make docs` writes it, and
a test fails when it drifts.

`find_calls(text, tools)` knows all of these; it needs no name of a model. A format's *tier* says
how much its marks prove. A **marker** is a special token or an envelope that only calls are in. A
**shape** has no mark: it counts only with the name of a declared tool and arguments that fit its
schema.

No words decide anything, only structure and position. A call with more text after it is in
`doubtful`: the grade of the tool decides whether it runs or must be confirmed. A quoted call (in
inline code, a quotation, a log, a fence with more in it than the call) is not a call; it stays in
the text and is listed in `refused`. [Grades](grades.md) has the table.

Values are written as JSON, as raw text that the schema types (a declared string is never parsed),
or as Python literals (nothing is evaluated).

The examples call a tool `f` with `a=1` and `b="x"`. Calls in one *family* are read alike;
`formats=` takes names of formats or of families.
"""
VALUES = {"json": "JSON", "raw": "raw, by schema", "python": "Python literals"}
TIERS: dict[Tier, str] = {
    "marker": "Special tokens, and envelopes that only calls stand in.",
    "shape": "No marker: the shape, and the name of a declared tool. Where the reply is nothing else, the tier of the call is `alone`.",
}


def formats_page() -> str:
    """Return the page: every format by tier, with its models and an example."""
    return "\n".join([FORMATS_INTRO, *(tier_section(tier) for tier in TIERS), results_section()])


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
    head = "## Results\n\n`render_result` gives a result back the way these formats do; in the others as plain text.\n"
    return "\n".join([head, *lines, ""])


def shown(mark: str) -> str:
    """Return a mark as code, line ends made visible."""
    text = mark.replace("\n", "␊").replace("$name", "f")
    fence = "`" * (2 if "`" in text else 1)
    fence = "````" if "```" in text else fence
    return f"{fence} {text} {fence}" if "`" in text else (f"`{text}`" if text else "the end")
