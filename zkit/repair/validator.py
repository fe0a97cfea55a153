"""A JSON Schema in, a validator out that tells at C speed whether a value fits."""

from __future__ import annotations

from typing import Any, Literal

from pydantic_core import SchemaError, SchemaValidator, core_schema

from zkit.repair.expect import ALL_KINDS, kinds_of, resolved, table_of


class _Core:
    """Builds the pydantic core schema that tells, at C speed, whether a value fits."""

    def __init__(self, root: Any, *, closed: bool, scalars: bool) -> None:
        self.root = root
        self.closed = closed
        self.scalars = scalars
        self.anything = _scalar() if closed else core_schema.any_schema()
        self.named: dict[str, Any] = {}

    def build(self, schema: Any, depth: int = 0) -> Any:
        """A core schema for `schema`; what it cannot express is left open."""
        if not isinstance(schema, dict) or depth > 24:
            return self.anything
        if isinstance(schema.get("$ref"), str):
            return self._reference(schema["$ref"], schema, depth)
        for name in ("anyOf", "oneOf"):
            if isinstance(schema.get(name), list) and schema[name]:
                return core_schema.union_schema([self.build(s, depth + 1) for s in schema[name]])
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return self._literals(schema["enum"])
        if "const" in schema:
            return self._literals([schema["const"]])
        kinds = sorted(kinds_of(schema))
        if len(kinds) == len(ALL_KINDS):
            return self.anything
        choices = [self._kind(kind, schema, depth) for kind in kinds if kind not in _SCALARS]
        if len(choices) < len(kinds):
            scalars = [_SCALARS[kind]() for kind in kinds if kind in _SCALARS]
            choices += scalars if self.scalars else [_scalar()]
        return core_schema.union_schema(choices) if len(choices) > 1 else choices[0]

    def _reference(self, ref: str, schema: Any, depth: int) -> Any:
        if ref not in self.named:
            self.named[ref] = None
            built = dict(self.build(resolved(schema, self.root), depth + 1))
            self.named[ref] = built | {"ref": ref} if "ref" not in built else built
        return core_schema.definition_reference_schema(ref)

    def _kind(self, kind: str, schema: dict[str, Any], depth: int) -> Any:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return core_schema.list_schema(self.build(schema.get("items"), depth + 1), strict=True)
        return self.anything

    def _object(self, schema: dict[str, Any], depth: int) -> Any:
        required = schema.get("required")
        required = set(required) if isinstance(required, list) else set()
        fields = {
            name: core_schema.typed_dict_field(
                self.build(part, depth + 1), required=name in required
            )
            for name, part in table_of(schema, "properties").items()
        }
        for name in required - set(fields):
            fields[name] = core_schema.typed_dict_field(self.anything, required=True)
        others = False if self.closed else schema.get("additionalProperties")
        extra: Literal["forbid", "allow"] = "forbid" if others is False else "allow"
        more = self.build(others, depth + 1) if isinstance(others, dict) else None
        return core_schema.typed_dict_schema(
            fields, extra_behavior=extra, extras_schema=more, strict=True
        )

    def _literals(self, values: list[Any]) -> Any:
        if any(isinstance(v, dict | list | float) for v in values):
            return self.anything
        return core_schema.literal_schema(values) if self.scalars else _scalar()


_SCALARS: dict[str, Any] = {
    "string": lambda: core_schema.str_schema(strict=True),
    "boolean": lambda: core_schema.bool_schema(strict=True),
    "null": core_schema.none_schema,
    "number": lambda: core_schema.float_schema(strict=True),
    "integer": lambda: core_schema.union_schema(
        [core_schema.int_schema(strict=True), core_schema.float_schema(strict=True, multiple_of=1)]
    ),
}


def _scalar() -> Any:
    """Any scalar. Repair judges structure; whether a number was expected is for `decode` to say."""
    return core_schema.union_schema([make() for make in _SCALARS.values()])


def validator_for(
    schema: dict[str, Any], *, closed: bool = False, scalars: bool = False
) -> SchemaValidator | None:
    """The validator of a schema; None when the schema makes no sense.

    One that is `closed` takes no key anywhere that the schema does not declare; one with `scalars` also
    judges the types of scalars and their known values.
    """
    core = _Core(schema, closed=closed, scalars=scalars)
    try:
        built = core.build(schema)
        if core.named:
            built = core_schema.definitions_schema(built, [d for d in core.named.values() if d])
        return SchemaValidator(built)
    except (SchemaError, KeyError, TypeError, ValueError):
        return None
