"""Talk to a model: `wrap` repairs the replies of your own client, `ChatLoop` and `run` run the calls.

    loop            ChatLoop, run               conversation    what happens in a run, step by step
    run_state       what changes in a run drivers         the actions that its steps yield, and sync
    and async code that does them loop_settings   typed settings              loop_events     events
    and the result of a run loop_messages   the loop's own messages to a model tool_offer      tools
    and prompt of a request   server_profile what a request to a server must look like history
    valid conversations, text mode  wire_data   plain data from clients and servers assembler
    stream deltas to calls      reply_reader    a reply to text and calls call_checker    calls
    repaired or refused   call_answers    calls run and answered client_errors   what to do when a
    client raises paused_run, pause_store, decisions, resuming    runs that wait for somebody client
    wrap

It has more than a dozen modules because a run has that many subjects; each can be read alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from zkit.lazy_names import lazy_names

if TYPE_CHECKING:
    from zkit.chat.assembler import Assembled as Assembled
    from zkit.chat.assembler import Assembler as Assembler
    from zkit.chat.assembler import Reply as Reply
    from zkit.chat.call_checker import RefusedCall as RefusedCall
    from zkit.chat.call_checker import Report as Report
    from zkit.chat.client.wrapped_client import wrap as wrap
    from zkit.chat.decisions import ask_clarification as ask_clarification
    from zkit.chat.decisions import clarification as clarification
    from zkit.chat.history import valid_history as valid_history
    from zkit.chat.loop import ChatLoop as ChatLoop
    from zkit.chat.loop import run as run
    from zkit.chat.loop_events import ApprovalNeeded as ApprovalNeeded
    from zkit.chat.loop_events import CallRefused as CallRefused
    from zkit.chat.loop_events import CallRepaired as CallRepaired
    from zkit.chat.loop_events import Compacted as Compacted
    from zkit.chat.loop_events import Corrected as Corrected
    from zkit.chat.loop_events import LoopEvent as LoopEvent
    from zkit.chat.loop_events import MessageAdded as MessageAdded
    from zkit.chat.loop_events import MessageChanged as MessageChanged
    from zkit.chat.loop_events import QuestionAsked as QuestionAsked
    from zkit.chat.loop_events import ReasoningDelta as ReasoningDelta
    from zkit.chat.loop_events import Resumed as Resumed
    from zkit.chat.loop_events import Retrying as Retrying
    from zkit.chat.loop_events import RunFinished as RunFinished
    from zkit.chat.loop_events import RunResult as RunResult
    from zkit.chat.loop_events import Steered as Steered
    from zkit.chat.loop_events import TextDelta as TextDelta
    from zkit.chat.loop_events import TextRevoked as TextRevoked
    from zkit.chat.loop_events import ToolFinished as ToolFinished
    from zkit.chat.loop_events import ToolStarted as ToolStarted
    from zkit.chat.loop_events import TurnRecord as TurnRecord
    from zkit.chat.loop_events import TurnStarted as TurnStarted
    from zkit.chat.loop_events import Usage as Usage
    from zkit.chat.loop_settings import LoopSettings as LoopSettings
    from zkit.chat.pause_store import PauseStore as PauseStore
    from zkit.chat.pause_store import Stored as Stored
    from zkit.chat.paused_run import PausedRun as PausedRun
    from zkit.chat.paused_run import Waiting as Waiting
    from zkit.chat.run_state import Steering as Steering
    from zkit.chat.server_profile import Profile as Profile
    from zkit.chat.server_profile import ServerSettings as ServerSettings
    from zkit.dispatch import ask_later as ask_later

HOME = {
    "zkit.chat.assembler": (
        "Assembled",
        "Assembler",
        "Reply",
    ),
    "zkit.chat.call_checker": (
        "RefusedCall",
        "Report",
    ),
    "zkit.chat.client.wrapped_client": ("wrap",),
    "zkit.chat.decisions": (
        "ask_clarification",
        "clarification",
    ),
    "zkit.chat.history": ("valid_history",),
    "zkit.chat.loop": (
        "ChatLoop",
        "run",
    ),
    "zkit.chat.loop_events": (
        "ApprovalNeeded",
        "CallRefused",
        "CallRepaired",
        "Compacted",
        "Corrected",
        "LoopEvent",
        "MessageAdded",
        "MessageChanged",
        "QuestionAsked",
        "ReasoningDelta",
        "Resumed",
        "Retrying",
        "RunFinished",
        "RunResult",
        "Steered",
        "TextDelta",
        "TextRevoked",
        "ToolFinished",
        "ToolStarted",
        "TurnRecord",
        "TurnStarted",
        "Usage",
    ),
    "zkit.chat.loop_settings": ("LoopSettings",),
    "zkit.chat.pause_store": (
        "PauseStore",
        "Stored",
    ),
    "zkit.chat.paused_run": (
        "PausedRun",
        "Waiting",
    ),
    "zkit.chat.run_state": ("Steering",),
    "zkit.chat.server_profile": (
        "Profile",
        "ServerSettings",
    ),
    "zkit.dispatch": ("ask_later",),
}
"""Where each name lives; a module is loaded when one of its names is first used."""

__getattr__, __dir__, __all__ = lazy_names(__name__, HOME)
