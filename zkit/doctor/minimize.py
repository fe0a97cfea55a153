"""Delta debugging of a request: the smallest one that a server still gets wrong in the same way."""

from __future__ import annotations

import copy
import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from zkit.doctor.connection import Connection, Observed
from zkit.doctor.examination import Probe
from zkit.doctor.questions import Question
from zkit.json_types import JsonObject

Request = JsonObject
Path = tuple[str | int, ...]
ATTEMPTS = 120
"""Requests that one minimization may send; a request with one tool of ours needs 30 to 60."""
_VARIES = re.compile(r"""'[^']*'|"[^"]*"|`[^`]*`|\d+""")
"""What differs between two messages about the same error: names, values, positions."""
_OPEN_TEXT = 24  # shorter texts are not worth a request


@dataclass(frozen=True, slots=True)
class Minimized:
    """The smallest request that still fails, and how. `is_steady` is false if it failed only once."""

    request: Request
    evidence: str
    sent: int
    is_steady: bool = True
    is_finished: bool = True


class _EnoughError(Exception):
    """The attempts are used up."""


def minimize(
    connection: Connection,
    probe: Probe,
    first: Observed,
    *,
    attempts: int = ATTEMPTS,
    on_attempt: Callable[[int], None] = lambda sent: None,
) -> Minimized:
    """Return the smallest request that fails as `first` did.

    Tools, properties, messages, options and long texts are left out as long as the failure stays:
    the same status and message if the server refused the request, and a wrong answer to the same
    question otherwise. Then the expected tools, their expected arguments and the messages stay.
    """
    fails = _same_error(first) if first.failure else _same_question(probe, first.question)
    search = _Search(connection, first.question, fails, attempts, on_attempt)
    request = _tidy(copy.deepcopy(dict(first.request)))
    if not search.fails(request):
        return Minimized(dict(first.request), probe.judge(first).evidence, search.sent, False)
    try:
        while (smaller := search.shrink(request)) != request:
            request = smaller
    except _EnoughError:
        return Minimized(search.smallest, search.evidence, search.sent, is_finished=False)
    return Minimized(request, search.evidence, search.sent)


def as_curl(address: str, request: Request) -> str:
    """Return the shell command that sends a request; the key stays a variable."""
    body = json.dumps(request, ensure_ascii=False)
    return (
        f"curl -s {shlex.quote(address.rstrip('/') + '/chat/completions')}"
        " -H 'Content-Type: application/json'"
        ' -H "Authorization: Bearer $OPENAI_API_KEY"'
        f" -d {shlex.quote(body)}"
    )


@dataclass(frozen=True, slots=True)
class _Criterion:
    """When a smaller request counts: `admits` is called before it is sent, `evidence` afterwards."""

    admits: Callable[[Request], bool]
    evidence: Callable[[Observed], str]


def _same_error(first: Observed) -> _Criterion:
    """Return the criterion that the server refuses the request with the same status and kind of
    message."""
    kind = _VARIES.sub("", first.failure)

    def evidence(observed: Observed) -> str:
        is_same = observed.status == first.status and _VARIES.sub("", observed.failure) == kind
        return observed.failure if is_same else ""

    return _Criterion(lambda request: bool(request.get("messages")), evidence)


def _same_question(probe: Probe, question: Question) -> _Criterion:
    """Return the criterion that the answer to the same question is wrong, with the expected tools
    on offer."""

    def evidence(observed: Observed) -> str:
        verdict = probe.judge(observed)
        return verdict.evidence if verdict.status == "open" and not observed.failure else ""

    return _Criterion(lambda request: _asks_the_same(question, request), evidence)


def _asks_the_same(question: Question, request: Request) -> bool:
    """True if the last message is the same, and every expected tool and argument is on offer."""
    if request["messages"][-1:] != list(question.messages[-1:]):
        return False
    tools = request.get("tools", [])
    functions = [one.get("function", {}) for one in tools]
    offered = {one.get("name"): one.get("parameters", {}) for one in functions}
    if None in offered or any(one.get("type") != "function" for one in tools):
        return False
    return all(
        name in offered and set(arguments) <= set(offered[name].get("properties", ()))
        for name, arguments in question.wants
    )


class _Search:
    """Sends smaller and smaller requests, each one once."""

    def __init__(
        self,
        connection: Connection,
        question: Question,
        criterion: _Criterion,
        attempts: int,
        on_attempt: Callable[[int], None],
    ) -> None:
        self._connection, self._question, self._criterion = connection, question, criterion
        self._attempts, self._on_attempt = attempts, on_attempt
        self._known: dict[str, str] = {}
        self.sent = 0
        self.smallest: Request = {}
        self.evidence = ""

    def fails(self, request: Request) -> bool:
        """True if the request fails in the same way; raises when the attempts are used up."""
        key = json.dumps(request, sort_keys=True)
        if key not in self._known:
            if self.sent >= self._attempts:
                raise _EnoughError
            self._known[key] = self._evidence(request)
        if self._known[key]:
            self.smallest, self.evidence = request, self._known[key]
        return bool(self._known[key])

    def _evidence(self, request: Request) -> str:
        if not self._criterion.admits(request):
            return ""
        self.sent += 1
        self._on_attempt(self.sent)
        messages, tools = tuple(request["messages"]), tuple(request.get("tools", ()))
        question = replace(self._question, messages=messages, tools=tools)
        return self._criterion.evidence(self._connection.send(question, request))

    def shrink(self, request: Request) -> Request:
        """Return the request without what can be left out, from the outermost parts inwards."""
        for path in list(_containers(request)):
            request = self._without_items(request, path)
        for path in list(_texts(request)):
            request = self._shorter_text(request, path)
        return request

    def _without_items(self, request: Request, path: Path) -> Request:
        """Leave out items of one object or list: half of them, then quarters, then single ones."""
        size = max(1, len(_keys(request, path)) // 2)
        while True:
            at = 0
            while keys := _keys(request, path)[at : at + size]:
                smaller = _without(request, path, keys)
                if smaller is not None and self.fails(smaller):
                    request = smaller
                else:
                    at += size
            if size == 1:
                return request
            size = max(1, size // 2)

    def _shorter_text(self, request: Request, path: Path) -> Request:
        while len(text := _value(request, path) or "") > _OPEN_TEXT:
            smaller = copy.deepcopy(request)
            _value(smaller, path[:-1])[path[-1]] = text[: len(text) // 2]
            if not self.fails(smaller):
                break
            request = smaller
        return request


def _containers(request: Request) -> Iterator[Path]:
    """Yield the paths of all objects and lists, the outer ones first."""
    waiting: list[tuple[Path, object]] = [((), request)]
    for path, value in waiting:
        if isinstance(value, dict | list):
            yield path
            items = value.items() if isinstance(value, dict) else enumerate(value)
            waiting += [((*path, key), one) for key, one in items]


def _texts(request: Request) -> Iterator[Path]:
    for path in _containers(request):
        for key in _keys(request, path):
            if key in ("content", "description") and isinstance(_value(request, (*path, key)), str):
                yield (*path, key)


def _keys(request: Request, path: Path) -> list[str | int]:
    """Return what an object or list holds now; empty if it is gone, or something else."""
    value = _value(request, path)
    if isinstance(value, dict):
        return [key for key in value if path or key not in ("model", "messages")]
    return list(range(len(value))) if isinstance(value, list) else []


def _value(request: Request, path: Path) -> Any:
    value: Any = request
    for key in path:
        try:
            value = value[key]
        except (LookupError, TypeError):
            return None
    return value


def _without(request: Request, path: Path, keys: list[str | int]) -> Request | None:
    smaller = copy.deepcopy(request)
    value = _value(smaller, path)
    if value is None:
        return None
    for key in reversed(keys):
        del value[key]
    return _tidy(smaller)


def _tidy(request: Request) -> Request:
    """Drop what makes no sense alone: required names without a property, options without their subject."""
    if not request.get("tools"):
        for key in ("tools", "tool_choice", "parallel_tool_calls"):
            request.pop(key, None)
    if not request.get("stream"):
        request.pop("stream_options", None)
    for path in _containers(request):
        value = _value(request, path)
        if isinstance(value, dict) and isinstance(value.get("required"), list):
            known = value.get("properties")
            known = known if isinstance(known, dict) else {}
            value["required"] = [name for name in value["required"] if name in known]
            if not value["required"]:
                del value["required"]
    return request
