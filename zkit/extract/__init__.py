"""Text that a model wrote in; calls, the text around them and the reasoning out."""

from zkit.calls import Call
from zkit.extract.declared import Declared
from zkit.extract.events import (
    CallComplete,
    CallIncomplete,
    CallProgress,
    CallRefused,
    CallStarted,
    CallUnknown,
    Event,
    Incomplete,
    ReadingEnded,
    Reasoning,
    Refusal,
    Text,
    TextWasReasoning,
    Unknown,
)
from zkit.extract.extractor import Extraction, Extractor, find_calls
from zkit.extract.formats.record import Format
from zkit.extract.formats.table import FORMATS
from zkit.extract.instructions import instructions
from zkit.extract.pieces import Span
from zkit.extract.render import CannotWriteError, render_call, render_result

__all__ = [
    "FORMATS",
    "Call",
    "CallComplete",
    "CallIncomplete",
    "CallProgress",
    "CallRefused",
    "CallStarted",
    "CallUnknown",
    "CannotWriteError",
    "Declared",
    "Event",
    "Extraction",
    "Extractor",
    "Format",
    "Incomplete",
    "ReadingEnded",
    "Reasoning",
    "Refusal",
    "Span",
    "Text",
    "TextWasReasoning",
    "Unknown",
    "find_calls",
    "instructions",
    "render_call",
    "render_result",
]
