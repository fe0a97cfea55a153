"""One call as it was found in; the same call made sound, or why it must not run, out."""

from __future__ import annotations

import secrets
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from zkit.arguments import Decoded, decode_to_run
from zkit.arguments.field_names import nearest, same_name
from zkit.arguments.refusals import refuse_echo
from zkit.calls import Call
from zkit.chat.replies.call_parts import Assembled
from zkit.chat.replies.report import RefusedCall
from zkit.chat.replies.wire import dumps, entries, id_of
from zkit.dispatch.steps.resolving import spellings
from zkit.extract import Declared
from zkit.extract.formats.table import wanted_formats
from zkit.receipt import Fix, Rank, check_limit
from zkit.required import require_flag
from zkit.results import Validation
from zkit.sources import unknown_tool
from zkit.tools import ToolSpec, policy_for, text_call_action

_LONGEST_NAME = 256
_LETTERS = string.ascii_letters + string.digits


def new_id() -> str:
    """An id that every server accepts; Mistral's take nothing but nine letters and digits."""
    return "".join(secrets.choice(_LETTERS) for _ in range(9))


@dataclass(frozen=True, slots=True)
class Rules:
    """How far calls may be mended.

    `limit` is the highest rank of repair, `unmarked` whether a call may be found in text by its
    shape alone; a tool that declares a grade sets both by it. `formats` limits the text formats.
    """

    limit: Rank = Rank.GUESS
    unmarked: bool = True
    formats: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_limit(self.limit)
        require_flag("unmarked", self.unmarked)
        wanted_formats(self.formats)


@dataclass(frozen=True, slots=True)
class CallChecker:
    """The tools on offer, the rules, and the ids that are taken; judges one call after another."""

    declared: Declared
    rules: Rules = Rules()
    specs: Mapping[str, ToolSpec] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)
    reads_text: bool = True

    @classmethod
    def of(
        cls, tools: Any, rules: Rules, messages: Any = (), reads_text: bool = True
    ) -> CallChecker:
        """The checker for one request."""
        specs = {spec.name: spec for spec in _specs(tools)}
        return cls(Declared(tools), rules, specs, set(_ids(messages)), reads_text)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools on offer."""
        return tuple(self.declared.offers)

    def limit(self, name: str) -> Rank:
        """The highest rank of repair for a tool."""
        spec = self.specs.get(name)
        return self.rules.limit if spec is None else policy_for(spec).limit

    def unmarked(self, name: str) -> bool:
        """Whether a call of a tool may be found by its shape alone."""
        spec = self.specs.get(name)
        return (
            self.rules.unmarked
            if spec is None
            else (text_call_action(spec.grade, "shape", "final") == "run")
        )

    def free_id(self, wanted: str) -> str:
        """The id, or another if it is empty or taken."""
        while not wanted or wanted in self.taken:
            wanted = new_id()
        self.taken.add(wanted)
        return wanted

    def native(
        self, given: Assembled, finish_reason: str | None
    ) -> tuple[Assembled, Call | RefusedCall]:
        """A call that the server delivered: how it goes on, and what was made of it."""
        id = self.free_id(given.id)
        call = self._named(Call(given.name, given.arguments, id))
        if call is None:
            return given._replace(id=id), self._unknown(given.name, given.arguments, id)
        name = call.name
        sound = self._sound(call, finish_reason)
        if isinstance(sound, RefusedCall):
            return given._replace(id=id, name=name), replace(sound, text=given.arguments)
        is_exact = sound.fixes == call.fixes and given.arguments.strip()
        text = given.arguments if is_exact else dumps(sound.arguments)
        return given._replace(id=id, name=name, arguments=text), sound

    def from_text(self, call: Call, text: str) -> Call | RefusedCall:
        """A call that was found in text; `text` is how it stands there."""
        named = self._named(call)
        if named is None:
            return replace(self._unknown(call.name, text, ""), origin=call.origin)
        if call.tier == "shape" and not self.unmarked(named.name):
            message = (
                f"{named.name} was not called: it can change things, and a call in plain text may be"
                " meant as an example. Use the tool call format that you were given."
            )
            return RefusedCall("", named.name, "unmarked", message, text, call.origin)
        sound = self._sound(named, None)
        if isinstance(sound, RefusedCall):
            return replace(sound, text=text)
        return replace(sound, id=self.free_id("" if _is_numbered(call.id) else call.id))

    def _named(self, call: Call) -> Call | None:
        """The call under the name of the tool that was meant; None when no one tool was."""
        name = meant_name(call.name, self.names)
        if name is None or name == call.name:
            return None if name is None else call
        note = f"the name {dumps(call.name[:80])} was read as {name}"
        fix = Fix("respell_tool_name", Rank.RESPELL, 0, 0, dumps(name), note)
        return replace(call, name=name, fixes=(fix, *call.fixes), rank=max(call.rank, fix.rank))

    def _sound(self, call: Call, finish_reason: str | None) -> Call | RefusedCall:
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
        said = unknown_tool(name, self.names, nearest(name[:_LONGEST_NAME], list(self.names)))
        return RefusedCall(id, name, said.code, str(said), text)


def meant_name(written: str, names: Sequence[str]) -> str | None:
    """The one name that is only spelt otherwise; None when none or more than one could be meant."""
    if written in names or not written or len(written) > _LONGEST_NAME:
        return written if written in names else None
    for spelling in spellings(written):
        alike = [spelling] if spelling in names else same_name(spelling, list(names))
        if alike:
            return alike[0] if len(alike) == 1 else None
    return None


def _is_numbered(id: str) -> bool:
    """Whether an id was made up where the call was read: it says nothing, and is not unique."""
    return id.startswith("call_") and id[5:].isdigit()


def _specs(tools: Any) -> Iterator[ToolSpec]:
    """The declarations among whatever names tools: only these say how much a tool can break."""
    listing = getattr(tools, "tools", None)
    found = listing() if callable(listing) else tools
    if isinstance(found, str | Mapping) or not isinstance(found, Iterable):
        found = [found]
    for one in found:
        definition = getattr(one, "definition", None)
        spec = definition() if callable(definition) and not isinstance(one, type) else one
        if isinstance(spec, ToolSpec):
            yield spec


def _ids(messages: Any) -> Iterator[str]:
    """The ids of the calls in a conversation."""
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
