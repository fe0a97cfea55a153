"""A model in, everything that decoding needs of it out, made once."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import Any

from pydantic import ValidationError

from zkit.arguments.exact import exact_validator
from zkit.arguments.shape import Shape
from zkit.arguments.silence import exact_by_schema
from zkit.arguments.troubles import Trouble
from zkit.arguments.words import as_json, shortened
from zkit.schema import Misfit, MisfitError, Target, target_for

_MOST = 1024
SORTS = {
    "missing": "missing",
    "missing_argument": "missing",
    "missing_keyword_only_argument": "missing",
    "extra_forbidden": "unknown",
    "unexpected_keyword_argument": "unknown",
    "unknown": "unknown",
}
_LONGEST_WORDS = 200
_UNSAID = frozenset(
    [
        *("pattern", "dependentRequired", "not", "if", "contains", "uniqueItems"),
        *("minProperties", "maxProperties", "propertyNames", "oneOf"),
    ]
)
_OWN_WORDS = ("value_error", "assertion_error")


class Ready:
    """A target, with its validators bound and its shape at hand.

    `validate` accepts a JSON text that needs no change: strict types, and nothing that is let pass
    in silence, such as a key that would be ignored.
    """

    def __init__(self, subject: Any, target: Target) -> None:
        self.subject = subject
        self.target = target
        self.validate = self._exact(declared_only=True)
        self.tool = _tool_name(subject, target)

    @cached_property
    def check(self) -> Callable[[Any], Any]:
        """Accepts the same, and other keys where the target takes or ignores them."""
        return self._exact(declared_only=False)

    def _exact(self, *, declared_only: bool) -> Callable[[Any], Any]:
        target = self.target
        if target.core_schema is None:
            return exact_by_schema(target.validate_python, self.shape, declared_only=declared_only)
        return exact_validator(target.core_schema, declared_only=declared_only).validate_json

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the arguments."""
        return self.target.schema

    @cached_property
    def shape(self) -> Shape:
        """What may stand at each place."""
        return Shape(self.schema, self.schema)

    def troubles(self, text: str | bytes) -> list[Trouble]:
        """What is wrong with a JSON text; nothing when it fits."""
        try:
            self.validate(text)
        except (ValidationError, MisfitError) as error:
            return troubles_of(error)
        return []


def _tool_name(subject: Any, target: Target) -> str | None:
    """The name by which a model calls the tool; None where only a type or a schema is known."""
    own = (getattr(subject, "__name__", None), target.schema.get("title"), "arguments")
    return target.name if target.kind == "function" or target.name not in own else None


def troubles_of(error: ValidationError | MisfitError) -> list[Trouble]:
    """The complaints of a validator."""
    if isinstance(error, ValidationError):
        found = error.errors(include_url=False, include_context=False, include_input=False)
        return [_of_pydantic(one) for one in found]
    return [Trouble(one.path, SORTS.get(one.kind, "other"), _words(one)) for one in error.misfits]


def _of_pydantic(error: Any) -> Trouble:
    """One error of pydantic: a custom validator's words are kept, pydantic's own are not."""
    sort = SORTS.get(error["type"], "other")
    own = error["type"] in _OWN_WORDS
    words = f"another value: {error['msg'].split(', ', 1)[-1]}" if own else ""
    return Trouble(tuple(error["loc"]), sort, " ".join(words.split())[:_LONGEST_WORDS])


def _words(misfit: Misfit) -> str:
    """What a raw schema's keyword asks for, where the shape does not say it."""
    if misfit.kind not in _UNSAID:
        return ""
    asked = misfit.facts.get("pattern", misfit.facts.get("limit"))
    return shortened(f'something that meets "{misfit.kind}": {as_json(asked)}')


READY: dict[int, tuple[Any, Ready, Callable[[Any], Any]]] = {}
"""What was made ready for which subject, by its identity, and how valid arguments are told."""


def ready_for(model: Any) -> Ready:
    """What decoding needs of a model; kept for the newest models."""
    target = target_for(model)
    subject = target if target.kind == "raw" and _may_change(model) else model
    known = READY.get(id(subject))
    if known is not None and known[0] is subject:
        return known[1]
    while len(READY) >= _MOST:
        READY.pop(next(iter(READY)), None)
    made = Ready(subject, target)
    READY[id(subject)] = subject, made, made.validate
    return made


def _may_change(model: Any) -> bool:
    """Whether a schema may change behind our back, so that it is known by content, not identity."""
    frozen = getattr(type(model), "__dataclass_params__", None)
    parameters = getattr(model, "parameters", None)
    return not (frozen and frozen.frozen and isinstance(parameters, Hashable))
