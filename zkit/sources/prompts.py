"""The specs and workflows of a kit in, what a system prompt says of them out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from zkit.sources.examples import ToolExample
from zkit.sources.workflows import Step, Workflow
from zkit.tools import ToolSpec
from zkit.tools.projections import guide_lines


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
