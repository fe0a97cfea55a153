"""A case file is loaded whole or refused with file, line and what is wrong; a verdict is one line."""

from pathlib import Path
from typing import Any

import pytest

import zkit.cases.files
import zkit.cases.runner
from zkit.cases import Case, CaseFileError, Verdict, load, run, shipped_corpus
from zkit.repair import Rank, Repaired, Unrepairable

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
        ('"RESPELL"', '"PERFECT"', 10, "'PERFECT' is no rank: EXACT, UNWRAP"),
        ("json = '{\"a\": 1}'\nrank = \"RESPELL\"", 'refused = "never"', 9, "'never' is no reason"),
        ("json = '{\"a\": 1}'", 'refused = "cut"', 9, "a refusal has no rank"),
        ('schema = "one"', 'schema = "two"', 11, "'two' is not among the schemas"),
        ("untouched = true", "untouched = 1", 17, "untouched must be true or false, not a number"),
        ('text = \'{"a": "1,}"}\'', "text = '{a}'", 16, "untouched, but the text is not strict"),
        ('it = "leave it inside a string alone"', 'it = "drop it"', 14, "is taken by the case in line 6"),
        ("[[case]]\nit = \"drop", "[[case]\nit = \"drop", 6, "not TOML: "),
        ('about = "trailing commas"\n', "", 1, "`about` is missing"),
        (SOUND[SOUND.index("[[case]]") :], "", 1, "no [[case]] in it"),
        ('about = "trailing commas"\n', 'about = "x"\nsource = "y"\n', 1, "unknown key 'source'"),
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


def verdict_on(monkeypatch: pytest.MonkeyPatch, outcome: Any, **expected: Any) -> Verdict:
    monkeypatch.setattr(zkit.cases.runner, "repair_json", lambda *_, **__: outcome)
    return run(Case(file="f.toml", line=1, it="hold", text='{"a": 1}', **expected))


READ = Repaired({"a": 1}, (), Rank.RESPELL, '{"a": 1}')
PAIR = Repaired({"b": 2, "a": 1}, (), Rank.RESPELL, "")
REFUSED = Unrepairable("several", 0, "two values:\n  send one")


@pytest.mark.parametrize(
    ("outcome", "expected", "deviation"),
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
    deviation: str | None,
) -> None:
    """One line, and none when the case holds."""
    verdict = verdict_on(monkeypatch, outcome, **expected)
    assert verdict.deviation == deviation
    assert verdict.passes == (deviation is None)


def test_a_long_deviation_shows_the_neighbourhood_of_the_first_difference(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A whole file in a string does not hide the one character that differs."""
    outcome = Repaired("a" * 900 + "X" + "b" * 900, (), Rank.GUESS, "")
    verdict = verdict_on(monkeypatch, outcome, json='"' + "a" * 900 + "Y" + "b" * 900 + '"')
    assert verdict.deviation is not None
    assert "aYb" in verdict.deviation
    assert "aXb" in verdict.deviation
    assert len(verdict.deviation) < 600


def test_a_text_that_raises_is_a_deviation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing may raise; a run over the corpus goes on and says so."""

    def stumble(*_: Any, **__: Any) -> None:
        raise KeyError("u")

    monkeypatch.setattr(zkit.cases.runner, "repair_json", stumble)
    verdict = run(Case("f", 1, "hold", "x", refused=("cut",)))
    assert verdict.deviation == "expected an outcome, but it raised KeyError('u')"


def test_all_values_are_compared_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """`all` asks repair_all, and only repair_all when nothing else is expected."""
    found = [Repaired(1, (), Rank.EXACT, ""), Repaired(2, (), Rank.EXACT, "")]
    monkeypatch.setattr(zkit.cases.runner, "repair_all", lambda *_, **__: found)
    assert run(Case("f", 1, "hold", "1 2", all=("1", "2"))).passes
    assert run(Case("f", 1, "hold", "1 2", all=("2", "1"))).deviation == (
        "expected all of [2, 1], came [1, 2]"
    )


def test_a_known_failure_holds_while_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    """An improvement is noticed: a case in beyond/ that works now is a deviation."""
    assert verdict_on(monkeypatch, READ, json="2", beyond=True).passes
    works = verdict_on(monkeypatch, READ, json='{"a": 1}', beyond=True)
    assert works.deviation == "this now works: move it out of beyond/"


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
    monkeypatch.setattr(zkit.cases.files, "__file__", str(tmp_path / "zkit/cases/files.py"))
    assert shipped_corpus() == tmp_path / "zkit" / "_corpus"
