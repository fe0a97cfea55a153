"""Whatever a user takes for a function works as a tool, or is refused when it is declared."""

from __future__ import annotations

import asyncio
import enum
import functools
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Annotated, Any, TypedDict

import anyio
import pytest
from pydantic import BaseModel, Field
from tool_samples import data_of, execute
from typing_extensions import Unpack

from zkit.calls import Call
from zkit.errors import ToolDefinitionError
from zkit.results import Crashed, Transient, Validation
from zkit.tools import Context, ToolSpec, TypedTool, as_tool, render_result, tool, tools_in


class Point(BaseModel):
    """A place."""

    x: int
    y: int = 0


class Color(enum.Enum):
    """A colour."""

    RED = "red"


class Keys(TypedDict):
    """Keys of a mapping."""

    a: int


class Opaque:
    """Something that JSON does not know."""


def shouting(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return f"{function(*args, **kwargs)}!"

    return wrapper


def hiding(function: Callable[..., Any]) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    return wrapper


def bare(a, b=2):  # type: ignore[no-untyped-def]
    return [a, b]


def open_ended(**others: int) -> dict[str, int]:
    return others


def typed(point: Point, color: Color, pair: tuple[int, str]) -> str:
    return f"{point.x} {color.name} {pair}"


def named(n: int) -> str:
    return f"n{n}"


def optional_context(n: int, where: Context | None = None) -> str:
    return where.call_id if where is not None else "nowhere"


def annotated_context(n: int, where: Annotated[Context, "ours"]) -> str:
    return where.call_id


def counting(n: int) -> Iterator[int]:
    yield from range(n)


async def counting_async(n: int) -> AsyncIterator[int]:
    for number in range(n):
        yield number


def promising(n: int) -> Awaitable[int]:
    async def later() -> int:
        await anyio.sleep(0)
        return n

    return later()


class Greeter:
    """Greets: called like a function."""

    def __call__(self, n: int) -> int:
        return n + 1

    def method(self, n: int) -> int:
        return n + 2

    @classmethod
    def of_class(cls, n: int) -> str:
        return f"{cls.__name__}{n}"

    @staticmethod
    def static(n: int) -> int:
        return n + 3


WORKS: list[tuple[Any, dict[str, Any], Any]] = [
    (bare, {"a": 1}, [1, 2]),
    (open_ended, {"x": "3"}, {"x": 3}),
    (typed, {"point": {"x": "1"}, "color": "red", "pair": [1, "a"]}, "1 RED (1, 'a')"),
    (optional_context, {"n": 1}, "the id"),
    (annotated_context, {"n": 1}, "the id"),
    (counting, {"n": 3}, [0, 1, 2]),
    (counting_async, {"n": 3}, [0, 1, 2]),
    (promising, {"n": 3}, 3),
    (functools.partial(bare, 7), {"b": 1}, [7, 1]),
    (functools.partial(bare, b=7), {"a": 1}, [1, 7]),
    (functools.lru_cache(named), {"n": "1"}, "n1"),
    (shouting(shouting(named)), {"n": "1"}, "n1!!"),
    (shouting(tool(named)), {"n": "1"}, "n1!"),
    (tool(name="plus")(lambda n: n + 1), {"n": 1}, 2),
    (Greeter(), {"n": "1"}, 2),
    (Greeter().method, {"n": "1"}, 3),
    (Greeter.of_class, {"n": "1"}, "Greeter1"),
    (Greeter.static, {"n": "1"}, 4),
]


def case_name(parameter: object) -> str:
    """A name for the report that is the same in every process: without addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(parameter))[:40]


@pytest.mark.parametrize(("function", "arguments", "data"), WORKS, ids=case_name)
def test_what_is_called_like_a_function_is_a_tool(
    function: Any, arguments: dict[str, Any], data: Any
) -> None:
    made = as_tool(function)
    assert data_of(execute(made, arguments, id="the id")) == data
    assert ToolSpec.from_dict(made.definition().to_dict()) == made.definition()


def by_position(a: int, /) -> int:
    return a


def context_by_position(where: Context, /, a: int) -> int:
    return a


def any_number(*parts: int) -> int:
    return len(parts)


def unpacked(**keys: Unpack[Keys]) -> int:
    return len(keys)


def opaque(x: Opaque) -> int:
    return 1


def called_back(x: Callable[[int], int]) -> int:
    return x(1)


def unknown(x: Nowhere) -> int:  # type: ignore[name-defined]  # noqa: F821
    return 1


def no_method(self, a: int) -> int:  # type: ignore[no-untyped-def]
    return a


class NoRun(TypedTool):
    """A class to inherit from."""

    class Args(BaseModel):
        pass


class NeedsMore(TypedTool):
    """A class that takes something when an object is made."""

    class Args(BaseModel):
        pass

    def __init__(self, root: str) -> None:
        self.root = root

    def run(self, args: Args) -> str:
        return self.root


REFUSED: list[tuple[Any, str]] = [
    (by_position, "move it behind the '/'"),
    (context_by_position, "move it behind the '/'"),
    (any_number, r"make it one parameter: parts: list\[...\]"),
    (hiding(named), "functools.wraps shows them"),
    (unpacked, "make them parameters"),
    (opaque, "JSON cannot express .*Opaque.*; use plain types"),
    (called_back, "called_back.x: .*; use plain types"),
    (unknown, "'Nowhere', which is not defined"),
    (no_method, "give the parameter another name"),
    (lambda n: n, r"give it one with @tool\(name=...\)"),
    (Greeter.method, "use the one of an object"),
    (str.upper, "use the one of an object"),
    (max, "no readable signature"),
    (Opaque, "use a function, or make one with @tool"),
    (functools, "use a function, or make one with @tool"),
    (NoRun, "needs a method run"),
    (NeedsMore, "give an object of it"),
]


@pytest.mark.parametrize(("function", "advice"), REFUSED, ids=case_name)
def test_what_could_never_be_called_is_refused_with_what_to_do(function: Any, advice: str) -> None:
    with pytest.raises(ToolDefinitionError, match=advice):
        as_tool(function)


@pytest.mark.parametrize(
    "run",
    [
        lambda self: 1,
        lambda self, args, more: 1,
        staticmethod(lambda: 1),
    ],
)
def test_a_run_that_cannot_take_the_arguments_is_refused_with_the_class(run: Any) -> None:
    with pytest.raises(ToolDefinitionError, match=r"write def run\(self, args: Args\)"):
        type("Odd", (TypedTool,), {"Args": Point, "run": run})


def test_a_class_may_run_without_an_object_of_its_own() -> None:
    odd = type("Odd", (TypedTool,), {"Args": Point, "run": staticmethod(lambda args: args.x)})
    assert data_of(execute(as_tool(odd), {"x": 3})) == 3


def test_looking_for_tools_reads_no_property() -> None:
    class Holder:
        @tool
        def one(self) -> int:
            return 1

        @staticmethod
        @tool
        def two() -> int:
            return 2

        @property
        def trap(self) -> Any:
            raise AssertionError("was read")

    assert [found.definition().name for found in tools_in(Holder())] == ["one", "two"]


# What such functions do when they run


def leaving() -> None:
    sys.exit("goodbye")


async def leaving_async() -> None:
    sys.exit("goodbye")


@pytest.mark.parametrize("function", [leaving, leaving_async])
def test_a_tool_that_ends_the_program_only_ends_its_call(
    function: Any, caplog: pytest.LogCaptureFixture
) -> None:
    made = as_tool(function)
    direct = made.execute(Call(made.definition().name))
    for result in (execute(made), asyncio.run(direct) if asyncio.iscoroutine(direct) else direct):
        assert isinstance(result, Crashed)
        assert result.cause == "SystemExit: goodbye"


async def refusing_in_a_group() -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(_refuse())


async def _refuse() -> None:
    raise Validation("send a smaller number")


def test_a_failure_inside_a_task_group_is_that_failure() -> None:
    result = execute(as_tool(refusing_in_a_group))
    assert isinstance(result, Validation)
    assert result.message == "send a smaller number"


def timing_out() -> None:
    raise ExceptionGroup("two levels", [ExceptionGroup("one", [TimeoutError("slow")])])


def failing_twice() -> None:
    raise ExceptionGroup("both", [ValueError("a"), KeyError("b")])


def test_a_group_of_one_counts_as_the_one_and_several_are_all_named(
    caplog: pytest.LogCaptureFixture,
) -> None:
    slow = execute(as_tool(timing_out))
    assert isinstance(slow, Transient)
    assert slow.code == "timeout"
    both = execute(as_tool(failing_twice))
    assert isinstance(both, Crashed)
    assert both.cause == "2 failures: ValueError: a; KeyError: 'b'"


def test_the_signature_tells_what_else_may_be_sent() -> None:
    assert as_tool(open_ended).definition().signature().startswith("open_ended(**others: int)")
    undeclared = ToolSpec("f", parameters={"properties": {}, "required": ["q"]})
    assert undeclared.signature() == "f(q: Any)"


@tool
def bounded(n: Annotated[int, Field(ge=1)]) -> int:
    return n


def test_a_wrong_value_is_told_before_the_function_runs() -> None:
    result = execute(bounded, {"n": 0})
    assert isinstance(result, Validation)
    assert "at least 1" in render_result(result)
