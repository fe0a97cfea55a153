"""A TypedDict of any module is read, with its optional keys."""

from __future__ import annotations

import typing
from typing import Annotated, NotRequired, Optional

import pytest
import typing_extensions
from pydantic import Field

from zkit import Decoded, decode, schema_for
from zkit.errors import ToolDefinitionError


class Place(typing.TypedDict):
    """Where."""

    lat: Annotated[float, Field(ge=-90, le=90)]
    name: NotRequired[str]


class Route(typing.TypedDict, total=False):
    """From place to place."""

    via: list[Place]
    end: Optional[Place]  # noqa: UP045  (the old spelling of a union is a type of its own)
    start: Place | None
    mode: typing.Literal["walk", "drive"]


class Modern(typing_extensions.TypedDict):
    """Where."""

    lat: Annotated[float, Field(ge=-90, le=90)]
    name: NotRequired[str]


def test_both_kinds_have_the_same_schema() -> None:
    old, new = schema_for(Place), schema_for(Modern)
    assert {**old, "title": ""} == {**new, "title": ""}
    assert old["required"] == ["lat"]
    assert old["description"] == "Where."


def test_nested_ones_are_decoded_and_coerced() -> None:
    raw = '{"via": [{"lat": "1.5"}], "start": {"lat": 2}, "end": null, "mode": "Walk"}'
    outcome = decode(Route, raw)
    assert isinstance(outcome, Decoded)
    assert outcome.value == {
        "via": [{"lat": 1.5}],
        "start": {"lat": 2.0},
        "end": None,
        "mode": "walk",
    }


def test_a_function_may_take_one() -> None:
    def go(to: Place, via: list[Place] | None = None) -> None:
        """Go."""

    outcome = decode(go, '{"to": {"lat": "3"}}')
    assert isinstance(outcome, Decoded)
    assert outcome.value == {"to": {"lat": 3.0}, "via": None}


class Tree(typing.TypedDict):
    """Holds itself."""

    below: list[Tree]


@pytest.mark.skipif("sys.version_info >= (3, 12)")
def test_one_that_holds_itself_is_refused_with_the_way_out() -> None:
    with pytest.raises(ToolDefinitionError, match="must come from typing_extensions"):
        schema_for(Tree)
