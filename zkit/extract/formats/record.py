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

    For reading, `opener` and `closer` are the patterns of the envelope (empty if there is none),
    `body` names its content, and `sign` is a pattern that only this format has among those with the
    same envelope and body. For writing, `frame` goes around all calls, `each` around one call, and
    `joint` between two; `spell` names how a call is written, and `param` how an argument is.
    `$name`, `$key`, `$id` and `$index` are placeholders in them.
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
    # Whether all of a reply, plain text included, is made of messages with headers.
    framed: bool = False
    # Whether the id of a call is its number in the reply.
    numbered: bool = False
    # The text around a tool result that is sent back to the model, if the format defines it.
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
