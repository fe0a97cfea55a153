"""The tools of a source in, what a request offers of them out: sorted, stable, fitted to a context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from zkit.chat.wire import dumps
from zkit.dispatch import Dispatcher
from zkit.dispatch.reaching import source_of
from zkit.schema import Offer, offered
from zkit.sources import Discovery
from zkit.tools import Tool, ToolSpec

Fit = Literal["all", "weights", "discovery", "auto"]


@dataclass(frozen=True)
class Offering:
    """The tools that one request offers."""

    specs: tuple[ToolSpec, ...]

    @cached_property
    def entries(self) -> list[dict[str, Any]]:
        """As OpenAI's `tools`."""
        return [spec.openai() for spec in self.specs]

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """As what calls are looked for in text, under the names that the model is told."""
        return tuple(offered(self.entries).values()) if self.specs else ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the model is told."""
        return tuple(offer.name for offer in self.offers)


def offering_of(tools: Iterable[Tool], room: int | None) -> Offering:
    """What fits into `room` tokens: the tools with the greatest weight, sorted by name."""
    specs = sorted((tool.definition() for tool in tools), key=lambda spec: spec.name)
    return Offering(tuple(specs if room is None else _fitting(specs, room)))


def _fitting(specs: Sequence[ToolSpec], room: int) -> list[ToolSpec]:
    kept = []
    for spec in sorted(specs, key=lambda spec: (-spec.preference.weight, spec.name)):
        room -= size_of_tool(spec)
        if room < 0:
            break
        kept.append(spec)
    return sorted(kept, key=lambda spec: spec.name)


def size_of_tool(spec: ToolSpec) -> int:
    """About how many tokens a tool takes in a request."""
    return 1 + len(dumps(spec.openai())) // 4


def dispatcher_for(source: Any, fit: Fit, room: int | None, **options: Any) -> Dispatcher:
    """The dispatcher that runs the calls: the one that was given, or one over the source.

    When the list does not fit, the model is given two tools to find the others with.
    """
    if isinstance(source, Dispatcher):
        return source
    found = source_of(source)
    if fit == "discovery" or (fit == "auto" and room is not None and _size(found) > room):
        found = Discovery(found)
    return Dispatcher(found, **options)


def _size(source: Any) -> int:
    return sum(size_of_tool(tool.definition()) for tool in source.tools())
