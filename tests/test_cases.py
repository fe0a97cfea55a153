"""A case file is loaded whole or refused with file, line and what is wrong; a verdict is one line."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import zkit.cases.case_files
import zkit.cases.decode_cases
import zkit.cases.extract_cases
import zkit.cases.repair_cases
from zkit.calls import Call
from zkit.cases import (
    CaseFileError,
    CaseResult,
    DecodeCase,
    ExtractCase,
    RepairCase,
    load,
    run,
    shipped_corpus,
)
from zkit.receipt import Fix
from zkit.repair import Rank, Repaired, Unrepairable
from zkit.results import Problem, Validation

SOUND = """\
about = "trailing commas"

[schemas.one]
type = "object"

[[case]]
it = "drop it"
text = '{"a": 1,}'
json = '{"a": 1}'
rank = "RESPELL"
schema = "one"
source = "written by hand"

[[case]]
it = "leave it inside a string alone"
text = '{"a": "1,}"}'
untouched = true
"""


def write(folder: Path, content: str, name: str = "fault.toml") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def problem_of(path: Path) -> CaseFileError:
    with pytest.raises(CaseFileError) as caught:
        load([path])
    return caught.value


def test_a_toml_file_gives_its_cases_in_order(tmp_path: Path) -> None:
    """What people write arrives in one record, with the line where it begins."""
    first, second = load([write(tmp_path, SOUND)])
    assert isinstance(first, RepairCase)
    assert isinstance(second, RepairCase)
    assert (first.it, first.line, first.rank) == ("drop it", 6, Rank.RESPELL)
    assert first.schema == {"type": "object"}
    assert second.untouched
    assert second.id == f"{(tmp_path / 'fault.toml').as_posix()}::{second.it}"


def test_a_folder_names_its_cases_by_the_path_below_it(tmp_path: Path) -> None:
    """Ids do not change with the place of the checkout."""
    write(tmp_path, SOUND, "repair/fault.toml")
    write(tmp_path, '{"it": "see", "text": "{}", "untouched": true}\n', "wild/real.jsonl")
    ids = [case.id for case in load([tmp_path])]
    assert ids[0] == "repair/fault.toml::drop it"
    assert ids[-1] == "wild/real.jsonl::see"


def test_a_jsonl_line_keeps_its_provenance(tmp_path: Path) -> None:
    """What is harvested says where it comes from; its schema may be named once for the file."""
    content = (
        '{"schemas": {"one": {"type": "object"}}}\n'
        "\n"
        '{"text": "x", "refused": "no_json", "schema": "one", "model": "m", "meta": {"style": "s"}}\n'
    )
    (case,) = load([write(tmp_path, content, "wild.jsonl")])
    assert isinstance(case, RepairCase)
    assert (case.it, case.line, case.refused) == ("read line 3", 3, ("no_json",))
    assert case.meta == {"style": "s", "model": "m"}
    assert case.schema == {"type": "object"}


@pytest.mark.parametrize(
    ("old", "new", "line", "problem"),
    [
        ("rank =", "rang =", 10, "unknown key 'rang'"),
        ("text = '{\"a\": 1,}'\n", "", 6, "the case has no text"),
        ('it = "drop it"\n', "", 6, "`it` is missing"),
        ("json = '{\"a\": 1}'", "json = '{\"a\": 1'", 9, "json is not JSON: "),
        ("json = '{\"a\": 1}'\n", "", 6, "the case expects nothing"),
        ('rank = "RESPELL"', 'refused = "several"', 6, "both json and refused"),
        ('"RESPELL"', '"PERFECT"', 10, "'PERFECT' is not a rank: EXACT, UNWRAP"),
        ("json = '{\"a\": 1}'\nrank = \"RESPELL\"", 'refused = "never"', 9, "'never' is no reason"),
        ("json = '{\"a\": 1}'", 'refused = "cut"', 9, "a refusal has no rank"),
        ('schema = "one"', 'schema = "two"', 11, "'two' is not among the schemas"),
        ("untouched = true", "untouched = 1", 17, "untouched must be true or false, not a number"),
        ('text = \'{"a": "1,}"}\'', "text = '{a}'", 16, "untouched, but the text is not strict"),
        ('it = "leave it inside a string alone"', 'it = "drop it"', 14, "is taken by the case in line 6"),
        ("[[case]]\nit = \"drop", "[[case]\nit = \"drop", 6, "not TOML: "),
        ('about = "trailing commas"\n', "", 1, "`about` is missing"),
        (SOUND[SOUND.index("[[case]]") :], "", 1, "no [[case]] in it"),
        ('about = "trailing commas"\n', 'about = "x"\nsource = "y"\n', 2, "unknown key 'source'"),
    ],
)  # fmt: skip
def test_a_malformed_toml_file_is_refused_with_its_line(
    tmp_path: Path, old: str, new: str, line: int, problem: str
) -> None:
    """The message names the file, the line and what is wrong."""
    assert old in SOUND
    error = problem_of(write(tmp_path, SOUND.replace(old, new, 1)))
    assert error.line == line
    assert problem in error.problem
    assert str(error) == f"{error.file}:{line}: {error.problem}"
    assert error.file.endswith("fault.toml")


EXTRACT = """\
about = "calls in tags"
kind = "extract"
toolset = "garden"

[[tools.garden]]
name = "water"
parameters = { type = "object", properties = { bed = { type = "string" } } }

[[tools.kitchen]]
name = "boil"

[[case]]
it = "find one call"
text = '<tool_call>{"name": "water", "arguments": {"bed": "A"}}</tool_call>'
calls = '[{"name": "water", "arguments": {"bed": "A"}}]'
content = ""
format = "hermes_json"

[[case]]
it = "leave prose alone"
toolset = "kitchen"
text = "I would boil it."
untouched = true
"""

DECODE = """\
about = "numbers that came as text"
kind = "decode"

[schemas.wait]
type = "object"
properties = { seconds = { type = "integer" } }

[[case]]
it = "read digits as a number"
schema = "wait"
text = '{"seconds": "5"}'
json = '{"seconds": 5}'
rank = "RESPELL"

[[case]]
it = "refuse a word"
schema = { type = "object" }
value = { seconds = "five" }
refused = "invalid_arguments"
problems = ["seconds"]
"""


def test_a_file_says_its_kind_at_its_top(tmp_path: Path) -> None:
    """The folder does not decide it: users have folders of their own."""
    found, left = load([write(tmp_path, EXTRACT, "repair/fault.toml")])
    assert isinstance(found, ExtractCase)
    assert isinstance(left, ExtractCase)
    assert [tool["name"] for tool in found.toolset] == ["water"]
    assert [tool["name"] for tool in left.toolset] == ["boil"]
    assert (found.format, left.untouched) == (("hermes_json",), True)
    read, refused = load([write(tmp_path, DECODE)])
    assert isinstance(read, DecodeCase)
    assert isinstance(refused, DecodeCase)
    assert (read.rank, refused.schema) == (Rank.RESPELL, {"type": "object"})
    assert (read.schema or {})["properties"] == {"seconds": {"type": "integer"}}
    assert (refused.value, refused.refused) == ({"seconds": "five"}, ("invalid_arguments",))


def test_tool_sets_may_stand_in_a_file_beside_the_cases(tmp_path: Path) -> None:
    """Many files offer the same tools without copying them."""
    write(tmp_path, json.dumps({"garden": [{"name": "water"}]}), "tools.json")
    content = (
        '{"kind": "extract", "tools": "tools.json", "toolset": "garden"}\n'
        '{"text": "x", "untouched": true}\n'
        '{"kind": "repair"}\n'
        '{"text": "x", "refused": "no_json"}\n'
    )
    first, second = load([write(tmp_path, content, "wild.jsonl")])
    assert isinstance(first, ExtractCase)
    assert first.toolset == [{"name": "water"}]
    assert isinstance(second, RepairCase)


def test_a_file_with_tools_is_for_extraction(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(EXTRACT.replace('kind = "extract"\n', ""), "utf-8")
    assert {case.kind for case in load([tmp_path])} == {"extract"}


@pytest.mark.parametrize(
    ("valid", "old", "new", "line", "problem"),
    [
        (EXTRACT, 'kind = "extract"', 'kind = "guess"', 2, "kind 'guess' is none of repair, extract"),
        (EXTRACT, 'kind = "extract"', 'kind = "repair"', 3, "unknown key 'toolset' (it needs kind = \"extract\")"),
        (EXTRACT, 'kind = "extract"', "nonsense = 1", 2, "unknown key 'nonsense' (known: about, kind,"),
        (EXTRACT, 'toolset = "garden"\n', "", 11, "the case has no toolset"),
        (EXTRACT, 'toolset = "kitchen"', 'toolset = "cellar"', 21, "'cellar' is not among the tools of this file: garden, kitchen"),
        (EXTRACT, 'toolset = "kitchen"', "toolset = 3", 21, "toolset must be a list, not a number"),
        (EXTRACT, '[[tools.garden]]', "[tools.garden]", 5, "tools must be a list, not a table"),
        (EXTRACT, "calls = '[{", "calls = '[[{", 15, "calls is not JSON"),
        (EXTRACT, "\"arguments\": {\"bed\": \"A\"}}]'", "\"args\": {}}]'", 15, "calls must be a list of"),
        (EXTRACT, 'format = "hermes_json"', "incomplete = true", 17, "incomplete must be a list, not a boolean"),
        (EXTRACT, "untouched = true", 'untouched = true\ncontent = "x"', 24, "untouched: the content is"),
        (EXTRACT, "untouched = true", "untouched = true\ncalls = '[]'", 19, "both calls and untouched"),
        (EXTRACT, "untouched = true", 'json = "1"', 23, "unknown key 'json'"),
        (DECODE, 'schema = "wait"\n', "", 8, "the case has no schema"),
        (DECODE, "text = '{\"seconds\": \"5\"}'\n", "", 8, "the case has no text and no value"),
        (DECODE, "value =", "text = 'x'\nvalue =", 15, "both text and value"),
        (DECODE, '"invalid_arguments"', '"never"', 19, "'never' is no code: invalid_json"),
        (DECODE, 'rank = "RESPELL"', 'problems = ["x"]', 13, "only a refusal has problems"),
        (DECODE, "json = '{\"seconds\": 5}'\nrank", "refused = 'truncated'\nrank", 12, "a refusal has no rank"),
        (DECODE, "value = {", "tools = {", 18, "unknown key 'tools'"),
    ],
)  # fmt: skip
def test_a_malformed_file_of_another_kind_is_refused_with_its_line(
    tmp_path: Path, valid: str, old: str, new: str, line: int, problem: str
) -> None:
    """Every kind has its own keys, and says so."""
    assert old in valid
    error = problem_of(write(tmp_path, valid.replace(old, new, 1)))
    assert problem in error.problem
    assert error.line == line


@pytest.mark.parametrize(
    ("content", "problem"),
    [(None, "cannot be read: No such file"), ("[", "is not JSON"), ("3", "tools must be a table")],
)
def test_a_bad_file_of_tools_is_refused_at_the_key_that_names_it(
    tmp_path: Path, content: str | None, problem: str
) -> None:
    """A typing error in its name does not pass as an empty list of tools."""
    if content is not None:
        write(tmp_path, content, "tools.json")
    top = 'about = "x"\nkind = "extract"\ntools = "tools.json"\n'
    error = problem_of(write(tmp_path, top + "[[case]]\nit = 'x'\n"))
    assert problem in error.problem
    assert error.line == 3


@pytest.mark.parametrize(
    ("content", "line", "problem"),
    [
        ('{"text": "x", "refused": "empty"}\n{"text": "x"\n', 2, "not JSON: "),
        ('\n["text"]\n', 2, "a line must hold one JSON object"),
        ('{"text": "x", "json": "1", "refused": "empty"}\n', 1, "both json and refused"),
        ('{"text": "x", "verdict": "1"}\n', 1, "unknown key 'verdict'"),
        ('{"text": "x", "all": ["{"]}\n', 1, "all is not JSON: "),
        ('{"text": "x", "all": "{}"}\n', 1, "all must be a list, not a string"),
    ],
)
def test_a_malformed_jsonl_file_is_refused_with_its_line(
    tmp_path: Path, content: str, line: int, problem: str
) -> None:
    """A harvested file is checked as strictly as a written one."""
    error = problem_of(write(tmp_path, content, "wild.jsonl"))
    assert error.line == line
    assert problem in error.problem


def test_a_missing_file_an_empty_folder_and_a_strange_file_are_refused(tmp_path: Path) -> None:
    """A typing error in a path never passes as an empty corpus."""
    assert "cannot be read: No such file" in problem_of(tmp_path / "gone.toml").problem
    assert "no case files" in problem_of(tmp_path).problem
    assert "not a case file" in problem_of(write(tmp_path, "", "notes.txt")).problem


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    """The line is the one that holds the first bad byte."""
    path = tmp_path / "fault.toml"
    path.write_bytes(b'about = "x"\n# \xff\n')
    assert (problem_of(path).line, problem_of(path).problem) == (2, "not UTF-8")


def verdict_on(monkeypatch: pytest.MonkeyPatch, outcome: Any, **expected: Any) -> CaseResult:
    monkeypatch.setattr(zkit.cases.repair_cases, "repair_json", lambda *_, **__: outcome)
    return run(RepairCase(file="f.toml", line=1, it="hold", text='{"a": 1}', **expected))


READ = Repaired({"a": 1}, (), Rank.RESPELL, '{"a": 1}')
PAIR = Repaired({"b": 2, "a": 1}, (), Rank.RESPELL, "")
REFUSED = Unrepairable("several", 0, "two values:\n  send one")


@pytest.mark.parametrize(
    ("outcome", "expected", "mismatch"),
    [
        (READ, {"json": '{"a": 1}', "rank": Rank.RESPELL, "lossy": False}, None),
        (PAIR, {"json": '{"a": 1, "b": 2}'}, None),
        (READ, {"json": '{"a": 1.0}'}, 'expected {"a": 1.0}, came {"a": 1} (RESPELL)'),
        (READ, {"json": '{"a": true}'}, 'expected {"a": true}, came {"a": 1} (RESPELL)'),
        (READ, {"json": '{"a": 1}', "rank": Rank.EXACT}, "expected rank EXACT, came RESPELL"),
        (READ, {"json": '{"a": 1}', "fixes": ("x",)}, "expected fixes x, came none"),
        (READ, {"json": '{"a": 1}', "lossy": True}, "expected lossy true, came false"),
        (READ, {"untouched": True}, "expected rank EXACT, came RESPELL"),
        (READ, {"refused": ("cut",)}, 'expected refused (cut), came {"a": 1} (RESPELL)'),
        (REFUSED, {"refused": ("cut", "several")}, None),
        (REFUSED, {"refused": ("cut",)}, "expected refused (cut), came refused (several): two values: send one"),
        (REFUSED, {"json": "1"}, "expected 1, came refused (several): two values: send one"),
    ],
)  # fmt: skip
def test_a_verdict_says_what_was_expected_and_what_came(
    monkeypatch: pytest.MonkeyPatch,
    outcome: Repaired | Unrepairable,
    expected: dict[str, Any],
    mismatch: str | None,
) -> None:
    """One line, and none when the case holds."""
    verdict = verdict_on(monkeypatch, outcome, **expected)
    assert verdict.mismatch == mismatch
    assert verdict.passes == (mismatch is None)


def test_a_long_mismatch_shows_the_neighbourhood_of_the_first_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A whole file in a string does not hide the one character that differs."""
    outcome = Repaired("a" * 900 + "X" + "b" * 900, (), Rank.GUESS, "")
    verdict = verdict_on(monkeypatch, outcome, json='"' + "a" * 900 + "Y" + "b" * 900 + '"')
    assert verdict.mismatch is not None
    assert "aYb" in verdict.mismatch
    assert "aXb" in verdict.mismatch
    assert len(verdict.mismatch) < 600


def test_a_text_that_raises_is_a_mismatch(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may raise; a run over the corpus goes on and says so."""

    def fail(*_: Any, **__: Any) -> None:
        raise KeyError("u")

    monkeypatch.setattr(zkit.cases.repair_cases, "repair_json", fail)
    verdict = run(RepairCase("f", 1, "hold", "x", refused=("cut",)))
    assert verdict.mismatch == "expected an outcome, but it raised KeyError('u')"


def test_all_values_are_compared_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """`all` asks repair_all, and only repair_all when nothing else is expected."""
    found = [Repaired(1, (), Rank.EXACT, ""), Repaired(2, (), Rank.EXACT, "")]
    monkeypatch.setattr(zkit.cases.repair_cases, "repair_all", lambda *_, **__: found)
    assert run(RepairCase("f", 1, "hold", "1 2", all=("1", "2"))).passes
    assert run(RepairCase("f", 1, "hold", "1 2", all=("2", "1"))).mismatch == (
        "expected all of [2, 1], came [1, 2]"
    )


def found_in(monkeypatch: pytest.MonkeyPatch, found: dict[str, Any], **expected: Any) -> CaseResult:
    nothing: dict[str, Any] = dict.fromkeys(
        ("calls", "doubtful", "refused", "unknown", "incomplete"), ()
    )
    nothing |= {"content": "", "reasoning": "", "ended_at": None}
    monkeypatch.setattr(
        zkit.cases.extract_cases, "find", lambda _: SimpleNamespace(**{**nothing, **found})
    )
    return run(ExtractCase("f.toml", 1, "hold", "a  b", **expected))


MADE = Call("water", {"n": 1}, origin="hermes_json", rank=Rank.RESPELL)
ONE = '[{"name": "water", "arguments": {"n": 1}}]'


@pytest.mark.parametrize(
    ("found", "expected", "mismatch"),
    [
        ({"calls": (MADE,)}, {"calls": ONE, "content": ""}, None),
        ({"calls": (MADE,)}, {"calls": "[]"}, 'calls: expected [], came [{"arguments": {"n": 1}, "name": "water"}]'),
        ({"calls": (MADE, MADE)}, {"calls": ONE}, "calls: expected"),
        ({"calls": (MADE,)}, {"calls": ONE.replace("1", "1.0")}, "calls: expected"),
        ({"calls": (MADE,)}, {"calls": ONE, "format": ("hermes_json",)}, None),
        ({"calls": (MADE, MADE)}, {"calls": ONE[:-1] + "," + ONE[1:], "format": ("hermes_json",)}, None),
        ({"calls": (MADE,)}, {"calls": ONE, "format": ("glm45",)}, "expected format glm45, came hermes_json"),
        ({"calls": (MADE,)}, {"calls": ONE, "rank": Rank.EXACT}, "expected rank EXACT, came RESPELL"),
        ({"content": "a b"}, {"calls": "[]", "content": " a\n b "}, None),
        ({"content": "ab"}, {"calls": "[]", "content": "a b"}, 'content: expected "a b", came "ab"'),
        ({"reasoning": None}, {"calls": "[]", "reasoning": ""}, None),
        ({"reasoning": "why"}, {"calls": "[]", "reasoning": ""}, 'reasoning: expected "", came "why"'),
        ({"unknown": (MADE,)}, {"calls": "[]", "unknown": ("water",)}, None),
        ({"unknown": (MADE,)}, {"calls": "[]"}, "expected unknown none, came water"),
        ({"incomplete": (MADE,)}, {"calls": "[]"}, "expected incomplete none, came water"),
        ({"incomplete": (MADE,)}, {"calls": "[]", "incomplete": 1}, None),
        ({"incomplete": (MADE,)}, {"calls": "[]", "incomplete": 2}, "expected incomplete 2, came 1"),
        ({"ended_at": 4}, {"calls": "[]", "ended": True}, None),
        ({"ended_at": None}, {"calls": "[]", "ended": True}, "expected ended true, came false"),
        ({"content": "a  b"}, {"untouched": True}, None),
        ({"content": "a b"}, {"untouched": True}, 'content: expected "a  b", came "a b"'),
        ({"content": "a  b", "calls": (MADE,)}, {"untouched": True}, "calls: expected []"),
        ({"content": "a  b", "unknown": (MADE,)}, {"untouched": True}, "expected unknown none"),
    ],
)  # fmt: skip
def test_a_verdict_on_an_extraction_names_the_part_that_differs(
    monkeypatch: pytest.MonkeyPatch,
    found: dict[str, Any],
    expected: dict[str, Any],
    mismatch: str | None,
) -> None:
    """Calls first, then what was reported, then the text, then where the calls came from."""
    verdict = found_in(monkeypatch, found, **expected)
    assert verdict.passes == (mismatch is None)
    assert (verdict.mismatch or "").startswith(mismatch or "")


DIGITS = Fix("read_digits", Rank.RESPELL, 0, 0, "5", "", path="n")
DECODED = SimpleNamespace(value={"n": 5}, fixes=(DIGITS,), rank=Rank.RESPELL)
PROBLEM = Problem("n", "wrong_type", "x", "number")
BAD = Validation("n: must be a number,\n  you sent x", problems=(PROBLEM,))


@pytest.mark.parametrize(
    ("outcome", "expected", "mismatch"),
    [
        (DECODED, {"json": '{"n": 5}', "rank": Rank.RESPELL, "fixes": ("read_digits",)}, None),
        (DECODED, {"json": '{"n": "5"}'}, 'expected {"n": "5"}, came {"n": 5} (RESPELL)'),
        (DECODED, {"json": '{"n": 5}', "fixes": ()}, "expected fixes none, came read_digits"),
        (DECODED, {"untouched": True, "value": {"n": 5}}, "expected rank EXACT, came RESPELL"),
        (DECODED, {"refused": ("truncated",)}, 'expected refused (truncated), came {"n": 5} (RESPELL)'),
        (BAD, {"refused": ("invalid_arguments",), "problems": ("n",)}, None),
        (BAD, {"refused": ("invalid_arguments",), "problems": ()}, "expected problems none, came n"),
        (BAD, {"refused": ("truncated",)}, "expected refused (truncated), came refused (invalid_arguments): n: must be a number, you sent x"),
        (BAD, {"json": "{}"}, "expected {}, came refused (invalid_arguments): n: must be a number, you sent x"),
    ],
)  # fmt: skip
def test_a_verdict_on_decoded_arguments_says_what_was_expected_and_what_came(
    monkeypatch: pytest.MonkeyPatch, outcome: Any, expected: dict[str, Any], mismatch: str | None
) -> None:
    """The value, its receipt, or the refusal with the places that it names."""
    monkeypatch.setattr(zkit.cases.decode_cases, "outcome_of", lambda _: outcome)
    assert run(DecodeCase("f.toml", 1, "hold", **expected)).mismatch == mismatch


def test_a_known_failure_holds_while_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """An improvement is noticed: a case in beyond/ that works now is a mismatch."""
    assert verdict_on(monkeypatch, READ, json="2", beyond=True).passes
    works = verdict_on(monkeypatch, READ, json='{"a": 1}', beyond=True)
    assert works.mismatch == "this now works: move it out of beyond/"


def test_a_file_below_beyond_holds_known_failures(tmp_path: Path) -> None:
    """The folder says it, not the case."""
    write(tmp_path, SOUND, "beyond/fault.toml")
    assert all(case.beyond for case in load([tmp_path]))
    assert not any(case.beyond for case in load([write(tmp_path / "repair", SOUND)]))


def test_the_shipped_corpus_is_found_in_a_checkout() -> None:
    """`zkit corpus run` without a path has something to run."""
    assert (shipped_corpus() / "repair").is_dir()


def test_the_shipped_corpus_of_an_installed_package_is_inside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A wheel carries the corpus as package data."""
    (tmp_path / "zkit" / "_corpus").mkdir(parents=True)
    monkeypatch.setattr(
        zkit.cases.case_files, "__file__", str(tmp_path / "zkit/cases/case_files.py")
    )
    assert shipped_corpus() == tmp_path / "zkit" / "_corpus"
