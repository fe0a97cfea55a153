"""Transcripts of a chat: records that are written to a file one by one and read again.

A transcript is JSON Lines. The first line is a `header`; each line after it is one record with its
`kind`, in the order in which things happened. A line is written at once, before its content is
shown, so a killed process loses nothing that was on the screen.
"""

from zkit.errors import TranscriptError
from zkit.transcripts.transcript_file import (
    HIDDEN,
    VERSION,
    Emitted,
    Ended,
    Exchange,
    Header,
    Interrupted,
    Line,
    Received,
    Record,
    Redaction,
    Request,
    Resized,
    Response,
    Shown,
    Tools,
    Transcript,
    TranscriptWriter,
    Typed,
    read_transcript,
)

__all__ = [
    "HIDDEN",
    "VERSION",
    "Emitted",
    "Ended",
    "Exchange",
    "Header",
    "Interrupted",
    "Line",
    "Received",
    "Record",
    "Redaction",
    "Request",
    "Resized",
    "Response",
    "Shown",
    "Tools",
    "Transcript",
    "TranscriptError",
    "TranscriptWriter",
    "Typed",
    "read_transcript",
]
