"""The fix table in, docs/repairs.md out."""

from __future__ import annotations

from zkit import Rank
from zkit.cli.markdown import cell, code, table
from zkit.repair.fixes import (
    CHARACTERS_PER_FIX,
    FIXES,
    FREE_FIXES,
    MAX_CHARACTERS,
    MAX_DEPTH,
    MAX_VALUES,
    REASONS,
    FixKind,
)

INTRO = """\
# What zkit repairs

This page is generated from the tables that the repair itself uses: `make docs` writes it, and a
test fails when it drifts.

A text is read at rising ranks, and the first rank that yields a value wins: what parses is left
alone, and a less invasive reading always beats a more invasive one. `limit=` sets the highest rank
allowed; a text that needs more is refused with the reason `limit`. The rank of a result is the
highest rank among its fixes.

In the examples `␊` is a line end, `␉` a tab, and `⟨U+FEFF⟩` stands for a character that cannot be
seen.
"""

MEANINGS = {
    Rank.EXACT: "Strict JSON. Nothing is changed, whatever the limit.",
    Rank.UNWRAP: "What surrounds the value is dropped.",
    Rank.RESPELL: "The same value, written the JSON way.",
    Rank.COMPLETE: "Punctuation is added or dropped, no data.",
    Rank.GUESS: """\
One reading is chosen where the characters alone would allow another. The evidence (the text on both
sides, the schema when there is one) must choose; when it does not, the text is refused as
`ambiguous`.""",
    Rank.CUT: """\
Data is missing. The value holds what arrived: complete members, and an open string as a prefix.
A number, key or literal that may have been cut is dropped, nothing is invented, and `lossy` is
true.""",
    Rank.SALVAGE: """\
What the `json_repair` library makes of the text. Only when asked for with `limit=Rank.SALVAGE`,
always `lossy`, and nothing to run a tool with.""",
}


def repairs_page() -> str:
    """Return the page: every fix by rank, the limits, the reasons of refusal."""
    ranks = [rank_section(rank) for rank in Rank]
    return "\n".join([INTRO, *ranks, limits_section(), reasons_section()])


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
            "values, or what looks like one, in a text of which one is asked for",
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
