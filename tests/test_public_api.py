"""What users may rely on: the names, the signatures, the records."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib.resources import files
from typing import Any, get_args

import pytest

import zkit
from zkit import Fix, Rank, Repaired, RepairError, Unrepairable, loads, repair_json
from zkit.grade import GRADES, GradeName
from zkit.receipt import RankName
from zkit.schema import DIALECTS, DialectName

NAMES = [
    "Call",
    "ChatLoop",
    "Context",
    "Crashed",
    "Decoded",
    "Dispatcher",
    "Extraction",
    "Extractor",
    "FileEffect",
    "Fix",
    "Grade",
    "Kit",
    "MemoSource",
    "PartialReader",
    "ProcessEffect",
    "Rank",
    "Refused",
    "RepairError",
    "Repaired",
    "Success",
    "Tool",
    "ToolSource",
    "ToolSpec",
    "Toolbox",
    "Transient",
    "TypedTool",
    "Unrepairable",
    "Validation",
    "decode",
    "decode_args",
    "find_calls",
    "instructions",
    "lint_schema",
    "loads",
    "render_call",
    "repair_all",
    "repair_json",
    "run",
    "schema_for",
    "tool",
    "wrap",
]
OPTIONS = {"schema": None, "limit": Rank.CUT, "finish_reason": None}
FIX = Fix("drop_trailing_comma", Rank.RESPELL, 7, 8, "", "dropped a comma")
RECORDS = [FIX, Repaired({"a": 1}, (FIX,), Rank.RESPELL, '{"a": 1,}'), Unrepairable("empty", 0, "")]


def test_the_public_names_are_exactly_these() -> None:
    assert sorted(zkit.__all__) == NAMES
    assert all(hasattr(zkit, name) for name in NAMES)


@pytest.mark.parametrize("function", [zkit.repair_json, zkit.loads, zkit.repair_all])
def test_a_text_comes_first_and_every_option_is_named(function: Callable[..., Any]) -> None:
    text, *options = inspect.signature(function).parameters.values()
    assert (text.name, text.kind) == ("text", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    assert text.default is inspect.Parameter.empty
    assert {option.kind for option in options} == {inspect.Parameter.KEYWORD_ONLY}
    assert {option.name: option.default for option in options} == OPTIONS


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: type(record).__name__)
def test_records_are_frozen(record: tuple[Any, ...]) -> None:
    for name in (*type(record)._fields, "something_new"):  # type: ignore[attr-defined]
        with pytest.raises(AttributeError):
            setattr(record, name, None)


def test_the_fields_of_the_records() -> None:
    assert Fix._fields == ("name", "rank", "start", "end", "new", "note", "path")
    assert Repaired._fields == ("value", "fixes", "rank", "text")
    assert Unrepairable._fields == ("reason", "at", "message")
    assert FIX.span == (7, 8)


def test_ranks_ascend_by_name() -> None:
    ascending = ["EXACT", "UNWRAP", "RESPELL", "COMPLETE", "GUESS", "CUT", "SALVAGE"]
    assert [rank.name for rank in sorted(Rank)] == ascending
    assert [int(rank) for rank in sorted(Rank)] == list(range(7))


@pytest.mark.parametrize("rank", Rank)
def test_a_result_is_lossy_when_data_is_missing(rank: Rank) -> None:
    assert Repaired({}, (), rank, "{}").lossy is (rank in (Rank.CUT, Rank.SALVAGE))


def test_loads_raises_a_value_error_that_carries_the_refusal() -> None:
    with pytest.raises(RepairError) as caught:
        zkit.loads("nothing to read here")
    assert isinstance(caught.value, ValueError)
    assert isinstance(caught.value.outcome, Unrepairable)
    assert str(caught.value) == caught.value.outcome.message


def test_the_package_is_typed() -> None:
    assert files("zkit").joinpath("py.typed").is_file()


def test_bytes_are_read_in_the_encodings_of_json() -> None:
    assert loads('{"größe": 1,}'.encode()) == {"größe": 1}
    assert loads('{"größe": 1,}'.encode("utf-16")) == {"größe": 1}
    assert isinstance(repair_json(b'{"a": "\xff\xfe"'), Unrepairable)


def test_the_names_that_type_checkers_know_are_those_that_exist() -> None:
    assert get_args(RankName) == tuple(Rank.__members__)
    assert get_args(GradeName) == tuple(GRADES)
    assert get_args(DialectName) == tuple(DIALECTS)


def test_a_limit_may_be_the_name_of_a_rank() -> None:
    assert isinstance(repair_json('{"a": 1 "b": 2}', limit="respell"), Unrepairable)  # type: ignore[arg-type]
    assert loads('{"a": 1 "b": 2}', limit="COMPLETE") == {"a": 1, "b": 2}
    with pytest.raises(ValueError, match="there is no rank"):
        repair_json("{}", limit="anything")  # type: ignore[arg-type]


def test_a_text_that_is_neither_string_nor_bytes_is_our_mistake_and_raises() -> None:
    with pytest.raises(TypeError, match="text must be str or bytes, not int"):
        repair_json(5)  # type: ignore[arg-type]
