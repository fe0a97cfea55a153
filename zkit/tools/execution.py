"""Run a tool and turn whatever it returns or raises into a result."""

from __future__ import annotations

import inspect
import re
import threading
import traceback
from collections.abc import Awaitable, Callable
from dataclasses import replace
from dis import opname
from types import CoroutineType
from typing import Any

from anyio import get_cancelled_exc_class
from pydantic_core import PydanticSerializationError, to_jsonable_python

from zkit.arguments import decode_to_run
from zkit.calls import Call
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.results import (
    Crashed,
    Failure,
    Refused,
    Result,
    Success,
    Transient,
    Validation,
    exception_text,
)
from zkit.tools.context import (
    Context,
    Effect,
    current_context,
    enter_context,
    inside,
    leave_context,
    log_failure,
    watched,
)
from zkit.tools.spec import Tool
from zkit.tools.spec_fields import misfits
from zkit.tools.worker_threads import run_in_thread

_MOST_NAMED = 5
_PLAIN = (str, int, float, bool, type(None))
_PLAIN_TYPES = frozenset({*_PLAIN, Success})


def result_of(value: object, output: str | None = None) -> Result:
    """Return what a tool returned as a result; the data of a success is plain JSON data.

    `output` says how the model wants to read it. An object whose class defines `__str__` is written
    by it, unless JSON is requested.
    """
    if isinstance(value, Result):
        return value
    if isinstance(value, _PLAIN):
        return Success(value)
    meta: JsonObject = {} if output is None else {"output": output}
    text = own_text(value)
    if text is not None and output != "json":
        meta["text"] = text
    return Success(plain(value), meta=meta)


def own_text(value: object) -> str | None:
    """Return the text of an object whose class defines `__str__`; None for any other."""
    own = [base for base in type(value).__mro__ if base.__module__.split(".")[0] not in _LIBRARIES]
    return str(value) if any("__str__" in vars(base) for base in own) else None


_LIBRARIES = frozenset({"builtins", "pydantic", "typing", "enum", "datetime", "pathlib", "decimal"})


def plain(value: object) -> object:
    """Return any value as plain JSON data; what JSON does not know becomes text."""
    try:
        return to_jsonable_python(value, by_alias=True, fallback=str, serialize_unknown=True)
    except (PydanticSerializationError, UnicodeDecodeError):
        return to_jsonable_python(value, by_alias=True, fallback=str, bytes_mode="base64")


def failure_of(raised: BaseException, tool: str) -> Failure:
    """Return what a tool raised as a result: its own failures as they are, others as crashes.

    A timeout or a lost connection may go away by itself. A missing file and an unusable value are
    for the model to fix, a missing permission for the operator. An exception group of one, which a
    task group raises, counts as that one.
    """
    error = _sole(raised)
    if isinstance(error, Failure):
        return error
    if _is_cancellation(error):
        return _caused(Crashed("it was cancelled from within"), error)
    message = _message_of(error)
    if isinstance(error, TimeoutError):
        return _caused(Transient(redacted(message), code="timeout"), error)
    if isinstance(error, ConnectionError):
        return _caused(Transient(redacted(message), code="unavailable"), error)
    if isinstance(error, FileNotFoundError | PermissionError | ValueError):
        return _caused(_named_failure(error, tool), error)
    log_failure("the tool %r failed with %s", error, tool)
    return _caused(Crashed(message, meta={"at": _place(error)}), error)


def _named_failure(error: FileNotFoundError | PermissionError | ValueError, tool: str) -> Failure:
    """Return the failure for an exception that plain tools raise for unusable arguments."""
    message = redacted(exception_text(error).partition(": ")[2] or "no reason given")
    if isinstance(error, PermissionError):
        return Refused(f"{tool} is not permitted to do that: {message}", code="denied")
    if isinstance(error, FileNotFoundError):
        named = error.filename if isinstance(error.filename, str) else ""
        what = f'there is no "{redacted(named)}"' if named else message
        return Validation(f"{tool}: {what}. Send one that exists.", code="not_found")
    return Validation(f"{tool} cannot use these arguments: {message}. Send others.")


def is_contained(error: BaseException) -> bool:
    """True if an exception of foreign code (a tool, hook, guard or approver) ends only its call.

    A cancellation propagates, unless nobody has cancelled the task: then the code waited for
    something else that was cancelled. A real Ctrl-C propagates too: in the main thread Python's own
    handler raises it in whatever code is running. `GeneratorExit` propagates when Python closes a
    coroutine, but not when code raises it.
    """
    if isinstance(error, Exception):
        return True
    if isinstance(error, KeyboardInterrupt):
        import signal

        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            return _was_raised(error)
        return True
    if isinstance(error, GeneratorExit):
        return _was_raised(error)
    try:
        cancelled = get_cancelled_exc_class()
    except Exception:
        return True  # in a thread, where nothing is cancelled
    return not isinstance(error, cancelled) or not _is_being_cancelled()


def _is_cancellation(error: BaseException) -> bool:
    if isinstance(error, Exception):
        return False
    from asyncio import CancelledError

    return isinstance(error, CancelledError)


def _is_being_cancelled() -> bool:
    """True if the running task was cancelled; trio raises no cancellation otherwise."""
    from asyncio import current_task

    try:
        task = current_task()
    except RuntimeError:
        return True
    return task is None or task.cancelling() > 0


def _was_raised(error: BaseException) -> bool:
    """True if a `raise` statement raised the exception, and neither a signal nor a `close()`."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return False
    code = trace.tb_frame.f_code.co_code
    return opname[code[trace.tb_lasti]] in ("RAISE_VARARGS", "RERAISE")


MAX_REDACTED = 300
_MOST_READ = 4_000
_TOLD = frozenset(("e-mail address", "home folder", "phone number", "random word"))
"""Kinds that a model may need to read in a failure: a mailbox, a file, a commit."""
_SOURCE = re.compile(r"(?:[A-Za-z]:)?[/\\][^\s\"'<>|:]{1,400}?\.py\b(?:[\"']?,? line \d++|:\d++)?")


def redacted(text: str) -> str:
    """Return the first line of a text, shortened, without secrets and source locations."""
    from zkit.masking import secrets_in  # many patterns, and most tools do not fail

    message = _SOURCE.sub("[source]", text.strip().split("\n", 1)[0][:_MOST_READ])
    for secret in reversed(secrets_in(message, told=_TOLD)):
        message = f"{message[: secret.start]}[secret]{message[secret.end :]}"
    return message if len(message) <= MAX_REDACTED else f"{message[:MAX_REDACTED]} …"


def _sole(error: BaseException) -> BaseException:
    while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _message_of(error: BaseException) -> str:
    if isinstance(error, BaseExceptionGroup):
        inside = "; ".join(map(_message_of, error.exceptions[:_MOST_NAMED]))
        return f"{len(error.exceptions)} failures: {inside}"
    return exception_text(error)


def _caused(failure: Failure, error: BaseException) -> Failure:
    failure.__cause__ = error
    return failure


def _place(error: BaseException) -> str:
    """Return where the error was raised, for the author of the tool."""
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


def settled(value: object, context: Context, output: str | None = None) -> Result:
    """Return the result of a finished call, with the recorded effects."""
    result = result_of(value, output)
    return with_effects(result, context.effects) if context.has_effects else result


Begin = Callable[[Context], tuple[Any, str | None]]


def executed(
    begin: Begin, call: Call, runs_async: bool, promised: JsonMapping | None = None
) -> object:
    """Run `begin` and settle what it returns: the value, and how it is to be written.

    Returns a result, or an awaitable of it if the code is async. Data that does not
    fit the schema that was `promised` is a fault of the tool.
    """
    current = current_context()
    run = _awaited if runs_async else _plain
    if current is not None and current.call is call:  # the runner has made it for this call
        return run(begin, current, promised)
    return (_awaited_inside if runs_async else _plain_inside)(begin, Context(call), promised)


def typed_arguments(tool: Tool, call: Call, limit: Rank, context: Context) -> Any:
    """Return the arguments as the tool takes them; raise the `Validation` that says why not."""
    if context.typed is not None:
        typed, context.typed = context.typed, None
        return typed
    decoded = decode_to_run(tool, call.arguments, limit=limit)
    if isinstance(decoded, Validation):
        raise decoded
    return decoded.value


def is_async(function: object) -> bool:
    """True if what a function returns must be awaited."""
    call = vars(type(function)).get("__call__")  # a callable object
    checks = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(check(function) or check(call) for check in checks)


def _plain_inside(begin: Begin, context: Context, promised: JsonMapping | None) -> object:
    with inside(context):
        found = _plain(begin, context, promised)
    return found if isinstance(found, Result) else _then_inside(found, context)


async def _then_inside(found: Awaitable[Result], context: Context) -> Result:
    with inside(context):
        return await found


async def _awaited_inside(begin: Begin, context: Context, promised: JsonMapping | None) -> Result:
    with inside(context):
        return await _awaited(begin, context, promised)


def _plain(begin: Begin, context: Context, promised: JsonMapping | None) -> Any:
    """Return the result, or an awaitable of it if a plain function returned an awaitable."""
    try:
        value, output = begin(context)
        if type(value) not in _PLAIN_TYPES and (
            inspect.isawaitable(value) or inspect.isasyncgen(value)
        ):
            return _awaited(lambda _: (value, output), context, promised)
        return _kept(settled(value, context, output), promised)
    except BaseException as error:
        if not is_contained(error):
            raise
        return settled(failure_of(error, context.call.name), context)


async def _awaited(begin: Begin, context: Context, promised: JsonMapping | None) -> Result:
    try:
        found, output = begin(context)
        if type(found) is not CoroutineType and inspect.isasyncgen(found):
            value: object = [part async for part in found]
        else:
            value = await found
        return _kept(settled(value, context, output), promised)
    except BaseException as error:
        if not is_contained(error):
            raise
        return settled(failure_of(error, context.call.name), context)


def _kept(result: Result, promised: JsonMapping | None) -> Result:
    """Return the result, if its data is what the tool promised."""
    found = misfits(promised, result.data) if promised and isinstance(result, Success) else []
    if not found:
        return result
    cause = f"it returned something else than it promises: {found[0]}"
    return Crashed(cause, effects=result.effects)  # type: ignore[attr-defined]


async def run_tool(tool: Tool, call: Call, typed: object = None) -> Result:
    """Run one call and return its result; exceptions of the tool become results.

    `typed` are the arguments as the tool takes them, when they have been decoded already.

    A plain `execute` runs in a thread, so that it cannot hold up others. When the wait is
    cancelled, the thread keeps running; its context shows the cancellation, and every `watching()`
    block knows when it has ended. A call that is cancelled before its thread starts never runs.
    """
    context = Context(call)
    context.typed = typed
    token = enter_context(context)
    try:
        found: object
        if _runs_async(tool):
            with watched():
                found = await tool.execute(call)  # type: ignore[misc]
        else:
            found = await _in_thread(tool, call)
            if not isinstance(found, Result) and isinstance(found, Awaitable):
                with watched():
                    found = await found
        result = found if isinstance(found, Result) else result_of(found)
    except BaseException as error:
        if not is_contained(error):
            context.cancel()
            raise
        result = failure_of(error, call.name)
    finally:
        leave_context(token)
    return with_effects(result, context.effects) if context.has_effects else result


def _runs_async(tool: Tool) -> bool:
    declared = getattr(tool, "runs_async", None)
    return inspect.iscoroutinefunction(tool.execute) if declared is None else bool(declared)


async def _in_thread(tool: Tool, call: Call) -> object:
    ticket = _Ticket()
    block = watched()
    block.__enter__()

    def work() -> object:
        if not ticket.take():
            return None
        try:
            return tool.execute(call)
        except BaseException as error:
            # As a value: a thread's KeyboardInterrupt or SystemExit would end the event loop.
            return _Raised(error)
        finally:
            block.__exit__(None, None, None)

    try:
        found = await run_in_thread(work)
        if isinstance(found, _Raised):
            return failure_of(found.error, call.name)
        return found
    finally:
        if ticket.take():  # cancelled before a thread was free: it will not start
            block.__exit__(None, None, None)


class _Raised:
    """What a tool raised in its thread."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


class _Ticket:
    """Can be taken once: by the thread that runs the tool, or by the caller that gives up before
    that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()

    def take(self) -> bool:
        return self._lock.acquire(blocking=False)
