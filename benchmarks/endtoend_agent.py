"""Runs one framework's hello world again and again; requests and answers are lines of JSON.

Stands alone: it is run by the Python of each framework's own environment.
"""

from __future__ import annotations

import asyncio
import json
import logging
import sys
from collections.abc import Callable
from typing import Any

QUESTION = "What is the weather in Paris for the next 3 days, and what time is it?"
MODEL = "scripted"
KEY = "none"
RECEIVED: list[tuple[str, dict[str, Any]]] = []


def get_weather(city: str, days: int = 1) -> str:
    """Tell the weather in a city.

    Args:
        city: The name of the city.
        days: For how many days.
    """
    RECEIVED.append(("get_weather", {"city": city, "days": days}))
    return f"sunny in {city} for {days} days"


def now() -> str:
    """Tell the time."""
    RECEIVED.append(("now", {}))
    return "it is noon"


def zkit(url: str, stream: bool) -> str:
    """zkit's own loop."""
    from openai import OpenAI

    from zkit import ChatLoop, Grade, tool

    tools = [tool(grade=Grade(1, 0))(one) for one in (get_weather, now)]
    with OpenAI(base_url=url, api_key=KEY, max_retries=0) as client:
        loop = ChatLoop(client, MODEL, tools, backoff=0.01)
        if not stream:
            return _finished(loop.run_sync(QUESTION))
        return _finished(list(loop.stream_sync(QUESTION))[-1].result)  # type: ignore[attr-defined]


def _finished(result: Any) -> str:
    if result.error is not None:
        raise result.error
    return str(result.text)


def _client(url: str, wrapped: bool, asynchronous: bool = True) -> Any:
    from openai import AsyncOpenAI, OpenAI

    made = (AsyncOpenAI if asynchronous else OpenAI)(base_url=url, api_key=KEY)
    if not wrapped:
        return made
    from zkit import wrap

    return wrap(made)


def pydantic_ai(url: str, stream: bool, wrapped: bool = False) -> str:
    """pydantic-ai."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def ask() -> str:
        client = _client(url, wrapped)
        model = OpenAIChatModel(MODEL, provider=OpenAIProvider(openai_client=client))
        agent = Agent(model, tools=[get_weather, now])
        if not stream:
            return str((await agent.run(QUESTION)).output)
        async with agent.run_stream(QUESTION) as result:
            return str(await result.get_output())

    return asyncio.run(ask())


def openai_agents(url: str, stream: bool, wrapped: bool = False) -> str:
    """openai-agents."""
    from agents import (
        Agent,
        OpenAIChatCompletionsModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )

    set_tracing_disabled(True)

    async def ask() -> str:
        model = OpenAIChatCompletionsModel(model=MODEL, openai_client=_client(url, wrapped))
        tools: Any = [function_tool(get_weather), function_tool(now)]
        agent = Agent(name="a", model=model, tools=tools)
        if not stream:
            return str((await Runner.run(agent, QUESTION)).final_output)
        result = Runner.run_streamed(agent, QUESTION)
        async for _ in result.stream_events():
            pass
        return str(result.final_output)

    return asyncio.run(ask())


def langchain(url: str, stream: bool) -> str:
    """LangChain's create_agent."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    model = ChatOpenAI(model=MODEL, base_url=url, api_key=KEY, streaming=stream)
    agent = create_agent(model, tools=[get_weather, now])
    state = agent.invoke({"messages": [{"role": "user", "content": QUESTION}]})
    return str(state["messages"][-1].content)


def smolagents(url: str, stream: bool) -> str:
    """smolagents' ToolCallingAgent."""
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    model = OpenAIModel(model_id=MODEL, api_base=url, api_key=KEY)
    agent = ToolCallingAgent(
        tools=[tool(get_weather), tool(now)],
        model=model,
        verbosity_level=0,
        stream_outputs=stream,
    )
    return str(agent.run(QUESTION))


def strands(url: str, stream: bool) -> str:
    """strands; it always streams."""
    from strands import Agent, tool
    from strands.models.openai import OpenAIModel

    model = OpenAIModel(client_args={"base_url": url, "api_key": KEY}, model_id=MODEL)
    agent = Agent(model=model, tools=[tool(get_weather), tool(now)], callback_handler=None)
    return str(agent(QUESTION))


def agno(url: str, stream: bool) -> str:
    """Agno."""
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    model = OpenAIChat(id=MODEL, base_url=url, api_key=KEY)
    agent = Agent(model=model, tools=[get_weather, now], telemetry=False)
    if not stream:
        return str(agent.run(QUESTION).content)
    parts = [getattr(event, "content", None) for event in agent.run(QUESTION, stream=True)]
    return "".join(part for part in parts if isinstance(part, str))


def openai_client(url: str, stream: bool) -> str:
    """A loop of a dozen lines on the client of OpenAI, which believes everything it is sent."""
    from openai import OpenAI

    tools: Any = [_declared(get_weather, city="string", days="integer"), _declared(now)]
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    known: dict[str, Callable[..., str]] = {"get_weather": get_weather, "now": now}
    with OpenAI(base_url=url, api_key=KEY) as client:
        for _ in range(8):
            asked: Any = {"model": MODEL, "messages": messages, "tools": tools}
            if stream:
                with client.chat.completions.stream(**asked) as events:
                    reply = events.get_final_completion().choices[0].message
            else:
                reply = client.chat.completions.create(**asked).choices[0].message
            if not reply.tool_calls:
                return str(reply.content)
            messages.append(reply.model_dump(exclude_none=True, exclude={"parsed"}))
            for one in reply.tool_calls:
                result = known[one.function.name](**json.loads(one.function.arguments))
                messages.append({"role": "tool", "tool_call_id": one.id, "content": result})
    return ""


def _declared(function: Callable[..., str], **types: str) -> dict[str, Any]:
    properties = {name: {"type": kind} for name, kind in types.items()}
    schema = {"type": "object", "properties": properties, "required": list(types)[:1]}
    return {"type": "function", "function": {"name": function.__name__, "parameters": schema}}


AGENTS: dict[str, Callable[[str, bool], str]] = {
    "zkit": zkit,
    "pydantic-ai": pydantic_ai,
    "openai-agents": openai_agents,
    "langchain": langchain,
    "strands": strands,
    "agno": agno,
    "smolagents": smolagents,
    "openai": openai_client,
    "pydantic-ai + wrap": lambda url, stream: pydantic_ai(url, stream, True),
    "openai-agents + wrap": lambda url, stream: openai_agents(url, stream, True),
}


def main(name: str) -> None:
    """Answer each line of standard input: `{"url": ..., "stream": ...}`."""
    logging.disable(logging.CRITICAL)
    out, sys.stdout = sys.stdout, sys.stderr  # what a framework prints is no answer
    for line in sys.stdin:
        asked = json.loads(line)
        RECEIVED.clear()
        try:
            told = {"answer": AGENTS[name](asked["url"], asked["stream"])}
        except Exception as error:
            told = {"error": type(error).__name__, "says": str(error)[:300]}
        print(json.dumps({**told, "received": RECEIVED}), file=out, flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
