"""Messages in, an answer out: clients whose tool calls can be trusted, and the loop that runs them."""

from zkit.chat.asking import run
from zkit.chat.client.wrapped_client import wrap
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
from zkit.chat.loop import ChatLoop
from zkit.chat.outcome import RunResult, TurnRecord, Usage
from zkit.chat.pause.clarifying import ask_clarification, clarification
from zkit.chat.pause.pause_store import PauseStore, Stored
from zkit.chat.pause.paused import PausedRun, Waiting
from zkit.chat.replies.assembler import Assembler, Reply
from zkit.chat.replies.call_parts import Assembled
from zkit.chat.replies.report import RefusedCall, Report
from zkit.chat.requests.history import sound_history
from zkit.chat.requests.manners import Manners
from zkit.chat.requests.profile import Profile
from zkit.chat.settings import LoopSettings
from zkit.chat.steering import Steering
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
