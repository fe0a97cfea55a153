"""Every case of the shipped corpus is a test; its id is the case's path and sentence."""

import pytest

from zkit.cases import Case, deviation, load, shipped_corpus


def as_parameter(case: Case) -> object:
    marks = [pytest.mark.xfail(strict=True, reason="a known failure")] if case.beyond else []
    return pytest.param(case, id=case.id, marks=marks)


@pytest.mark.parametrize("case", [as_parameter(case) for case in load([shipped_corpus()])])
def test_case(case: Case) -> None:
    """The outcome is the one that the case expects."""
    found = deviation(case)
    assert found is None, found


def test_every_fault_has_a_twin_that_stays_untouched() -> None:
    """A repair that also changes what was sound is noticed in the same file."""
    alone = ("repair/tool_arguments.jsonl",)
    cases = [case for case in load([shipped_corpus()]) if case.file.startswith("repair/")]
    with_twin = {case.file for case in cases if case.untouched}
    assert {case.file for case in cases} - with_twin - set(alone) == set()


def test_the_corpus_has_a_few_hundred_cases_in_each_kind_of_folder() -> None:
    """Nobody empties a folder by accident."""
    folders = [case.file.split("/")[0] for case in load([shipped_corpus()])]
    assert {"repair", "untouched", "wild"} <= set(folders)
    assert len(folders) > 600
