"""One table from a case file in, a checked Case out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from zkit.cases.case import REASONS, Case
from zkit.repair import Rank

Schemas = Mapping[str, Mapping[str, Any]]

EXPECTATIONS = ("json", "refused", "untouched", "all")


class EntryError(ValueError):
    """What is wrong with one entry; `key` says where in it, when a key is to blame."""

    def __init__(self, problem: str, key: str | None = None) -> None:
        super().__init__(problem)
        self.key = key


@dataclass(frozen=True, slots=True)
class Sheet:
    """What the cases of one file share."""

    file: str
    schemas: Schemas = field(default_factory=dict)
    beyond: bool = False


def read_entry(raw: Mapping[str, Any], sheet: Sheet, line: int, default_it: str = "") -> Case:
    """Check every key of `raw` and build the case, or raise EntryError."""
    for key in raw:
        if key not in READERS:
            raise EntryError(f"unknown key {key!r} (known: {', '.join(sorted(READERS))})", key)
    if "text" not in raw:
        raise EntryError("the case has no text")
    known = {key: READERS[key](key, value, sheet) for key, value in raw.items()}
    case = Case(file=sheet.file, line=line, beyond=sheet.beyond, **{"it": default_it, **known})
    check_expectation(raw, case)
    return case


def check_expectation(raw: Mapping[str, Any], case: Case) -> None:
    """Refuse a case that expects nothing, or two outcomes at once."""
    if not case.it.strip():
        raise EntryError("the case has no sentence: `it` is missing")
    if not any(key in raw for key in EXPECTATIONS):
        raise EntryError(f"the case expects nothing: give one of {', '.join(EXPECTATIONS)}")
    outcomes = [key for key in ("json", "refused", "untouched") if key in raw]
    if len(outcomes) > 1:
        raise EntryError(f"both {outcomes[0]} and {outcomes[1]}: one text has one outcome")
    if case.refused and (case.rank is not None or case.fixes is not None or case.lossy):
        raise EntryError("a refusal has no rank, no fixes and loses nothing", "refused")
    if case.untouched:
        check_strict(case.text)


def check_strict(text: str) -> None:
    """Refuse an `untouched` text that is not strict JSON."""

    def not_json(name: str) -> None:
        raise ValueError(f"{name} is not JSON")

    try:
        json.loads(text, parse_constant=not_json)
    except ValueError as error:
        raise EntryError(f"untouched, but the text is not strict JSON: {error}", "text") from None


def a_string(key: str, value: Any, _sheet: Sheet) -> str:
    """Take a string."""
    if not isinstance(value, str):
        raise EntryError(f"{key} must be a string, not {json_kind(value)}", key)
    return value


def a_flag(key: str, value: Any, _sheet: Sheet) -> bool:
    """Take true or false."""
    if not isinstance(value, bool):
        raise EntryError(f"{key} must be true or false, not {json_kind(value)}", key)
    return value


def json_text(key: str, value: Any, sheet: Sheet) -> str:
    """Take a string that holds JSON; NaN and Infinity may be expected."""
    text = a_string(key, value, sheet)
    try:
        json.loads(text)
    except ValueError as error:
        raise EntryError(f"{key} is not JSON: {error}", key) from None
    return text


def json_texts(key: str, value: Any, sheet: Sheet) -> tuple[str, ...]:
    """Take a list of strings that hold JSON."""
    return tuple(json_text(key, item, sheet) for item in a_list(key, value))


def names(key: str, value: Any, sheet: Sheet) -> tuple[str, ...]:
    """Take a list of strings."""
    return tuple(a_string(key, item, sheet) for item in a_list(key, value))


def a_list(key: str, value: Any) -> list[Any]:
    """Take a list."""
    if not isinstance(value, list):
        raise EntryError(f"{key} must be a list, not {json_kind(value)}", key)
    return value


def a_rank(key: str, value: Any, sheet: Sheet) -> Rank:
    """Take the name of a rank."""
    name = a_string(key, value, sheet)
    if name not in Rank.__members__:
        raise EntryError(f"{key} {name!r} is no rank: {', '.join(Rank.__members__)}", key)
    return Rank[name]


def reasons(key: str, value: Any, sheet: Sheet) -> tuple[str, ...]:
    """Take a reason, a list of reasons of which one must come, or true for any."""
    if value is True:
        return REASONS
    given = names(key, value if isinstance(value, list) else [value], sheet)
    for reason in given:
        if reason not in REASONS:
            raise EntryError(f"{key} {reason!r} is no reason: {', '.join(REASONS)}", key)
    return given


def a_schema(key: str, value: Any, sheet: Sheet) -> Mapping[str, Any]:
    """Take a schema, or the name of one that the file defines."""
    if isinstance(value, str) and value not in sheet.schemas:
        raise EntryError(f"{key} {value!r} is not among the schemas of this file", key)
    if isinstance(value, str):
        return sheet.schemas[value]
    return a_table(key, value, sheet)


def a_table(key: str, value: Any, _sheet: Sheet) -> Mapping[str, Any]:
    """Take a table."""
    if not isinstance(value, dict):
        raise EntryError(f"{key} must be a table, not {json_kind(value)}", key)
    return value


def json_kind(value: Any) -> str:
    """Name the kind of a value as JSON and TOML users do."""
    kinds = {bool: "a boolean", int: "a number", float: "a number", str: "a string"}
    return kinds.get(type(value)) or ("a list" if isinstance(value, list) else "a table")


READERS: dict[str, Callable[[str, Any, Sheet], Any]] = {
    "all": json_texts,
    "finish_reason": a_string,
    "fixes": names,
    "it": a_string,
    "json": json_text,
    "limit": a_rank,
    "lossy": a_flag,
    "meta": a_table,
    "rank": a_rank,
    "refused": reasons,
    "schema": a_schema,
    "source": a_string,
    "text": a_string,
    "untouched": a_flag,
}
