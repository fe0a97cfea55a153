"""Builds a strict JSON validator from a core schema of pydantic, which accepts nothing silently.

Even strict, pydantic takes `true` for `Literal[1]`, `1e999` for infinity and `"20261116"` for a
moment in 1970, and most models ignore keys that they do not declare. Here these are errors, raised
by pydantic's own compiled validators, so that valid input costs what pydantic costs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from enum import Enum
from math import isfinite
from typing import Any

from pydantic_core import PydanticCustomError, SchemaValidator, ValidationError, core_schema

from zkit.json_types import JsonObject
from zkit.schema.compiled_schema import SILENT

Node = JsonObject
Rewrites = Mapping[str, Callable[[Node], Any]]
BELOW = frozenset(
    [
        *("schema", "fields", "choices", "definitions", "steps", "items_schema", "keys_schema"),
        *("values_schema", "extras_schema", "extras_keys_schema", "arguments_schema"),
        *("json_schema", "python_schema", "lax_schema", "strict_schema"),
    ]
)
"""The keys under which a schema holds other schemas. Everything else in it (defaults, known values)
is data."""
_SPELLINGS = {
    "date": r"^\d{4}-\d\d-\d\d$",
    "datetime": r"^[+-]?\d{4}-\d\d-\d\d[Tt _]",
    "time": r"^\d\d:\d\d",
}


def exact_validator(schema: object, *, declared_only: bool) -> SchemaValidator:
    """Return the strict validator of a core schema.

    With `declared_only`, keys that a type would ignore are errors.
    """
    extra = {"extra_fields_behavior": "forbid"} if declared_only else {}
    config: Any = {"strict": True, **extra}
    rewrites = _REWRITES_IN_UNIONS if _has_unions(schema) else _REWRITES
    # A nested model's prepared validator would be pydantic's own.
    return SchemaValidator(_exact(schema, config, rewrites), config, _use_prebuilt=False)


def _has_unions(schema: object) -> bool:
    todo = [schema]
    while todo:
        part = todo.pop()
        if isinstance(part, dict):
            if part.get("type") == "union":
                return True
            todo += [below for key, below in part.items() if key in BELOW or not is_schema(part)]
        elif isinstance(part, list | tuple):
            todo += part
    return False


def is_schema(node: Node) -> bool:
    """True if a node is a schema; otherwise it is a group of schemas by name, and `type` may be a
    name."""
    return isinstance(node.get("type"), str)


def _exact(node: object, config: Node, rewrites: Rewrites) -> Any:
    """Return a schema, or a group of them, with what is below it made exact."""
    if isinstance(node, list | tuple):
        return type(node)(_exact(part, config, rewrites) for part in node)
    if not isinstance(node, dict) or _validates_its_default(node):
        return node
    if not is_schema(node):
        return {name: _exact(part, config, rewrites) for name, part in node.items()}
    made = {k: _exact(v, config, rewrites) if k in BELOW else v for k, v in node.items()}
    if "strict" in made:
        made["strict"] = True
    if "config" in made:
        made["config"] = {**config, **_of_its_own(made["config"]), "strict": True}
    if made.get("extra_behavior") == "ignore":
        made["extra_behavior"] = config.get("extra_fields_behavior", "ignore")
    elif SILENT in (made.get("metadata") or ()):
        made["extra_behavior"] = config.get("extra_fields_behavior", "allow")
    rewrite = rewrites.get(node["type"])
    made = rewrite(made) if rewrite else made
    return {**made, "ref": node["ref"]} if "ref" in node else made


def _of_its_own(config: Node) -> Node:
    """Return the settings of a type without the default that other keys are ignored."""
    ignores = config.get("extra_fields_behavior") == "ignore"
    return {k: v for k, v in config.items() if not (ignores and k == "extra_fields_behavior")}


def _validates_its_default(node: Node) -> bool:
    """True if a default is validated too: it is a Python object, not JSON."""
    settings = node.get("config") or {}
    return bool(node.get("validate_default") or settings.get("validate_default"))


def _finite(node: Node) -> Node:
    return {**node, "allow_inf_nan": False}


def _anything(node: Node) -> object:
    return core_schema.no_info_after_validator_function(_all_finite, core_schema.any_schema())


def _all_finite(value: object) -> object:
    """Return the value, or raise if a number in it is infinite: JSON has no such number."""
    if type(value) is str:
        return value
    todo = [value]
    while todo:
        part = todo.pop()
        if type(part) is float and not isfinite(part):
            raise PydanticCustomError("finite_number", "too large for a number")
        if isinstance(part, dict | list):
            todo += part.values() if isinstance(part, dict) else part
    return value


def _spelt(node: Node) -> object:
    """Return a date or time that must be spelt as one: a text of digits is not a count of seconds."""
    return _chained(node, {**node, "strict": False})


def _spelt_in_a_union(node: Node) -> object:
    """The same inside a union, which prefers the branch that was read most strictly."""
    validate = SchemaValidator({**node, "strict": False}).validate_python

    def read(text: str) -> object:
        try:
            return validate(text)
        except ValidationError:
            raise PydanticCustomError("spelling", "not a date or time") from None

    return _chained(node, core_schema.no_info_plain_validator_function(read))


def _chained(node: Node, read: Any) -> object:
    return core_schema.chain_schema(
        [core_schema.str_schema(pattern=_SPELLINGS[node["type"]]), read]
    )


def _literal(node: Node) -> object:
    """Known values, each of its own kind: in Python 1 equals True."""
    known = node["expected"]
    kinds = (
        ([one for one in known if type(one) is int], core_schema.int_schema()),
        ([one for one in known if type(one) is bool], core_schema.bool_schema()),
    )
    ways: list[Any] = [
        core_schema.chain_schema([kind, core_schema.literal_schema(values)])
        for values, kind in kinds
        if values
    ]
    rest = [one for one in known if type(one) not in (int, bool)]
    if not ways:
        return node
    if rest:
        ways.append(core_schema.literal_schema(rest))
    if len(ways) == 1:
        return ways[0]
    return core_schema.union_schema(
        ways, custom_error_type="unknown_value", custom_error_message="not a known value"
    )


def _enum(node: Node) -> object:
    """Return the members of an enum by values of their own kind, where there are numbers among them."""
    if not any(isinstance(one.value, int | float) for one in node["members"]):
        return node
    return core_schema.no_info_plain_validator_function(_finder(node["cls"], node["members"]))


def _finder(cls: type[Enum], members: Collection[Enum]) -> Callable[[object], Enum]:
    known = {(type(one.value), one.value): one for one in members}
    # A whole number may be written without its fraction where fractions are known values.
    whole = [one for one in members if type(one.value) is float and one.value.is_integer()]
    known = {**{(int, int(one.value)): one for one in whole}, **known}

    def find(value: object) -> Enum:
        found = known.get((type(value), value)) if not isinstance(value, dict | list) else None
        if found is None and type(value) in (int, str):
            found = cls._missing_(value)  # an enum may accept more than its members (`_missing_`)
        if found is None:
            raise PydanticCustomError("enum", "not a known value")
        return found

    return find


_REWRITES: Rewrites = {
    "float": _finite,
    "any": _anything,
    "literal": _literal,
    "enum": _enum,
    **dict.fromkeys(_SPELLINGS, _spelt),
}
_REWRITES_IN_UNIONS: Rewrites = {**_REWRITES, **dict.fromkeys(_SPELLINGS, _spelt_in_a_union)}
