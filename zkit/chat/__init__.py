"""Messages in, an answer out: clients whose tool calls can be trusted, and the loop that runs them."""

from zkit.chat.assembler import Assembled, Assembler, Reply
from zkit.chat.call_checker import RefusedCall, Report
from zkit.chat.client.wrapped_client import wrap
from zkit.chat.decisions import ask_clarification, clarification
from zkit.chat.history import valid_history
from zkit.chat.loop import ChatLoop, run
from zkit.chat.loop_events import (
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
    RunResult,
    Steered,
    TextDelta,
    TextRevoked,
    ToolFinished,
    ToolStarted,
    TurnRecord,
    TurnStarted,
    Usage,
)
from zkit.chat.loop_settings import LoopSettings
from zkit.chat.pause_store import PauseStore, Stored
from zkit.chat.paused_run import PausedRun, Waiting
from zkit.chat.run_state import Steering
from zkit.chat.server_profile import Profile, ServerSettings
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
    "ServerSettings",
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
    "valid_history",
    "wrap",
]
