"""What models write wrongly into calls, and what servers make of calls: one record each."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from zkit.calls import Call
from zkit.extract import render_call
from zkit.testing.answers import Said
from zkit.testing.misbehaviour import (
    Misbehaviour,
    Spoil,
    arguments,
    ending,
    entries,
    functions,
    keys,
    saying,
)


def _camel(name: str) -> str:
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def _number_as_text(key: str, value: object) -> tuple[str, object]:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return key, str(value) if is_number else value


def _cut(said: Said, reason: str) -> Said:
    """The last call without the second half of its arguments."""
    *whole, last = said.calls
    text = last["function"]["arguments"]
    function = {**last["function"], "arguments": text[: len(text) // 2]}
    return replace(said, calls=(*whole, {**last, "function": function}), finish=reason)


def _twice(text: str) -> str:
    """The object, and one like it with other values."""
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
    """The calls as text in a format, as servers leave them that know no tools."""

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
