"""What a format of calls is for the benchmark: how it writes calls, prose and reasoning."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.extract_spelling import Spell, strict

FENCE = "```"
Args = Mapping[str, Any]
Write = Callable[[str, Args, int, Spell], tuple[str, str]]
"""Name, arguments, number of the call and spelling of JSON in; the text up to the end of the
complete arguments, and the closers of this call, out."""


def think(thought: str) -> str:
    """The reasoning block of most models."""
    return f"<think>\n{thought}\n</think>\n\n"


def lead_in(prose: str) -> str:
    """Prose before a call."""
    return f"{prose}\n\n"


@dataclass(frozen=True)
class Format:
    """How one format writes calls.

    `values` is json, raw or python. `parallel` says whether a reply may hold several calls,
    `before` and `after` whether prose may be there (and how it is written), `thinks` how
    reasoning is set apart before the call, `breaks` whether its JSON can be broken without a doubt.
    """

    name: str
    tier: str
    values: str
    write: Write
    head: str = ""
    sep: str = "\n"
    foot: str = ""
    parallel: bool = True
    before: Callable[[str], str] | None = lead_in
    after: bool = True
    thinks: Callable[[str], str] = think
    breaks: bool = True

    def render(self, calls: list[tuple[str, Args]], spell: Spell = strict) -> str:
        """All calls, closed."""
        parts = [
            "".join(self.write(name, args, at, spell)) for at, (name, args) in enumerate(calls)
        ]
        return self.head + self.sep.join(parts) + self.foot

    def render_open(self, name: str, args: Args) -> str:
        """One call whose arguments are complete and whose closers are missing."""
        return self.head + self.write(name, args, 0, strict)[0]

    @property
    def closes(self) -> bool:
        """Whether there are closers that could be missing."""
        return bool((self.write("f", {"a": 1}, 0, strict)[1] + self.foot).strip())
