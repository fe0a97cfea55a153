"""Writes the text that teaches a model to call tools in a chosen format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from typing import Any

from zkit.calls import Call
from zkit.extract.formats.record import Format
from zkit.extract.render import CannotWriteError, format_named, render_call
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema import Offer, offered
from zkit.schema.schema_tree import pointer_target

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
    lines = [f"## {offer.name}"]
    if offer.description:
        lines.append(offer.description.strip())
    lines.append(_parameters(offer.parameters))
    lines.append(f"A call of {offer.name} looks like this:\n{_example(offer, record, declared)}")
    return "\n\n".join(lines)


def _parameters(schema: JsonMapping) -> str:
    members = schema.get("properties") or {}
    if not members:
        return "It takes no parameters."
    required = schema.get("required") or ()
    listed = [_parameter(key, part, key in required, schema) for key, part in members.items()]
    return "\n".join(["Parameters:", *listed])


def _parameter(key: str, part: Any, required: bool, root: JsonMapping) -> str:
    part = _resolved(part, root)
    about = f": {part['description']}" if part.get("description") else ""
    need = "required" if required else "optional"
    return f"- {key} ({_kind(part, root)}, {need}){about}"


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
    members = offer.parameters.get("properties") or {}
    sampled = (_sampled(offer, keys) for keys in (list(members)[:6], _required(offer), []))
    for arguments in chain([] if declared is None else [dict(declared)], sampled):
        try:
            return render_call(Call(offer.name, arguments, id="call00000"), record)
        except CannotWriteError:
            continue
    raise CannotWriteError(f"{record.name} cannot express a call of {offer.name}")


def _required(offer: Offer) -> list[str]:
    members = offer.parameters.get("properties") or {}
    return [key for key in members if key in (offer.parameters.get("required") or ())]


def _sampled(offer: Offer, keys: list[str]) -> JsonObject:
    members = offer.parameters.get("properties") or {}
    return {key: sample(members[key], key, offer.parameters) for key in keys}


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
    for _ in range(MAX_DEPTH):
        if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
            break
        schema = pointer_target(dict(root), schema["$ref"])
    return dict(schema) if isinstance(schema, Mapping) else {}


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
