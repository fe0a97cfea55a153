"""Replaces one of the free strings of a payload, so that a damage finds its place."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from random import Random
from typing import Any

from benchmarks.kinds import fill
from benchmarks.payloads import Payload
from benchmarks.tokens import Path


def plant(rng: Random, payload: Payload, templates: tuple[str, ...]) -> Payload:
    """The payload with one free string replaced by one of the texts."""
    free = list(free_strings(payload.schema, payload.truth))
    if not free:
        return payload
    truth = copy.deepcopy(payload.truth)
    *way, last = rng.choice(free)
    holder: Any = truth
    for step in way:
        holder = holder[step]
    holder[last] = fill(rng, rng.choice(templates))
    return Payload(payload.tool, payload.schema, truth)


def free_strings(schema: dict[str, Any], value: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of the strings that may be any string."""
    for option in schema.get("anyOf", ()):
        yield from free_strings(option, value, path)
    if isinstance(value, dict):
        rest = schema.get("additionalProperties") or {}
        for key, item in value.items():
            yield from free_strings(schema.get("properties", {}).get(key, rest), item, (*path, key))
    elif isinstance(value, list):
        for at, item in enumerate(value):
            yield from free_strings(schema.get("items", {}), item, (*path, at))
    elif isinstance(value, str) and "string" in schema.get("type", ()) and "enum" not in schema:
        yield path
