"""Write the tools, guides, workflows and examples of a kit for a system prompt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zkit.sources.catalog import telling_words
from zkit.sources.workflows import Step, Workflow
from zkit.tools import Example, ToolSpec, thaw
from zkit.tools.projections import guide_lines

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


def kit_prompt(
    specs: Sequence[ToolSpec],
    workflows: Iterable[Workflow] = (),
    examples: Sequence[ToolExample] = (),
) -> str:
    """Return the tools by their signatures, their guides, the workflows, and examples of calls."""
    parts = ["\n".join(_tool_lines(specs)), usage_prompt(specs, workflows, examples)]
    return "\n\n".join(part for part in parts if part)


def usage_prompt(
    specs: Sequence[ToolSpec],
    workflows: Iterable[Workflow] = (),
    examples: Sequence[ToolExample] = (),
) -> str:
    """Return how to use tools that the model knows already: guides, workflows, examples of calls."""
    parts = [*map(_guide, specs), *map(_workflow, workflows)]
    parts += ["\n".join(["Examples:", *(f"- {one}" for one in examples)])] if examples else []
    return "\n\n".join(part for part in parts if part)


def catalog_text(specs: Iterable[ToolSpec]) -> str:
    """Return one line for each tool: enough to choose one, not to call it."""
    return "\n".join(f"{spec.wire_name}: {spec.summary}" for spec in specs)


def _tool_lines(specs: Sequence[ToolSpec]) -> Iterator[str]:
    if not specs:
        yield "There are no tools."
        return
    yield "Tools:"
    for spec in specs:
        yield f"- {spec.signature()}"
        if spec.summary:
            yield f"  {spec.summary}"


def _guide(spec: ToolSpec) -> str:
    lines = [f"- {line}" for line in guide_lines(spec.guide)]
    return "\n".join([f"How to use {spec.wire_name}:", *lines]) if lines else ""


def _workflow(flow: Workflow) -> str:
    head = [f"Workflow {flow.name}" + (f": {flow.goal}" if flow.goal else "")]
    steps = [f"{number}. {_step(step)}" for number, step in enumerate(flow.steps, 1)]
    return "\n".join([*head, *steps])


def _step(step: Step) -> str:
    arguments = {**({"action": step.action} if step.action else {}), **step.params}
    shown = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in arguments.items())
    call = f"{step.tool}({shown})" if step.tool else ""
    return " - ".join(part for part in (call, step.note) if part)
