"""The programs whose costs are measured, and the lines of the table that is made of them."""

from __future__ import annotations

from typing import NamedTuple


class Row(NamedTuple):
    """One thing to measure: `work` is run `rounds` times, after the set-up that its group shares.

    Without rounds it is a whole process: what its set-up costs. `needs` is the package that must be
    installed. `ours` is false for what belongs to others: it may grow as it likes.
    """

    name: str
    setup: str
    work: str = "pass"
    rounds: int = 0
    needs: str = "zkit"
    ours: bool = True


class Line(NamedTuple):
    """One line of the table: a row, alone or against another one, with its goal and its rivals.

    `by` says how the two are compared: `×` as a multiple, `+` as a difference. `unit` is
    `instructions`, or what was measured in its place, or always `µs` or `s` of CPU time.
    """

    what: str
    row: str
    goal: float
    against: str = ""
    by: str = "×"
    unit: str = "instructions"
    rivals: tuple[tuple[str, str], ...] = ()


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
_DECLARED = """
from zkit import decode, decode_args
from benchmarks.decode_kinds import TEXT, ways
kinds = {name: one for name, *one in ways()}
(model, by_model), (typed, by_typed), (function, by_function) = (kinds[f"a {name}"] for name in ("model", "TypedDict", "function"))
(spec, by_schema), (raw, _) = kinds["a ToolSpec with a JSON Schema"], kinds["a JSON Schema in a dict"]
"""
_SLIPS = """
from pydantic import BaseModel
from zkit import decode
class Head(BaseModel):
    path: str
    lines: int = 10
valid, slips, wrong = '{"path": "a.py", "lines": 3}', '{"Path": "a.py", "lines": "3"}', '{"lines": "ten"}'
"""
_WRAPPED = """
import json, httpx
from openai import OpenAI
from zkit import wrap
from benchmarks.transport import TOOLS as tools
text = 'Let me see.\\n<tool_call>\\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\\n</tool_call>'
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
_FIND = """
from zkit import find_calls
tools = [{"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "string"}}}}]
text = '<tool_call>{"name": "f", "arguments": {"a": "x"}}</tool_call>'
"""
_SHELL = """
import io, sys
sys.stdin = io.TextIOWrapper(io.BytesIO(b"{'path': 'src/main.py', 'content': 'a line and another', 'mode': 'append', 'lines': [1, 2, 3,]}"))
sys.argv = ["COMMAND", *ARGUMENTS]
try: MAIN
except SystemExit: pass
"""


def _many(call: str) -> str:
    return f"for _ in range({{n}}): {call}"


def _shell(command: str, arguments: list[str], main: str) -> str:
    made = _SHELL.replace("COMMAND", command).replace("ARGUMENTS", repr(arguments))
    return made.replace("MAIN", main)


ROWS = (
    Row("import: pydantic", "import pydantic; pydantic.BaseModel", ours=False),
    Row("import: repair_json", "from zkit import repair_json"),
    Row("import: decode_args", "from zkit import decode_args"),
    Row("first find_calls", "from zkit import find_calls; find_calls('x', [{'name': 'f', 'parameters': {}}])"),
    Row("import: Dispatcher", "from zkit import Dispatcher"),
    Row("import: ChatLoop", "from zkit import ChatLoop"),
    Row("import: openai", "import openai", needs="openai", ours=False),
    Row("import: json_repair", "import json_repair", needs="json_repair", ours=False),
    Row("`zkit repair` of 100 bytes", _shell("zkit", ["repair", "-"], "from zkit.cli.main import main; main()"), needs="click"),
    Row("`json_repair` of 100 bytes", _shell("json_repair", [], "from json_repair.__main__ import cli; cli()"), needs="json_repair", ours=False),
    Row("one call through the default chain", _TOOL, "anyio.run(many, {n}, 'head_async')", 200),
    Row("one call of a plain function", _TOOL, "anyio.run(many, {n}, 'head')", 200),
    Row("one call with pydantic-ai's tool manager", _RIVAL.replace("MAKE", "pydantic_ai"), "anyio.run(many, {n})", 100, "pydantic_ai", False),
    Row("one call with openai-agents", _RIVAL.replace("MAKE", "openai_agents"), "anyio.run(many, {n})", 100, "agents", False),
    Row("one call with LangChain", _RIVAL.replace("MAKE", "langchain"), "anyio.run(many, {n})", 40, "langchain_core", False),
    Row("validating a model with pydantic", _DECLARED, _many("by_model(TEXT)"), 1_000, ours=False),
    Row("decoding a model", _DECLARED, _many("decode_args(model, TEXT)"), 1_000),
    Row("validating a TypedDict with pydantic", _DECLARED, _many("by_typed(TEXT)"), 1_000, ours=False),
    Row("decoding a TypedDict", _DECLARED, _many("decode_args(typed, TEXT)"), 1_000),
    Row("validating the arguments of a function with pydantic", _DECLARED, _many("by_function(TEXT)"), 1_000, ours=False),
    Row("decoding the arguments of a function", _DECLARED, _many("decode_args(function, TEXT)"), 1_000),
    Row("validating a raw schema with jsonschema", _DECLARED, _many("by_schema(TEXT)"), 200, "jsonschema", False),
    Row("decoding a raw schema", _DECLARED, _many("decode_args(spec, TEXT)"), 1_000),
    Row("decoding a raw schema in a dict", _DECLARED, _many("decode_args(raw, TEXT)"), 1_000),
    Row("validating two fields with pydantic", _SLIPS, _many("Head.model_validate_json(valid)"), 1_000, ours=False),
    Row("two errors in the arguments", _SLIPS, _many("decode(Head, slips)"), 200),
    Row("a refusal", _SLIPS, _many("decode(Head, wrong)"), 200),
    Row("find_calls: one plain call", _FIND, _many("find_calls(text, tools)"), 100),
    Row("wrapped client: a reply with a call in its text", _WRAPPED, "whole(wrapped, {n})", 10, "openai"),
    Row("bare client: the same reply", _WRAPPED, "whole(bare, {n})", 10, "openai", False),
    Row("wrapped client: one chunk of a stream", _WRAPPED, "streamed(wrapped, {n})", 200, "openai"),
    Row("bare client: one chunk of a stream", _WRAPPED, "streamed(bare, {n})", 200, "openai", False),
    Row("repair_json: single quotes and a comma", "from zkit import repair_json", _many("repair_json(\"{{'a': 1, 'b': [1, 2,]}}\")"), 200),
    Row("growth: one of 10,000 tools, made and called", _GROWTH, "calls({n})", 10_000),
    Row("growth: one of 1,000 calls at once", _GROWTH, "parallel({n})", 1_000),
    Row("growth: one of 2,000 messages of a conversation, checked", _GROWTH, "conversation({n})", 2_000),
    Row("growth: one KB of a reply of 1 MB", _GROWTH, "reply({n})", 1_000),
)  # fmt: skip

_IMPORT, _CALL = "import: pydantic", "one call with "
_FIELDS = "validating two fields with pydantic"
LINES = (
    Line("`from zkit import repair_json`", "import: repair_json", 1.3, _IMPORT, rivals=(("json_repair", "import: json_repair"),)),
    Line("first `find_calls` in a process", "first find_calls", 2.5, _IMPORT),
    Line("importing `Dispatcher`", "import: Dispatcher", 3, _IMPORT, rivals=(("openai", "import: openai"),)),
    Line("importing `ChatLoop`", "import: ChatLoop", 4, _IMPORT, rivals=(("openai", "import: openai"),)),
    Line("`zkit repair` on 100 bytes from the shell", "`zkit repair` of 100 bytes", 0.18, unit="s", rivals=(("json_repair", "`json_repair` of 100 bytes"),)),
    Line("one call through the default chain", "one call through the default chain", 200_000, rivals=(
        ("pydantic-ai", f"{_CALL}pydantic-ai's tool manager"), ("openai-agents", f"{_CALL}openai-agents"), ("LangChain", f"{_CALL}LangChain"))),
    Line("decoding valid arguments: a model", "decoding a model", 1.1, "validating a model with pydantic"),
    Line("a TypedDict", "decoding a TypedDict", 1.15, "validating a TypedDict with pydantic"),
    Line("a function", "decoding the arguments of a function", 1.15, "validating the arguments of a function with pydantic"),
    Line("a raw schema in a dict", "decoding a raw schema in a dict", 1.2, "validating a raw schema with jsonschema"),
    Line("two errors in the arguments", "two errors in the arguments", 10, _FIELDS),
    Line("a refusal", "a refusal", 20, _FIELDS),
    Line("wrapped completion with a call in the text", "wrapped client: a reply with a call in its text", 600, "bare client: the same reply", "+", "µs"),
    Line("wrapped stream, one chunk", "wrapped client: one chunk of a stream", 20, "bare client: one chunk of a stream", "+", "µs"),
)  # fmt: skip
"""The goals that were set for costs, in the order in which they were set."""
