"""Make tools while the program runs, register them, and keep them in the catalog."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import replace as changed
from pathlib import Path
from typing import Any, NamedTuple, Required, TypedDict, TypeVar

import anyio
from pydantic import JsonValue

from zkit.calls import Call
from zkit.dynamic.tool_catalog import DYNAMIC, Catalog, ToolVersion
from zkit.dynamic.tool_code import Field, ToolCode
from zkit.dynamic.tool_worker import Ran, WorkerLimits, has_monty, run_code, run_in_process
from zkit.errors import ToolDefinitionError, ToolNameTakenError
from zkit.grade import WRITE, Grade, GradeName
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Crashed, Result, Success, Transient, Validation
from zkit.schema import MisfitError, target_for
from zkit.sources import Toolbox
from zkit.tools import Example as ToolExample
from zkit.tools import Tool, ToolSpec, canonical_arguments, current_scope, tool

MOST_EXAMPLES = 20
T = TypeVar("T")
Example = JsonMapping


class Made(NamedTuple):
    """A tool that was made: its version in the catalog, and where it runs."""

    name: str
    version: int
    runner: str
    signature: str


class Restored(NamedTuple):
    """The tools after a restart. `withheld` ones differ from what was approved, `shadowed` ones
    have a name that is taken."""

    tools: tuple[str, ...]
    withheld: tuple[str, ...] = ()
    shadowed: tuple[str, ...] = ()


class DynamicTool:
    """A tool whose code runs outside of our process."""

    runs_async = True

    def __init__(self, code: ToolCode, grade: Grade, limits: WorkerLimits) -> None:
        self.code = code
        self._limits = limits
        self._spec = ToolSpec(
            code.name,
            f"{code.description.strip()}\n\n(Made at run time; unregister_tool removes it.)",
            code.parameters(),
            output=code.output(),
            examples=tuple(map(_shown, code.examples)),
            grade=grade,
            tags=(DYNAMIC,),
            provider=DYNAMIC,
        )

    def __repr__(self) -> str:
        return f"<tool {self._spec.signature()}>"

    def definition(self) -> ToolSpec:
        """Return the tool's spec: its name, parameters and description."""
        return self._spec

    async def execute(self, call: Call, /) -> Result:
        """Run the code with the arguments of a call."""
        arguments = canonical_arguments(self._spec, call.arguments or {})
        ran = await run_code(self.code, arguments, self._limits, current_scope().workspace)
        if ran.timed_out:
            return Transient(ran.problem, code="timeout")
        problem = ran.problem or misfit(self._spec, ran.data)
        meta = {"printed": ran.printed} if ran.printed else {}
        return Crashed(problem, meta=meta) if problem else Success(ran.data, meta=meta)


class DynamicTools:
    """The tools of a toolbox that were made at run time; `box.dynamic` is one.

    `grade` is their grade, set by the operator. `limits` bound every call. `sandbox` says whether
    code that fits runs in pydantic-monty, if that is installed. Creating a tool here needs no
    approval, because the operator does it; the tools for agents (`dynamic_tools`) need it.
    """

    def __init__(
        self,
        box: Toolbox,
        *,
        catalog: Catalog | str | Path | None = None,
        grade: Grade | GradeName | tuple[int, int] = WRITE,
        limits: WorkerLimits | None = None,
        sandbox: bool = True,
    ) -> None:
        self._box = box
        self._catalog = catalog
        self.grade = Grade.of(grade)
        self.limits = limits or WorkerLimits()
        self.sandbox = sandbox
        self._lock = threading.RLock()

    @property
    def catalog(self) -> Catalog:
        """Where the tools are kept; opened when it is first needed."""
        if not isinstance(self._catalog, Catalog):
            self._catalog = Catalog(self._catalog)
        return self._catalog

    @catalog.setter
    def catalog(self, given: Catalog | str | Path) -> None:
        self._catalog = given

    async def new_tool(
        self,
        name: str,
        description: str,
        fields: Iterable[Field | Example | str] = (),
        body: str = "",
        *,
        returns: str = "Any",
        imports: Sequence[str] = (),
        examples: Iterable[Example] = (),
        replace: bool = False,
    ) -> Made:
        """Make a tool, check it, keep it and register it.

        `fields` are its arguments: `{"name": …, "type": …, "description": …, "default": …}`.
        `examples` are `{"arguments": {…}, "result": …}`; each is run, and must give its result if it
        names one. Raises `Validation`, which says what is wrong and in which line of the body.
        """
        code = self._code(name, description, fields, body, returns, imports, examples)
        self._require_free(name, replace)
        code = await self._tried(code)
        made = DynamicTool(code, self.grade, self.limits)
        with self._lock:
            self._require_free(name, replace)
            version = self.catalog.save_tool(code.document())
            self._box.register(made, provider=DYNAMIC)
        return Made(name, version, code.runner, made.definition().signature())

    def new_tool_sync(self, *given: Any, **options: Any) -> Made:
        """The same from plain code, in any thread."""
        made: Made = _run(lambda: self.new_tool(*given, **options))
        return made

    def unregister_tool(self, name: str) -> bool:
        """Remove a tool that was made at run time; its versions stay in the catalog.

        False when there is no tool of that name. Raises `Validation` for a tool of somebody else.
        """
        with self._lock:
            owner = self._box.provider_of(name)
            if owner not in (None, DYNAMIC):
                raise Validation(f"{name} was not made at run time and cannot be removed.")
            kept = self.catalog.remove_tool(name)
            return (self._box.unregister(name) if owner == DYNAMIC else False) or kept

    def restore(self) -> Restored:
        """Register the tools of the catalog, as after a restart.

        A tool that differs from what was approved is withheld; existing tools are not replaced.
        """
        tools, withheld, shadowed = [], [], []
        with self._lock:
            for kept in self.catalog.tools():
                if not self.catalog.is_pinned(kept):
                    withheld.append(kept.name)
                    continue
                try:
                    code = ToolCode.of(kept.definition)
                    made = DynamicTool(code, self.grade, self.limits)
                    tools.append(self._box.register(made, provider=DYNAMIC).definition().name)
                except ToolNameTakenError:
                    shadowed.append(kept.name)
                except ToolDefinitionError:
                    withheld.append(kept.name)
        return Restored(tuple(tools), tuple(withheld), tuple(shadowed))

    def history(self, name: str) -> list[ToolVersion]:
        """Return all versions of a tool, the oldest first."""
        return self.catalog.history(name)

    def restore_version(self, name: str, version: int) -> int:
        """Bring an older version of a tool back, as a new one; return its number."""
        with self._lock:
            self._require_free(name, True)
            number = self.catalog.restore(name, version)
            self.restore()
        return number

    # Inside

    def _code(
        self,
        name: str,
        description: str,
        fields: Iterable[object],
        body: str,
        returns: str,
        imports: Sequence[str],
        examples: Iterable[Example],
    ) -> ToolCode:
        try:
            read = tuple(Field.of(one) for one in fields)
            shown = tuple(_example(one) for one in examples)
            code = ToolCode(name, description, body, read, returns, tuple(imports), shown)
            code.check()
            code.parameters()
            code.output()
        except ToolDefinitionError as error:
            raise Validation(f"The tool was not made: {error}.") from error
        if len(shown) > MOST_EXAMPLES:
            raise Validation(f"The tool was not made: at most {MOST_EXAMPLES} examples are run.")
        return code

    def _require_free(self, name: str, replace: bool) -> None:
        owner = self._box.provider_of(name)
        if owner == DYNAMIC and not replace:
            raise Validation(f"There is a tool {name} already; pass replace=true to replace it.")
        if owner not in (None, DYNAMIC):
            raise Validation(f"The name {name} belongs to another tool; choose another one.")

    async def _tried(self, code: ToolCode) -> ToolCode:
        """Return the code with its runner: the sandbox if every example runs there."""
        if self.sandbox and code.examples and has_monty():
            fitting = changed(code, runner="monty")
            if not await self._first_problem(fitting):
                return fitting
        described = await run_in_process(code, None, self.limits)
        problem = described.problem or _wrong_arguments(code, described)
        problem = problem or await self._first_problem(code)
        if problem:
            raise Validation(f"The tool was not made: {problem}.")
        return code

    async def _first_problem(self, code: ToolCode) -> str:
        """Return what is wrong with the first example that fails; empty when all are right."""
        try:
            spec = DynamicTool(code, self.grade, self.limits).definition()
        except ToolDefinitionError as error:
            return str(error)
        for number, example in enumerate(code.examples, 1):
            arguments = canonical_arguments(spec, example["arguments"])
            ran = await run_code(code, arguments, self.limits)
            problem = ran.problem or misfit(spec, ran.data)
            if not problem and "result" in example and ran.data != example["result"]:
                problem = f"it returned {ran.data!r:.200}, not {example['result']!r:.200}"
            if problem:
                return f"example {number}: {problem}"
        return ""


class FieldArgument(TypedDict, total=False):
    """An argument of a new tool; a field with a default need not be sent."""

    name: Required[str]
    type: str
    description: str
    default: JsonValue
    required: bool


class ExampleArgument(TypedDict, total=False):
    """A call to try a new tool with, and what it returns."""

    arguments: Required[dict[str, JsonValue]]
    result: JsonValue
    description: str


_EXAMPLE = {
    "name": "word_count",
    "description": "Count the words of a text.",
    "fields": [{"name": "text", "type": "str", "description": "The text."}],
    "body": "return len(text.split())",
    "returns": "int",
    "examples": [{"arguments": {"text": "a b"}, "result": 2}],
}


def dynamic_tools(box: Toolbox) -> list[Tool]:
    """Return `new_tool` and `unregister_tool` for agents, with the settings of `box.dynamic`.

    Creating a tool needs approval: the approver sees the call with the code.
    """
    tools: DynamicTools = box.dynamic
    return [_new_tool(tools), _unregister_tool(tools)]


def _new_tool(tools: DynamicTools) -> Tool:
    @tool(
        grade=WRITE,
        destructive=True,
        tags=[DYNAMIC],
        examples=[{"arguments": _EXAMPLE, "description": "A tool with one argument"}],
    )
    async def new_tool(
        name: str,
        description: str,
        body: str,
        fields: list[FieldArgument | str] | None = None,
        returns: str = "Any",
        imports: list[str] | None = None,
        examples: list[ExampleArgument] | None = None,
        replace: bool = False,
    ) -> JsonObject:
        """Make a new tool out of Python code; it can be called from the next turn on.

        Args:
            name: Small letters, digits and _, such as word_count.
            description: What the tool does, for whoever calls it.
            body: The body of the Python function; it returns the result.
            fields: The arguments, each {"name", "type", "description", "default"} or a text such
                as "n: int"; the type is a Python type such as int or list[str]; a field with a
                default need not be sent.
            returns: The Python type of the result.
            imports: Import statements that the body needs.
            examples: Calls to try it with, each {"arguments": {...}, "result": ...}.
            replace: Whether it may replace a tool of this name that was made before.
        """
        made = await tools.new_tool(
            name,
            description,
            fields or (),
            body,
            returns=returns,
            imports=imports or (),
            examples=examples or (),
            replace=replace,
        )
        return made._asdict()

    return new_tool


def _unregister_tool(tools: DynamicTools) -> Tool:
    @tool(grade=WRITE, tags=[DYNAMIC])
    def unregister_tool(name: str) -> str:
        """Remove a tool that was made with new_tool.

        Args:
            name: The name of the tool.
        """
        if not tools.unregister_tool(name):
            raise Validation(f"There is no tool {name!r:.80} to remove.", code="not_found")
        return f"{name} is removed."

    return unregister_tool


def misfit(spec: ToolSpec, data: object) -> str:
    """Return how data differs from the tool's output schema; empty if it does not."""
    if spec.output is None:
        return ""
    try:
        target_for(dict(spec.output)).validate_python(data)
    except MisfitError as error:
        return f"it returned {data!r:.100}, which is not what it promises ({error})"
    return ""


def _wrong_arguments(code: ToolCode, described: Ran) -> str:
    takes = described.data.get("takes") if isinstance(described.data, Mapping) else None
    wanted = {one.name for one in code.fields}
    if takes is None or set(takes) == wanted:
        return ""
    return f"the function takes {', '.join(takes) or 'nothing'}, the fields say otherwise"


def _example(given: object) -> JsonObject:
    if not isinstance(given, Mapping) or not isinstance(given.get("arguments", {}), Mapping):
        raise ToolDefinitionError(
            f'an example is {{"arguments": …, "result": …}}, not {given!r:.80}'
        )
    unknown = sorted(set(given) - {"arguments", "result", "description"})
    if unknown:
        raise ToolDefinitionError(f"an example has no {unknown[0]!r:.80}")
    return {"arguments": {}, **given}


def _shown(example: Example) -> ToolExample:
    outcome = f"{example['result']!r:.200}" if "result" in example else ""
    about = str(example.get("description", ""))
    return ToolExample(example["arguments"], description=about, outcome=outcome)


def _run(make: Callable[[], Awaitable[T]]) -> T:
    """Run an async function to its end, in a thread that has no event loop yet."""
    box: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            box.append(anyio.run(make))
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work, name="zkit dynamic")
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    return box[0]
