"""What the conversation asks its driver to do: it yields one of these, and is sent the outcome."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from zkit.chat.loop_events import LoopEvent
from zkit.chat.reply_reader import ReplyReader
from zkit.dispatch import Turn


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a request to the model. Returns a `ModelReply`, or the exception of the client."""

    request: dict[str, Any]
    reader: ReplyReader
    most_tokens: int | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Run the calls of one turn. Returns nothing; the turn has the outcomes."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Wait:
    """Let some time pass. Returns nothing."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Do:
    """Call a function of the user's, plain or async. Returns what it returns."""

    function: Callable[..., Any]
    argument: Any


Action = Ask | RunCalls | Wait | Do | LoopEvent
"""An event is an action too: it is passed to the caller."""
