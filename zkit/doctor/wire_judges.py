"""Judges of the form of an answer: ids, finish reasons, streams, labels and timing."""

from __future__ import annotations

from collections.abc import Iterator

from zkit.chat.wire_data import REASONING, reasoning_of, text_of
from zkit.doctor.connection import Data, Observed
from zkit.doctor.judges import Verdict, covered, ok, shown, still_open, unanswered
from zkit.extract import find_calls

_USUAL = frozenset(
    {"role", "content", "refusal", "name", "tool_calls", "function_call", "annotations", "audio"}
)
_SPREAD = 0.1
"""Seconds within which the parts of a whole answer should arrive."""


def _skipped(why: str) -> Verdict:
    return Verdict("skipped", why)


# ── every answer ─────────────────────────────────────────────────────────────


def in_time(observed: Observed) -> Verdict:
    """The answer must come before the time is over."""
    if observed.is_timeout:
        return Verdict("timeout", f"{observed.question.name}: {observed.failure}")
    return ok("in time")


def first_time(observed: Observed) -> Verdict:
    """The answer must come at the first try."""
    if observed.incidents:
        return covered(f"{observed.question.name}: {observed.incidents[0]}", "the loop asks again")
    return ok("no answer failed") if not observed.failure else _skipped("no answer")


def error_is_reported(observed: Observed) -> Verdict:
    """A request that makes no sense must be refused with 4xx, and JSON that says why."""
    reads = 400 <= observed.status < 500
    says = (
        observed.reply.message == {}
        and b'"error"' in observed.body
        and b'"message"' in observed.body
    )
    if reads and says:
        return ok(shown(observed.failure))
    if not observed.failure:
        return still_open("a request that makes no sense was answered as if it did")
    return covered(
        f"{observed.status or 'no status'}: {shown(observed.failure)}", "recognised by its message"
    )


def whole_body(observed: Observed) -> Verdict:
    """A whole answer must arrive in one go."""
    if observed.failure or observed.is_stream or not observed.pieces:
        return _skipped("no whole answer")
    spread = observed.pieces[-1].at - observed.pieces[0].at
    if len(observed.pieces) > 2 and spread > _SPREAD:
        found = (
            f"{observed.question.name} came in {len(observed.pieces)} pieces over {spread:.2f} s"
        )
        return covered(found, "waited for, as long as the time limit allows")
    return ok("in one go")


def content_type(observed: Observed) -> Verdict:
    """A stream must be labelled as one, and a completion as JSON."""
    if observed.failure:
        return _skipped("no answer")
    due = "text/event-stream" if observed.is_stream else "application/json"
    if observed.content_type.startswith(due):
        return ok(observed.content_type)
    return covered(
        f"{observed.question.name} is labelled {observed.content_type or 'not at all'}",
        "not needed",
    )


def usage(observed: Observed) -> Verdict:
    """A completion must count its tokens."""
    if observed.failure or observed.is_stream:
        return _skipped("no whole answer")
    counted = observed.reply.usage
    if isinstance(counted, dict) and isinstance(counted.get("completion_tokens"), int):
        return ok(f"{counted['completion_tokens']} tokens in {observed.question.name}")
    return still_open(f"usage is {shown(counted)}: limits of tokens cannot be kept")


def finish_reason(observed: Observed) -> Verdict:
    """Calls must end with `tool_calls`, other replies with `stop` or `length`."""
    if observed.failure:
        return _skipped("no answer")
    found = observed.reply.finish_reason
    due = ("tool_calls", "length") if observed.calls else ("stop", "length")
    if found in due or (found is None and not observed.is_stream and not observed.reply.message):
        return ok(f"{found} after {'calls' if observed.calls else 'text'}")
    what = "calls" if observed.calls else "a reply without calls"
    return covered(f"{shown(found)} after {what}", "set by what the reply holds")


def reasoning(observed: Observed) -> Verdict:
    """Reasoning must be separate from the text."""
    if observed.failure:
        return _skipped("no answer")
    message = observed.reply.message
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
    inside = find_calls(observed.text, {}).reasoning
    if inside:
        return covered(f"in the text: {shown(inside)}", "separated from the text")
    return ok("none, or kept by the server")


# ── native calls ─────────────────────────────────────────────────────────────


def ids(observed: Observed) -> Verdict:
    """Each call must have an id of its own, as text."""
    if not observed.calls:
        return _skipped("no native call")
    found = [call.get("id") for call in observed.calls]
    if not all(isinstance(one, str) and one for one in found):
        return covered(f"ids are {shown(found)}", "zkit gives its own")
    if len(set(found)) < len(found):
        return covered(f"the same id twice: {shown(found)}", "zkit gives its own")
    return ok(shown(found))


def entry_type(observed: Observed) -> Verdict:
    """Each call must say that it is a function."""
    if not observed.calls:
        return _skipped("no native call")
    found = [call.get("type") for call in observed.calls]
    if all(one == "function" for one in found):
        return ok("function")
    return covered(f"the type is {shown(found[0])}", "set")


def arguments_as_text(observed: Observed) -> Verdict:
    """Arguments must be a text that holds JSON."""
    if not observed.calls:
        return _skipped("no native call")
    for call in observed.calls:
        function = call.get("function")
        given = function.get("arguments") if isinstance(function, dict) else None
        if not isinstance(given, str):
            return covered(f"the arguments are not text, but {shown(given)}", "written as text")
        if not given.strip():
            return covered("the arguments are an empty text", "read as {}")
    return ok("text")


# ── streams ──────────────────────────────────────────────────────────────────


def streamed(observed: Observed) -> Verdict:
    """The text of a stream must arrive in pieces."""
    if observed.failure:
        return unanswered(observed)
    if not observed.is_stream:
        return ok("no stream was requested")
    texts = [one for one in map(_text, observed.chunks) if one]
    if len(texts) > 1:
        return ok(f"{len(texts)} pieces of text, the first after {observed.pieces[0].at:.1f} s")
    return still_open("the text came in one piece, at the end")


def _text(chunk: Data) -> str:
    return "".join(
        text_of(choice.get("delta", {}).get("content"))
        for choice in chunk.get("choices") or ()
        if isinstance(choice, dict) and isinstance(choice.get("delta"), dict)
    )


def stream_parts(observed: Observed) -> Verdict:
    """The parts of a call must have its own index, the id and the name first and once, all before
    the end."""
    if not observed.is_stream or not observed.call_parts:
        return _skipped("no native call in a stream")
    for found in _complaints(observed):
        return covered(found, "put together by id, name and index")
    return ok(f"{len(observed.call_parts)} parts")


def _complaints(observed: Observed) -> Iterator[str]:
    parts = [part for _, part in observed.call_parts]
    if not all(isinstance(part.get("index"), int) for part in parts):
        yield "parts have no index"
    named: dict[object, list[Data]] = {}
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
    yield from _empty_beside_two(observed)
    end = next((n for n, chunk in enumerate(observed.chunks) if _ends(chunk)), len(observed.chunks))
    if observed.call_parts[-1][0] > end:
        yield "parts come after the finish reason"


def _empty_beside_two(observed: Observed) -> Iterator[str]:
    """One call that got the arguments of all, and others without any."""
    texts = [str(_function(call).get("arguments") or "").strip() for call in observed.calls]
    if len(texts) > 1 and "" in texts and any("}{" in text.replace(" ", "") for text in texts):
        yield "the arguments of all calls are those of one"


def stream_deltas(observed: Observed) -> Verdict:
    """The arguments of a call must arrive in pieces."""
    if not observed.is_stream or not observed.calls:
        return _skipped("no native call in a stream")
    if len(observed.call_parts) > len(observed.calls):
        return ok(f"{len(observed.call_parts)} parts")
    return covered("each call came in one part", "a call is handed on whole in any case")


def stream_end(observed: Observed) -> Verdict:
    """A stream must end with [DONE]."""
    if observed.failure or not observed.is_stream:
        return _skipped("no stream")
    if "[DONE]" in observed.events:
        return ok("[DONE]")
    return covered(f"{observed.question.name} ends without [DONE]", "not needed")


def stream_opening(observed: Observed) -> Verdict:
    """Every chunk but the count at the end must have a choice."""
    if observed.failure or not observed.is_stream:
        return _skipped("no stream")
    empty = [
        n
        for n, one in enumerate(observed.chunks)
        if not one.get("choices") and not one.get("usage")
    ]
    if empty:
        return covered(f"chunk {empty[0] + 1} of {len(observed.chunks)} has no choices", "skipped")
    return ok("every chunk has one")


def stream_usage(observed: Observed) -> Verdict:
    """The usage must come once, after the end, when it is requested."""
    if observed.failure:
        return unanswered(observed)
    if not observed.is_stream or "stream_options" not in observed.request:
        return ok("not requested")
    counted = [chunk for chunk in observed.chunks if chunk.get("usage")]
    if not counted:
        return still_open("no usage came: limits of tokens cannot be kept")
    if len(counted) > 1:
        return covered(f"usage in {len(counted)} chunks", "the last one counts")
    return ok(shown(counted[0]["usage"]))


def stream_lines(observed: Observed) -> Verdict:
    """Lines must end with a plain line feed, and hold data."""
    if observed.failure or not observed.is_stream:
        return _skipped("no stream")
    if b"\r" in observed.body:
        return covered("lines end with CR LF", "read by the client")
    odd = [line for line in observed.body.split(b"\n") if line and not line.startswith(b"data:")]
    if odd:
        return covered(
            f"other lines: {shown(odd[0].decode('utf-8', 'replace'))}", "skipped by the client"
        )
    return ok("data lines only")


def stream_pieces(observed: Observed) -> Verdict:
    """An event must arrive whole."""
    if observed.failure or not observed.is_stream:
        return _skipped("no stream")
    cut = [piece for piece in observed.pieces if not piece.data.endswith(b"\n")]
    if len(cut) * 2 > len(observed.pieces):
        return covered(
            f"{len(cut)} of {len(observed.pieces)} pieces end inside a line",
            "put together by the client",
        )
    return ok(f"{len(observed.pieces)} pieces")


def _function(part: Data) -> Data:
    found = part.get("function")
    return found if isinstance(found, dict) else {}


def _ends(chunk: Data) -> bool:
    choices = chunk.get("choices") or ()
    return any(isinstance(one, dict) and one.get("finish_reason") for one in choices)
