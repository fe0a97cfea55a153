"""What is read without a search, the reader reads too: the short ways decide nothing on their own."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.damage import DAMAGES, Damage, damaged_payload
from zkit import Rank
from zkit.repair.around import beginnings
from zkit.repair.around.line_marks import unmarked
from zkit.repair.candidates import read_at
from zkit.repair.cascade import _candidates
from zkit.repair.choice import chosen, within_limit
from zkit.repair.evidence import evidence_for
from zkit.repair.short_ways.express import express, in_prose, respelt, unslipped
from zkit.repair.short_ways.respelling import respelled
from zkit.repair.short_ways.slips import slip_at
from zkit.repair.sound import PLACED, odd_token, parts_of, stumbled_at, verdict
from zkit.repair.task import Candidate, Task, same

INNER = [damage for damage in DAMAGES if damage.breaks is not None]


def both_ways(text: str, schema: object) -> tuple[Candidate | None, Candidate | None]:
    """What comes of the text without a search, and with one."""
    task = Task(text, evidence_for(schema), Rank.CUT, None)
    span = beginnings.plain_span(text)
    complaint = verdict(text)
    if span is None or not isinstance(complaint, str):
        return None, None
    return express(task, *span, complaint), read_at(task, span[0], complaint=complaint)


@given(st.sampled_from(INNER), st.integers(0, 2**20), st.booleans())
def test_a_short_way_and_the_search_never_read_different_values(
    damage: Damage, seed: int, with_schema: bool
) -> None:
    found = damaged_payload(Random(seed), (damage,))
    if found is None:
        return
    payload, text = found
    short, searched = both_ways(text, payload.schema if with_schema else None)
    if short is None or searched is None or searched.value is None:
        return
    assert same(short.value, searched.value)
    assert short.rank == searched.rank


@given(st.sampled_from(INNER), st.integers(0, 2**20))
def test_what_comes_before_the_last_token_of_a_complaint_need_not_be_looked_at(
    damage: Damage, seed: int
) -> None:
    found = damaged_payload(Random(seed), (damage,))
    complaint = verdict(found[1]) if found else None
    if found is None or not isinstance(complaint, str) or parts_of(complaint)[0] not in PLACED:
        return
    text, kind = found[1], parts_of(complaint)[0]
    since = odd_token(text, stumbled_at(text, complaint), kind)
    assert respelled(text, 0, len(text), since) == respelled(text, 0, len(text), 0)


PROSE = (
    "<call>",
    "</call>\n",
    "<think>Well.</think>\n",
    "```json\n",
    "```\n",
    "\n```",
    "\n~~~\n",
    "Here's it: ",
    "args = ",
    "call(",
    "1. ",
    "a, b: ",
    "\n",
    "Note: x=1, y: ",
    "json\n",
    "; ",
    ", c: 2",
    ").",
    "\n\nThat's all.",
    "' : 1",
    "ok",
    'the "limit" is optional',
    " 'x', was ",
    'the "safe" way: ',
    '"a" ',
    '\n"b c" and\n',
)
OBJECTS = ('{"a": 1}', '{\n"a": {"b": "} {"}\n}', "{}", '{"a": 1, "a": 2}')


@given(
    st.lists(st.sampled_from(PROSE), max_size=3),
    st.sampled_from(OBJECTS),
    st.lists(st.sampled_from(PROSE), max_size=3),
)
def test_an_object_in_prose_is_found_at_once_only_where_the_search_finds_it(
    before: list[str], value: str, after: list[str]
) -> None:
    task = Task("".join([*before, value, *after]), None, Rank.CUT, None)
    found = in_prose(task)
    if found is not None and unmarked(task.text) is None:
        assert within_limit(task, found) == chosen(task, _candidates(task))


@pytest.mark.parametrize(
    "text",
    [
        'Sure: {"a": 1}',
        'It\'s {"a": {"b": 2}}. I\'d say.',
        '<call>\n{"a": 1}\n</call>',
        'So:\n\n```json\n{"a": 1}\n```\n\nThat is it.',
        '~~~\n{"a": 1}\n~~~',
    ],
)
def test_an_object_in_prose_takes_no_search(text: str) -> None:
    assert in_prose(Task(text, None, Rank.CUT, None)) is not None


PIECES = [
    "he", "said", "or", "a", "name", "path", "x", "5", "true", "print(", "f(", ")", " ", ", ", ",", ": ", " = ",
    "\\n", "\\\\", '\\"', '"', '"', '"', '"hi"', '"a", "b"', '"k": 1', "{", "}", "[", "]", "; ", " + ", "%", "<b>",
    "-", "-- ", "<!-- c -->", "...", "'", "//", "#", "”", "\n", 'a="x"', '"},', '":', "/*c*/", '"a" if b else c',
]  # fmt: skip
"""What may stand in a string, quotes not escaped."""
LOOSE_STRING = st.lists(st.sampled_from(PIECES), max_size=10).map(
    lambda parts: '"' + "".join(parts) + '"'
)
LOOSE_LIST = st.lists(LOOSE_STRING, min_size=1, max_size=3).map(
    lambda items: "[" + ", ".join(items) + "]"
)
SCHEMAS: tuple[object, ...] = (
    None,
    {"type": "object", "properties": {"name": {"type": "string"}, "note": {}, "path": {}}},
    {"properties": {"name": {}, "note": {}, "path": {}}, "additionalProperties": False},
)


@settings(max_examples=1000)
@given(
    st.dictionaries(
        st.sampled_from(["name", "note", "path"]), LOOSE_STRING | LOOSE_LIST, min_size=1
    ),
    st.sampled_from(SCHEMAS),
)
def test_what_is_taken_for_a_quotation_the_search_takes_for_one(
    members: dict[str, str], schema: object
) -> None:
    text = "{" + ", ".join(f'"{key}": {value}' for key, value in members.items()) + "}"
    short, searched = both_ways(text, schema)
    if short is not None and any(fix.name == "escape_inner_quote" for fix in short.fixes):
        assert searched is not None
        assert (short.value, short.rank) == (searched.value, searched.rank)


NESTED = st.recursive(
    st.sampled_from([1, -2.5, "x", "a]", "```", '<|"|>']),
    lambda inner: st.dictionaries(st.sampled_from("abc"), inner) | st.lists(inner, max_size=3),
).filter(lambda value: isinstance(value, dict | list))


@given(NESTED, st.sampled_from([None, 1]), st.integers(1, 3))
def test_a_sound_text_that_ends_too_soon_is_doubted_as_the_search_doubts_it(
    value: object, indent: int | None, missing: int
) -> None:
    short, searched = both_ways(json.dumps(value, indent=indent)[:-missing].rstrip(), None)
    assert short is None or short == searched


@settings(max_examples=1000)
@given(NESTED, st.sampled_from("}]"), st.integers(0, 200))
def test_a_closer_too_many_is_doubted_as_the_search_doubts_it(
    value: object, closer: str, at: int
) -> None:
    text = json.dumps(value)
    short, searched = both_ways(text[: at % len(text)] + closer + text[at % len(text) :], None)
    if short is not None and short.value is None:
        assert short == searched


SLIPS: dict[str, tuple[str, object] | None] = {
    '{"a": {"b": ["x"': ("close_at_end", {"a": {"b": ["x"]}}),
    '{"a": {"b": [1, 2': None,
    '{"a" 1, "b": 2}': ("add_colon", {"a": 1, "b": 2}),
    '{"a": [1], "b" 2}': None,
    '{"a": [1, 2}': ("add_closer", {"a": [1, 2]}),
    '{"a": {"b": 1], "c": 2}': ("replace_closer", {"a": {"b": 1}, "c": 2}),
    '{"a": 1], "b": 2}': ("drop_closer", {"a": 1, "b": 2}),
    '{"a": 1], "a": 2}': None,
    '{"a": [}': ("add_closer", {"a": []}),
    '{"a": 1}, "b": 2}': ("drop_closer", {"a": 1, "b": 2}),
    '{"a": {"b": 1}}, "c": 2}': None,
    '{"a": 1, "b": [2, ...]}': ("drop_ellipsis", {"a": 1, "b": [2]}),
    '{"a": 1 …}': ("drop_ellipsis", {"a": 1}),
    "[..., 1]": ("drop_ellipsis", [1]),
    "[1, ..., 2]": None,
    "[...]": None,
    '{"a": 1,234,567.5, "b": 2}': ("join_thousands", {"a": 1234567.5, "b": 2}),
    '{"a": -1,234}': ("join_thousands", {"a": -1234}),
    '{"a": 1,23, "b": 2}': None,
    '{"a": [7], 1,234}': None,
    '{{"a": {"b": 1}}}': ("drop_doubled_brace", {"a": {"b": 1}}),
    '{{"a": {{"b": "{{"}}, "c": {{}} }}': ("drop_doubled_brace", {"a": {"b": "{{"}, "c": {}}),
    '{{"a": 1}, "b": 2}': None,
    '{"a": (1, 2), "b": ((1, 2), [3, (4, 5)])}': (
        "list_for_tuple",
        {"a": [1, 2], "b": [[1, 2], [3, [4, 5]]]},
    ),
    '{"a": (), "b": 1}': ("list_for_tuple", {"a": [], "b": 1}),
    '{"a": (1), "b": 2}': None,
    '{"a": ([1, 2]), "b": 2}': None,
    '{"a": (1, 2], "b": [3, 4)}': None,
}


@pytest.mark.parametrize("text", SLIPS)
def test_a_slip_has_one_mend_or_is_left_to_the_reader(text: str) -> None:
    complaint = verdict(text)
    assert isinstance(complaint, str)
    at = stumbled_at(text, complaint)
    look = slip_at(text, at, parts_of(complaint)[0])
    found = None
    if look is not None:
        found = unslipped(Task(text, None, Rank.CUT, None), 0, len(text), look(text, at) or [])
    expected = SLIPS[text]
    if expected is None:
        assert found is None
    else:
        assert found is not None
        assert ({fix.name for fix in found.fixes}, found.value) == ({expected[0]}, (expected[1],))


GUESSES = {
    '{"a": "say "hi" now", "b": 1}': {"a": 'say "hi" now', "b": 1},
    '{"a": "27" screen", "b": 1}': {"a": '27" screen', "b": 1},
    '{"a": "f("x", "y")", "b": 1}': {"a": 'f("x", "y")', "b": 1},
    '{"a": "k: "v"\n", "b": "p "q" r"}': {"a": 'k: "v"\n', "b": 'p "q" r'},
    '{"a": "x, "y" z"}': {"a": 'x, "y" z'},
    '{"a": "x, "b" y", "c=d": "z = "w""}': {"a": 'x, "b" y', "c=d": 'z = "w"'},
    '{"a": ""x" y", "b": 1}': {"a": '"x" y', "b": 1},
    '{"a": "x = "/y", z("%s"); w"}': {"a": 'x = "/y", z("%s"); w'},
    '{"a": ["x "y" z", "v "w""]}': {"a": ['x "y" z', 'v "w"']},
    '{"a": "C:\\new\\7\\", "b": 1}': {"a": "C:\\new\\7\\", "b": 1},
    '{"a": ["C:\\"], "b": 1}': {"a": ["C:\\"], "b": 1},
    "{'a': 'it's so', 'b': 1}": {"a": "it's so", "b": 1},
    '{"a": some words, "b": 1}': {"a": "some words", "b": 1},
    '{"a": x y", "b": 1}': {"a": "x y", "b": 1},
    '{"a": "x y, "b": 1}': {"a": "x y", "b": 1},
    '{"a": 1, b": 2}': {"a": 1, "b": 2},
    '{"a": 1, "b: 2}': {"a": 1, "b": 2},
}
DOUBTFUL = (
    '{"a": [{"b": "C:\\x\\"}, "y"]}',
    '{"a": "C:\\\\x\\", "b": 1}',
    '{"a": "x or "y" or "z", "b": "v" or "w"}',
    '{"a": "x" note: y "z", "b": 1}',
    '{"a": "x";y: 1, z "v", "b": 1}',
    '{"a": "x"; // "y" z",\n"b": 1}',
    '{"a": ""x", "b": 1}',
    '{"a": ""x"", "b": 1}',
    '{"a": "x" or y, z", "b": 1}',
    '{"a": "-\\" //{k="x"y",\n"b": 1}',
    '{"a": ["x" 5", "y"]}',
    '{"a": "C:\\"x" y", "b": 1}',
    '{"a": "x \\"" y", "b": 1}',
    '{"a": "x, y: "z" w", "b": 1}',
    '{"a": "x,", "b": "y "z" w"}',
    '{"a": ["x "y" z", "x "y" z", "x "y" z"]}',
    '{"a": "b "c" d", e=1}',
    '{"a": "x "y", z: "v", "b": 1}',
    '{"a": true ..., "b": 1}',
    '{"a": int, "b": 1}',
    '{"a": "x, "b": y", "c": 1}',
    '{"a": f"x", "b": 1}',
)


@pytest.mark.parametrize("text", GUESSES)
def test_a_guess_without_a_rival_takes_no_search(text: str) -> None:
    found = respelt(Task(text, None, Rank.CUT, None), 0, len(text), 0)
    assert found is not None
    assert (found.value, found.rank) == ((GUESSES[text],), Rank.GUESS)


@pytest.mark.parametrize("text", DOUBTFUL)
def test_a_guess_with_a_rival_is_left_to_the_reader(text: str) -> None:
    assert respelt(Task(text, None, Rank.CUT, None), 0, len(text), 0) is None


def test_a_quotation_that_names_a_key_of_the_schema_is_left_to_the_reader() -> None:
    text = '{"name": "say "hi" now;\npath = x", "note": 1}'
    for schema, is_read in zip(SCHEMAS, (True, False, False), strict=True):
        task = Task(text, evidence_for(schema), Rank.CUT, None)
        assert (respelt(task, 0, len(text), 0) is not None) == is_read
