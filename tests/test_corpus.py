"""Every case of the shipped corpus holds; a failure names the case by its path and sentence."""

from itertools import groupby
from pathlib import Path

import pytest
from grouped import grouped

from zkit.cases import Case, ExtractCase, RepairCase, load, mismatch, shipped_corpus
from zkit.extract import FORMATS

CASES = load([shipped_corpus()])
FILES = {file: list(cases) for file, cases in groupby(CASES, key=lambda case: case.file)}


@pytest.mark.parametrize("cases", FILES.values(), ids=FILES)
def test_the_cases_of_a_file(cases: list[Case]) -> None:
    """The outcome is the one that the case expects; that of a known failure is not."""
    with grouped() as group:
        for case in cases:
            with group.case(case.id):
                found = mismatch(case)
                assert not (case.beyond and found is None), "a known failure holds: move the case"
                assert case.beyond or found is None, found


def test_every_fault_has_a_twin_that_stays_untouched() -> None:
    """A repair that also changes what was valid is noticed in the same file."""
    alone = ("repair/tool_arguments.jsonl",)
    cases = [case for case in CASES if case.file.startswith("repair/")]
    with_twin = {case.file for case in cases if isinstance(case, RepairCase) and case.untouched}
    assert {case.file for case in cases} - with_twin - set(alone) == set()


def test_the_corpus_has_a_few_hundred_cases_in_each_kind_of_folder() -> None:
    """Nobody empties a folder by accident."""
    folders = [case.file.split("/")[0] for case in CASES]
    assert {"decode", "extract", "repair", "untouched", "wild"} <= set(folders)
    assert len(folders) > 2000


def test_every_format_has_a_file_of_cases() -> None:
    """A format is a record and a corpus file; its first case says that it is found as what it is."""
    named = {case.format for case in CASES if isinstance(case, ExtractCase) and case.format}
    files = {Path(case.file).stem for case in CASES if case.file.startswith("extract/")}
    assert set(FORMATS) <= files
    assert {(name,) for name in FORMATS} <= named


def test_at_least_150_texts_hold_no_call() -> None:
    """Documentation, quotes, logs and code that name a tool stay as they are."""
    untouched = [case for case in CASES if isinstance(case, ExtractCase) and case.untouched]
    assert len(untouched) >= 150
