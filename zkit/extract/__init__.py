"""Find tool calls in the text of a reply, and write calls as text."""

from zkit.calls import Call
from zkit.extract.api import Extraction, Extractor, find_calls
from zkit.extract.declared import Declared
from zkit.extract.events import (
    CallComplete,
    CallDoubtful,
    CallHeld,
    CallIncomplete,
    CallUnknown,
    CandidateRefused,
    Doubtful,
    Event,
    Incomplete,
    ReadingEnded,
    Reasoning,
    Refusal,
    Span,
    Text,
    TextWasReasoning,
    Unknown,
)  # fmt: skip
from zkit.extract.formats.record import Format
from zkit.extract.formats.table import FORMATS
from zkit.extract.render import CannotWriteError, instructions, render_call, render_tool_result

__all__ = [
    "FORMATS", "Call", "CallComplete", "CallDoubtful", "CallHeld", "CallIncomplete", "CallUnknown", "CandidateRefused",
    "CannotWriteError", "Declared", "Doubtful", "Event", "Extraction", "Extractor", "Format", "Incomplete", "ReadingEnded",
    "Reasoning", "Refusal", "Span", "Text", "TextWasReasoning", "Unknown", "find_calls", "instructions", "render_call",
    "render_tool_result",
]  # fmt: skip
