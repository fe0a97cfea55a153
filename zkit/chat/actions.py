"""What the logic of a loop wants done: it yields one of these, and is told what came of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from zkit.chat.loop_events import LoopEvent
from zkit.chat.reply_reader import ReplyReader
from zkit.dispatch import Turn


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a request to the model. Told: a `ModelReply`, or the exception of the client."""

    request: dict[str, Any]
    reader: ReplyReader
    most_tokens: int | None = None
    deadline: float | None = None


@dataclass(frozen=True, slots=True)
class RunCalls:
    """Run the calls of one turn. Told: nothing; the turn has the outcomes."""

    turn: Turn


@dataclass(frozen=True, slots=True)
class Wait:
    """Let some time pass. Told: nothing."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Do:
    """Call a function of the user's, plain or async. Told: what it returns."""

    function: Callable[..., Any]
    argument: Any


Want = Ask | RunCalls | Wait | Do | LoopEvent
"""An event is a want too: that somebody hears of it."""
