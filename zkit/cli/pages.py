"""Write docs/coercions.md, docs/formats.md and docs/repairs.md from the tables in the code."""

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
from zkit.repair.fixes import FIXES, REASONS, FixKind
from zkit.repair.limits import CHARACTERS_PER_FIX, FREE_FIXES, MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES

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
    """Show a text as code inside a Markdown table, with invisible characters made visible."""
    seen = UNSEEN.sub(picture, text)
    longest = max((len(run) for run in re.findall("`+", seen)), default=0)
    fence, pad = "`" * (longest + 1), " " if longest else ""
    return cell(f"{fence}{pad}{seen}{pad}{fence}")


def picture(match: re.Match[str]) -> str:
    """Return a visible replacement for an invisible character."""
    return PICTURES.get(match[0], f"⟨U+{ord(match[0]):04X}⟩")


COERCIONS_INTRO = """\
# What zkit coerces

This page is generated from the table that decoding itself uses: `make docs` writes it, and a test
fails when it drifts.

Arguments that validate are never changed. Coercions are tried only on values that are rejected, and
a coercion counts only if its result is accepted. If two different values would be accepted, none is
taken and the call is refused as `ambiguous`. Nothing is invented: a required field that is missing
is always refused. `limit=` sets the highest rank allowed, for repairs and coercions alike.

In the examples the schema is that of the field `x`, or of the whole object if it has properties.
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

`find_calls(text, tools)` reads all of these; it does not need to know the model. The *tier* of a
format says how strong its evidence is. A **marker** is a special token or an envelope that only
calls use. A **shape** has no marker: it counts only with the name of a declared tool and arguments
that fit its schema.

Structure and position decide, never words. A call with more text after it is in
`doubtful`: the grade of the tool decides whether it runs or must be confirmed. A quoted call (in
inline code, a quotation, a log, a fence with more in it than the call) is not a call; it stays in
the text and is listed in `refused`. [Grades](grades.md) has the table.

Values are written as JSON, as raw text that the schema types (a declared string is never parsed),
or as Python literals (nothing is evaluated).

The examples call a tool `f` with `a=1` and `b="x"`. The formats of one *family* are read in the
same way; `formats=` takes names of formats or of families.
"""
VALUES = {"json": "JSON", "raw": "raw, by schema", "python": "Python literals"}
TIERS: dict[Tier, str] = {
    "marker": "Special tokens, and envelopes that only calls use.",
    "shape": "No marker: only the shape and the name of a declared tool. If the reply is nothing else, the tier of the call is `alone`.",
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
    """Return the table of how results are written."""
    rows = [r for r in FORMATS.values() if any(r.result)]
    lines = [f"- `{r.name}`: {shown(r.result[0])} … {shown(r.result[1])}" for r in rows]
    head = "## Results\n\n`render_result` writes a result the way these formats do, and as plain text in the others.\n"
    return "\n".join([head, *lines, ""])


def shown(mark: str) -> str:
    """Return a mark as code, line ends made visible."""
    text = mark.replace("\n", "␊").replace("$name", "f")
    fence = "`" * (2 if "`" in text else 1)
    fence = "````" if "```" in text else fence
    return f"{fence} {text} {fence}" if "`" in text else (f"`{text}`" if text else "the end")


INTRO = """\
# What zkit repairs

This page is generated from the tables that the repair itself uses: `make docs` writes it, and a
test fails when it drifts.

A text is read at rising ranks, and the first rank that yields a value wins: what parses is left
alone, and a less invasive reading always beats a more invasive one. `limit=` sets the highest rank
allowed; a text that needs more is refused with the reason `limit`. The rank of a result is the
highest rank among its fixes.

In the examples `␊` is a line end, `␉` a tab, and `⟨U+FEFF⟩` stands for an invisible character.
"""

MEANINGS = {
    Rank.EXACT: "Strict JSON. Nothing is changed, whatever the limit.",
    Rank.UNWRAP: "What surrounds the value is dropped.",
    Rank.RESPELL: "The same value, written the JSON way.",
    Rank.COMPLETE: "Punctuation is added or dropped, no data.",
    Rank.GUESS: """\
One reading is chosen although the characters alone would allow another. The evidence (the
surrounding text, and the schema if there is one) must decide; if it does not, the text is refused
as `ambiguous`.""",
    Rank.CUT: """\
Data is missing. The value holds what arrived: complete members, and an open string as a prefix.
A number, key or literal that may have been cut is dropped, nothing is invented, and `lossy` is
true.""",
    Rank.SALVAGE: """\
What the `json_repair` library makes of the text. Only if requested with `limit=Rank.SALVAGE`;
always `lossy`, and never used to run a tool.""",
}


OVERVIEW = (
    (
        "prose, fences, tags, reasoning, leaked tokens around the value",
        "dropped",
        "it is words, not data",
    ),
    (
        "a second value, an assignment, an operator, a member beside the value",
        "refused, `several`",
        "dropping it would change the request",
    ),
    ("an equal copy, or a draft that says nothing more", "counted once", "nothing is lost"),
    (
        "an object whose leaves are types or placeholders",
        "dropped beside an answer",
        "it repeats the prompt",
    ),
    ("`None`, `nil`, `NULL`", "null", "also where the schema wants a string: `decode` reports it"),
    (
        "a call, a variable, a sum, `<value>`, `string`",
        "refused, `expression`",
        "it would have to be computed or filled in",
    ),
    (
        "`...` after the last item or member",
        "`lossy`, rank CUT",
        "the dots say that data is missing",
    ),
    ("`...` anywhere else", "refused", "it is unknown what is missing"),
    (
        "single, curly, back and triple quotes, bare keys, comments, trailing commas",
        "respelled",
        "there is one reading",
    ),
    (
        "`dict(…)`, `OrderedDict`, PHP arrays, sets of three or more, keyword arguments, YAML lines with a schema",
        "respelled",
        "plain literals in another notation",
    ),
    ("a set of two strings", "refused", "it may be an object without its colon"),
    (
        "`\\\\d`, `\\\\sqrt`, a Windows path with single backslashes",
        "the backslash is kept",
        "JSON has no such escape",
    ),
    (
        "`\\\\n` beside LaTeX",
        "a line end, unless it begins a command",
        "each escape is decided by itself",
    ),
    (
        "`\\\\beta` or `\\\\frac` in a damaged text",
        "the backslash is kept",
        "a backspace before a word is never meant",
    ),
    ("a backslash at the end of a line of a command", "kept", "one command must not become two"),
    (
        "code pasted with raw quotes and line ends",
        "kept as it is",
        "if nothing is escaped, `\\\\n` is not an escape either",
    ),
    (
        "an unescaped quote inside a string",
        "escaped, if there is only one valid continuation",
        "otherwise `ambiguous`",
    ),
    (
        "a closing quote missing before a line that begins a key, or before a declared key",
        "added",
        "the key shows where the string ends",
    ),
    (
        "a missing comma, colon or closer",
        "added, if no other place explains the text as well",
        "otherwise `ambiguous`",
    ),
    (
        "a fence for a string, doubled quotes around a word",
        "refused, `ambiguous`",
        "both readings are common",
    ),
    ("strict JSON", "left alone", "whatever it contains"),
)
"""The first question of users: what is repaired, what is refused, and why."""


def overview_section() -> str:
    """Return the table for users."""
    rows = [(cell(what), cell(done), cell(why)) for what, done, why in OVERVIEW]
    return "## At a glance\n\n" + table(("in the text", "zkit", "because"), rows)


def repairs_page() -> str:
    """Return the page: the table for users, every fix by rank, the limits, the reasons of refusal."""
    ranks = [rank_section(rank) for rank in Rank]
    return "\n".join([INTRO, overview_section(), *ranks, limits_section(), reasons_section()])


def rank_section(rank: Rank) -> str:
    """Return the heading of a rank and the table of its fixes."""
    head = f"## {rank.name} ({int(rank)})\n\n{MEANINGS[rank]}\n"
    kinds = [kind for kind in FIXES.values() if kind.rank == rank]
    if not kinds:
        return head
    rows = table(("fix", "what it does", "before", "after"), [fix_row(kind) for kind in kinds])
    return f"{head}\n{rows}"


def fix_row(kind: FixKind) -> tuple[str, ...]:
    """Return one fix as the cells of its row."""
    return (f"`{kind.name}`", cell(kind.doc), code(kind.before), code(kind.after))


def limits_section() -> str:
    """Return the table of the limits."""
    fixes = f"{FREE_FIXES}, and one more for every {CHARACTERS_PER_FIX} characters"
    rows = [
        ("nesting", f"{MAX_DEPTH} levels", "`too_deep`"),
        (
            "length of a text that is not strict JSON",
            f"{MAX_CHARACTERS:,} characters",
            "`too_large`",
        ),
        (
            "values, or what looks like one, where one value is expected",
            f"{MAX_VALUES:,}",
            "`too_large`",
        ),
        ("structural fixes (ranks COMPLETE and GUESS) in one text", fixes, "`damaged`"),
    ]
    head = "## Limits\n\nBeyond these a text is refused, so that no text can hang or exhaust a process."
    return f"{head}\n\n{table(('what', 'limit', 'reason'), rows)}"


def reasons_section() -> str:
    """Return the table of the reasons of refusal."""
    rows = [(f"`{reason}`", cell(meaning)) for reason, meaning in REASONS.items()]
    head = (
        "## Refusals\n\n`Unrepairable.reason` is one of these; `message` is written for the model"
    )
    return f"{head} that sent the text.\n\n{table(('reason', 'when'), rows)}"
