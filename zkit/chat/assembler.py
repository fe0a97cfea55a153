"""Assemble the chunks of a streamed completion into replies: text, reasoning, calls, usage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from types import MappingProxyType
from typing import NamedTuple

from zkit.chat.wire_data import (
    REASONING,
    arguments_of,
    entries,
    id_of,
    index_of,
    reasoning_of,
    text_of,
)
from zkit.json_types import JsonMapping, JsonObject
from zkit.text.blanks import skip_spaces

OWN_KEYS = frozenset({"index", "id", "type", "function"})
_RAW = json.JSONDecoder(strict=False).raw_decode


def call_entries(message: JsonMapping) -> Iterator[JsonObject]:
    """Return the tool calls in a message, or their parts in a delta, the old `function_call` among them."""
    yield from entries(message.get("tool_calls"))
    old = message.get("function_call")
    if isinstance(old, Mapping):
        yield {"function": dict(old)}


class Assembled(NamedTuple):
    """A call as the server delivered it: its arguments are the raw text.

    `extra` is what else was in its entry, to be sent back unchanged (such as a signature).
    """

    id: str
    name: str
    arguments: str
    extra: JsonMapping = MappingProxyType({})


@dataclass(slots=True)
class _Parts:
    """What arrived for one id, or for one index where there are no ids.

    `names` are the announcements of a name, each with the length of the arguments at that moment.
    """

    id: str = ""
    index: int | None = None
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    names: list[tuple[int, str]] = field(default_factory=list)
    extra: JsonObject = field(default_factory=dict)
    is_open: bool = False
    """Whether the arguments were unfinished when another id came."""

    @property
    def is_blank(self) -> bool:
        """Whether the arguments are nothing but spaces."""
        return not any(piece.strip() for piece in self.pieces)

    def add(self, name: str, arguments: str) -> None:
        if name:
            self.names.append((self.length, name))
        if arguments:
            self.pieces.append(arguments)
            self.length += len(arguments)

    def join(self, other: _Parts) -> None:
        """Take in what arrived under another id."""
        self.pieces += other.pieces
        self.length += other.length


class CallParts:
    """Collects the parts of calls; `names` are the tools on offer, if they are known."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._all: list[_Parts] = []
        self._by_id: dict[str, _Parts] = {}
        self._by_index: dict[int | None, _Parts] = {}

    def __bool__(self) -> bool:
        return bool(self._all)

    def add(self, entry: JsonMapping) -> None:
        """Take in one entry of a delta's `tool_calls`."""
        function = entry.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments = text_of(function.get("name")), arguments_of(function.get("arguments"))
        parts = self._route(id_of(entry.get("id")), index_of(entry.get("index")), name)
        parts.add(name, arguments)
        parts.extra |= {key: value for key, value in entry.items() if key not in OWN_KEYS}

    def _route(self, id: str, index: int | None, name: str) -> _Parts:
        """Return the call that an entry belongs to."""
        known = self._by_id.get(id) if id else None
        here = self._by_index.get(index)
        if known is None and here is None and index is None and not id and self._all:
            here = self._all[-1]
        if known is None and here is not None and (not id or _takes_id(here, name)):
            known = here
        if known is None:
            known = _Parts(index=index)
            self._all.append(known)
        if id:
            known.id = known.id or id
            self._by_id[id] = known
        self._by_index[index] = known
        return known

    def calls(self) -> list[Assembled]:
        """Return the calls, in the order in which they began."""
        found = [call for parts in self._folded() for call in _separated(parts, self._names)]
        return split_concatenated(found, self._names)

    def _folded(self) -> Iterator[_Parts]:
        """Return the parts by call: a server may send a fresh id with each delta of one call.

        Such an id never gets a name. It continues arguments that have not ended, or adds blanks.
        """
        last_at: dict[int | None, _Parts] = {}
        kept: list[_Parts] = []
        for parts in self._all:
            if not parts.names and not parts.length:
                continue  # an id alone is no evidence
            before = last_at.get(parts.index)
            if before is not None and not parts.names and (before.is_open or parts.is_blank):
                before.join(parts)
                continue
            own = replace(parts, pieces=list(parts.pieces))
            own.is_open = bool(own.names) and _object_end("".join(own.pieces), 0) is None
            last_at[own.index] = own
            kept.append(own)
        return iter(kept)


def _takes_id(parts: _Parts, name: str) -> bool:
    """True if an id that comes late belongs to a call that had none."""
    return not parts.id and not (name and parts.names)


def _separated(parts: _Parts, known: frozenset[str]) -> Iterator[Assembled]:
    """Return the calls that arrived under one id or index: a name may have been announced again."""
    text = "".join(parts.pieces)
    start, name, id, extra = 0, "", parts.id, parts.extra
    last, end = -1, _object_end(text, 0)
    for at, announced in parts.names:
        if name and at == last and not (announced in known and name in known):
            is_repeated = announced == name and not known
            name = name if is_repeated else name + announced
        elif name and announced == name and not _begins_at(text, at, end):
            pass  # servers may repeat the name with every delta
        elif name:
            yield Assembled(id, name, text[start:at], extra)
            start, name, id, extra, end = at, announced, "", {}, _object_end(text, at)
        else:
            name = announced
        last = at
    yield Assembled(id, name, text[start:], extra)


def _begins_at(text: str, at: int, end: int | None) -> bool:
    """True if a second object begins at a place, after the first has ended."""
    return end is not None and end <= at and text.startswith("{", skip_spaces(text, at))


def _object_end(text: str, start: int) -> int | None:
    """Return where the strict object that begins at `start` ends; None when none does."""
    at = skip_spaces(text, start)
    if not text.startswith("{", at):
        return None
    try:
        return int(_RAW(text, at)[1])
    except (ValueError, RecursionError):
        return None


def split_concatenated(calls: Sequence[Assembled], known: frozenset[str]) -> list[Assembled]:
    """Assign concatenated arguments to their calls.

    Two objects in one text are two calls only if a second id or name was seen: later calls without
    arguments, or a name that consists of two names of tools. Otherwise the text stays as it is, and
    decoding refuses it.
    """
    found: list[Assembled] = []
    queue = list(reversed(calls))
    while queue:
        call = queue.pop()
        objects = _objects(call.arguments)
        empty = _empty_after(queue)
        names = _names_in(call.name, known)
        if len(objects) > 1 and len(objects) == len(names):
            found.append(call._replace(name=names[0], arguments=objects[0]))
            found += map(Assembled, repeat(""), names[1:], objects[1:])
        elif len(objects) > 1 and len(objects) == 1 + empty:
            group = [call, *(queue.pop() for _ in range(empty))]
            found += [
                one._replace(arguments=text) for one, text in zip(group, objects, strict=True)
            ]
        else:
            found.append(call)
    return found


def _empty_after(queue: list[Assembled]) -> int:
    """Return how many calls follow that have a name and no arguments."""
    count = 0
    for call in reversed(queue):
        if call.arguments.strip() or not call.name:
            break
        count += 1
    return count


def _objects(text: str) -> list[str]:
    """Return the objects of a text that is nothing but strict objects, one after the other."""
    found = []
    at = skip_spaces(text, 0)
    while at < len(text):
        end = _object_end(text, at)
        if end is None:
            return []
        found.append(text[at:end])
        at = skip_spaces(text, end)
    return found


def _names_in(name: str, known: frozenset[str]) -> list[str]:
    """Return the names of tools that a name is concatenated from, if it is not a name itself."""
    if not name or name in known:
        return [name]
    found: list[str] = []
    rest = name
    while rest:
        begins = [one for one in known if rest.startswith(one)]
        if len(begins) != 1:
            return [name]
        found.append(begins[0])
        rest = rest[len(begins[0]) :]
    return found


@dataclass(frozen=True, slots=True)
class Reply:
    """One choice of a completion, whole. `calls` are as the server delivered them."""

    content: str = ""
    reasoning: str = ""
    refusal: str = ""
    calls: tuple[Assembled, ...] = ()
    finish_reason: str | None = None


@dataclass(slots=True)
class _Choice:
    calls: CallParts
    names: tuple[str, ...] = REASONING
    content: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    refusal: list[str] = field(default_factory=list)
    finish_reason: str | None = None

    def add(self, choice: JsonMapping) -> None:
        delta = choice.get("delta")
        delta = delta if isinstance(delta, Mapping) else {}
        self.content.append(text_of(delta.get("content")))
        self.reasoning.append(reasoning_of(delta, self.names))
        self.refusal.append(text_of(delta.get("refusal")))
        for entry in call_entries(delta):
            self.calls.add(entry)
        reason = choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason

    def reply(self) -> Reply:
        return Reply(
            "".join(self.content),
            "".join(self.reasoning),
            "".join(self.refusal),
            tuple(self.calls.calls()),
            self.finish_reason,
        )


class Assembler:
    """Assembles a streamed completion, however the server splits it.

    Any chunking of the same stream gives the same reply. `names` are the tools on offer, if they
    are known: they show whether a name is two concatenated ones. `reasoning` are the fields that
    reasoning may come in.
    """

    def __init__(self, names: Iterable[str] = (), reasoning: Iterable[str] = REASONING) -> None:
        self._names = tuple(names)
        self._reasoning = tuple(reasoning)
        self._choices: dict[int, _Choice] = {}
        self.usage: JsonObject | None = None
        """What the server counted; it may come after the end, or grow with each chunk."""

    def add(self, chunk: JsonMapping) -> None:
        """Take in one chunk, as plain data."""
        usage = chunk.get("usage")
        if isinstance(usage, Mapping):
            self.usage = dict(usage)
        for choice in entries(chunk.get("choices")):
            self._choice(index_of(choice.get("index")) or 0).add(choice)

    def _choice(self, index: int) -> _Choice:
        if index not in self._choices:
            self._choices[index] = _Choice(CallParts(self._names), self._reasoning)
        return self._choices[index]

    def reply(self, index: int = 0) -> Reply:
        """Return one choice as it is so far."""
        choice = self._choices.get(index)
        return Reply() if choice is None else choice.reply()
