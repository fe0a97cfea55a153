"""How servers cut streams, and how connections fail: one record each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from zkit.json_types import JsonObject
from zkit.testing.answers import Answer, Request, Said, error, raw_stream, stream
from zkit.testing.misbehaviour import Misbehaviour, answered, deltas, instead

Delta = JsonObject


def _parts(said: Said) -> Iterator[tuple[Delta, Delta | None]]:
    """The deltas of a reply, each with the part of a call that it holds."""
    for delta in said.deltas:
        found = delta.get("tool_calls")
        yield delta, dict(found[0]) if found else None


def _index_0(said: Said) -> list[Delta]:
    """Every part with index 0; it names its call by the id, as the servers do that do this."""
    ids = [one.get("id") for one in said.calls]
    return [
        delta if part is None else {"tool_calls": [{**part, "id": ids[part["index"]], "index": 0}]}
        for delta, part in _parts(said)
    ]


def _mixed(said: Said) -> list[Delta]:
    """The parts of all calls in turn, with index 0: only the id says whose they are."""
    queues = [
        [{**part, "id": one.get("id"), "index": 0} for _, part in _parts(said) if part and part["index"] == at]
        for at, one in enumerate(said.calls)
    ]  # fmt: skip
    mixed = [part for turn in zip_longest(*queues) for part in turn if part is not None]
    return [*_words(said), *({"tool_calls": [part]} for part in mixed)]


def _index_0_by_name(said: Said) -> list[Delta]:
    return [
        delta if part is None else {"tool_calls": [{**part, "index": 0, "id": None}]}
        for delta, part in _parts(said)
    ]


def _no_index(said: Said) -> list[Delta]:
    return [
        delta if part is None else {"tool_calls": [_but(part, "index")]}
        for delta, part in _parts(said)
    ]


def _arguments_first(said: Said) -> list[Delta]:
    """The parts of each call, the last first: arguments whole, then the id and the name."""
    found = []
    for at, one in enumerate(said.calls):
        text = one["function"]["arguments"]
        found.append({"tool_calls": [{"index": at, "function": {"arguments": text}}]})
        head = {**one, "index": at, "function": {"name": one["function"]["name"]}}
        found.append({"tool_calls": [head]})
    return [*_words(said), *found]


def _whole(said: Said) -> list[Delta]:
    """All calls in one delta, as servers send them that read the reply before they stream it."""
    made = [{**one, "index": at} for at, one in enumerate(said.calls)]
    return [*_words(said), {"tool_calls": made}]


def _fresh_ids(said: Said) -> list[Delta]:
    return [
        delta if part is None else {"tool_calls": [{**part, "id": f"chatcmpl-tool-{at}"}]}
        for at, (delta, part) in enumerate(_parts(said))
    ]


def _name_in_every_delta(said: Said) -> list[Delta]:
    def named(part: Delta) -> Delta:
        name = said.calls[part["index"]]["function"]["name"]
        return {**part, "function": {**part["function"], "name": name}}

    return [
        delta if part is None else {"tool_calls": [named(part)]} for delta, part in _parts(said)
    ]


def _ran_together(said: Said) -> list[Delta]:
    """All arguments under the first call, and the other calls after it without any."""
    text = "".join(one["function"]["arguments"] for one in said.calls)
    found = []
    for at, one in enumerate(said.calls):
        function = {"name": one["function"]["name"], "arguments": "" if at else text}
        found.append({"tool_calls": [{**one, "index": at, "function": function}]})
    return [*_words(said), *found]


def _words(said: Said) -> list[Delta]:
    return [delta for delta, part in _parts(said) if part is None]


def _but(data: Delta, key: str) -> Delta:
    return {name: value for name, value in data.items() if name != key}


def _chunks(answer: Answer) -> list[Delta]:
    """The chunks of a streamed answer as data, without the mark of the end."""
    return [json.loads(part[len(b"data: ") :]) for part in answer.parts if part != b"data: [DONE]\n\n"]  # fmt: skip


def _calls_after_the_end(said: Said, request: Request) -> Answer:
    """The reason first, then the parts of the calls."""
    *rest, end, usage = _chunks(said(request))
    at = next(n for n, chunk in enumerate(rest) if chunk["choices"][0]["delta"].get("tool_calls"))
    return raw_stream([*rest[:at], end, *rest[at:], usage])


def _usage_with_every_chunk(said: Said, request: Request) -> Answer:
    *rest, last = _chunks(said(request))
    return raw_stream([{**chunk, "usage": last["usage"]} for chunk in rest])


def _empty_choices_first(said: Said, request: Request) -> Answer:
    chunks = _chunks(said(request))
    return raw_stream([{**chunks[0], "choices": []}, *chunks])


def _one_byte_at_a_time(answer: Answer) -> Answer:
    """Every byte on its own: characters and lines are cut anywhere."""
    whole = b"".join(answer.parts)
    return replace(answer, parts=tuple(whole[at : at + 1] for at in range(len(whole))))


def _with_comments(answer: Answer) -> Answer:
    return replace(answer, parts=tuple(b": keep-alive\n\n" + part for part in answer.parts))


def _with_crlf(answer: Answer) -> Answer:
    return replace(answer, parts=tuple(part.replace(b"\n", b"\r\n") for part in answer.parts))


def _broken_off(answer: Answer) -> Answer:
    """Half of the answer, then nothing: the connection is gone."""
    whole = b"".join(answer.parts)
    return replace(answer, parts=(whole[: len(whole) // 2],), breaks_off=True)


def _slow(answer: Answer) -> Answer:
    whole = b"".join(answer.parts)
    size = max(1, len(whole) // 8)
    parts = tuple(whole[at : at + size] for at in range(0, len(whole), size))
    return replace(answer, parts=parts, pause=0.02)


def _mislabelled(answer: Answer) -> Answer:
    """A stream that says it is a page; a completion that says it is a stream would be one to no client."""
    is_stream = answer.content_type == "text/event-stream"
    return replace(answer, content_type="text/plain; charset=utf-8") if is_stream else answer


def _error_inside(said: Said, request: Request) -> Answer:
    failure = {"error": {"message": "the engine died", "type": "server_error"}}
    return raw_stream([*_chunks(stream(_words(said)[:1], finish=None, usage=None)), failure])


STREAMS = (
    Misbehaviour("index_0", "stream", "streams every call with index 0, told apart by id", deltas(_index_0)),
    Misbehaviour("mixed_parts", "stream", "streams the parts of all calls in turn, with index 0, told apart by id",
                 deltas(_mixed), needs="two calls"),
    Misbehaviour("index_0_no_ids", "stream", "streams every call with index 0 and without ids", deltas(_index_0_by_name)),
    Misbehaviour("no_index", "stream", "streams calls without an index", deltas(_no_index)),
    Misbehaviour("arguments_before_name", "stream", "streams the arguments before the name", deltas(_arguments_first)),
    Misbehaviour("whole_calls", "stream", "streams all calls in one delta", deltas(_whole)),
    Misbehaviour("fresh_ids", "stream", "streams each part of a call with an id of its own", deltas(_fresh_ids)),
    Misbehaviour("name_in_every_delta", "stream", "repeats the name with every part of a call", deltas(_name_in_every_delta)),
    Misbehaviour("arguments_ran_together", "stream", "streams the arguments of all calls as those of the first",
                 deltas(_ran_together), needs="two calls"),
    Misbehaviour("calls_after_the_end", "stream", "streams calls after the finish reason", _calls_after_the_end),
    Misbehaviour("usage_with_every_chunk", "stream", "sends the usage with every chunk, and none after the end",
                 _usage_with_every_chunk, needs="anything"),
    Misbehaviour("no_usage", "stream", "sends no usage", deltas(lambda said: said.deltas, usage=None), needs="anything"),
    Misbehaviour("no_done", "stream", "ends the stream without [DONE]", deltas(lambda said: said.deltas, done=False), needs="anything"),
    Misbehaviour("empty_choices_first", "stream", "begins the stream with a chunk without choices",
                 _empty_choices_first, needs="anything"),
    Misbehaviour("comments_in_the_stream", "stream", "sends comments to keep the stream alive",
                 answered(_with_comments), needs="anything"),
    Misbehaviour("crlf", "stream", "ends the lines of the stream with CR LF", answered(_with_crlf), needs="anything"),
    Misbehaviour("single_bytes", "stream", "sends the stream byte by byte", answered(_one_byte_at_a_time), needs="anything"),
)  # fmt: skip
WIRE = (
    Misbehaviour("slow_bytes", "wire", "sends its answer slowly, in pieces", answered(_slow), needs="anything"),
    Misbehaviour("wrong_content_type", "wire", "labels a stream as plain text", answered(_mislabelled), needs="anything"),
    Misbehaviour("dropped_connection", "wire", "drops the connection in the middle of an answer",
                 answered(_broken_off), needs="anything", once=True, outcome="passed on"),
    Misbehaviour("rate_limit", "wire", "asks to wait, with 429 and Retry-After",
                 instead(error(429, "Too many requests", {"Retry-After": "0.01"})), needs="anything", once=True, outcome="passed on"),
    Misbehaviour("overloaded", "wire", "is overloaded, with 503", instead(error(503, "overloaded")),
                 needs="anything", once=True, outcome="passed on"),
    Misbehaviour("could_not_read_its_model", "wire", "fails with 500 when its model writes a call that it cannot read",
                 instead(error(500, "Failed to parse tool call arguments as JSON: unexpected end of input")),
                 once=True, outcome="passed on"),
    Misbehaviour("page_for_an_answer", "wire", "answers with a page of HTML, and status 200",
                 instead(Answer((b"<html>Bad gateway</html>",), content_type="text/html")),
                 needs="anything", once=True, outcome="passed on"),
    Misbehaviour("error_inside_the_stream", "wire", "reports an error inside a stream that began well",
                 _error_inside, needs="stream", once=True, outcome="passed on"),
)  # fmt: skip
