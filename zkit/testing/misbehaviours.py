"""How models and servers go wrong: what is written into calls, how streams are cut, how connections fail.

One record for each, by name in `MISBEHAVIOURS`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import zip_longest
from types import MappingProxyType

from zkit.calls import Call
from zkit.extract import render_call
from zkit.json_types import JsonObject
from zkit.testing.answers import Answer, Request, Said, error, raw_stream, stream
from zkit.testing.misbehaviour import (
    Misbehaviour,
    Spoil,
    answered,
    arguments,
    deltas,
    ending,
    entries,
    functions,
    instead,
    keys,
    saying,
)


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _number_as_text(key: str, value: object) -> tuple[str, object]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return key, str(value) if is_number else value


def _cut(said: Said, reason: str) -> Said:
    """Return the last call without the second half of its arguments."""
    *whole, last = said.calls
    text = last["function"]["arguments"]
    function = {**last["function"], "arguments": text[: len(text) // 2]}
    return replace(said, calls=(*whole, {**last, "function": function}), finish=reason)


def _twice(text: str) -> str:
    """Return the object, and one like it with other values."""
    other = {key: f"not {value}" for key, value in json.loads(text).items()}
    return text + json.dumps(other)


def _without(key: str) -> Spoil:
    return entries(lambda entry: {name: value for name, value in entry.items() if name != key})


def _old_style(said: Said) -> Said:
    """One call in the field that OpenAI used before `tool_calls`."""
    first = said.calls[0]["function"]
    return replace(said, calls=(), fields={**said.fields, "function_call": dict(first)},
                   finish="function_call")  # fmt: skip


MODEL = (
    Misbehaviour("python_arguments", "model", "writes the arguments as a Python dict",
                 arguments(lambda text: repr(json.loads(text)))),
    Misbehaviour("trailing_comma", "model", "leaves a comma before the closing brace",
                 arguments(lambda text: re.sub(r"(?<=[^{])}$", ",}", text))),
    Misbehaviour("fenced_arguments", "model", "puts the arguments into a Markdown fence",
                 arguments(lambda text: f"```json\n{text}\n```")),
    Misbehaviour("missing_brace", "model", "forgets the last closing brace",
                 arguments(lambda text: text[:-1] if len(text) > 2 else text)),
    Misbehaviour("double_encoded", "model", "sends the arguments as a JSON string that holds the object",
                 arguments(json.dumps)),
    Misbehaviour("wrapped_arguments", "model", 'wraps the arguments in another {"arguments": ...}',
                 arguments(lambda text: json.dumps({"arguments": json.loads(text)}))),
    Misbehaviour("leaked_token", "model", "leaks its end token after the arguments",
                 arguments(lambda text: f"{text}<|im_end|>")),
    Misbehaviour("numbers_as_text", "model", "sends numbers as strings", keys(_number_as_text)),
    Misbehaviour("keys_in_other_case", "model", "writes the names of arguments in other case",
                 keys(lambda key, value: (key.capitalize(), value))),
    Misbehaviour("camel_case_name", "model", "writes the name of the tool in camel case",
                 functions(lambda name, text: {"name": _camel(name)})),
    Misbehaviour("name_with_namespace", "model", 'writes "functions." before the name of the tool',
                 functions(lambda name, text: {"name": f"functions.{name}"})),
    Misbehaviour("leaked_channel_in_name", "model", "leaks a channel token into the name of the tool",
                 functions(lambda name, text: {"name": f"{name}<|channel|>commentary"})),
    Misbehaviour("unknown_tool", "model", "calls a tool that does not exist",
                 functions(lambda name, text: {"name": "do_everything"}), once=True, outcome="refused"),
    Misbehaviour("two_objects", "model", "sends two different objects as the arguments of one call",
                 arguments(lambda text: _twice(text) if len(text) > 2 else text + '{"x": 1}'), once=True, outcome="refused"),
    Misbehaviour("prose_for_arguments", "model", "sends a sentence as the arguments",
                 arguments(lambda text: "as you like"), once=True, outcome="refused"),
)  # fmt: skip
CALLS = (
    Misbehaviour("null_arguments", "call", "sends null for empty arguments",
                 arguments(lambda text: None if text == "{}" else text)),
    Misbehaviour("empty_arguments", "call", "sends an empty text for empty arguments",
                 arguments(lambda text: "" if text == "{}" else text)),
    Misbehaviour("object_arguments", "call", "sends the arguments as an object, not as text", arguments(json.loads)),
    Misbehaviour("no_ids", "call", "sends calls without ids", _without("id")),
    Misbehaviour("no_type", "call", "sends calls without a type", _without("type")),
    Misbehaviour("empty_ids", "call", "sends calls with empty ids", entries(lambda entry: {**entry, "id": ""})),
    Misbehaviour("duplicate_ids", "call", "gives every call the same id",
                 entries(lambda entry: {**entry, "id": "call_0"}), needs="two calls"),
    Misbehaviour("numbers_as_ids", "call", "counts calls with numbers",
                 saying(lambda said: replace(said, calls=tuple({**one, "id": at} for at, one in enumerate(said.calls))))),
    Misbehaviour("function_call", "call", "sends a call in the field that was used before tool_calls",
                 saying(_old_style), needs="one call"),
)  # fmt: skip


def _in_text(format: str) -> Spoil:
    """Return the calls as text in a format, as servers without tool support leave them."""

    def written(said: Said) -> Said:
        made = [
            Call(one["function"]["name"], json.loads(one["function"]["arguments"]))
            for one in said.calls
        ]
        return replace(said, content=render_call(made, format), calls=(), finish="stop")

    return saying(written)


def _after_thinking(said: Said) -> Said:
    spoken = f"<think>\nI could call it.\n</think>\n{said.content or ''}"
    return replace(said, content=spoken)


_LEFT = (
    "hermes_json", "qwen3_coder", "mistral_array", "deepseek_v3", "glm45", "kimi_k2", "harmony", "lfm2",
    "llama3_json", "json_object_fenced",
)  # fmt: skip
TEXT = (
    *(Misbehaviour(f"text_{format}", "text", f"leaves calls in the text, in the format {format}", _in_text(format))
      for format in _LEFT),
    Misbehaviour("thinking_in_text", "text", "leaves the reasoning in the text",
                 saying(_after_thinking), needs="anything"),
    *(Misbehaviour(f"reasoning_as_{name}", "text", f"sends the reasoning in the field {name}",
                   saying(lambda said, name=name: replace(said, fields={**said.fields, name: "Hm, so."})), needs="anything")  # type: ignore[misc]
      for name in ("reasoning_content", "reasoning", "reasoning_summary", "thinking", "thought")),
)  # fmt: skip
ENDINGS = (
    Misbehaviour("cut_call", "ending", "cuts the last call at its token limit, and says so",
                 saying(lambda said: _cut(said, "length")), once=True, outcome="refused"),
    Misbehaviour("cut_call_called_whole", "ending", "cuts the last call inside a text, and says that it ended with a call",
                 saying(lambda said: _cut(said, "tool_calls")), once=True, outcome="refused"),
    Misbehaviour("calls_ended_by_stop", "ending", "says stop after calls", ending("stop")),
    Misbehaviour("no_finish_reason", "ending", "never says why a reply ended", ending(None), needs="anything"),
    Misbehaviour("answer_ended_by_calls", "ending", "says tool_calls after every reply", ending("tool_calls"), needs="anything"),
)  # fmt: skip


Delta = JsonObject


def _parts(said: Said) -> Iterator[tuple[Delta, Delta | None]]:
    """Return the deltas of a reply, each with the part of a call that it holds."""
    for delta in said.deltas:
        found = delta.get("tool_calls")
        yield delta, dict(found[0]) if found else None


def _index_0(said: Said) -> list[Delta]:
    """Return every part with index 0; it names its call by the id, as the servers do that do this."""
    ids = [one.get("id") for one in said.calls]
    return [
        delta if part is None else {"tool_calls": [{**part, "id": ids[part["index"]], "index": 0}]}
        for delta, part in _parts(said)
    ]


def _mixed(said: Said) -> list[Delta]:
    """Return the parts of all calls in turn, with index 0: only the id says whose they are."""
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
    """Return the parts of each call, the last first: arguments whole, then the id and the name."""
    found = []
    for at, one in enumerate(said.calls):
        text = one["function"]["arguments"]
        found.append({"tool_calls": [{"index": at, "function": {"arguments": text}}]})
        head = {**one, "index": at, "function": {"name": one["function"]["name"]}}
        found.append({"tool_calls": [head]})
    return [*_words(said), *found]


def _whole(said: Said) -> list[Delta]:
    """Return all calls in one delta, like servers that parse the reply before they stream it."""
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
    """Return all arguments under the first call, and the other calls after it without any."""
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
    """Return the chunks of a streamed answer as data, without the mark of the end."""
    return [json.loads(part[len(b"data: ") :]) for part in answer.parts if part != b"data: [DONE]\n\n"]  # fmt: skip


def _calls_after_the_end(said: Said, request: Request) -> Answer:
    """Return the reason first, then the parts of the calls."""
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
    """Return every byte on its own: characters and lines are cut anywhere."""
    whole = b"".join(answer.parts)
    return replace(answer, parts=tuple(whole[at : at + 1] for at in range(len(whole))))


def _with_comments(answer: Answer) -> Answer:
    return replace(answer, parts=tuple(b": keep-alive\n\n" + part for part in answer.parts))


def _with_crlf(answer: Answer) -> Answer:
    return replace(answer, parts=tuple(part.replace(b"\n", b"\r\n") for part in answer.parts))


def _broken_off(answer: Answer) -> Answer:
    """Return half of the answer; then the connection is closed."""
    whole = b"".join(answer.parts)
    return replace(answer, parts=(whole[: len(whole) // 2],), breaks_off=True)


def _slow(answer: Answer) -> Answer:
    whole = b"".join(answer.parts)
    size = max(1, len(whole) // 8)
    parts = tuple(whole[at : at + size] for at in range(0, len(whole), size))
    return replace(answer, parts=parts, pause=0.02)


def _mislabelled(answer: Answer) -> Answer:
    """Return a stream with the content type of a web page."""
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


MISBEHAVIOURS: Mapping[str, Misbehaviour] = MappingProxyType(
    {one.name: one for one in (*MODEL, *CALLS, *TEXT, *ENDINGS, *STREAMS, *WIRE)}
)
