"""Writes calls and results as a model does in a chosen format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from zkit.calls import Call
from zkit.errors import ZkitError
from zkit.extract.api import find_calls
from zkit.extract.formats.record import Format
from zkit.extract.formats.table import FORMATS, unknown_format
from zkit.json_types import JsonObject
from zkit.required import require_kind, require_list

_TYPES: tuple[tuple[type, str], ...] = (
    (bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"), (list, "array"),
    (dict, "object"),
)  # fmt: skip


class CannotWriteError(ZkitError, ValueError):
    """A call that a format cannot express: what is written would be read as something else."""


def format_named(name: str | Format) -> Format:
    """The record of a format; raises ValueError for a name that there is none of."""
    if isinstance(name, Format):
        return name
    if not isinstance(name, str) or name not in FORMATS:
        raise unknown_format(name)
    return FORMATS[name]


def render_call(call: Call | Iterable[Call], format: str | Format) -> str:
    """Write a call, or several at once, as a model does in this format.

    Raises `CannotWriteError` when the text would not be read as the same calls again: an argument
    that holds the closing tag of its own format, several calls where the format has room for one.
    """
    record = format_named(format)
    require_list("call", [call] if isinstance(call, Call) else call, "calls, or one Call")
    calls = [call] if isinstance(call, Call) else list(call)
    for one in calls:
        require_kind("call", one, Call, "a Call")
    if not calls or (len(calls) > 1 and not record.parallel):
        raise CannotWriteError(f"{record.name} writes exactly one call at a time, not {len(calls)}")
    text = written(calls, record)
    _check(text, calls, record)
    return text


def written(calls: list[Call], record: Format) -> str:
    """The calls as this format writes them."""
    pieces = [_one(one, index, record) for index, one in enumerate(calls)]
    return record.joint.join(pieces).join(record.frame)


def _check(text: str, calls: list[Call], record: Format) -> None:
    """Read what was written: it must be these calls and nothing else."""
    given: dict[str, list[Any]] = {}
    for one in calls:
        given.setdefault(one.name, []).append(one.arguments or {})
    tools = {name: {"type": "object", **_schema(values)} for name, values in given.items()}
    found = find_calls(text, tools)
    got = [(one.name, one.arguments) for one in found.calls]
    if got != [(one.name, dict(one.arguments or {})) for one in calls] or found.content.strip():
        raise CannotWriteError(
            f"{record.name} cannot express this call: it would be read otherwise"
        )


def _schema(values: list[Any]) -> JsonObject:
    """The schema that fits values of one place."""
    kinds = sorted({_type(value) for value in values})
    schema: JsonObject = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        schema["items"] = _schema(items)
    objects = [value for value in values if isinstance(value, dict)]
    keys = dict.fromkeys(key for value in objects for key in value)
    if keys:
        schema["properties"] = {k: _schema([o[k] for o in objects if k in o]) for k in keys}
    return schema


def _type(value: Any) -> str:
    return next((name for kind, name in _TYPES if isinstance(value, kind)), "null")


def _one(call: Call, index: int, record: Format) -> str:
    """One call between the marks that are around each."""
    marks = {
        "$number": str(index + 1),
        "$index": str(index),
        "$id": call.id or f"call{index:05d}",
        "$name": call.name,
    }
    head, tail = (_filled(mark, marks) for mark in record.each)
    named = any("$name" in mark for mark in record.each)
    return head + SPELLINGS[record.spell](call, index, record, named) + tail


def _filled(template: str, marks: Mapping[str, str]) -> str:
    for mark, text in marks.items():
        template = template.replace(mark, text)
    return template


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


# ── how a call is spelt ──────────────────────────────────────────────────────

Spelling = Callable[[Call, int, Format, bool], str]


def _arguments(call: Call, index: int, record: Format, named: bool) -> str:
    return _json(call.arguments or {})


def _object(**keys: str) -> Spelling:
    """An object whose members are taken from the call: `$name`, `$arguments`, `$id`."""

    def spell(call: Call, index: int, record: Format, named: bool) -> str:
        values = {"$name": call.name, "$arguments": call.arguments or {}, "$id": call.id or f"call{index:05d}", "$index": str(index)}  # fmt: skip
        return _json({key: values.get(value, value) for key, value in keys.items()})

    return spell


def _pretty(name: str, arguments: str) -> Spelling:
    return lambda call, index, record, named: _json(
        {name: call.name, arguments: call.arguments or {}}, 2
    )


def _quoted(call: Call, index: int, record: Format, named: bool) -> str:
    return f'{{"name": {_json(call.name)}, "arguments": \'{_json(call.arguments or {})}\'}}'


def _openai(call: Call, index: int, record: Format, named: bool) -> str:
    inner = {"name": call.name, "arguments": _json(call.arguments or {})}
    return _json({"id": call.id or f"call_{index}", "type": "function", "function": inner})


def _keyed(call: Call, index: int, record: Format, named: bool) -> str:
    return _json({call.name: call.arguments or {}})


def _tgi(call: Call, index: int, record: Format, named: bool) -> str:
    return _json({"function": {"_name": call.name, **(call.arguments or {})}})


def _python_object(call: Call, index: int, record: Format, named: bool) -> str:
    return repr({"name": call.name, "arguments": call.arguments or {}})


def _python(write: Callable[[Any], str]) -> Spelling:
    def spell(call: Call, index: int, record: Format, named: bool) -> str:
        given = ", ".join(f"{key}={write(value)}" for key, value in (call.arguments or {}).items())
        return f"{'' if named else call.name}({given})"

    return spell


def _double_quoted(value: Any) -> str:
    return _json(value) if isinstance(value, str) else repr(value)


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _markup(call: Call, index: int, record: Format, named: bool) -> str:
    head, tail = record.param
    written = []
    for key, value in (call.arguments or {}).items():
        text = _raw(value)
        # A newline at the edge of a value would be taken for markup, so markup is put around it.
        edged = record.body in ("function_eq", "tool_tag", "legacy") and not head.endswith("\n")
        if edged and text != text.strip("\n"):
            text = f"\n{text}\n"
        kind = _type(value)
        marks = {
            "$string": _json(isinstance(value, str)),
            "$raw": "raw" if isinstance(value, str) else "json",
            "$type": "number" if kind == "integer" else kind,
            "$key": key,
        }
        written.append(_filled(head, marks) + text + _filled(tail, marks))
    return "".join(written)


def _m3(call: Call, index: int, record: Format, named: bool) -> str:
    return "".join(_element(key, value, record) for key, value in (call.arguments or {}).items())


def _element(key: str, value: Any, record: Format) -> str:
    """A value as tags all the way down."""
    head, tail = (mark.replace("$key", key) for mark in record.param)
    if isinstance(value, dict) and value:
        return head + "".join(_element(k, v, record) for k, v in value.items()) + tail
    if isinstance(value, list) and value:
        return head + "".join(_element("item", v, record) for v in value) + tail
    return head + _raw(value) + tail


def _braces(call: Call, index: int, record: Format, named: bool) -> str:
    return _brace(call.arguments or {}, record.param[0])


def _brace(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_brace(v, quote)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_brace(v, quote) for v in value) + "]"
    return _json(value)


def _flags(call: Call, index: int, record: Format, named: bool) -> str:
    head, tail = record.param
    given = (call.arguments or {}).items()
    return "".join(head.replace("$key", key) + _json(value) + tail for key, value in given)


SPELLINGS: dict[str, Spelling] = {
    "object": _object(name="$name", arguments="$arguments"),
    "object_id": _object(name="$name", arguments="$arguments", id="$id"),
    "parameters": _object(name="$name", parameters="$arguments"),
    "args": _object(name="$name", args="$arguments"),
    "tool_args": _object(tool="$name", args="$arguments"),
    "tool_name": _object(tool_name="$name", parameters="$arguments"),
    "cohere": _object(tool_call_id="$index", tool_name="$name", parameters="$arguments"),
    "tool_use": _object(type="tool_use", id="$id", name="$name", input="$arguments"),
    "pretty": _pretty("name", "arguments"), "action": _pretty("action", "action_input"),
    "quoted": _quoted, "openai": _openai, "keyed": _keyed, "tgi": _tgi,
    "python_object": _python_object, "python": _python(repr), "python_double": _python(_double_quoted),
    "arguments": _arguments, "markup": _markup, "m3": _m3, "braces": _braces, "flags": _flags,
}  # fmt: skip


def render_tool_result(name: str, content: str, format: str | Format) -> str:
    """Write a tool's result the way this format gives it back to the model."""
    record = format_named(format)
    if not any(record.result):
        return f"Result of {name}:\n{content}"
    head, tail = (mark.replace("$name", name) for mark in record.result)
    return f"{head}{content}{tail}"
