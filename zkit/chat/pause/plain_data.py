"""Calls, outcomes and turns in, JSON data out; and the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from zkit.calls import Call
from zkit.dispatch import Outcome
from zkit.receipt import Fix, Rank
from zkit.results import from_dict
from zkit.tools import thaw


def call_to_dict(call: Call) -> dict[str, Any]:
    """A call as plain data."""
    made = {entry.name: getattr(call, entry.name) for entry in fields(Call)}
    arguments = thaw(call.arguments) if isinstance(call.arguments, dict) else call.arguments
    fixes = [{**fix._asdict(), "rank": fix.rank.name} for fix in call.fixes]
    return {**made, "arguments": arguments, "rank": call.rank.name, "fixes": fixes}


def call_from_dict(data: Mapping[str, Any]) -> Call:
    """A call again from what `call_to_dict` made."""
    fixes = tuple(Fix(**{**fix, "rank": Rank[fix["rank"]]}) for fix in data["fixes"])
    span = None if data["span"] is None else tuple(data["span"])
    return Call(**{**data, "rank": Rank[data["rank"]], "fixes": fixes, "span": span})


def outcome_to_dict(outcome: Outcome) -> dict[str, Any]:
    """A call and what came of it as plain data."""
    return {
        "call": call_to_dict(outcome.call),
        "result": outcome.result.to_dict(),
        "seconds": outcome.seconds,
        "attempts": outcome.attempts,
    }


def outcome_from_dict(data: Mapping[str, Any]) -> Outcome:
    """An outcome again from what `outcome_to_dict` made."""
    call, result = call_from_dict(data["call"]), from_dict(data["result"])
    return Outcome(call, result, data["seconds"], data["attempts"])
