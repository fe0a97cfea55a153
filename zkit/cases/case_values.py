"""One value of a case file in, the checked value out, or an EntryError that names its key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from zkit.receipt import Rank

Schemas = Mapping[str, Mapping[str, Any]]
ToolSets = Mapping[str, Sequence[Mapping[str, Any]]]


class EntryError(ValueError):
    """What is wrong with one entry; `key` says where in it, when a key is to blame."""

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
    defaults: Mapping[str, Any] = field(default_factory=dict)
    beyond: bool = False


Reader = Callable[[str, Any, Sheet], Any]


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


def json_or_tables(key: str, value: Any, sheet: Sheet) -> str:
    """Take a string that holds JSON, or the same as TOML: a table or a list of tables."""
    if isinstance(value, str):
        return json_text(key, value, sheet)
    found = value if isinstance(value, list) else [value]
    for one in found:
        a_table(key, one, sheet)
    return json.dumps(found, ensure_ascii=False, default=str)


def json_texts(key: str, value: Any, sheet: Sheet) -> tuple[str, ...]:
    """Take a list of strings that hold JSON."""
    return tuple(json_text(key, item, sheet) for item in a_list(key, value))


def json_value(key: str, value: Any, sheet: Sheet) -> Any:
    """Take a table or a list as it is, or a string that holds JSON."""
    return json.loads(json_text(key, value, sheet)) if isinstance(value, str) else value


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


def some_of(known: tuple[str, ...], noun: str) -> Reader:
    """Make a reader that takes one known word, a list of which one must come, or true for any."""

    def read(key: str, value: Any, sheet: Sheet) -> tuple[str, ...]:
        if value is True:
            return known
        given = names(key, value if isinstance(value, list) else [value], sheet)
        for word in given:
            if word not in known:
                raise EntryError(f"{key} {word!r} is no {noun}: {', '.join(known)}", key)
        return given

    return read


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
