"""Messages in, an answer out: clients whose tool calls can be trusted, and the loop that runs them."""

from zkit.chat.asking import run
from zkit.chat.assembler import Assembler, Reply
from zkit.chat.call_parts import Assembled
from zkit.chat.events import (
    CallRefused,
    CallRepaired,
    Compacted,
    Corrected,
    LoopEvent,
    MessageAdded,
    ReasoningDelta,
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
from zkit.chat.profile import Profile
from zkit.chat.report import RefusedCall, Report
from zkit.chat.settings import LoopSettings
from zkit.chat.steering import Steering
from zkit.chat.wrapping import wrap

__all__ = [
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
    "Profile",
    "ReasoningDelta",
    "RefusedCall",
    "Reply",
    "Report",
    "Retrying",
    "RunFinished",
    "RunResult",
    "Steered",
    "Steering",
    "TextDelta",
    "TextRevoked",
    "ToolFinished",
    "ToolStarted",
    "TurnRecord",
    "TurnStarted",
    "Usage",
    "run",
    "sound_history",
    "wrap",
]
