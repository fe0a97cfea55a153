"""Every way of misbehaving that is known, by name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from zkit.testing.misbehaviour import Misbehaviour
from zkit.testing.spoilt_calls import CALLS, ENDINGS, MODEL, TEXT
from zkit.testing.spoilt_streams import STREAMS, WIRE

MISBEHAVIOURS: Mapping[str, Misbehaviour] = MappingProxyType(
    {one.name: one for one in (*MODEL, *CALLS, *TEXT, *ENDINGS, *STREAMS, *WIRE)}
)
