"""One place writes what a model reads of a result: never empty, never too long."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.effects import FileEffect, ProcessEffect
from zkit.receipt import Fix, Rank
from zkit.results import (
    Crashed,
    Problem,
    Refused,
    Result,
    Success,
    Transient,
    Validation,
    from_dict,
    from_json,
)
from zkit.tools import labeled, render_result
from zkit.tools.result_text import MIN_CHARACTERS, shortened

FILE = FileEffect(path="a", op="rename", from_path="b", bytes_after=3)
PROCESS = ProcessEffect(command="make", pid=7, exit_code=2, background=True, timed_out=True)
RESULTS: list[Result] = [
    Success({"a": [1, None, "x"]}, (FILE, PROCESS), {"cached": True}),
    Success(),
    Validation("no", "stale", (Problem("a", "missing", "nothing", "a text", "b"),)),
    Validation("no", fixes=(Fix("x", Rank.GUESS, 1, 2, "", "y"),), effects=(FILE,)),
    Transient("busy", 1.5, "rate_limited", (PROCESS,), {"n": 1}),
    Refused("no", "approval", {"who": "me"}),
    Crashed("broken", effects=(FILE,)),
]


@pytest.mark.parametrize("result", RESULTS, ids=lambda result: result.kind)
def test_every_result_survives_json(result: Result) -> None:
    assert from_json(result.to_json()) == result
    assert from_dict(json.loads(json.dumps(result.to_dict()))) == result


@pytest.mark.parametrize("data", [{}, {"kind": "victory"}, {"kind": None}])
def test_what_is_no_result_is_not_read_as_one(data: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="kind must be one of success, validation"):
        from_dict(data)


@pytest.mark.parametrize("data", [float("nan"), {"a": [float("inf")]}, "\ud800", {"\udc80": 1}])
def test_what_json_or_utf8_do_not_know_is_still_written(data: Any, tmp_path: Path) -> None:
    result = Success(data)
    json.loads(result.to_json(), parse_constant=pytest.fail)
    (tmp_path / "it").write_text(result.to_json() + render_result(result), "utf-8")
    assert render_result(result)
    assert render_result(result, output="json")


def test_half_a_character_reads_as_its_escape() -> None:
    assert render_result(Success("caf\udce9.txt")) == "caf\\udce9.txt"


WORDS: list[tuple[Result, str]] = [
    (Success(None), "ok"),
    (Success(""), "ok (no output)"),
    (Success(" \n"), "ok (no output)"),
    (Success("text\n"), "text\n"),
    (Success(0), "0"),
    (Success(False), "false"),
    (Success([]), "entries: 0"),
    (Success({}), "(empty)"),
    (Success({"a": 1}, meta={"output": "json"}), '{"a": 1}'),
    (Success({"a": 1}, meta={"text": "own words"}), "own words"),
    (Validation("path: no such file."), "path: no such file."),
    (
        Transient("busy", 2),
        "The tool did not answer: busy. Your arguments are not the cause. Send the same call once"
        " more after 2 seconds; if it changes something, first check that it had no effect.",
    ),
    (
        Refused("the budget is spent"),
        "Not run: the budget is spent. Do not send this call again; go on without it, or ask.",
    ),
    (
        Crashed("KeyError: 'x'"),
        "The tool itself failed: KeyError: 'x'. This is a fault in the tool, not in your"
        " arguments; the same call will fail again. Use another tool, or go on without it.",
    ),
    (Success("a", meta={"notes": ["again"]}), "a\n\nNote: again"),
]


@pytest.mark.parametrize(("result", "text"), WORDS, ids=[w[1][:30] for w in WORDS])
def test_what_a_model_reads(result: Result, text: str) -> None:
    assert render_result(result) == text


def test_the_caller_may_choose_the_format() -> None:
    assert render_result(Success([1]), output="json") == "[1]"
    assert render_result(Success([1])) == "entries: 1\n1. 1"


# Labels

LABELS: list[tuple[Any, str]] = [
    ({"path": "a.py", "lines": 3, "ok": True}, "path: a.py\nlines: 3\nok: true"),
    (
        [{"name": "a", "size": 1}, {"name": "long", "size": 20}],
        "entries: 2\nname  size\na     1\nlong  20",
    ),
    ({"hits": [{"n": 1}, {"m": 2}]}, "hits: 2 entries\n  1. n: 1\n  2. m: 2"),
    ({"tags": ["x", "y"], "none": []}, "tags: x, y\nnone: (none)"),
    ({"text": "a\nb"}, "text:\n  a\n  b"),
    (["a\nb"], "entries: 1\n1. a\n   b"),
    ({"a": {"b": {"c": None}}}, "a:\n  b:\n    c: null"),
    ({"": ""}, '"": ""'),
    ({"a\nb": 1}, '"a\\nb": 1'),
    ({"names": ["Doe, Jane", "Roe"]}, "names: 2 entries\n  1. Doe, Jane\n  2. Roe"),
    (
        [{"name": "日本", "size": 1}, {"name": "e\u0301a", "size": 2}],
        "entries: 2\nname  size\n日本  1\ne\u0301a    2",
    ),
    (
        {"a": [[], {}], "b": {"c": []}},
        "a: 2 entries\n  1. entries: 0\n  2. (empty)\nb:\n  c: (none)",
    ),
]


@pytest.mark.parametrize(("data", "text"), LABELS, ids=[w[1][:30] for w in LABELS])
def test_structured_data_is_labelled(data: Any, text: str) -> None:
    assert labeled(data) == text


scalars = st.integers() | st.booleans() | st.from_regex(r"\A[a-z]{1,9}\Z")
data = st.recursive(
    scalars,
    lambda inner: st.lists(inner) | st.dictionaries(st.from_regex(r"\A[a-z]{1,5}\Z"), inner),
)


def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [leaf for part in value.values() for leaf in leaves(part)]
    if isinstance(value, list):
        return [leaf for part in value for leaf in leaves(part)]
    return [value]


@given(data)
def test_no_value_is_lost_by_labelling(value: Any) -> None:
    text = labeled(value)
    for leaf in leaves(value):
        assert (leaf if isinstance(leaf, str) else json.dumps(leaf)) in text


@given(st.lists(st.text(st.sampled_from("ab, "), min_size=1, max_size=4), min_size=1, max_size=4))
def test_two_different_lists_never_read_the_same(parts: list[str]) -> None:
    joined = [", ".join(parts)]
    assert parts == joined or labeled({"x": parts}) != labeled({"x": joined})


def test_deep_data_is_labelled_without_end() -> None:
    deep: Any = 1
    for _ in range(100):
        deep = {"a": [deep]}
    assert "1" in labeled(deep)
    for _ in range(5000):
        deep = [deep]
    assert "nested too deep" in labeled(deep)
    assert "nested too deep" in render_result(Success(deep), output="json")


# The cap

texts = st.text(st.sampled_from("ab\n é"), min_size=0, max_size=3000)


@given(texts, st.integers(MIN_CHARACTERS, 2000))
def test_a_text_never_exceeds_its_limit_and_keeps_head_and_tail(text: str, limit: int) -> None:
    short = render_result(Success(text or "x"), limit=limit)
    assert len(short) <= limit
    if len(text) > limit and text.strip():
        head, _, rest = short.partition("\n[… ")
        about, _, tail = rest.partition(" left out here.]\n")
        assert text.startswith(head)
        assert text.endswith(tail)
        assert head
        assert tail
        left_out = int(about.split(" ")[0].replace(",", ""))
        assert len(head) + len(tail) + left_out == len(text)


def test_what_is_left_out_is_told() -> None:
    text = "\n".join(f"line {n}" for n in range(1000))
    short = render_result(Success(text), limit=500)
    assert "of 8,889 characters" in short
    assert short.startswith("line 0\nline 1\n")
    assert short.endswith("\nline 999")


def test_the_full_text_goes_to_a_file_when_there_is_a_folder(tmp_path: Path) -> None:
    text = "é" * 5000
    folder = tmp_path / "spilled"
    short = render_result(Success(text), limit=800, spill=folder)
    [file] = folder.iterdir()
    assert str(file) in short
    assert file.read_text("utf-8") == text
    assert render_result(Success(text), limit=800, spill=folder) == short
    assert len(list(folder.iterdir())) == 1


def test_a_result_of_many_megabytes_is_cut_and_spilled_whole(tmp_path: Path) -> None:
    text = "a line of text\n" * 3_400_000
    shown = render_result(Success(text), spill=tmp_path)
    assert len(shown) <= 50_000
    [file] = tmp_path.iterdir()
    assert str(file) in shown
    assert file.stat().st_size == len(text) > 50_000_000


def test_a_short_text_is_not_spilled(tmp_path: Path) -> None:
    assert render_result(Success("x"), spill=tmp_path / "spilled") == "x"
    assert not (tmp_path / "spilled").exists()


def test_half_characters_are_spilled_as_escapes(tmp_path: Path) -> None:
    shortened("\ud800" * 5000, 800, spill=tmp_path)
    [file] = tmp_path.iterdir()
    assert file.read_text("utf-8").startswith("\\ud800")


def test_a_limit_too_small_to_say_anything_is_refused() -> None:
    with pytest.raises(ValueError, match="at least"):
        render_result(Success("x"), limit=10)


def test_notes_fit_into_the_limit_too() -> None:
    result = Success("x" * 5000, meta={"notes": ["remember this"]})
    short = render_result(result, limit=600)
    assert len(short) <= 600
    assert short.endswith("Note: remember this")
