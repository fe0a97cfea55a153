"""How many examples a law tries in the profile at hand."""

from __future__ import annotations

from hypothesis import settings

QUICK = 25
"""The examples of the profile `quick`."""


def many(examples: int, *, quick: int = QUICK) -> settings:
    """That many examples, or `quick` of them in the profile `quick` and where there are no more."""
    is_quick = settings().max_examples <= QUICK
    return settings(max_examples=min(quick, examples) if is_quick else examples)
