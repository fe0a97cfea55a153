"""Messages in, an answer out: clients whose tool calls can be trusted, and the loop that runs them."""

from zkit.chat.asking import run
from zkit.chat.assembler import Assembler, Reply
from zkit.chat.call_parts import Assembled
from zkit.chat.clarifying import ask_clarification, clarification
from zkit.chat.events import (
    ApprovalNeeded,
    CallRefused,
    CallRepaired,
    Compacted,
    Corrected,
    LoopEvent,
    MessageAdded,
    MessageChanged,
    QuestionAsked,
    ReasoningDelta,
    Resumed,
    Retrying,
    RunFinished,
    Steered,
    TextDelta,
    TextRevoked,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from zkit.chat.history import sound_history
from zkit.chat.loop import ChatLoop
from zkit.chat.manners import Manners
from zkit.chat.outcome import RunResult, TurnRecord, Usage
from zkit.chat.pause_store import PauseStore, Stored
from zkit.chat.paused import PausedRun, Waiting
from zkit.chat.profile import Profile
from zkit.chat.report import RefusedCall, Report
from zkit.chat.settings import LoopSettings
from zkit.chat.steering import Steering
from zkit.chat.wrapping import wrap
from zkit.dispatch import ask_later

__all__ = [
    "ApprovalNeeded",
    "Assembled",
    "Assembler",
    "CallRefused",
    "CallRepaired",
    "ChatLoop",
    "Compacted",
    "Corrected",
    "LoopEvent",
    "LoopSettings",
    "Manners",
    "MessageAdded",
    "MessageChanged",
    "PauseStore",
    "PausedRun",
    "Profile",
    "QuestionAsked",
    "ReasoningDelta",
    "RefusedCall",
    "Reply",
    "Report",
    "Resumed",
    "Retrying",
    "RunFinished",
    "RunResult",
    "Steered",
    "Steering",
    "Stored",
    "TextDelta",
    "TextRevoked",
    "ToolFinished",
    "ToolStarted",
    "TurnRecord",
    "TurnStarted",
    "Usage",
    "Waiting",
    "ask_clarification",
    "ask_later",
    "clarification",
    "run",
    "sound_history",
    "wrap",
]
