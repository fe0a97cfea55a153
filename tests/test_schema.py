"""From Python to JSON Schema: models, dataclasses, TypedDicts, functions."""

from __future__ import annotations

import dataclasses
import enum
import functools
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Generic, Literal, NotRequired, TypeVar
from uuid import UUID

import pytest
from jsonschema import Draft202012Validator
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, RootModel, computed_field
from pydantic.dataclasses import dataclass as pydantic_dataclass
from typing_extensions import TypedDict

from zkit.errors import SchemaError, ToolDefinitionError
from zkit.schema import arguments_model, hidden_parameters, schema_for, target_for


class Unit(enum.Enum):
    """Of temperature."""

    CELSIUS = "celsius"
    FAHRENHEIT = "fahrenheit"


class Cat(BaseModel):
    """A cat."""

    kind: Literal["cat"]
    lives: int = 9


class Dog(BaseModel):
    """A dog."""

    kind: Literal["dog"]
    born: date | None = None


class Node(BaseModel):
    """A place in a tree."""

    name: str
    children: list[Node] = []


class Todo(TypedDict):
    """A thing to do.

    Attributes:
        text: What to do.
    """

    text: str
    done: NotRequired[bool]


T = TypeVar("T")


class Page(BaseModel, Generic[T]):
    """A page of anything."""

    items: list[T]
    next: int | None = None


class Order(BaseModel):
    """An order of a customer."""

    zip: str = Field(pattern=r"^\d{4}$", description="Where to.")
    amount: Annotated[int, Field(ge=1, le=2000)]
    pet: Annotated[Cat | Dog, Field(discriminator="kind")]
    price: Decimal = Decimal("1.5")
    unit: Unit = Unit.CELSIUS
    pair: tuple[int, str] | None = None
    note: str = Field("", exclude=True)

    @computed_field  # type: ignore[prop-decorator]
    @property
    def total(self) -> int:
        return self.amount


@dataclasses.dataclass
class Point:
    """A point."""

    x: int
    y: float = 0.5
    label: str = dataclasses.field(default="here", kw_only=True)
    seen: int = dataclasses.field(default=0, init=False)


@pydantic_dataclass
class Circle:
    """A circle."""

    centre: Point
    radius: Annotated[float, Field(gt=0)]


class Context:
    """What a tool is given besides its arguments."""


def forecast(
    city: str, days: Annotated[int, Field(ge=1, le=9)] = 3, *, unit: Unit = Unit.CELSIUS
) -> str:
    """Tell the weather of
    the next days.

    It is never wrong.

    Args:
        city: The city, in any
            language.
        days: How many days.
    """
    return f"{city} {days} {unit}"


# Models and their kin


def test_properties_stand_in_the_order_of_declaration() -> None:
    names = ["zip", "amount", "pet", "price", "unit", "pair", "note"]
    assert list(schema_for(Order)["properties"]) == names
    assert schema_for(Order)["required"] == ["zip", "amount", "pet"]


def test_no_title_is_made_up_and_one_that_was_written_stays() -> None:
    class Titled(BaseModel):
        model_config = ConfigDict(title="My Title")
        a: Unit = Field(title="The A")

    assert '"title"' not in json.dumps(schema_for(Order))
    schema = schema_for(Titled)
    assert (schema["title"], schema["properties"]["a"]["title"]) == ("My Title", "The A")


def test_a_typed_dict_and_a_dataclass_have_schemas_of_their_own() -> None:
    assert schema_for(Todo) == {
        "type": "object",
        "properties": {
            "text": {"type": "string", "description": "What to do."},
            "done": {"type": "boolean"},
        },
        "required": ["text"],
        "description": "A thing to do.",
    }
    assert list(schema_for(Point)["properties"]) == ["x", "y", "label"]
    assert schema_for(Circle)["properties"]["radius"]["exclusiveMinimum"] == 0


def test_a_generic_model_has_the_schema_of_its_parameter() -> None:
    assert schema_for(Page[int])["properties"]["items"]["items"] == {"type": "integer"}


def test_a_recursive_model_has_its_properties_at_the_root() -> None:
    schema = schema_for(Node)
    assert list(schema["properties"]) == ["name", "children"]
    assert schema["properties"]["children"]["items"] == {"$ref": "#/$defs/Node"}
    Draft202012Validator(schema).validate({"name": "a", "children": [{"name": "b"}]})


def test_what_must_be_sent_is_the_alias() -> None:
    class Aliased(BaseModel):
        first: int = Field(alias="First")
        second: int = Field(validation_alias=AliasChoices("Second", "zweitens"))

    assert list(schema_for(Aliased)["properties"]) == ["First", "Second"]


def test_a_root_that_is_no_object_is_refused() -> None:
    class Names(RootModel[list[str]]):
        pass

    with pytest.raises(SchemaError, match=r"the root is of type array.*put it in a field"):
        schema_for(Names)
    with pytest.raises(SchemaError, match="the root is a union"):
        schema_for(Cat | Dog)
    assert target_for(Names).validate_json('["a"]') == Names(["a"])


def test_a_field_without_json_schema_is_named() -> None:
    class Odd(BaseModel):
        fine: int
        call: Callable[[], int]

    with pytest.raises(SchemaError, match=r"^Odd\.call: "):
        schema_for(Odd)


INSTANCES: list[tuple[Any, dict[str, Any]]] = [
    (Order, {"zip": "1234", "amount": 5, "pet": {"kind": "cat"}}),
    (
        Order,
        {
            "zip": "1234",
            "amount": 5,
            "pet": {"kind": "dog", "born": "2020-01-31"},
            "unit": "celsius",
        },
    ),
    (Order, {"zip": "1234", "amount": 2000, "pet": {"kind": "cat", "lives": 1}, "pair": [1, "a"]}),
    (Node, {"name": "a", "children": [{"name": "b", "children": []}]}),
    (Todo, {"text": "x"}),
    (Todo, {"text": "x", "done": True}),
    (Point, {"x": 1}),
    (Circle, {"centre": {"x": 1, "y": 2.5}, "radius": 0.1}),
    (Page[int], {"items": [1, 2], "next": None}),
    (forecast, {"city": "Oslo"}),
    (forecast, {"city": "Oslo", "days": 9, "unit": "fahrenheit"}),
]


@pytest.mark.parametrize(("x", "value"), INSTANCES)
def test_what_pydantic_takes_fits_the_schema(x: Any, value: dict[str, Any]) -> None:
    target_for(x).validate_python(value)
    Draft202012Validator(schema_for(x)).validate(value)
    strict = schema_for(x, "openai-strict")
    Draft202012Validator(strict).validate(padded(value, strict, strict))


def padded(value: Any, schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """Send null for every field that was left out."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    for branch in schema.get("anyOf", ()):
        tried = padded(value, branch, root)
        if Draft202012Validator({**branch, "$defs": root.get("$defs", {})}).is_valid(tried):
            return tried
    if isinstance(value, dict) and "properties" in schema:
        parts = schema["properties"].items()
        return {n: padded(value[n], part, root) if n in value else None for n, part in parts}
    if isinstance(value, list) and "items" in schema:
        return [padded(item, schema["items"], root) for item in value]
    return value


# Functions


def test_a_function_is_described_by_its_signature_and_docstring() -> None:
    assert schema_for(forecast) == {
        "description": "Tell the weather of the next days.",
        "type": "object",
        "properties": {
            "city": {"type": "string", "description": "The city, in any language."},
            "days": {
                "type": "integer",
                "minimum": 1,
                "maximum": 9,
                "default": 3,
                "description": "How many days.",
            },
            "unit": {"$ref": "#/$defs/Unit", "default": "celsius"},
        },
        "required": ["city"],
        "additionalProperties": False,
        "$defs": {
            "Unit": {
                "enum": ["celsius", "fahrenheit"],
                "type": "string",
                "description": "Of temperature.",
            }
        },
    }


def numpy_style(path: str, lines: int = 1) -> None:
    """Read a file.

    Parameters
    ----------
    path : str
        Where it is.
    lines : int
        How many lines.
    """


def sphinx_style(path: str, lines: int = 1) -> None:
    """Read a file.

    :param path: Where it is.
    :param lines: How many lines.
    :returns: nothing
    """


def google_style(path: str, lines: int = 1) -> None:
    """Read a file.

    Args:
        path (str): Where it is.
        lines (int, optional): How many lines.

    Returns:
        Nothing.
    """


@pytest.mark.parametrize("function", [google_style, numpy_style, sphinx_style])
def test_docstrings_are_read_in_three_styles(function: Callable[..., Any]) -> None:
    schema = schema_for(function)
    described = [part["description"] for part in schema["properties"].values()]
    assert (schema["description"], described) == (
        "Read a file.",
        ["Where it is.", "How many lines."],
    )


def test_a_description_beside_the_type_wins_over_the_docstring() -> None:
    def read(path: Annotated[str, Field(description="From the code.")]) -> None:
        """Read.

        Args:
            path: From the docstring.
        """

    assert schema_for(read)["properties"]["path"]["description"] == "From the code."


def test_the_validated_arguments_call_the_function() -> None:
    target = target_for(forecast)
    assert forecast(**target.validate_json('{"city": "Oslo"}')) == "Oslo 3 Unit.CELSIUS"
    assert target.validate_python({"city": "x", "unit": "fahrenheit"})["unit"] is Unit.FAHRENHEIT


def test_a_default_that_json_cannot_express_is_left_to_the_function() -> None:
    missing = object()

    def find(name: str, start: Any = missing) -> None:
        """Find."""

    assert schema_for(find)["properties"]["start"] == {}
    assert target_for(find).validate_json('{"name": "a"}') == {"name": "a"}


def test_a_default_inside_field_is_filled_in() -> None:
    def find(
        name: str, most: int = Field(5, ge=1), least: Annotated[int, Field(default=2)] = 2
    ) -> None:
        """Find."""

    assert target_for(find).validate_json('{"name": "a"}') == {"name": "a", "most": 5, "least": 2}
    assert schema_for(find)["properties"]["most"] == {"type": "integer", "minimum": 1, "default": 5}


def test_a_default_of_none_lets_null_in() -> None:
    def find(name: str = None) -> None:  # type: ignore[assignment]  # noqa: RUF013
        """Find."""

    assert target_for(find).validate_json('{"name": null}') == {"name": None}


@pytest.mark.parametrize(
    "name", ["schema", "json", "copy", "model_config", "_private", "from_", "self_"]
)
def test_a_parameter_may_have_any_name(name: str) -> None:
    space: dict[str, Any] = {}
    exec(f"def call({name}: int): ...", space)
    assert target_for(space["call"]).validate_json(f'{{"{name}": 1}}') == {name: 1}


def test_an_unannotated_parameter_takes_anything() -> None:
    def call(a, b=2):  # type: ignore[no-untyped-def]
        pass

    assert schema_for(call)["properties"] == {"a": {}, "b": {"default": 2}}


def test_further_keywords_are_allowed_where_the_function_takes_them() -> None:
    def call(a: int, **others: int) -> None:
        pass

    assert schema_for(call)["additionalProperties"] == {"type": "integer"}
    assert target_for(call).validate_json('{"a": 1, "b": 2}') == {"a": 1, "b": 2}


def test_parameters_that_a_model_cannot_name_are_refused_by_name() -> None:
    def by_position(path: str, /, mode: str) -> None:
        pass

    def any_number(*paths: str) -> None:
        pass

    with pytest.raises(ToolDefinitionError, match=r"by_position: the parameter 'path'.*position"):
        schema_for(by_position)
    with pytest.raises(
        ToolDefinitionError, match=r"any_number: the parameter 'paths'.*paths: list"
    ):
        schema_for(any_number)


def test_a_parameter_of_a_type_nobody_can_send_is_refused_by_name() -> None:
    def call(what: Context) -> None:
        pass

    with pytest.raises(ToolDefinitionError, match="call"):
        schema_for(call)


def test_an_undefined_annotation_is_named() -> None:
    def call(what: Nowhere) -> None:  # type: ignore[name-defined]  # noqa: F821
        pass

    with pytest.raises(ToolDefinitionError, match="'Nowhere'"):
        schema_for(call)


def test_annotations_as_text_find_what_is_defined_beside_the_function() -> None:
    class Local(BaseModel):
        a: int

    def call(what: Local, other: Local | None = None) -> None:
        pass

    assert target_for(call).validate_json('{"what": {"a": 1}}')["what"] == Local(a=1)


class Shelf:
    """A shelf of books."""

    def put(self, book: str) -> None:
        """Put a book on it."""

    @classmethod
    def make(cls, size: int) -> None:
        """Make one."""

    @staticmethod
    def measure(width: int) -> None:
        """Measure."""

    def __call__(self, book: str) -> None:
        """Look for a book."""


@pytest.mark.parametrize(
    ("function", "names"),
    [
        (Shelf.put, ["book"]),
        (Shelf().put, ["book"]),
        (Shelf.make, ["size"]),
        (Shelf.measure, ["width"]),
        (Shelf.__dict__["make"], ["size"]),
        (Shelf.__dict__["measure"], ["width"]),
        (Shelf(), ["book"]),
        (functools.partial(forecast, "Oslo"), ["days", "unit"]),
        (functools.partial(forecast, days=2), ["city", "unit"]),
    ],
)
def test_what_is_already_bound_is_left_out(function: Any, names: list[str]) -> None:
    assert list(schema_for(function)["properties"]) == names


def test_a_partial_is_named_and_described_by_its_function() -> None:
    target = target_for(functools.partial(forecast, days=2))
    assert (target.name, target.description) == ("forecast", "Tell the weather of the next days.")


def test_hidden_parameters_are_left_out_and_can_be_asked_for() -> None:
    def call(context: Context, a: int, more: Annotated[Context | None, "x"] = None) -> None:
        pass

    assert list(schema_for(call, hide=[Context])["properties"]) == ["a"]
    assert hidden_parameters(call, [Context]) == ("context", "more")
    assert target_for(call, hide=(Context,)).validate_json('{"a": 1}') == {"a": 1}


def test_a_decorated_function_keeps_its_signature() -> None:
    @functools.wraps(forecast)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return forecast(*args, **kwargs)

    assert schema_for(wrapper) == schema_for(forecast)


def test_an_asynchronous_function_is_a_function() -> None:
    async def fetch(url: str, id: UUID) -> None:
        """Fetch."""

    assert schema_for(fetch)["properties"]["id"] == {"type": "string", "format": "uuid"}


def test_unknown_arguments_of_a_function_are_refused() -> None:
    with pytest.raises(ValueError, match="Extra inputs"):
        target_for(forecast).validate_json('{"city": "Oslo", "cty": 1}')


def test_the_model_of_the_arguments_is_a_typed_dict() -> None:
    assert list(arguments_model(forecast).__annotations__) == ["city", "days", "unit"]


def test_importing_it_loads_neither_griffe_nor_jsonschema() -> None:
    code = "import sys, zkit.schema; print({'griffe', 'jsonschema'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
