"""Writes a tool spec in the formats of servers, prompts and catalogues."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from zkit.errors import SchemaError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.schema_tree import pointer_target
from zkit.tools.frozen_data import thaw

if TYPE_CHECKING:
    from zkit.tools.spec import ToolSpec
    from zkit.tools.spec_fields import Example


_NAMES = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "null": "None",
    "array": "list",
    "object": "dict",
}
_MOST_VALUES = 12
_DEEPEST = 4


def parameters_text(schema: JsonMapping) -> str:
    """Return the parameters of a signature, the required ones first."""
    required = schema.get("required", ())
    properties = {**schema.get("properties", {})}
    properties |= {name: {} for name in required if name not in properties}
    names = sorted(properties, key=lambda name: name not in required)
    shown = [_parameter(name, properties[name], name in required, schema) for name in names]
    return ", ".join([*shown, *_others(schema)])


def _others(schema: JsonMapping) -> Iterator[str]:
    """Return the type of additional keys, where the schema allows them."""
    others = schema.get("additionalProperties")
    if others is True or isinstance(others, Mapping):
        yield f"**others: {type_text(others, schema)}"


def _parameter(name: str, part: object, required: bool, root: JsonMapping) -> str:
    if not isinstance(part, Mapping):
        return name
    kind = type_text(part, root)
    if "default" in part:
        return f"{name}: {kind} = {_value(part['default'])}"
    return f"{name}: {kind}" if required else f"{name}: {kind} = ..."


def type_text(part: object, root: JsonMapping, depth: int = 0) -> str:
    """Return a type as a programmer writes it; `Any` where the schema does not say, or is too deep."""
    if not isinstance(part, Mapping) or depth > _DEEPEST:
        return "Any"
    if "$ref" in part:
        return type_text(pointer_target(root, str(part["$ref"])), root, depth + 1)
    if "const" in part or "enum" in part:
        return _literal(part.get("enum", [part.get("const")]))
    branches = part.get("anyOf") or part.get("oneOf")
    if branches:
        return " | ".join(dict.fromkeys(type_text(one, root, depth + 1) for one in branches))
    if "allOf" in part and len(part["allOf"]) == 1:
        return type_text(part["allOf"][0], root, depth + 1)
    named = part.get("type")
    kinds = [named] if isinstance(named, str) else list(named or ())
    return " | ".join(_of_kind(kind, part, root, depth) for kind in kinds) or "Any"


def _of_kind(kind: str, part: JsonMapping, root: JsonMapping, depth: int) -> str:
    if kind == "array" and part.get("prefixItems"):
        inner = [type_text(one, root, depth + 1) for one in part["prefixItems"]]
        return f"tuple[{', '.join(inner)}]"
    if kind == "array" and isinstance(part.get("items"), Mapping):
        return f"list[{type_text(part['items'], root, depth + 1)}]"
    if kind == "object" and part.get("properties"):
        return "{" + ", ".join(_fields(part, root, depth)) + "}"
    if kind == "object" and isinstance(part.get("additionalProperties"), Mapping):
        return f"dict[str, {type_text(part['additionalProperties'], root, depth + 1)}]"
    return _NAMES.get(kind, "Any")


def _fields(part: JsonMapping, root: JsonMapping, depth: int) -> Iterator[str]:
    required = part.get("required", ())
    for name, inner in part["properties"].items():
        mark = "" if name in required else "?"
        yield f"{name}{mark}: {type_text(inner, root, depth + 1)}"


def _literal(values: Sequence[object]) -> str:
    shown = [_value(value) for value in list(values)[:_MOST_VALUES]]
    more = ["..."] if len(values) > _MOST_VALUES else []
    return " | ".join([*shown, *more]) or "Any"


_CONSTANTS = {None: "None", True: "True", False: "False"}


def _value(value: object) -> str:
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    return json.dumps(value, ensure_ascii=False)


STRICT: Final = "openai-strict"


def openai(spec: ToolSpec, *, strict: bool = False) -> JsonObject:
    """Return an entry of OpenAI's `tools`.

    Strict means that every key is required and nothing may be added; what was optional may be
    null. Parameters that strict mode cannot express (a free mapping) are sent as they are, and
    `strict` says so.
    """
    function: JsonObject = {"name": spec.wire_name, "description": described(spec)}
    if not strict:
        return {"type": "function", "function": {**function, "parameters": thaw(spec.parameters)}}
    try:
        from zkit.schema import convert  # with all dialects: most tools are never sent as strict

        function |= {"parameters": convert(thaw(spec.parameters), STRICT), "strict": True}
    except SchemaError:
        function |= {"parameters": thaw(spec.parameters), "strict": False}
    return {"type": "function", "function": function}


def described(spec: ToolSpec) -> str:
    """Return the description, or the summary if there is none: a model always gets some text."""
    return spec.description or spec.summary


def summary_entry(spec: ToolSpec) -> JsonObject:
    """Return an entry of a catalogue: about fifty bytes, no schema."""
    return {
        "name": spec.name,
        "summary": spec.summary,
        "tags": list(spec.tags),
        "destructive": spec.is_destructive(),
    }


def full(spec: ToolSpec) -> JsonObject:
    """Everything that helps to use the tool well; what is not declared is left out."""
    declared = {
        "name": spec.name,
        "wire_name": spec.wire_name if spec.wire_name != spec.name else None,
        "signature": signature(spec),
        "description": described(spec),
        "parameters": thaw(spec.parameters),
        "output": thaw(spec.output) if spec.output is not None else None,
        "tags": list(spec.tags),
        "examples": [_example(example) for example in spec.examples],
        "error_modes": list(spec.error_modes),
        "guide": {name: list(texts) for name, texts in _guide(spec)},
        "docs": spec.docs,
        "provider": spec.provider,
        "timeout": spec.timeout,
    }
    return {
        **{name: value for name, value in declared.items() if value},
        "grade": {"w": spec.effective_grade.w, "d": spec.effective_grade.d},
        "destructive": spec.is_destructive(),
        "idempotency": _IDEMPOTENCY[spec.idempotent],
    }


_IDEMPOTENCY = {True: "idempotent", False: "side_effecting", None: "unknown"}


def _example(example: Example) -> JsonObject:
    notes = {"description": example.description, "outcome": example.outcome}
    return {
        "arguments": thaw(example.arguments),
        **{name: text for name, text in notes.items() if text},
    }


def _guide(spec: ToolSpec) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in ("when_to_use", "when_not_to_use", "tips", "examples"):
        texts = getattr(spec.guide, name)
        if texts:
            yield name, texts


def signature(spec: ToolSpec) -> str:
    """One line: names, types, defaults, what comes back."""
    returns = f" -> {type_text(spec.output, spec.output)}" if spec.output is not None else ""
    return f"{spec.wire_name}({parameters_text(spec.parameters)}){returns}"


def text(spec: ToolSpec) -> str:
    """Return a block for a prompt: signature, description, parameters, one example, guide."""
    lines = [signature(spec), *_indented(described(spec))]
    lines += [f"  {line}" for line in _parameter_lines(spec.parameters)]
    for example in spec.examples[:1]:
        lines.append(f"  example: {json.dumps(thaw(example.arguments), ensure_ascii=False)}")
    lines += [f"  fails when: {mode}" for mode in spec.error_modes]
    lines += [f"  {line}" for line in guide_lines(spec.guide)]
    if spec.is_destructive():
        lines.append("  destructive: needs approval")
    return "\n".join(lines)


def guide_lines(guide: object) -> Iterator[str]:
    """Return the guide of a tool, one hint a line."""
    for name, label in _LABELS.items():
        for hint in getattr(guide, name):
            yield f"{label}: {hint}"


_LABELS = {
    "when_to_use": "use it when",
    "when_not_to_use": "do not use it when",
    "examples": "for example",
    "tips": "tip",
}


def _indented(description: str) -> list[str]:
    return [f"  {line}".rstrip() for line in description.splitlines()]


def _parameter_lines(schema: JsonMapping) -> Iterator[str]:
    for name, part in schema["properties"].items():
        about = part.get("description") if isinstance(part, Mapping) else None
        if about:
            yield f"{name}: {' '.join(str(about).split())}"


def mcp(spec: ToolSpec) -> JsonObject:
    """Return an entry of MCP's `tools/list`, with the hints that follow from the grade.

    MCP wants an object as output: anything else is wrapped as `{"result": …}`.
    https://modelcontextprotocol.io/specification/2025-06-18/server/tools
    """
    entry: JsonObject = {
        "name": spec.name,
        "description": described(spec),
        "inputSchema": thaw(spec.parameters),
        "annotations": _hints(spec),
    }
    if spec.output is not None:
        entry["outputSchema"] = _as_object(thaw(spec.output))
    return entry


def _hints(spec: ToolSpec) -> dict[str, bool]:
    reads = spec.effective_grade.w <= 1
    hints = {"readOnlyHint": reads, "openWorldHint": spec.effective_grade.w > 0}
    if not reads:
        hints["destructiveHint"] = spec.is_destructive()
        hints["idempotentHint"] = spec.idempotent is True
    return hints


def _as_object(schema: JsonObject) -> JsonObject:
    if schema.get("type") == "object":
        return schema
    definitions = schema.pop("$defs", None)
    wrapped = {"type": "object", "properties": {"result": schema}, "required": ["result"]}
    return wrapped if definitions is None else {**wrapped, "$defs": definitions}
