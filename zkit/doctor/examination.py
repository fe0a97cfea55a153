"""The probes of the doctor, and the examination of a server that runs them and makes a profile."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

from zkit.chat import Profile
from zkit.doctor import judges
from zkit.doctor import wire_judges as wire
from zkit.doctor.connection import Connection, Observed
from zkit.doctor.judges import Verdict, covered, worst
from zkit.doctor.questions import QUESTIONS
from zkit.json_types import JsonMapping, JsonObject

RETRIED = "the loop asks again: the second try was right"
Judge = Callable[[Observed], Verdict]
Settings = JsonMapping


@dataclass(frozen=True, slots=True)
class Probe:
    """One fact to find out about a server.

    `questions` are those whose answers are judged, `shows` is the fact, and `judge` is the judge.
    `remedies` are settings to try in turn if the first question fails: the one that helps goes into
    the profile.
    """

    name: str
    questions: tuple[str, ...]
    shows: str
    judge: Judge
    remedies: tuple[Settings, ...] = ()

    @property
    def judged(self) -> str:
        """Return how it is judged, in one sentence."""
        return (self.judge.__doc__ or "").strip()

    @property
    def covers(self) -> str:
        """Return the settings that are tried, in words."""
        if not self.remedies:
            return "zkit by itself"
        return " or ".join(settings_text(one) for one in self.remedies)


def settings_text(settings: Settings) -> str:
    """Return settings as they are written in a profile."""
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
    Probe("answer", ("answer",), "whether it answers at all", judges.right_answer),
    Probe("system_prompt", ("system",), "whether a system message is taken and kept to", judges.right_answer, ({"system": False},)),
    Probe("multi_turn", ("turns",), "whether it knows the earlier messages", judges.right_answer),
    Probe("native_call", ("call",), "whether a call comes as a call, not as text", judges.right_calls,
          ({"tool_choice": "auto"}, *TEXT)),
    Probe("no_argument_tool", ("no_arguments",), "a tool that takes nothing", judges.right_calls),
    Probe("empty_arguments", ("defaults",), "a call that leaves all to the defaults", judges.right_calls),
    Probe("parallel_calls", ("two_calls",), "two calls in one reply", judges.some_of_the_calls, ({"parallel": False},)),
    Probe("nested_objects", ("nested",), "objects in objects", judges.right_calls),
    Probe("list_of_objects", ("list",), "a list of objects", judges.right_calls),
    Probe("long_string", ("long",), "a text of four hundred characters, word for word", judges.right_calls),
    Probe("code", ("code",), "quotes, line ends, tabs and backslashes in an argument", judges.right_calls),
    Probe("unicode", ("unicode",), "letters beyond ASCII, and an emoji", judges.right_calls),
    Probe("scalars", ("scalars",), "whole numbers, numbers and booleans as what they are", judges.right_calls),
    Probe("null_union", ("null",), "null, where the schema says text or null", judges.right_calls, PORTABLE),
    Probe("enum", ("enum",), "one of a list of values", judges.right_calls),
    Probe("ref", ("ref",), "a schema with $ref", judges.right_calls, PORTABLE),
    Probe("const", ("const",), "a schema with const", judges.right_calls, PORTABLE),
    Probe("deep_schema", ("deep",), "a schema of five levels", judges.right_calls, PORTABLE),
    Probe("many_tools", ("many",), "forty tools on offer", judges.right_calls, ({"max_tools": 16}, {"max_tools": 8})),
    Probe("text_call", ("text_call",), "whether the model calls when tools are explained in the prompt", judges.call_in_text,
          ({"format": "json_object_fenced"}, {"format": "qwen3_coder"})),
    Probe("choice_required", ("required",), "tool_choice required", judges.any_call),
    Probe("choice_named", ("named",), "tool_choice that names a tool", judges.any_call),
    Probe("choice_none", ("none",), "tool_choice none", judges.no_call),
    Probe("tool_result", ("result",), "whether it reads the result of a call", judges.right_answer, TEXT),
    Probe("reasoning_replay", ("replay",), "whether reasoning may be sent back with a call", judges.right_answer,
          ({"replay_reasoning": False},)),
    Probe("cut_call", ("cut",), "whether a reply that was cut is marked as such", judges.cut_is_reported),
    Probe("stream", ("stream_text",), "whether streams work", wire.streamed, ({"stream_usage": False}, *WHOLE)),
    Probe("stream_call", ("stream_call",), "a call in a stream", judges.right_calls, WHOLE),
    Probe("stream_parallel", ("stream_calls",), "two calls in a stream", judges.some_of_the_calls, (*WHOLE, {"parallel": False})),
    Probe("arguments_as_text", _WITH_CALLS, "the form of arguments", wire.arguments_as_text),
    Probe("call_ids", (*_WITH_CALLS, *_STREAMS), "ids of calls", wire.ids),
    Probe("call_type", (*_WITH_CALLS, *_STREAMS), "the type of calls", wire.entry_type),
    Probe("finish_reason", _ALL, "whether the finish reason is right", wire.finish_reason),
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
    Probe("errors", ("wrong",), "how mistakes in a request are reported", wire.error_is_reported),
    Probe("steady", _ALL, "whether answers fail in passing", wire.first_time),
    Probe("time", _ALL, "whether answers come in time", wire.in_time),
)  # fmt: skip
PROBES: dict[str, Probe] = {probe.name: probe for probe in _TABLE}


@dataclass(frozen=True, slots=True)
class Finding:
    """A probe and its verdict; `is_failure` is true if a question got no answer at all."""

    probe: Probe
    verdict: Verdict
    is_failure: bool = False

    def to_dict(self) -> JsonObject:
        """Return it as plain data, for `json.dumps`."""
        found = self.verdict
        return {
            "probe": self.probe.name,
            "shows": self.probe.shows,
            "status": {"open": "not covered"}.get(found.status, found.status),
            "evidence": found.evidence,
            "covered_by": found.by,
            "settings": dict(found.settings),
        }


def selected(patterns: Sequence[str]) -> list[Probe]:
    """Return the probes whose names match one of the patterns; all if there are no patterns."""
    if not patterns:
        return list(PROBES.values())
    return [
        probe
        for probe in PROBES.values()
        if any(fnmatchcase(probe.name, pattern) for pattern in patterns)
    ]


def requests_of(probes: Sequence[Probe]) -> int:
    """Return how many requests the probes need when nothing is wrong."""
    return len({name for probe in probes for name in probe.questions})


class Examination:
    """Examines one model on one server; each finding shapes the later questions.

    `failures` has the first answer to each probe that failed, even if a setting was found that
    covers it.
    """

    def __init__(self, connection: Connection, base_url: str = "") -> None:
        self._connection = connection
        self._observed: dict[str, Observed] = {}
        self.failures: dict[str, Observed] = {}
        self.profile = Profile(model=connection.model, base_url=base_url)

    def run(self, probes: Sequence[Probe]) -> Iterator[Finding]:
        """Examine the server; yield each finding as soon as it is there."""
        for probe in probes:
            verdict = self._examined(probe)
            self.profile = replace(self.profile, **verdict.settings)
            yield Finding(probe, verdict, self._has_failed(probe, verdict))

    def _has_failed(self, probe: Probe, verdict: Verdict) -> bool:
        failed = any(self._observed[name].failure for name in probe.questions)
        return _is_bad(verdict) and failed

    def is_usable(self, findings: Sequence[Finding]) -> bool:
        """True if the server answers, and calls in one way or another, as far as that was tried."""
        needed = ("answer", "native_call")
        return not any(_is_bad(one.verdict) for one in findings if one.probe.name in needed)

    def _examined(self, probe: Probe) -> Verdict:
        verdict = worst(probe.judge(self._answer(name)) for name in probe.questions)
        if verdict.status == "open" and len(probe.questions) == 1:
            return self._second_opinion(probe, verdict)
        if probe.name == "native_call" and verdict.status == "ok":
            return replace(verdict, settings={"mode": "native"})
        needed = self._in_force(probe)
        if not _is_bad(verdict) and needed is not None:
            return covered(verdict.evidence, settings_text(needed))
        return verdict

    def _in_force(self, probe: Probe) -> Settings | None:
        """Return the remedy of a probe that is already in force because of an earlier one, if any."""
        settings = self.profile.server_settings()
        return next((one for one in probe.remedies if one.items() <= settings.items()), None)

    def _answer(self, name: str) -> Observed:
        if name not in self._observed:
            self._observed[name] = self._ask(name, {})
        return self._observed[name]

    def _ask(self, name: str, settings: Settings) -> Observed:
        question = QUESTIONS[name]
        fitted = replace(self.profile, **{**question.settings, **settings})
        return self._connection.ask(question, fitted)

    def _second_opinion(self, probe: Probe, verdict: Verdict) -> Verdict:
        """Ask once more, then with each setting that might help."""
        [name] = probe.questions
        first = self.failures[probe.name] = self._observed[name]
        is_refused = 400 <= first.status < 500
        if not is_refused and not _is_bad(probe.judge(self._ask(name, {}))):
            return covered(verdict.evidence, RETRIED)
        for settings in probe.remedies:
            observed = self._ask(name, settings)
            if not _is_bad(probe.judge(observed)):
                self._observed[name] = observed
                return covered(verdict.evidence, settings_text(settings), **settings)
        return verdict


def _is_bad(verdict: Verdict) -> bool:
    return verdict.status in ("open", "timeout")
