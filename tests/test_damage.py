"""The benchmark's generator is itself tested: a benchmark that breaks nothing proves nothing."""

from __future__ import annotations

import json
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from benchmarks.cases import SECTIONS, cuts, damaged_cuts, edits
from benchmarks.damage import DAMAGES, VALID, Case, Damage, break_text, damaged_payload, is_object
from benchmarks.damage_unlisted import UNLISTED
from benchmarks.judge import REFUSED, fits, is_demanded, judge, judge_absent, judge_cut, same
from benchmarks.payloads import TOOLS, Payload, make_payload
from benchmarks.tokens import STYLES, text_of, tokenise


@pytest.mark.parametrize("tool", TOOLS)
def test_every_payload_fits_its_schema(tool: str) -> None:
    for seed in range(50):
        payload = make_payload(Random(seed), tool)
        assert fits(payload.schema, payload.truth)


@pytest.mark.parametrize("style", STYLES, ids=lambda style: style.name)
def test_every_style_writes_what_was_meant(style: Any) -> None:
    for seed in range(100):
        truth = make_payload(Random(seed)).truth
        assert json.loads(text_of(tokenise(truth, style))) == truth


@pytest.mark.parametrize("damage", [*DAMAGES, *UNLISTED], ids=lambda damage: damage.name)
def test_a_damage_finds_its_place_and_breaks_the_text(damage: Damage) -> None:
    for seed in range(10):
        found = damaged_payload(Random(seed), (damage,))
        assert found is not None
        payload, text = found
        assert not is_object(text)
        assert text not in {text_of(tokenise(payload.truth, style)) for style in STYLES}


def test_valid_text_is_valid() -> None:
    for seed in range(50):
        found = damaged_payload(Random(seed), (VALID,))
        assert found is not None
        assert json.loads(found[1]) == found[0].truth


def test_names_of_damages_are_unique() -> None:
    names = [damage.name for damage in (VALID, *DAMAGES, *UNLISTED)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize("section", SECTIONS)
def test_the_same_seed_gives_the_same_cases(section: str) -> None:
    first, again, other = (list(SECTIONS[section](seed, 1)) for seed in (5, 5, 6))
    assert first == again
    assert section == "no-json" or first != other


def test_an_edit_changes_one_character_and_leaves_no_object() -> None:
    for case in edits(1, 2):
        assert not is_object(case.text)
        originals = [text_of(tokenise(case.payload.truth, style)) for style in STYLES]
        assert any(abs(len(case.text) - len(text)) <= 1 for text in originals)


def best_cut(case: Case) -> Any:
    """The largest value that a cut text still says, built from the leaves that were complete."""
    root: Any = {}
    for path, leaf in case.leaves:
        holder: Any = root
        truth: Any = case.payload.truth
        steps: tuple[Any, ...] = path
        for step in steps[:-1]:
            truth = truth[step]
            empty: Any = {} if isinstance(truth, dict) else []
            if isinstance(holder, list) and step == len(holder):
                holder.append(empty)
            holder = holder[step] if isinstance(holder, list) else holder.setdefault(step, empty)
        if isinstance(holder, list):
            holder.append(leaf)
        else:
            holder[steps[-1]] = leaf
    return root


@pytest.mark.parametrize("make", [cuts, damaged_cuts])
def test_what_was_complete_before_a_cut_is_clean(make: Any) -> None:
    for case in make(2, 3):
        assert judge_cut(best_cut(case), case) == "clean"


@pytest.mark.parametrize("make", [cuts, damaged_cuts])
def test_the_whole_truth_is_invented_when_the_text_was_cut(make: Any) -> None:
    for case in make(2, 1):
        verdict = judge_cut(case.payload.truth, case)
        assert verdict == ("clean" if said_all(case) else "invented")


def said_all(case: Case) -> bool:
    """Whether every value had begun, so that only an end is missing."""
    return every_path(case.payload.truth) <= case.begun


def every_path(value: Any, path: tuple[Any, ...] = ()) -> set[tuple[Any, ...]]:
    """The paths of a value and of all its parts."""
    steps: Any = value.items() if isinstance(value, dict) else ()
    steps = enumerate(value) if isinstance(value, list) else steps
    return {path}.union(*(every_path(part, (*path, step)) for step, part in steps))


TRUTH = {"a": "text", "b": [1, True], "c": None}
PAYLOAD = Payload("none", {}, TRUTH)
CUT = Case(
    "truncation",
    "cut",
    PAYLOAD,
    '{"a": "text", "b": [1, tr',
    leaves=((("a",), "text"), (("b", 0), 1)),
    begun=frozenset({(), ("a",), ("b",), ("b", 0), ("b", 1)}),
)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ({"a": "text", "b": [1]}, "clean"),
        ({"a": "text", "b": [1, False]}, "invented"),
        ({"a": "text", "b": [1], "c": None}, "invented"),
        ({"a": "te", "b": [1]}, "invented"),
        ({"a": "text"}, "lost"),
        ({"b": [1]}, "lost"),
        (["a", "text"], "invented"),
        (REFUSED, "refused"),
    ],
)
def test_a_cut_is_judged_by_what_was_said(value: Any, verdict: str) -> None:
    assert judge_cut(value, CUT) == verdict


def test_only_the_open_string_may_be_a_prefix() -> None:
    case = replace(CUT, leaves=(), begun=frozenset({(), ("a",)}))
    assert judge_cut({"a": "te"}, case) == "clean"
    assert judge_cut({"a": "xt"}, case) == "invented"
    assert judge_cut({"a": "te"}, replace(case, begun=frozenset({()}))) == "invented"


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ({"a": "text", "b": [1, True], "c": None}, "right"),
        ({"a": "text", "b": [1.0, True], "c": None}, "right"),
        ({"a": "text", "b": [1, 1], "c": None}, "wrong"),
        ({"a": "text", "b": [1, True]}, "wrong"),
        ([TRUTH], "shape"),
        ("text", "shape"),
        (REFUSED, "refused"),
    ],
)
def test_a_value_is_right_only_when_equal(value: Any, verdict: str) -> None:
    assert judge(value, TRUTH) == verdict


def test_a_bool_is_no_number() -> None:
    assert not same(True, 1)
    assert not same(0, False)
    assert same(7, 7.0)


def test_an_object_out_of_nothing_is_wrong() -> None:
    assert judge_absent({}) == "wrong"
    assert judge_absent([]) == "wrong"
    assert judge_absent("text") == "right"
    assert judge_absent(REFUSED) == "right"


@pytest.mark.parametrize(
    ("name", "text", "value", "note", "demanded"),
    [
        ("double_encoded", '"{\\"a\\": 1}"', '{"a": 1}', "EXACT: ", True),
        ("double_encoded", '"{\\"a\\": 1}"', "{", "EXACT: ", False),
        ("fence", "{'a': 1}", "{'a': 1}", "", False),
        ("draft_object", "{} {}", REFUSED, "several at 3: …", True),
        ("fence+draft_object", "{} {}", REFUSED, "several at 3: …", True),
        ("draft_object", "{} {}", REFUSED, "damaged at 3: …", False),
        ("fence", "{} {}", REFUSED, "several at 3: …", False),
    ],
)
def test_what_the_rules_demand_without_a_schema_is_told_from_a_loss(
    name: str, text: str, value: Any, note: str, demanded: bool
) -> None:
    case = Case("single", name, make_payload(Random(1)), text)
    assert is_demanded(case, value, note) == demanded


@pytest.mark.parametrize("name", ["missing_close_quote_value", "fence"])
def test_only_a_string_without_its_quote_is_a_cut_by_the_rules(name: str) -> None:
    case = Case("single", name, make_payload(Random(1)), '{"a": "b')
    lossy = is_demanded(case, {"a": "b"}, "CUT: keep_open_string@6", lossy=True)
    assert lossy == (name == "missing_close_quote_value")


def test_a_schema_tells_a_misfit() -> None:
    schema = TOOLS["plan_tasks"].schema
    step = {"id": 1, "task": "x", "state": "open", "blocked": False}
    assert fits(schema, {"steps": [step], "note": None})
    assert not fits(schema, {"steps": [step]})
    assert not fits(schema, {"steps": [{**step, "state": "closed"}], "note": None})
    assert not fits(schema, {"steps": [{**step, "more": 1}], "note": None})
    assert not fits(schema, {"steps": [{**step, "id": "1"}], "note": None})


def test_damages_compose() -> None:
    by_name = {damage.name: damage for damage in DAMAGES}
    both = (by_name["trailing_comma"], by_name["fence"])
    text = break_text(Random(1), make_payload(Random(1)), both)
    assert text is not None
    assert "`" in text or "~" in text
    assert ",}" in "".join(text.split()) or ",]" in "".join(text.split())
