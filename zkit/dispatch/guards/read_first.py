"""Calls in; a refusal or a note when a file is to be changed that the task has not read, out."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from zkit.dispatch.guards.guard import Guard, Verdict
from zkit.dispatch.live import LiveCall
from zkit.dispatch.notes import effects_of
from zkit.dispatch.per_task import PerTask
from zkit.dispatch.places import named_files, root_of
from zkit.effects import FileEffect
from zkit.required import require_one_of, require_path
from zkit.results import Result, Success, Validation
from zkit.sources.confined_files import confined

Stamp = tuple[int, int] | None


@dataclass(slots=True)
class Known:
    """The files that one task has seen, and how they were then."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    files: dict[Path, Stamp] = field(default_factory=dict)


def read_before_write(
    root: str | Path | None = None, *, mode: Literal["block", "note"] = "block"
) -> Guard:
    """Have a task read a file before it changes it, and again when it has changed meanwhile.

    A file is known when a tool of the task has read or written it: its effects say so, or its
    `touches`. Looks at writing tools that declare what they touch. `note` lets the call run and
    tells the model. Outside of any task nothing is known, and nothing is asked.
    """
    require_path("root", root, or_none=True)
    require_one_of("mode", mode, ("block", "note"))
    known = PerTask(Known)

    def before(call: LiveCall) -> Verdict:
        seen = known.here()
        if seen is None or call.spec.effective_grade.w < 3 or not call.spec.touches:
            return None
        base = root_of(root)
        for place in named_files(call, base):
            stamp = _stamp(place)
            if stamp is None:
                continue
            with seen.lock:
                told = seen.files.get(place, "never")
            if told != stamp:
                return _verdict(place.relative_to(base).as_posix(), told == "never", mode)
        return None

    def after(call: LiveCall, result: Result) -> None:
        seen = known.here()
        if seen is None or not isinstance(result, Success):
            return
        for place in _seen_files(call, result, root_of(root)):
            with seen.lock:
                seen.files[place] = _stamp(place)

    return Guard("read_before_write", before, after)


def _seen_files(call: LiveCall, result: Result, root: Path) -> list[Path]:
    files = [effect for effect in effects_of(result) if isinstance(effect, FileEffect)]
    told = [place for effect in files if (place := confined(root, effect.path)) is not None]
    return told + (named_files(call, root) if call.spec.touches else [])


def _stamp(place: Path) -> Stamp:
    """What tells whether a file has changed; None when there is no file."""
    try:
        found = place.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size) if place.is_file() else None


def _verdict(path: str, never: bool, mode: str) -> Verdict:
    why = "was not read in this task" if never else "has changed since you read it"
    if mode == "note":
        return f"{path} {why} before you changed it; read it now to be sure of the whole."
    message = f"{path} {why}, so it was not changed. Read it, and send the call again."
    return Validation(message, code="stale")
