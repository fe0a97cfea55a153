"""The probes, as a table: what each asks, how it is judged, what it shows, and what covers it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from zkit.doctor import call_judges as calls
from zkit.doctor import wire_judges as wire
from zkit.doctor.heard import Heard
from zkit.doctor.verdict import Verdict

Judge = Callable[[Heard], Verdict]
Settings = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Probe:
    """One thing to find out about a server.

    `asks` are the questions whose answers it looks at, `shows` is what it finds out, and `judge`
    says how. `remedies` are settings to try in turn when the first question goes wrong: the one
    that helps goes into the profile.
    """

    name: str
    asks: tuple[str, ...]
    shows: str
    judge: Judge
    remedies: tuple[Settings, ...] = ()

    @property
    def judged(self) -> str:
        """How it is judged, in one sentence."""
        return (self.judge.__doc__ or "").strip()

    @property
    def covers(self) -> str:
        """Which settings are tried, in words."""
        if not self.remedies:
            return "zkit by itself"
        return " or ".join(settings_text(one) for one in self.remedies)


def settings_text(settings: Settings) -> str:
    """Settings as they stand in a profile."""
    return ", ".join(f"{key} = {json.dumps(value)}" for key, value in settings.items())


TEXT: tuple[Settings, ...] = (
    {"mode": "text"},
    {"mode": "text", "format": "json_object_fenced"},
)
PORTABLE: tuple[Settings, ...] = ({"dialect": "portable"}, {"dialect": "openai-strict"})
WHOLE: tuple[Settings, ...] = ({"stream": False},)

_WITH_CALLS = (
    "call", "no_arguments", "defaults", "two_calls", "nested", "list", "long", "code", "unicode", "scalars", "null",
    "enum", "required", "named", "ref", "const", "deep", "many",
)  # fmt: skip
_STREAMS = ("stream_text", "stream_call", "stream_calls")
_WHOLE = ("answer", "turns", *_WITH_CALLS)
_ALL = (*_WHOLE, *_STREAMS, "cut")

_TABLE = (
    Probe("answer", ("answer",), "whether it answers at all", calls.right_answer),
    Probe("system_prompt", ("system",), "whether a system message is taken and kept to", calls.right_answer, ({"system": False},)),
    Probe("multi_turn", ("turns",), "whether it knows what was said before", calls.right_answer),
    Probe("native_call", ("call",), "whether a call comes as a call, not as text", calls.right_calls,
          ({"tool_choice": "auto"}, *TEXT)),
    Probe("no_argument_tool", ("no_arguments",), "a tool that takes nothing", calls.right_calls),
    Probe("empty_arguments", ("defaults",), "a call that leaves all to the defaults", calls.right_calls),
    Probe("parallel_calls", ("two_calls",), "two calls in one reply", calls.some_of_the_calls, ({"parallel": False},)),
    Probe("nested_objects", ("nested",), "objects in objects", calls.right_calls),
    Probe("list_of_objects", ("list",), "a list of objects", calls.right_calls),
    Probe("long_string", ("long",), "a text of four hundred characters, word for word", calls.right_calls),
    Probe("code", ("code",), "quotes, line ends, tabs and backslashes in an argument", calls.right_calls),
    Probe("unicode", ("unicode",), "letters beyond ASCII, and an emoji", calls.right_calls),
    Probe("scalars", ("scalars",), "whole numbers, numbers and booleans as what they are", calls.right_calls),
    Probe("null_union", ("null",), "null, where the schema says text or null", calls.right_calls, PORTABLE),
    Probe("enum", ("enum",), "one of a list of values", calls.right_calls),
    Probe("ref", ("ref",), "a schema with $ref", calls.right_calls, PORTABLE),
    Probe("const", ("const",), "a schema with const", calls.right_calls, PORTABLE),
    Probe("deep_schema", ("deep",), "a schema of five levels", calls.right_calls, PORTABLE),
    Probe("many_tools", ("many",), "forty tools on offer", calls.right_calls, ({"max_tools": 16}, {"max_tools": 8})),
    Probe("text_call", ("text_call",), "whether the model calls when tools are explained in the prompt", calls.call_in_text,
          ({"format": "json_object_fenced"}, {"format": "qwen3_coder"})),
    Probe("choice_required", ("required",), "tool_choice required", calls.any_call),
    Probe("choice_named", ("named",), "tool_choice that names a tool", calls.any_call),
    Probe("choice_none", ("none",), "tool_choice none", calls.no_call),
    Probe("tool_result", ("result",), "whether it reads the result of a call", calls.right_answer, TEXT),
    Probe("reasoning_replay", ("replay",), "whether reasoning may be sent back with a call", calls.right_answer,
          ({"replay_reasoning": False},)),
    Probe("cut_call", ("cut",), "whether a reply that was cut says so", calls.cut_is_told),
    Probe("stream", ("stream_text",), "whether streams work", wire.streamed, ({"stream_usage": False}, *WHOLE)),
    Probe("stream_call", ("stream_call",), "a call in a stream", calls.right_calls, WHOLE),
    Probe("stream_parallel", ("stream_calls",), "two calls in a stream", calls.some_of_the_calls, (*WHOLE, {"parallel": False})),
    Probe("arguments_as_text", _WITH_CALLS, "the form of arguments", wire.arguments_as_text),
    Probe("call_ids", (*_WITH_CALLS, *_STREAMS), "ids of calls", wire.ids),
    Probe("call_type", (*_WITH_CALLS, *_STREAMS), "the type of calls", wire.entry_type),
    Probe("finish_reason", _ALL, "whether the finish reason tells the truth", wire.finish_reason),
    Probe("usage", _WHOLE, "whether tokens are counted", wire.usage),
    Probe("reasoning", _ALL, "where the reasoning is", wire.reasoning),
    Probe("stream_parts", _STREAMS, "indexes, ids and order of the parts of calls", wire.stream_parts),
    Probe("stream_deltas", _STREAMS, "whether arguments arrive in pieces", wire.stream_deltas),
    Probe("stream_usage", ("stream_text",), "the count at the end of a stream", wire.stream_usage),
    Probe("stream_opening", _STREAMS, "chunks without a choice", wire.stream_opening),
    Probe("stream_end", _STREAMS, "the mark at the end of a stream", wire.stream_end),
    Probe("stream_lines", _STREAMS, "line ends and comments in streams", wire.stream_lines),
    Probe("stream_pieces", _STREAMS, "how streams are cut on the wire", wire.stream_pieces),
    Probe("content_type", _ALL, "how answers are labelled", wire.content_type),
    Probe("whole_body", _WHOLE, "whether an answer comes in one go", wire.whole_body),
    Probe("errors", ("wrong",), "how mistakes in a request are told", wire.error_is_told),
    Probe("steady", _ALL, "whether answers fail in passing", wire.first_time),
    Probe("time", _ALL, "whether answers come in time", wire.in_time),
)  # fmt: skip
PROBES: dict[str, Probe] = {probe.name: probe for probe in _TABLE}
