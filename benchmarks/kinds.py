"""Kinds of value: for each the JSON Schema that describes it and a maker of examples."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks import text_material as words
from benchmarks.code_material import CODE

Make = Callable[[Random], Any]


@dataclass(frozen=True, slots=True)
class Kind:
    """A JSON Schema and a function that makes a value which fits it."""

    schema: dict[str, Any]
    make: Make


def fill(rng: Random, template: str) -> str:
    """Replace each ‹mark› of a template; the same mark gets the same word throughout."""
    first, second, third = rng.sample(words.WORDS, 3)
    digit = str(rng.randint(1, 9))
    known = {
        "word": first,
        "other": second,
        "var": third,
        "fn": f"{first}_{second}",
        "Name": third.capitalize(),
        "VAR": second.upper(),
        "digit": digit,
        "num": str(rng.choice((7, 12, 65, 120, 4096))),
        "ext": rng.choice(words.EXTENSIONS),
    }
    known["file"] = _replace_marks(rng.choice(words.FILES), known)
    return _replace_marks(template, known)


def _replace_marks(template: str, known: Mapping[str, str]) -> str:
    return re.sub("‹(\\w+)›", lambda mark: known[mark[1]], template)


def pick(rng: Random, *pools: tuple[str, ...]) -> str:
    """Fill one template of one of the pools."""
    return fill(rng, rng.choice(rng.choice(pools)))


def code_text(rng: Random) -> str:
    """One to three pieces of one language, as a file or a part of a file."""
    pool = CODE[rng.choice(list(CODE))]
    pieces = [fill(rng, rng.choice(pool)) for _ in range(rng.choice((1, 1, 1, 2, 3)))]
    return rng.choice(("\n", "\n\n", "")).join(pieces)


def any_text(rng: Random) -> str:
    """A string of any sort: mostly prose and code, some scripts, a few odd ones."""
    pools = (words.PROSE, words.PROSE, words.SCRIPTS, words.EDGES, words.TERMINAL, words.SHORT)
    return code_text(rng) if rng.random() < 0.4 else pick(rng, *pools)


def text(make: Make) -> Kind:
    """A string made by `make`."""
    return Kind({"type": "string"}, make)


def enum(*values: str) -> Kind:
    """One of a few words."""
    return Kind({"type": "string", "enum": list(values)}, lambda rng: rng.choice(values))


def whole(low: int, high: int) -> Kind:
    """An integer; small and large ones alike often."""
    makers: tuple[Make, ...] = (
        lambda rng: rng.randint(low, high),
        lambda rng: max(low, min(high, rng.choice((1, 5, 30, 1000, 1500, 25000, 120000)))),
    )
    return Kind({"type": "integer"}, lambda rng: rng.choice(makers)(rng))


def decimal(low: float, high: float) -> Kind:
    """A number, often with a fraction, sometimes with an exponent."""
    makers: tuple[Make, ...] = (
        lambda rng: round(rng.uniform(low, high), rng.randint(1, 4)),
        lambda rng: round(rng.uniform(low, high), rng.randint(1, 4)),
        lambda rng: rng.choice((0.5, 0.25, 12400.75, 30.0, 1.5e-07, 2e22, 0, 980.5)),
    )
    return Kind({"type": "number"}, lambda rng: rng.choice(makers)(rng))


FLAG = Kind({"type": "boolean"}, lambda rng: rng.random() < 0.5)


def nullable(kind: Kind) -> Kind:
    """The kind, or null; written the two ways in which schemas write it."""
    simple = set(kind.schema) == {"type"}
    schema = (
        {"type": [kind.schema["type"], "null"]}
        if simple
        else {"anyOf": [kind.schema, {"type": "null"}]}
    )
    return Kind(schema, lambda rng: None if rng.random() < 0.4 else kind.make(rng))


def list_of(kind: Kind, low: int = 0, high: int = 4) -> Kind:
    """A list of values of one kind."""

    def make(rng: Random) -> list[Any]:
        return [kind.make(rng) for _ in range(rng.randint(low, high))]

    return Kind({"type": "array", "items": kind.schema}, make)


def map_of(keys: tuple[str, ...], kind: Kind) -> Kind:
    """An object with free keys (of which `keys` are examples) and values of one kind."""

    def make(rng: Random) -> dict[str, Any]:
        chosen = rng.sample(keys, rng.randint(0, min(3, len(keys))))
        return {key: kind.make(rng) for key in chosen}

    return Kind({"type": "object", "additionalProperties": kind.schema}, make)


def record(fields: Mapping[str, Kind], *, closed: bool = True) -> Kind:
    """An object; a field named with a final `?` is optional. Keys are now and then shuffled."""
    names = {name: name.rstrip("?") for name in fields}
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {names[name]: kind.schema for name, kind in fields.items()},
        "required": [name for name in fields if not name.endswith("?")],
    }
    if closed:
        schema["additionalProperties"] = False

    def make(rng: Random) -> dict[str, Any]:
        order = list(fields)
        if rng.random() < 0.15:
            rng.shuffle(order)
        present = [name for name in order if not name.endswith("?") or rng.random() < 0.6]
        return {names[name]: fields[name].make(rng) for name in present}

    return Kind(schema, make)
