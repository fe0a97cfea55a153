"""Case files in, verdicts out: the corpus and how it is judged."""

from zkit.cases.case import Case, CaseFileError, Verdict
from zkit.cases.files import load, shipped_corpus
from zkit.cases.runner import deviation, run

__all__ = ["Case", "CaseFileError", "Verdict", "deviation", "load", "run", "shipped_corpus"]
