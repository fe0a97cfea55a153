"""What zkit costs before and beside the work: cold starts, one dispatched call, decoding, a wrapped client.

    python -m benchmarks.costs                   every row, next to the rivals that are installed
    python -m benchmarks.costs --instructions    counted by valgrind, the same on a busy machine
    python -m benchmarks.costs --save            kept in benchmarks/results/costs.json
    python -m benchmarks.costs --check           exit 1 if a row is more than 10 % above the kept one

A row is a program that is run in a process of its own. Its cost is that of the program less that of an
empty one with the same imports, divided by the number of rounds; import rows are multiples of
`import pydantic`. CPU times are the least of several runs.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

from benchmarks.recovery_page import table

RESULTS = Path(__file__).parent / "results" / "costs.json"
WORSE = 1.10


class Row(NamedTuple):
    """One thing to measure. `rounds` is 0 for an import."""

    name: str
    setup: str
    work: str = "pass"
    rounds: int = 0
    needs: str = "zkit"


_TOOL = """
from zkit import Call, Dispatcher, tool
@tool(grade="read")
def head(path: str, lines: int = 10) -> str:
    "Show the first lines."
    return path
@tool(grade="read")
async def head_async(path: str, lines: int = 10) -> str:
    "Show the first lines."
    return path
dispatcher = Dispatcher([head, head_async])
import anyio
async def many(n, name):
    for _ in range(n):
        await dispatcher.call(Call(name, '{"path": "a.py", "lines": 3}'))
"""
_RIVAL = """
import anyio
from benchmarks import dispatch_rivals
async def many(n):
    invoke = await dispatch_rivals.MAKE()
    for _ in range(n):
        await invoke()
"""
_PYDANTIC_AI = """
import anyio
from pydantic_ai import Agent
from pydantic_ai.models.function import FunctionModel, AgentInfo
from pydantic_ai.messages import ModelResponse, ToolCallPart, TextPart
def head(path: str, lines: int = 10) -> str:
    "Show the first lines."
    return path
def answer(messages, info):
    if len(messages) < 2:
        return ModelResponse(parts=[ToolCallPart("head", {"path": "a.py", "lines": 3})])
    return ModelResponse(parts=[TextPart("done")])
agent = Agent(FunctionModel(answer), tools=[head])
async def many(n):
    for _ in range(n):
        await agent.run("go")
"""
_MODEL = """
from typing_extensions import Required, TypedDict
from pydantic import BaseModel, TypeAdapter
from zkit import decode, decode_args
class Head(BaseModel):
    path: str
    lines: int = 10
class Typed(TypedDict, total=False):
    path: Required[str]
    lines: int
def function(path: str, lines: int = 10) -> str:
    "Show the first lines."
raw = {"type": "object", "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}}, "required": ["path"]}
validate = TypeAdapter(Typed).validator.validate_json
valid, slips, wrong = '{"path": "a.py", "lines": 3}', '{"Path": "a.py", "lines": "3"}', '{"lines": "ten"}'
"""
_WRAPPED = """
import json, httpx
from openai import OpenAI
from zkit import wrap
tools = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}}]
text = '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'
state = {}
def handle(request):
    if not json.loads(request.content).get("stream"):
        message = {"role": "assistant", "content": text}
        return httpx.Response(200, json={"id": "1", "object": "chat.completion", "created": 1, "model": "m",
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})
    def lines():
        for n in range(state["n"]):
            delta = {"content": f"word{n % 7} "}
            yield b"data: " + json.dumps({"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m",
                "choices": [{"index": 0, "finish_reason": None, "delta": delta}]}).encode() + b"\\n\\n"
        yield b"data: [DONE]\\n\\n"
    return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=b"".join(lines()))
bare = OpenAI(base_url="http://x/v1", api_key="none", http_client=httpx.Client(transport=httpx.MockTransport(handle)))
wrapped = wrap(bare)
messages = [{"role": "user", "content": "go"}]
def whole(client, n):
    for _ in range(n):
        client.chat.completions.create(model="m", messages=messages, tools=tools)
def streamed(client, n):
    state["n"] = n
    for _ in client.chat.completions.create(model="m", messages=messages, tools=tools, stream=True):
        pass
"""
_GROWTH = """
import anyio
from zkit import Call, Dispatcher, Toolbox, find_calls, tool
def named(n):
    @tool(name=f"tool_{n}", grade="read")
    async def act(path: str) -> str:
        "Act."
        return path
    return act
def calls(n):
    dispatcher = Dispatcher(Toolbox([named(k) for k in range(n)]))
    async def many():
        for k in range(n):
            await dispatcher.call(Call(f"tool_{k}", {"path": str(k)}))
    anyio.run(many)
def parallel(n):
    dispatcher = Dispatcher([named(0)])
    results = dispatcher.call_all_sync([Call("tool_0", {"path": str(k)}, id=str(k)) for k in range(n)])
    assert len(results) == n
def conversation(n):
    from zkit.chat.history import valid_history
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    turn = [{"role": "user", "content": "go"}, {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "done"}, {"role": "assistant", "content": "It is done."}]
    assert len(valid_history(turn * (n // 4 + 1))) >= n
def reply(n):
    text = "some words of a reply, one after the other. " * (n * 1024 // 44) + '<tool_call>{"name": "f", "arguments": {}}</tool_call>'
    assert len(find_calls(text, [{"name": "f", "parameters": {}}]).calls) == 1
"""
ROWS = (
    Row("import: repair_json", "from zkit import repair_json"),
    Row("import: decode_args", "from zkit import decode_args"),
    Row("first find_calls", "from zkit import find_calls; find_calls('x', [{'name': 'f', 'parameters': {}}])"),
    Row("import: Dispatcher", "from zkit import Dispatcher"),
    Row("import: ChatLoop", "from zkit import ChatLoop"),
    Row("import: openai", "import openai", needs="openai"),
    Row("import: json_repair", "import json_repair", needs="json_repair"),
    Row("one call through the default chain", _TOOL, "anyio.run(many, {n}, 'head_async')", 400),
    Row("the same, of a plain function", _TOOL, "anyio.run(many, {n}, 'head')", 400),
    Row("a call in pydantic-ai's tool manager", _RIVAL.replace("MAKE", "pydantic_ai"), "anyio.run(many, {n})", 100, "pydantic_ai"),
    Row("a call in openai-agents", _RIVAL.replace("MAKE", "openai_agents"), "anyio.run(many, {n})", 100, "agents"),
    Row("a call in LangChain", _RIVAL.replace("MAKE", "langchain"), "anyio.run(many, {n})", 100, "langchain_core"),
    Row("one call and its answer in pydantic-ai", _PYDANTIC_AI, "anyio.run(many, {n})", 100, "pydantic_ai"),
    Row("validating valid arguments with pydantic", _MODEL, "[Head.model_validate_json(valid) for _ in range({n})]", 20_000),
    Row("decoding valid arguments", _MODEL, "[decode_args(Head, valid) for _ in range({n})]", 20_000),
    Row("validating a TypedDict with pydantic", _MODEL, "[validate(valid) for _ in range({n})]", 20_000),
    Row("decoding for a TypedDict", _MODEL, "[decode_args(Typed, valid) for _ in range({n})]", 20_000),
    Row("decoding for a function", _MODEL, "[decode_args(function, valid) for _ in range({n})]", 20_000),
    Row("decoding for a raw schema", _MODEL, "[decode_args(raw, valid) for _ in range({n})]", 20_000),
    Row("decoding two slips", _MODEL, "[decode(Head, slips) for _ in range({n})]", 2_000),
    Row("a refusal", _MODEL, "[decode(Head, wrong) for _ in range({n})]", 2_000),
    Row("find_calls: one plain call", "from zkit import find_calls\ntools = [{'name': 'f', 'parameters': {'type': 'object', 'properties': {'a': {'type': 'string'}}}}]\ntext = '<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}</tool_call>'\nfind_calls(text, tools)", "[find_calls(text, tools) for _ in range({n})]", 1_000),
    Row("`zkit repair` from the shell", "import sys; from zkit.cli.main import main; sys.argv = ['zkit', 'repair', '-']; import io; sys.stdin = io.TextIOWrapper(io.BytesIO(b\"{'a': 1, 'b': [1, 2,]}\"))\ntry: main()\nexcept SystemExit: pass", needs="click"),
    Row("wrapped client: whole reply with a call in its text", _WRAPPED, "whole(wrapped, {n})", 100, "openai"),
    Row("bare client: the same reply", _WRAPPED, "whole(bare, {n})", 100, "openai"),
    Row("wrapped client: one chunk of a stream", _WRAPPED, "streamed(wrapped, {n})", 2_000, "openai"),
    Row("bare client: one chunk of a stream", _WRAPPED, "streamed(bare, {n})", 2_000, "openai"),
    Row("growth: one of 10,000 tools, made and called", _GROWTH, "calls({n})", 10_000),
    Row("growth: one of 1,000 calls at once", _GROWTH, "parallel({n})", 1_000),
    Row("growth: one of 2,000 messages of a conversation, checked", _GROWTH, "conversation({n})", 2_000),
    Row("growth: one KB of a reply of 1 MB", _GROWTH, "reply({n})", 1_000),
    Row("repair_json: single quotes and a comma", "from zkit import repair_json", "[repair_json(\"{{'a': 1, 'b': [1, 2,]}}\") for _ in range({n})]", 3_000),
)  # fmt: skip


def cost(program: str, instructions: bool, times: int = 5) -> float:
    """Return what a program costs, in seconds of CPU time or in instructions, its modules compiled before."""
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL, env=_ENV)
    if instructions:
        return _instructions(program)[-1]
    return min(_seconds(program) for _ in range(times))


# An installed package has its bytecode; without it an import row would measure the compiler.
_ENV = {
    **os.environ,
    "PYTHONPYCACHEPREFIX": str(Path(tempfile.gettempdir()) / "zkit-costs-bytecode"),
}
_ENV.pop("PYTHONDONTWRITEBYTECODE", None)
_CONTROL = """
import os as _os, subprocess as _subprocess
def _control(*options):
    _subprocess.run(["callgrind_control", *options, str(_os.getpid())], check=True, stdout=-3, stderr=-3)
"""


def costs_of_work(row: Row, sizes: Sequence[int], instructions: bool) -> list[float]:
    """Return what the work of a row costs at each size, with constant extras that a difference cancels out."""
    if not instructions:
        return [cost(f"{row.setup}\n{row.work.format(n=n)}", False) for n in sizes]
    # Counting begins after the imports and the first round, which take most of the time under valgrind.
    parts = [row.setup, row.work.format(n=1), _CONTROL]
    for n in sizes:
        parts += ['_control("-i", "on")', row.work.format(n=n), '_control("-i", "off")']
        parts.append('_control("-d")')
    return _instructions("\n".join(parts), "--instr-atstart=no")[: len(sizes)]


def _seconds(program: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL, env=_ENV)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _instructions(program: str, *options: str) -> list[float]:
    """Return the instructions of a program: before each dump that it asks for, and at last up to its end."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *options]
        done = subprocess.run(
            [*tool, sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            env=_ENV,
        )
        dumps = sorted(Path(folder).iterdir(), key=lambda file: int(file.suffix[1:] or 1_000_000))
        found = [re.search(r"^totals: (\d+)", file.read_text(), re.M) for file in dumps]
    if not found or None in found:
        raise SystemExit(f"valgrind said nothing of instructions:\n{done.stderr[-500:]}")
    return [float(one[1]) for one in found if one is not None]


def measure(row: Row, empty: float, pydantic: float, instructions: bool) -> float:
    """Return the cost of a row: multiples of `import pydantic`, or cost per round."""
    if not row.rounds:
        return (cost(row.setup, instructions) - empty) / pydantic
    if row.name.startswith("growth"):
        return _growth(row, instructions)
    rounds = max(10, row.rounds // 20) if instructions else row.rounds
    few, many = costs_of_work(row, (1, rounds + 1), instructions)
    return (many - few) / rounds * (1 if instructions else 1e6)


def _growth(row: Row, instructions: bool) -> float:
    """Return what one more costs at full size, as a multiple of what it costs at a tenth; 1 is linear.

    Ten thousand tools would take an hour under valgrind, and enough CPU time to be told from noise.
    """
    sizes = (1, row.rounds // 10 + 1, row.rounds + 1)
    few, some, many = costs_of_work(row, sizes, instructions and row.rounds < 10_000)
    return ((many - some) / (row.rounds - row.rounds // 10)) / ((some - few) / (row.rounds // 10))


def main() -> None:
    """Measure, print, and save or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--only", help="rows whose name contains one of these, with commas between")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.instructions and shutil.which("valgrind") is None:
        raise SystemExit("--instructions needs valgrind")
    wanted = [
        row
        for row in ROWS
        if not options.only or any(p in row.name for p in options.only.split(","))
    ]
    empty, pydantic = 0.0, 1.0
    if any(not row.rounds for row in wanted):
        empty = cost("pass", options.instructions)
        pydantic = cost("import pydantic; pydantic.BaseModel", options.instructions) - empty
    found: dict[str, float] = {}
    unit = "instructions" if options.instructions else "µs"
    for row in wanted:
        if find_spec(row.needs) is None:
            continue
        found[row.name] = measure(row, empty, pydantic, options.instructions)
        shown = f"{found[row.name]:,.2f} {'× pydantic' if not row.rounds else unit}"
        if row.name.startswith("growth"):
            shown = f"{found[row.name]:.2f} × the cost of one at a tenth of the size"
        print(f"{row.name}: {shown}", file=sys.stderr, flush=True)
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    print(page(found, kept.get(unit, {}), unit))
    if options.save:
        kept[unit] = {**kept.get(unit, {}), **found}
        RESULTS.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
    worse = [n for n, value in found.items() if value > WORSE * kept.get(unit, {}).get(n, value)]
    if options.check and worse:
        raise SystemExit(f"more than 10 % above the kept results: {', '.join(worse)}")


def page(found: dict[str, float], kept: dict[str, float], unit: str) -> str:
    """Return the table: each row, and what it was when it was kept."""
    rows = [
        [name, f"{value:,.2f}", f"{kept[name]:,.2f}" if name in kept else "–"]
        for name, value in found.items()
    ]
    return table([f"{unit}; imports as multiples of pydantic", "now", "kept"], rows)


if __name__ == "__main__":
    main()
