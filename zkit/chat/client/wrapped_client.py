"""The user's own client in, the same client with chat completions that hold sound calls out."""

from __future__ import annotations

import copy
import functools
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from zkit.chat.call_checker import CallChecker, Report, Rules, joined
from zkit.chat.client.message_repair import RepairedMessage, repair_message
from zkit.chat.client.stream_repair import StreamRepair
from zkit.chat.client.whole_stream import AsyncWholeStream, WholeStream
from zkit.chat.drivers import create_of
from zkit.chat.fit_request import asked, fitted
from zkit.chat.server_profile import Profile, ServerSettings
from zkit.chat.wire_data import plain
from zkit.receipt import Rank
from zkit.required import require_list

C = TypeVar("C")


def wrap(
    client: C,
    tools: Any = None,
    *,
    limit: Rank = Rank.GUESS,
    unmarked: bool = True,
    formats: Iterable[str] | None = None,
    profile: Profile | str | Path | None = None,
) -> C:
    """Return the client with `chat.completions.create` mended; the one passed in stays as it is.

    Works with `OpenAI`, `AsyncOpenAI` and anything built like them, with `stream=True` or not. Tool
    calls come back with arguments that fit their schemas, calls written as text come back as tool
    calls, and `.zkit` on the completion (or the stream, when it has ended) says what was done. A
    call that cannot be mended is left as it is and listed in `.zkit.refusals`.

    `tools` are the tools that calls are judged by; those of each request when it is None. `limit`
    is the highest rank of repair and `unmarked` whether a call may be found in text by its shape
    alone; tools that declare a grade set both by it. For others the
    limit is that of `decode_args`; where they can do harm, lower it. `formats` limits the formats to look for.
    `profile` says how the server wants to be asked: a `Profile`, or the file that `zkit doctor`
    wrote. Without one, requests go out as they are.
    """
    create = create_of(client)
    formats = (formats,) if isinstance(formats, str) else formats
    require_list("formats", formats, "names of formats", or_none=True)
    rules = Rules(limit, unmarked, None if formats is None else tuple(formats))
    if tools is not None:
        CallChecker.of(tools, rules)  # what is no tool is refused here, not at the first reply
    server = None if profile is None else Profile.of(profile)
    again = functools.partial(
        wrap, tools=tools, limit=limit, unmarked=unmarked, formats=rules.formats, profile=server
    )
    wrapped: Any = copy.copy(client)
    wrapped.chat = copy.copy(wrapped.chat)
    wrapped.chat.completions = copy.copy(wrapped.chat.completions)
    wrapped.chat.completions.create = _mending(create, tools, rules, server)
    for name in ("copy", "with_options"):
        if callable(getattr(client, name, None)):
            setattr(wrapped, name, _then(getattr(client, name), again))
    return wrapped  # type: ignore[no-any-return]


def _then(make: Callable[..., Any], follow: Callable[[Any], Any]) -> Callable[..., Any]:
    @functools.wraps(make)
    def made(*args: Any, **options: Any) -> Any:
        return follow(make(*args, **options))

    return made


def _mending(
    create: Callable[..., Any], tools: Any, rules: Rules, server: ServerSettings | None
) -> Callable[..., Any]:
    """The client's own `create`, with its outcome mended; plain or async as it is."""

    @functools.wraps(create)
    def mended_create(*args: Any, **request: Any) -> Any:
        checker = _checker(request, tools, rules)
        sent = request if server is None else fitted(request, server)
        is_stream_due = bool(asked(request, "stream")) and "stream" not in sent
        outcome = create(*args, **sent)
        if inspect.isawaitable(outcome):
            return _awaited(outcome, checker, is_stream_due)
        made = _mended(outcome, checker)
        return WholeStream(made) if is_stream_due else made

    return mended_create


async def _awaited(outcome: Awaitable[Any], checker: CallChecker, is_stream_due: bool) -> Any:
    made = _mended(await outcome, checker)
    return AsyncWholeStream(made) if is_stream_due else made


def _checker(request: Mapping[str, Any], tools: Any, rules: Rules) -> CallChecker:
    """What a request says about the calls that may come."""
    offered = _given(request.get("tools")) if tools is None else tools
    reads_text = request.get("tool_choice") != "none"
    return CallChecker.of(offered, rules, _given(request.get("messages")), reads_text)


def _given(x: Any) -> Any:
    """A list of the request; clients have marks of their own for what is not given.

    Tools that are no functions have no arguments to mend.
    """
    if not isinstance(x, list | tuple):
        return ()
    return [one for one in x if not isinstance(one, Mapping) or one.get("type") != "custom"]


def _mended(outcome: Any, checker: CallChecker) -> Any:
    """A completion or a stream, mended; anything else a client may return passes as it is."""
    if hasattr(outcome, "choices"):
        return mend_completion(outcome, checker)
    if hasattr(outcome, "__anext__") or hasattr(outcome, "__next__"):
        return _MENDED_STREAMS[hasattr(outcome, "__anext__")](outcome, checker)
    return outcome


def mend_completion(completion: Any, checker: CallChecker) -> Any:
    """Mend a completion of a client; its type stays what it is."""
    reports = []
    for choice in completion.choices or ():
        message = plain(choice).get("message")
        made = _mended_choice(choice, message if isinstance(message, dict) else {}, checker)
        reports.append(made)
        _hang(choice, made)
    _hang(completion, joined(reports))
    return completion


def _mended_choice(choice: Any, message: dict[str, Any], checker: CallChecker) -> Report:
    mended: RepairedMessage = repair_message(message, choice.finish_reason, checker)
    if mended.message != message:
        choice.message = remade(choice.message, mended.message)
    if mended.finish_reason != choice.finish_reason:
        choice.finish_reason = mended.finish_reason
    return mended.report


def remade(like: Any, data: dict[str, Any]) -> Any:
    """A record of the same type from data, without the checks that a broken reply would fail."""
    construct = getattr(type(like), "construct", None) or type(like).model_construct
    return construct(**data)


def _hang(record: Any, report: Report) -> None:
    """Hang the report on a record, beside its fields: it is not part of what is dumped."""
    object.__setattr__(record, "zkit", report)


# ── streams: one repairer, two drivers ─────────────────────────────────────────


def _mend_stream(stream: Any, checker: CallChecker) -> Any:
    repairer = StreamRepair(checker, remade)

    def chunks(source: Iterator[Any]) -> Iterator[Any]:
        try:
            for chunk in source:
                yield from repairer.feed(chunk)
        except Exception:
            yield from repairer.abandon()
            raise
        yield from repairer.close()

    return _replaced(stream, repairer, chunks)


def _mend_async_stream(stream: Any, checker: CallChecker) -> Any:
    repairer = StreamRepair(checker, remade)

    async def chunks(source: AsyncIterator[Any]) -> AsyncIterator[Any]:
        try:
            async for chunk in source:
                for made in repairer.feed(chunk):
                    yield made
        except Exception:
            for made in repairer.abandon():
                yield made
            raise
        for made in repairer.close():
            yield made

    return _replaced(stream, repairer, chunks)


_MENDED_STREAMS = {False: _mend_stream, True: _mend_async_stream}


def _replaced(stream: Any, repairer: StreamRepair, chunks: Callable[[Any], Any]) -> Any:
    """The same stream, of a type derived from its own, that gives out other chunks."""
    bare = copy.copy(stream)
    kind: Any = type(stream)
    stream.__class__ = _stream_type(kind)
    stream.__dict__ |= {"_zkit_mender": repairer, "_zkit_chunks": chunks(bare)}
    return stream


@functools.lru_cache(maxsize=64)
def _stream_type(kind: Any) -> type[Any]:
    """A stream type whose iteration is ours, and everything else its own."""
    own = {
        "__iter__": lambda self: self._zkit_chunks,
        "__next__": lambda self: next(self._zkit_chunks),
    }
    asynchronous = {
        "__aiter__": lambda self: self._zkit_chunks,
        "__anext__": lambda self: anext(self._zkit_chunks),
    }
    report = property(lambda self: self._zkit_mender.report)
    methods = asynchronous if hasattr(kind, "__anext__") else own
    return type(kind.__name__, (kind,), {**methods, "zkit": report, "__module__": kind.__module__})
