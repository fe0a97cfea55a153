"""Writes the message of every refusal of arguments."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pydantic_core import to_json

from zkit.arguments.coercions import LONGEST_LINE, MOST_PROBLEMS
from zkit.arguments.example import example_for, placeholder
from zkit.arguments.prepare import Prepared
from zkit.arguments.wording import path_text
from zkit.json_types import JsonMapping
from zkit.receipt import Fix
from zkit.results import Problem, Validation, ValidationCode

if TYPE_CHECKING:
    from zkit.repair import Unrepairable

Path = tuple[str | int, ...]
_LOG = logging.getLogger("zkit")
_CODES: dict[str, ValidationCode] = {
    "cut": "truncated",
    "ambiguous": "ambiguous",
    "several": "ambiguous",
}
_WITHOUT_DATA = frozenset({"empty", "no_json"})
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
    "missing": "; you sent {}, which is not a field",
    "ambiguous": ": {}",
}


def refuse(
    prepared: Prepared,
    value: object,
    problems: Sequence[Problem],
    fixes: tuple[Fix, ...],
    *,
    is_right: bool = False,
) -> Validation:
    """Refuse arguments that do not fit, or that needed a repair above the limit."""
    problems = tuple(dict.fromkeys(problems))
    ambiguous = all(problem.code == "ambiguous" for problem in problems)
    lines = [_line(problem) for problem in problems[:MOST_PROBLEMS]]
    if len(problems) > MOST_PROBLEMS:
        lines.append(f"... and {len(problems) - MOST_PROBLEMS} more problems.")
    text = _message(prepared, lines, example_for(prepared, value, () if is_right else problems))
    code: ValidationCode = "ambiguous" if ambiguous and problems else "invalid_arguments"
    return Validation(text, code, problems, fixes)


def refuse_repair(prepared: Prepared, text: str, outcome: Unrepairable) -> Validation:
    """Refuse a text that could not be read as JSON."""
    from zkit.repair.messages import refusal

    code = _CODES.get(outcome.reason, "invalid_json")
    said = refusal(text, outcome.reason, outcome.at)
    if outcome.reason not in _WITHOUT_DATA:  # the advice of repair is closer to what was sent
        return Validation(_message(prepared, [said], None), code)
    found, _, _ = said.rpartition("\n")
    return Validation(_message(prepared, [found], example_for(prepared, None, ())), code)


def refuse_bytes(prepared: Prepared, error: UnicodeDecodeError) -> Validation:
    """Refuse bytes that are not text."""
    line = f"The arguments are not UTF-8 text: byte {error.start} cannot be read."
    return Validation(_message(prepared, [line], example_for(prepared, None, ())), "invalid_json")


def refuse_half_character(prepared: Prepared, value: object) -> Validation | None:
    """Refuse a value with a lone surrogate, which cannot be written to a file or socket; None
    without one."""
    try:
        to_json(value, inf_nan_mode="constants", fallback=str)
        return None
    except ValueError:
        place = _half_character(value)
    if place is None:
        return None
    path, text = place
    got = f'half a character ("{text}")'
    return refuse(prepared, None, [Problem(path_text(path), "bad_value", got, "whole ones")], ())


def _half_character(value: object) -> tuple[Path, str] | None:
    """Return the place of the first lone surrogate, and its escape."""
    todo: list[tuple[Path, object]] = [((), value)]
    while todo:
        path, part = todo.pop()
        texts = list(part) if isinstance(part, Mapping) else [part]
        for text in texts:
            found = _SURROGATE.search(text) if isinstance(text, str) else None
            if found is not None:
                return path, f"\\u{ord(found[0]):04x}"
        if isinstance(part, Mapping):
            todo += reversed([((*path, str(key)), below) for key, below in part.items()])
        elif isinstance(part, list | tuple):
            todo += reversed([((*path, number), below) for number, below in enumerate(part)])
    return None


_SURROGATE = re.compile(r"[\ud800-\udfff]")


def refuse_unusable(prepared: Prepared, error: Exception) -> Validation:
    """Refuse what could not even be judged."""
    _LOG.debug("arguments of %s could not be checked", prepared.target.name, exc_info=error)
    line = "The arguments could not be checked."
    said = _message(prepared, [line], example_for(prepared, None, ()))
    refusal = Validation(said, "invalid_arguments")
    refusal.__cause__ = error  # the fault of a validator, which the model cannot fix
    return refusal


def _message(prepared: Prepared, lines: list[str], example: str | None) -> str:
    name = f' for "{prepared.tool}"' if prepared.tool else ""
    head = f"The arguments{name} were refused."
    tail = [f"Send the call again, for example with: {example}"] if example else []
    text = "\n".join([head, *lines, *tail])
    # What a model sent may hold a lone surrogate; a message must be text that can be sent.
    return text.encode("utf-8", "backslashreplace").decode()


def _line(problem: Problem) -> str:
    place = f"{problem.path}: " if problem.path else ""
    hint = _HINTS.get(problem.code, _DID_YOU_MEAN).format(problem.hint) if problem.hint else ""
    line = _LINES[problem.code].format(
        place=place, got=problem.got, expected=problem.expected, hint=hint
    )
    line = line.replace("?.", "?")
    return line if len(line) <= LONGEST_LINE else f"{line[: LONGEST_LINE - 4]} ..."


def refuse_echo(tool: str, arguments: JsonMapping) -> Validation | None:
    """Refuse arguments in which a text is the placeholder of its own field; None if there is none.

    `decode` accepts such a text, but a call must not run with it.
    """
    for value in arguments.values():
        if value.__class__ not in _CANNOT_ECHO and not (
            value.__class__ is str and value[:1] != "<"
        ):
            break
    else:
        return None
    problems = tuple(_echoes(arguments))
    if not problems:
        return None
    lines = [f"{one.path}: got {one.got}, expected {one.expected}." for one in problems]
    head, tail = (
        f'The arguments for "{tool}" were refused.',
        "Send the call again with real values.",
    )
    return Validation("\n".join([head, *lines, tail]), "invalid_arguments", problems)


_CANNOT_ECHO = frozenset({int, float, bool, type(None)})


def _echoes(arguments: JsonMapping) -> Iterator[Problem]:
    todo: list[tuple[str, object]] = list(arguments.items())
    for name, value in todo:
        if isinstance(value, str):
            if value[:1] == "<" and value == placeholder(name):
                yield Problem(
                    name, "bad_value", f'"{value}"', "the value itself, not its placeholder"
                )
        elif isinstance(value, Mapping):
            todo += value.items()
        elif isinstance(value, list | tuple):
            todo += [(name, item) for item in value]
