"""Turns a function into the TypedDict of its arguments, with descriptions from its docstring."""

from __future__ import annotations

import functools
import inspect
import operator
import re
import sys
import types
import typing
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    Unpack,
    get_args,
    get_origin,
)

from pydantic import ConfigDict
from pydantic.fields import FieldInfo
from pydantic_core import PydanticSerializationError, PydanticUndefined, to_jsonable_python
from typing_extensions import TypedDict
from typing_extensions import Unpack as LaterUnpack

from zkit.errors import ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject

if typing.TYPE_CHECKING:
    from griffe import DocstringSection

# Sections whose entries describe what a caller passes in; each as griffe names it.
_ENTRIES = ("parameters", "other parameters", "attributes")


@dataclass(frozen=True, slots=True)
class Described:
    """A docstring as data: its first paragraph, all its prose, and the descriptions by name."""

    summary: str = ""
    prose: str = ""
    entries: Mapping[str, str] = field(default_factory=dict)


NOTHING = Described()
_MARK_OF_SECTIONS = re.compile(r":|^\s*+[-=~]", re.MULTILINE)
"""What a section heading has in each of the styles: a colon, or a line below it."""


def describe(docstring: str | None) -> Described:
    """Read a docstring in Google, numpy or Sphinx style."""
    text = inspect.cleandoc(docstring or "").strip()
    if not text:
        return NOTHING
    if "\n" not in text or not _MARK_OF_SECTIONS.search(text):  # no need to load griffe for prose
        return Described(_first_paragraph(text), text)
    sections = _sections(text)
    prose = "\n\n".join(str(s.value).strip() for s in sections if s.kind.value == "text")
    return Described(_first_paragraph(prose), prose, _entries(sections))


def _sections(text: str) -> list[DocstringSection]:
    """Return the sections of a docstring, in the style that it is written in."""
    import griffe

    return griffe.parse_auto(
        griffe.Docstring(text),
        method="heuristics",
        per_style_options={
            "google": {"warnings": False},
            "numpy": {"warnings": False},
            "sphinx": {"warnings": False},
        },
    )


def _entries(sections: list[DocstringSection]) -> dict[str, str]:
    found: dict[str, str] = {}
    for section in sections:
        if section.kind.value in _ENTRIES:
            for entry in section.value:
                found.setdefault(entry.name.lstrip("*"), _one_line(entry.description))
    return {name: text for name, text in found.items() if text}


def _first_paragraph(text: str) -> str:
    return _one_line(text.split("\n\n", 1)[0])


def _one_line(text: str) -> str:
    return " ".join(text.split())


_MADE: dict[int, tuple[type, object]] = {}
_IN_THE_MAKING = object()


def readable(annotation: object) -> Any:
    """Return the annotation as pydantic can read it."""
    if sys.version_info >= (3, 12):
        return annotation
    if _is_old(annotation):
        return _made(annotation)
    return _rebuilt(annotation) if get_args(annotation) else annotation


def _is_old(annotation: object) -> bool:
    return typing.is_typeddict(annotation) and type(annotation).__module__ == "typing"


def _made(old: Any) -> object:
    """Return a TypedDict of typing_extensions with the same keys, made once."""
    known = _MADE.get(id(old))
    if known is not None and known[0] is old:
        if known[1] is _IN_THE_MAKING:
            raise ToolDefinitionError(
                f"{old.__name__}: a TypedDict that holds itself must come from typing_extensions"
            )
        return known[1]
    _MADE[id(old)] = (old, _IN_THE_MAKING)
    try:
        hints = typing.get_type_hints(old, include_extras=True)
        keys = {name: _key(old, name, readable(hint)) for name, hint in hints.items()}
        make: Any = TypedDict
        made = make(old.__name__, keys)
    except BaseException:
        del _MADE[id(old)]
        raise
    made.__doc__, made.__module__ = old.__doc__, old.__module__
    if hasattr(old, "__pydantic_config__"):
        made.__pydantic_config__ = old.__pydantic_config__
    _MADE[id(old)] = (old, made)
    return made


def _key(old: Any, name: str, hint: object) -> object:
    if get_origin(hint) in (Required, NotRequired):
        return hint
    return Required[hint] if name in old.__required_keys__ else NotRequired[hint]


def _rebuilt(annotation: Any) -> object:
    """Return a generic with its arguments made readable."""
    origin, given = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return annotation
    if origin is Annotated:
        return Annotated[(readable(given[0]), *annotation.__metadata__)]
    parts = tuple(readable(part) for part in given)
    if all(a is b for a, b in zip(parts, given, strict=True)):
        return annotation
    if origin in (Union, types.UnionType):
        return functools.reduce(operator.or_, parts)
    return origin[parts]


EMPTY = inspect.Parameter.empty
_UNIONS = (Union, types.UnionType)
_UNPACKS = (Unpack, LaterUnpack)


def function_name(function: Callable[..., object]) -> str:
    """Return the name of a function, also inside a `partial` or a bound method."""
    inner = plain_function(function)
    return str(getattr(inner, "__name__", None) or type(function).__name__)


def plain_function(function: object) -> Any:
    """Return the function behind a partial, a bound method, or a class or static method."""
    while True:
        if isinstance(function, functools.partial):
            function = function.func
        elif isinstance(function, (staticmethod, classmethod, types.MethodType)):
            function = function.__func__
        else:
            return function


def function_description(function: Callable[..., object]) -> Described:
    """Read the docstring of a function; of a callable object, that of its class as well."""
    inner = plain_function(function)
    if inspect.isroutine(inner):
        return describe(inner.__doc__)
    own, call = describe(type(inner).__doc__), describe(type(inner).__call__.__doc__)
    return Described(own.summary or call.summary, own.prose, {**own.entries, **call.entries})


def arguments_model(function: Callable[..., object], *, hide: Collection[type] = ()) -> Any:
    """Return a TypedDict whose keys are the parameters of a function, in their order.

    Validated, it gives the keyword arguments to call the function with. A default that JSON can
    express is filled in and shown in the schema; any other is left to the function. Unknown keys
    are refused unless the function takes `**kwargs`. Left out are `self` and `cls`, what a
    `partial` has already bound, and parameters annotated with one of the types in `hide`.

    Raises `ToolDefinitionError` for what a model cannot fill in: `*args`, and parameters that can
    only be passed by position.
    """
    hints = _hints(function)
    descriptions = function_description(function).entries
    shown = [p for p in _parameters(function) if not is_hidden(hints.get(p.name), hide)]
    named = {p.name: _field(p, hints, descriptions) for p in shown if _may_be_named(function, p)}
    rest = [p for p in shown if p.kind is p.VAR_KEYWORD]
    if rest and get_origin(hints.get(rest[0].name)) in _UNPACKS:
        raise ToolDefinitionError(
            f"{function_name(function)}: the keys of **{rest[0].name} are hidden in an Unpack[...];"
            " make them parameters, or take the TypedDict as one"
        )
    options: JsonObject = {"extra_items": hints.get(rest[0].name, Any)} if rest else {}
    make: Any = TypedDict
    made = make(function_name(function), named, **options)
    made.__module__ = getattr(plain_function(function), "__module__", __name__)
    if not rest:
        made.__pydantic_config__ = ConfigDict(extra="forbid")
    return made


def hidden_parameters(function: Callable[..., object], hide: Collection[type]) -> tuple[str, ...]:
    """Name the parameters of a function that are annotated with one of the types in `hide`."""
    hints = _hints(function)
    return tuple(p.name for p in _parameters(function) if is_hidden(hints.get(p.name), hide))


def is_hidden(hint: object, hide: Collection[type]) -> bool:
    """True if an annotation is one of the types, even inside `Annotated`, a generic or an optional."""
    if get_origin(hint) is Annotated:
        return is_hidden(get_args(hint)[0], hide)
    if get_origin(hint) in _UNIONS:
        return any(is_hidden(part, hide) for part in get_args(hint))
    cls = get_origin(hint) or hint
    return isinstance(cls, type) and issubclass(cls, tuple(hide))


def _parameters(function: Callable[..., object]) -> list[inspect.Parameter]:
    """Return the parameters that a caller fills in: not `self`, not what a partial has bound."""
    subject = function.__func__ if isinstance(function, (staticmethod, classmethod)) else function
    try:
        found = list(inspect.signature(subject).parameters.values())
    except (ValueError, TypeError) as error:
        raise ToolDefinitionError(
            f"{function_name(function)}: has no readable signature"
        ) from error
    bound = function.keywords if isinstance(function, functools.partial) else {}
    if found and found[0].name in ("self", "cls") and found[0].annotation is EMPTY:
        found = found[1:]
    return [p for p in found if p.name not in bound]


def _may_be_named(function: Callable[..., object], parameter: inspect.Parameter) -> bool:
    """True if a model can fill in a parameter by name; raise if it never could."""
    place = f"{function_name(function)}: the parameter {parameter.name!r}"
    if parameter.kind is parameter.VAR_POSITIONAL:
        raise ToolDefinitionError(
            f"{place} takes any number of values without names, and a model sends arguments by"
            f" name; make it one parameter: {parameter.name}: list[...] (where a decorator hides the"
            " function's own parameters, functools.wraps shows them)"
        )
    if parameter.kind is parameter.POSITIONAL_ONLY:
        raise ToolDefinitionError(
            f"{place} can be passed by position only, and a model sends arguments by name;"
            f" move it behind the '/' in the signature"
        )
    return parameter.kind is not parameter.VAR_KEYWORD


def _field(
    parameter: inspect.Parameter, hints: JsonMapping, descriptions: Mapping[str, str]
) -> object:
    """Return the annotation of one key: type, default and description of the parameter."""
    hint, default = hints.get(parameter.name, Any), parameter.default
    details: JsonObject = {}
    if parameter.name in descriptions and not _is_described(hint, default):
        details["description"] = descriptions[parameter.name]
    if isinstance(default, FieldInfo):
        return Annotated[hint, default, FieldInfo(**details)]
    if default is EMPTY:
        return Annotated[hint, FieldInfo(**details)]
    if default is None and not _takes_none(hint):
        hint = hint | None  # `x: int = None` means it, though the annotation does not say so
    if _is_plain(default):
        return Annotated[hint, FieldInfo(default=default, **details)]
    return NotRequired[Annotated[hint, FieldInfo(**details)]]


def _is_described(hint: object, default: object) -> bool:
    extras = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    infos = [extra for extra in (*extras, default) if isinstance(extra, FieldInfo)]
    return any(info.description for info in infos)


def _takes_none(hint: object) -> bool:
    if get_origin(hint) is Annotated:
        return _takes_none(get_args(hint)[0])
    return hint in (None, Any, object, type(None)) or (
        get_origin(hint) in _UNIONS and any(_takes_none(part) for part in get_args(hint))
    )


def _is_plain(default: object) -> bool:
    """True if JSON can express a default, so that the schema can show it."""
    if default is PydanticUndefined or default is ...:
        return False
    try:
        to_jsonable_python(default)
    except (PydanticSerializationError, ValueError):
        return False
    return True


def _hints(function: Callable[..., object]) -> JsonObject:
    """Return the annotations of a function, forward references resolved."""
    subject = plain_function(function)
    if not inspect.isroutine(subject):
        subject = type(subject).__call__
    try:
        return _evaluated(subject)
    except NameError as error:
        raise ToolDefinitionError(
            f"{function_name(function)}: an annotation of its parameters names {error.name!r},"
            " which is not defined where the function is"
        ) from error


def _evaluated(function: Any) -> JsonObject:
    try:
        found = typing.get_type_hints(function, include_extras=True)
    except NameError:
        # A function inside a function, with its annotations as text: their names live in the
        # frame that defined it, which is still running when a tool is made on the spot.
        local = _locals_of_maker(inspect.unwrap(function))
        found = typing.get_type_hints(function, localns=local, include_extras=True)
    return {
        n: hint if get_origin(hint) in _UNPACKS else readable(hint) for n, hint in found.items()
    }


def _locals_of_maker(function: Any) -> JsonObject:
    maker = getattr(function, "__qualname__", "").rpartition(".<locals>.")[0]
    frame = sys._getframe(1)
    while maker and frame is not None:
        if frame.f_code.co_qualname == maker and frame.f_globals is function.__globals__:
            return dict(frame.f_locals)
        frame = frame.f_back  # type: ignore[assignment]
    return dict(inspect.getclosurevars(function).nonlocals) if maker else {}
