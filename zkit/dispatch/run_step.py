"""Run the tool at the end of the chain, check its output and redact its crashes."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any, Literal

from zkit.calls import Call
from zkit.dispatch.approval import is_settled
from zkit.dispatch.dispatch_settings import Execute
from zkit.dispatch.live_call import LiveCall, Next, ended, plain_call
from zkit.dispatch.tool_lookup import looked_up_again, opened
from zkit.json_types import JsonMapping
from zkit.required import require_kind
from zkit.results import Crashed, Failure, Refused, Result, Success
from zkit.schema import MisfitError, target_for
from zkit.sources import Memory, ShownTool, ToolSource
from zkit.sources.source import vouched
from zkit.tools import Tool, run_tool, thaw
from zkit.tools.call_arguments import read_arguments
from zkit.tools.context import log_failure
from zkit.tools.execution import failure_of, is_contained, redacted

log = logging.getLogger("zkit")
_CAUSE = "the dispatcher could not handle the call"


async def step_result(step: Next, call: LiveCall) -> Result:
    """Take a step; an exception or a value that is not a result becomes a result."""
    try:
        result = await step(call)
    except BaseException as error:
        return result_of_step(error, call)
    return result if isinstance(result, Result) else result_of_step(result, call)


def result_of_step(outcome: object, call: LiveCall) -> Result:
    """Return the result for what a step raised, or returned in place of one.

    A cancellation is raised again.
    """
    if isinstance(outcome, Failure):
        return outcome
    if isinstance(outcome, BaseException):
        if not is_contained(outcome):
            raise outcome
        log_failure("a step of the dispatcher failed on a call of %r with %s", outcome, call.name)
    else:
        log.error("a step returned a %s for a call of %r", type(outcome).__name__, call.name)
    return Crashed(_CAUSE)


def reached(source: ToolSource) -> Execute:
    """Return the function that runs a tool of a source.

    Tools of a `Toolbox`, and of kits and discoveries of one, are run as they are. Any other source
    may do more in its `call` than run a tool (another dispatcher does), so its `call` is used.
    """
    from zkit.sources import MemoSource

    if _is_plain(source.source if isinstance(source, MemoSource) else source):
        return run_shown

    async def by_source(tool: Tool, call: Call, typed: object = None) -> Result:
        with vouched(call):
            return await source.call(call)

    return by_source


def run_shown(tool: Tool, call: Call, typed: object = None) -> Awaitable[Result]:
    """Run a tool under its own name, with the arguments that are set for it.

    A kit shows tools under other names; the context of the call, which shows the tool a
    cancellation, must be that of the tool that runs.
    """
    while isinstance(tool, ShownTool):
        typed = typed if tool.takes_the_same else None
        ready = tool.prepared(call)
        if isinstance(ready, Failure):
            return ended(ready)
        tool, call = tool.inner, ready
    return run_tool(tool, call, typed)


def _is_plain(source: Any) -> bool:
    from zkit.sources import Discovery, Kit, Toolbox

    while type(source) in (Kit, Discovery):
        source = source.source
    return isinstance(source, Toolbox) and type(source).call is Toolbox.call


def memory_for(
    source: ToolSource, given: Memory | Literal[False] | None
) -> tuple[Memory | None, bool]:
    """Return the memory to use, and whether it is used outside of tasks as well.

    A `MemoSource` has its own. Without a task, results are remembered until something is written,
    so that must be requested.
    """
    if given is False:
        return None, False
    require_kind("memory", given, Memory, "a Memory, False", or_none=True)
    if given is not None:
        return given, True
    from zkit.sources import MemoSource

    if isinstance(source, MemoSource):
        return source.memory, True
    return Memory(), False


Fault = Callable[[Any], str]  # what is wrong with data; empty when nothing is
_FAULTS: dict[int, tuple[Tool, Fault | None]] = {}
_MOST = 1024
_SAYS_NOTHING = frozenset({"title", "description", "default", "examples"})
_TYPES: Mapping[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def checked_output(tool: Tool, result: Result) -> Result:
    """Check the data of a success against the tool's output schema.

    Additional fields are not an error: a computed field is not in every schema.
    """
    if not isinstance(result, Success):
        return result
    known = _FAULTS.get(id(tool))
    fault = known[1] if known is not None and known[0] is tool else _fault_finder(tool)
    if fault is None:
        return result
    found = fault(result.data)
    if not found:
        return result
    log.error("%s returned something else than it promises: %s", tool.definition().name, found)
    cause = f"it returned something else than it promises ({found})"
    return Crashed(cause, effects=result.effects)


def _fault_finder(tool: Tool) -> Fault | None:
    """Return the check of a tool's output, made once for each tool; None without an output schema."""
    output = tool.definition().output
    finder = None if output is None else _simple(output) or _by_schema(output)
    while len(_FAULTS) >= _MOST:
        _FAULTS.pop(next(iter(_FAULTS)), None)
    _FAULTS[id(tool)] = (tool, finder)
    return finder


def _simple(schema: JsonMapping) -> Fault | None:
    """Return a check for a schema with nothing but one type: most tools return a text."""
    said = {key: value for key, value in schema.items() if key not in _SAYS_NOTHING}
    wanted = said.get("type")
    if list(said) != ["type"] or not isinstance(wanted, str) or wanted not in _TYPES:
        return None
    types, text = _TYPES[wanted], f"the result: {wanted} expected"

    def fault(data: object) -> str:
        if type(data) in types:
            return ""
        fits = isinstance(data, types) and (bool in types or not isinstance(data, bool))
        return "" if fits else text

    return fault


def _by_schema(schema: JsonMapping) -> Fault:
    target = target_for(thaw(schema))

    def fault(data: object) -> str:
        try:
            target.validate_python(data)
        except MisfitError as error:
            found = next((one for one in error.misfits if one.kind != "unknown"), None)
            if found is not None:
                return f"{'.'.join(map(str, found.path)) or 'the result'}: {found.kind}"
        return ""

    return fault


def redacted_crash(crash: Crashed) -> Crashed:
    """Return the crash in one line, without secrets and places in source code.

    The log has the whole of it; `__cause__` is the exception.
    """
    said = redacted(crash.cause)
    if said == crash.cause:
        return crash
    quiet = replace(crash, cause=said)
    quiet.__cause__ = crash.__cause__
    return quiet


def _for_another_attempt(call: LiveCall) -> LiveCall | Failure:
    """Return the call for a retry: its tool may have been switched off meanwhile.

    A tool may change its typed arguments, so they are used for one attempt only; a default factory
    may return another value this time.
    """
    now = looked_up_again(call)
    if isinstance(now, Failure) or now.arguments is not call.arguments:
        return now
    found = read_arguments(now.tool, now, now.policy.limit)
    return found if isinstance(found, Failure) else replace(now, typed=(now.arguments, found.typed))


async def run(call: LiveCall) -> Result:
    """Run the tool: the end of every chain."""
    if call.trace.attempts:
        again = _for_another_attempt(call)
        if isinstance(again, Failure):
            return again
        call = again
    if not is_settled(call):
        return Refused(f"{call.name} would run with other arguments than were approved", "approval")
    call.trace.ran = True
    call.trace.attempts += 1
    try:
        plain = plain_call(call, opened(call.arguments))
        result = await call.settings.execute(call.tool, plain, call.typed_arguments)
    except BaseException as error:  # such as the SystemExit of a command line used as a tool
        if not is_contained(error):
            raise
        result = failure_of(error, call.name)
    if isinstance(result, Crashed):
        return redacted_crash(result)
    return checked_output(call.tool, result)
