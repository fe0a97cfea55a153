"""The scripted server under its former name."""

from zkit.testing import (
    Answer,
    Request,
    Said,
    Script,
    ScriptedServer,
    call,
    completion,
    deltas_of,
    error,
    raw_stream,
    says,
    stream,
)

__all__ = [
    "Answer",
    "Request",
    "Said",
    "Script",
    "ScriptedServer",
    "call",
    "completion",
    "deltas_of",
    "error",
    "raw_stream",
    "says",
    "stream",
]
