"""Write docs/coercions.md from the table of coercions."""

from __future__ import annotations

import json

from zkit import Rank
from zkit.arguments import COERCIONS, Coercion
from zkit.cli.markdown import cell, code, table

INTRO = """\
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
    return "\n".join([INTRO, *(_section(rank) for rank in ranks)])


def _section(rank: Rank) -> str:
    """Return the heading of a rank and the table of its coercions."""
    rows = [_row(one) for one in COERCIONS.values() if one.rank == rank]
    head = ("coercion", "what it does", "schema", "before", "after")
    return f"## {rank.name} ({int(rank)})\n\n{table(head, rows)}"


def _row(one: Coercion) -> tuple[str, ...]:
    """Return one coercion as the cells of its row."""
    schema = code(json.dumps(one.schema))
    return (f"`{one.name}`", cell(one.doc), schema, code(one.before), code(one.after))
