"""Returns, for each installed library, an async function that calls one tool with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any

Invoke = Callable[[], Awaitable[Any]]
ARGUMENTS = '{"a": 1, "b": 2}'


async def add(a: int, b: int) -> int:
    """Add two numbers."""
    return a + b


async def pydantic_ai() -> Invoke:
    """The tool manager that runs every call of an agent."""
    from pydantic_ai import RunContext
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.models.test import TestModel
    from pydantic_ai.tool_manager import ToolManager
    from pydantic_ai.toolsets import FunctionToolset
    from pydantic_ai.usage import RunUsage

    context: Any = RunContext(deps=None, model=TestModel(), usage=RunUsage())
    tools: Any = FunctionToolset([add])
    manager: Any = await ToolManager(tools).for_run_step(context)
    part = ToolCallPart("add", ARGUMENTS, tool_call_id="c1")
    return lambda: manager.handle_call(part)


async def langchain() -> Invoke:
    """A structured tool, invoked with a tool call; its arguments are parsed before."""
    from langchain_core.tools import StructuredTool

    made = StructuredTool.from_function(coroutine=add, name="add", description="Add two numbers.")
    call = {"name": "add", "args": {"a": 1, "b": 2}, "id": "c1", "type": "tool_call"}
    return lambda: made.ainvoke(call)


async def openai_agents() -> Invoke:
    """What a function tool does with the arguments of a call."""
    from agents import function_tool  # type: ignore[import-not-found, unused-ignore]
    from agents.tool_context import ToolContext  # type: ignore[import-not-found, unused-ignore]

    made = function_tool(add)
    context: Any = ToolContext(
        context=None, tool_name="add", tool_call_id="c1", tool_arguments=ARGUMENTS
    )
    return lambda: made.on_invoke_tool(context, ARGUMENTS)


RIVALS: dict[str, tuple[str, str, Callable[[], Awaitable[Invoke]]]] = {
    "pydantic-ai": ("pydantic_ai", "pydantic-ai-slim", pydantic_ai),
    "LangChain": ("langchain_core", "langchain-core", langchain),
    "openai-agents": ("agents", "openai-agents", openai_agents),
}


async def installed_rivals() -> dict[str, Invoke]:
    """Every rival that is installed, ready to be called."""
    return {name: await make() for name, (module, _, make) in RIVALS.items() if find_spec(module)}
