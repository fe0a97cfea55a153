"""A result in, the same result out with something added that the model or the operator reads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from zkit.effects import FileEffect, ProcessEffect
from zkit.results import Failure, Result, Transient

R = TypeVar("R", bound=Result)


def with_meta(result: R, **added: Any) -> R:
    """Return the result with more in its `meta`; why it failed stays with it."""
    changed: R = replace(result, meta={**result.meta, **added})  # type: ignore[attr-defined,type-var]
    if isinstance(result, Failure) and isinstance(changed, Failure):
        changed.__cause__ = result.__cause__
    return changed


def with_notes(result: R, *notes: str) -> R:
    """Return the result with notes that the model reads below it."""
    old = list(result.meta.get("notes", ()))  # type: ignore[attr-defined]
    new = [note for note in notes if note and note not in old]
    return with_meta(result, notes=[*old, *new]) if new else result


def effects_of(result: Result | None) -> tuple[FileEffect | ProcessEffect, ...]:
    """Return what was done to the world, as far as it is known."""
    found: tuple[FileEffect | ProcessEffect, ...] = getattr(result, "effects", ())
    return found


def cancelled(*, began: bool, abandoned: bool = False) -> Transient:
    """Return the result of a call that was cancelled: nobody waits, but it has an answer."""
    what = "while it ran; it may have had an effect" if began else "before it began"
    meta: dict[str, Any] = {"cancelled": True, "began": began}
    return Transient(
        f"the call was cancelled {what}", meta=meta | ({"abandoned": True} if abandoned else {})
    )
