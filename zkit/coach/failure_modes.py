"""Recognise the mode of a failure, and select the sections of a document that help with it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType

from zkit.coach.documents_of_tools import DocSection
from zkit.json_types import JsonMapping
from zkit.results import Failure, Validation
from zkit.tools.context import log_failure

SECTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        # Models that write programs that use the tools.
        "stdlib_leak": ("Signature", "Parameters", "Notes"),
        "implement_not_orchestrate": ("Signature", "Examples"),
        "key_hallucination": ("Signature", "Returns", "Notes"),
        "path_prefix": ("Notes", "Parameters"),
        "wrong_output": ("Signature", "Returns", "Examples"),
        # Models that write calls.
        "unparseable": ("Signature", "Examples"),
        "truncated": ("Parameters", "Notes"),
        "unknown_tool": ("Signature", "Parameters", "Examples"),
        "missing_field": ("Signature", "Parameters", "Notes"),
        "unknown_field": ("Signature", "Parameters"),
        "wrong_type": ("Signature", "Parameters", "Notes"),
        "bad_value": ("Parameters", "Notes", "Errors"),
        "stale": ("Notes", "Errors"),
        "loop": ("Returns", "Notes"),
        "unconfirmed": ("Signature", "Examples"),
    }
)
"""The sections that help with each failure mode. Two known modes have no row on purpose, because no
section helps with them: `jupyter_confusion` and `syntax_artifact`."""

WITHOUT_EXAMPLE = frozenset(
    {"path_prefix", "stale", "loop", "missing_field", "unknown_field", "wrong_type", "bad_value"}
)
"""Modes for which no example is added. In the first three the form of the call was right; for the others the message
already has an example with the values that were sent. Models copy another example: Qwen2.5-Coder-1.5B sends its path,
Qwen2.5-Coder-0.5B posts its text (decision 35)."""
MOST_SECTIONS = 3
_FIRST = 2  # how many sections to take if the mode has no row, or the document lacks its titles

_BY_CODE = {
    "invalid_json": "unparseable",
    "ambiguous": "unparseable",
    "truncated": "truncated",
    "unknown_tool": "unknown_tool",
    "not_found": "path_prefix",
    "stale": "stale",
    "loop": "loop",
    "unconfirmed": "unconfirmed",
    "invalid_arguments": "bad_value",
}
_BY_PROBLEM = {
    "missing": "missing_field",
    "unknown": "unknown_field",
    "wrong_type": "wrong_type",
    "bad_value": "bad_value",
    "inexact": "bad_value",
    "ambiguous": "bad_value",
}
# Error texts of Python and of a program checker: all words of a row must occur, ignoring case.
_BY_TEXT: tuple[tuple[tuple[str, ...], str], ...] = (
    (("functiondef",), "implement_not_orchestrate"),
    (("classdef",), "implement_not_orchestrate"),
    (("import",), "implement_not_orchestrate"),
    (("forbidden name", "open"), "stdlib_leak"),
    (("parse error", "->"), "syntax_artifact"),
    (("parse error", "→"), "syntax_artifact"),
    (("no such file",), "path_prefix"),
    (("errno 2",), "path_prefix"),
    (("escapes base_dir",), "path_prefix"),
    (("keyerror",), "key_hallucination"),
    (("unknown tool",), "unknown_tool"),
)
_MOST_CHARACTERS = 4_000

Context = JsonMapping
"""The context for a `select` callback, with `query`, `tool`, `failure_mode` and `attempt`."""
Select = Callable[[list[DocSection], Context], Iterable[DocSection]]


def failure_mode(failure: object) -> str:
    """Return the mode of a failure; empty if it is not recognised.

    A failure is a result, the name of a mode, an exception, or the text of an error.
    """
    if isinstance(failure, Validation):
        codes = [_BY_PROBLEM[problem.code] for problem in failure.problems[:1]]
        by_problem = codes if failure.code == "invalid_arguments" else []
        return next(iter(by_problem), _BY_CODE[failure.code])
    if isinstance(failure, Failure):
        return ""
    if isinstance(failure, KeyError):
        return "key_hallucination"
    text = str(failure)[:_MOST_CHARACTERS]
    if text.isidentifier():
        return text
    lowered = text.casefold()
    return next((mode for words, mode in _BY_TEXT if all(word in lowered for word in words)), "")


def select_sections(
    sections: Sequence[DocSection],
    mode: str,
    *,
    table: Mapping[str, Sequence[str]] = SECTIONS,
    select: Select | None = None,
    context: Context | None = None,
    limit: int = MOST_SECTIONS,
) -> list[DocSection]:
    """Return the sections that help with a failure mode, in the order of the document.

    If the mode is not in the table, or the document has none of its titles, these are the first two.
    `select` is a callback `(sections, context)` that chooses instead; if it fails, the table decides.
    """
    if select is not None:
        try:
            chosen = [one for one in select(list(sections), context or {}) if one]
            return [one for one in chosen if isinstance(one, DocSection)][:limit]
        except Exception as error:
            log_failure("the function that selects sections failed with %s", error)
    wanted = {title.casefold() for title in table.get(mode, ())}
    found = [one for one in sections if one.title.casefold() in wanted]
    return (found or list(sections[:_FIRST]))[:limit]
