"""Talk to a model: `wrap` repairs the replies of your own client, `ChatLoop` and `run` run the calls.

    loop            ChatLoop, run               conversation    what happens in a run, step by step
    actions         what the steps ask for      drivers         sync and async code that does it
    loop_settings   typed settings              loop_events     events and the result of a run
    loop_messages   what the loop tells a model run_state       what changes during a run
    tool_offer      tools and prompt of a request   server_profile, fit_request   how a server wants it
    history         valid conversations, text mode  wire_data   plain data from clients and servers
    assembler       stream deltas to calls      reply_reader    a reply to text and calls
    call_checker    calls repaired or refused   call_answers    calls run and answered
    client_errors   what to do when a client raises
    paused_run, pause_store, decisions, resuming    runs that wait for somebody
    client          wrap

It has more than a dozen modules because a run has that many subjects; each can be read alone.
"""

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
