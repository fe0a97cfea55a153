"""A JSON Schema in, what it says about each place of a value out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

ALL_KINDS = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})
_KIND_OF_VALUE = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}


class Expect:
    """What may stand at one place: kinds, keys, items, known values."""

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
        variants = list(_variants(schema, root))
        self._root = root
        self._schema = variants
        self._children: dict[str | int, Expect] = {}
        self.kinds = frozenset().union(*(kinds_of(v) for v in variants)) if variants else ALL_KINDS
        objects = [v for v in variants if isinstance(v, dict) and "object" in kinds_of(v)]
        self.order = tuple(dict.fromkeys(k for v in objects for k in table_of(v, "properties")))
        self.keys = frozenset(self.order)
        self.closed = bool(objects) and all(v.get("additionalProperties") is False for v in objects)
        self.required = (
            frozenset(objects[0].get("required", ())) if len(objects) == 1 else frozenset()
        )

    def child(self, key: str) -> Expect:
        """What may stand under `key`; anything when the schema does not say."""
        found = self._children.get(key)
        if found is None:
            parts = [p for v in self._schema if (p := _property(v, key)) is not None]
            found = self._children[key] = self._make(parts)
        return found

    def item(self) -> Expect:
        """What may stand in the list."""
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
        if not parts:
            return ANYTHING
        return Expect(parts[0] if len(parts) == 1 else {"anyOf": parts}, self._root)

    def takes(self, kind: str) -> bool:
        """Whether a value of this kind may stand here."""
        return kind in self.kinds

    def only(self, kind: str) -> bool:
        """Whether nothing but this kind (or null) may stand here."""
        return kind in self.kinds and self.kinds <= {kind, "null"}


def table_of(schema: dict[str, Any], name: str) -> dict[str, Any]:
    """What a schema says by name, such as its properties; empty when it does not."""
    found = schema.get(name)
    return found if isinstance(found, dict) else {}


def _property(schema: Any, key: str) -> Any:
    """The schema of one property, or of the others, or None."""
    if not isinstance(schema, dict):
        return None
    properties = table_of(schema, "properties")
    if key in properties:
        return properties[key]
    others = schema.get("additionalProperties")
    return others if isinstance(others, dict) else None


def resolved(schema: Any, root: Any) -> Any:
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
    """The alternatives of a schema, unions unfolded to a few levels."""
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


def kinds_of(schema: Any) -> frozenset[str]:
    """The kinds a schema without unions admits."""
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
