"""Write Markdown tables in which invisible characters are made visible."""

from __future__ import annotations

import re
from collections.abc import Sequence

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
