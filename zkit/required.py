"""Check settings: each function raises an exception that names the setting and what it must be.

A wrong kind is a `TypeError`, a value that makes no sense a `ValueError`. None is accepted only
with `or_none`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from os import PathLike
from typing import Any

from zkit.receipt import Rank

Kinds = type | tuple[type, ...]
_SHOWN = 80


def require_kind(
    name: str, given: object, kinds: Kinds, due: str, *, or_none: bool = False
) -> None:
    """Refuse what is of another kind; `due` says what it must be."""
    if not isinstance(given, kinds) and not (or_none and given is None):
        raise _other_kind(name, given, due, or_none)


def require_flag(name: str, given: object, *, or_none: bool = False) -> None:
    """Refuse what is not True or False."""
    require_kind(name, given, bool, "True or False", or_none=or_none)


def require_text(name: str, given: object, *, or_none: bool = False) -> None:
    """Refuse what is not text."""
    require_kind(name, given, str, "a text", or_none=or_none)


def require_path(name: str, given: object, *, or_none: bool = False) -> None:
    """Refuse what is not a path."""
    require_kind(name, given, (str, PathLike), "a path", or_none=or_none)


def require_function(name: str, given: object, *, or_none: bool = False) -> None:
    """Refuse what cannot be called."""
    if not callable(given) and not (or_none and given is None):
        raise _other_kind(name, given, "a function", or_none)


def require_list(name: str, given: object, due: str, *, or_none: bool = False) -> None:
    """Refuse what cannot be iterated, and a text, which is one value and not many."""
    is_list = isinstance(given, Iterable) and not isinstance(given, str | bytes)
    if not is_list and not (or_none and given is None):
        raise _other_kind(name, given, f"a list of {due}", or_none)


def require_mapping(name: str, given: object, *, or_none: bool = False) -> None:
    """Refuse what has no keys."""
    require_kind(name, given, Mapping, "a mapping", or_none=or_none)


def require_one_of(name: str, given: object, known: Collection[Any]) -> None:
    """Refuse what is not one of the known values."""
    if given not in tuple(known):
        listed = ", ".join(repr(one) for one in known)
        raise ValueError(f"{name} cannot be {given!r:.{_SHOWN}}; one of {listed}")


def require_count(name: str, given: object, *, least: int = 0, or_none: bool = False) -> None:
    """Refuse what is not a whole number, or too small."""
    _require_number(name, given, (int,), "a whole number", or_none)
    if given is not None and not given >= least:  # type: ignore[operator]
        raise ValueError(f"{name} must be at least {least}, not {given!r}")


def require_seconds(
    name: str, given: object, *, above_zero: bool = False, or_none: bool = False
) -> None:
    """Refuse what is not a number of seconds; 0 too, unless it is allowed."""
    _require_number(name, given, (int, float), "a number of seconds", or_none)
    if given is None:
        return
    if above_zero and not given > 0:  # type: ignore[operator]
        raise ValueError(f"{name} must be more than 0, not {given!r}")
    if not given >= 0:  # type: ignore[operator]
        raise ValueError(f"{name} must be at least 0, not {given!r}")
    if given == float("inf"):
        raise ValueError(f"{name} must have an end, not {given!r}")


def require_rank(name: str, given: object) -> None:
    """Refuse what is neither a `Rank` nor the name of one."""
    try:
        Rank.of(given)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from error


def require_share(name: str, given: object) -> None:
    """Refuse what is not a share from 0 to 1."""
    _require_number(name, given, (int, float), "a number", or_none=False)
    if not 0 < given <= 1:  # type: ignore[operator]
        raise ValueError(f"{name} must be more than 0 and at most 1, not {given!r}")


def _require_number(name: str, given: object, kinds: Kinds, due: str, or_none: bool) -> None:
    """Refuse what is not a number; True is not one, although Python counts it as 1."""
    require_kind(name, given, kinds, due, or_none=or_none)
    if isinstance(given, bool):
        raise _other_kind(name, given, due, or_none)


def _other_kind(name: str, given: object, due: str, or_none: bool) -> TypeError:
    return TypeError(
        f"{name} must be {due}{' or None' if or_none else ''}, not {given!r:.{_SHOWN}}"
    )
