"""Twenty tasks with five plain functions on a live server: zkit's `run`, and every installed rival.

A part of `benchmarks.live`; writes `results/live_tasks.md` and `results/live_tasks.json`.
"""

from __future__ import annotations

import json
import os
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.recovery_page import table

RESULTS = Path(__file__).parent / "results"
SYSTEM = "You are a helpful assistant with tools. Use a tool to find out what you are asked, then answer."
CALLED: list[str] = []
"""The tools that ran for the task at hand."""


def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    CALLED.append("get_weather")
    return f"It is sunny in {city}, 21 degrees."


def add_numbers(a: float, b: float) -> float:
    """Add two numbers."""
    CALLED.append("add_numbers")
    return a + b


def find_phone_number(name: str) -> str:
    """Find the phone number of a person."""
    CALLED.append("find_phone_number")
    return f"{name}: 555-0142"


def convert_currency(amount: float, source: str, target: str) -> str:
    """Convert an amount of money from one currency to another."""
    CALLED.append("convert_currency")
    return f"{amount} {source} are {amount * 2:.2f} {target}"


def count_words(text: str) -> int:
    """Count the words of a text."""
    CALLED.append("count_words")
    return len(text.split())


TOOLS = (get_weather, add_numbers, find_phone_number, convert_currency, count_words)


class Task(NamedTuple):
    """A question, the tool that answers it, and what the answer must hold."""

    ask: str
    tool: str
    holds: str


TASKS = (
    *(Task(f"What is the weather in {city}?", "get_weather", "21") for city in ("Oslo", "Lima", "Porto", "Kyoto")),
    *(Task(f"What is {a} plus {b}? Use the tool.", "add_numbers", str(a + b)) for a, b in ((12, 30), (417, 85), (1999, 26), (7, 88))),
    *(Task(f"What is {name}'s phone number?", "find_phone_number", "0142") for name in ("Ann Lee", "Omar", "Bea", "Dr. Wu")),
    *(Task(f"How much are {n} {a} in {b}?", "convert_currency", str(n * 2)) for n, a, b in ((50, "USD", "EUR"), (15, "NOK", "GBP"), (250, "JPY", "USD"), (8, "CHF", "SEK"))),
    *(Task(f'How many words does the text "{text}" have?', "count_words", str(len(text.split()))) for text in ("the cat sat on the mat", "to be or not to be", "one two three", "a rose is a rose is a rose")),
)  # fmt: skip


class Outcome(NamedTuple):
    """What became of a task."""

    right_tool: bool
    answered: bool
    other_tools: int
    requests: int
    answer: str


@contextmanager
def counted(base_url: str) -> Iterator[tuple[str, list[int]]]:
    """The address of a server that passes everything on, and the number of its requests."""
    count = [0]

    class Pass(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            count[0] += 1
            body = self.rfile.read(int(self.headers.get("content-length") or 0))
            url = base_url.rstrip("/") + self.path.removeprefix("/v1")
            request = urllib.request.Request(url, body, {"content-type": "application/json"})
            try:
                with urllib.request.urlopen(request, timeout=600) as reply:
                    status, kind, data = reply.status, reply.headers["content-type"], reply.read()
            except urllib.error.HTTPError as error:
                status, kind, data = error.code, "application/json", error.read()
            self.send_response(status)
            self.send_header("content-type", kind or "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *args: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Pass)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", count
    finally:
        server.shutdown()


def with_zkit(ask: str, model: str, base_url: str) -> str:
    """Ask with `zkit.run` and nothing declared."""
    from zkit import run

    return str(run(ask, tools=list(TOOLS), model=model, base_url=base_url, system=SYSTEM).text)


def with_pydantic_ai(ask: str, model: str, base_url: str) -> str:
    """Ask with pydantic-ai."""
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=base_url, api_key="none")
    agent = Agent(
        OpenAIChatModel(model, provider=provider), tools=list(TOOLS), system_prompt=SYSTEM
    )
    return str(agent.run_sync(ask).output)


def with_openai_agents(ask: str, model: str, base_url: str) -> str:
    """Ask with openai-agents."""
    from agents import Agent, OpenAIChatCompletionsModel, Runner, function_tool
    from openai import AsyncOpenAI

    client = AsyncOpenAI(base_url=base_url, api_key="none")
    agent = Agent(
        name="assistant",
        instructions=SYSTEM,
        tools=[function_tool(one) for one in TOOLS],
        model=OpenAIChatCompletionsModel(model=model, openai_client=client),
    )
    return str(Runner.run_sync(agent, ask).final_output)


Ask = Callable[[str, str, str], str]
FRAMEWORKS: dict[str, tuple[str, Ask]] = {
    "zkit": ("zkit", with_zkit),
    "pydantic-ai": ("pydantic_ai", with_pydantic_ai),
    "openai-agents": ("agents", with_openai_agents),
}


def attempt(task: Task, ask: Ask, model: str, base_url: str) -> Outcome:
    """One task with one framework; an exception is an answer that is not right."""
    CALLED.clear()
    with counted(base_url) as (address, count):
        try:
            answer = ask(task.ask, model, address)
        except Exception as error:  # what a framework raises is its answer
            answer = f"{type(error).__name__}: {error}"
    ran = list(CALLED)
    plain = answer.replace(",", "").replace(".00", "")
    others = sum(name != task.tool for name in ran)
    answered = task.tool in ran and task.holds in plain
    return Outcome(task.tool in ran, answered, others, count[0], answer[:200])


def page(about: str, found: dict[str, list[Outcome]]) -> str:
    """The results as Markdown."""
    head = [f"of {len(TASKS)} tasks", *found]
    sums = {
        "right tool run": [sum(one.right_tool for one in rows) for rows in found.values()],
        "answered": [sum(one.answered for one in rows) for rows in found.values()],
        "other tools run": [sum(one.other_tools for one in rows) for rows in found.values()],
        "requests": [sum(one.requests for one in rows) for rows in found.values()],
    }
    lines = [[name, *map(str, values)] for name, values in sums.items()]
    intro = f"{about} Five plain functions, {len(TASKS)} tasks, nothing declared.\n"
    return "\n".join(["# Plain functions and a live model\n", intro, table(head, lines)])


def measure_tasks(base_url: str, model: str, about: str, tasks: int = len(TASKS)) -> None:
    """Run the tasks with every framework that is installed, and write the results."""
    os.environ.setdefault("OPENAI_AGENTS_DISABLE_TRACING", "1")
    found: dict[str, list[Outcome]] = {}
    for name, (module, ask) in FRAMEWORKS.items():
        if find_spec(module) is None:
            continue
        found[name] = []
        for task in TASKS[:tasks]:
            found[name].append(attempt(task, ask, model, base_url))
            print(name, task.ask, found[name][-1], flush=True)
    rows = {name: [one._asdict() for one in outcomes] for name, outcomes in found.items()}
    kept = json.dumps({"about": about, "rows": rows}, indent=1) + "\n"
    (RESULTS / "live_tasks.json").write_text(kept)
    (RESULTS / "live_tasks.md").write_text(page(about, found))
