"""zkit in DSPy: an adapter that repairs the JSON in a reply, and asks again where it cannot.

DSPy describes tools in its prompt and reads calls from fields of the reply, so the wire shows no calls.
Its own adapters close what was cut: `{"city": "Par` runs the tool with `Par`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from pydantic import PydanticUserError, TypeAdapter
from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError

from zkit.errors import MissingExtraError
from zkit.json_types import JsonObject
from zkit.receipt import Rank
from zkit.repair import Unrepairable, repair_json
from zkit.required import require_count

try:
    from dspy.adapters import ChatAdapter
    from dspy.utils.exceptions import AdapterParseError
except ImportError as error:
    raise MissingExtraError("dspy", "zkit.ext.dspy") from error

_HEADER = re.compile(r"^[ \t]*\[\[ ## (\w+) ## \]\]", re.M)
"""The line that opens a field; DSPy's prompt teaches it to the model."""
_NOTES: ContextVar[tuple[JsonObject, ...]] = ContextVar("zkit_dspy_notes", default=())
"""The replies that could not be read, each with what is wrong with it."""


class Field(Protocol):
    """A field of a signature."""

    annotation: Any


class Signature(Protocol):
    """What DSPy asks the model for."""

    output_fields: Mapping[str, Field]


class RepairAdapter(ChatAdapter):  # type: ignore[misc]
    """Reads replies with zkit: `dspy.configure(lm=lm, adapter=RepairAdapter())`.

    Objects and lists in a reply are repaired where one reading is clear. If a field cannot be read, is
    missing or does not fit, the model is told so and asked again, at most `ask_again` times for each
    request. When these are used up, DSPy's own error is raised.
    """

    def __init__(self, *, ask_again: int = 1, callbacks: list[object] | None = None) -> None:
        require_count("ask_again", ask_again, least=0)
        super().__init__(callbacks=callbacks, use_json_adapter_fallback=False)
        self.ask_again = ask_again

    def format(self, signature: Signature, demos: object, inputs: object) -> list[JsonObject]:
        """Return the messages of DSPy, then the replies that could not be read and why."""
        return [*super().format(signature, demos, inputs), *_NOTES.get()]

    def parse(self, signature: Signature, completion: str) -> JsonObject:
        """Return the fields of a reply. Raises if a value was cut, or can be read in two ways."""
        fields: JsonObject = super().parse(signature, _repaired(signature, completion))
        return fields

    def __call__(self, *given: object, **named: object) -> object:
        """Ask the model, and ask it again if its reply cannot be read."""
        with _notes():
            for _ in range(self.ask_again):
                try:
                    return super().__call__(*given, **named)
                except AdapterParseError as error:
                    _note(error)
            return super().__call__(*given, **named)

    async def acall(self, *given: object, **named: object) -> object:
        """The same in async code."""
        with _notes():
            for _ in range(self.ask_again):
                try:
                    return await super().acall(*given, **named)
                except AdapterParseError as error:
                    _note(error)
            return await super().acall(*given, **named)


@contextmanager
def _notes() -> Iterator[None]:
    """Collect notes for the requests inside the block."""
    token = _NOTES.set(())
    try:
        yield
    finally:
        _NOTES.reset(token)


def _note(error: AdapterParseError) -> None:
    """Keep what the next request tells the model about its reply."""
    reason, _, _ = str(error).partition("\n\nAdapter ")
    reason = "A field is missing." if reason.startswith("Adapter ") else reason
    headers = " ".join(f"[[ ## {name} ## ]]" for name in error.signature.output_fields)
    said = {"role": "assistant", "content": error.lm_response}
    asked = (
        f"{reason}\nNothing was run. Send all fields again, each after its own header: {headers}"
    )
    _NOTES.set((*_NOTES.get(), said, {"role": "user", "content": asked}))


def _repaired(signature: Signature, completion: str) -> str:
    """Return a reply whose objects and lists are strict JSON."""
    headers = list(_HEADER.finditer(completion))
    if not headers:
        return completion
    ends = [*(one.start() for one in headers[1:]), len(completion)]
    parts, seen = [completion[: headers[0].start()]], set[str]()
    for header, end in zip(headers, ends, strict=True):
        name, text = header[1], completion[header.end() : end]
        field = None if name in seen else signature.output_fields.get(name)
        seen.add(name)
        schema = None if field is None else _schema(field.annotation)
        if schema is not None:
            text = f"\n{_strict(signature, completion, name, text, schema)}\n\n"
        parts += [header[0], text]
    return "".join(parts)


def _strict(signature: Signature, completion: str, name: str, text: str, schema: JsonObject) -> str:
    """Return one value as strict JSON; raises DSPy's error if there is no one reading."""
    found = repair_json(text.strip(), schema=schema, limit=Rank.GUESS)
    if isinstance(found, Unrepairable):
        reason = f"The field {name} could not be read: {found.message}"
        raise AdapterParseError("RepairAdapter", signature, completion, reason)
    return json.dumps(found.value, ensure_ascii=False)


def _schema(annotation: Any) -> JsonObject | None:
    """Return the JSON Schema of a type that is written as an object or a list; None for any other type."""
    try:
        schema = TypeAdapter(annotation).json_schema()
    except (PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError):
        return None
    return schema if schema.get("type") in ("object", "array") else None
