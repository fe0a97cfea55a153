"""One completion from the request to what is delivered: repair, ask again, at most n times.

This is the part without I/O. `wrap`, the HTTP transport and the proxy send the request, pass in the
reply, and deliver what they get.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Protocol

from pydantic_core import from_json

from zkit.calls import Call
from zkit.chat.call_checker import (
    NOTHING_DONE,
    CallChecker,
    RefusedCall,
    Report,
    Rules,
    joined,
    key_of,
)
from zkit.chat.client.message_repair import added, repair_message
from zkit.chat.client.stream_repair import Plain, Remake, StreamRepair
from zkit.chat.client.text_calls import MADE_UP
from zkit.chat.history import as_facts, tool_message, valid_arguments
from zkit.chat.loop_messages import HAVE_RESULTS, REPEATED
from zkit.chat.wire_data import REASONING, dumps, entries
from zkit.extract import Declared, Doubtful
from zkit.extract.declared import declared
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_count, require_function
from zkit.tools import to_wire

Data = JsonObject
Listener = Callable[[Report], object]
NOT_RUN = (
    "Not run, because another call of the same reply could not be run. Send this call again together"
    " with the corrected one."
)


@dataclass(frozen=True, slots=True)
class Repairing:
    """How replies are repaired.

    `rules` say how far a call may be repaired. `ask_again` is how many extra requests one completion
    may cost: if a call of a reply cannot be run, nothing of the reply is delivered, the call is
    answered, and the model is asked again. `tools` are the tools that calls are checked against, if
    they are not those of the request. `on_report` is called with the report of each completion that
    holds calls.
    """

    rules: Rules = field(default_factory=Rules)
    ask_again: int = 0
    tools: object = None
    on_report: Listener | None = None

    def __post_init__(self) -> None:
        require_count("ask_again", self.ask_again, least=0)
        require_function("on_report", self.on_report, or_none=True)
        if self.tools is not None:
            CallChecker.of(self.tools, self.rules)  # what is not a tool is refused here


@dataclass(slots=True)
class Watch:
    """What `wrap` and the transport below it share about one request.

    `tools` are the tools that calls are checked against, if they are not those of the request.
    """

    tools: object = None
    exchange: Exchange | None = None

    @property
    def report(self) -> Report:
        """What was done; complete when the reply has ended."""
        return NOTHING_DONE if self.exchange is None else self.exchange.report


WATCH: ContextVar[Watch | None] = ContextVar("zkit_watch", default=None)


class StreamReader(Protocol):
    """Repairs one streamed reply after the other: each chunk, then the end."""

    @property
    def report(self) -> Report:
        """What was done; complete when the stream has ended."""

    @property
    def is_finished(self) -> bool:
        """True if the server has marked the reply as complete."""

    def feed(self, chunk: object) -> Sequence[object]:
        """Take in one chunk; return what can be passed on now."""

    def close(self, *, truncated: bool = False) -> Sequence[object]:
        """The stream has ended; return what was held back."""

    def abandon(self) -> Sequence[object]:
        """The connection failed; return the text that was held back, and no call."""

    def message(self) -> Data:
        """Return what the model wrote, to be sent back; empty if the model cannot be asked again."""

    def restart(self, checker: CallChecker) -> Sequence[object]:
        """Another stream follows in place of what was held back; return what must come before it."""


class Api(Protocol):
    """What differs between the endpoints."""

    def __hash__(self) -> int:
        """Return the identity: there is one object for each endpoint."""

    def tools(self, request: JsonMapping) -> object:
        """Return the tools of a request."""

    def messages(self, request: JsonMapping) -> list[Data]:
        """Return the messages of a request that hold calls, in the form of chat completions."""

    def repair(self, reply: Data, checker: CallChecker) -> tuple[Data, Report, Data]:
        """Repair a whole reply: the reply to deliver, the report, the message to send back."""

    def stream(self, checker: CallChecker, remake: Remake, plain: Plain) -> StreamReader:
        """Return a reader for streamed replies."""

    def again(self, request: Data, message: Data, report: Report) -> Data:
        """Return the request with the model's reply and the answers to its calls."""

    def in_words(self, request: Data) -> Data | None:
        """Return the request without tools, with the results as plain text; None if it holds no results."""


class Exchange:
    """One completion. `request` is to be sent, `report` says what was done.

    For a whole reply, call `take` with each reply until it returns one. For a stream, call
    `open_stream`, then `feed` with each chunk and `end` after the last one; if `asks_again` is true
    then, send `request` again, call `resume`, and go on with `feed`. If an extra request fails,
    `give_up` returns what to deliver of the reply before.
    """

    def __init__(
        self, api: Api, request: JsonMapping, repairing: Repairing, tools: object = None
    ) -> None:
        self.request: Data = dict(request)
        self.report = NOTHING_DONE
        self.asks_again = False
        self._api = api
        self._repairing = repairing
        given = repairing.tools if tools is None else tools
        self._tools = _declared_in(request, api) if given is None else given
        self._left = repairing.ask_again
        self._answered: tuple[RefusedCall | Doubtful, ...] = ()
        self._confirmed: frozenset[str] = frozenset()
        self._usages: list[object] = []
        self._reader: StreamReader | None = None
        self._fallback: tuple[object, Report] = ((), NOTHING_DONE)
        self.feed: Callable[[Any], Sequence[Any]] = _no_stream
        self.feed_text: Callable[[int, str], str] | None = None
        """Takes in the text of a chunk that is like an earlier one; only for chat completions."""

    @property
    def has_tools(self) -> bool:
        """True if the model can make calls at all; without tools nothing is touched."""
        return bool(self._tools)

    def take(self, reply: Data) -> Data | None:
        """Take in a whole reply; return the one to deliver, or None if `request` is to be sent again."""
        made, report, message = self._api.repair(reply, self._checker())
        if self._asks(report, message):
            self._usages.append(reply.get("usage"))
            self._fallback = (made, report)
            return None
        self._deliver(report)
        usage = made.get("usage")
        if not self._usages or not isinstance(usage, Mapping):
            return made
        return {**made, "usage": added(usage, *self._usages)}

    def open_stream(self, remake: Remake, plain: Plain) -> None:
        """The reply is a stream; `plain` returns the data of a chunk, `remake` makes another of data."""
        self._reader = self._api.stream(self._checker(), remake, plain)
        self.feed = self._reader.feed
        if isinstance(self._reader, StreamRepair):
            self.feed_text = self._reader.feed_text

    @property
    def is_finished(self) -> bool:
        """True if the server has said that the streamed reply is complete."""
        return self._reader is not None and self._reader.is_finished

    def end(self, *, truncated: bool = False) -> Sequence[Any]:
        """The stream has ended; return the rest to deliver."""
        reader = self._reader
        assert reader is not None
        rest = reader.close(truncated=truncated)
        self.asks_again = self._asks(reader.report, reader.message())
        if self.asks_again:
            self._fallback = (rest, reader.report)
            return ()
        self._deliver(reader.report)
        return rest

    def resume(self) -> Sequence[Any]:
        """The next streamed reply has begun; return what must come before its first chunk."""
        assert self._reader is not None
        self.asks_again = False
        self.feed_text = None  # the chunks of this stream are written again
        return self._reader.restart(self._checker())

    def give_up(self) -> Any:
        """The model could not be asked again: return what is delivered of the reply before."""
        self._left, self.asks_again = 0, False
        rest, report = self._fallback
        self._deliver(report)
        return rest

    def abandon(self) -> Sequence[Any]:
        """The connection failed; return the text that was held back, and no call."""
        return () if self._reader is None else self._reader.abandon()

    def _checker(self) -> CallChecker:
        """Return what checks the calls of the next reply."""
        reads_text = self.request.get("tool_choice") != "none"
        messages = self._api.messages(self.request)
        rules = self._repairing.rules
        return CallChecker.of(self._tools, rules, messages, reads_text, self._confirmed)

    def _asks(self, report: Report, message: Data) -> bool:
        if not self._left or not message:
            return False
        if report.is_clean:
            return self._asks_for_words(report, message)
        self._left -= 1
        self._confirmed = frozenset(key_of(one.call) for one in report.doubtful)
        self._answered += (*report.refusals, *report.doubtful)
        self.request = self._api.again(self.request, message, report)
        return True

    def _asks_for_words(self, report: Report, message: Data) -> bool:
        """True if a reply adds nothing new, so that the model is asked to use the results it has.

        Qwen2.5-Coder-1.5B, given its call and the result, writes the same call again, or nothing.
        """
        calls = report.calls
        is_empty = not calls and not (message.get("content") or message.get("tool_calls"))
        if not is_empty and (not calls or any(call.tier == "native" for call in calls)):
            return False
        results = _results_at_the_end(self._api.messages(self.request))
        if not results or any(key_of(call) not in results for call in calls):
            return False
        request = self._api.in_words(self.request)
        if request is None:
            return False
        self._left -= 1
        self.request = request
        self._answered += tuple(
            RefusedCall("", one.name, "repeated", REPEATED, dumps(one.arguments), one.origin)
            for one in calls
        )
        return True

    def _deliver(self, report: Report) -> None:
        requests = 1 + self._repairing.ask_again - self._left
        if report is NOTHING_DONE and requests == 1:
            return
        self.report = replace(report, answered=self._answered, requests=requests)
        listener = self._repairing.on_report
        if listener is not None and self.report != NOTHING_DONE:
            listener(self.report)


def _declared_in(request: JsonMapping, api: Api) -> object:
    """Return the tools of a request, cached: programs send the same ones again and again."""
    try:
        key = marshal.dumps((request.get("tools"), request.get("functions")), 2)
    except ValueError:  # objects of a client
        return api.tools(request)
    return _declared_from(key, api)


@lru_cache(maxsize=32)
def _declared_from(key: bytes, api: Api) -> Declared:
    tools, functions = marshal.loads(key)
    return declared(api.tools({"tools": tools, "functions": functions}))


def _no_stream(chunk: object) -> Sequence[object]:
    raise RuntimeError("open_stream comes first")


# ── chat completions ─────────────────────────────────────────────────────────


class ChatApi:
    """The endpoint `/chat/completions`."""

    def tools(self, request: JsonMapping) -> Any:
        """Return the functions among the tools of a request; others have no arguments to check."""
        return functions_in(request.get("tools")) or functions_in(request.get("functions"))

    def messages(self, request: JsonMapping) -> list[Data]:
        """Return the messages of a request."""
        given = request.get("messages")
        return given if isinstance(given, list) else []

    def repair(self, reply: Data, checker: CallChecker) -> tuple[Data, Report, Data]:
        """Repair each choice. The model can be asked again only if there is one."""
        choices = reply.get("choices")
        if not isinstance(choices, list):
            return reply, NOTHING_DONE, {}
        made, reports, message = [], [], {}
        for choice in choices:
            given = choice.get("message") if isinstance(choice, Mapping) else None
            if not isinstance(given, dict):
                made.append(choice)
                continue
            done = repair_message(given, _reason(choice), checker)
            reports.append(done.report)
            message = _as_written(given, done.message)
            is_same = done.message == given and done.finish_reason == choice.get("finish_reason")
            own = {"message": done.message, "finish_reason": done.finish_reason}
            made.append(choice if is_same else {**choice, **own})
        is_changed = any(new is not old for new, old in zip(made, choices, strict=True))
        repaired = {**reply, "choices": made} if is_changed else reply
        return repaired, joined(reports), message if len(reports) == 1 else {}

    def stream(self, checker: CallChecker, remake: Remake, plain: Plain) -> StreamReader:
        """Return a reader for one streamed completion."""
        return StreamRepair(checker, remake, plain)

    def again(self, request: Data, message: Data, report: Report) -> Data:
        """Return the request with the reply and, for each call, why it was not run."""
        calls = [_as_sent(entry, report) for entry in entries(message.get("tool_calls"))]
        said: Data = {
            "role": "assistant",
            "content": message.get("content") or ("" if not calls else None),
        }
        said |= {name: message[name] for name in REASONING if message.get(name)}
        if calls:
            said["tool_calls"] = calls
        answers = [tool_message(one["id"], answer_to(one["id"], report)) for one in calls]
        in_text = text_answers(report)
        if in_text:
            answers.append({"role": "user", "content": in_text})
        kept = [] if is_made_up(report) else [said]
        return {**request, "messages": [*self.messages(request), *kept, *answers]}

    def in_words(self, request: Data) -> Data | None:
        """Return the request without tools, with the results as plain text."""
        told = [*as_facts(self.messages(request)), {"role": "user", "content": HAVE_RESULTS}]
        kept = {name: value for name, value in request.items() if name not in _OF_TOOLS}
        return {**kept, "messages": told}


_OF_TOOLS = frozenset({"tools", "tool_choice", "parallel_tool_calls", "functions", "function_call"})


def _results_at_the_end(messages: Sequence[Data]) -> set[str]:
    """Return the calls whose results end a conversation, by their keys."""
    answered: set[object] = set()
    for message in reversed(messages):
        if not isinstance(message, Mapping):
            break
        if message.get("role") == "tool":
            answered.add(message.get("tool_call_id"))
            continue
        made = list(entries(message.get("tool_calls"))) if answered else []
        return {_key(one) for one in made if one.get("id") in answered}
    return set()


def _key(entry: JsonMapping) -> str:
    function = next(entries(entry.get("function")), {})
    try:
        arguments = from_json(function.get("arguments") or "{}")
    except (TypeError, ValueError):
        return ""
    return key_of(Call(str(function.get("name")), arguments))


def functions_in(tools: object) -> list[Data]:
    """Return the tools of a request that are functions with a name, each name once."""
    found: dict[str, Data] = {}
    for tool in tools if isinstance(tools, list | tuple) else ():
        if not isinstance(tool, (dict, Mapping)) or tool.get("type") not in ("function", None):
            continue
        own = tool.get("function")
        name = (own if isinstance(own, (dict, Mapping)) else tool).get("name")
        if isinstance(name, str) and name:
            found.setdefault(name, tool if type(tool) is dict else dict(tool))
    return list(found.values())


def answer_to(id: str, report: Report) -> str:
    """Return the answer to a native call that was not run."""
    refusal = report.refusal(id)
    return NOT_RUN if refusal is None else refusal.message


def text_answers(report: Report) -> str:
    """Return the answers to the calls in the model's text."""
    refused = [one.message for one in report.refusals if not one.id]
    doubtful = [one.message for one in report.doubtful]
    others = [f"{call.name}: {NOT_RUN}" for call in report.calls if _is_in_text(call)]
    return "\n\n".join(dict.fromkeys((*refused, *doubtful, *others)))


def is_made_up(report: Report) -> bool:
    """True if the reply is only a result that the model made up: it is not sent back."""
    return any(one.code == MADE_UP for one in report.refusals)


def _is_in_text(call: Call) -> bool:
    return call.tier != "native"


def _reason(choice: JsonMapping) -> str | None:
    reason = choice.get("finish_reason")
    return reason if isinstance(reason, str) else None


def _as_written(given: Data, made: Data) -> Data:
    """Return the model's message as it wrote it, with its native calls as they were read."""
    if not given.get("tool_calls") and not given.get("function_call"):
        return given
    return {**given, "tool_calls": made.get("tool_calls")}


def _as_sent(entry: Data, report: Report) -> Data:
    """Return a call of the history: under the name that the model wrote, with arguments that are JSON."""
    refusal = report.refusal(str(entry.get("id")))
    return entry if refusal is None else {**entry, "function": sent_function(refusal)}


def sent_function(refusal: RefusedCall) -> Data:
    """Return a refused call as it is sent back: under the name that the model wrote, with valid JSON."""
    name = to_wire(refusal.name.strip()[:200]) if refusal.name.strip() else "unknown"
    return {"name": name, "arguments": valid_arguments(refusal.text)}


CHAT = ChatApi()
