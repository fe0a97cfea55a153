"""A schema in, the evidence for a reading out: what to expect at each place, and whether a value fits."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any

from pydantic_core import SchemaValidator

from zkit.repair.expect import Expect, table_of
from zkit.repair.validator import validator_for


class Evidence:
    """A schema made ready: what to expect while reading, and whether a value fits."""

    __slots__ = ("_all_declared", "_json", "_names", "_suits", "fits", "root", "schema", "tells")

    def __init__(self, schema: dict[str, Any]) -> None:
        self.schema: Any = schema
        self._json = schema
        self.root = Expect(schema, schema)
        self.fits = _judge(validator_for(schema), otherwise=True)
        """Whether the schema accepts a value."""
        self._all_declared = _judge(validator_for(schema, closed=True), otherwise=False)
        self._suits: Callable[[Any], bool] | None = None
        self._names: frozenset[str] | None = None
        self.tells = bool(self.root.keys) or not self.root.takes("object")
        """Whether it says more than that an object is due, so that a value which fits is the one meant."""

    @property
    def names(self) -> frozenset[str]:
        """Every key that the schema names, at any place."""
        if self._names is None:
            self._names = frozenset(_names(self._json))
        return self._names

    def suits(self, value: Any) -> bool:
        """Whether a value has the scalar types and known values that the schema names: it breaks a tie."""
        if self._suits is None:
            self._suits = _judge(validator_for(self._json, scalars=True), otherwise=True)
        return self._suits(value)

    def supports(self, value: Any) -> bool:
        """Whether a value that fits also looks like the one meant: an object with a key that is declared."""
        return self.tells and not (isinstance(value, dict) and self.root.keys.isdisjoint(value))

    def holds(self, value: Any) -> bool:
        """Whether the schema has nothing against a value that a structural fix made."""
        return self._all_declared(value) or (self.fits(value) and not self._misplaced(value))

    def _misplaced(self, value: Any) -> bool:
        """Whether an object holds a key that its parent declares and lacks, or that fell out of another."""
        todo: list[tuple[Any, Expect]] = [(value, self.root)]
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


def _names(schema: Any) -> Iterable[str]:
    todo = [schema]
    for part in todo:
        if isinstance(part, dict):
            yield from table_of(part, "properties")
            todo += part.values()
        elif isinstance(part, list):
            todo += part


def _judge(validator: SchemaValidator | None, *, otherwise: bool) -> Callable[[Any], bool]:
    return (lambda value: otherwise) if validator is None else validator.isinstance_python


def _strayed(
    inner: dict[str, Any], child: Expect, outer: dict[str, Any], expect: Expect
) -> set[str]:
    """The keys of the inner object that only the outer one declares, and lacks."""
    declared = inner.keys() & expect.keys
    return declared - child.keys - outer.keys() if declared else declared


def _fell_out(outer: dict[str, Any], expect: Expect) -> bool:
    """Whether a key that is not declared comes right after an object that takes any key."""
    if not expect.keys:
        return False
    free = False
    for key, value in outer.items():
        if free and key not in expect.keys:
            return True
        free = isinstance(value, dict) and not expect.child(key).keys
    return False


_CACHE: OrderedDict[int, Evidence] = OrderedDict()
_CACHED = 256


def evidence_for(schema: Any) -> Evidence | None:
    """The evidence in a JSON Schema or a pydantic model, made once for each schema object."""
    if schema is None:
        return None
    known = _CACHE.get(id(schema))
    if known is not None and known.schema is schema:
        return known
    evidence = _made(schema)
    _CACHE[id(schema)] = evidence
    if len(_CACHE) > _CACHED:
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
