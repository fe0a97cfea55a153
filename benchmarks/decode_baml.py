"""The tools of the decode benchmark as BAML classes, so that BAML's parser can read arguments, without a model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

from pydantic import BaseModel

from benchmarks.decode_tools import TOOLS
from benchmarks.decode_values import core, nullable, schema_of
from benchmarks.rival_baml import CLIENT, QUIET, SCALARS, Open

Classes = dict[str, str]


def baml_source() -> str:
    """One class and one function for each tool."""
    classes: Classes = {}
    prompt = '#"{{ ctx.output_format }}"#'
    functions = [
        f"function Read_{tool}() -> {_class(schema_of(tool), tool, classes)} "
        f"{{\n  client Nobody\n  prompt {prompt}\n}}\n"
        for tool in TOOLS
    ]
    return CLIENT + "\n".join([*classes.values(), *functions])


def _class(schema: Mapping[str, Any], name: str, classes: Classes) -> str:
    lines = []
    for field, inner in schema["properties"].items():
        written = _type(core(inner), f"{name}_{field}", classes)
        optional = nullable(inner) or field not in schema.get("required", ())
        lines.append(f'  f_{field} ({written}){"?" * optional} @alias("{field}")')
    classes[f"T_{name}"] = f"class T_{name} {{\n" + "\n".join(lines) + "\n}\n"
    return f"T_{name}"


def _type(schema: Mapping[str, Any], name: str, classes: Classes) -> str:
    if "enum" in schema:
        return "(" + " | ".join(f'"{value}"' for value in schema["enum"]) + ")"
    if schema["type"] == "array":
        return f"({_type(schema['items'], name, classes)})[]"
    if schema["type"] != "object":
        return SCALARS[schema["type"]]
    if "properties" in schema:
        return _class(schema, name, classes)
    return f"map<string, {_type(schema['additionalProperties'], name, classes)}>"


def baml_decoder() -> Callable[[type[BaseModel], str], BaseModel]:
    """A function (model, text) -> instance. Raises ImportError when baml-py is not installed."""
    os.environ.update(QUIET)
    from baml_py import BamlRuntime

    source = baml_source()
    runtime = BamlRuntime.from_files("baml_src", {"tools.baml": source}, {})
    context = runtime.create_context_manager()
    models = ModuleType("models")
    for line in source.splitlines():
        if line.startswith("class "):
            setattr(models, line.split()[1], type(line.split()[1], (Open,), {}))

    def read(model: type[BaseModel], text: str) -> BaseModel:
        found = runtime.parse_llm_response(
            f"Read_{model.__name__}", text, models, models, models, False, context, None, None, {}
        )
        return model.model_validate(_named(found.model_dump()))

    return read


def _named(value: Any) -> Any:
    """The members under their own names, without the nulls that BAML writes for absent ones."""
    if isinstance(value, dict):
        members = ((key.removeprefix("f_"), item) for key, item in value.items())
        return {key: _named(item) for key, item in members if item is not None}
    return [_named(item) for item in value] if isinstance(value, list) else value
