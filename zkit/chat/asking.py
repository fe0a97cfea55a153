"""A question and tools in, an answer out: the form of five lines."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any

from zkit.chat.loop import ChatLoop, Prompt
from zkit.chat.outcome import RunResult
from zkit.errors import MissingExtraError


def run(
    prompt: Prompt,
    tools: Iterable[Any] | Any = (),
    *,
    model: str,
    base_url: str | None = None,
    api_key: str | None = None,
    client: Any = None,
    **settings: Any,
) -> RunResult:
    """Ask a model a question, with functions that it may call; the answer is `.text`.

    `base_url` is an OpenAI-compatible server, such as `http://localhost:11434/v1`; without it, the
    client's own default. `settings` are those of `ChatLoop`. Raises what the client raised when
    the server could not be asked.
    """
    own = client is None
    used = client_for(base_url, api_key) if own else client
    try:
        result = ChatLoop(used, model, tools, **settings).run_sync(prompt)
    finally:
        if own:
            used.close()
    if result.error is not None:
        raise result.error
    return result


def client_for(base_url: str | None, api_key: str | None = None) -> Any:
    """A client of the server; each request is sent once."""
    try:
        from openai import OpenAI
    except ImportError as error:
        raise MissingExtraError("openai", "talking to a server") from error
    # A local server asks for no key, but the client does.
    key = api_key or os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
    return OpenAI(base_url=base_url, api_key=key, max_retries=0)
