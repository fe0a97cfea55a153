"""Find the tool that a call names, and decode its arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from zkit.arguments.field_names import nearest, same_name
from zkit.dispatch.dispatch_settings import Settings
from zkit.dispatch.live_call import LiveCall, Next
from zkit.receipt import Fix, Rank
from zkit.results import Failure, Result
from zkit.sources import unknown_tool
from zkit.tools import FrozenDict, Tool, freeze, thaw
from zkit.tools.call_arguments import json_arguments

_MOST_CHARACTERS = 256
# What models put in front: OpenAI's namespaces, Gemini's, and the name of the list.
_PREFIX = re.compile(r"(?:functions?|tools?|default_api|tool_calls?)[.:/]++", re.IGNORECASE)
# Kimi numbers its calls: functions.read_file:0
_NUMBER = re.compile(r":\d++$")
# Special tokens and tags that leaked into the name, whole or cut off.
_TOKEN = re.compile(r"<[|｜][^|｜<>]{0,64}+[|｜]?>?|</?[A-Za-z][^<>]{0,64}+>?")
_EDGES = re.compile(r"^[^\w]++|[^\w]++$")


async def resolve(call: LiveCall, proceed: Next) -> Result:
    """Find the tool by the name, or by the one tool whose name is only spelt otherwise."""
    settings = call.settings
    tool = find_tool(settings, call.name)
    if tool is None:
        return absent(settings, call.name)
    name = tool.definition().name
    fixes, rank = call.fixes, call.rank
    if name != call.name and tool.definition().wire_name != call.name:
        fixes = (*fixes, _receipt(call.name, name))
        rank = max(rank, Rank.RESPELL)
    found = call.with_tool(name, fixes, rank, tool, settings.policy_of(tool))
    call.trace.call = found
    return await proceed(found)


def find_tool(settings: Settings, name: str) -> Tool | None:
    """Return the tool of that name; None when no tool, or more than one, could be meant."""
    source = settings.source
    if not isinstance(name, str):
        return None
    tool = source.get(name)
    if tool is not None or len(name) > _MOST_CHARACTERS:
        return tool
    names = [tool.definition().name for tool in source.tools()]
    for spelling in spellings(name):
        tool = source.get(spelling)
        if tool is not None:
            return tool
        meant = _alike(spelling, names)
        if meant:
            return source.get(meant[0]) if len(meant) == 1 else None
    return None


def spellings(name: str) -> Iterator[str]:
    """Yield what a name may stand for: without leaked tokens, prefix, number, and doubling."""
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
    """The first piece of a name between leaked tokens and tags."""
    return next((piece for piece in _TOKEN.split(name) if piece.strip()), "")


def _alike(name: str, names: list[str]) -> list[str]:
    """The names that differ in case and `-` or `_` only; if there are none, in separators."""
    wanted = name.casefold().replace("-", "_")
    close = [other for other in names if other.casefold().replace("-", "_") == wanted]
    return close or same_name(name, names)


def _receipt(sent: str, name: str) -> Fix:
    note = f"the name {json.dumps(sent[:80], ensure_ascii=False)} was read as {name}"
    return Fix("respell_tool_name", Rank.RESPELL, 0, 0, json.dumps(name), note)


def absent(settings: Settings, name: str) -> Failure:
    """Say why there is no tool of that name, naming only tools that may be called."""
    name = name if isinstance(name, str) else ""
    allowed = settings.permissions
    why = getattr(settings.source, "absent", None)
    if why is not None:
        failure: Failure = why(name)
        if allowed.is_open or getattr(failure, "code", "") != "unknown_tool":
            return failure
    tools = [tool for tool in settings.source.tools() if allowed.refusal(tool) is None]
    names = [tool.definition().name for tool in tools]
    return unknown_tool(name, names, nearest(name[:_MOST_CHARACTERS], names))


_SCALARS = (str, int, float, bool, type(None))


async def decode_arguments(call: LiveCall, proceed: Next) -> Result:
    """Read the arguments, as far as the tool's grade allows; what was cut off never runs."""
    limit = min(call.policy.limit, Rank.GUESS)
    decoded = json_arguments(call.tool, call, limit, call.finish_reason)
    if isinstance(decoded, Failure):
        return decoded
    ready = call.with_arguments(
        sealed(decoded.value), call.fixes + decoded.fixes, max(call.rank, decoded.rank)
    )
    call.trace.call = ready
    return await proceed(ready)


def sealed(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return arguments that nobody can change on the way."""
    if all(isinstance(value, _SCALARS) for value in arguments.values()):
        return FrozenDict(arguments)
    frozen: dict[str, Any] = freeze(arguments)
    return frozen


def opened(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the arguments that a tool may change."""
    if all(isinstance(value, _SCALARS) for value in arguments.values()):
        return dict(arguments)
    plain: dict[str, Any] = thaw(arguments)
    return plain
