"""Decoded arguments in, a refusal out where they are the placeholders of an example, sent back as they were."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from zkit.arguments.example import placeholder
from zkit.results import Problem, Validation


def refuse_echo(tool: str, arguments: Mapping[str, Any]) -> Validation | None:
    """Refuse arguments in which a text is the placeholder of its own field; None where none is.

    `decode` takes such a text, for it is one; but a call that is to be run would run with it.
    """
    problems = tuple(_echoes(arguments))
    if not problems:
        return None
    lines = [f"{one.path}: got {one.got}, expected {one.expected}." for one in problems]
    head, tail = (
        f'The arguments for "{tool}" were refused.',
        "Send the call again with real values.",
    )
    return Validation("\n".join([head, *lines, tail]), "invalid_arguments", problems)


def _echoes(arguments: Mapping[str, Any]) -> Iterator[Problem]:
    todo: list[tuple[str, Any]] = list(arguments.items())
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
