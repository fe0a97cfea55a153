"""A tool is declared once: as a function, a method, a class, or by the protocol."""

from __future__ import annotations

import functools
import inspect
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field, SecretStr
from tool_samples import PlainSpecTool, data_of, execute, undeclared

from zkit.calls import Call
from zkit.effects import FileEffect
from zkit.errors import ToolDefinitionError
from zkit.grade import READ, WRITE, Grade
from zkit.results import Crashed, Refused, Result, Success, Transient, Validation
from zkit.schema import offered
from zkit.tools import Context, FunctionTool, Tool, ToolSpec, TypedTool, as_tool, tool, tools_in


@dataclass
class Entry:
    """A file."""

    name: str
    size: int


class Report(BaseModel):
    """A report that writes itself."""

    title: str
    lines: list[str] = []

    def __str__(self) -> str:
        return f"# {self.title}"


@tool
def add(a: int, b: int = 2) -> int:
    """Add two numbers.

    They may be negative.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


def test_a_decorated_function_is_a_tool_and_still_the_function() -> None:
    assert add(1) == 3
    assert add(b=1, a=1) == 2
    assert isinstance(add, Tool)
    assert add.__name__ == "add"
    assert list(inspect.signature(add).parameters) == ["a", "b"]


def test_name_description_and_parameters_come_from_the_function() -> None:
    spec = add.definition()
    assert spec.name == "add"
    assert spec.description == "Add two numbers.\n\nThey may be negative."
    assert spec.summary == "Add two numbers."
    assert spec.parameters["required"] == ["a"]
    assert spec.parameters["properties"]["a"]["description"] == "The first number."
    assert spec.parameters["properties"]["b"]["default"] == 2
    assert spec.output == {"type": "integer"}


def test_the_decorator_takes_every_field_of_a_spec() -> None:
    @tool(name="math.add", summary="Adds.", grade=READ, tags=["math"], timeout=3, idempotent=True)
    def plus(a: int) -> int:
        return a

    spec = plus.definition()
    assert (spec.name, spec.summary, spec.grade) == ("math.add", "Adds.", READ)
    assert (spec.tags, spec.timeout, spec.idempotent) == (("math",), 3, True)


def test_the_decorator_works_with_empty_parentheses() -> None:
    @tool()
    def same(a: int) -> int:
        return a

    assert same(4) == 4
    assert data_of(execute(same, {"a": 5})) == 5


def test_an_option_that_does_not_exist_is_named() -> None:
    with pytest.raises(ToolDefinitionError, match="colour"):
        tool(colour="red")(lambda: None)  # type: ignore[call-overload]


@pytest.mark.parametrize("wrong", [3, "read_file", None, Entry])
def test_what_is_no_function_is_no_tool(wrong: Any) -> None:
    with pytest.raises(ToolDefinitionError):
        as_tool(wrong)


def test_a_tool_is_not_decorated_twice() -> None:
    with pytest.raises(ToolDefinitionError, match="already"):
        tool(add)


def test_undeclared_is_the_worst() -> None:
    spec = as_tool(undeclared).definition()
    assert (spec.grade, spec.effective_grade) == (None, Grade(3, 3))
    assert spec.idempotent is None


class Box:
    """Tools as methods."""

    def __init__(self, start: int) -> None:
        self.start = start

    @tool(grade=READ)
    def plus(self, n: int) -> int:
        """Add to the start."""
        return self.start + n

    @tool
    async def later(self, n: int) -> int:
        """Add later."""
        return self.start + n

    @staticmethod
    @tool
    def inner_static(n: int) -> int:
        return n

    @tool
    @staticmethod
    def outer_static(n: int) -> int:
        return n

    @classmethod
    @tool
    def inner_class(cls, n: int) -> str:
        return f"{cls.__name__}{n}"

    @tool
    @classmethod
    def outer_class(cls, n: int) -> str:
        return f"{cls.__name__}{n}"


def test_a_method_is_bound_to_its_object() -> None:
    one, two = Box(10), Box(20)
    assert one.plus(1) == 11
    assert data_of(execute(one.plus, {"n": 1})) == 11
    assert data_of(execute(two.plus, {"n": 1})) == 21
    assert list(one.plus.definition().parameters["properties"]) == ["n"]
    assert data_of(execute(two.later, {"n": 2})) == 22


@pytest.mark.parametrize("name", ["inner_static", "outer_static"])
def test_a_static_method_is_a_tool(name: str) -> None:
    for found in (getattr(Box, name), getattr(Box(1), name)):
        assert found(7) == 7
        assert data_of(execute(as_tool(found), {"n": 7})) == 7


@pytest.mark.parametrize("name", ["inner_class", "outer_class"])
def test_a_class_method_is_a_tool(name: str) -> None:
    for found in (getattr(Box, name), getattr(Box(1), name)):
        assert found(7) == "Box7"
        assert data_of(execute(as_tool(found), {"n": 7})) == "Box7"


def test_a_method_without_its_object_is_refused_as_a_tool() -> None:
    assert Box.plus(Box(1), 2) == 3
    with pytest.raises(ToolDefinitionError, match="instance"):
        as_tool(Box.plus)


def test_all_tools_of_an_object_are_found_sorted() -> None:
    names = [found.definition().name for found in tools_in(Box(1))]
    assert names == ["inner_class", "inner_static", "later", "outer_class", "outer_static", "plus"]


def test_bare_functions_methods_and_partials_are_tools() -> None:
    def shout(text: str, mark: str = "!") -> str:
        """Shout."""
        return text.upper() + mark

    class Speaker:
        def __call__(self, text: str) -> str:
            """Speak."""
            return text

        def say(self, text: str) -> str:
            return text

    assert data_of(execute(as_tool(shout), {"text": "a"})) == "A!"
    assert data_of(execute(as_tool(Speaker().say), {"text": "a"})) == "a"
    assert data_of(execute(as_tool(functools.partial(shout, mark="?")), {"text": "a"})) == "A?"
    speaker = as_tool(Speaker())
    assert data_of(execute(speaker, {"text": "a"})) == "a"


def test_a_context_is_filled_in_and_hidden() -> None:
    @tool
    def who(context: Context, name: str, other: Context | None = None) -> str:
        """Who."""
        assert other is context
        return f"{name} {context.call_id}"

    assert list(who.definition().parameters["properties"]) == ["name"]
    assert data_of(execute(who, {"name": "x"}, id="c7")) == "x c7"
    sent = execute(who, {"name": "x", "context": {"call": 1}}, id="c7")
    assert isinstance(sent, Validation)


def test_async_functions_and_generators_are_tools() -> None:
    @tool
    async def wait(n: int) -> int:
        return n

    @tool
    def count(n: int) -> Iterator[int]:
        yield from range(n)

    @tool
    async def count_later(n: int) -> AsyncIterator[int]:
        for i in range(n):
            yield i

    assert data_of(execute(wait, {"n": 3})) == 3
    assert data_of(execute(count, {"n": 3})) == [0, 1, 2]
    assert data_of(execute(count_later, {"n": 3})) == [0, 1, 2]


def test_arguments_are_typed_when_the_function_gets_them() -> None:
    class Point(BaseModel):
        x: int
        y: int

    def plot(point: Point, colour: Literal["red", "blue"], key: SecretStr) -> str:
        assert isinstance(point, Point)
        return f"{point.x} {colour} {key.get_secret_value()}"

    plot.__annotations__ = {
        "point": Point,
        "colour": Literal["red", "blue"],
        "key": SecretStr,
        "return": str,
    }
    arguments = {"point": {"x": 1, "y": 2}, "colour": "red", "key": "s"}
    assert data_of(execute(as_tool(plot), arguments)) == "1 red s"
    assert isinstance(execute(as_tool(plot), {**arguments, "colour": "green"}), Validation)


def test_a_class_with_args_is_a_tool() -> None:
    class ReadFile(TypedTool):
        """Read a file.

        All of it.
        """

        grade = READ
        tags = ("files",)

        class Args(BaseModel):
            path: str
            lines: Annotated[int, Field(ge=1)] = 10

        def __init__(self, root: str = "/") -> None:
            self.root = root

        def run(self, args: Args, context: Context) -> str:
            context.record(FileEffect(path=args.path, op="read"))
            return f"{self.root}{args.path}:{args.lines}"

    made = ReadFile("~/")
    spec = made.definition()
    assert (spec.name, spec.summary, spec.grade) == ("read_file", "Read a file.", READ)
    assert spec.parameters["required"] == ["path"]
    result = execute(made, {"path": "a"})
    assert data_of(result) == "~/a:10"
    assert result.effects == (FileEffect(path="a", op="read"),)  # type: ignore[attr-defined]
    assert isinstance(execute(made, {"path": "a", "lines": 0}), Validation)
    assert as_tool(ReadFile).definition() == spec


def test_a_class_with_an_async_run_is_a_tool() -> None:
    class WaitFor(TypedTool):
        """Wait."""

        name = "wait.for"

        class Args(BaseModel):
            n: int

        async def run(self, args: Args) -> int:
            return args.n

    assert WaitFor().definition().name == "wait.for"
    assert data_of(execute(WaitFor(), {"n": 4})) == 4


def test_a_class_without_args_is_refused_when_it_is_defined() -> None:
    with pytest.raises(ToolDefinitionError, match="Args"):

        class Wrong(TypedTool):
            def run(self) -> None: ...


def test_the_protocol_is_enough() -> None:
    made = PlainSpecTool("echo")
    assert isinstance(made, Tool)
    assert as_tool(made) is made
    assert data_of(execute(made, {"text": "hi"})) == {"text": "hi"}


def test_a_plain_execute_may_return_anything() -> None:
    class Answer:
        def definition(self) -> ToolSpec:
            return ToolSpec("answer", "Answers.")

        def execute(self, call: Call, /) -> Any:
            return 42

    assert data_of(execute(Answer())) == 42


FAILURES: list[Result] = [
    Success([1]),
    Validation("path: no"),
    Transient("later", 2.0, code="rate_limited"),
    Refused("no"),
    Crashed("broken"),
]


@pytest.mark.parametrize("result", FAILURES, ids=lambda result: result.kind)
def test_a_result_may_be_returned(result: Result) -> None:
    assert execute(tool(name="x")(lambda: result)) == result


@pytest.mark.parametrize("result", FAILURES[1:], ids=lambda result: result.kind)
def test_a_failure_may_be_raised(result: Any) -> None:
    def raises() -> None:
        raise result

    async def raises_later() -> None:
        raise result

    assert execute(as_tool(raises)) == result
    assert execute(as_tool(raises_later)) == result


def test_any_other_exception_is_a_crash_that_names_its_place(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def raises() -> None:
        raise ZeroDivisionError("by zero")

    result = execute(as_tool(raises))
    assert isinstance(result, Crashed)
    assert result.cause == "ZeroDivisionError: by zero"
    assert result.meta["at"].partition(":")[0].endswith("test_tools_declaring.py")
    assert isinstance(result.__cause__, ZeroDivisionError)
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    ("error", "code"), [(TimeoutError(), "timeout"), (ConnectionResetError(), "unavailable")]
)
def test_a_time_out_or_a_lost_connection_is_transient(error: Exception, code: str) -> None:
    def raises() -> None:
        raise error

    result = execute(as_tool(raises))
    assert isinstance(result, Transient)
    assert result.code == code


def list_entries(path: str) -> list[Entry]:
    """List."""
    return [Entry("a", 1), Entry("b", 20)]


def report() -> Report:
    """Report."""
    return Report(title="All well", lines=["x"])


def test_a_tool_that_returns_records_takes_output() -> None:
    made = tool(list_entries)
    assert made.definition().parameters["properties"]["output"]["enum"] == ["labeled", "json"]
    assert made.definition().parameters["required"] == ["path"]
    for output in ("labeled", "json"):
        result = execute(made, {"path": ".", "output": output})
        assert data_of(result) == [{"name": "a", "size": 1}, {"name": "b", "size": 20}]
        assert result.meta["output"] == output  # type: ignore[attr-defined]
    assert execute(made, {"path": "."}).meta["output"] == "labeled"  # type: ignore[attr-defined]
    assert isinstance(execute(made, {"path": ".", "output": "xml"}), Validation)


def test_plain_returns_get_no_output_unless_asked_for() -> None:
    def plain() -> dict[str, int]:
        return {"a": 1}

    assert "output" not in tool(plain).definition().parameters["properties"]
    assert "output" in tool(formats=True)(plain).definition().parameters["properties"]
    off = tool(formats=False)(list_entries)
    assert "output" not in off.definition().parameters["properties"]


def test_an_output_parameter_of_the_function_stays_its_own() -> None:
    def save(output: str) -> Report:
        return Report(title=output)

    save.__annotations__ = {"output": str, "return": Report}
    made = tool(save)
    assert made.definition().parameters["properties"]["output"] == {"type": "string"}
    assert data_of(execute(made, {"output": "x.txt"}))["title"] == "x.txt"
    with pytest.raises(ToolDefinitionError, match="output"):
        tool(formats=True)(save)


def test_a_class_that_returns_records_takes_output_too() -> None:
    class Reports(TypedTool):
        """Report."""

        class Args(BaseModel):
            title: str

        def run(self, args: Args) -> Report:
            return Report(title=args.title)

    assert "output" in Reports().definition().parameters["properties"]
    result = execute(Reports(), {"title": "t", "output": "json"})
    assert result.meta["output"] == "json"  # type: ignore[attr-defined]


def test_an_object_that_writes_itself_is_read_as_it_writes_itself() -> None:
    result = execute(tool(report))
    assert result.meta["text"] == "# All well"  # type: ignore[attr-defined]
    assert data_of(result) == {"title": "All well", "lines": ["x"]}
    assert "text" not in execute(tool(report), {"output": "json"}).meta  # type: ignore[attr-defined]


def test_a_tool_that_breaks_its_promised_output_is_at_fault() -> None:
    @tool(output={"type": "object", "required": ["n"]}, grade=WRITE)
    def wrong(context: Context) -> Any:
        context.record(FileEffect(path="a", op="create"))
        return {"m": 1}

    result = execute(wrong)
    assert isinstance(result, Crashed)
    assert "n: missing" in result.cause
    assert result.effects == (FileEffect(path="a", op="create"),)


def test_the_data_of_a_result_can_be_had_as_the_type_that_the_tool_returned() -> None:
    @tool
    def list_entries() -> list[Entry]:
        return [Entry("a", 1), Entry("b", 2)]

    result = execute(list_entries)
    assert isinstance(result, Success)
    assert result.data == [{"name": "a", "size": 1}, {"name": "b", "size": 2}]
    assert result.data_as(list[Entry]) == [Entry("a", 1), Entry("b", 2)]
    assert Success({"title": "t"}).data_as(Report) == Report(title="t")
    with pytest.raises(ValueError, match="size"):
        Success({"name": "a"}).data_as(Entry)


def test_tools_can_be_offered_to_the_extractor() -> None:
    assert list(offered([add, as_tool(report)])) == ["add", "report"]


def test_a_tool_shows_its_signature() -> None:
    assert repr(add) == "<tool add(a: int, b: int = 2) -> int>"
    assert isinstance(add, FunctionTool)
