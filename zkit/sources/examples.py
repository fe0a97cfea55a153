"""What is wanted in; the examples of tools that come nearest to it out, for a prompt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zkit.sources.catalog import telling_words
from zkit.tools import Example, ToolSpec, thaw

MOST_EXAMPLES = 6
_BEGINNING = 4


class ToolExample(NamedTuple):
    """An example, and the tool that it is a call of."""

    spec: ToolSpec
    example: Example

    def __str__(self) -> str:
        arguments = json.dumps(thaw(self.example.arguments), ensure_ascii=False)
        return f"{self.example.description} -> {self.spec.wire_name}({arguments})"


def nearest_examples(
    specs: Iterable[ToolSpec], intent: str, limit: int = MOST_EXAMPLES
) -> list[ToolExample]:
    """Return the examples that share most words with an intent, best first.

    Only those with a description count, for it says what they are for; one that shares no word is
    never returned. Equally good ones keep their order.
    """
    wanted = telling_words(intent)
    scored = [
        (
            _shared(wanted, telling_words(" ".join((example.description, *example.tags)))),
            spec,
            example,
        )
        for spec in specs
        for example in spec.examples
        if example.description
    ]
    near = sorted((one for one in scored if one[0]), key=lambda one: -one[0])
    return [ToolExample(spec, example) for _, spec, example in near[: max(0, limit)]]


def _shared(wanted: Sequence[str], said: Sequence[str]) -> int:
    """How many of the wanted words are said, in any form: `finding` is `find`."""
    return sum(any(_is_alike(word, other) for other in said) for word in wanted)


def _is_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _BEGINNING and long.startswith(short)
