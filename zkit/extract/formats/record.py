"""A format: one way to write a call, as a record. Adding a format is adding a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from zkit.calls import Call, Tier

# How values are written: as JSON, as raw text that the schema types, as Python literals.
Values = Literal["json", "raw", "python"]


@dataclass(frozen=True, slots=True)
class Format:
    """How one family of models writes calls.

    Reading: `opener` and `closer` are patterns of the envelope (empty when there is none), `body`
    names what it holds, and `sign` is a pattern in the call's text that tells this format from
    others with the same envelope and body. Writing: `frame` goes around all calls, `each` around
    one, `joint` between two; `spell` says how a call is spelt and `param` how an argument is.
    In these `$name`, `$key`, `$id` and `$index` stand for what is written there.
    """

    name: str
    family: str
    tier: Tier
    values: Values
    models: str
    body: str
    opener: str = ""
    closer: str = ""
    sign: str = ""
    spell: str = "object"
    frame: tuple[str, str] = ("", "")
    each: tuple[str, str] = ("", "")
    joint: str = "\n"
    param: tuple[str, str] = ("", "")
    parallel: bool = True
    # Whether a reply in this format is made of messages with headers, its plain text as well.
    framed: bool = False
    # Whether the id of a call is its number in the reply.
    numbered: bool = False
    # How a result is given back to the model as text, where the format has a way.
    result: tuple[str, str] = ("", "")

    @property
    def fenced(self) -> bool:
        """True if the format's own envelope is a fence of code."""
        return (self.frame[0] + self.each[0]).startswith("```")

    @property
    def example(self) -> str:
        """A call of `f` with two arguments, as this format writes it."""
        from zkit.extract.render import written  # the writer knows the formats, not they the writer

        return written([Call("f", {"a": 1, "b": "x"})], self)
