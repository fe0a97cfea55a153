"""Help a model after a failed call: the failure decides which sections of the manual it gets.

| module | contains |
|---|---|
| `documents_of_tools` | parse a tool's document into sections, generate one from a spec, and check it |
| `failure_modes` | the failure modes, and the sections that help with each |
| `tool_inference` | which tool a failure is about, and the nearest declared example |
| `failure_counts` | failures by model and mode, in memory or in SQLite |
| `hints` | `correction_hints`: everything that helps with one failure |
| `coach` | the guard that adds to failure messages, more with each attempt |
"""

from zkit.coach.coach import Coach, coach_of, coached
from zkit.coach.documents_of_tools import (
    TITLES,
    DocSection,
    document_sections,
    lint_document,
    parse_document,
    tool_document,
)
from zkit.coach.failure_counts import FailureCounts, History
from zkit.coach.failure_modes import SECTIONS, failure_mode, select_sections
from zkit.coach.hints import Hints, correction_hints
from zkit.coach.tool_inference import MEANT, infer_tool, nearest_example

__all__ = [
    "MEANT",
    "SECTIONS",
    "TITLES",
    "Coach",
    "DocSection",
    "FailureCounts",
    "Hints",
    "History",
    "coach_of",
    "coached",
    "correction_hints",
    "document_sections",
    "failure_mode",
    "infer_tool",
    "lint_document",
    "nearest_example",
    "parse_document",
    "select_sections",
    "tool_document",
]
