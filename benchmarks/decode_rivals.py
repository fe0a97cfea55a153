"""Calls zkit and each installed rival with a model and a text; each returns typed arguments or a refusal."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import FrameType
from typing import Any, NamedTuple

from pydantic import BaseModel

from benchmarks.decode_baml import baml_decoder
from benchmarks.decode_tools import TOOLS
from benchmarks.rivals import TooSlowError
from zkit.arguments import Decoded, decode
from zkit.results import Validation

TIME_LIMIT = 2.0
Model = type[BaseModel]
Read = Callable[[Model, str], Any]


class Answer(NamedTuple):
    """Typed arguments, or None for a refusal, with a note on how it came about."""

    value: BaseModel | None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Library:
    """A library under test; `read` returns an instance of the model or an Answer, or raises."""

    name: str
    read: Callable[[Model, str, str | None], Any]

    @property
    def ours(self) -> bool:
        """True for zkit, with the model or with its bare JSON Schema."""
        return self.name.startswith("zkit")

    def run(self, model: Model, text: str, finish_reason: str | None) -> Answer:
        """What the library says within the time limit."""
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
        try:
            found = self.read(model, text, finish_reason)
        except (Exception, TooSlowError) as error:
            return Answer(None, f"{type(error).__name__}: {error}"[:300])
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        return found if isinstance(found, Answer) else Answer(found)


def read_zkit(model: Model, text: str, finish_reason: str | None) -> Answer:
    """zkit's answer, with its receipt or its message as the note."""
    return _answer(decode(model, text, finish_reason=finish_reason))


def read_zkit_schema(model: Model, text: str, finish_reason: str | None) -> Answer:
    """zkit's answer for a tool of which only the JSON Schema is known, as of an MCP server."""
    answer = _answer(decode(_schema(model), text, finish_reason=finish_reason))
    if answer.value is None:
        return answer
    # A model of the arguments is only for the comparison.
    return answer._replace(value=model.model_validate(answer.value))


@cache
def _schema(model: Model) -> dict[str, Any]:
    return model.model_json_schema()


def _answer(outcome: Decoded | Validation) -> Answer:
    if isinstance(outcome, Validation):
        return Answer(None, f"{outcome.code}: {outcome.message}")
    fixes = ", ".join(fix.name for fix in outcome.fixes)
    return Answer(outcome.value, f"{outcome.rank.name}: {fixes}")


def _pydantic() -> Read:
    return lambda model, text: model.model_validate_json(text)


def _json_repair() -> Read:
    loads = import_module("json_repair").loads
    return lambda model, text: model.model_validate(loads(text))


def _json_repair_schema() -> Read:
    import_module("jsonschema")  # its schema mode raises on every text without it
    loads = import_module("json_repair").loads
    return lambda model, text: model.model_validate(loads(text, schema=model))


def _pydantic_ai() -> Read:
    """What its ToolManager does before a tool runs: `validate_json(args or "{}")` of the tool's schema."""
    tool = import_module("pydantic_ai").Tool

    def validator(model: Model) -> Any:
        def run(request: Any) -> Any:
            return request

        run.__annotations__["request"] = model
        return tool(run, takes_ctx=False, name=model.__name__).function_schema.validator

    ready = {model: validator(model) for model in TOOLS.values()}
    return lambda model, text: ready[model].validate_json(text or "{}")["request"]


def _langchain() -> Read:
    """What ChatOpenAI and ToolNode do: `parse_tool_call`, then the tool is invoked with the arguments."""
    parse = import_module("langchain_core.output_parsers.openai_tools").parse_tool_call
    structured = import_module("langchain_core.tools").StructuredTool

    def tool(model: Model) -> Any:
        def run(**arguments: Any) -> Any:
            return arguments

        return structured.from_function(
            func=run, name=model.__name__, description="a tool", args_schema=model
        )

    ready = {model: tool(model) for model in TOOLS.values()}

    def read(model: Model, text: str) -> Any:
        call = parse({"function": {"name": model.__name__, "arguments": text}, "id": "1"})
        # The function has the validated values; a model of them is only for the comparison.
        return model.model_construct(**ready[model].invoke(call["args"]))

    return read


OURS: Mapping[str, Callable[[Model, str, str | None], Answer]] = {
    "zkit": read_zkit,
    "zkit, JSON Schema only": read_zkit_schema,
}
RIVALS: Mapping[str, Callable[[], Read]] = {
    "json_repair + pydantic": _json_repair,
    "json_repair schema mode": _json_repair_schema,
    "BAML": baml_decoder,
    "pydantic-ai": _pydantic_ai,
    "LangChain": _langchain,
    "pydantic": _pydantic,
}


def libraries(wanted: str = "") -> list[Library]:
    """zkit, then every rival that is installed."""
    signal.signal(signal.SIGALRM, _stop)
    ours = [Library(name, read) for name, read in OURS.items()]
    found = [*ours, *_installed(wanted)]
    return [library for library in found if wanted in library.name]


def _installed(wanted: str) -> Iterator[Library]:
    for name, load in RIVALS.items():
        if wanted in name:
            try:
                yield Library(name, _without_reason(load()))
            except ImportError as missing:
                print(f"without {name}: {missing}")


def _without_reason(read: Read) -> Callable[[Model, str, str | None], Any]:
    """No rival takes the server's word on why the text ended."""
    return lambda model, text, _finish_reason: read(model, text)


def _stop(_number: int, _frame: FrameType | None) -> None:
    raise TooSlowError
