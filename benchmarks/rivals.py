"""Calls zkit and each installed rival with a text and a schema; each returns a value or a refusal."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple

from benchmarks.judge import REFUSED
from benchmarks.rival_baml import baml_reader
from benchmarks.rival_node import NodeRepair
from zkit.repair import Rank, Unrepairable, repair_json

TIME_LIMIT = 1.0
Schema = dict[str, Any]
Read = Callable[[str, Schema], Any]


class Answer(NamedTuple):
    """What a library made of a text; `lossy` when it says itself that data is missing."""

    value: Any
    lossy: bool = False
    note: str = ""


class TooSlowError(BaseException):
    """Not an Exception, so that no library swallows it."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library under test; `read` returns a value or an Answer, or raises."""

    name: str
    read: Read

    @property
    def ours(self) -> bool:
        """True for zkit in both its modes."""
        return self.name.startswith("zkit")

    def run(self, text: str, schema: Schema) -> Answer:
        """What the library says within the time limit; an empty answer counts as a refusal."""
        try:
            found = _limited(self.read, text, schema)
        except (Exception, TooSlowError) as error:
            return Answer(REFUSED, note=type(error).__name__)
        if isinstance(found, Answer):
            return found
        return Answer(REFUSED if found is None or found == "" else found)


def _limited(read: Read, text: str, schema: Schema) -> Any:
    signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
    try:
        return read(text, schema)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError


def read_zkit(text: str, schema: Schema | None) -> Answer:
    """zkit's answer, with its receipt or its reason as the note."""
    outcome = repair_json(text, schema=schema)
    if isinstance(outcome, Unrepairable):
        return Answer(REFUSED, note=f"{outcome.reason} at {outcome.at}: {outcome.message}")
    fixes = ", ".join(f"{fix.name}@{fix.start}" for fix in outcome.fixes)
    return Answer(outcome.value, outcome.rank >= Rank.CUT, f"{outcome.rank.name}: {fixes}")


def _json_repair_with_schema() -> Read:
    import_module("jsonschema")  # its schema mode raises on every text without it
    loads = import_module("json_repair").loads
    return lambda text, schema: loads(text, schema=schema)


def _plain(module: str, **options: Any) -> Read:
    loads = import_module(module).loads
    return lambda text, _schema: loads(text, **options)


def _dirtyjson() -> Read:
    loads = import_module("dirtyjson").loads
    return lambda text, _schema: _without_attributes(loads(text, search_for_first_object=True))


def _without_attributes(value: Any) -> Any:
    """dirtyjson's containers remember places and are no plain dicts; make plain ones."""
    if isinstance(value, dict):
        return {key: _without_attributes(value[key]) for key in value.keys()}  # noqa: SIM118
    return [_without_attributes(item) for item in value] if isinstance(value, list) else value


def _strict(**options: Any) -> Read:
    from_json = import_module("pydantic_core").from_json
    return lambda text, _schema: from_json(text, **options)


OURS: Mapping[str, Read] = {
    "zkit + schema": read_zkit,
    "zkit": lambda text, _schema: read_zkit(text, None),
}
RIVALS: Mapping[str, Callable[[], Read]] = {
    "jsonmend": lambda: _plain("jsonmend"),
    "json_repair": lambda: _plain("json_repair"),
    "json_repair + schema": _json_repair_with_schema,
    "json_repair stream_stable": lambda: _plain("json_repair", stream_stable=True),
    "repairjson": lambda: _plain("repairjson"),
    "fast_json_repair": lambda: _plain("fast_json_repair"),
    "jsonrepair (node)": NodeRepair,
    "BAML": baml_reader,
    "dirtyjson": _dirtyjson,
    "pyjson5": lambda: _plain("pyjson5"),
    "pydantic_core partial": lambda: _strict(allow_partial="trailing-strings"),
    "pydantic_core strict": _strict,
}


def libraries(wanted: str = "") -> list[Library]:
    """zkit with and without the schema, then every rival that is installed."""
    signal.signal(signal.SIGALRM, _stop)
    ours = [Library(name, read) for name, read in OURS.items()]
    return [found for found in (*ours, *_installed(wanted)) if wanted in found.name]


def _installed(wanted: str) -> Iterator[Library]:
    for name, load in RIVALS.items():
        if wanted in name:
            try:
                yield Library(name, load())
            except ImportError as missing:
                print(f"without {name}: {missing}")
