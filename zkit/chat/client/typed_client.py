"""The types of a wrapped client for type checkers: its replies and streams have `.zkit`.

Nothing here exists at run time; a wrapped client is of the client's own class.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Required, overload

    from openai import AsyncOpenAI, AsyncStream, OpenAI, Stream
    from openai.resources.chat import AsyncChat, AsyncCompletions, Chat, Completions
    from openai.types.chat import ChatCompletion, ChatCompletionChunk
    from openai.types.chat.completion_create_params import (
        CompletionCreateParamsBase,
        CompletionCreateParamsNonStreaming,
        CompletionCreateParamsStreaming,
    )
    from typing_extensions import Unpack

    from zkit.chat.call_checker import Report

    class RepairedCompletion(ChatCompletion):
        """A completion with the report on what was done to it."""

        zkit: Report

    class RepairedStream(Stream[ChatCompletionChunk]):
        """A stream with the report, which is complete when the stream has ended."""

        zkit: Report

    class RepairedAsyncStream(AsyncStream[ChatCompletionChunk]):
        """The same for async code."""

        zkit: Report

    class _Whole(CompletionCreateParamsNonStreaming, total=False):
        extra_headers: Mapping[str, str] | None
        extra_query: Mapping[str, object] | None
        extra_body: object | None
        timeout: float | None

    class _Streamed(CompletionCreateParamsStreaming, total=False):
        extra_headers: Mapping[str, str] | None
        extra_query: Mapping[str, object] | None
        extra_body: object | None
        timeout: float | None

    class _Either(CompletionCreateParamsBase, total=False):
        stream: Required[bool]
        extra_headers: Mapping[str, str] | None
        extra_query: Mapping[str, object] | None
        extra_body: object | None
        timeout: float | None

    class RepairedCompletions(Completions):
        """`create` with the parameters of the client, and replies that have `.zkit`."""

        @overload  # type: ignore[override]
        def create(self, **request: Unpack[_Whole]) -> RepairedCompletion: ...
        @overload
        def create(self, **request: Unpack[_Streamed]) -> RepairedStream: ...
        @overload
        def create(self, **request: Unpack[_Either]) -> RepairedCompletion | RepairedStream: ...
        def create(self, **request: object) -> object: ...

    class RepairedAsyncCompletions(AsyncCompletions):
        """The same for async code."""

        @overload  # type: ignore[override]
        async def create(self, **request: Unpack[_Whole]) -> RepairedCompletion: ...
        @overload
        async def create(self, **request: Unpack[_Streamed]) -> RepairedAsyncStream: ...
        @overload
        async def create(
            self, **request: Unpack[_Either]
        ) -> RepairedCompletion | RepairedAsyncStream: ...
        async def create(self, **request: object) -> object: ...

    class _Chat(Chat):
        completions: RepairedCompletions

    class _AsyncChat(AsyncChat):
        completions: RepairedAsyncCompletions

    class RepairedOpenAI(OpenAI):
        """A wrapped `OpenAI` client."""

        chat: _Chat

    class RepairedAsyncOpenAI(AsyncOpenAI):
        """A wrapped `AsyncOpenAI` client."""

        chat: _AsyncChat
