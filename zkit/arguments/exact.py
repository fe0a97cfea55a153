"""A type's core schema in, a validator of JSON out that reads nothing in silence.

Even strict, pydantic takes `true` for `Literal[1]`, `1e999` for infinity and `"20261116"` for a moment in
1970, and most models ignore keys that they do not declare. Here these are complaints, made by
pydantic's own compiled validators, so that what is valid costs what pydantic costs.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from enum import Enum
from math import isfinite
from typing import Any

from pydantic_core import PydanticCustomError, SchemaValidator, core_schema

Node = dict[str, Any]
# Where the schemas below a schema stand. What stands elsewhere (defaults, known values) is data.
_BELOW = frozenset(
    [
        *("schema", "fields", "choices", "definitions", "steps", "items_schema", "keys_schema"),
        *("values_schema", "extras_schema", "extras_keys_schema", "arguments_schema"),
        *("json_schema", "python_schema", "lax_schema", "strict_schema"),
    ]
)
_SPELLINGS = {
    "date": r"^\d{4}-\d\d-\d\d$",
    "datetime": r"^[+-]?\d{4}-\d\d-\d\d[Tt _]",
    "time": r"^\d\d:\d\d",
}


def exact_validator(schema: Any, *, declared_only: bool) -> SchemaValidator:
    """The strict validator of a core schema.

    With `declared_only` it complains of keys that a type would ignore; else those are ignored.
    """
    extra = {"extra_fields_behavior": "forbid"} if declared_only else {}
    config: Any = {"strict": True, **extra}
    # A nested model's ready validator would be pydantic's own.
    return SchemaValidator(_exact(schema, config), config, _use_prebuilt=False)


def _exact(node: Any, config: Node) -> Any:
    """A schema, or a group of them, with what is below it made exact."""
    if isinstance(node, list | tuple):
        return type(node)(_exact(part, config) for part in node)
    if not isinstance(node, dict) or _validates_its_default(node):
        return node
    if "type" not in node:
        return {name: _exact(part, config) for name, part in node.items()}
    made = {key: _exact(part, config) if key in _BELOW else part for key, part in node.items()}
    if "strict" in made:
        made["strict"] = True
    if "config" in made:
        made["config"] = {**config, **_of_its_own(made["config"]), "strict": True}
    if made.get("extra_behavior") == "ignore":
        made["extra_behavior"] = config.get("extra_fields_behavior", "ignore")
    return _rewritten(made)


def _of_its_own(config: Node) -> Node:
    """The settings of a type; that it ignores other keys is no more than the default."""
    ignores = config.get("extra_fields_behavior") == "ignore"
    return {k: v for k, v in config.items() if not (ignores and k == "extra_fields_behavior")}


def _validates_its_default(node: Node) -> bool:
    """Whether a default passes the validator as well: a Python object, which is no JSON."""
    settings = node.get("config") or {}
    return bool(node.get("validate_default") or settings.get("validate_default"))


def _rewritten(node: Node) -> Node:
    rewrite = _REWRITES.get(node["type"])
    made = rewrite(node) if rewrite else node
    return {**made, "ref": node["ref"]} if "ref" in node else made


def _finite(node: Node) -> Node:
    return {**node, "allow_inf_nan": False}


def _anything(node: Node) -> Any:
    return core_schema.no_info_after_validator_function(_all_finite, core_schema.any_schema())


def _all_finite(value: Any) -> Any:
    """The value; JSON knows no number that is infinite, so none was sent that is."""
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


def _spelt(node: Node) -> Any:
    """A date or time that must be spelt as one: a text of digits is no count of seconds."""
    text = core_schema.str_schema(pattern=_SPELLINGS[node["type"]])
    return core_schema.chain_schema([text, {**node, "strict": False}])


def _literal(node: Node) -> Any:
    """Known values, each of its own kind: Python finds that 1 and True are equal."""
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
    words = {"custom_error_type": "unknown_value", "custom_error_message": "not a known value"}
    return ways[0] if len(ways) == 1 else core_schema.union_schema(ways, **words)  # type: ignore[arg-type]


def _enum(node: Node) -> Any:
    """The members of an enum by values of their own kind, where there are numbers among them."""
    if not any(isinstance(one.value, int | float) for one in node["members"]):
        return node
    find = _finder(node["members"], node.get("missing"))
    return core_schema.no_info_plain_validator_function(find)


def _finder(
    members: Collection[Enum], missing: Callable[[Any], Enum | None] | None
) -> Callable[[Any], Enum]:
    known = {(type(one.value), one.value): one for one in members}
    # A number without a fraction may be written so where fractions are known.
    whole = [one for one in members if type(one.value) is float and one.value.is_integer()]
    known = {**{(int, int(one.value)): one for one in whole}, **known}

    def find(value: Any) -> Enum:
        found = known.get((type(value), value)) if not isinstance(value, dict | list) else None
        found = missing(value) if found is None and missing else found
        if found is None:
            raise PydanticCustomError("enum", "not a known value")
        return found

    return find


_REWRITES: dict[str, Callable[[Node], Any]] = {
    "float": _finite,
    "any": _anything,
    "literal": _literal,
    "enum": _enum,
    **dict.fromkeys(_SPELLINGS, _spelt),
}
