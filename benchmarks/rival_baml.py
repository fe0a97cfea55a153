"""Our tools as BAML classes, so that BAML's parser can read a text against them, without a model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from types import ModuleType
from typing import Any

from pydantic import BaseModel, ConfigDict

from benchmarks.payloads import TOOLS

CLIENT = """
client<llm> Nobody {
  provider openai
  options {
    model "none"
    api_key "none"
  }
}
"""
# Otherwise the parser writes a stack trace for each text that it refuses, which also takes its time.
QUIET = {"BAML_LOG": "off", "BAML_INTERNAL_LOG": "off", "RUST_BACKTRACE": "0"}
SCALARS = {"string": "string", "integer": "int", "number": "float", "boolean": "bool"}


class Open(BaseModel):
    """Whatever members BAML found."""

    model_config = ConfigDict(extra="allow")


def baml_source() -> str:
    """One class and one function for each tool."""
    classes: dict[str, str] = {}
    functions = [
        _function(name, _class(kind.schema, name, classes)) for name, kind in TOOLS.items()
    ]
    return CLIENT + "\n".join([*classes.values(), *functions])


def _function(tool: str, result: str) -> str:
    prompt = '#"{{ ctx.output_format }}"#'
    return f"function Read_{tool}() -> {result} {{\n  client Nobody\n  prompt {prompt}\n}}\n"


def _class(schema: dict[str, Any], name: str, classes: dict[str, str]) -> str:
    required = schema["required"]
    lines = []
    for field, inner in schema["properties"].items():
        written = _type(inner, f"{name}_{field}", classes)
        written = written if field in required else f"({written})?"
        lines.append(f'  f_{field} {written} @alias("{field}")')  # `env` and others are reserved
    title = f"T_{name}"
    classes[title] = f"class {title} {{\n" + "\n".join(lines) + "\n}\n"
    return title


def _type(schema: dict[str, Any], name: str, classes: dict[str, str]) -> str:
    if "anyOf" in schema:
        return f"({_type(schema['anyOf'][0], name, classes)} | null)"
    if isinstance(schema["type"], list):
        return f"({SCALARS[schema['type'][0]]} | null)"
    if "enum" in schema:
        return "(" + " | ".join(f'"{value}"' for value in schema["enum"]) + ")"
    if schema["type"] == "array":
        return f"({_type(schema['items'], name, classes)})[]"
    if schema["type"] != "object":
        return SCALARS[schema["type"]]
    if "properties" in schema:
        return _class(schema, name, classes)
    return f"map<string, {_type(schema['additionalProperties'], name, classes)}>"


def baml_reader() -> Any:
    """A function (text, schema) -> value. Raises ImportError when baml-py is not installed."""
    os.environ.update(QUIET)
    from baml_py import BamlRuntime

    source = baml_source()
    runtime = BamlRuntime.from_files("baml_src", {"tools.baml": source}, {})
    context = runtime.create_context_manager()
    models = ModuleType("models")
    for line in source.splitlines():
        if line.startswith("class "):
            title = line.split()[1]
            setattr(models, title, type(title, (Open,), {}))

    def read(text: str, schema: dict[str, Any]) -> Any:
        found = runtime.parse_llm_response(
            f"Read_{schema['title']}", text, models, models, models, False, context, None, None, {}
        )
        return _pruned(found.model_dump(), schema)

    return read


def _pruned(value: Any, schema: dict[str, Any]) -> Any:
    """BAML writes null for an optional member that is absent; take those out again."""
    if isinstance(value, dict) and "properties" in schema:
        return dict(_members(value, schema))
    if isinstance(value, list) and "items" in schema:
        return [_pruned(item, schema["items"]) for item in value]
    return value


def _members(value: dict[str, Any], schema: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, item in ((name.removeprefix("f_"), item) for name, item in value.items()):
        if item is not None or key in schema["required"]:
            yield key, _pruned(item, schema["properties"].get(key, {}))
