"""The schema as evidence: what it expects at each place of a value, and whether a value fits it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, Literal

from pydantic_core import SchemaError, SchemaValidator, core_schema

from zkit.json_types import JsonObject

# For how many schemas the evidence is cached: more than a large toolbox uses at a time.
MOST_SCHEMAS = 256

# ── expect ──────────────────────────────────────────────────────────────────


ALL_KINDS = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_KIND_OF_VALUE = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}


class Expect:
    """What the schema allows at one place: kinds, keys, items."""

    __slots__ = (
        "_children",
        "_root",
        "_schema",
        "closed",
        "keys",
        "kinds",
        "order",
        "required",
    )

    def __init__(self, schema: Any, root: Any) -> None:
        variants = list({id(one): one for one in _variants(schema, root)}.values())
        self._root = root
        self._schema = variants
        self._children: dict[str | int | None, Expect] = {}
        self.kinds = frozenset().union(*(kinds_of(v) for v in variants)) if variants else ALL_KINDS
        objects = [v for v in variants if isinstance(v, dict) and "object" in kinds_of(v)]
        self.order = tuple(dict.fromkeys(k for v in objects for k in table_of(v, "properties")))
        self.keys = frozenset(self.order)
        self.closed = bool(objects) and all(v.get("additionalProperties") is False for v in objects)
        self.required = (
            frozenset(objects[0].get("required", ())) if len(objects) == 1 else frozenset()
        )

    def child(self, key: str) -> Expect:
        """Return what the schema allows under `key`; anything if it does not say."""
        name = key if key in self.keys else None  # all other keys share one entry
        found = self._children.get(name)
        if found is None:
            parts = [p for v in self._schema if (p := _property(v, key)) is not None]
            found = self._children[name] = self._make(parts)
        return found

    def item(self) -> Expect:
        """Return what the schema allows as an item of the list."""
        found = self._children.get(0)
        if found is None:
            parts = [
                v["items"]
                for v in self._schema
                if isinstance(v, dict) and isinstance(v.get("items"), dict)
            ]
            found = self._children[0] = self._make(parts)
        return found

    def _make(self, parts: list[Any]) -> Expect:
        # Alternatives that refer to one place count once; otherwise they double with each level of a list.
        parts = list({id(resolved(part, self._root)): part for part in parts}.values())
        if not parts:
            return ANYTHING
        return Expect(parts[0] if len(parts) == 1 else {"anyOf": parts}, self._root)

    def takes(self, kind: str) -> bool:
        """True if a value of this kind is allowed here."""
        return kind in self.kinds

    def only(self, kind: str) -> bool:
        """True if only this kind, or null, is allowed here."""
        return kind in self.kinds and self.kinds <= {kind, "null"}


def table_of(schema: JsonObject, name: str) -> JsonObject:
    """Return a table of the schema, such as its properties; empty if it has none."""
    found = schema.get(name)
    return found if isinstance(found, dict) else {}


def _property(schema: Any, key: str) -> Any:
    """Return the schema of a property, or that of additional properties; None if there is neither."""
    if not isinstance(schema, dict):
        return None
    properties = table_of(schema, "properties")
    if key in properties:
        return properties[key]
    others = schema.get("additionalProperties")
    return others if isinstance(others, dict) else None


def resolved(schema: Any, root: object) -> Any:
    """Follow `$ref` inside the document, a bounded number of times."""
    for _ in range(16):
        ref = schema.get("$ref") if isinstance(schema, dict) else None
        if not isinstance(ref, str) or not ref.startswith("#"):
            return schema
        schema = root
        for part in ref[1:].strip("/").split("/"):
            key = part.replace("~1", "/").replace("~0", "~")
            schema = schema.get(key, {}) if isinstance(schema, dict) and key else schema
    return {}


def _variants(schema: Any, root: Any, depth: int = 4) -> Iterable[Any]:
    """Yield the alternatives of a schema, with unions unfolded to a few levels."""
    schema = resolved(schema, root)
    if not isinstance(schema, dict):
        return
    unions = [schema[name] for name in ("anyOf", "oneOf") if isinstance(schema.get(name), list)]
    merged = schema.get("allOf")
    if depth and isinstance(merged, list) and len(merged) == 1:
        unions.append(merged)
    if not depth or not unions:
        yield schema
    for union in unions if depth else ():
        for variant in union:
            yield from _variants(variant, root, depth - 1)


def kinds_of(schema: object) -> frozenset[str]:
    """Return the kinds that a schema without unions allows."""
    if not isinstance(schema, dict):
        return ALL_KINDS
    named = schema.get("type")
    if isinstance(named, str):
        return frozenset({named})
    if isinstance(named, list):
        return frozenset(k for k in named if isinstance(k, str))
    if isinstance(schema.get("enum"), list):
        return frozenset(_KIND_OF_VALUE.get(type(v), "number") for v in schema["enum"])
    if "const" in schema:
        return frozenset({_KIND_OF_VALUE.get(type(schema["const"]), "number")})
    if "properties" in schema:
        return frozenset({"object"})
    return frozenset({"array"}) if "items" in schema else ALL_KINDS


ANYTHING = Expect({}, {})


# ── validator ───────────────────────────────────────────────────────────────


class _Core:
    """Builds a pydantic core schema, which checks at C speed whether a value fits."""

    def __init__(self, root: Any, *, scalars: bool) -> None:
        self.root = root
        self.scalars = scalars
        self.anything = core_schema.any_schema()
        self.named: JsonObject = {}

    def build(self, schema: Any, depth: int = 0) -> Any:
        """Return a core schema for `schema`; it allows anything where it cannot express a rule."""
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

    def _kind(self, kind: str, schema: JsonObject, depth: int) -> Any:
        if kind == "object":
            return self._object(schema, depth)
        if kind == "array":
            return core_schema.list_schema(self.build(schema.get("items"), depth + 1), strict=True)
        return self.anything

    def _object(self, schema: JsonObject, depth: int) -> Any:
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
        others = schema.get("additionalProperties")
        extra: Literal["forbid", "allow"] = "forbid" if others is False else "allow"
        more = self.build(others, depth + 1) if isinstance(others, dict) else None
        return core_schema.typed_dict_schema(
            fields, extra_behavior=extra, extras_schema=more, strict=True
        )

    def _literals(self, values: list[Any]) -> Any:
        if any(isinstance(v, dict | list | float) for v in values):
            return self.anything
        return core_schema.literal_schema(values) if self.scalars else _scalar()


_SCALARS: JsonObject = {
    "string": lambda: core_schema.str_schema(strict=True),
    "boolean": lambda: core_schema.bool_schema(strict=True),
    "null": core_schema.none_schema,
    "number": lambda: core_schema.float_schema(strict=True),
    "integer": lambda: core_schema.union_schema(
        [core_schema.int_schema(strict=True), core_schema.float_schema(strict=True, multiple_of=1)]
    ),
}


def _scalar() -> Any:
    """Return a schema for any scalar. Repair checks structure only; `decode` checks the types of scalars."""
    return core_schema.is_instance_schema((str, int, float, type(None)))


def validator_for(schema: JsonObject, *, scalars: bool = False) -> SchemaValidator | None:
    """Return the validator of a schema; None if the schema is invalid.

    With `scalars` it also checks the types of scalars and their known values.
    """
    core = _Core(schema, scalars=scalars)
    try:
        built = core.build(schema)
        if core.named:
            built = core_schema.definitions_schema(built, [d for d in core.named.values() if d])
        return SchemaValidator(built)
    except (SchemaError, KeyError, TypeError, ValueError):
        return None


# ── evidence ────────────────────────────────────────────────────────────────


class Evidence:
    """A schema prepared for repair: what to expect while reading, and whether a value fits."""

    __slots__ = ("_json", "_names", "_suits", "fits", "root", "schema", "tells")

    def __init__(self, schema: JsonObject) -> None:
        self.schema: Any = schema
        self._json = schema
        self.root = Expect(schema, schema)
        # True if the schema accepts a value.
        self.fits = _judge(validator_for(schema))
        self._suits: Callable[[object], bool] | None = None
        self._names: frozenset[str] | None = None
        # True if it says more than that an object is expected, so that a value which fits is the
        # one meant.
        self.tells = bool(self.root.keys) or not self.root.takes("object")

    @property
    def names(self) -> frozenset[str]:
        """Every key that the schema names at any place."""
        if self._names is None:
            self._names = frozenset(_names(self._json))
        return self._names

    def suits(self, value: object) -> bool:
        """True if a value has the scalar types and known values that the schema names; this breaks a tie."""
        if self._suits is None:
            self._suits = _judge(validator_for(self._json, scalars=True))
        return self._suits(value)

    def supports(self, value: object) -> bool:
        """True if a value that fits is likely the one meant: an object has a key that the schema declares."""
        return self.tells and not (isinstance(value, dict) and self.root.keys.isdisjoint(value))

    def holds(self, value: object) -> bool:
        """True if a value made by a structural fix fits the schema and has no misplaced key."""
        return self.fits(value) and not self._misplaced(value)

    def _misplaced(self, value: object) -> bool:
        """True if an object holds a key that its parent declares and lacks, or a key that left an inner object."""
        todo: list[tuple[object, Expect]] = [(value, self.root)]
        for part, expect in todo:
            if type(part) is list:
                inner = [item for item in part if type(item) is dict or type(item) is list]
                todo += [(item, expect.item()) for item in inner]
            elif type(part) is dict:
                if not part.keys() <= expect.keys and _fell_out(part, expect):
                    return True
                for key, of in part.items():
                    if type(of) is dict:
                        child = expect.child(key)
                        if _strayed(of, child, part, expect):
                            return True
                        todo.append((of, child))
                    elif type(of) is list:
                        todo.append((of, expect.child(key)))
        return False


def _names(schema: object) -> Iterable[str]:
    todo = [schema]
    for part in todo:
        if isinstance(part, dict):
            yield from table_of(part, "properties")
            todo += part.values()
        elif isinstance(part, list):
            todo += part


def _judge(validator: SchemaValidator | None) -> Callable[[object], bool]:
    return (lambda value: True) if validator is None else validator.isinstance_python


def _strayed(inner: JsonObject, child: Expect, outer: JsonObject, expect: Expect) -> set[str]:
    """Return the keys of the inner object that only the outer one declares, and lacks."""
    declared = inner.keys() & expect.keys
    return declared - child.keys - outer.keys() if declared else declared


def _fell_out(outer: JsonObject, expect: Expect) -> bool:
    """True if an undeclared key comes right after an object that allows it."""
    if not expect.keys:
        return False
    before: Expect | None = None
    for key, value in outer.items():
        if (
            before is not None
            and key not in expect.keys
            and (not before.keys or key in before.keys)
        ):
            return True
        before = expect.child(key) if isinstance(value, dict) else None
    return False


_CACHE: OrderedDict[int, Evidence] = OrderedDict()


def evidence_for(schema: Any) -> Evidence | None:
    """Return the evidence of a JSON Schema or a pydantic model, built once for each schema object."""
    if schema is None:
        return None
    known = _CACHE.get(id(schema))
    if known is not None and known.schema is schema:
        return known
    evidence = _made(schema)
    _CACHE[id(schema)] = evidence
    if len(_CACHE) > MOST_SCHEMAS:
        _CACHE.popitem(last=False)
    return evidence


def _made(schema: Any) -> Evidence:
    if isinstance(schema, dict):
        return Evidence(schema)
    if hasattr(schema, "model_json_schema"):
        evidence = Evidence(schema.model_json_schema())
        evidence.schema = schema
        return evidence
    raise TypeError(
        f"schema must be a JSON Schema dict or a pydantic model, not {type(schema).__name__}"
    )
