"""Check a call that a model made: the call with valid arguments, or why it must not run."""

from __future__ import annotations

import json
import secrets
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

from zkit.arguments import Decoded, decode_to_run
from zkit.arguments.field_names import nearest, same_name
from zkit.arguments.refusals import refuse_echo
from zkit.calls import Call
from zkit.chat.assembler import Assembled
from zkit.chat.wire_data import dumps, entries, id_of
from zkit.dispatch.approval import Confirm, unconfirmed
from zkit.dispatch.tool_lookup import spellings
from zkit.extract import Declared, Doubtful
from zkit.extract.declared import declared
from zkit.extract.formats.table import wanted_formats
from zkit.receipt import Fix, Rank, RankName
from zkit.required import require_one_of
from zkit.results import Validation
from zkit.sources import unknown_tool
from zkit.tools import ToolSpec, policy_for, text_call_action


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that must not run.

    `message` is for the model: send it as the answer to the call `id`. A call that was found in the
    text has no id. `text` is what the model wrote: the arguments, or the place in the text.
    """

    id: str
    name: str
    code: str
    message: str
    text: str
    origin: str = "native"


@dataclass(frozen=True, slots=True)
class Report:
    """What was done to the calls of a completion; empty when nothing had to be done.

    `calls` can be run: their arguments fit the schema, and each names where it was found and what
    was changed to read it. `refusals` must not be run. `doubtful` are valid calls that stay in the
    text, because the model may not have meant them; their `reason` is `followed`, `unmarked` (only
    the shape says that it is a call, and the tool can change things) or `beside_native`. `answered` are the calls of earlier replies that were not delivered, because the model was
    asked again; `requests` is how many requests were made in all. A reply of several choices has a
    report for each of them in `choices`.
    """

    calls: tuple[Call, ...] = ()
    refusals: tuple[RefusedCall, ...] = ()
    doubtful: tuple[Doubtful, ...] = ()
    answered: tuple[RefusedCall | Doubtful, ...] = ()
    requests: int = 1
    choices: tuple[Report, ...] = ()

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Everything that was changed, over all calls."""
        return tuple(fix for call in self.calls for fix in call.fixes)

    @property
    def origin(self) -> str:
        """Where the calls were found: `native`, or the name of the text format; else empty."""
        return next((call.origin for call in self.calls), "")

    @property
    def is_clean(self) -> bool:
        """True if every call of the reply can be run."""
        return not self.refusals and not self.doubtful

    def call(self, id: str) -> Call | None:
        """Return the call that can be run under this id; None when there is none."""
        return next((call for call in self.calls if call.id == id), None)

    def refusal(self, id: str) -> RefusedCall | None:
        """Why the call of this id must not be run; None when it may."""
        return next((one for one in self.refusals if one.id == id), None)


NOTHING_DONE = Report()
"""The report of a reply without calls; nearly all reports are this one."""


def joined(reports: Iterable[Report]) -> Report:
    """Return one report for several choices."""
    found = tuple(reports)
    if len(found) == 1:
        return found[0]
    return Report(
        tuple(call for report in found for call in report.calls),
        tuple(one for report in found for one in report.refusals),
        tuple(one for report in found for one in report.doubtful),
        choices=found if any(report != NOTHING_DONE for report in found) else (),
    )


_LONGEST_NAME = 256
_LETTERS = string.ascii_letters + string.digits


def new_id() -> str:
    """Return an id that every server accepts; Mistral's take nothing but nine letters and digits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(9))


@dataclass(frozen=True, slots=True)
class Rules:
    """How far calls may be repaired.

    `limit` is the highest rank of repair; for a tool with a declared grade, the grade sets it.
    `formats` limits the text formats. `confirm` is `never` if calls in text that the model may not
    have meant count like others.
    """

    limit: Rank = Rank.GUESS
    formats: tuple[str, ...] | None = None
    confirm: Confirm = "doubtful"

    def __post_init__(self) -> None:
        require_one_of("confirm", self.confirm, get_args(Confirm))
        wanted_formats(self.formats)

    @classmethod
    def of(
        cls,
        limit: Rank | RankName = Rank.GUESS,
        formats: tuple[str, ...] | None = None,
        confirm: Confirm = "doubtful",
    ) -> Rules:
        """Return the rules with the rank given by itself or by its name."""
        try:
            rank = Rank.of(limit)
        except (TypeError, ValueError) as error:
            raise type(error)(f"limit: {error}") from None
        return cls(rank, formats, confirm)


@dataclass(slots=True)
class CallChecker:
    """The tools on offer, the rules, and the ids that are taken; judges one call after another."""

    declared: Declared
    rules: Rules = Rules()
    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    reads_text: bool = True
    confirmed: frozenset[str] = frozenset()
    """The doubtful calls of the previous reply (see `key_of`): if they are sent again, they are
    meant."""

    @classmethod
    def of(
        cls,
        tools: object,
        rules: Rules,
        messages: object = (),
        reads_text: bool = True,
        confirmed: frozenset[str] = frozenset(),
    ) -> CallChecker:
        """Return the checker for one request."""
        specs = {spec.name: spec for spec in _specs(tools)}
        return cls(declared(tools), rules, specs, set(_ids(messages)), reads_text, confirmed)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools on offer."""
        return tuple(self.declared.offers)

    def limit(self, name: str) -> Rank:
        """Return the highest rank of repair for a tool."""
        spec = self.specs.get(name)
        return self.rules.limit if spec is None else policy_for(spec).limit

    def is_doubtful(self, call: Call) -> bool:
        """True if somebody must confirm a call that was found in the text."""
        spec = self.specs.get(call.name)
        grade = None if spec is None else spec.grade
        action = text_call_action(grade, call.tier, call.position)
        is_due = action == "confirm" and self.rules.confirm != "never"
        return is_due and key_of(call) not in self.confirmed

    def free_id(self, wanted: str) -> str:
        """Return the id, or another if it is empty or taken."""
        while not wanted or wanted in self.taken:
            wanted = new_id()
        self.taken.add(wanted)
        return wanted

    def native(
        self, given: Assembled, finish_reason: str | None
    ) -> tuple[Assembled, Call | RefusedCall]:
        """Check a call that the server delivered; return the entry to pass on, and the call or its
        refusal."""
        id = self.free_id(given.id)
        call = self._named(Call(given.name, given.arguments, id))
        if call is None:
            return given._replace(id=id), self._unknown(given.name, given.arguments, id)
        name = call.name
        valid = self._valid(call, finish_reason)
        if isinstance(valid, RefusedCall):
            return given._replace(id=id, name=name), replace(valid, text=given.arguments)
        is_exact = valid.fixes == call.fixes and given.arguments.strip()
        text = given.arguments if is_exact else dumps(valid.arguments)
        return given._replace(id=id, name=name, arguments=text), valid

    def from_text(self, call: Call, text: str) -> Call | RefusedCall | Doubtful:
        """Check a call that was found in the text; `text` is how it is written there."""
        named = self._named(call)
        if named is None:
            return replace(self._unknown(call.name, text, ""), origin=call.origin)
        valid = self._valid(named, None)
        if isinstance(valid, RefusedCall):
            return replace(valid, text=text)
        if self.is_doubtful(valid):
            reason = "followed" if valid.position == "followed" else "unmarked"
            return Doubtful(valid, reason, str(unconfirmed(valid)))
        return replace(valid, id=self.free_id("" if _is_numbered(call.id) else call.id))

    def _named(self, call: Call) -> Call | None:
        """Return the call under the name of the tool that was meant; None when no one tool was."""
        name = meant_name(call.name, self.names)
        if name is None or name == call.name:
            return None if name is None else call
        note = f"the name {dumps(call.name[:80])} was read as {name}"
        fix = Fix("respell_tool_name", Rank.RESPELL, 0, 0, dumps(name), note)
        return replace(call, name=name, fixes=(fix, *call.fixes), rank=max(call.rank, fix.rank))

    def _valid(self, call: Call, finish_reason: str | None) -> Call | RefusedCall:
        offer, limit = self.declared.offers[call.name], self.limit(call.name)
        decoded = decode_to_run(offer, call.arguments, limit=limit, finish_reason=finish_reason)
        if isinstance(decoded, Decoded):
            decoded = refuse_echo(call.name, decoded.value) or decoded
        if isinstance(decoded, Decoded) and call.rank <= limit:
            fixes, rank = (*call.fixes, *decoded.fixes), max(call.rank, decoded.rank)
            return replace(call, arguments=decoded.value, fixes=fixes, rank=rank)
        if isinstance(decoded, Decoded):
            message = (
                f"The arguments of {call.name} could be read in more than one way. Send the call"
                " again with strict JSON."
            )
            decoded = Validation(message, "ambiguous")
        return RefusedCall(call.id, call.name, decoded.code, str(decoded), "", call.origin)

    def _unknown(self, name: str, text: str, id: str) -> RefusedCall:
        answer = unknown_tool(name, self.names, nearest(name[:_LONGEST_NAME], list(self.names)))
        return RefusedCall(id, name, answer.code, str(answer), text)


def key_of(call: Call) -> str:
    """Return a key that equal calls share: the tool and the decoded arguments."""
    return json.dumps([call.name, call.arguments], sort_keys=True, default=str)


def meant_name(written: str, names: Sequence[str]) -> str | None:
    """Return the only name that differs just in spelling; None if none or more than one could be
    meant."""
    if written in names or not written or len(written) > _LONGEST_NAME:
        return written if written in names else None
    for spelling in spellings(written):
        alike = [spelling] if spelling in names else same_name(spelling, list(names))
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def _is_numbered(id: str) -> bool:
    """True if an id was generated by the parser: it is not unique."""
    return id.startswith("call_") and id[5:].isdigit()


def _specs(tools: object) -> Iterator[ToolSpec]:
    """Return the specs among the given tools: only these have a grade."""
    listing = getattr(tools, "tools", None)
    found = listing() if callable(listing) else tools
    if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
        found = [found]
    for one in found:
        if isinstance(one, dict):
            continue
        definition = getattr(one, "definition", None)
        spec = definition() if callable(definition) and not isinstance(one, type) else one
        if isinstance(spec, ToolSpec):
            yield spec


def _ids(messages: object) -> Iterator[str]:
    """Return the ids of the calls in a conversation."""
    if not isinstance(messages, Iterable):
        return
    for message in messages:
        read = (
            message.get
            if isinstance(message, Mapping)
            else lambda key, m=message: getattr(m, key, None)
        )
        for call in read("tool_calls") or ():
            found = next(entries(call), None)
            yield id_of(found.get("id") if found else getattr(call, "id", None))
