"""Find the tool that a call names, and decode its arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from zkit.arguments.field_names import nearest, same_name
from zkit.dispatch.live_call import LiveCall, Next, ended
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank
from zkit.results import Failure, Result
from zkit.sources import unknown_tool
from zkit.sources.source import specs_in
from zkit.tools import FrozenDict, Tool, freeze, thaw
from zkit.tools.call_arguments import read_arguments

if TYPE_CHECKING:
    from zkit.dispatch.dispatch_settings import Settings

_MOST_CHARACTERS = 256
# Prefixes that models write: the namespaces of OpenAI and Gemini, and the name of the list.
_PREFIX = re.compile(r"(?:functions?|tools?|default_api|tool_calls?)[.:/]++", re.IGNORECASE)
# Kimi numbers its calls: functions.read_file:0
_NUMBER = re.compile(r":\d++$")
# Special tokens and tags that leaked into the name, whole or cut off.
_TOKEN = re.compile(r"<[|｜][^|｜<>]{0,64}+[|｜]?>?|</?[A-Za-z][^<>]{0,64}+>?")
_EDGES = re.compile(r"^[^\w]++|[^\w]++$")


def resolve(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Find the tool by its name, or the only tool whose name differs just in spelling."""
    settings, name = call.settings, call.name
    tool = settings.source.get(name) if type(name) is str else None
    if tool is None:
        tool = find_tool(settings, name)
    if tool is None:
        return ended(absent(settings, name))
    spec = tool.definition()
    fixes, rank = call.fixes, call.rank
    if spec.name != name and spec.wire_name != name:
        fixes = (*fixes, _receipt(name, spec.name))
        rank = max(rank, Rank.RESPELL)
    found = call.with_tool(tool, spec, settings.policy_of(tool), fixes, rank)
    call.trace.call = found
    return proceed(found)


def find_tool(settings: Settings, name: str) -> Tool | None:
    """Return the tool of that name; None if no tool, or more than one, could be meant."""
    source = settings.source
    if not isinstance(name, str):
        return None
    tool = source.get(name)
    if tool is not None or len(name) > _MOST_CHARACTERS:
        return tool
    names = [spec.name for spec in specs_in(source.tools())]
    for spelling in spellings(name):
        tool = source.get(spelling)
        if tool is not None:
            return tool
        meant = _alike(spelling, names)
        if meant:
            return source.get(meant[0]) if len(meant) == 1 else None
    return None


def spellings(name: str) -> Iterator[str]:
    """Yield the possible meanings of a name: without leaked tokens, prefix, number, and doubling."""
    yield name
    bare = _EDGES.sub("", _without_tokens(name))
    yield bare
    short = _NUMBER.sub("", _PREFIX.sub("", bare, count=1) if _PREFIX.match(bare) else bare)
    yield short
    half, odd = divmod(len(short), 2)
    if not odd and half and short[:half] == short[half:]:
        yield short[:half]
    first, _, second = short.partition(short[half]) if odd and len(short) > 2 else ("", "", "")
    if first and first == second:
        yield first


def _without_tokens(name: str) -> str:
    """Return the first piece of a name between leaked tokens and tags."""
    return next((piece for piece in _TOKEN.split(name) if piece.strip()), "")


def _alike(name: str, names: list[str]) -> list[str]:
    """Return the names that differ only in case and `-` or `_`; if there are none, in separators."""
    wanted = name.casefold().replace("-", "_")
    close = [other for other in names if other.casefold().replace("-", "_") == wanted]
    return close or same_name(name, names)


def _receipt(sent: str, name: str) -> Fix:
    note = f"the name {json.dumps(sent[:80], ensure_ascii=False)} was read as {name}"
    return Fix("respell_tool_name", Rank.RESPELL, 0, 0, json.dumps(name), note)


def absent(settings: Settings, name: str) -> Failure:
    """Return the message about a missing tool, naming only tools that may be called."""
    name = name if isinstance(name, str) else ""
    allowed = settings.permissions
    why = getattr(settings.source, "absent", None)
    if why is not None:
        failure: Failure = why(name)
        if allowed.is_open or getattr(failure, "code", "") != "unknown_tool":
            return failure
    tools = [tool for tool in settings.source.tools() if allowed.refusal(tool) is None]
    names = [spec.name for spec in specs_in(tools)]
    return unknown_tool(name, names, nearest(name[:_MOST_CHARACTERS], names))


_SCALARS = frozenset({str, int, float, bool, type(None)})


def _innermost(tool: Tool) -> Tool:
    """Return the tool that runs: a kit makes a new view of it whenever its source changes."""
    inner = getattr(tool, "inner", None)
    while inner is not None:
        tool, inner = inner, getattr(inner, "inner", None)
    return tool


def decode_arguments(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Read the arguments, as far as the tool's grade allows; what was cut off never runs."""
    ready = decoded_call(call)
    if isinstance(ready, Failure):
        return ended(ready)
    call.trace.call = ready
    return proceed(ready)


def decoded_call(call: LiveCall) -> LiveCall | Failure:
    """Return a call with valid arguments, or a failure for the model."""
    found = read_arguments(call.tool, call, call.policy.limit, call.finish_reason)
    if isinstance(found, Failure):
        return found
    fixes, rank = call.fixes + found.fixes, max(call.rank, found.rank)
    return call.with_arguments(sealed(found.data), found.typed, fixes, rank)


def looked_up_again(call: LiveCall) -> LiveCall | Failure:
    """Look the call up again after waiting: its tool may be gone, changed or forbidden.

    If the tool has changed, the arguments are decoded again.
    """
    settings = call.settings
    tool = find_tool(settings, call.name)
    if tool is None:
        return absent(settings, call.name)
    refusal = settings.permissions.refusal(tool)
    if refusal is not None:
        return refusal
    spec = tool.definition()
    found = replace(call, tool=tool, spec=spec, policy=settings.policy_of(tool))
    if spec.digest == call.spec.digest and _innermost(tool) is _innermost(call.tool):
        return found
    return decoded_call(replace(found, arguments=opened(call.arguments)))


def sealed(arguments: JsonObject) -> JsonObject:
    """Return arguments that cannot be changed on the way."""
    if _is_flat(arguments):
        return FrozenDict(arguments)
    frozen: JsonObject = freeze(arguments)
    return frozen


def opened(arguments: JsonObject) -> JsonObject:
    """Return a copy of the arguments that a tool may change."""
    if _is_flat(arguments):
        return dict(arguments)
    plain: JsonObject = thaw(arguments)
    return plain


def _is_flat(arguments: JsonObject) -> bool:
    return _SCALARS.issuperset(map(type, arguments.values()))
