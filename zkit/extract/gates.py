"""A candidate in, what becomes of each of its calls out: the gates of name, arguments and end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from zkit.calls import Call
from zkit.extract.bodies.call_objects import BESIDE
from zkit.extract.bodies.readings import Unit
from zkit.extract.declared import Declared, without_prefix
from zkit.extract.events import Incomplete, Refusal, Unknown
from zkit.extract.formats.record import Format

Outcome = Call | Unknown | Incomplete | Refusal
CONFIDENCE = {"marker": 0.98, "tag": 0.9, "shape": 0.7}
"""How sure a call is by its tier; each rank of its repair takes a twentieth off."""
_SILENT = frozenset({"declaration", "result", "conversation"})


@dataclass(frozen=True, slots=True)
class Candidate:
    """A span that spells calls, on its way through the gates.

    `awaits` says what the text after it must confirm before it counts: the end of the line, of the
    sentence or of the reply, or that a quotation (closed by one of `closers`) is not closed.
    `obstacle` is what stands before it, if that makes it no call.
    """

    span: tuple[int, int]
    text: str
    format: Format
    outcomes: tuple[Outcome, ...]
    awaits: frozenset[str] = frozenset()
    closers: str = ""
    obstacle: str = ""

    @property
    def counts(self) -> bool:
        """Whether it may leave the text. Where only the shape speaks, every call must be sound."""
        if self.obstacle or not self.outcomes or self._is_conversation:
            return False
        leaving = [self._leaves(outcome) for outcome in self.outcomes]
        return all(leaving) if self.format.tier == "shape" else any(leaving)

    @property
    def _is_conversation(self) -> bool:
        """Whether somebody else speaks beside the calls: a conversation was written down."""
        return any(isinstance(o, Refusal) and o.reason == "conversation" for o in self.outcomes)

    def _leaves(self, outcome: Outcome) -> bool:
        """Unknown names leave the text only in an envelope that nothing but a call stands in."""
        if isinstance(outcome, Unknown):
            return self.format.tier == "marker" or (
                self.format.tier == "tag" and bool(self.format.opener)
            )
        return not isinstance(outcome, Refusal)


def judge(unit: Unit, text: str, record: Format, tools: Declared) -> Outcome:
    """What becomes of one call that was read."""
    known = tools.name_of(unit.name)
    if unit.state == "cut" and (known or record.opener or record.tier == "marker"):
        return Incomplete(known or unit.name, unit.arguments, unit.span, text, record.name)
    if unit.state == "cut":
        return Refusal(unit.name, "cut", unit.span, "", record.name)
    if unit.state == "broken":
        silent = unit.reason in _SILENT or (record.tier, unit.reason) == ("shape", "other_object")
        message = "" if silent or known is None else unit.message
        return Refusal(known or unit.name, unit.reason, unit.span, message, record.name)
    if known is None and record.tier == "shape" and unit.keys - BESIDE:
        return Refusal(unit.name, "other_object", unit.span, "", record.name)
    if known is None:
        name, rank, fixes = without_prefix(unit.name), unit.rank, unit.fixes
        return Unknown(name, unit.arguments, unit.span, text, record.name, rank, fixes)
    problem = _misfit(unit, known, record, tools)
    if problem is not None:
        return problem
    confidence = CONFIDENCE[record.tier] - 0.05 * unit.rank
    return Call(
        known, unit.arguments, unit.id, record.name, record.tier, round(confidence, 2), unit.rank,
        unit.fixes, unit.span,
    )  # fmt: skip


def _misfit(unit: Unit, name: str, record: Format, tools: Declared) -> Refusal | None:
    """Why a call in a format that proves nothing by itself is none.

    Where only the shape speaks, the keys must be those of the tool; so they must be where the
    tags bear ordinary words. A marker is proof enough: wrong arguments are for `decode` to refuse.
    """
    if record.tier != "shape" and record.body not in ("tool_tag", "function_name", "tool_input"):
        return None
    odd = unit.keys - BESIDE - {"_flat", "_keyed", "_object"}
    if odd:
        return Refusal(name, "other_object", unit.span, "", record.name)
    problem = tools.misfit(name, unit.arguments) or tools.misplaced(name, unit.arguments)
    if not problem:
        return None
    message = f"{problem} Call {name} again with arguments that fit."
    return Refusal(name, "arguments", unit.span, message, record.name)


def numbered(outcomes: Sequence[Outcome], first: int) -> tuple[Outcome, ...]:
    """The outcomes with an id for every call that came without one."""
    named = []
    for index, outcome in enumerate(outcomes, first):
        if isinstance(outcome, Call) and not outcome.id:
            outcome = replace(outcome, id=f"call_{index}")
        named.append(outcome)
    return tuple(named)
