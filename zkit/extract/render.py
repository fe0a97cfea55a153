"""Write calls and tool results as text in a chosen format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
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
    """A call that a format cannot express: its text would be read as something else."""


def format_named(name: str | Format) -> Format:
    """Return the record of a format; raise ValueError for an unknown name."""
    if isinstance(name, Format):
        return name
    if not isinstance(name, str) or name not in FORMATS:
        raise unknown_format(name)
    return FORMATS[name]


def render_call(call: Call | Iterable[Call], format: str | Format) -> str:
    """Return one or several calls as a model writes them in this format.

    Raises `CannotWriteError` if the text would not be read as the same calls again: an argument
    holds the closing tag of its own format, or the format allows only one call.
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
    """Return the calls as this format writes them."""
    pieces = [_one(one, index, record) for index, one in enumerate(calls)]
    return record.joint.join(pieces).join(record.frame)


def _check(text: str, calls: list[Call], record: Format) -> None:
    """Raise `CannotWriteError` unless the text is read as these calls and nothing else."""
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
    """Return a schema that fits all these values."""
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
    """Return one call, with the text that the format puts around each."""
    ident = str(index) if record.numbered else call.id or f"call{index:05d}"
    call = replace(call, arguments=call.arguments or {}, id=ident)
    marks = {"$number": str(index + 1), "$index": str(index), "$id": ident, "$name": call.name}
    head, tail = (_filled(mark, marks) for mark in record.each)
    return head + SPELLINGS[record.spell](call, record) + tail


def _filled(template: str, marks: Mapping[str, str]) -> str:
    for mark, text in marks.items():
        template = template.replace(mark, text)
    return template


def _json(value: Any, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)


# ── spellings of a call ──────────────────────────────────────────────────────

Spelling = Callable[[Call, Format], str]


def _object(spelt: Callable[[Call], object], indent: int | None = None) -> Spelling:
    """Return a spelling of calls as JSON objects."""
    return lambda call, record: _json(spelt(call), indent)


def _python(write: Callable[[Any], str]) -> Spelling:
    def spell(call: Call, record: Format) -> str:
        given = ", ".join(f"{key}={write(value)}" for key, value in call.arguments.items())
        named = any("$name" in mark for mark in record.each)
        return f"{'' if named else call.name}({given})"

    return spell


def _double_quoted(value: Any) -> str:
    return _json(value) if isinstance(value, str) else repr(value)


def _raw(value: Any) -> str:
    return value if isinstance(value, str) else _json(value)


def _markup(call: Call, record: Format) -> str:
    head, tail = record.param
    written = []
    for key, value in call.arguments.items():
        text = _raw(value)
        # The reader drops one newline at each edge of a value, so one more is written.
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


def _m3(call: Call, record: Format) -> str:
    return "".join(_element(key, value, record) for key, value in call.arguments.items())


def _element(key: str, value: Any, record: Format) -> str:
    """Return a value as nested tags."""
    head, tail = (mark.replace("$key", key) for mark in record.param)
    if isinstance(value, dict) and value:
        return head + "".join(_element(k, v, record) for k, v in value.items()) + tail
    if isinstance(value, list) and value:
        return head + "".join(_element("item", v, record) for v in value) + tail
    return head + _raw(value) + tail


def _braces(call: Call, record: Format) -> str:
    return _brace(call.arguments or {}, record.param[0])


def _brace(value: Any, quote: str) -> str:
    if isinstance(value, str):
        return f"{quote}{value}{quote}"
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{_brace(v, quote)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(_brace(v, quote) for v in value) + "]"
    return _json(value)


def _flags(call: Call, record: Format) -> str:
    head, tail = record.param
    given = call.arguments.items()
    return "".join(head.replace("$key", key) + _json(value) + tail for key, value in given)


def _quoted(call: Call, record: Format) -> str:
    return f'{{"name": {_json(call.name)}, "arguments": \'{_json(call.arguments)}\'}}'


SPELLINGS: dict[str, Spelling] = {
    "arguments": _object(lambda call: call.arguments),
    "object": _object(lambda call: {"name": call.name, "arguments": call.arguments}),
    "object_id": _object(lambda call: {"name": call.name, "arguments": call.arguments, "id": call.id}),
    "parameters": _object(lambda call: {"name": call.name, "parameters": call.arguments}),
    "args": _object(lambda call: {"name": call.name, "args": call.arguments}),
    "tool_args": _object(lambda call: {"tool": call.name, "args": call.arguments}),
    "tool_name": _object(lambda call: {"tool_name": call.name, "parameters": call.arguments}),
    "cohere": _object(lambda call: {"tool_call_id": call.id, "tool_name": call.name, "parameters": call.arguments}),
    "tool_use": _object(lambda call: {"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments}),
    "openai": _object(lambda call: {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": _json(call.arguments)}}),
    "keyed": _object(lambda call: {call.name: call.arguments}),
    "tgi": _object(lambda call: {"function": {"_name": call.name, **call.arguments}}),
    "pretty": _object(lambda call: {"name": call.name, "arguments": call.arguments}, 2),
    "action": _object(lambda call: {"action": call.name, "action_input": call.arguments}, 2),
    "quoted": _quoted, "python_object": lambda call, record: repr({"name": call.name, "arguments": call.arguments}),
    "python": _python(repr), "python_double": _python(_double_quoted),
    "markup": _markup, "m3": _m3, "braces": _braces, "flags": _flags,
}  # fmt: skip


def render_tool_result(name: str, content: str, format: str | Format) -> str:
    """Return a tool's result as this format sends it back to the model."""
    record = format_named(format)
    if not any(record.result):
        return f"Result of {name}:\n{content}"
    head, tail = (mark.replace("$name", name) for mark in record.result)
    return f"{head}{content}{tail}"
