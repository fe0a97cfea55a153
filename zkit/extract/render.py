"""Write calls, tool results and instructions for a model as text in a chosen format."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from zkit.calls import Call
from zkit.errors import ZkitError
from zkit.expect import resolved
from zkit.extract.api import find_calls
from zkit.extract.formats.record import Format
from zkit.extract.formats.table import FORMATS, unknown_format
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_kind, require_list
from zkit.schema import Offer, offered
from zkit.schema.schema_tree import type_of


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
    kinds = sorted({type_of(value) for value in values})
    schema: JsonObject = {"type": kinds[0] if len(kinds) == 1 else kinds} if kinds else {}
    items = [item for value in values if isinstance(value, list) for item in value]
    if items:
        schema["items"] = _schema(items)
    objects = [value for value in values if isinstance(value, dict)]
    keys = dict.fromkeys(key for value in objects for key in value)
    if keys:
        schema["properties"] = {k: _schema([o[k] for o in objects if k in o]) for k in keys}
    return schema


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
        kind = type_of(value)
        marks = {
            "$string": _json(isinstance(value, str)),
            "$raw": "raw" if isinstance(value, str) else "json",
            "$type": "number" if kind == "integer" else kind,
            "$key": key,
        }
        written.append(_filled(head, marks) + text + _filled(tail, marks))
    return "".join(written)


def _element(key: str, value: Any, record: Format) -> str:
    """Return a value as nested tags."""
    head, tail = (mark.replace("$key", key) for mark in record.param)
    if isinstance(value, dict) and value:
        return head + "".join(_element(k, v, record) for k, v in value.items()) + tail
    if isinstance(value, list) and value:
        return head + "".join(_element("item", v, record) for v in value) + tail
    return head + _raw(value) + tail


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
    "markup": _markup, "flags": _flags,
    "m3": lambda call, record: "".join(_element(k, v, record) for k, v in call.arguments.items()),
    "braces": lambda call, record: _brace(call.arguments, record.param[0]),
}  # fmt: skip


def render_tool_result(name: str, content: str, format: str | Format) -> str:
    """Return a tool's result as this format sends it back to the model."""
    record = format_named(format)
    if not any(record.result):
        return f"Result of {name}:\n{content}"
    head, tail = (mark.replace("$name", name) for mark in record.result)
    return f"{head}{content}{tail}"


# ── instructions for the model ───────────────────────────────────────────────

MAX_DEPTH = 4
_SAMPLES = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
# Sample values for string parameters with these names.
_BY_KEY = {
    "path": "notes/plan.md", "file": "notes/plan.md", "url": "https://example.org", "query": "words to look for",
    "command": "ls", "code": "print(1)", "date": "2026-01-31", "email": "ann@example.org", "language": "python",
}  # fmt: skip
_VALUES = {
    "json": "Write the arguments as JSON: double quotes around keys and texts, no comments.",
    "raw": "Write each argument as it is, without quotes around texts; lists and objects as JSON.",
    "python": "Write the arguments as Python literals, each with its name.",
}


def instructions(
    tools: Any, format: str | Format, *, examples: Mapping[str, JsonMapping] | None = None
) -> str:
    """Return instructions for a model without function calling: how to call these tools in this format.

    They list the tools with their parameters, one example call for each, and the rules. `examples`
    maps tool names to the arguments to show; a tool without one gets sample values.
    """
    record = format_named(format)
    offers = list(offered(tools).values())
    declared = examples or {}
    shown = [_tool(offer, record, declared.get(offer.name)) for offer in offers]
    return "\n\n".join([_HEAD, *shown, _rules(record, offers)])


_HEAD = """\
You can call tools. When you need one, write the call exactly in the form that is shown below, and
nothing after it: its result will come back to you."""


def _tool(offer: Offer, record: Format, declared: JsonMapping | None = None) -> str:
    """Return the text about one tool: its description, its parameters and an example call."""
    call = f"A call of {offer.name} looks like this:\n{_example(offer, record, declared)}"
    about = (offer.description or "").strip()
    parts = (f"## {offer.name}", about, _parameters(offer.parameters), call)
    return "\n\n".join(filter(None, parts))


def _parameters(schema: JsonMapping) -> str:
    """Return a list of a tool's parameters, each with its type and description."""
    listed = []
    for key, part in (schema.get("properties") or {}).items():
        about = _resolved(part, schema).get("description")
        need = "required" if key in (schema.get("required") or ()) else "optional"
        line = f"- {key} ({_kind(part, schema)}, {need})"
        listed.append(f"{line}: {about}" if about else line)
    return "\n".join(["Parameters:", *listed]) if listed else "It takes no parameters."


def _kind(part: Any, root: JsonMapping, depth: int = MAX_DEPTH) -> str:
    """Return the type of a value in words, with its items or members."""
    part = _resolved(part, root)
    if part.get("enum"):
        return "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in part["enum"])
    choices = next((part[key] for key in ("anyOf", "oneOf") if part.get(key)), None)
    if choices and depth:
        return " or ".join(_kind(choice, root, depth - 1) for choice in choices)
    kind = part.get("type", "any")
    kind = " or ".join(kind) if isinstance(kind, list) else str(kind)
    if kind == "array" and part.get("items") and depth:
        return f"array of {_kind(part['items'], root, depth - 1)}"
    if kind == "object" and part.get("properties") and depth:
        required = part.get("required") or ()
        members = [
            f"{key}: {_kind(member, root, depth - 1)}{'' if key in required else ', optional'}"
            for key, member in part["properties"].items()
        ]
        return f"object with {'; '.join(members)}"
    return kind


def _example(offer: Offer, record: Format, declared: JsonMapping | None = None) -> str:
    """Return an example call with the declared arguments, or else with sample values.

    If the format cannot express all of them, only required parameters are shown, or none.
    """
    keys = list(offer.parameters.get("properties") or ())
    sampled = (_sampled(offer, keys) for keys in (keys[:6], _required(offer), []))
    for arguments in chain([] if declared is None else [dict(declared)], sampled):
        try:
            return render_call(Call(offer.name, arguments, id="call00000"), record)
        except CannotWriteError:
            continue
    raise CannotWriteError(f"{record.name} cannot express a call of {offer.name}")


def _required(offer: Offer) -> list[str]:
    required = offer.parameters.get("required") or ()
    return [key for key in offer.parameters.get("properties") or () if key in required]


def _sampled(offer: Offer, keys: list[str]) -> JsonObject:
    schema = offer.parameters
    return {key: sample(schema["properties"][key], key, schema) for key in keys}


def sample(schema: Any, key: str, root: JsonMapping, depth: int = MAX_DEPTH) -> Any:
    """Return a sample value that the schema allows."""
    schema = _resolved(schema, root) if depth >= 0 else {}
    for given in ("default", "const"):
        if schema.get(given) is not None:
            return schema[given]
    for listed in ("examples", "enum"):
        if schema.get(listed):
            return schema[listed][0]
    for choice in ("anyOf", "oneOf", "allOf"):
        if schema.get(choice):
            return sample(schema[choice][0], key, root, depth - 1)
    kind = schema.get("type", "string")
    kind = kind[0] if isinstance(kind, list) else kind
    if kind == "array":
        return [sample(schema.get("items") or {}, key, root, depth - 1)] if depth else []
    if kind == "object":
        members = schema.get("properties") or {} if depth else {}
        return {name: sample(part, name, root, depth - 1) for name, part in members.items()}
    if kind == "string":
        return _BY_KEY.get(key, _SAMPLES["string"])
    return max(_SAMPLES[kind], schema["minimum"]) if "minimum" in schema else _SAMPLES.get(kind)


def _resolved(schema: Any, root: JsonMapping) -> JsonObject:
    """Return the schema that a `$ref` points to, or the schema itself."""
    found = resolved(schema, root)
    return found if isinstance(found, dict) else {}


def _rules(record: Format, offers: list[Offer]) -> str:
    """Return the rules for the model."""
    names = ", ".join(offer.name for offer in offers) or "none"
    rules = [
        f"Call only these tools: {names}.",
        "Give every required parameter, and no other names than those listed.",
        _VALUES[record.values],
        _several(record, offers),
        "Do not put the call into quotes or a code block of your own, and do not explain it.",
        "Never write the result of a call yourself. Wait for it.",
        "When no tool is needed, answer in plain text.",
    ]
    return "\n".join(["Rules:", *(f"{i}. {rule}" for i, rule in enumerate(rules, 1))])


def _several(record: Format, offers: list[Offer]) -> str:
    """Return the rule about several calls in one reply, with an example if they share an envelope."""
    if not record.parallel:
        return "Write one call at a time."
    if not any(record.frame) or not offers:
        return "You may write several calls, one after the other."
    offer = offers[0]
    call = Call(offer.name, _sampled(offer, _required(offer)), id="call00000")
    try:
        both = render_call([call, replace(call, id="call00001")], record)
    except CannotWriteError:
        return "You may write several calls, one after the other."
    return f"You may write several calls at once, in one envelope:\n{both}\n"
