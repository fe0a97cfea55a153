"""A server on loopback that plays a script, and can misbehave in every known way."""

from zkit.testing.answers import (
    Answer,
    Request,
    Said,
    Script,
    call,
    completion,
    deltas_of,
    error,
    raw_stream,
    says,
    stream,
)
from zkit.testing.misbehaviour import Misbehaviour, Model
from zkit.testing.misbehaviours import MISBEHAVIOURS
from zkit.testing.server import ScriptedServer
from zkit.testing.shortcomings import SHORTCOMINGS

__all__ = [
    "MISBEHAVIOURS",
    "SHORTCOMINGS",
    "Answer",
    "Misbehaviour",
    "Model",
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
