"""Reads anything that names tools: the name, description and parameter schema of each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from zkit.errors import ToolDefinitionError, ToolNameTakenError
from zkit.json_types import JsonMapping, JsonObject

if TYPE_CHECKING:
    from zkit.schema.target import Target

NO_ARGUMENTS: dict[str, object] = {"type": "object", "properties": {}}
PARAMETER_NAMES = ("parameters", "input_schema", "inputSchema", "args_schema")
_TOOL_KEYS = frozenset({*PARAMETER_NAMES, "name", "description", "strict", "type", "title"})
_LISTS = ("tools", "functionDeclarations", "function_declarations")


@dataclass(frozen=True, slots=True)
class Offer:
    """A tool as it is offered to a model."""

    name: str
    parameters: JsonObject
    description: str = ""


def offered(tools: object) -> dict[str, Offer]:
    """Return the tools that are offered, by name, in their order.

    Accepted are OpenAI tool dicts, flat ones (`name`, `description` and `parameters`,
    `input_schema` or `inputSchema`), a mapping of names to schemas, models or functions, objects
    with `name` and `parameters`, with `definition()` or with `tools()`, pydantic models, annotated
    functions, and iterables of any of these.

    Raises `ToolDefinitionError` for what names no tool, `ToolNameTakenError` for a name that
    occurs twice.
    """
    found: dict[str, Offer] = {}
    for offer in _offers(tools, "tools"):
        if offer.name in found:
            raise ToolNameTakenError(f"two tools are called {offer.name!r}")
        found[offer.name] = offer
    return found


def _offers(x: object, place: str) -> Iterator[Offer]:
    """Return every offer in `x`; `place` is its location for error messages."""
    for fits, read in _READERS:
        if fits(x):
            yield from read(x, place)
            return
    raise ToolDefinitionError(
        f"{place}: {_shown(x)} names no tool; pass a tool definition with a name and parameters,"
        " a pydantic model or an annotated function"
    )


def _shown(x: object) -> str:
    text = repr(x)
    return text if len(text) <= 60 else f"{text[:57]}..."


def parameters_of(x: object) -> object:
    """Return the schema or model that a tool object holds; None when it holds none."""
    for name in PARAMETER_NAMES:
        found = getattr(x, name, None)
        if isinstance(found, (Mapping, type)):
            return found
    return None


def _target(x: object) -> Target:
    """Return the target of a function or a model. Tools that are only data do not load pydantic."""
    from zkit.schema.target import target_for

    return target_for(x)


# How each shape is recognised, and how it is read; the first that fits.


def _is_wrapped(x: object) -> bool:
    if not isinstance(x, Mapping):
        return False
    inner = x.get("function")
    if not isinstance(inner, Mapping):
        return False
    return x.get("type") == "function" or isinstance(inner.get("name"), str)


def _is_flat(x: object) -> bool:
    """True if a mapping is a tool: it has a name, or everything else that a tool has."""
    if not isinstance(x, Mapping):
        return False
    nameless = any(key in x for key in PARAMETER_NAMES) and set(x) <= _TOOL_KEYS
    return isinstance(x.get("name"), str) or nameless


def _is_listing(x: object) -> bool:
    return isinstance(x, Mapping) and any(isinstance(x.get(key), (list, tuple)) for key in _LISTS)


def _is_schema(x: object) -> bool:
    """True if a mapping is a JSON Schema: its `type` is a word, or its `$ref` is."""
    return isinstance(x, Mapping) and any(
        isinstance(x.get(k), (str, list)) for k in ("type", "$ref")
    )


def _is_mapping(x: object) -> bool:
    return isinstance(x, Mapping) and not _is_schema(x)


def _has(method: str) -> Callable[[object], bool]:
    return lambda x: not isinstance(x, (type, Mapping)) and callable(getattr(x, method, None))


def _is_spec(x: object) -> bool:
    return (
        not isinstance(x, type)
        and isinstance(getattr(x, "name", None), str)
        and parameters_of(x) is not None
    )


def _says_arguments(x: object) -> bool:
    return isinstance(x, (type, staticmethod, classmethod)) or callable(x)


def _is_function(x: object) -> bool:
    return isinstance(x, (staticmethod, classmethod)) or inspect.isroutine(x)


def _is_iterable(x: object) -> bool:
    return isinstance(x, Iterable) and not isinstance(x, (str, bytes, Mapping))


def _from_wrapped(x: JsonMapping, place: str) -> Iterator[Offer]:
    yield from _from_flat(x["function"], f"{place}.function")


def _from_flat(x: JsonMapping, place: str) -> Iterator[Offer]:
    schema = next((x[key] for key in PARAMETER_NAMES if x.get(key)), None)
    yield _offer(x.get("name"), schema, x.get("description"), place)


def _from_listing(x: JsonMapping, place: str) -> Iterator[Offer]:
    for key in _LISTS:
        yield from _from_iterable(x.get(key) or (), f"{place}.{key}")


def _from_mapping(x: JsonMapping, place: str) -> Iterator[Offer]:
    for name, value in x.items():
        if _is_schema(value) and not _is_wrapped(value) and not _is_flat(value):
            yield _offer(name, value, None, place)
        elif isinstance(value, Mapping) and any(
            key in value for key in (*PARAMETER_NAMES, "description")
        ):
            yield from _from_flat({**value, "name": name}, place)
        elif value is None or value == {}:
            yield _offer(name, None, None, place)
        elif _is_function(value):
            yield _offer(name, _target(value).schema, None, place)
        else:
            yield from (replace(offer, name=name) for offer in _offers(value, f"{place}[{name!r}]"))


def _from_definition(x: Any, place: str) -> Iterator[Offer]:
    yield from _offers(x.definition(), place)


def _from_spec(x: Any, place: str) -> Iterator[Offer]:
    yield _offer(x.name, parameters_of(x), getattr(x, "description", None), place)


def _from_source(x: Any, place: str) -> Iterator[Offer]:
    found = x.tools()
    if inspect.isawaitable(found):
        getattr(found, "close", lambda: None)()
        raise ToolDefinitionError(
            f"{place}: {_shown(x)} lists its tools asynchronously; await it first"
        )
    yield from _from_iterable(found, place)


def _from_arguments(x: object, place: str) -> Iterator[Offer]:
    target = _target(x)
    if target.name.startswith("<"):
        raise ToolDefinitionError(
            f"{place}: a lambda has no name to call it by; use def, or {{name: lambda}}"
        )
    yield _offer(target.name, target.schema, None, place)


def _from_iterable(x: Iterable[object], place: str) -> Iterator[Offer]:
    for index, one in enumerate(x):
        yield from _offers(one, f"{place}[{index}]")


def _offer(name: object, schema: object, description: object, place: str) -> Offer:
    """Make an offer; the description of the schema is the tool's if it has no other."""
    if not isinstance(name, str) or not name.strip():
        raise ToolDefinitionError(
            f"{place}: a tool's name must be a text that is not blank, not {name!r}"
        )
    if isinstance(schema, type):
        schema = _target(schema).schema
    if not isinstance(schema, (Mapping, type(None))):
        raise ToolDefinitionError(
            f"{place}: the parameters of {name!r} are not a JSON Schema: {_shown(schema)}"
        )
    parameters = dict(schema or NO_ARGUMENTS)
    own = parameters.pop("description", "")
    return Offer(name, parameters, str(description or own or ""))


_READERS: tuple[tuple[Callable[[object], bool], Callable[[Any, str], Iterator[Offer]]], ...] = (
    (_is_wrapped, _from_wrapped),
    (_is_flat, _from_flat),
    (_is_listing, _from_listing),
    (_is_mapping, _from_mapping),
    (_has("definition"), _from_definition),
    (_is_spec, _from_spec),
    (_has("tools"), _from_source),
    (_says_arguments, _from_arguments),
    (_is_iterable, _from_iterable),
)
