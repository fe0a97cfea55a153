"""Write docs/repairs.md from the table of fixes."""

from __future__ import annotations

from zkit import Rank
from zkit.cli.pages import cell, code, table
from zkit.repair.fixes import FIXES, REASONS, FixKind
from zkit.repair.limits import CHARACTERS_PER_FIX, FREE_FIXES, MAX_CHARACTERS, MAX_DEPTH, MAX_VALUES

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


OVERVIEW = (
    (
        "prose, fences, tags, reasoning, leaked tokens around the value",
        "dropped",
        "they are words, not data",
    ),
    (
        "a second value, an assignment, an operator, a member beside the value",
        "refused, `several`",
        "dropping it would change what was asked for",
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
    ("`...` anywhere else", "refused", "nobody can tell what is missing"),
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
        "whoever escapes nothing did not escape `\\\\n` either",
    ),
    (
        "an unescaped quote inside a string",
        "escaped, if the text goes on well in only one way",
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
    ("strict JSON", "left alone", "whatever it says"),
)
"""What users ask first: what is repaired, what is refused, and why."""


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
