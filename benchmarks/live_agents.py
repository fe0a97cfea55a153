"""Five plain functions, and one way to ask a question with them for every framework, bare and with zkit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

KEY = "none"
RAN: list[tuple[str, dict[str, Any]]] = []
"""The functions that ran for the current question, with their arguments."""


TRANSLATIONS = {
    "good morning": "bonjour",
    "where is the station": "wo ist der Bahnhof?",
    "thank you": "ありがとう",
    "one coffee, please": "un café, por favor",
}
"""What `translate` knows."""


def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    RAN.append(("get_weather", {"city": city}))
    return f"{city}: sunny, 21 degrees"


def add(a: float, b: float) -> str:
    """Add two numbers."""
    RAN.append(("add", {"a": a, "b": b}))
    return f"the sum is {a + b:g}"


def set_timer(minutes: int) -> str:
    """Start a timer."""
    RAN.append(("set_timer", {"minutes": minutes}))
    return f"timer set for {minutes} minutes"


def find_contact(name: str) -> str:
    """Look up the phone number of a person."""
    RAN.append(("find_contact", {"name": name}))
    return f"the number of {name} is 555-0142"


def translate(text: str, language: str) -> str:
    """Translate a text into a language."""
    RAN.append(("translate", {"text": text, "language": language}))
    return TRANSLATIONS.get(text.casefold().rstrip(".?!"), "no translation known")


FUNCTIONS: list[Callable[..., str]] = [get_weather, add, set_timer, find_contact, translate]


def zkit(question: str, url: str, model: str) -> str:
    """The five-line form."""
    from zkit import run

    return run(question, tools=FUNCTIONS, model=model, base_url=url, api_key=KEY).text


def pydantic_ai(question: str, url: str, model: str, helped: bool = False) -> str:
    """pydantic-ai; with zkit, its client has the transport."""
    from openai import AsyncOpenAI
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def ask() -> str:
        client = AsyncOpenAI(base_url=url, api_key=KEY, **_transport(helped, asynchronous=True))
        made = OpenAIChatModel(model, provider=OpenAIProvider(openai_client=client))
        return str((await Agent(made, tools=FUNCTIONS).run(question)).output)

    return asyncio.run(ask())


def openai_agents(question: str, url: str, model: str, helped: bool = False) -> str:
    """openai-agents; with zkit, its client has the transport."""
    from agents import (
        Agent,
        OpenAIChatCompletionsModel,
        Runner,
        function_tool,
        set_tracing_disabled,
    )
    from openai import AsyncOpenAI

    set_tracing_disabled(True)

    async def ask() -> str:
        client = AsyncOpenAI(base_url=url, api_key=KEY, **_transport(helped, asynchronous=True))
        made = OpenAIChatCompletionsModel(model=model, openai_client=client)
        agent = Agent(name="a", model=made, tools=[function_tool(one) for one in FUNCTIONS])
        return str((await Runner.run(agent, question)).final_output)

    return asyncio.run(ask())


def langchain(question: str, url: str, model: str, helped: bool = False) -> str:
    """LangChain's create_agent; with zkit, its client has the transport."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    made = ChatOpenAI(model=model, base_url=url, api_key=KEY, **_transport(helped))  # type: ignore[arg-type, unused-ignore]
    state = create_agent(made, tools=FUNCTIONS).invoke({"messages": [("user", question)]})
    return str(state["messages"][-1].content)


def smolagents(question: str, url: str, model: str, helped: bool = False) -> str:
    """smolagents' ToolCallingAgent; with zkit, its client has the transport."""
    from smolagents import OpenAIModel, ToolCallingAgent, tool

    made = OpenAIModel(model_id=model, api_base=url, api_key=KEY, client_kwargs=_transport(helped))
    tools = [tool(_with_arguments(one)) for one in FUNCTIONS]
    agent = ToolCallingAgent(tools=tools, model=made, verbosity_level=0, max_steps=4)
    return str(agent.run(question))


def _with_arguments(function: Callable[..., str]) -> Callable[..., str]:
    """smolagents refuses a function whose docstring does not describe every argument."""
    names = [name for name in function.__annotations__ if name != "return"]
    if "Args:" not in (function.__doc__ or ""):
        lines = "".join(f"\n        {name}: The {name}." for name in names)
        function.__doc__ = f"{function.__doc__}\n\n    Args:{lines}\n    "
    return function


def agno(question: str, url: str, model: str, helped: bool = False) -> str:
    """Agno; with zkit, its client has the transport."""
    from agno.agent import Agent
    from agno.models.openai import OpenAIChat

    made = OpenAIChat(id=model, base_url=url, api_key=KEY, **_transport(helped))
    return str(Agent(model=made, tools=list(FUNCTIONS), telemetry=False).run(question).content)


def _transport(helped: bool, asynchronous: bool = False) -> dict[str, Any]:
    """The one line that gives a framework zkit."""
    if not helped:
        return {}
    import zkit.transport

    make = zkit.transport.async_client if asynchronous else zkit.transport.client
    return {"http_client": make(ask_again=1)}


Ask = Callable[[str, str, str], str]
_HELPED = {
    "pydantic-ai": ("pydantic_ai", pydantic_ai),
    "openai-agents": ("agents", openai_agents),
    "LangChain": ("langchain_openai", langchain),
    "smolagents": ("smolagents", smolagents),
    "Agno": ("agno", agno),
}
AGENTS: dict[str, tuple[str, Ask]] = {"zkit": ("zkit", zkit)}
"""Each framework with the module that must be installed for it, bare and with zkit."""
for _name, (_module, _ask) in _HELPED.items():
    AGENTS[_name] = (_module, _ask)
    AGENTS[f"{_name} + zkit"] = (_module, partial(_ask, helped=True))
