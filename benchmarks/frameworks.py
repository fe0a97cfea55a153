"""Six damaged first turns, each framework bare and with zkit's one line, whole and streamed.

    python -m benchmarks.frameworks [--json] [NAME ...]

Counts right answers, requests, and calls that ran with arguments the model did not mean. Frameworks that
are not installed are left out (dependency group `frameworks`).
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
import warnings
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from zkit import transport, wrap
from zkit.testing import Answer, Request, ScriptedServer, call, completion, says, stream

RESULTS = Path(__file__).parent / "results" / "frameworks.json"
QUESTION = "What is the weather in Paris?"
NAME = "get_weather"
PARIS = '{"city": "Paris"}'
BOTH = [("a", "Paris"), ("b", "Rome")]


def _one_index(name: str) -> Callable[[Request], Answer]:
    """Two calls under one index; in a whole reply, their arguments run together in the first."""
    texts = [json.dumps({"city": city}) for _, city in BOTH]

    def answer(request: Request) -> Answer:
        if request.get("stream"):
            deltas = [
                {"tool_calls": [{"index": 0, **call(name, text, id)}]}
                for (id, _), text in zip(BOTH, texts, strict=True)
            ]
            return stream(deltas, finish="tool_calls")
        entries = [call(name, "".join(texts), "a"), call(name, "", "b")]
        message = {"role": "assistant", "content": None, "tool_calls": entries}
        return completion({"message": message, "finish_reason": "tool_calls"})

    return answer


def turns(name: str) -> dict[str, Callable[[Request], Answer]]:
    """The damaged first turns of a model that calls this tool."""
    in_text = f'<tool_call>\n{{"name": "{name}", "arguments": {PARIS}}}\n</tool_call>'
    cut = [call(name, '{"city": "Par', "a")]
    return {
        "single quotes": says(None, [call(name, "{'city': 'Paris'}", "a")]),
        "a fence": says(None, [call(name, f"```json\n{PARIS}\n```", "a")]),
        "a misspelt name": says(None, [call(name.replace("_w", "W"), PARIS, "a")]),
        "a call in the text": says(in_text),
        "one index for two calls": _one_index(name),
        "cut by length": says(None, cut, finish="length"),
    }


TURNS = tuple(turns(NAME))


def offered_name(request: Request) -> str:
    """The name of the tool in a request; instructor gives it another one in streams."""
    names = [tool["function"]["name"] for tool in request.get("tools") or ()]
    return next((name for name in names if name.endswith(NAME)), NAME)


class Model:
    """Makes the damaged turn first, then a valid call, then tells the results."""

    def __init__(self, turn: str, final_tool: bool) -> None:
        self.turn = turn
        self.wanted = {"Paris", "Rome"} if turn == "one index for two calls" else {"Paris"}
        self._final_tool = final_tool
        self.requests = 0

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        self.requests += 1
        told = json.dumps(request["messages"])
        missing = [city for city in sorted(self.wanted) if f"sunny in {city}" not in told]
        if self.requests == 1:
            return turns(offered_name(request))[self.turn](request)
        if missing:
            name = offered_name(request)
            calls = [call(name, {"city": city}, f"r{self.requests}{city}") for city in missing]
            return says(None, calls)(request)
        answer = "It is sunny in " + " and ".join(sorted(self.wanted))
        if self._final_tool:
            return says(None, [call("final_answer", {"answer": answer}, "z")])(request)
        return says(answer)(request)


class FieldModel(Model):
    """The same model for DSPy, which teaches it to write calls as fields of its text."""

    def __call__(self, request: Request) -> Answer:
        """Answer one request."""
        self.requests += 1
        told = json.dumps(request["messages"])
        missing = [city for city in sorted(self.wanted) if f"sunny in {city}" not in told]
        as_json = "will be a JSON object" in told  # what DSPy falls back to
        if self.requests == 1:
            return FIELD_TURNS[self.turn](request)
        if "next_tool_name" not in request["messages"][0]["content"]:
            answer = "It is sunny in " + " and ".join(sorted(self.wanted))
            return says(fields(as_json, reasoning="As told.", answer=answer))(request)
        name, city = (NAME, {"city": missing[0]}) if missing else ("finish", {})
        return says(fields(as_json, next_tool_name=name, next_tool_args=city))(request)


def fields(as_json: bool = False, **values: Any) -> str:
    """A reply in the form that DSPy asks for."""
    if "next_tool_name" in values:
        values = {"next_thought": "Look.", **values}
    if as_json:
        return json.dumps(values)
    texts = [
        f"[[ ## {name} ## ]]\n{value if isinstance(value, str) else json.dumps(value)}\n\n"
        for name, value in values.items()
    ]
    return "".join(texts) + "[[ ## completed ## ]]"


def _called(arguments: str, name: str = NAME) -> str:
    return fields(next_tool_name=name, next_tool_args=arguments)


FIELD_TURNS: dict[str, Callable[[Request], Answer]] = {
    "single quotes": says(_called("{'city': 'Paris'}")),
    "a fence": says(_called(f"```json\n{PARIS}\n```")),
    "a misspelt name": says(_called(PARIS, "getWeather")),
    "a call in the text": turns(NAME)["a call in the text"],
    "one index for two calls": says(_called(PARIS + '{"city": "Rome"}')),
    "cut by length": says(
        _called('{"city": "Par').partition("\n\n[[ ## completed")[0], finish="length"
    ),
}
Run = Callable[[str, bool, bool, Callable[[str], str]], str]


def pydantic_ai(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run pydantic-ai."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    from zkit.ext.pydantic_ai import Repair

    model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=url, api_key="none"))
    agent = Agent(model, tools=[tool], capabilities=[Repair()] if repaired else [])
    if not streamed:
        return str(agent.run_sync(QUESTION).output)

    async def ask() -> str:
        async with agent.run_stream(QUESTION) as result:
            return str(await result.get_output())

    return asyncio.run(ask())


def openai_agents(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run the OpenAI Agents SDK."""
    from agents import Agent, OpenAIProvider, RunConfig, Runner, function_tool

    from zkit.ext.openai_agents import RepairProvider

    provider: Any = OpenAIProvider(base_url=url, api_key="none", use_responses=False)
    provider = RepairProvider(provider) if repaired else provider
    config = RunConfig(model_provider=provider, tracing_disabled=True)
    agent: Any = Agent(name="a", model="m", tools=[function_tool(tool)])
    if not streamed:
        return str(Runner.run_sync(agent, QUESTION, run_config=config).final_output)

    async def ask() -> str:
        made = Runner.run_streamed(agent, QUESTION, run_config=config)
        async for _ in made.stream_events():
            pass
        return str(made.final_output)

    return asyncio.run(ask())


def langchain(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run LangChain's `create_agent`."""
    from langchain.agents import create_agent
    from langchain_openai import ChatOpenAI

    from zkit.ext.langchain import RepairMiddleware

    model = ChatOpenAI(model="m", base_url=url, api_key="none")
    agent: Any = create_agent(model, [tool], middleware=[RepairMiddleware()] if repaired else [])
    question = {"messages": [{"role": "user", "content": QUESTION}]}
    if not streamed:
        return str(agent.invoke(question)["messages"][-1].content)
    pieces = [str(piece.content) for piece, _ in agent.stream(question, stream_mode="messages")]
    return "".join(pieces)


def agno(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run Agno."""
    from agno.agent import Agent
    from agno.models.openai.like import OpenAILike
    from openai import OpenAI

    client: Any = OpenAI(base_url=url, api_key="none")
    model = OpenAILike(id="m", client=wrap(client, ask_again=1) if repaired else client)
    agent: Any = Agent(model=model, tools=[tool], telemetry=False)
    if not streamed:
        return str(agent.run(QUESTION).content)
    return "".join(str(event.content or "") for event in agent.run(QUESTION, stream=True))


def llama_index(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run LlamaIndex's `FunctionAgent`."""
    from llama_index.core.agent.workflow import FunctionAgent
    from llama_index.llms.openai_like import OpenAILike

    async def ask() -> str:
        own = {"async_http_client": transport.async_client(ask_again=1)} if repaired else {}
        llm: Any = OpenAILike(
            model="m", api_base=url, api_key="none", is_chat_model=True,
            is_function_calling_model=True, max_retries=0, **own,
        )  # fmt: skip
        agent: Any = FunctionAgent(tools=[tool], llm=llm, streaming=streamed)
        return str(await agent.run(QUESTION))

    return asyncio.run(ask())


def smolagents(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run smolagents' `ToolCallingAgent`."""
    import smolagents as smol

    own = {"client_kwargs": {"http_client": transport.client(ask_again=1)}} if repaired else {}
    model: Any = smol.OpenAIModel("m", api_base=url, api_key="none", **own)
    agent: Any = smol.ToolCallingAgent(
        tools=[smol.tool(tool)], model=model, verbosity_level=0, stream_outputs=streamed
    )
    return str(agent.run(QUESTION))


def strands(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run strands; it always streams."""
    import strands as strands_sdk
    from openai import AsyncOpenAI
    from strands.models.openai import OpenAIModel

    client: Any = AsyncOpenAI(base_url=url, api_key="none")
    client = wrap(client, ask_again=1) if repaired else client
    model = OpenAIModel(client=client, model_id="m")
    agent: Any = strands_sdk.Agent(model, tools=[strands_sdk.tool(tool)], callback_handler=None)
    return str(agent(QUESTION))


def litellm(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run the usual loop of programs on litellm's SDK: parse the arguments, run, send the results."""
    import litellm as sdk

    from zkit.ext import litellm as plugin

    sdk.suppress_debug_info = True
    if repaired:
        plugin.install(ask_again=1)
    else:
        sdk.client_session = sdk.aclient_session = None
        sdk.callbacks = []
    sdk.in_memory_llm_clients_cache.flush_cache()
    messages: list[Any] = [{"role": "user", "content": QUESTION}]
    for _ in range(4):
        made: Any = sdk.completion(
            model="openai/m", api_base=url, api_key="none", messages=messages, tools=[SCHEMA],
            stream=streamed, max_retries=0,
        )  # fmt: skip
        made = sdk.stream_chunk_builder(list(made)) if streamed else made
        message = made.choices[0].message
        if not message.tool_calls:
            return str(message.content)
        messages.append(message.model_dump())
        for one in message.tool_calls:
            found = {NAME: tool}[one.function.name](**json.loads(one.function.arguments))
            messages.append({"role": "tool", "tool_call_id": one.id, "content": found})
    return "no answer"


def instructor(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run instructor: the arguments are the answer, and we do what they say.

    It streams one object at a time, so only whole replies can hold two calls.
    """
    from collections.abc import Iterable

    import instructor as sdk
    from openai import OpenAI
    from pydantic import BaseModel

    model: Any = type(NAME, (BaseModel,), {"__annotations__": {"city": str}})
    client: Any = OpenAI(base_url=url, api_key="none", max_retries=0)
    client = wrap(client, ask_again=1) if repaired else client
    given: Any = {
        "model": "m", "messages": [{"role": "user", "content": QUESTION}], "max_retries": 0,
    }  # fmt: skip
    if streamed:
        made = sdk.from_openai(client).create_partial(response_model=model, **given)
        return str(tool(list(made)[-1].city))
    several = sdk.from_openai(client, mode=sdk.Mode.PARALLEL_TOOLS)
    found = several.create(response_model=Iterable[model], **given)
    return " and ".join([str(tool(one.city)) for one in found])


def dspy(url: str, streamed: bool, repaired: bool, tool: Any) -> str:
    """Run DSPy's `ReAct`."""
    import dspy as sdk

    from zkit.ext.dspy import RepairAdapter

    lm: Any = sdk.LM("openai/m", api_base=url, api_key="none", cache=False, num_retries=0)
    with sdk.context(lm=lm, adapter=RepairAdapter() if repaired else sdk.ChatAdapter()):
        program: Any = sdk.ReAct("question -> answer", tools=[tool])
        if not streamed:
            return str(program(question=QUESTION).answer)

        async def ask() -> str:
            pieces: list[Any] = [piece async for piece in sdk.streamify(program)(question=QUESTION)]
            return str(pieces[-1].answer)

        return asyncio.run(ask())


NO_SECOND_CALL = (("instructor", True),)
"""Frameworks and modes that ask for one set of arguments, so two calls are not a turn for them."""
SCHEMA = {
    "type": "function",
    "function": {
        "name": NAME,
        "description": "Return the weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}
FRAMEWORKS: dict[str, tuple[Run, str]] = {
    "pydantic-ai": (pydantic_ai, "pydantic-ai-slim"),
    "openai-agents": (openai_agents, "openai-agents"),
    "langchain": (langchain, "langchain"),
    "agno": (agno, "agno"),
    "llama-index": (llama_index, "llama-index-core"),
    "smolagents": (smolagents, "smolagents"),
    "strands": (strands, "strands-agents"),
    "litellm": (litellm, "litellm"),
    "instructor": (instructor, "instructor"),
    "dspy": (dspy, "dspy"),
}


def one_turn(run: Run, name: str, turn: str, streamed: bool, repaired: bool) -> dict[str, int]:
    """Whether the answer was right, how many requests it took, how many wrong calls ran."""
    ran: list[Any] = []

    def get_weather(city: str) -> str:
        """Return the weather in a city.

        Args:
            city: The city.
        """
        ran.append(city)
        return f"sunny in {city}"

    kind = FieldModel if name == "dspy" else Model
    model = kind(turn, final_tool=name == "smolagents")
    with ScriptedServer(then=model) as server:
        try:
            answer = run(server.url, streamed, repaired, get_weather)
        except Exception as error:
            answer = f"raised {type(error).__name__}"
    wrong = [one for one in ran if one not in model.wanted]
    right = all(f"{city}" in answer for city in model.wanted) and "sunny" in answer and not wrong
    return {"right": int(right), "requests": model.requests, "wrong": len(wrong)}


def measured(names: list[str]) -> dict[str, Any]:
    """All figures: by framework, by mode, bare and with zkit."""
    found: dict[str, Any] = {}
    for name in names:
        run, package = FRAMEWORKS[name]
        try:
            title = f"{name} {version(package)}"
        except ImportError:
            continue
        rows = found.setdefault(title, {})
        for streamed in (False, True):
            is_one = (name, streamed) in NO_SECOND_CALL
            wanted = [turn for turn in TURNS if not is_one or turn != "one index for two calls"]
            for repaired in (False, True):
                turns = {turn: one_turn(run, name, turn, streamed, repaired) for turn in wanted}
                key = f"{'stream' if streamed else 'whole'}, {'zkit' if repaired else 'bare'}"
                rows[key] = turns
                sums = {
                    what: sum(one[what] for one in turns.values())
                    for what in next(iter(turns.values()))
                }
                print(
                    f"{title:24}{key:16}{sums['right']:3} of {len(turns)}{sums['requests']:5} requests{sums['wrong']:3} wrong",
                    flush=True,
                )
    return found


def main() -> None:
    """Print the table; with `--json`, keep it beside the other results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    options.add_argument("names", nargs="*", default=list(FRAMEWORKS), metavar="NAME")
    given = options.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    figures = measured(given.names)
    if given.json:
        RESULTS.write_text(json.dumps(figures, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
