"""A result in, the same result out if its data is what the tool promises, a crash if not."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any

from zkit.results import Crashed, Result, Success
from zkit.schema import MisfitError, target_for
from zkit.tools import Tool, thaw

log = logging.getLogger("zkit")
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


def kept(tool: Tool, result: Result) -> Result:
    """Check the data of a success against the tool's output schema.

    More than was promised is no fault: a field that is computed is not in every schema.
    """
    if not isinstance(result, Success):
        return result
    fault = _fault_finder(tool)
    found = "" if fault is None else fault(result.data)
    if not found:
        return result
    log.error("%s returned something else than it promises: %s", tool.definition().name, found)
    cause = f"it returned something else than it promises ({found})"
    return Crashed(cause, effects=result.effects)


def _fault_finder(tool: Tool) -> Fault | None:
    """How to check what a tool returns; made once for each tool, None when it promises nothing."""
    known = _FAULTS.get(id(tool))
    if known is not None and known[0] is tool:
        return known[1]
    output = tool.definition().output
    finder = None if output is None else _simple(output) or _by_schema(output)
    while len(_FAULTS) >= _MOST:
        _FAULTS.pop(next(iter(_FAULTS)), None)
    _FAULTS[id(tool)] = (tool, finder)
    return finder


def _simple(schema: Mapping[str, Any]) -> Fault | None:
    """A check for a schema that names one type and no more: most tools return a text."""
    said = {key: value for key, value in schema.items() if key not in _SAYS_NOTHING}
    wanted = said.get("type")
    if list(said) != ["type"] or not isinstance(wanted, str) or wanted not in _TYPES:
        return None
    types, text = _TYPES[wanted], f"the result: {wanted} expected"

    def fault(data: Any) -> str:
        sound = isinstance(data, types) and (bool in types or not isinstance(data, bool))
        return "" if sound else text

    return fault


def _by_schema(schema: Mapping[str, Any]) -> Fault:
    target = target_for(thaw(schema))

    def fault(data: Any) -> str:
        try:
            target.validate_python(data)
        except MisfitError as error:
            found = next((one for one in error.misfits if one.kind != "unknown"), None)
            if found is not None:
                return f"{'.'.join(map(str, found.path)) or 'the result'}: {found.kind}"
        return ""

    return fault
