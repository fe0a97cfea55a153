"""zkit in pydantic-ai: a capability that repairs the replies of a model, and zkit's tools as its own."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from zkit.chat.client.exchange import Listener
from zkit.chat.client.wrapped_client import wrap
from zkit.errors import MissingExtraError
from zkit.ext.foreign_tools import ForeignTool, answer_of, foreign_tools, is_models_mistake

try:
    from pydantic_ai import ModelRetry, Tool
    from pydantic_ai.capabilities import AbstractCapability
except ImportError as error:
    raise MissingExtraError("pydantic-ai", "zkit.ext.pydantic_ai") from error

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.models import Model, ModelRequestContext


class Repair(AbstractCapability[Any]):  # type: ignore[misc]
    """Repairs calls before pydantic-ai sees them: `Agent(model, capabilities=[Repair()])`.

    Works for models that send their requests with an OpenAI client, in `run`, `run_stream` and
    `iter`. A call that cannot be run is answered and the model asked again, at most `ask_again`
    times for each request. `on_report` is called with each report.
    """

    def __init__(self, *, ask_again: int = 1, on_report: Listener | None = None) -> None:
        self._ask_again = ask_again
        self._on_report = on_report
        self._known: tuple[Model | None, Model | None] = (None, None)

    async def before_model_request(
        self, ctx: RunContext[object], request_context: ModelRequestContext
    ) -> ModelRequestContext:
        """Send the request with a client whose replies are repaired."""
        request_context.model = self.get_wrapper_model(request_context.model)
        return request_context

    def get_wrapper_model(self, model: Model) -> Model:
        """Return the model with a client whose replies are repaired; any other model as it is."""
        known, made = self._known
        if known is not model:
            made = model if model is made else self._repaired(model)
            self._known = (model, made)
        return made

    def _repaired(self, model: Model) -> Model:
        inner = getattr(model, "wrapped", None)
        made = copy.copy(model)
        if inner is not None:
            made.wrapped = self._repaired(inner)
            return made
        if not hasattr(getattr(getattr(model, "_provider", None), "client", None), "chat"):
            return model
        provider = copy.copy(model._provider)
        client = wrap(provider.client, ask_again=self._ask_again, on_report=self._on_report)
        provider._client = client
        made._provider = provider
        return made


def tools_of(source: object, **options: object) -> list[Tool[object]]:
    """Return the tools of a source as tools of pydantic-ai; each call goes through the dispatcher."""
    return [_tool(one) for one in foreign_tools(source, **options)]


def _tool(one: ForeignTool) -> Tool[object]:
    async def run(**arguments: object) -> str:
        result = await one.run(arguments)
        if is_models_mistake(result):
            raise ModelRetry(answer_of(result))
        return answer_of(result)

    return Tool.from_schema(run, one.name, one.description, one.parameters)
