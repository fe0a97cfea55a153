"""zkit in the OpenAI Agents SDK: a repaired model, a provider of such, and zkit's tools as its own."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

from zkit.chat.client.exchange import Listener
from zkit.chat.client.wrapped_client import wrap
from zkit.errors import MissingExtraError
from zkit.ext.foreign_tools import ForeignTool, answer_of, foreign_tools

try:
    from agents import FunctionTool, Model, ModelProvider, OpenAIProvider
except ImportError as error:
    raise MissingExtraError("openai-agents", "zkit.ext.openai_agents") from error

if TYPE_CHECKING:
    from agents.tool_context import ToolContext


def repaired(model: Model, *, ask_again: int = 1, on_report: Listener | None = None) -> Model:
    """Return a model whose replies are repaired, whole and streamed; for models with an OpenAI client."""
    client = getattr(model, "_client", None)
    if not hasattr(client, "chat"):
        raise TypeError(f"{type(model).__name__} has no OpenAI client to repair the replies of")
    made = copy.copy(model)
    made._client = wrap(client, ask_again=ask_again, on_report=on_report)
    return made


class RepairProvider(ModelProvider):  # type: ignore[misc]
    """Gives out repaired models: `RunConfig(model_provider=RepairProvider())`.

    `provider` finds the models, by default the SDK's own.
    """

    def __init__(
        self,
        provider: ModelProvider | None = None,
        *,
        ask_again: int = 1,
        on_report: Listener | None = None,
    ) -> None:
        self._provider = provider or OpenAIProvider()
        self._ask_again = ask_again
        self._on_report = on_report

    def get_model(self, model_name: str | None) -> Model:
        """Return the model of this name, repaired."""
        model = self._provider.get_model(model_name)
        return repaired(model, ask_again=self._ask_again, on_report=self._on_report)


def tools_of(source: object, **options: object) -> list[FunctionTool]:
    """Return the tools of a source as tools of the SDK; each call goes through the dispatcher."""
    return [_tool(one) for one in foreign_tools(source, **options)]


def _tool(one: ForeignTool) -> FunctionTool:
    async def run(context: ToolContext[object], arguments: str) -> str:
        return answer_of(await one.run(arguments))

    return FunctionTool(
        name=one.name,
        description=one.description,
        params_json_schema=one.parameters,
        on_invoke_tool=run,
        strict_json_schema=False,
    )
