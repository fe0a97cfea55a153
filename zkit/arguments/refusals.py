"""Problems in, a `Validation` out: every sentence that refuses arguments is written here."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from zkit.arguments.example import example_for
from zkit.arguments.ready import Ready
from zkit.receipt import Fix
from zkit.repair import Unrepairable
from zkit.repair.messages import refusal
from zkit.results import Problem, Validation, ValidationCode

MOST_PROBLEMS = 5
LONGEST_LINE = 400
_LOG = logging.getLogger("zkit")
_CODES: dict[str, ValidationCode] = {
    "cut": "truncated",
    "ambiguous": "ambiguous",
    "several": "ambiguous",
}
_LINES = {
    "missing": "{place}missing, expected {expected}{hint}.",
    "unknown": "{place}no such field{hint}.",
    "wrong_type": "{place}got {got}, expected {expected}{hint}.",
    "bad_value": "{place}got {got}, expected {expected}{hint}.",
    "inexact": "{place}{got} is not exact enough here{hint}.",
    "ambiguous": "{place}got {got}, which can be read in more than one way{hint}.",
}
_DID_YOU_MEAN = "; did you mean {}?"
_HINTS = {
    "missing": "; you sent {}, which is no field",
    "ambiguous": ": {}",
}


def refuse(
    ready: Ready,
    value: Any,
    problems: Sequence[Problem],
    fixes: tuple[Fix, ...],
    *,
    is_right: bool = False,
) -> Validation:
    """Refuse arguments that were read but do not fit; or that do, but it took too much to read them so."""
    problems = tuple(dict.fromkeys(problems))
    ambiguous = all(problem.code == "ambiguous" for problem in problems)
    lines = [_line(problem) for problem in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"... and {len(problems) - MOST_PROBLEMS} more problems.")
    text = _message(ready, lines, example_for(ready, value, () if is_right else problems))
    code: ValidationCode = "ambiguous" if ambiguous and problems else "invalid_arguments"
    return Validation(text, code, problems, fixes)


def refuse_repair(ready: Ready, text: str, outcome: Unrepairable) -> Validation:
    """Refuse a text that could not be read as JSON."""
    code = _CODES.get(outcome.reason, "invalid_json")
    said = refusal(text, outcome.reason, outcome.at)
    return Validation(_message(ready, [said], example_for(ready, None, ())), code)


def refuse_bytes(ready: Ready, error: UnicodeDecodeError) -> Validation:
    """Refuse bytes that are no text."""
    line = f"The arguments are not UTF-8 text: byte {error.start} cannot be read."
    return Validation(_message(ready, [line], example_for(ready, None, ())), "invalid_json")


def refuse_unusable(ready: Ready, error: Exception) -> Validation:
    """Refuse what could not even be judged."""
    _LOG.debug("arguments of %s could not be checked", ready.target.name, exc_info=error)
    line = "The arguments could not be checked."
    said = _message(ready, [line], example_for(ready, None, ()))
    refusal = Validation(said, "invalid_arguments")
    refusal.__cause__ = error  # the fault of a validator, which is not for the model to mend
    return refusal


def _message(ready: Ready, lines: list[str], example: str | None) -> str:
    name = f' for "{ready.tool}"' if ready.tool else ""
    head = f"The arguments{name} were refused."
    tail = [f"Send the call again, for example with: {example}"] if example else []
    text = "\n".join([head, *lines, *tail])
    # What a model sent may hold half a character; a message must be text that can be sent.
    return text.encode("utf-8", "backslashreplace").decode()


def _line(problem: Problem) -> str:
    place = f"{problem.path}: " if problem.path else ""
    hint = _HINTS.get(problem.code, _DID_YOU_MEAN).format(problem.hint) if problem.hint else ""
    line = _LINES[problem.code].format(
        place=place, got=problem.got, expected=problem.expected, hint=hint
    )
    line = line.replace("?.", "?")
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 4]} ..."
