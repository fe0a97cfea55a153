"""One way for a server to misbehave: a function that damages the answer of a model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal

from zkit.json_types import JsonMapping, JsonObject
from zkit.testing.answers import Answer, Request, Said, Script, completion, stream

Spoil = Callable[[Said, Request], Answer]
Model = Callable[[Request], Said]
Kind = Literal["model", "call", "text", "stream", "ending", "wire"]
Needs = Literal["calls", "one call", "two calls", "stream", "anything"]
Outcome = Literal["calls", "refused", "passed on"]

_CALLS = {"calls": (1, 99), "one call": (1, 1), "two calls": (2, 99)}


@dataclass(frozen=True)
class Misbehaviour:
    """What a server, or the model behind it, does wrong.

    `kind` says whose fault it is: what the model writes into a call, how the server delivers a
    call, calls left in the text, how a stream is cut, how it ends, or the connection. `needs` is
    what a reply must hold to be damaged. With `once`, only the first such reply is damaged.
    `outcome` is the result in a wrapped client: the calls that were meant, a refusal with a message
    for the model, or the same as in the bare client.
    """

    name: str
    kind: Kind
    does: str
    spoil: Spoil
    needs: Needs = "calls"
    once: bool = False
    outcome: Outcome = "calls"

    def concerns(self, said: Said, request: Request) -> bool:
        """True if there is something to damage in a reply."""
        least, most = _CALLS.get(self.needs, (0, 99))
        streams = self.needs == "stream" or self.kind == "stream"
        return least <= len(said.calls) <= most and bool(request.get("stream") or not streams)

    def server_of(self, model: Model) -> Script:
        """Return a script for a server that misbehaves in front of a model, for as long as it runs."""
        spoilt = 0

        def answer(request: Request) -> Answer:
            nonlocal spoilt
            said = model(request)
            if not self.concerns(said, request) or (self.once and spoilt):
                return said(request)
            spoilt += 1
            return self.spoil(said, request)

        return answer


# ── spoiling what is said, then sending it decently ──────────────────────────


def saying(change: Callable[[Said], Said]) -> Spoil:
    """Say something else."""
    return lambda said, request: change(said)(request)


def entries(change: Callable[[JsonObject], JsonObject]) -> Spoil:
    """Change each entry of `tool_calls`."""
    return saying(lambda said: replace(said, calls=tuple(change(dict(one)) for one in said.calls)))


def functions(change: Callable[[str, str], JsonMapping]) -> Spoil:
    """Change the name and the arguments of each call."""

    def changed(entry: JsonObject) -> JsonObject:
        function = entry["function"]
        made = change(function["name"], function["arguments"])
        return {**entry, "function": {**function, **made}}

    return entries(changed)


def arguments(change: Callable[[str], object]) -> Spoil:
    """Change the text of the arguments of each call."""
    return functions(lambda name, text: {"arguments": change(text)})


def keys(change: Callable[[str, object], tuple[str, object]]) -> Spoil:
    """Change each argument of each call."""
    return arguments(
        lambda text: json.dumps(dict(change(*pair) for pair in json.loads(text).items()))
    )


# ── damage to how it is sent ──────────────────────────────────────────────────


def deltas(change: Callable[[Said], list[dict[str, Any]]], **options: Any) -> Spoil:
    """Stream other deltas, or with other options."""

    def sent(said: Said, request: Request) -> Answer:
        return stream(change(said), **{"finish": said.reason, "usage": said.usage, **options})

    return sent


def answered(change: Callable[[Answer], Answer]) -> Spoil:
    """Change the answer that a correct server would send."""
    return lambda said, request: change(said(request))


def instead(answer: Answer) -> Spoil:
    """Send something completely different."""
    return lambda said, request: answer


def ending(finish: str | None) -> Spoil:
    """End the reply with another reason, or with none."""

    def sent(said: Said, request: Request) -> Answer:
        if request.get("stream"):
            return stream(said.deltas, finish=finish, usage=said.usage)
        return completion({**said.choice, "finish_reason": finish}, usage=said.usage)

    return sent
