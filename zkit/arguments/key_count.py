"""A validated value in, how many different keys were sent for it out, at the least.

A text that writes no more keys than were sent gives none twice: so valid arguments are cleared at almost no cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from zkit.repair.misreading import keys_in

Count = Callable[[Any], int]
Node = dict[str, Any]
_UNCHANGED = (str, int, float, bool, type(None))
_UNKNOWN = object()


def key_counter(core_schema: Any) -> Count:
    """Return what counts the keys that were sent for a value of this schema; those that are in doubt do not count.

    In doubt is what a validator may have added: defaults, and whatever a function of the author's own returns.
    """
    return _of_data if core_schema is None else _counter(core_schema) or _none


def _counter(node: Node) -> Count | None:
    """The counter for one schema; None where no value of it holds a key that is sure to be sent."""
    make = _COUNTERS.get(node["type"])
    return make(node) if make else None


def _of_data(value: Any) -> int:
    return len(keys_in(value))


def _none(_value: Any) -> int:
    return 0


def _optional(node: Node) -> Count | None:
    inner = _counter(node["schema"])
    return inner and (lambda value: 0 if value is None else inner(value))


def _list(node: Node) -> Count | None:
    inner = _counter(node["items_schema"]) if "items_schema" in node else _of_data
    return inner and (lambda value: sum(map(inner, value)))


def _mapping(node: Node) -> Count:
    inner = _counter(node["values_schema"]) if "values_schema" in node else _of_data
    return len if inner is None else lambda value: len(value) + sum(map(inner, value.values()))


def _model(node: Node) -> Count | None:
    if node["schema"]["type"] != "model-fields" or node.get("post_init") or node.get("custom_init"):
        return None
    fields = node["schema"]["fields"]
    held = tuple(_holding((name, field["schema"]) for name, field in fields.items()))
    if not held:
        return lambda value: len(value.__pydantic_fields_set__)

    def count(value: Any) -> int:
        sent, known = value.__pydantic_fields_set__, value.__dict__
        return len(sent) + sum([inner(known[name]) for name, inner in held if name in sent])

    return count


def _typed_dict(node: Node) -> Count:
    fields = [(name, field["schema"]) for name, field in node["fields"].items()]
    taken = _counter_of_fields(fields)
    return len if taken is None else lambda value: len(value) + taken(value)


def _dataclass(node: Node) -> Count | None:
    if node["schema"]["type"] != "dataclass-args" or node.get("post_init") or node.get("slots"):
        return None
    fields = [(field["name"], field["schema"]) for field in node["schema"]["fields"]]
    taken, many = _counter_of_fields(fields) or _none, len(fields)
    return lambda value: many + taken(value.__dict__)


def _counter_of_fields(fields: list[tuple[str, Node]]) -> Count | None:
    """What is to be added to the number of fields: the keys inside of them, less the defaults; None for nothing."""
    filled = tuple(_filled(fields))
    given = {name for name, _ in filled}
    held = tuple(_holding(field for field in fields if field[0] not in given))
    if not filled and not held:
        return None

    def count(value: dict[str, Any]) -> int:
        total = 0
        for name, default in filled:
            if default is _UNKNOWN or value[name] is default:
                total -= 1
        for name, inner in held:
            if name in value:
                total += inner(value[name])
        return total

    return count


def _filled(fields: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, Any]]:
    """The fields that have a default, each with the very object that stands for "not sent", if it is known."""
    for name, schema in fields:
        if schema["type"] == "default":
            default = schema.get("default", _UNKNOWN)
            kept = type(default) in _UNCHANGED and not schema.get("validate_default")
            yield name, default if kept else _UNKNOWN


def _holding(fields: Iterable[tuple[str, Node]]) -> Iterator[tuple[str, Count]]:
    """The fields that may hold keys themselves."""
    for name, schema in fields:
        inner = _counter(schema)
        if inner is not None:
            yield name, inner


_COUNTERS: dict[str, Callable[[Node], Count | None]] = {
    "any": lambda _: _of_data,
    "default": _optional,
    "nullable": _optional,
    "list": _list,
    "set": _list,
    "frozenset": _list,
    "dict": _mapping,
    "typed-dict": _typed_dict,
    "dataclass": _dataclass,
    "model": _model,
}
