"""Calls in text that wait until the model sends them again, kept for each task."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable, Mapping
from typing import Any

from zkit.calls import Call
from zkit.results import Validation
from zkit.tools import ToolSpec, canonical_arguments

_MOST_WAITING = 64  # more than a reply holds; the oldest are forgotten

Waiting = Mapping[str, Any]
"""A call that waits, as plain data: `tool`, `digest` (of the tool's spec) and `arguments`."""


class Confirmations:
    """The calls of one task that were not run because the model may not have meant them.

    A call is confirmed when the same call (same tool, same decoded arguments) is in the next reply.
    Two equal calls in one reply do not confirm each other.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last: dict[str, Waiting] = {}  # of the reply before this one
        self._now: dict[str, Waiting] = {}  # of this reply

    def next_reply(self) -> None:
        """Begin another reply: it can confirm the calls of the one before, and no older ones."""
        with self._lock:
            self._last, self._now = self._now, {}

    def confirms(self, spec: ToolSpec, call: Call, *, in_turn: bool) -> bool:
        """True if the call was waiting; it waits no more. Otherwise it waits from now on.

        A call outside of any turn is a reply of its own.
        """
        waiting = _waiting(spec, call)
        key = _key(waiting)
        with self._lock:
            known = (self._last,) if in_turn else (self._last, self._now)
            if any(calls.pop(key, None) is not None for calls in known):
                return True
            self._now[key] = waiting
            while len(self._now) > _MOST_WAITING:
                del self._now[next(iter(self._now))]
        return False

    def to_list(self) -> list[dict[str, Any]]:
        """Return the calls that the next reply can confirm, as plain data."""
        with self._lock:
            return [dict(waiting) for waiting in self._now.values()]

    def restore(self, saved: Iterable[Waiting]) -> None:
        """Let the next reply confirm what `to_list` returned, in this process or another."""
        calls = [_checked(waiting) for waiting in saved]
        with self._lock:
            self._now = {_key(waiting): waiting for waiting in calls[-_MOST_WAITING:]}


def unconfirmed(call: Call) -> Validation:
    """Return what the model is told about a call that it may not have meant."""
    how = "followed by more text" if call.position == "followed" else "in plain text"
    message = (
        f"Your reply contains a call of {call.name} {how}, so nothing was run."
        " Send the call alone if you mean it."
    )
    return Validation(message, code="unconfirmed", fixes=call.fixes)


def _waiting(spec: ToolSpec, call: Call) -> Waiting:
    arguments = canonical_arguments(spec, call.arguments)
    return {"tool": spec.name, "digest": spec.digest, "arguments": arguments}


def _key(waiting: Waiting) -> str:
    return json.dumps(waiting, sort_keys=True, default=str)


def _checked(waiting: object) -> Waiting:
    fields = {"tool": str, "digest": str, "arguments": Mapping}
    if not isinstance(waiting, Mapping) or set(waiting) != set(fields):
        raise ValueError(f"a waiting call has {', '.join(fields)}, not {waiting!r:.80}")
    for name, kind in fields.items():
        if not isinstance(waiting[name], kind):
            raise ValueError(f"{name} of a waiting call cannot be {waiting[name]!r:.80}")
    return dict(waiting)
