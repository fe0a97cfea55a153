"""What a kind of case is: the keys it knows, and how its outcome is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from zkit.cases.case import Case
from zkit.cases.case_values import EntryError, Reader, a_string, a_table

C = TypeVar("C", bound=Case)

# Keys that a case of any kind may have.
COMMON_READERS: dict[str, Reader] = {
    "it": a_string,
    "meta": a_table,
    "source": a_string,
    "text": a_string,
}


@dataclass(frozen=True, slots=True)
class Kind(Generic[C]):
    """One kind of case.

    `record` is what a case of this kind is loaded into, `readers` say how each key is read.
    `inputs` are the keys of which one must be there, and `also` those that must be there too, in
    the case or once for all at the top of the file. `expects` are the keys that speak of the
    outcome, `outcomes` those of them that exclude each other. `check` refuses what contradicts
    itself, `judge` gives one line on how the outcome deviates, or None. `shares` are the keys that
    the top of a file may have for all of its cases.
    """

    record: type[C]
    readers: Mapping[str, Reader]
    expects: tuple[str, ...]
    outcomes: tuple[str, ...]
    check: Callable[[C], None]
    judge: Callable[[C], str | None]
    shares: tuple[str, ...]
    inputs: tuple[str, ...] = ("text",)
    also: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What `kind = "…"` at the top of a case file says."""
        return self.record.kind

    def reader(self, key: str) -> Reader:
        """Return the reader of a key, or refuse the key."""
        known = {**COMMON_READERS, **self.readers}
        if key not in known:
            raise EntryError(f"unknown key {key!r} (known: {', '.join(sorted(known))})", key)
        return known[key]

    def check_keys(self, raw: Mapping[str, Any]) -> None:
        """Refuse a case without an input, one that expects nothing, or two outcomes at once."""
        given = [key for key in self.inputs if key in raw]
        if not given:
            raise EntryError(f"the case has no {' and no '.join(self.inputs)}")
        if len(given) > 1:
            raise EntryError(f"both {given[0]} and {given[1]}: a case has one input")
        for key in self.also:
            if key not in raw:
                raise EntryError(f"the case has no {key}, and the file gives none for all")
        if not any(key in raw for key in self.expects):
            raise EntryError(f"the case expects nothing: give one of {', '.join(self.expects)}")
        outcomes = [key for key in self.outcomes if key in raw]
        if len(outcomes) > 1:
            raise EntryError(f"both {outcomes[0]} and {outcomes[1]}: one text has one outcome")
