"""The records of the corpus: a case, how its keys are checked, and how a difference is worded."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Generic, TypeVar

from zkit.json_types import JsonMapping
from zkit.receipt import Rank


@dataclass(frozen=True, slots=True)
class Case:
    """A text and what is known about it; each kind of case adds the expected outcome.

    `decoder` names another decoder as `package:function`; only the pytest plug-in runs it.
    """

    kind: ClassVar[str]

    file: str
    line: int
    it: str
    text: str = ""
    source: str | None = None
    meta: JsonMapping = field(default_factory=dict)
    beyond: bool = False
    decoder: str = ""

    @property
    def id(self) -> str:
        """Path and sentence: the name of the case in every report."""
        return f"{self.file}::{self.it}"


@dataclass(frozen=True, slots=True)
class CaseResult:
    """A case and, if it fails, one line on the expected and the actual outcome."""

    case: Case
    mismatch: str | None = None

    @property
    def passes(self) -> bool:
        """True if the case passes."""
        return self.mismatch is None


class CaseFileError(ValueError):
    """A case file that cannot be used: where, and what is wrong with it."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        place = file if line is None else f"{file}:{line}"
        super().__init__(f"{place}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem


Schemas = Mapping[str, JsonMapping]
ToolSets = Mapping[str, Sequence[JsonMapping]]


class EntryError(ValueError):
    """What is wrong with one entry; `key` is the key at fault, if any."""

    def __init__(self, problem: str, key: str | None = None) -> None:
        super().__init__(problem)
        self.key = key


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the cases of one file share."""

    file: str
    kind: str = "repair"
    schemas: Schemas = field(default_factory=dict)
    tools: ToolSets = field(default_factory=dict)
    defaults: JsonMapping = field(default_factory=dict)
    beyond: bool = False


Reader = Callable[[str, object, Sheet], object]


def a_string(key: str, value: object, _sheet: Sheet) -> str:
    """Take a string."""
    if not isinstance(value, str):
        raise EntryError(f"{key} must be a string, not {json_kind(value)}", key)
    return value


def a_flag(key: str, value: object, _sheet: Sheet) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        raise EntryError(f"{key} must be true or false, not {json_kind(value)}", key)
    return value


def json_text(key: str, value: object, sheet: Sheet) -> str:
    """Take a string that holds JSON; NaN and Infinity may be expected."""
    text = a_string(key, value, sheet)
    try:
        json.loads(text)
    except ValueError as error:
        raise EntryError(f"{key} is not JSON: {error}", key) from None
    return text


def json_or_tables(key: str, value: object, sheet: Sheet) -> str:
    """Take a string that holds JSON, or the same as TOML: a table or a list of tables."""
    if isinstance(value, str):
        return json_text(key, value, sheet)
    found = value if isinstance(value, list) else [value]
    for one in found:
        a_table(key, one, sheet)
    return json.dumps(found, ensure_ascii=False, default=str)


def json_texts(key: str, value: object, sheet: Sheet) -> tuple[str, ...]:
    """Take a list of strings that hold JSON."""
    return tuple(json_text(key, item, sheet) for item in a_list(key, value))


def json_value(key: str, value: object, sheet: Sheet) -> object:
    """Take a table or a list as it is, or a string that holds JSON."""
    return json.loads(json_text(key, value, sheet)) if isinstance(value, str) else value


def names(key: str, value: object, sheet: Sheet) -> tuple[str, ...]:
    """Take a list of strings."""
    return tuple(a_string(key, item, sheet) for item in a_list(key, value))


def a_list(key: str, value: object) -> list[object]:
    """Take a list."""
    if not isinstance(value, list):
        raise EntryError(f"{key} must be a list, not {json_kind(value)}", key)
    return value


def a_rank(key: str, value: object, sheet: Sheet) -> Rank:
    """Take the name of a rank."""
    name = a_string(key, value, sheet)
    if name not in Rank.__members__:
        raise EntryError(f"{key} {name!r} is not a rank: {', '.join(Rank.__members__)}", key)
    return Rank[name]


def some_of(known: tuple[str, ...], noun: str) -> Reader:
    """Return a reader that accepts one known word, a list of alternatives, or true for any."""

    def read(key: str, value: object, sheet: Sheet) -> tuple[str, ...]:
        if value is True:
            return known
        given = names(key, value if isinstance(value, list) else [value], sheet)
        for word in given:
            if word not in known:
                raise EntryError(f"{key} {word!r} is no {noun}: {', '.join(known)}", key)
        return given

    return read


def a_schema(key: str, value: object, sheet: Sheet) -> JsonMapping:
    """Take a schema, or the name of one that the file defines."""
    if isinstance(value, str) and value not in sheet.schemas:
        raise EntryError(f"{key} {value!r} is not among the schemas of this file", key)
    if isinstance(value, str):
        return sheet.schemas[value]
    return a_table(key, value, sheet)


def a_table(key: str, value: object, _sheet: Sheet) -> JsonMapping:
    """Take a table."""
    if not isinstance(value, dict):
        raise EntryError(f"{key} must be a table, not {json_kind(value)}", key)
    return value


def json_kind(value: object) -> str:
    """Name the kind of a value as JSON and TOML users do."""
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return kinds.get(type(value)) or ("a list" if isinstance(value, list) else "a table")


C = TypeVar("C", bound=Case)

# Keys that a case of any kind may have.
COMMON_READERS: dict[str, Reader] = {
    "decoder": a_string,
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
    the case or once for all at the top of the file. `expects` are the keys about the outcome,
    `outcomes` those of them that exclude each other. `check` refuses contradictions, `judge`
    returns one line on how the outcome differs, or None. `shares` are the keys that the top of a
    file may have for all of its cases.
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

    def check_keys(self, raw: JsonMapping) -> None:
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


LONGEST_SHOWN = 240


def spelled(value: object) -> str:
    """Return a text that is equal for equal values only: 1, 1.0 and true differ, NaN is NaN."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def difference(wanted: object, came: object) -> str | None:
    """Return how two values differ, shortened to the first difference; None if they are equal."""
    one, other = spelled(wanted), spelled(came)
    if one == other:
        return None
    one, other = near_difference(one, other)
    return f"expected {one}, came {other}"


def near_difference(wanted: str, came: str) -> tuple[str, str]:
    """Shorten two long texts to the surroundings of their first difference."""
    if max(len(wanted), len(came)) <= LONGEST_SHOWN:
        return wanted, came
    pairs = enumerate(zip(wanted, came, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), min(len(wanted), len(came)))
    start = max(0, same - LONGEST_SHOWN // 3)
    return clipped(wanted, start), clipped(came, start)


def clipped(text: str, start: int) -> str:
    """Cut a window out of a long text, with dots where something is left out."""
    end = start + LONGEST_SHOWN
    return f"{'…' * (start > 0)}{text[start:end]}{'…' * (end < len(text))}"


def named(what: object) -> str:
    """Show a rank by its name, names as a list, a flag as it is."""
    if isinstance(what, Rank):
        return what.name
    return ", ".join(what) or "none" if isinstance(what, tuple) else str(what).lower()


def unlike(what: str, wanted: object, came: object) -> str | None:
    """Return how a rank, a list of names or a flag differs; None when the case does not mention it."""
    if wanted is None or wanted == came:
        return None
    return f"expected {what} {named(wanted)}, came {named(came)}"


def refusal(accepted: tuple[str, ...], known: tuple[str, ...]) -> str:
    """Return the refusal that a case expects, as text."""
    return "refused" if accepted == known else f"refused ({' or '.join(accepted)})"


def one_line(message: str) -> str:
    """Fold a message to one line."""
    return " ".join(message.split())
