"""Work grows as the text does: laws that count steps and characters, not seconds."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from time import process_time
from typing import Any

import pytest
from extract_samples import HERMES, TOOLS
from hypothesis import given
from hypothesis import strategies as st
from profiles import many

from benchmarks.growing import ADVERSARIAL, SCHEMA
from zkit.extract import FORMATS, Extractor, find_calls, tape
from zkit.repair import choice, limits, repair_all, repair_json
from zkit.repair.locate import starts
from zkit.repair.moves import missing_quotes
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.search import candidates
from zkit.repair.search.engine import Engine
from zkit.repair.search.hypothesis import Hypothesis
from zkit.text import lexis, remembered
from zkit.text.edits import Edit, Layer

MANY = 400
VALUES = {
    "fences": '```json\n{"a": 1,}\n```\n',
    "tildes": '~~~json\n{"a": #,}\n~~~\n',
    "tags": '<a>{"a": 1,}</a>\n',
    "lines": "{'a': #}\n",
    "prose": 'and so {"a": 1, "b": #,} it goes\n',
    "a lost closer": '```json\n{"a": [{"b": #}\n```\n',
    "keys twice": '```json\n{"a": 1, "b": 2, "a": #,}\n```\n',
}


def grown(part: str, count: int) -> str:
    return "".join(part.replace("#", str(at)) for at in range(count))


class Counted:
    """A function, and the different texts that it is given first."""

    def __init__(self, function: Any) -> None:
        self.function = function
        self.texts: dict[int, str] = {}

    def __call__(self, text: str, *given: Any, **named: Any) -> Any:
        self.texts[id(text)] = text
        return self.function(text, *given, **named)

    @property
    def characters(self) -> int:
        return sum(map(len, self.texts.values()))


@pytest.mark.parametrize("part", VALUES.values(), ids=VALUES)
def test_a_value_costs_its_own_size_and_not_that_of_what_stands_before_it(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reader, and the look for keys that are written twice, see each value once or twice."""
    text = grown(part, MANY)
    read, looked = Counted(Engine), Counted(repeats_a_key)
    monkeypatch.setattr(candidates, "Engine", read)
    monkeypatch.setattr(choice, "repeats_a_key", looked)
    repair_json(text)
    found = repair_all(text)
    assert len(found) in (0, MANY)
    assert read.characters <= 2 * MANY * (len(part) + limits.LOOK_BACK) + 4 * len(text)
    assert looked.characters <= 2 * len(text)


QUOTED = st.lists(
    st.sampled_from(['"', "\\", '\\"', "\n", "</think>", "[/THINK]", "a", "<think>"]), max_size=30
).map("".join)


def ends_one_by_one(text: str) -> int:
    """The end of reasoning, where each mark is judged by its whole line."""
    ends = [
        match.end()
        for match in starts.REASONING.finditer(text)
        if lexis.is_outside(text, match.start(), text.rfind("\n", 0, match.start()) + 1)
    ]
    end = max(ends, default=0)
    return len(text) if starts._open_reasoning(text, end) else end


@given(text=QUOTED)
def test_the_end_of_reasoning_is_the_same_in_one_pass(text: str) -> None:
    assert starts.reasoning_end(text) == ends_one_by_one(text)


@pytest.mark.parametrize("part", ['"</think> ', '"" </think>', '</think>"\\"'])
def test_the_ends_of_reasoning_in_a_long_line_are_looked_at_once(
    part: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[int] = []
    counted = lexis.is_outside

    def count(text: str, at: int, start: int = 0) -> bool:
        looks.append(at - start)
        return counted(text, at, start)

    monkeypatch.setattr(lexis, "is_outside", count)
    text = part * 1_000
    starts.reasoning_end(text)
    assert 0 < sum(looks) <= 2 * len(text)


ESCAPED = '{\\"a\\": #}\n'


def test_values_that_are_escaped_as_a_whole_share_what_is_undone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each of the first ones is read through a layer, and there is one layer for all of them."""
    made: list[int] = []

    def count(source: str, edits: list[Edit], until: int | None = None) -> Layer:
        made.append(len(edits))
        return over(source, edits, until)

    over = Layer.over
    monkeypatch.setattr(Layer, "over", count)
    text = grown(ESCAPED, MANY)
    found = repair_all(text)
    assert [one.value for one in found] == [{"a": at} for at in range(MANY)]
    assert made == [2 * MANY]


STEEP = [
    "lines with escaped objects",
    "objects with bare words",
    "folders that end in a backslash",
    "apostrophes in members",
    "JSON in strings, unescaped",
    "objects that begin with a comma",
    "fences with strings that lack a quote",
    "smart quotes without commas",
    "back quotes in a list",
    "opening quotes that never close",
    "objects after hashes",
    "under-escaped, and a line break",
    "under-escaped, and cut",
]
"""Shapes that took time with the square of their size before each look was bounded."""
LARGE = 256_000
PATIENCE = 30.0
"""Seconds of CPU time. A linear repair takes one or two, one that grows with the square takes minutes."""


@pytest.mark.slow
@pytest.mark.parametrize("name", STEEP)
def test_the_time_of_a_repair_grows_as_the_text_does(name: str) -> None:
    """Looks of a pattern to the end of the text are no steps that could be counted."""
    assert seconds_of(ADVERSARIAL[name](LARGE)) < PATIENCE


def seconds_of(text: str) -> float:
    """The time on the processor that a repair takes."""
    begun = process_time()
    repair_json(text, schema=SCHEMA)
    return process_time() - begun


class Sliced(str):
    """A text that counts the characters which are copied out of it."""

    __slots__ = ("copied",)
    copied: int

    def __getitem__(self, at: Any) -> str:
        found = str.__getitem__(self, at)
        self.copied += len(found)
        return found


def copied_from(text: str, schema: Any) -> int:
    sliced = Sliced(text)
    sliced.copied = 0
    repair_json(sliced, schema=schema)
    return sliced.copied


@pytest.mark.parametrize(
    "schema", [None, pytest.param(SCHEMA, marks=pytest.mark.slow)], ids=["alone", "schema"]
)
@pytest.mark.parametrize("name", ADVERSARIAL)
def test_what_is_copied_out_of_a_text_grows_as_the_text_does(name: str, schema: Any) -> None:
    """No look at one place copies all that follows it: a short one costs nothing, many cost the square."""
    small, large = (ADVERSARIAL[name](size) for size in (3_000, 12_000))
    most = 1.5 * len(large) / len(small) * copied_from(small, schema)
    assert copied_from(large, schema) <= most + 10 * len(large)


class Compared(str):
    """A text that counts how often it is compared with a long one."""

    __slots__ = ("times",)
    __hash__ = str.__hash__
    times: int

    def __eq__(self, other: object) -> bool:
        self.times += isinstance(other, str) and len(other) > 1_000
        return str.__eq__(self, other)


def compared(text: str) -> Compared:
    found = Compared(text)
    found.times = 0
    return found


@pytest.mark.parametrize("name", ADVERSARIAL)
def test_a_text_is_not_compared_with_an_equal_one_that_came_before_it(name: str) -> None:
    """What is remembered of a text is found by the text itself: to compare two long ones costs their size."""
    first, second = (compared(ADVERSARIAL[name](6_000)) for _ in range(2))
    for text in (first, second):
        repair_json(text)
    assert first.times + second.times == 0


SEARCHED_FOR = (lexis.closers_of('"'), lexis.closers_of("'"), re.compile(r"\\\"\s*+[,:}]"))


@given(
    st.lists(st.sampled_from(['"', "'", "\\", ",", "/*", "*/", " " * 300, "x" * 700]), min_size=9),
    st.lists(st.tuples(st.sampled_from(SEARCHED_FOR), st.floats(0, 1))),
)
def test_what_is_remembered_of_a_search_is_what_a_search_finds(
    parts: list[str], asked: list[tuple[re.Pattern[str], float]]
) -> None:
    text = "".join(parts) + "x" * remembered.SHORT
    for pattern, share in asked:
        pos = int(share * len(text))
        found, fresh = remembered.search(text, pattern, pos), pattern.search(text, pos)
        assert (found and found.span()) == (fresh and fresh.span())


def test_a_search_in_vain_is_made_once() -> None:
    text, closers = "x " * remembered.SHORT, lexis.closers_of("'")
    for pos in range(0, len(text), 100):
        assert remembered.search(text, closers, pos) is None
    assert remembered._stretches(text)[closers] == ([0], [None])


# ── extraction ───────────────────────────────────────────────────────────────

OPENERS = {
    **{name: record.example[: len(record.example) * 2 // 3] for name, record in FORMATS.items()},
    "a brace in a tag": "<tool_call> {\n",
    "a string in a tag": '<tool_call>{"a',
    "an argument": '<invoke name="f"><parameter name="a">x</invoke>',
    "an argument in a tag": "<function=f><parameter=a>x</function>\n",
    "brackets where lines begin": "\n[",
    "calls of Python": "[f(a='\n",
    "calls in sentences": f"say {HERMES} and ",
    "fences": "```json\n{\n",
    "labels": "Action: {\n",
    "reasoning that was spoken": "Here is my thought process:\n",
    "reasoning that ends": "so </think>\n",
    "back quotes": "` ``` `` ",
    "refused, then called": f"> {HERMES}\n\n{HERMES}\n",
}
FAMILIES = {record.body: name for name, record in reversed(FORMATS.items())}
"""The first format that each parser reads: `make test` takes one opener per parser."""


def every_opener() -> list[Any]:
    found = []
    for name, opener in OPENERS.items():
        is_first = name not in FORMATS or FAMILIES[FORMATS[name].body] == name
        found.append(pytest.param(opener, id=name, marks=() if is_first else pytest.mark.slow))
    return found


ENDS = {"nothing": "", "all closers": "\"}})]'</parameter></invoke></function></tool_call>\n```\n"}
MOST_WORK = tape.MOST_WORK + 3
"""A reading that has begun is ended before the budget is looked at: a few passes more."""


def work_of(text: str) -> int:
    stream = Extractor([*TOOLS, {"name": "f", "parameters": {"type": "object"}}])
    stream.close(last=text)
    return stream._tape.work


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@pytest.mark.parametrize("opener", every_opener())
def test_openers_that_never_close_are_looked_at_a_bounded_number_of_times(
    opener: str, end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where one closer at the very end would do for each of them."""
    monkeypatch.setattr(tape, "FREE_WORK", 1_000)
    text = opener * (8_000 // len(opener)) + end
    assert work_of(text) <= MOST_WORK * len(text) + tape.FREE_WORK


SEARCHED = {
    "spoken reasoning": "analysisA\n",
    "another one": "Here is my thought process:\n",
    "code": "a ` b `` c ``` d ",
    "a plain argument": "<tool>f</tool><tool_input>\n",
}


@pytest.mark.parametrize("part", SEARCHED.values(), ids=SEARCHED)
def test_a_mark_that_never_comes_is_searched_for_once(part: str) -> None:
    text = part * (60_000 // len(part))
    assert work_of(text) <= 4 * len(text)


def test_a_reply_that_only_looks_like_calls_is_given_up_and_says_so() -> None:
    text = "<tool_call> {\n" * 6_000 + HERMES
    found = find_calls(text, TOOLS)
    assert [refusal.reason for refusal in found.refused] == ["too_much"]
    assert not found.calls
    assert found.content == text
    sooner = find_calls("<tool_call> {\n" * 1_000 + HERMES, TOOLS)
    assert [call.name for call in sooner.calls] == ["send_mail"]


@many(60)
@given(
    parts=st.lists(st.sampled_from(list(OPENERS.values())), max_size=12), size=st.integers(1, 90)
)
def test_any_chunking_gives_up_at_the_same_place(parts: list[str], size: int) -> None:
    text = "".join(part * 4 for part in parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tape, "FREE_WORK", 1_000)
        patch.setattr(tape, "MOST_IN_VAIN", 5)
        stream = Extractor(TOOLS)
        for start in range(0, len(text), size):
            stream.feed(text[start : start + size])
        stream.close()
        assert stream.extraction == find_calls(text, TOOLS)


# ── steps ────────────────────────────────────────────────────────────────────


def steps_of(run: Callable[[], object]) -> int:
    """How many functions are called, ours and Python's own."""
    steps = 0

    def count(frame: Any, event: str, given: Any) -> None:
        nonlocal steps
        steps += event.endswith("call")

    sys.setprofile(count)
    try:
        run()
    finally:
        sys.setprofile(None)
    return steps


def fed(text: str) -> None:
    stream = Extractor(TOOLS)
    for start in range(0, len(text), 20):
        stream.feed(text[start : start + 20])
    stream.close()


@pytest.mark.parametrize(
    "run",
    [pytest.param(lambda text: find_calls(text, TOOLS), marks=pytest.mark.slow), fed],
    ids=["whole", "fed"],
)
@pytest.mark.parametrize("opener", every_opener())
def test_the_steps_of_an_extraction_grow_as_the_text_does(
    opener: str, run: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tape, "FREE_WORK", 1_000)
    small, large = (opener * (size // len(opener) + 1) for size in (3_000, 12_000))
    run(small)
    ratio = len(large) / len(small)
    # Fences reach their steady cost only after some thousand characters: 4.3 from 12,000 to 48,000.
    assert steps_of(lambda: run(large)) <= 1.5 * ratio * steps_of(lambda: run(small))


@pytest.mark.parametrize(("opener", "closer"), [("/*", "*/"), ("//", "\n")])
def test_a_comment_that_seems_to_begin_is_followed_only_so_far(opener: str, closer: str) -> None:
    """One may seem to begin after each quote of a text."""
    gap = re.compile(lexis.GAP)
    for length, passed in ((400, True), (600, False)):
        found = gap.match(opener + "x" * length + closer)
        assert found is not None
        assert bool(found.end()) == passed


def test_a_flood_is_given_up_at_the_cost_that_a_hypothesis_may_have(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    notes = 0
    note = Hypothesis.note

    def counted(self: Hypothesis, *given: Any) -> Hypothesis:
        nonlocal notes
        notes += 1
        return note(self, *given)

    monkeypatch.setattr(Hypothesis, "note", counted)
    repair_json('{"a"' + ":" * 100_000)
    assert 0 < notes <= limits.MOST_COST


def test_a_word_without_quotes_is_not_looked_through_to_the_end_of_the_text() -> None:
    text = "word, " * 20_000
    assert missing_quotes._UNOPENED_SINGLE.match(text + "'") is None
    assert missing_quotes._UNOPENED_SINGLE.match("src/**',") is not None
