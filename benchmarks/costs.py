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
import re
import resource
import shutil
import subprocess
import sys
import tempfile
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
dispatcher = Dispatcher([head], memory=False, guards=())
import anyio
async def many(n):
    for _ in range(n):
        await dispatcher.call(Call("head", '{"path": "a.py", "lines": 3}'))
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
from pydantic import BaseModel
from zkit import decode, decode_args
class Head(BaseModel):
    path: str
    lines: int = 10
valid, slips, wrong = '{"path": "a.py", "lines": 3}', '{"Path": "a.py", "lines": "3"}', '{"lines": "ten"}'
"""
ROWS = (
    Row("import: repair_json", "from zkit import repair_json"),
    Row("import: decode_args", "from zkit import decode_args"),
    Row("first find_calls", "from zkit import find_calls; find_calls('x', [{'name': 'f', 'parameters': {}}])"),
    Row("import: Dispatcher", "from zkit import Dispatcher"),
    Row("import: ChatLoop", "from zkit import ChatLoop"),
    Row("import: openai", "import openai", needs="openai"),
    Row("import: json_repair", "import json_repair", needs="json_repair"),
    Row("one call through the default chain", _TOOL, "anyio.run(many, {n})", 400),
    Row("one call and its answer in pydantic-ai", _PYDANTIC_AI, "anyio.run(many, {n})", 100, "pydantic_ai"),
    Row("validating valid arguments with pydantic", _MODEL, "[Head.model_validate_json(valid) for _ in range({n})]", 20_000),
    Row("decoding valid arguments", _MODEL, "[decode_args(Head, valid) for _ in range({n})]", 20_000),
    Row("decoding two slips", _MODEL, "[decode(Head, slips) for _ in range({n})]", 2_000),
    Row("a refusal", _MODEL, "[decode(Head, wrong) for _ in range({n})]", 2_000),
    Row("find_calls: one plain call", "from zkit import find_calls\ntools = [{'name': 'f', 'parameters': {'type': 'object', 'properties': {'a': {'type': 'string'}}}}]\ntext = '<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"x\"}}</tool_call>'\nfind_calls(text, tools)", "[find_calls(text, tools) for _ in range({n})]", 1_000),
    Row("repair_json: single quotes and a comma", "from zkit import repair_json", "[repair_json(\"{{'a': 1, 'b': [1, 2,]}}\") for _ in range({n})]", 3_000),
)  # fmt: skip


def cost(program: str, instructions: bool) -> float:
    """Return what a program costs, in seconds of CPU time or in instructions."""
    if instructions:
        return _instructions(program)
    return min(_seconds(program) for _ in range(5))


def _seconds(program: str) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", program], check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _instructions(program: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out"]
        done = subprocess.run(
            [*tool, sys.executable, "-c", program], check=True, capture_output=True, text=True
        )
    found = re.search(r"Collected : (\d+)", done.stderr)
    if found is None:
        raise SystemExit(f"valgrind said nothing of instructions:\n{done.stderr[-500:]}")
    return float(found[1])


def measure(row: Row, empty: float, pydantic: float, instructions: bool) -> float:
    """Return the cost of a row: multiples of `import pydantic`, or cost per round."""
    if not row.rounds:
        return (cost(row.setup, instructions) - empty) / pydantic
    rounds = max(10, row.rounds // 20) if instructions else row.rounds
    few, many = (
        cost(f"{row.setup}\n{row.work.format(n=n)}", instructions) for n in (1, rounds + 1)
    )
    return (many - few) / rounds * (1 if instructions else 1e6)


def main() -> None:
    """Measure, print, and save or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--instructions", action="store_true")
    parser.add_argument("--only", help="rows whose name contains this")
    parser.add_argument("--save", action="store_true")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if options.instructions and shutil.which("valgrind") is None:
        raise SystemExit("--instructions needs valgrind")
    empty = cost("pass", options.instructions)
    pydantic = cost("import pydantic; pydantic.BaseModel", options.instructions) - empty
    found: dict[str, float] = {}
    unit = "instructions" if options.instructions else "µs"
    for row in ROWS:
        if find_spec(row.needs) is None or (options.only and options.only not in row.name):
            continue
        found[row.name] = measure(row, empty, pydantic, options.instructions)
        shown = (
            f"{found[row.name]:.2f} × pydantic"
            if not row.rounds
            else f"{found[row.name]:,.1f} {unit}"
        )
        print(f"{row.name}: {shown}", file=sys.stderr, flush=True)
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    print(page(found, kept.get(unit, {}), unit))
    if options.save:
        kept[unit] = found
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
