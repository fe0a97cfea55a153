"""Case files in, verdicts out: the corpus and how it is judged."""

from zkit.cases.case import Case, CaseFileError, CaseResult
from zkit.cases.case_runner import deviation, run
from zkit.cases.decode_cases import DecodeCase
from zkit.cases.extract_cases import ExtractCase
from zkit.cases.files import load, shipped_corpus
from zkit.cases.recorded import Recorded, Recordings, recordings
from zkit.cases.repair_cases import RepairCase

__all__ = [
    "Case",
    "CaseFileError",
    "CaseResult",
    "DecodeCase",
    "ExtractCase",
    "Recorded",
    "Recordings",
    "RepairCase",
    "deviation",
    "load",
    "recordings",
    "run",
    "shipped_corpus",
]
