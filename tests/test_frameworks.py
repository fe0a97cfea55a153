"""Each snippet of docs/frameworks.md runs, against a server whose first reply is damaged."""

from __future__ import annotations

import asyncio
import importlib
import json
import re
import subprocess
import sys
import warnings
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from zkit import Kit, Toolbox, tool
from zkit.testing import Answer, Request, ScriptedServer, call, says

PAGE = (Path(__file__).parent.parent / "docs/frameworks.md").read_text("utf-8")
SNIPPETS = dict(re.findall(r"^```python (\w+)\n(.*?)^```$", PAGE, re.M | re.S))
MODULES = {"openai_agents": "agents", "toolbox": "pydantic_ai"}
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}},
                "required": ["city"],
            },
        },
    }
]
ONE_REQUEST = ("openai", "litellm", "instructor")
"""Snippets that ask for a call and do not run it."""
SECOND_ARGUMENTS = {"smolagents": ("final_answer", '{"answer": "sunny in Paris"}')}


class Model:
    """A model whose first call is damaged, whose second is valid, and which then tells the result.

    With the finish reason `stop`, the first call is written as text.
    """

    def __init__(self, first: str, finish: str, end: tuple[str, str] | None = None) -> None:
        self.first, self.finish, self.end = first, finish, end
        self.requests = 0

    def __call__(self, request: Request) -> Answer:
        self.requests += 1
        name = "Weather" if any("Weather" in str(t) for t in request.get("tools") or ()) else None
        name = name if "get_weather" not in str(request.get("tools")) else "get_weather"
        told = [str(m.get("content")) for m in request["messages"] if m.get("role") == "tool"]
        told += [str(m) for m in request["messages"] if "Observation" in str(m)]
        if any("sunny in Paris" in text for text in told):
            said = says(None, [call(*self.end, "z")]) if self.end else says("It is sunny in Paris.")
            return said(request)
        if self.requests == 1 and self.finish == "stop":
            written = f'{{"name": "{name}", "arguments": {self.first}}}'
            return says(f"<tool_call>\n{written}\n</tool_call>")(request)
        if self.requests == 1:
            return says(None, [call(name or "", self.first, "a")], finish=self.finish)(request)
        return says(None, [call(name or "", '{"city": "Paris"}', "b")])(request)


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("damage", ["cut", "quotes", "text"])
@pytest.mark.parametrize("name", [name for name in SNIPPETS if name != "dspy"])
def test_the_snippet_runs_and_no_wrong_call_is_executed(name: str, damage: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            importlib.import_module(MODULES.get(name, name))
        except ImportError:
            pytest.skip(f"{name} is not installed")
        ran: list[Any] = []

        def get_weather(city: str) -> str:
            """Return the weather in a city.

            Args:
                city: The city.
            """
            ran.append(city)
            return f"sunny in {city}"

        first, finish = {
            "cut": ('{"city": "Par', "length"),
            "quotes": ("{'city': 'Paris',}", "tool_calls"),
            "text": ('{"city": "Paris"}', "stop"),
        }[damage]
        model = Model(first, finish, SECOND_ARGUMENTS.get(name))
        with ScriptedServer(then=model) as server:
            known = {
                "base_url": server.url, "get_weather": get_weather, "tools": TOOLS,
                "messages": [{"role": "user", "content": "What is the weather in Paris?"}],
            }  # fmt: skip
            exec(compile(SNIPPETS[name], f"docs/frameworks.md {name}", "exec"), known)
    assert "Paris" in str(known["answer"])
    assert set(ran) <= {"Paris"}
    # A framework that repairs nothing may get there too, with more requests of its own.
    least = 1 if name in ONE_REQUEST else 2
    assert model.requests == (least + 1 if damage == "cut" else least)


def fields(**values: str) -> str:
    """A reply in the form that DSPy asks for."""
    return "".join(f"[[ ## {name} ## ]]\n{text}\n\n" for name, text in values.items())


def step(arguments: str, name: str = "get_weather") -> str:
    return fields(next_thought="Look.", next_tool_name=name, next_tool_args=arguments)


class FieldModel:
    """The model for DSPy: its first reply is given, its second is valid, then it tells the result."""

    def __init__(self, first: str) -> None:
        self.first = first
        self.requests: list[Any] = []

    def __call__(self, request: Request) -> Answer:
        self.requests.append(request["messages"])
        told = str(request["messages"])
        if len(self.requests) == 1:
            return says(self.first)(request)
        if "next_tool_name" not in request["messages"][0]["content"]:
            return says(fields(reasoning="As told.", answer="sunny in Paris"))(request)
        is_known = "sunny in Paris" in told
        return says(step("{}", "finish") if is_known else step('{"city": "Paris"}'))(request)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["plain", "async", "stream"])
@pytest.mark.parametrize(
    ("first", "reason"),
    [
        (step("{'city': 'Paris',}"), None),
        (step('Here it is:\n```json\n{"city": "Paris"}\n```'), None),
        (step('{"city": "Par').rstrip(), "cut off"),
        (step('{"city": "Paris"}{"city": "Rome"}'), "several different JSON values"),
        (step('{"city": "Paris"}', "getWeather"), "with value getWeather"),
        ('<tool_call>{"name": "get_weather", "arguments": {"city": "Par"}}</tool_call>', "missing"),
    ],
    ids=["quotes", "a fence", "cut", "two values", "a misspelt name", "no fields"],
)
def test_dspy_runs_no_wrong_call(first: str, reason: str | None, way: str) -> None:
    dspy = pytest.importorskip("dspy")
    from zkit.ext.dspy import RepairAdapter

    ran: list[Any] = []

    def get_weather(city: str) -> str:
        """Return the weather in a city."""
        ran.append(city)
        return f"sunny in {city}"

    model = FieldModel(first)
    with ScriptedServer(then=model) as server:
        known: dict[str, Any] = {"base_url": server.url, "get_weather": get_weather}
        if way == "plain":
            exec(compile(SNIPPETS["dspy"], "docs/frameworks.md dspy", "exec"), known)
            answer = known["answer"]
        else:
            lm = dspy.LM("openai/m", api_base=server.url, api_key="none", cache=False)
            program = dspy.ReAct("question -> answer", tools=[get_weather])

            async def ask() -> Any:
                with dspy.context(lm=lm, adapter=RepairAdapter()):
                    if way == "async":
                        return await program.acall(question="Weather in Paris?")
                    found = dspy.streamify(program)(question="Weather in Paris?")
                    return [piece async for piece in found][-1]

            answer = asyncio.run(ask()).answer
    assert (answer, ran) == ("sunny in Paris", ["Paris"])
    assert len(model.requests) == (3 if reason is None else 4)
    if reason is not None:
        *same, said, note = model.requests[1]
        assert same == model.requests[0]
        assert said == {"role": "assistant", "content": first}
        assert reason in note["content"]
        assert not any(reason in str(messages[1:]) for messages in model.requests[2:])


@pytest.mark.filterwarnings("ignore")
def test_dspy_raises_its_own_error_when_the_requests_are_used_up() -> None:
    dspy = pytest.importorskip("dspy")
    from zkit.ext.dspy import RepairAdapter

    cut = says(fields(point='{"x": 1, "y'))
    with ScriptedServer(then=cut) as server:
        lm = dspy.LM("openai/m", api_base=server.url, api_key="none", cache=False)
        expected = pytest.raises(dspy.utils.exceptions.AdapterParseError, match="cut off")
        with dspy.context(lm=lm, adapter=RepairAdapter(ask_again=2)), expected:
            dspy.Predict("question -> point: dict[str, int]")(question="Where?")
        assert len(server.requests) == 3


def _langchain(found: Any, arguments: Any) -> str:
    return str(found.invoke(arguments))


def _openai_agents(found: Any, arguments: Any) -> str:
    return str(asyncio.run(found.on_invoke_tool(None, json.dumps(arguments))))


def _pydantic_ai(found: Any, arguments: Any) -> str:
    from pydantic_ai import ModelRetry

    try:
        return str(asyncio.run(found.function(**arguments)))
    except ModelRetry as error:
        return str(error)


CALLED = {"langchain": _langchain, "agents": _openai_agents, "pydantic_ai": _pydantic_ai}
METHODS = {
    "langchain": "as_langchain", "agents": "as_openai_agents", "pydantic_ai": "as_pydantic_ai",
}  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["a toolbox", "a kit"])
@pytest.mark.parametrize("name", CALLED)
def test_the_tools_of_zkit_go_through_the_dispatcher(name: str, kind: str) -> None:
    pytest.importorskip(name)
    ran: list[Any] = []

    def get_weather(city: str, days: int = 1) -> str:
        """Return the weather in a city."""
        ran.append((city, days))
        return f"sunny in {city}"

    @tool(destructive=True)
    def wipe(path: str) -> str:
        """Wipe a path."""
        ran.append(path)
        return "gone"

    box = Toolbox([get_weather, wipe])
    source = box if kind == "a toolbox" else Kit(box, {"weather": "get_weather", "wipe": "wipe"})

    def called(tool: str, arguments: Any, **options: Any) -> str:
        tools = {one.name: one for one in getattr(source, METHODS[name])(**options)}
        return CALLED[name](tools[tool], arguments)

    weather = "get_weather" if kind == "a toolbox" else "weather"
    assert called(weather, {"city": "Oslo", "days": "2"}) == "sunny in Oslo"
    assert "city: missing" in called(weather, {"town": "Oslo"})
    assert "needs approval" in called("wipe", {"path": "/a"})
    assert ran == [("Oslo", 2)]
    assert called("wipe", {"path": "/a"}, approve=lambda call: True) == "gone"
    assert ran == [("Oslo", 2), "/a"]


ANSWERS = dict(re.findall(r'^\| ([\w -]+) \| "([^"]+)" goes to the model', PAGE, re.M))
ROWS = {
    "smolagents": "smolagents",
    "llama_index": "LlamaIndex",
    "langchain": "LangChain",
    "pydantic_ai": "pydantic-ai",
}


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("name", ROWS)
def test_a_refused_call_is_answered_as_one_of_an_unknown_tool(name: str) -> None:
    """Without `ask_again` the framework sees the refused call: it answers, and runs nothing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pytest.importorskip(name)
        ran: list[Any] = []

        def get_weather(city: str) -> str:
            """Return the weather in a city.

            Args:
                city: The city.
            """
            ran.append(city)
            return f"sunny in {city}"

        snippet = SNIPPETS[name].replace("ask_again=1", "ask_again=0")
        assert "ask_again=0" in snippet or name == "pydantic_ai"
        model = Model('{"city": "Par', "length", SECOND_ARGUMENTS.get(name))
        with ScriptedServer(then=model) as server:
            known = {"base_url": server.url, "get_weather": get_weather}
            exec(compile(snippet, f"docs/frameworks.md {name}", "exec"), known)
        sent = str(server.requests[1]["messages"])
    assert ANSWERS[ROWS[name]] in sent
    assert "refused_get_weather" in sent
    assert set(ran) == {"Paris"}


@pytest.mark.filterwarnings(
    "ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning"
)
@pytest.mark.parametrize("tells_the_model", [False, True])
def test_the_agents_sdk_runs_no_refused_call(tells_the_model: bool) -> None:
    """It raises, or answers the call where it is told to; see the table of the page."""
    agents = pytest.importorskip("agents")
    ran: list[Any] = []

    def get_weather(city: str) -> str:
        """Return the weather in a city."""
        ran.append(city)
        return f"sunny in {city}"

    how = ", tool_not_found_behavior='return_error_to_model'" if tells_the_model else ""
    snippet = SNIPPETS["openai_agents"].replace("ask_again=1", "ask_again=0")
    snippet = snippet.replace("tracing_disabled=True", f"tracing_disabled=True{how}")
    with ScriptedServer(then=Model('{"city": "Par', "length")) as server:
        known = {"base_url": server.url, "get_weather": get_weather}
        expected = nullcontext() if tells_the_model else pytest.raises(agents.ModelBehaviorError)
        with expected:
            exec(compile(snippet, "docs/frameworks.md openai_agents", "exec"), known)
        if tells_the_model:
            assert "refused_get_weather" in str(server.requests[1]["messages"])
    assert ran == (["Paris"] if tells_the_model else [])


@pytest.mark.parametrize(
    ("line", "removed"),
    [('api_key="none")', "removing /home\n"), ('api_key="none", http_client=client())', "")],
    ids=["bare", "with zkit"],
)
def test_the_truncated_call_of_the_page_runs_only_without_zkit(line: str, removed: str) -> None:
    pytest.importorskip("langchain_openai")
    page = (Path(__file__).parent.parent / "docs/truncated-calls.md").read_text("utf-8")
    (program,) = re.findall(r"^```python\n(.*?)^```$", page, re.M | re.S)
    program = f"from zkit.transport import client\n{program}".replace('api_key="none")', line)
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True, timeout=300
    )
    assert (done.returncode, done.stdout) == (0, removed), done.stderr
