"""Successful results in, notes on files that they left broken out."""

from __future__ import annotations

import ast
import json
import tomllib
import warnings
from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from pathlib import Path

from anyio import to_thread

from zkit.dispatch.guards.guard import Guard
from zkit.dispatch.live import LiveCall
from zkit.dispatch.notes import effects_of
from zkit.dispatch.places import changed_files, root_of
from zkit.required import require_mapping, require_path
from zkit.results import Result, Success

Verifier = Callable[[Path], str | None]
_MOST_BYTES = 2_000_000


def _python(path: Path) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(path.read_bytes())
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    return None


def _json(path: Path) -> str | None:
    try:
        json.loads(path.read_bytes())
    except ValueError as error:
        return str(error)
    return None


def _toml(path: Path) -> str | None:
    try:
        tomllib.loads(path.read_bytes().decode("utf-8"))
    except ValueError as error:
        return str(error)
    return None


VERIFIERS: Mapping[str, Verifier] = {".py": _python, ".json": _json, ".toml": _toml}


def verify_files(
    verifiers: Mapping[str, Verifier] = VERIFIERS, *, root: str | Path | None = None
) -> Guard:
    """Look at the files that a tool says it changed, by their type; what is broken is noted.

    A verifier is given a path and returns what is wrong with the file, or None.
    """
    require_path("root", root, or_none=True)
    require_mapping("verifiers", verifiers)

    def after(call: LiveCall, result: Result) -> Awaitable[str | None] | None:
        if not isinstance(result, Success) or not effects_of(result):
            return None
        return to_thread.run_sync(partial(_verified, result, verifiers, root_of(root)))

    return Guard("verify_files", after=after)


def _verified(result: Result, verifiers: Mapping[str, Verifier], root: Path) -> str | None:
    places = dict.fromkeys(place for _, place in changed_files(effects_of(result), root))
    found = [
        f"{place.relative_to(root).as_posix()} is broken now: {problem}"
        for place in places
        if (problem := _problem(place, verifiers.get(place.suffix.lower())))
    ]
    return "; ".join(found) or None


def _problem(place: Path, verifier: Verifier | None) -> str | None:
    """What a verifier finds; a file that is gone, or too big to look at, has no problem."""
    if verifier is None or not place.is_file() or place.stat().st_size > _MOST_BYTES:
        return None
    try:
        return verifier(place)
    except (RecursionError, MemoryError):
        return "nested too deep to be read"
