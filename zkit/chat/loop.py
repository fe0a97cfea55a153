"""`ChatLoop`: ask a model, run the calls that it makes, and ask again; `run` does it in one line."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from contextlib import aclosing, closing
from pathlib import Path
from typing import Any, Unpack

from zkit.chat.conversation import conversation
from zkit.chat.decisions import Decided, Resumption, resumption
from zkit.chat.drivers import create_of, drive, drive_async, is_async, require_openai
from zkit.chat.history import as_messages
from zkit.chat.loop_events import LoopEvent, Message, RunFinished, RunResult
from zkit.chat.loop_settings import LoopOptions, settings_of
from zkit.chat.paused_run import PausedRun
from zkit.chat.resuming import run_again
from zkit.chat.run_state import RunState, Steering, begin_task
from zkit.chat.server_profile import Profile
from zkit.chat.tool_offer import dispatcher_for, kit_name
from zkit.coach import coached
from zkit.dispatch import Dispatcher, Recorder
from zkit.dispatch.approval import Approver
from zkit.dispatch.portal import run_sync
from zkit.json_types import JsonMapping
from zkit.required import require_kind, require_path, require_text

Prompt = str | Iterable[JsonMapping] | Resumption
"""A question, a conversation to go on with, or a paused run with what was decided on it."""


Source = object
"""A `Toolbox`, a `Kit`, a `Dispatcher` or any other source, or a list of tools and functions."""


class ChatLoop:
    """Asks a model, runs the calls it makes, and asks again, until there is an answer.

    `client` is an `OpenAI` or `AsyncOpenAI` client, or one built like them. `source` is a
    `Toolbox`, a `Kit`, a `Dispatcher`, or a list of tools and functions; it is read again before
    each request. `system` is the system prompt. `workspace` is the folder that the tools work in:
    what changes in it is in the result, turn by turn. `profile` has the settings of the server: a
    `Profile`, or the file that `zkit doctor` wrote. The other keyword arguments are those of
    `LoopOptions`, and override the profile: limits of the run (`max_turns`, `max_seconds`),
    settings of the server, and what goes into each request (`temperature`, `max_tokens`, as in the
    OpenAI API).

    Nothing that a model, a tool or a server did is raised: the result says why the run ended. A
    loop holds no conversation; many runs may go on at the same time.
    """

    def __init__(
        self,
        client: object,
        model: str,
        source: Source = (),
        *,
        system: str | None = None,
        workspace: str | Path | None = None,
        approve: Approver | None = None,
        profile: Profile | str | Path | None = None,
        **settings: Unpack[LoopOptions],
    ) -> None:
        if client is None:  # a loop without a client can be looked at, but not run
            require_openai()
        else:
            create_of(client)
        require_kind("model", model, str, "the name of a model")
        require_text("system", system, or_none=True)
        require_path("workspace", workspace, or_none=True)
        self.client = client
        self.model = model
        self.settings = settings_of(Profile.of(profile).server_settings(), settings)
        self.system = system or ""
        self.workspace = "" if workspace is None else str(workspace)
        recorder = None if workspace is None else Recorder(workspace)
        self.dispatcher: Dispatcher = dispatcher_for(
            source,
            self.settings.fit,
            self.settings.tool_room,
            self.settings.max_tools,
            recorder=recorder,
            approve=approve,
            confirm=self.settings.confirm,
        )
        self.dispatcher = coached(self.dispatcher, self.settings.coach, model)
        self.kit = kit_name(self.dispatcher)

    async def run(
        self,
        prompt: Prompt,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
    ) -> RunResult:
        """Answer a question, or continue a conversation.

        `into` is a list that the messages are put into while the run goes on: it is whole even
        when the run is cancelled.
        """
        async with aclosing(self._events(prompt, steering, into, False)) as events:
            async for event in events:
                if isinstance(event, RunFinished):
                    return event.result
        raise RuntimeError("the run ended without a result")

    def run_sync(
        self,
        prompt: Prompt,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
    ) -> RunResult:
        """The same from plain code, in any thread."""
        if is_async(self.client):
            return run_sync(lambda: self.run(prompt, steering=steering, into=into))
        with closing(self._events_sync(prompt, steering, into, False)) as events:
            return next(event.result for event in events if isinstance(event, RunFinished))

    def stream(
        self,
        prompt: Prompt,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
    ) -> AsyncGenerator[LoopEvent, None]:
        """Answer, and yield events while it happens; the last event holds the result."""
        require_prompt(prompt)
        return self._events(prompt, steering, into, True)

    def stream_sync(
        self,
        prompt: Prompt,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
    ) -> Generator[LoopEvent, None, None]:
        """The same from plain code; the client must not be async."""
        if is_async(self.client):
            raise TypeError("stream_sync needs a client that is not async; use stream")
        require_prompt(prompt)
        return self._events_sync(prompt, steering, into, True)

    # A paused run

    async def resume(
        self,
        paused: PausedRun,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
        **decided: Unpack[Decided],
    ) -> RunResult:
        """Resume a paused run, once: `result.paused`, or one from a `PauseStore`.

        `answer` is the answer to its question, or answers by call id; `approve` whether its call
        may run, or decisions by key; `reason` is sent to the model when it may not. The permissions
        of the run stay in force, and its limits continue where they were. Raises `ResumeError` when
        something is undecided, or the run was resumed before.
        """
        start = resumption(paused, **decided)
        return await self.run(start, steering=steering, into=into)

    def resume_sync(
        self,
        paused: PausedRun,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
        **decided: Unpack[Decided],
    ) -> RunResult:
        """The same from plain code, in any thread."""
        start = resumption(paused, **decided)
        return self.run_sync(start, steering=steering, into=into)

    def resume_stream(
        self,
        paused: PausedRun,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
        **decided: Unpack[Decided],
    ) -> AsyncGenerator[LoopEvent, None]:
        """The same, with events while it happens."""
        start = resumption(paused, **decided)
        return self.stream(start, steering=steering, into=into)

    def resume_stream_sync(
        self,
        paused: PausedRun,
        *,
        steering: Steering | None = None,
        into: list[Message] | None = None,
        **decided: Unpack[Decided],
    ) -> Generator[LoopEvent, None, None]:
        """The same from plain code; the client must not be async."""
        start = resumption(paused, **decided)
        return self.stream_sync(start, steering=steering, into=into)

    async def _events(
        self, prompt: Prompt, steering: Steering | None, into: list[Message] | None, live: bool
    ) -> AsyncGenerator[LoopEvent, None]:
        run = self._begin(prompt, steering, into, live)
        create, awaited = create_of(self.client), is_async(self.client)
        async with aclosing(drive_async(conversation(run), create, run.task, awaited)) as events:
            async for event in events:
                yield event

    def _events_sync(
        self, prompt: Prompt, steering: Steering | None, into: list[Message] | None, live: bool
    ) -> Generator[LoopEvent, None, None]:
        run = self._begin(prompt, steering, into, live)
        yield from drive(conversation(run), create_of(self.client), run.task)

    def _begin(
        self, prompt: Prompt, steering: Steering | None, into: list[Message] | None, live: bool
    ) -> RunState:
        messages = [] if into is None else into
        queue = Steering() if steering is None else steering
        if isinstance(prompt, Resumption):
            return run_again(self, prompt, messages, queue, live)
        require_prompt(prompt)
        messages[:] = self._opening(prompt)
        settings = self.settings
        return RunState(
            self.model,
            self.dispatcher,
            settings,
            messages,
            begin_task(self.workspace, settings.max_seconds),
            queue,
            live,
            settings.mode == "text",
            kit=self.kit,
        )

    def _opening(self, prompt: str | Iterable[JsonMapping]) -> list[Message]:
        messages = as_messages(prompt)
        has_system = bool(messages) and messages[0].get("role") in ("system", "developer")
        if self.system and not has_system:
            return [{"role": "system", "content": self.system}, *messages]
        return messages


def require_prompt(prompt: object) -> None:
    """Refuse what is neither a question nor a conversation."""
    listed = isinstance(prompt, Iterable) and not isinstance(prompt, Mapping | bytes)
    others = (
        [one for one in prompt if not isinstance(one, Mapping)]
        if isinstance(prompt, list | tuple)
        else []
    )
    if others or not (listed or isinstance(prompt, Resumption)):
        found = others[0] if others else prompt
        raise TypeError(
            "a prompt is a text, or a list of messages such as {'role': 'user', 'content': '...'},"
            f" not {found!r:.80}"
        )


def run(
    prompt: Prompt,
    tools: Source = (),
    *,
    model: str,
    base_url: str | None = None,
    api_key: str | None = None,
    client: Any = None,
    system: str | None = None,
    workspace: str | Path | None = None,
    approve: Approver | None = None,
    profile: Profile | str | Path | None = None,
    **settings: Unpack[LoopOptions],
) -> RunResult:
    """Ask a model a question, with functions that it may call; return the result, with the answer in `.text`.

    `base_url` is an OpenAI-compatible server, such as `http://localhost:11434/v1`; without it, the
    client's own default. All other arguments are those of `ChatLoop`. Raises what the client raised
    if the server gave no answer.
    """
    own = client is None
    used = client_for(base_url, api_key) if own else client
    given = {"system": system, "workspace": workspace, "approve": approve, "profile": profile}
    try:
        result = ChatLoop(used, model, tools, **given, **settings).run_sync(prompt)  # type: ignore[arg-type]
    finally:
        if own:
            used.close()
    if result.error is not None:
        raise result.error
    return result


def client_for(base_url: str | None, api_key: str | None = None) -> Any:
    """Return a client of the server; each request is sent once."""
    require_openai()
    from openai import OpenAI

    # A local server needs no key, but the client requires one.
    key = api_key or os.environ.get("OPENAI_API_KEY") or ("none" if base_url else None)
    return OpenAI(base_url=base_url, api_key=key, max_retries=0)
