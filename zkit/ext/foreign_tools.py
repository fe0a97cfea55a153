"""The tools of a source for another framework: each call goes through the dispatcher."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from zkit.calls import Call
from zkit.dispatch import Dispatcher
from zkit.json_types import JsonObject
from zkit.results import Result, Validation
from zkit.schema import offered
from zkit.tools import render_result, to_wire


@dataclass(frozen=True, slots=True)
class ForeignTool:
    """A tool as a framework needs it: what it offers, and how it is called."""

    name: str
    description: str
    parameters: JsonObject
    own_name: str
    dispatcher: Dispatcher

    async def run(self, arguments: Mapping[str, object] | str) -> Result:
        """Run the tool with arguments of the model, whole or as the text of a JSON object."""
        given = arguments if isinstance(arguments, str) else dict(arguments)
        return await self.dispatcher.call(Call(self.own_name, given))

    def run_sync(self, arguments: Mapping[str, object]) -> Result:
        """The same in plain code."""
        return self.dispatcher.call_sync(Call(self.own_name, dict(arguments)))


def foreign_tools(source: Any, **options: Any) -> list[ForeignTool]:
    """The tools of a source; `options` are those of the dispatcher (`approve`, `confirm`, …)."""
    dispatcher = source if isinstance(source, Dispatcher) else Dispatcher(source, **options)
    return [
        ForeignTool(to_wire(name), offer.description, offer.parameters, name, dispatcher)
        for name, offer in offered(source).items()
    ]


def answer_of(result: Result) -> str:
    """Return the text of a result for the model."""
    return render_result(result)


def is_models_mistake(result: Result) -> bool:
    """True if the model can fix what went wrong."""
    return isinstance(result, Validation)
