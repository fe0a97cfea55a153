"""One run of a loop: the conversation so far, what was used, and which limit is reached."""

from __future__ import annotations

import time
from collections import Counter, deque
from dataclasses import dataclass, field, replace

from zkit.chat.events import Message
from zkit.chat.manners import Manners
from zkit.chat.offering import Offering, offering_of
from zkit.chat.outcome import Reason, RunResult, TurnRecord, Usage
from zkit.chat.settings import LoopSettings
from zkit.chat.steering import Steering
from zkit.dispatch import Dispatcher
from zkit.tools import Scope


@dataclass(slots=True)
class RunState:
    """What changes while a loop runs.

    `notes` are said in the next request only. `ending` is why the run will end after one more
    reply, in which no tool may be called.
    """

    model: str
    dispatcher: Dispatcher
    settings: LoopSettings
    messages: list[Message]
    task: Scope
    steering: Steering
    streaming: bool = False
    text_mode: bool = False
    turn: int = 0
    calls: int = 0
    text: str = ""
    ending: Reason | None = None
    notes: list[str] = field(default_factory=list)
    usage: Usage = field(default_factory=Usage)
    turns: deque[TurnRecord] = field(default_factory=deque)
    spent: Counter[str] = field(default_factory=Counter)

    def spend(self, kind: str) -> bool:
        """Take one try from a budget; False when it is used up."""
        self.spent[kind] += 1
        return self.spent[kind] <= self.settings.budget(kind)

    def progress(self) -> None:
        """Something worked: all budgets begin anew."""
        self.spent.clear()

    @property
    def seconds_left(self) -> float | None:
        """How much time is left; None for no limit."""
        deadline = self.task.deadline
        return None if deadline is None else deadline - time.monotonic()

    def limit_reached(self) -> Reason | None:
        """Why no further request may be sent; None when one may."""
        most, left = self.settings.max_tokens, self.seconds_left
        reached: dict[Reason, bool] = {
            "stopped": self.steering.stopped,
            "max_seconds": left is not None and left <= 0,
            "max_tokens": most is not None and self.usage.total_tokens >= most,
            "max_turns": self.turn >= self.settings.max_turns,
        }
        return next((reason for reason, is_so in reached.items() if is_so), None)

    @property
    def closing(self) -> Reason | None:
        """Why no tool may be called in this reply; None when tools may."""
        if self.ending is not None:
            return self.ending
        if self.calls >= self.settings.max_calls:
            return "max_calls"
        return "max_turns" if self.turn == self.settings.max_turns > 1 else None

    def offering(self) -> Offering:
        """The tools as they are now: a tool that was just registered can be called at once."""
        room = self.settings.tool_room if self.settings.fit in ("weights", "auto") else None
        return offering_of(self.dispatcher.tools(), room, self.settings.max_tools)

    @property
    def manners(self) -> Manners:
        """How the server wants to be asked, as far as is known by now."""
        return replace(self.settings, mode="text") if self.text_mode else self.settings

    def record(self, turn: TurnRecord) -> None:
        """Keep what came of a turn; of very long runs the newest."""
        self.turns.append(turn)
        while len(self.turns) > self.settings.keep_turns:
            self.turns.popleft()

    def finish(self, reason: Reason, error: BaseException | None = None) -> RunResult:
        """The end of the run."""
        return RunResult(
            self.text, reason, list(self.messages), self.usage, tuple(self.turns), error
        )
