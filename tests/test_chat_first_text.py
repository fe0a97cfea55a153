"""Streams stay streams: text arrives while the server is still writing."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from openai import OpenAI

from zkit.chat import ChatLoop, TextDelta, wrap
from zkit.testing import Answer, ScriptedServer, stream


def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    return city


TOOLS: Any = [
    {"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}}
]


class SlowServer:
    """Sends some text, and the rest only when somebody has read the first of it."""

    def __init__(self) -> None:
        self.was_read = threading.Event()
        self.had_been_read = False
        self.answer = Answer(self._parts(), content_type="text/event-stream")

    def _parts(self) -> Iterator[bytes]:
        yield from stream(
            [{"content": "The weather in Oslo "}], finish=None, usage=None, done=False
        ).parts
        self.had_been_read = self.was_read.wait(5)
        yield from stream([{"content": "is fine."}]).parts


def texts_of_wrap(client: OpenAI) -> Iterator[str]:
    made = wrap(client).chat.completions.create(
        model="m", messages=[{"role": "user", "content": "?"}], tools=TOOLS, stream=True
    )
    return (c.delta.content or "" for chunk in made for c in chunk.choices)


def texts_of_the_loop(client: OpenAI) -> Iterator[str]:
    events = ChatLoop(client, "m", [get_weather]).stream_sync("?")
    return (event.text for event in events if isinstance(event, TextDelta))


@pytest.mark.parametrize("texts", [texts_of_wrap, texts_of_the_loop])
def test_text_arrives_before_the_server_has_ended(texts: Any) -> None:
    slow, came = SlowServer(), []
    with (
        ScriptedServer([slow.answer]) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        for text in texts(client):
            came.append(text)
            if text.strip():
                slow.was_read.set()
    assert slow.had_been_read
    assert "".join(came).strip() == "The weather in Oslo is fine."
