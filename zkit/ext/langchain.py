"""zkit in LangChain: a middleware for `create_agent`, a repaired model, and zkit's tools as its own."""

from __future__ import annotations

import copy
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from zkit.chat.client.exchange import Listener
from zkit.chat.client.wrapped_client import wrap
from zkit.errors import MissingExtraError
from zkit.ext.foreign_tools import ForeignTool, answer_of, foreign_tools

try:
    from langchain.agents.middleware import AgentMiddleware
    from langchain_core.messages import ToolMessage
    from langchain_core.tools import StructuredTool
except ImportError as error:
    raise MissingExtraError("langchain", "zkit.ext.langchain") from error

if TYPE_CHECKING:
    from langchain.agents.middleware import ModelRequest, ModelResponse
    from langchain_core.language_models import BaseChatModel

_INVALID = (
    "The arguments of this call of {name} are not valid, so it was not run: {error}. Send the call"
    " again with one JSON object that fits the schema."
)


def repaired(
    model: BaseChatModel, *, ask_again: int = 1, on_report: Listener | None = None
) -> BaseChatModel:
    """Return a chat model whose replies are repaired; one without an OpenAI client is returned as it is."""
    clients = ("root_client", "root_async_client")
    if not any(hasattr(getattr(model, name, None), "chat") for name in clients):
        return model
    made = copy.copy(model)
    for name, short in zip(clients, ("client", "async_client"), strict=True):
        client = getattr(model, name, None)
        if client is not None:
            wrapped = wrap(client, ask_again=ask_again, on_report=on_report)
            setattr(made, name, wrapped)
            setattr(made, short, wrapped.chat.completions)
    return made


class RepairMiddleware(AgentMiddleware[Any, Any]):  # type: ignore[misc]
    """Repairs calls before the agent sees them: `create_agent(model, tools, middleware=[…])`.

    A call that cannot be run is answered and the model asked again, at most `ask_again` times for
    each request, so an agent never ends on `invalid_tool_calls`.
    """

    def __init__(self, *, ask_again: int = 1, on_report: Listener | None = None) -> None:
        super().__init__()
        self._ask_again = ask_again
        self._on_report = on_report
        self._known: tuple[BaseChatModel | None, BaseChatModel | None] = (None, None)

    def wrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], ModelResponse]
    ) -> ModelResponse:
        """Call the model with a repaired client; answer what is left invalid."""
        request = self._with_model(request)
        response = handler(request)
        for _ in range(self._ask_again):
            following = _answered(request, response)
            if following is None:
                break
            request, response = following, handler(following)
        return response

    async def awrap_model_call(
        self, request: ModelRequest, handler: Callable[[ModelRequest], Awaitable[ModelResponse]]
    ) -> ModelResponse:
        """The same in async code."""
        request = self._with_model(request)
        response = await handler(request)
        for _ in range(self._ask_again):
            following = _answered(request, response)
            if following is None:
                break
            request, response = following, await handler(following)
        return response

    def _with_model(self, request: ModelRequest) -> ModelRequest:
        known, made = self._known
        if known is not request.model:
            made = repaired(request.model, ask_again=self._ask_again, on_report=self._on_report)
            self._known = (request.model, made)
        return request.override(model=made)


def _answered(request: ModelRequest, response: ModelResponse) -> ModelRequest | None:
    """Return the request with the invalid calls of a response answered; None if there are none."""
    if not getattr(response, "result", None):
        return None
    last = response.result[-1]
    invalid = getattr(last, "invalid_tool_calls", None)
    if not invalid:
        return None
    answers = [
        ToolMessage(
            _INVALID.format(name=one.get("name"), error=one.get("error") or "not JSON"),
            tool_call_id=one.get("id") or "",
            status="error",
        )
        for one in [*invalid, *(last.tool_calls or ())]
    ]
    return request.override(messages=[*request.messages, last, *answers])


def tools_of(source: object, **options: object) -> list[StructuredTool]:
    """Return the tools of a source as tools of LangChain; each call goes through the dispatcher."""
    return [_tool(one) for one in foreign_tools(source, **options)]


def _tool(one: ForeignTool) -> StructuredTool:
    async def run(**arguments: object) -> str:
        return answer_of(await one.run(arguments))

    def run_sync(**arguments: object) -> str:
        return answer_of(one.run_sync(arguments))

    return StructuredTool(
        name=one.name,
        description=one.description or one.name,
        args_schema=one.parameters,
        func=run_sync,
        coroutine=run,
    )
