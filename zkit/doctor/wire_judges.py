"""An answer in, a verdict on its form out: what a client must not trip over, whatever was said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from zkit.chat.wire_data import REASONING, reasoning_of, text_of
from zkit.doctor.heard import Data, Heard
from zkit.doctor.line import TOO_LATE
from zkit.doctor.verdict import Verdict, covered, ok, shown, still_open
from zkit.extract import find_calls

_USUAL = frozenset(
    {"role", "content", "refusal", "name", "tool_calls", "function_call", "annotations", "audio"}
)
_SPREAD = 0.1
"""Seconds within which the parts of a whole answer should arrive."""


def _skipped(why: str) -> Verdict:
    return Verdict("skipped", why)


# ── every answer ─────────────────────────────────────────────────────────────


def in_time(heard: Heard) -> Verdict:
    """The answer must come before the time is over."""
    if heard.failure.startswith(TOO_LATE):
        return still_open(f"{heard.ask.name}: {heard.failure}")
    return ok("in time")


def first_time(heard: Heard) -> Verdict:
    """The answer must come at the first try."""
    if heard.incidents:
        return covered(f"{heard.ask.name}: {heard.incidents[0]}", "the loop asks again")
    return ok("no answer failed") if not heard.failure else _skipped("no answer")


def error_is_told(heard: Heard) -> Verdict:
    """A request that makes no sense must be refused with 4xx, and JSON that says why."""
    reads = 400 <= heard.status < 500
    says = heard.reply.message == {} and b'"error"' in heard.body and b'"message"' in heard.body
    if reads and says:
        return ok(shown(heard.failure))
    if not heard.failure:
        return still_open("a message without sense was answered as if it had one")
    return covered(f"{heard.status or 'no status'}: {shown(heard.failure)}", "read by its words")


def whole_body(heard: Heard) -> Verdict:
    """A whole answer must arrive in one go."""
    if heard.failure or heard.is_stream or not heard.pieces:
        return _skipped("no whole answer")
    spread = heard.pieces[-1].at - heard.pieces[0].at
    if len(heard.pieces) > 2 and spread > _SPREAD:
        said = f"{heard.ask.name} came in {len(heard.pieces)} pieces over {spread:.2f} s"
        return covered(said, "waited for, as long as the time limit allows")
    return ok("in one go")


def content_type(heard: Heard) -> Verdict:
    """A stream must be labelled as one, and a completion as JSON."""
    if heard.failure:
        return _skipped("no answer")
    due = "text/event-stream" if heard.is_stream else "application/json"
    if heard.content_type.startswith(due):
        return ok(heard.content_type)
    return covered(
        f"{heard.ask.name} is labelled {heard.content_type or 'not at all'}", "not needed"
    )


def usage(heard: Heard) -> Verdict:
    """A completion must count its tokens."""
    if heard.failure or heard.is_stream:
        return _skipped("no whole answer")
    counted = heard.reply.usage
    if isinstance(counted, dict) and isinstance(counted.get("completion_tokens"), int):
        return ok(f"{counted['completion_tokens']} tokens in {heard.ask.name}")
    return still_open(f"usage is {shown(counted)}: limits of tokens cannot be kept")


def finish_reason(heard: Heard) -> Verdict:
    """Calls must end with `tool_calls`, other replies with `stop` or `length`."""
    if heard.failure:
        return _skipped("no answer")
    said = heard.reply.finish_reason
    due = ("tool_calls", "length") if heard.calls else ("stop", "length")
    if said in due or (said is None and not heard.is_stream and not heard.reply.message):
        return ok(f"{said} after {'calls' if heard.calls else 'text'}")
    what = "calls" if heard.calls else "a reply without calls"
    return covered(f"{shown(said)} after {what}", "set by what the reply holds")


def reasoning(heard: Heard) -> Verdict:
    """Reasoning must stand apart from the text."""
    if heard.failure:
        return _skipped("no answer")
    message = heard.reply.message
    odd = [
        key
        for key in message
        if key not in _USUAL and key not in REASONING and text_of(message[key])
    ]
    if reasoning_of(message):
        name = next(key for key in REASONING if text_of(message.get(key)))
        return covered(f"in the field {name}", "read from there")
    if odd:
        return covered(f"in the field {odd[0]}", f'reasoning = "{odd[0]}"', reasoning=odd[0])
    inside = find_calls(heard.text, {}).reasoning
    if inside:
        return covered(f"in the text: {shown(inside)}", "told apart from the text")
    return ok("none, or kept by the server")


# ── native calls ─────────────────────────────────────────────────────────────


def ids(heard: Heard) -> Verdict:
    """Each call must have an id of its own, as text."""
    if not heard.calls:
        return _skipped("no native call")
    found = [call.get("id") for call in heard.calls]
    if not all(isinstance(one, str) and one for one in found):
        return covered(f"ids are {shown(found)}", "zkit gives its own")
    if len(set(found)) < len(found):
        return covered(f"the same id twice: {shown(found)}", "zkit gives its own")
    return ok(shown(found))


def entry_type(heard: Heard) -> Verdict:
    """Each call must say that it is a function."""
    if not heard.calls:
        return _skipped("no native call")
    found = [call.get("type") for call in heard.calls]
    if all(one == "function" for one in found):
        return ok("function")
    return covered(f"the type is {shown(found[0])}", "set")


def arguments_as_text(heard: Heard) -> Verdict:
    """Arguments must be a text that holds JSON."""
    if not heard.calls:
        return _skipped("no native call")
    for call in heard.calls:
        function = call.get("function")
        given = function.get("arguments") if isinstance(function, dict) else None
        if not isinstance(given, str):
            return covered(f"the arguments are no text, but {shown(given)}", "written as text")
        if not given.strip():
            return covered("the arguments are an empty text", "read as {}")
    return ok("text")


# ── streams ──────────────────────────────────────────────────────────────────


def streamed(heard: Heard) -> Verdict:
    """The text of a stream must arrive in pieces."""
    if heard.failure:
        return still_open(heard.failure)
    if not heard.is_stream:
        return ok("asked whole")
    texts = [one for one in map(_text, heard.chunks) if one]
    if len(texts) > 1:
        return ok(f"{len(texts)} pieces of text, the first after {heard.pieces[0].at:.1f} s")
    return still_open("the text came in one piece, at the end")


def _text(chunk: Data) -> str:
    return "".join(
        text_of(choice.get("delta", {}).get("content"))
        for choice in chunk.get("choices") or ()
        if isinstance(choice, dict) and isinstance(choice.get("delta"), dict)
    )


def stream_parts(heard: Heard) -> Verdict:
    """The parts of a call: its own index, the id and the name first and once, all before the end."""
    if not heard.is_stream or not heard.call_parts:
        return _skipped("no native call in a stream")
    for said in _complaints(heard):
        return covered(said, "put together by id, name and index")
    return ok(f"{len(heard.call_parts)} parts")


def _complaints(heard: Heard) -> Iterator[str]:
    parts = [part for _, part in heard.call_parts]
    if not all(isinstance(part.get("index"), int) for part in parts):
        yield "parts have no index"
    named: dict[Any, list[Data]] = {}
    for part in parts:
        named.setdefault(part.get("index"), []).append(part)
    for index, own in named.items():
        ids = dict.fromkeys(part["id"] for part in own if part.get("id"))
        names = [name for part in own if (name := _function(part).get("name"))]
        if len(ids) > 1:
            yield f"{len(ids)} ids under index {index}: {shown(list(ids))}"
        if len(names) > 1:
            yield f"{len(names)} names under index {index}"
        if not _function(own[0]).get("name"):
            yield "the arguments come before the name"
    yield from _empty_beside_two(heard)
    end = next((n for n, chunk in enumerate(heard.chunks) if _ends(chunk)), len(heard.chunks))
    if heard.call_parts[-1][0] > end:
        yield "parts come after the finish reason"


def _empty_beside_two(heard: Heard) -> Iterator[str]:
    """One call that got the arguments of all, and others without any."""
    texts = [str(_function(call).get("arguments") or "").strip() for call in heard.calls]
    if len(texts) > 1 and "" in texts and any("}{" in text.replace(" ", "") for text in texts):
        yield "the arguments of all calls are those of one"


def stream_deltas(heard: Heard) -> Verdict:
    """The arguments of a call must arrive in pieces."""
    if not heard.is_stream or not heard.calls:
        return _skipped("no native call in a stream")
    if len(heard.call_parts) > len(heard.calls):
        return ok(f"{len(heard.call_parts)} parts")
    return covered("each call came in one part", "a call is handed on whole in any case")


def stream_end(heard: Heard) -> Verdict:
    """A stream must end with [DONE]."""
    if heard.failure or not heard.is_stream:
        return _skipped("no stream")
    if "[DONE]" in heard.events:
        return ok("[DONE]")
    return covered(f"{heard.ask.name} ends without [DONE]", "not needed")


def stream_opening(heard: Heard) -> Verdict:
    """Every chunk but the count at the end must have a choice."""
    if heard.failure or not heard.is_stream:
        return _skipped("no stream")
    empty = [
        n for n, one in enumerate(heard.chunks) if not one.get("choices") and not one.get("usage")
    ]
    if empty:
        return covered(f"chunk {empty[0] + 1} of {len(heard.chunks)} has no choices", "skipped")
    return ok("every chunk has one")


def stream_usage(heard: Heard) -> Verdict:
    """The usage must come once, after the end, when it is asked for."""
    if heard.failure:
        return still_open(heard.failure)
    if not heard.is_stream or "stream_options" not in heard.request:
        return ok("not asked for")
    counted = [chunk for chunk in heard.chunks if chunk.get("usage")]
    if not counted:
        return still_open("no usage came: limits of tokens cannot be kept")
    if len(counted) > 1:
        return covered(f"usage in {len(counted)} chunks", "the last one counts")
    return ok(shown(counted[0]["usage"]))


def stream_lines(heard: Heard) -> Verdict:
    """Lines must end with a plain line feed, and hold data."""
    if heard.failure or not heard.is_stream:
        return _skipped("no stream")
    if b"\r" in heard.body:
        return covered("lines end with CR LF", "read by the client")
    odd = [line for line in heard.body.split(b"\n") if line and not line.startswith(b"data:")]
    if odd:
        return covered(
            f"other lines: {shown(odd[0].decode('utf-8', 'replace'))}", "skipped by the client"
        )
    return ok("data lines only")


def stream_pieces(heard: Heard) -> Verdict:
    """An event must arrive whole."""
    if heard.failure or not heard.is_stream:
        return _skipped("no stream")
    cut = [piece for piece in heard.pieces if not piece.data.endswith(b"\n")]
    if len(cut) * 2 > len(heard.pieces):
        return covered(
            f"{len(cut)} of {len(heard.pieces)} pieces end inside a line",
            "put together by the client",
        )
    return ok(f"{len(heard.pieces)} pieces")


def _function(part: Data) -> Data:
    found = part.get("function")
    return found if isinstance(found, dict) else {}


def _ends(chunk: Data) -> bool:
    choices = chunk.get("choices") or ()
    return any(isinstance(one, dict) and one.get("finish_reason") for one in choices)
