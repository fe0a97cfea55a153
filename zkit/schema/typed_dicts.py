"""An annotation in, the same one out with every `typing.TypedDict` in the form pydantic reads.

Before Python 3.12 `typing.TypedDict` forgets which keys are optional in its bases, so pydantic takes
only that of typing_extensions. What it does remember is carried over.
"""

from __future__ import annotations

import functools
import operator
import sys
import types
import typing
from typing import Annotated, Any, Literal, NotRequired, Required, Union, get_args, get_origin

from typing_extensions import TypedDict

from zkit.errors import ToolDefinitionError

_MADE: dict[int, tuple[Any, Any]] = {}
_IN_THE_MAKING = object()


def readable(annotation: Any) -> Any:
    """The annotation as pydantic can read it."""
    if sys.version_info >= (3, 12):
        return annotation
    if _is_old(annotation):
        return _made(annotation)
    return _rebuilt(annotation) if get_args(annotation) else annotation


def _is_old(annotation: Any) -> bool:
    return typing.is_typeddict(annotation) and type(annotation).__module__ == "typing"


def _made(old: Any) -> Any:
    """A TypedDict of typing_extensions with the same keys, made once."""
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


def _key(old: Any, name: str, hint: Any) -> Any:
    if get_origin(hint) in (Required, NotRequired):
        return hint
    return Required[hint] if name in old.__required_keys__ else NotRequired[hint]


def _rebuilt(annotation: Any) -> Any:
    """A generic with its arguments made readable."""
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
