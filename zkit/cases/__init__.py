"""Case files: read them, run them, and write new ones from recorded failures."""

from zkit.cases.case import Case, CaseFileError, CaseResult
from zkit.cases.case_files import (
    Recorded,
    Recordings,
    load,
    mismatch,
    recordings,
    run,
    shipped_corpus,
)
from zkit.cases.decode_cases import DecodeCase
from zkit.cases.extract_cases import ExtractCase
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
    "load",
    "mismatch",
    "recordings",
    "run",
    "shipped_corpus",
]
