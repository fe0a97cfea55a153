"""The tools that a request offers, and what its prompt says about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from zkit.chat.wire_data import dumps
from zkit.dispatch import Dispatcher, Recorder
from zkit.dispatch.approval import Approver, Confirm
from zkit.json_types import JsonObject
from zkit.schema import Offer, offered
from zkit.sources import Discovery, Kit, ToolSource, Workflow
from zkit.sources.catalog import usage_prompt
from zkit.sources.source import as_source, specs_in
from zkit.tools import Tool, ToolSpec, thaw

Fit = Literal["all", "weights", "discovery", "auto"]


@dataclass(frozen=True)
class Offering:
    """The tools that one request offers."""

    specs: tuple[ToolSpec, ...]

    @cached_property
    def entries(self) -> list[JsonObject]:
        """As OpenAI's `tools`."""
        return [spec.openai() for spec in self.specs]

    @cached_property
    def offers(self) -> tuple[Offer, ...]:
        """As what calls are looked for in text, under the names that the model sees."""
        return tuple(offered(self.entries).values()) if self.specs else ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the model sees."""
        return tuple(offer.name for offer in self.offers)


def offering_of(tools: Iterable[Tool], room: int | None, most: int | None = None) -> Offering:
    """Return what fits into `room` tokens and `most` tools: those of the greatest weight, sorted by name."""
    specs = sorted(specs_in(tools), key=lambda spec: spec.name)
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
    """Return the rough number of tokens of a tool in a request."""
    return 1 + len(dumps(spec.openai())) // 4


def dispatcher_for(
    source: object,
    fit: Fit,
    room: int | None,
    most: int | None = None,
    *,
    approve: Approver | None = None,
    recorder: Recorder | None = None,
    confirm: Confirm = "doubtful",
) -> Dispatcher:
    """Return the dispatcher that runs the calls: the one that was given, or one over the source.

    If the list does not fit, the model gets two tools that find the others.
    """
    if isinstance(source, Dispatcher):
        given: JsonObject = {"approver": approve, "recorder": recorder}
        given["confirm"] = None if confirm == "doubtful" else confirm
        return source.changed(**{name: one for name, one in given.items() if one is not None})
    found = as_source(source)
    if fit == "discovery" or (fit == "auto" and not _fits(found, room, most)):
        found = Discovery(found)
    return Dispatcher(found, approve=approve, recorder=recorder, confirm=confirm)


def _fits(source: ToolSource, room: int | None, most: int | None) -> bool:
    if room is None and most is None:
        return True
    sizes = [size_of_tool(spec) for spec in specs_in(source.tools())]
    return (room is None or sum(sizes) <= room) and (most is None or len(sizes) <= most)


def kit_of(dispatcher: Dispatcher) -> Kit | None:
    """Return the kit whose tools are offered; None if they are of no kit."""
    source = dispatcher.settings.source
    found = source.source if isinstance(source, Discovery) else source
    return found if isinstance(found, Kit) else None


def kit_name(dispatcher: Dispatcher) -> str | None:
    """Return the name of the kit whose tools are offered, empty if it has none; None without a kit."""
    kit = kit_of(dispatcher)
    return None if kit is None else kit.name


# ── what the prompt says about the tools ────────────────────────────────────────

LONGEST_PROMPT = 12_000
"""The most characters about tools in a system prompt: about 3,000 tokens, which leaves most of an
8k context to the conversation. With a known context it is a tenth of it."""


def examples_of(offering: Offering) -> dict[str, JsonObject]:
    """Return the arguments of the first declared example of each tool on offer, by its wire name."""
    return {
        spec.wire_name: thaw(spec.examples[0].arguments) for spec in offering.specs if spec.examples
    }


def prompt_about(
    offering: Offering,
    dispatcher: Dispatcher,
    present: str,
    *,
    has_examples: bool,
    context: int | None = None,
) -> str:
    """Return what a system prompt says about the tools on offer, besides their declarations.

    Workflows whose tools are all on offer, guides (a skill is a guide), and one declared example
    for each tool if `has_examples`. A part that is in `present` already is left out; when they do not
    all fit, workflows come first, then guides and examples by the weight of their tool.
    """
    room = LONGEST_PROMPT if context is None else min(LONGEST_PROMPT, context * 4 // 10)
    specs = sorted(offering.specs, key=lambda spec: (-spec.preference.weight, spec.name))
    guides = {spec.name: usage_prompt([spec]) for spec in specs}
    shown = [
        (spec, f"- {spec.wire_name}: {dumps(thaw(spec.examples[0].arguments))}")
        for spec in specs
        if has_examples and spec.examples
    ]
    flows = [usage_prompt([], [flow]) for flow in _workflows(offering, dispatcher)]
    kept: set[str] = set()
    for part in [*flows, *guides.values(), *(line for _, line in shown)]:
        if part and part not in present and len(part) + 2 <= room:
            room -= len(part) + 2
            kept.add(part)
    listed = [line for _, line in sorted(shown, key=lambda one: one[0].name) if line in kept]
    head = ["\n".join(["Arguments of calls that work:", *listed])] if listed else []
    parts = [*flows, *(guides[spec.name] for spec in offering.specs)]
    return "\n\n".join([*(part for part in parts if part in kept), *head])


def _workflows(offering: Offering, dispatcher: Dispatcher) -> list[Workflow]:
    """Return the workflows of the kit whose tools are all on offer, or can all be found by the model."""
    kit = kit_of(dispatcher)
    if kit is None:
        return []
    is_searched = isinstance(dispatcher.settings.source, Discovery)
    names = set(offering.names)
    return [flow for flow in kit.usable_workflows() if is_searched or flow.tools <= names]
