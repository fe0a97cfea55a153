"""A call and the code that serves it in, a result out, in its context; plain and async."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from zkit.arguments import decode_to_run
from zkit.calls import Call
from zkit.receipt import Rank
from zkit.results import Crashed, Result, Success, Validation
from zkit.tools.context import Context, current_context, inside
from zkit.tools.outcomes import failure_of, settled
from zkit.tools.protocol import Tool
from zkit.tools.schema_check import misfits

Begin = Callable[[Context], tuple[Any, str | None]]


def executed(
    begin: Begin, call: Call, runs_async: bool, promised: Mapping[str, Any] | None = None
) -> Any:
    """Run `begin` and settle what it returns: the value, and how it is to be written.

    Gives a result, or when the code is async something to await that gives one. Data that does not
    fit the schema that was `promised` is a fault of the tool.
    """
    context = _context_for(call)
    run = _awaited if runs_async else _plain
    return run(begin, context, promised)


def typed_arguments(tool: Tool, call: Call, limit: Rank) -> Any:
    """Return the arguments as the tool takes them; raise the `Validation` that says why not."""
    decoded = decode_to_run(tool, call.arguments, limit=limit)
    if isinstance(decoded, Validation):
        raise decoded
    return decoded.value


def is_async(function: Any) -> bool:
    """Whether what a function returns must be awaited."""
    call = vars(type(function)).get("__call__")  # of an object that is called like a function
    checks = (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    return any(check(function) or check(call) for check in checks)


def _context_for(call: Call) -> Context:
    """The context that the runner has made for this very call, or a new one."""
    context = current_context()
    return context if context is not None and context.call is call else Context(call)


def _plain(begin: Begin, context: Context, promised: Mapping[str, Any] | None) -> Any:
    """The result; something to await for it when a plain function returned something to await."""
    with inside(context):
        try:
            value, output = begin(context)
            if inspect.isawaitable(value) or inspect.isasyncgen(value):
                return _awaited(lambda _: (value, output), context, promised)
            return _kept(settled(value, context, output), promised)
        except (Exception, SystemExit) as error:
            return settled(failure_of(error, context.call.name), context)


async def _awaited(begin: Begin, context: Context, promised: Mapping[str, Any] | None) -> Result:
    with inside(context):
        try:
            found, output = begin(context)
            value = [part async for part in found] if inspect.isasyncgen(found) else await found
            return _kept(settled(value, context, output), promised)
        except (Exception, SystemExit) as error:
            return settled(failure_of(error, context.call.name), context)


def _kept(result: Result, promised: Mapping[str, Any] | None) -> Result:
    """The result, if its data is what the tool promised."""
    found = misfits(promised, result.data) if promised and isinstance(result, Success) else []
    if not found:
        return result
    cause = f"it returned something else than it promises: {found[0]}"
    return Crashed(cause, effects=result.effects)  # type: ignore[attr-defined]
