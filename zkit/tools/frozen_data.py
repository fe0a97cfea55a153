"""JSON data that cannot be changed, equal to the data it was made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

_SCALARS = (str, int, float, bool, type(None), bytes)


def _refuse(self: object, *args: object, **kwargs: object) -> NoReturn:
    raise TypeError(f"this {type(self).__name__} is shared and cannot be changed; copy it first")


class FrozenDict(dict[str, object]):
    """A dict that cannot be changed. Equal to, and written to JSON like, the dict it was made of.

    `copy.deepcopy` and `thaw` give plain data again.
    """

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self))

    def __deepcopy__(self, memo: object) -> object:
        return thaw(self)

    def __reduce__(self) -> tuple[Callable[[object], object], tuple[object]]:
        return (freeze, (thaw(self),))


class FrozenList(list[object]):
    """A list that cannot be changed. Equal to, and written to JSON like, the list it was made of."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return len(self)

    def __deepcopy__(self, memo: object) -> object:
        return thaw(self)

    def __reduce__(self) -> tuple[Callable[[object], object], tuple[object]]:
        return (freeze, (thaw(self),))


def freeze(data: object) -> Any:
    """Return an immutable copy of the data, equal to it.

    Dicts and lists at every depth are copied; tuples keep their type. Raises `TypeError` for
    anything that is neither a container nor a scalar of JSON: it could be mutable.
    """
    return _rebuilt(data, FrozenDict, FrozenList)


def thaw(data: object) -> Any:
    """Return plain, mutable dicts and lists."""
    return _rebuilt(data, dict, list)


def _rebuilt(data: object, a_dict: type[dict[Any, object]], a_list: type[list[object]]) -> object:
    """Copy nested containers from the leaves up, without recursion: data may be deep."""
    built: dict[int, object] = {}
    stack: list[tuple[object, bool]] = [(data, False)]
    open_now: set[int] = set()
    while stack:
        item, ready = stack.pop()
        if isinstance(item, _SCALARS) or id(item) in built:
            continue
        if ready:
            built[id(item)] = _container(item, built, a_dict, a_list)
            open_now.discard(id(item))
            continue
        if id(item) in open_now:
            raise TypeError("data that contains itself cannot be copied")
        open_now.add(id(item))
        stack.append((item, True))
        stack.extend((part, False) for part in _parts(item))
    return data if isinstance(data, _SCALARS) else built[id(data)]


def _parts(item: object) -> list[object]:
    if isinstance(item, Mapping):
        return list(item.values())
    if isinstance(item, list | tuple):
        return list(item)
    raise TypeError(f"a {type(item).__name__} is not JSON data")


def _container(
    item: Any,
    built: dict[int, object],
    a_dict: type[dict[object, object]],
    a_list: type[list[object]],
) -> object:
    def at(part: object) -> object:
        return part if isinstance(part, _SCALARS) else built[id(part)]

    if isinstance(item, Mapping):
        return a_dict({key: at(part) for key, part in item.items()})
    parts = [at(part) for part in item]
    return tuple(parts) if type(item) is tuple else a_list(parts)
