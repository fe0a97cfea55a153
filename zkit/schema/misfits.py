"""The complaints of jsonschema in, the facts of each out: where, what kind, what would do."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jsonschema.exceptions import ValidationError as Complaint

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Misfit:
    """One place where a value does not fit its schema.

    `kind` is the keyword of JSON Schema that is not met, but `missing` for an absent property and
    `unknown` for one that is not allowed (both with the property in `path`), `enum` for `const`
    too, `json` for a text that is no JSON and `depth` for a value nested too deep to check.
    `facts` hold `expected` (types), `allowed` (values), `limit`, `format`, `pattern`, or
    `branches` (the misfits of each branch of a union, where no branch is nearest).
    """

    path: Path
    kind: str
    facts: Mapping[str, Any] = field(default_factory=dict)


class MisfitError(ValueError):
    """A value does not fit a raw JSON Schema; `misfits` say where and why."""

    def __init__(self, misfits: Iterable[Misfit]) -> None:
        self.misfits = tuple(misfits)
        super().__init__("; ".join(f"{'.'.join(map(str, m.path))}: {m.kind}" for m in self.misfits))


def misfits_of(error: Complaint) -> list[Misfit]:
    """Return what a complaint of jsonschema comes down to."""
    path: Path = tuple(error.absolute_path)
    reader = _READERS.get(str(error.validator))
    if reader is not None:
        return reader(error, path)
    return [Misfit(path, str(error.validator), _facts(str(error.validator), _due(error)))]


def _due(error: Complaint) -> Any:
    """The value of the keyword that is not met."""
    return error.validator_value


def _facts(keyword: str, value: Any) -> dict[str, Any]:
    if keyword in ("format", "pattern"):
        return {keyword: value}
    return {"limit": value}


def _missing(error: Complaint, path: Path) -> list[Misfit]:
    there: Any = error.instance
    return [Misfit((*path, name), "missing") for name in _due(error) if name not in there]


def _unknown(error: Complaint, path: Path) -> list[Misfit]:
    """The properties that a closed object does not know."""
    if not isinstance(error.instance, dict) or _due(error) is not False:
        return [Misfit(path, str(error.validator), {"limit": _due(error)})]
    schema: Any = error.schema
    patterns = schema.get("patternProperties", {})
    extra = [
        name
        for name in error.instance
        if name not in schema.get("properties", {})
        and not any(re.search(pattern, name) for pattern in patterns)
    ]
    known = tuple(schema.get("properties", {}))
    return [Misfit((*path, name), "unknown", {"allowed": known}) for name in extra]


def _wrong_type(error: Complaint, path: Path) -> list[Misfit]:
    expected = _due(error)
    return [
        Misfit(
            path,
            "type",
            {"expected": (expected,) if isinstance(expected, str) else tuple(expected)},
        )
    ]


def _not_allowed(error: Complaint, path: Path) -> list[Misfit]:
    value = _due(error)
    return [
        Misfit(path, "enum", {"allowed": tuple(value) if error.validator == "enum" else (value,)})
    ]


def _no_branch(error: Complaint, path: Path) -> list[Misfit]:
    """What is wrong with the nearest branch; the types that would do, if no branch has the type."""
    branches: dict[int, list[Misfit]] = {}
    for inner in error.context or ():
        branches.setdefault(int(inner.relative_schema_path[0]), []).extend(misfits_of(inner))
    fitting = [found for found in branches.values() if not _is_of_other_type(found, path)]
    if branches and not fitting:
        expected = [
            t for found in branches.values() for m in found for t in m.facts.get("expected", ())
        ]
        return [Misfit(path, "type", {"expected": tuple(dict.fromkeys(expected))})]
    tagged = [found for found in fitting if not _is_other_variant(found, path)] or fitting
    if len(tagged) == 1:
        return tagged[0]
    if tagged and all(len(f) == 1 and f[0].kind == "enum" and f[0].path == path for f in tagged):
        allowed = [value for found in tagged for value in found[0].facts["allowed"]]
        return [Misfit(path, "enum", {"allowed": tuple(allowed)})]
    return [Misfit(path, str(error.validator), {"branches": tuple(map(tuple, tagged))})]


def _is_of_other_type(found: list[Misfit], path: Path) -> bool:
    return any(m.kind == "type" and m.path == path for m in found)


def _is_other_variant(found: list[Misfit], path: Path) -> bool:
    """Whether a property says which variant is meant, and it is not this one."""
    return any(
        m.kind == "enum" and m.path[:-1] == path and len(m.path) == len(path) + 1 for m in found
    )


_READERS: dict[str, Callable[[Complaint, Path], list[Misfit]]] = {
    "required": _missing,
    "additionalProperties": _unknown,
    "unevaluatedProperties": _unknown,
    "type": _wrong_type,
    "enum": _not_allowed,
    "const": _not_allowed,
    "anyOf": _no_branch,
    "oneOf": _no_branch,
}
