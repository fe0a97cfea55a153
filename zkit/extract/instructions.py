"""Tools and a format in, the text out that teaches a model to call them in that format."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from zkit.calls import Call
from zkit.extract.format import Format
from zkit.extract.render import CannotWriteError, format_named, render_call
from zkit.schema import Offer, offered

MAX_DEPTH = 4
_SAMPLES = {"string": "text", "integer": 1, "number": 1.5, "boolean": True, "null": None}
_BY_KEY = {
    "path": "notes/plan.md", "file": "notes/plan.md", "url": "https://example.org", "query": "words to look for",
    "command": "ls", "code": "print(1)", "date": "2026-01-31", "email": "ann@example.org", "language": "python",
}  # fmt: skip
"""What an example shows for a text of that name."""
_VALUES = {
    "json": "Write the arguments as JSON: double quotes around keys and texts, no comments.",
    "raw": "Write each argument as it is, without quotes around texts; lists and objects as JSON.",
    "python": "Write the arguments as Python literals, each with its name.",
}


def instructions(tools: Any, format: str | Format) -> str:
    """The text that teaches a model without function calling to call these tools in this format.

    It lists the tools with their parameters, shows one call for each, and gives the rules.
    """
    record = format_named(format)
    offers = list(offered(tools).values())
    shown = [_tool(offer, record) for offer in offers]
    return "\n\n".join([_HEAD, *shown, _rules(record, offers)])


_HEAD = """\
You can call tools. When you need one, write the call exactly in the form that is shown below, and
nothing after it: its result will come back to you."""


def _tool(offer: Offer, record: Format) -> str:
    """One tool: what it does, what it takes, and a call of it."""
    lines = [f"## {offer.name}"]
    if offer.description:
        lines.append(offer.description.strip())
    lines.append(_parameters(offer.parameters))
    lines.append(f"A call of {offer.name} looks like this:\n{_example(offer, record)}")
    return "\n\n".join(lines)


def _parameters(schema: Mapping[str, Any]) -> str:
    members = schema.get("properties") or {}
    if not members:
        return "It takes no parameters."
    required = schema.get("required") or ()
    listed = [_parameter(key, part, key in required) for key, part in members.items()]
    return "\n".join(["Parameters:", *listed])


def _parameter(key: str, part: Any, required: bool) -> str:
    part = part if isinstance(part, Mapping) else {}
    kind = part.get("type", "any")
    kind = " or ".join(kind) if isinstance(kind, list) else str(kind)
    if part.get("enum"):
        kind = "one of " + ", ".join(json.dumps(v, ensure_ascii=False) for v in part["enum"])
    about = f": {part['description']}" if part.get("description") else ""
    return f"- {key} ({kind}{', required' if required else ', optional'}){about}"


def _example(offer: Offer, record: Format) -> str:
    """A call of the tool with sample values, with required parameters only if all do not fit."""
    schema = offer.parameters
    members = schema.get("properties") or {}
    required = [key for key in members if key in (schema.get("required") or ())]
    for keys in (list(members)[:6], required, []):
        arguments = {key: sample(members[key], key, schema) for key in keys}
        try:
            return render_call(Call(offer.name, arguments, id="call00000"), record)
        except CannotWriteError:
            continue
    raise CannotWriteError(f"{record.name} cannot express a call of {offer.name}")


def sample(schema: Any, key: str, root: Mapping[str, Any], depth: int = MAX_DEPTH) -> Any:
    """A value that the schema allows, for an example."""
    schema = _resolved(schema, root)
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


def _resolved(schema: Any, root: Mapping[str, Any]) -> dict[str, Any]:
    """The schema that a reference points at."""
    for _ in range(MAX_DEPTH):
        if not isinstance(schema, Mapping) or not isinstance(schema.get("$ref"), str):
            break
        at: Any = root
        for part in schema["$ref"].removeprefix("#/").split("/"):
            at = at.get(part, {}) if isinstance(at, Mapping) else {}
        schema = at
    return dict(schema) if isinstance(schema, Mapping) else {}


def _rules(record: Format, offers: list[Offer]) -> str:
    """What to keep to."""
    names = ", ".join(offer.name for offer in offers) or "none"
    many = (
        "You may write several calls, one after the other."
        if record.parallel
        else "Write one call at a time."
    )
    rules = [
        f"Call only these tools: {names}.",
        "Give every required parameter, and no other names than those listed.",
        _VALUES[record.values],
        many,
        "Do not put the call into quotes or a code block of your own, and do not explain it.",
        "Never write the result of a call yourself. Wait for it.",
        "When no tool is needed, answer in plain text.",
    ]
    return "\n".join(["Rules:", *(f"{i}. {rule}" for i, rule in enumerate(rules, 1))])
