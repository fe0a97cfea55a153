"""Guards for files: read before write, and verify what was written."""

from __future__ import annotations

import ast
import json
import threading
import warnings
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

from anyio import to_thread

from zkit.dispatch.guards import Guard, GuardAnswer
from zkit.dispatch.live_call import LiveCall, effects_of
from zkit.effects import FileEffect
from zkit.required import require_mapping, require_one_of, require_path
from zkit.results import Result, Success, Validation
from zkit.sources.confined_files import ConfinedFiles, ConfinedPathError, Stamp, confined
from zkit.tools import canonical_arguments, current_scope
from zkit.tools.context import PerTask

CHANGES = ("create", "modify", "append", "delete", "rename")


def root_of(given: str | Path | None) -> Path:
    """Return the folder that paths are relative to: as given, or the workspace of the task."""
    return Path(given if given is not None else current_scope().workspace or ".").resolve()


def named_files(call: LiveCall, root: Path) -> list[Path]:
    """Return the paths below the root that the arguments name: those in `touches`, or, if the tool
    declares none, all arguments that name an existing file.
    """
    spec = call.spec
    arguments = canonical_arguments(spec, call.arguments)
    declared = bool(spec.touches)
    texts = _texts(arguments.get(name) for name in spec.touches or arguments)
    found = [place for text in texts if (place := confined(root, text)) is not None]
    return [place for place in dict.fromkeys(found) if declared or place.is_file()]


def _texts(values: Iterable[object]) -> Iterator[str]:
    for value in values:
        parts = value if isinstance(value, list | tuple) else [value]
        yield from (part for part in parts if isinstance(part, str) and len(part) < 4096)


def changed_files(effects: Iterable[object], root: Path) -> Iterator[tuple[FileEffect, Path]]:
    """Yield the effects that changed a file below the root, with its place."""
    for effect in effects:
        if isinstance(effect, FileEffect) and effect.op in CHANGES:
            place = confined(root, effect.path)
            if place is not None:
                yield effect, place


@dataclass(slots=True)
class Known:
    """The files that one task has seen, and how they were then."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    files: dict[Path, Stamp | None] = field(default_factory=dict)


def read_before_write(
    root: str | Path | None = None, *, mode: Literal["block", "note"] = "block"
) -> Guard:
    """Require that a task reads a file before it changes it, and again if it has changed meanwhile.

    A file is known if a tool of the task has read or written it, by its effects or its `touches`.
    The guard applies to writing tools that declare `touches`. `note` lets the call run and adds a
    note for the model. Outside of any task the guard does nothing.
    """
    require_path("root", root, or_none=True)
    require_one_of("mode", mode, ("block", "note"))
    known = PerTask(Known)

    def before(call: LiveCall) -> GuardAnswer:
        seen = known.here()
        if seen is None or call.spec.effective_grade.w < 3 or not call.spec.touches:
            return None
        base = root_of(root)
        for place in named_files(call, base):
            stamp = _stamp(base, place)
            if stamp is None:
                continue
            with seen.lock:
                recorded = seen.files.get(place, "never")
            if recorded != stamp:
                return _verdict(place.relative_to(base).as_posix(), recorded == "never", mode)
        return None

    def after(call: LiveCall, result: Result) -> None:
        seen = known.here()
        if seen is None or not isinstance(result, Success):
            return
        base = root_of(root)
        for place in _seen_files(call, result, base):
            with seen.lock:
                seen.files[place] = _stamp(base, place)

    return Guard("read_before_write", before, after)


def _seen_files(call: LiveCall, result: Result, root: Path) -> list[Path]:
    files = [effect for effect in effects_of(result) if isinstance(effect, FileEffect)]
    recorded = [place for effect in files if (place := confined(root, effect.path)) is not None]
    return recorded + (named_files(call, root) if call.spec.touches else [])


def _stamp(root: Path, place: Path) -> Stamp | None:
    """Return a stamp that changes with the file; None if there is no file, or only a link to one."""
    try:
        return ConfinedFiles(root).stamp(place.relative_to(root).as_posix())
    except (OSError, ConfinedPathError):
        return None


def _verdict(path: str, never: bool, mode: str) -> GuardAnswer:
    why = "was not read in this task" if never else "has changed since you read it"
    if mode == "note":
        return f"{path} {why} before you changed it; read it now to be sure of the whole."
    message = f"{path} {why}, so it was not changed. Read it, and send the call again."
    return Validation(message, code="stale")


Verifier = Callable[[Path], str | None]
_MOST_BYTES = 2_000_000


def _python(data: bytes) -> str | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(data)
    except SyntaxError as error:
        return f"line {error.lineno}: {error.msg}"
    return None


def _json(data: bytes) -> str | None:
    try:
        json.loads(data)
    except ValueError as error:
        return str(error)
    return None


def _toml(data: bytes) -> str | None:
    import tomllib

    try:
        tomllib.loads(data.decode("utf-8"))
    except ValueError as error:
        return str(error)
    return None


@dataclass(frozen=True, slots=True)
class _ContentVerifier:
    """A verifier of the content, which is read without following links."""

    problem_in: Callable[[bytes], str | None]

    def __call__(self, path: Path) -> str | None:
        """Return what is wrong with a file, or None."""
        return self.problem_in(ConfinedFiles(path.parent).read_bytes(path.name))


VERIFIERS: Mapping[str, Verifier] = {
    ".py": _ContentVerifier(_python),
    ".json": _ContentVerifier(_json),
    ".toml": _ContentVerifier(_toml),
}


def verify_files(
    verifiers: Mapping[str, Verifier] = VERIFIERS, *, root: str | Path | None = None
) -> Guard:
    """Check the files that a tool has changed, by their type, and add a note if one is broken.

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
        if (problem := _problem(root, place, verifiers.get(place.suffix.lower())))
    ]
    return "; ".join(found) or None


def _problem(root: Path, place: Path, verifier: Verifier | None) -> str | None:
    """Return what a verifier finds; a file that is gone, a link, or too big to look at has no problem."""
    stamp = None if verifier is None else _stamp(root, place)
    if verifier is None or stamp is None or stamp.size > _MOST_BYTES:
        return None
    try:
        if isinstance(verifier, _ContentVerifier):
            path = place.relative_to(root).as_posix()
            return verifier.problem_in(ConfinedFiles(root).read_bytes(path, max_bytes=_MOST_BYTES))
        return verifier(place)
    except (OSError, ConfinedPathError):
        return None  # it was replaced meanwhile
    except (RecursionError, MemoryError):
        return "nested too deep to be read"
