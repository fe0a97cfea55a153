"""The tools of a source in, what a request offers of them out: sorted, stable, fitted to a context."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from zkit.chat.wire_data import dumps
from zkit.dispatch import Dispatcher, Recorder
from zkit.schema import Offer, offered
from zkit.sources import Discovery, Kit
from zkit.sources.source import as_source
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


def offering_of(tools: Iterable[Tool], room: int | None, most: int | None = None) -> Offering:
    """What fits into `room` tokens and `most` tools: those of the greatest weight, sorted by name."""
    specs = sorted((tool.definition() for tool in tools), key=lambda spec: spec.name)
    if room is None and (most is None or len(specs) <= most):
        return Offering(tuple(specs))
    return Offering(tuple(_fitting(specs, room, most)))


def _fitting(specs: Sequence[ToolSpec], room: int | None, most: int | None) -> list[ToolSpec]:
    kept: list[ToolSpec] = []
    taken = 0
    for spec in sorted(specs, key=lambda spec: (-spec.preference.weight, spec.name))[:most]:
        taken += size_of_tool(spec)
        if room is not None and taken > room:
            break
        kept.append(spec)
    return sorted(kept, key=lambda spec: spec.name)


def size_of_tool(spec: ToolSpec) -> int:
    """About how many tokens a tool takes in a request."""
    return 1 + len(dumps(spec.openai())) // 4


def dispatcher_for(
    source: Any,
    fit: Fit,
    room: int | None,
    most: int | None = None,
    *,
    approve: Any = None,
    recorder: Recorder | None = None,
) -> Dispatcher:
    """The dispatcher that runs the calls: the one that was given, or one over the source.

    When the list does not fit, the model is given two tools to find the others with.
    """
    if isinstance(source, Dispatcher):
        given = {"approver": approve, "recorder": recorder}
        return source.changed(**{name: one for name, one in given.items() if one is not None})
    found = as_source(source)
    if fit == "discovery" or (fit == "auto" and not _fits(found, room, most)):
        found = Discovery(found)
    return Dispatcher(found, approve=approve, recorder=recorder)


def _fits(source: Any, room: int | None, most: int | None) -> bool:
    if room is None and most is None:
        return True
    sizes = [size_of_tool(tool.definition()) for tool in source.tools()]
    return (room is None or sum(sizes) <= room) and (most is None or len(sizes) <= most)


def kit_name(dispatcher: Dispatcher) -> str | None:
    """The name of the kit whose tools are offered, empty if it has none; None without a kit."""
    source = dispatcher.settings.source
    found = source.source if isinstance(source, Discovery) else source
    return found.name if isinstance(found, Kit) else None
