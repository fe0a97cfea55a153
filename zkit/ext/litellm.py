"""zkit in litellm: a callback for the SDK and for the proxy.

The SDK sends requests to OpenAI-like servers with HTTP clients that `install` replaces, so that whole
and streamed replies are repaired on the wire and the model can be asked again. For other providers, and
in the proxy, the callback repairs what litellm made of the reply.
"""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from zkit.chat.client.exchange import CHAT, Exchange, Listener, Repairing
from zkit.chat.client.wrapped_client import remade, remade_reply
from zkit.chat.wire_data import plain
from zkit.errors import MissingExtraError
from zkit.json_types import JsonObject
from zkit.transport import async_client, client

try:
    import litellm
    from litellm.integrations.custom_logger import CustomLogger
except ImportError as error:
    raise MissingExtraError("litellm", "zkit.ext.litellm") from error

if TYPE_CHECKING:
    from litellm.types.utils import LLMResponseTypes, ModelResponseStream


class RepairCallback(CustomLogger):  # type: ignore[misc]
    """Repairs the replies of any provider; in the proxy's configuration: `callbacks: zkit.ext.litellm.callback`."""

    def __init__(self, on_report: Listener | None = None) -> None:
        super().__init__()
        self._repairing = Repairing(on_report=on_report)

    async def async_post_call_success_hook(
        self, data: JsonObject, user_api_key_dict: object, response: LLMResponseTypes
    ) -> LLMResponseTypes:
        """Repair a whole reply in the proxy."""
        return self._repaired(data, response)

    async def async_post_call_success_deployment_hook(
        self, request_data: JsonObject, response: LLMResponseTypes, call_type: object
    ) -> LLMResponseTypes:
        """Repair a whole reply of `acompletion`."""
        return self._repaired(request_data, response)

    async def async_post_call_streaming_iterator_hook(
        self,
        user_api_key_dict: object,
        response: AsyncIterator[ModelResponseStream],
        request_data: JsonObject,
    ) -> AsyncIterator[ModelResponseStream]:
        """Repair a streamed reply in the proxy."""
        exchange = Exchange(CHAT, request_data, self._repairing)
        if not exchange.has_tools:
            async for chunk in response:
                yield chunk
            return
        exchange.open_stream(_chunk, plain)
        async for chunk in response:
            for made in exchange.feed(chunk):
                yield made
        for made in exchange.end():
            yield made

    def _repaired(self, request: JsonObject, response: LLMResponseTypes) -> LLMResponseTypes:
        exchange = Exchange(CHAT, request, self._repairing)
        if not exchange.has_tools or not hasattr(response, "choices") or _is_checked(response):
            return response
        made = exchange.take(plain(response))
        done = response
        if made is not None:
            done = remade_reply(response, made, exchange.report)
            done = done if done is response else type(response)(**made)
        return _checked(done, response)


# The proxy calls both hooks for one reply; a call that the first has refused is not refused again. The
# mark is random, because a server could write a known one into its reply.
_MARK = secrets.token_hex(8)


def _is_checked(response: object) -> bool:
    hidden = getattr(response, "_hidden_params", None)
    return isinstance(hidden, dict) and hidden.get("zkit") == _MARK


def _checked(done: LLMResponseTypes, response: LLMResponseTypes) -> LLMResponseTypes:
    """Return the reply with a mark among litellm's own notes, which a new reply takes over."""
    hidden = getattr(response, "_hidden_params", None)
    if isinstance(hidden, dict):
        done._hidden_params = {**hidden, "zkit": _MARK}
    return done


def _chunk(like: ModelResponseStream, data: JsonObject) -> ModelResponseStream:
    try:
        return type(like)(**data)
    except (TypeError, ValueError):
        return remade(like, data)


callback = RepairCallback()


def install(*, ask_again: int = 1, on_report: Listener | None = None) -> RepairCallback:
    """Repair the replies of `litellm.completion` and `acompletion`, whole and streamed.

    Sets `litellm.client_session` and `litellm.aclient_session`, and adds the callback.
    """
    import httpx

    litellm.client_session = client(ask_again=ask_again, on_report=on_report, http=httpx)
    litellm.aclient_session = async_client(ask_again=ask_again, on_report=on_report, http=httpx)
    made = RepairCallback(on_report)
    litellm.callbacks = [one for one in litellm.callbacks if not isinstance(one, RepairCallback)]
    litellm.callbacks.append(made)
    return made
