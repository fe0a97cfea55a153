"""What a tool takes in, the same with a choice of how its result is written out."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import BaseModel, Field, create_model
from typing_extensions import TypedDict

from zkit.errors import ToolDefinitionError
from zkit.schema import Target, target_for
from zkit.tools.return_types import is_record

OUTPUT = "output"
_ABOUT = "How the result is written: readable, or as JSON."
Output = Annotated[Literal["labeled", "json"], Field(default="labeled", description=_ABOUT)]


def wants_formats(schema: dict[str, Any], returns: Any, formats: bool | None, name: str) -> bool:
    """Whether a tool gets the choice: when it returns records, or when its author says so."""
    taken = OUTPUT in schema.get("properties", {})
    if formats and taken:
        raise ToolDefinitionError(f"{name}: has a parameter {OUTPUT!r} already")
    return not taken and (is_record(returns) if formats is None else formats)


def with_output(model: Any) -> Target:
    """Return the target of a pydantic model or a TypedDict that takes `output` besides."""
    if isinstance(model, type) and issubclass(model, BaseModel):
        return target_for(create_model(model.__name__, __base__=model, output=(Output, "labeled")))
    make: Any = TypedDict
    wider = make(model.__name__, {**model.__annotations__, OUTPUT: Output})
    wider.__module__ = model.__module__
    wider.__pydantic_config__ = getattr(model, "__pydantic_config__", {})
    return replace(target_for(wider), kind="function")
