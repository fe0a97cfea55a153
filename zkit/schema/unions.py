"""Rewrites unions and `allOf` as a backend accepts them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from zkit.errors import SchemaError
from zkit.schema.normalize import in_words, required_in_words
from zkit.schema.schema_limits import MAX_ALL_OF
from zkit.schema.schema_tree import (
    OF_TYPE,
    TYPED_KEYWORDS,
    Schema,
    distinct,
    identity,
    is_of,
    is_only,
    join,
    pointer_target,
    rebuilt,
    takes,
    types_of,
)

if TYPE_CHECKING:
    from zkit.schema.dialects import Dialect

_FIRST = ("title", "default", "examples", "$schema", "$id")
_ENDS = (".", "!", "?", ":", ")")
_HIGHER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_LOWER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


def merged(first: Schema, second: Schema, path: str) -> Schema:
    """Return a schema that requires what both require; what cannot be merged is stated in words."""
    made = dict(first)
    unjoined: list[str] = []
    for key, value in second.items():
        if key not in made or made[key] == value:
            made[key] = value
        elif key in _JOIN:
            made[key] = _JOIN[key](made[key], value, path)
        else:
            unjoined.append(key)
    return _with_words_of(made, second, unjoined)


def _with_words_of(made: Schema, second: Schema, keys: list[str]) -> Schema:
    """Add to the description of the result what the second schema requires beyond it."""
    if not keys:
        return made
    about = {key: second[key] for key in keys}
    said = in_words({"description": made.get("description", ""), **about}, keys)
    return {**made, "description": said["description"]} if said["description"] else made


def _types(first: object, second: object, path: str) -> object:
    mine, yours = types_of({"type": first}), types_of({"type": second})
    both = [name for name in mine if name in yours or (name == "integer" and "number" in yours)]
    both += [name for name in yours if name == "integer" and "number" in mine and name not in mine]
    if not both:
        raise SchemaError(
            f"{path or 'the root'}: no value is both of type {first!r} and {second!r}"
        )
    return both[0] if len(both) == 1 else both


def _enums(first: Sequence[object], second: Sequence[object], path: str) -> object:
    yours = {identity(value) for value in second}
    both = [value for value in first if identity(value) in yours]
    if not both:
        raise SchemaError(f"{path or 'the root'}: no value is in both {first!r} and {second!r}")
    return both


def _properties(first: Schema, second: Schema, path: str) -> object:
    names = dict.fromkeys([*first, *second])
    return {
        name: merged(
            first.get(name, {}), second.get(name, {}), f"{path}.properties.{name}".lstrip(".")
        )
        for name in names
    }


def _schemas(first: object, second: object, path: str) -> object:
    if not isinstance(first, dict) or not isinstance(second, dict):
        return second if first is True else first if second is True else False
    return merged(first, second, path)


def _texts(first: str, second: str, path: str) -> object:
    if second in first or first in second:
        return max(first, second, key=len)
    return f"{first}{'' if first.endswith(_ENDS) else '.'} {second}"


_JOIN: dict[str, Callable[[Any, Any, str], object]] = {
    "type": _types,
    "enum": _enums,
    "properties": _properties,
    "required": lambda first, second, path: distinct([*first, *second]),
    "items": _schemas,
    "additionalProperties": _schemas,
    "description": _texts,
    "uniqueItems": lambda first, second, path: bool(first or second),
    **{key: (lambda first, second, path: first) for key in _FIRST},
    **{key: (lambda first, second, path: max(first, second)) for key in _HIGHER},
    **{key: (lambda first, second, path: min(first, second)) for key in _LOWER},
}


NULL = {"type": "null"}
CONDITIONS = ("not", "if", "then", "else", "dependentRequired", "dependentSchemas", "dependencies")
_ABOUT = ("description", "title", "default", "examples", "deprecated", "nullable", "discriminator")


def conditions_in_words(schema: Schema, dialect: Dialect) -> Schema:
    """State in words what no grammar can express: negations and conditions."""
    return rebuilt(schema, lambda part, path: in_words(part, [k for k in part if k in CONDITIONS]))


def merge_all_of(schema: Schema, dialect: Dialect) -> Schema:
    """Write `allOf` as the one schema that it amounts to."""

    def change(part: Schema, path: str) -> Schema:
        if not isinstance(part.get("allOf"), list):
            return part
        return _all_merged(part, schema, path)

    return rebuilt(schema, change)


def merge_all_of_at_root(schema: Schema, dialect: Dialect) -> Schema:
    """Write an `allOf` at the root as the one schema that it amounts to."""
    return _all_merged(schema, schema, "") if isinstance(schema.get("allOf"), list) else schema


def _all_merged(schema: Schema, root: Schema, path: str) -> Schema:
    """Merge the branches of `allOf`, and what they refer to, and the `allOf` in that."""
    made = {key: value for key, value in schema.items() if key != "allOf"}
    waiting = list(schema["allOf"])[::-1]
    for _ in range(MAX_ALL_OF):
        if not waiting:
            return made
        branch = _followed(waiting.pop(), root)
        waiting.extend(reversed(branch.get("allOf", ())))
        made = merged(made, {key: value for key, value in branch.items() if key != "allOf"}, path)
    raise SchemaError(f"{path or 'the root'}: its allOf has no end")


def _followed(branch: Schema, root: Schema) -> Schema:
    """Return what a branch refers to: a reference cannot be merged with anything."""
    target = pointer_target(root, branch["$ref"]) if isinstance(branch.get("$ref"), str) else None
    if not isinstance(target, dict):
        return branch
    return {**target, **{key: value for key, value in branch.items() if key != "$ref"}}


def any_of_for_one_of(schema: Schema, dialect: Dialect) -> Schema:
    """Write `oneOf` as `anyOf`: the fields show which branch is meant."""
    return rebuilt(schema, _any_of)


def _any_of(schema: Schema, path: str) -> Schema:
    if "oneOf" not in schema:
        return schema
    if "anyOf" in schema:
        return in_words(schema, ["oneOf"])
    return {("anyOf" if key == "oneOf" else key): value for key, value in schema.items()}


def stand_alone(schema: Schema, dialect: Dialect) -> Schema:
    """Move the keywords beside a union into each of its branches."""
    return rebuilt(schema, lambda part, path: _alone(part, path, schema) if path else part)


def _alone(schema: Schema, path: str, root: Schema) -> Schema:
    beside = {k: v for k, v in schema.items() if k not in _ABOUT and k not in ("anyOf", "$defs")}
    if "anyOf" not in schema or not beside:
        return schema
    said = required_in_words(schema, "anyOf")
    if said is not None:
        return said
    about = {key: value for key, value in schema.items() if key in _ABOUT}
    branches = [_with_siblings(branch, beside, root, path) for branch in schema["anyOf"]]
    return {**about, "anyOf": branches}


def _with_siblings(branch: Schema, beside: Schema, root: Schema, path: str) -> Schema:
    if "$ref" in branch and is_only(beside, "type"):
        return branch  # the target of the reference has its own type
    return merged(_followed(branch, root), beside, join(path, "anyOf"))


def flat_unions(schema: Schema, dialect: Dialect) -> Schema:
    """Flatten nested unions, drop duplicates, and write a union of one as that one."""
    return rebuilt(schema, lambda part, path: _flat(part, path))


def _flat(schema: Schema, path: str) -> Schema:
    branches = schema.get("anyOf")
    if not isinstance(branches, list):
        return schema
    opened = _opened(branches)
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    if not opened or {} in opened:
        return rest
    if len(opened) == 1 and "$ref" not in opened[0]:
        return _flat(merged(rest, opened[0], path), path)
    return {**schema, "anyOf": opened}


def _opened(branches: list[Schema]) -> list[Schema]:
    """Return the branches of a union, including those of nested unions, each once."""
    opened: dict[tuple[str, str], Schema] = {}
    for branch in branches:
        inner = branch["anyOf"] if branch and is_only(branch, "anyOf") else [branch]
        for part in inner:
            opened.setdefault(identity(part), part)
    return list(opened.values())


def nulls_as_keyword(schema: Schema, dialect: Dialect) -> Schema:
    """Write "or null" as `nullable`, the way of OpenAPI 3.0."""
    return flat_unions(
        rebuilt(schema, lambda part, path: _less_null(part, {"nullable": True})), dialect
    )


def nulls_left_out(schema: Schema, dialect: Dialect) -> Schema:
    """Drop "or null": a field that may be null is left out instead."""
    return flat_unions(rebuilt(schema, lambda part, path: _less_null(part, {})), dialect)


def _less_null(schema: Schema, mark: Schema) -> Schema:
    made = dict(schema)
    types = [name for name in types_of(schema) if name != "null"]
    if types and takes(schema, "null"):
        made["type"] = types[0] if len(types) == 1 else types
    if None in schema.get("enum", ()) and len(schema["enum"]) > 1:
        made["enum"] = [value for value in schema["enum"] if value is not None]
    if any(is_null(branch) for branch in schema.get("anyOf", ())):
        made["anyOf"] = [b for b in schema["anyOf"] if not is_null(b)] or [dict(NULL)]
    if any(branch.get("nullable") for branch in made.get("anyOf", ())) and mark:
        made["anyOf"] = [_unmarked(branch) for branch in made["anyOf"]]
    return schema if made == schema else {**made, **mark}


def _unmarked(branch: Schema) -> Schema:
    return {key: value for key, value in branch.items() if key != "nullable"}


def is_null(schema: object) -> bool:
    """True if a schema accepts null and nothing else."""
    if not isinstance(schema, dict):
        return False
    return types_of(schema) == ["null"] or ("enum" in schema and schema["enum"] == [None])


def one_type_each(schema: Schema, dialect: Dialect) -> Schema:
    """Write a list of types as a union of schemas with one type each, where the dialect requires it."""

    def change(part: Schema, path: str) -> Schema:
        types = types_of(part)
        if len(types) < 2:
            return {**part, "type": types[0]} if types and part["type"] != types[0] else part
        if dialect.type_lists and not {"object", "array"} & set(types) and "enum" not in part:
            return part
        return _split(part, [t for t in types if t != "integer" or "number" not in types])

    return flat_unions(rebuilt(schema, change), dialect)


def _split(schema: Schema, types: list[str]) -> Schema:
    about = {key: value for key, value in schema.items() if key in _ABOUT}
    rest = {k: v for k, v in schema.items() if k not in _ABOUT and k != "type"}
    branches = [_of_type(rest, name) for name in types]
    return {**about, "anyOf": [branch for branch in branches if branch is not None]}


def _of_type(rest: Schema, name: str) -> Schema | None:
    """Return the part of a schema that applies to values of one type; None if its enum has no such
    value."""
    kept = {k: v for k, v in rest.items() if k not in TYPED_KEYWORDS or k in OF_TYPE[name]}
    if "enum" not in kept or (name == "null" and None in kept["enum"]):
        return {"type": name, **{key: value for key, value in kept.items() if key != "enum"}}
    values = [value for value in kept["enum"] if is_of(value, [name])]
    return {"type": name, **kept, "enum": values} if values else None


def unions_without_siblings(schema: Schema, dialect: Dialect) -> Schema:
    """Move the fields beside a union into it: the backend wants `anyOf` to be the only field."""
    return rebuilt(schema, _without_siblings)


def _without_siblings(schema: Schema, path: str) -> Schema:
    if "anyOf" not in schema:
        return schema
    first, *others = _opened(schema["anyOf"])
    if schema.get("description"):
        first = merged({"description": schema["description"]}, first, path)
    branches = [first, *others]
    if schema.get("nullable"):
        branches = [{**branch, "nullable": True} for branch in branches]
    return {"anyOf": branches}
