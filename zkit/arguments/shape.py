"""What a JSON Schema allows at each place: kinds, known values, fields, items, branches of unions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from zkit.arguments.coercions import MOST_REFS, MOST_UNIONS
from zkit.arguments.dates import follows_format
from zkit.arguments.field_names import folded
from zkit.arguments.validation_errors import ErrorTree
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema.compiled_schema import matcher

if TYPE_CHECKING:
    from pydantic import JsonValue

Spellings = Mapping[str, Sequence[str]]
KINDS = ("object", "array", "string", "integer", "number", "boolean", "null")
_OF_TYPE: dict[type, str] = {
    dict: "object",
    list: "array",
    str: "string",
    int: "integer",
    float: "number",
    bool: "boolean",
    type(None): "null",
}
_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})
_MERGED = ("properties", "$defs", "patternProperties")


def kind_of(value: object) -> str:
    """Return the JSON kind of a value that was read from JSON."""
    return _OF_TYPE[type(value)]


class Shape:
    """What is allowed at one place: kinds, known values, fields, items, branches of a union."""

    __slots__ = (
        "_by_letters",
        "_by_words",
        "_children",
        "_fields_by_words",
        "additional",
        "branches",
        "closed",
        "expectation",
        "fields",
        "format",
        "is_bounded",
        "kinds",
        "required",
        "root",
        "sample",
        "schema",
        "values",
    )

    def __init__(self, schema: object, root: JsonMapping, depth: int = 0) -> None:
        whole = _resolved(schema, root)
        schema, ways, nullable = _unfolded(whole, root) if depth < MOST_UNIONS else ({}, [], False)
        self.root = root
        self.schema: JsonMapping = schema
        self._children: dict[str | int, Shape] = {}
        self._by_letters: Spellings | None = None
        self._by_words: Spellings | None = None
        self._fields_by_words: Spellings | None = None
        self.expectation: str | None = None
        """The expected value in words, cached (`wording.expected`)."""
        self.sample: tuple[str, JsonValue] | None = None
        """The scalar that an example shows here under a name, cached."""
        self.branches = tuple(Shape(way, root, depth + 1) for way in ways)
        values = _values(schema)
        self.values = (*values, None) if values is not None and nullable else values
        self.kinds = self._kinds() | ({"null"} if nullable else set())
        self.fields: JsonMapping = _mapping(schema.get("properties"))
        self.required = frozenset(_list(schema.get("required")))
        self.additional = schema.get("additionalProperties")
        self.closed = self.additional is False
        self.format = schema.get("format")
        self.is_bounded = not _BOUNDS.isdisjoint(schema)

    def _kinds(self) -> frozenset[str]:
        """Return the kinds that are accepted; a float with no fraction is not an integer here."""
        named = self.schema.get("type")
        given = [named] if isinstance(named, str) else _list(named)
        if not given and self.branches:
            return frozenset().union(*(branch.kinds for branch in self.branches))
        if not given and self.values is not None:
            given = [_OF_TYPE.get(type(value), "string") for value in self.values]
        if not given:
            hints = {"properties": "object", "required": "object", "items": "array"}
            given = [kind for key, kind in hints.items() if key in self.schema] or list(KINDS)
        return frozenset(given) | ({"integer"} if "number" in given else set())

    @property
    def tags(self) -> JsonObject:
        """The fields with only one known value, which distinguish this branch of a union from the
        others."""
        known = {name: self.at(name).values for name in self.fields}
        return {name: one[0] for name, one in known.items() if one is not None and len(one) == 1}

    @property
    def by_letters(self) -> Spellings:
        """The known texts by their letters, whatever the case."""
        if self._by_letters is None:
            self._by_letters = _grouped(self.values or (), str.casefold)
        return self._by_letters

    @property
    def by_words(self) -> Spellings:
        """The known texts by their letters, whatever the case and the separators."""
        if self._by_words is None:
            self._by_words = _grouped(self.values or (), folded)
        return self._by_words

    @property
    def fields_by_words(self) -> Spellings:
        """The names of the fields by their letters, whatever the case and the separators."""
        if self._fields_by_words is None:
            self._fields_by_words = _grouped(self.fields, folded)
        return self._fields_by_words

    def takes(self, kind: str) -> bool:
        """True if a value of this kind is accepted here."""
        return kind in self.kinds

    def at(self, step: str | int) -> Shape:
        """Return the shape one step further down; one that accepts anything if the schema does not
        say."""
        found = self._children.get(step)
        if found is None:
            part = self._item(step) if isinstance(step, int) else self._field(step)
            found = self._children[step] = Shape(part, self.root)
        return found

    def _field(self, name: str) -> object:
        if name in self.fields:
            return self.fields[name]
        for pattern, part in _mapping(self.schema.get("patternProperties")).items():
            found = matcher(pattern)
            if found is not None and found(name):
                return part
        return self.additional if isinstance(self.additional, dict) else {}

    def _item(self, index: int) -> object:
        first = _list(self.schema.get("prefixItems"))
        if index < len(first):
            return first[index]
        items = self.schema.get("items")
        return items if isinstance(items, dict) else {}

    def allows(self, value: Any) -> bool:
        """True if a value of an accepted kind is accepted here.

        Only what a coercion can change is checked: known values, bounds, dates, the number of
        items. The content of a container is checked place by place.
        """
        if self.values is not None:
            return any(value == one and type(value) is type(one) for one in self.values)
        if isinstance(value, str):
            return follows_format(self.format, value)
        if isinstance(value, list):
            least, most = self.schema.get("minItems"), self.schema.get("maxItems")
            return not _beats(least, len(value)) and not _beats(len(value), most)
        if not self.is_bounded or isinstance(value, bool | None | dict):
            return True
        return self._in_bounds(value)

    def is_plain(self, value: object) -> bool:
        """True if a value is a scalar that is accepted here as it is."""
        kind = _OF_TYPE[type(value)]
        return (
            kind in self.kinds
            and kind not in ("object", "array")
            and not self.branches
            and self.allows(value)
        )

    def _in_bounds(self, value: float) -> bool:
        limits = self.schema
        return not (
            _beats(limits.get("minimum"), value)
            or _beats(value, limits.get("maximum"))
            or _beats(limits.get("exclusiveMinimum"), value, also_equal=True)
            or _beats(value, limits.get("exclusiveMaximum"), also_equal=True)
        )


def _grouped(texts: Iterable[object], key: Callable[[str], str]) -> Spellings:
    found: dict[str, list[str]] = {}
    for text in texts:
        if isinstance(text, str):
            found.setdefault(key(text), []).append(text)
    return found


def _beats(a: Any, b: object, also_equal: bool = False) -> bool:
    """True if `a` is greater than `b`; False when either is not a number."""
    if isinstance(a, bool | None) or isinstance(b, bool | None):
        return False
    return bool(a >= b if also_equal else a > b)


def _mapping(found: object) -> JsonMapping:
    return found if isinstance(found, Mapping) else {}


def _list(found: object) -> list[Any]:
    return list(found) if isinstance(found, list | tuple) else []


def _values(schema: JsonMapping) -> tuple[object, ...] | None:
    if "const" in schema:
        return (schema["const"],)
    found = schema.get("enum")
    return tuple(found) if isinstance(found, list | tuple) else None


def _ways(schema: JsonMapping) -> list[object]:
    """Return the alternatives of a union."""
    return _list(schema.get("anyOf")) or _list(schema.get("oneOf"))


def _unfolded(
    schema: JsonMapping, root: JsonMapping
) -> tuple[JsonMapping, list[JsonMapping], bool]:
    """Return a schema without its union, the branches, and whether null is one of them.

    A union with null alone is one schema that also accepts null.
    """
    nullable = False
    for _ in range(MOST_UNIONS):
        ways = [_resolved(way, root) for way in _ways(schema)]
        rest = [way for way in ways if way.get("type") != "null"]
        nullable = nullable or len(rest) < len(ways)
        outer = {key: value for key, value in schema.items() if key not in ("anyOf", "oneOf")}
        if len(rest) != 1:
            # A branch may hold only what differs; the rest is beside the union.
            return schema, [_merged(outer, way) for way in rest] if outer else rest, nullable
        schema = _merged(rest[0], outer)
    return {}, [], True


def _resolved(schema: object, root: JsonMapping) -> JsonMapping:
    """Return the schema with references followed and `allOf` merged, a bounded number of times."""
    for _ in range(MOST_REFS):
        if not isinstance(schema, Mapping):
            return {}
        parts = [*_list(schema.get("allOf")), *([schema] if "$ref" in schema else [])]
        if not parts:
            return schema
        merged: JsonMapping = {}
        for part in parts:
            merged = _merged(merged, _referred(part, root))
        rest = {key: value for key, value in schema.items() if key not in ("allOf", "$ref")}
        schema = _merged(merged, rest)
    return {}


def _referred(schema: object, root: JsonMapping) -> JsonMapping:
    """Return the target of a reference inside the document; an empty schema if it points elsewhere."""
    ref = _mapping(schema).get("$ref")
    if not isinstance(ref, str):
        return _mapping(schema)
    found: object = root if ref.startswith("#") else {}
    for part in ref[1:].strip("/").split("/"):
        key = part.replace("~1", "/").replace("~0", "~")
        found = found.get(key) if isinstance(found, Mapping) and key else found
    return _mapping(found)


def _merged(one: JsonMapping, over: JsonMapping) -> JsonObject:
    """Return two schemas that both apply, as one."""
    both = {**one, **over}
    for keyword in _MERGED:
        if keyword in one and keyword in over:
            both[keyword] = {**_mapping(one[keyword]), **_mapping(over[keyword])}
    if "required" in one and "required" in over:
        both["required"] = [*_list(one["required"]), *_list(over["required"])]
    return both


def errors_by_branch(shape: Shape, errors: ErrorTree | None) -> list[ErrorTree | None]:
    """Return the errors of each branch of a union: a validator names the branches as steps of the path.

    Untagged, it names them all, in their order; tagged, the one by the value of its tag.
    """
    branches = shape.branches
    if errors is None:
        return [None] * len(branches)
    named = list(errors.below.items())
    if len(named) == len(branches) and not any(isinstance(step, int) for step, _ in named):
        return [part for _, part in named]
    if len(named) == 1:
        tag, part = named[0]
        return [part if tag in branch.tags.values() else None for branch in branches]
    return [None] * len(branches)


def tagged(value: JsonMapping, shape: Shape) -> list[int]:
    """Return the branches whose tag an object has, by their places."""
    return [
        index
        for index, branch in enumerate(shape.branches)
        if any(value.get(name) == tag for name, tag in branch.tags.items())
    ]


def tag_of(shape: Shape) -> tuple[str, Shape] | None:
    """Return the field that distinguishes the branches of a union, and its known values; None
    without one."""
    objects = [branch.tags for branch in shape.branches if branch.fields]
    if len(objects) < 2:
        return None
    for name in objects[0]:
        if all(name in tags for tags in objects):
            known = [tags[name] for tags in objects]
            return name, Shape({"enum": known}, {})
    return None
