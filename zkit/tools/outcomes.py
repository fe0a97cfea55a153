"""What a tool returned or raised in, a result out."""

from __future__ import annotations

import logging
import traceback
from dataclasses import replace
from typing import Any

from pydantic_core import PydanticSerializationError, to_jsonable_python

from zkit.results import Crashed, Failure, Result, Success, Transient
from zkit.tools.context import Context, Effect

log = logging.getLogger("zkit")
_MOST_NAMED = 5
_PLAIN = (str, int, float, bool, type(None))


def result_of(value: Any, output: str | None = None) -> Result:
    """Return what a tool returned as a result; the data of a success is plain JSON data.

    `output` says how the model wants to read it. An object that knows how to write itself is read
    as it writes itself, unless JSON is wanted.
    """
    if isinstance(value, Result):
        return value
    if isinstance(value, _PLAIN):
        return Success(value)
    meta: dict[str, Any] = {} if output is None else {"output": output}
    text = own_text(value)
    if text is not None and output != "json":
        meta["text"] = text
    return Success(plain(value), meta=meta)


def own_text(value: Any) -> str | None:
    """Return the text of an object whose class says how it reads; None for any other."""
    own = [base for base in type(value).__mro__ if base.__module__.split(".")[0] not in _LIBRARIES]
    return str(value) if any("__str__" in vars(base) for base in own) else None


_LIBRARIES = frozenset({"builtins", "pydantic", "typing", "enum", "datetime", "pathlib", "decimal"})


def plain(value: Any) -> Any:
    """Return any value as plain JSON data; what JSON does not know becomes text."""
    try:
        return to_jsonable_python(value, by_alias=True, fallback=str, serialize_unknown=True)
    except (PydanticSerializationError, UnicodeDecodeError):
        return to_jsonable_python(value, by_alias=True, fallback=str, bytes_mode="base64")


def failure_of(raised: BaseException, tool: str) -> Failure:
    """Return what a tool raised as a result: its own failures as they are, others as crashes.

    A time-out or a lost connection may go away by itself. A group of one, which is what a task
    group makes of a failure inside, counts as the one.
    """
    error = _sole(raised)
    if isinstance(error, Failure):
        return error
    said = _said(error)
    if isinstance(error, TimeoutError):
        return _caused(Transient(said, code="timeout"), error)
    if isinstance(error, ConnectionError):
        return _caused(Transient(said, code="unavailable"), error)
    log.error("the tool %r failed", tool, exc_info=error)
    return _caused(Crashed(said, meta={"at": _place(error)}), error)


def _sole(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _said(error: BaseException) -> str:
    name = type(error).__name__
    if isinstance(error, BaseExceptionGroup):
        inside = "; ".join(map(_said, error.exceptions[:_MOST_NAMED]))
        return f"{len(error.exceptions)} failures: {inside}"
    return f"{name}: {error}" if str(error) else name


def _caused(failure: Failure, error: BaseException) -> Failure:
    failure.__cause__ = error
    return failure


def _place(error: BaseException) -> str:
    """Where the error was raised, for the author of the tool."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""


def with_effects(result: Result, recorded: tuple[Effect, ...]) -> Result:
    """Return the result with the effects that the tool recorded before its own."""
    if not recorded:
        return result
    own: tuple[Effect, ...] = result.effects  # type: ignore[attr-defined]
    merged = tuple(dict.fromkeys((*recorded, *own)))
    changed: Result = replace(result, effects=merged)  # type: ignore[type-var]
    if isinstance(result, Failure) and isinstance(changed, Failure):
        changed.__cause__ = result.__cause__
    return changed


def settled(value: Any, context: Context, output: str | None = None) -> Result:
    """Return the result of a call that returned, with what was recorded on the way."""
    return with_effects(result_of(value, output), context.effects)
