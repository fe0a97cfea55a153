"""Calls zkit and each installed rival with a text and tools; each returns calls and visible text."""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from benchmarks.time_limit import TooSlowError, limited
from zkit.extract import find_calls

Tools = Sequence[Mapping[str, Any]]


class Found(NamedTuple):
    """What a library made of a completion; `content` is None when it has no opinion on that."""

    calls: list[tuple[str, Any]]
    content: str | None = None
    note: str = ""
    doubtful: tuple[tuple[str, Any], ...] = ()
    """Calls that the library found and asks the model to confirm; only zkit has such a list."""


Find = Callable[[str, Tools], Found]


class Finder(NamedTuple):
    """A library under test."""

    name: str
    find: Find

    def run(self, text: str, tools: Tools) -> Found:
        """What the library finds within the time limit; a call of an unknown tool is not counted."""
        try:
            found = limited(self.find, text, tools)
        except (Exception, TooSlowError) as error:
            return Found([], None, type(error).__name__)
        names = {tool["name"] for tool in tools}
        return found._replace(calls=[call for call in found.calls if call[0] in names])


def find_zkit(text: str, tools: Tools) -> Found:
    """zkit, without being told the format."""
    found = find_calls(text, tools)
    lists: dict[str, tuple[Any, ...]] = {"unknown": found.unknown, "incomplete": found.incomplete}
    note = ", ".join(
        f"{name}: {[one.name for one in held]}" for name, held in lists.items() if held
    )
    origins = " ".join(call.origin for call in found.calls)
    calls = [(call.name, call.arguments) for call in found.calls]
    doubtful = tuple((call.name, call.arguments) for call in found.doubtful)
    return Found(calls, found.content or "", f"{origins} {note}".strip(), doubtful)


def _parsed(arguments: Any) -> Any:
    """Arguments that came as text, read the way their library would."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return json.loads(arguments)
    except ValueError:
        return arguments


def _adk() -> Find:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # no network
    logging.getLogger("LiteLLM").setLevel(logging.ERROR)
    parse = import_module("google.adk.models.lite_llm")._parse_tool_calls_from_text
    parse("{}")  # the first call imports litellm

    def find(text: str, _tools: Tools) -> Found:
        calls, rest = parse(text)
        made = [(call.function.name, _parsed(call.function.arguments)) for call in calls]
        return Found(made, (rest or "") if calls else text)

    return find


def _smolagents() -> Find:
    read = import_module("smolagents.models").get_tool_call_from_text

    def find(text: str, _tools: Tools) -> Found:
        call = read(text, "name", "arguments")
        return Found([(call.function.name, _parsed(call.function.arguments))])

    return find


LANGCHAIN = (
    "ReActSingleInputOutputParser",
    "ReActJsonSingleInputOutputParser",
    "JSONAgentOutputParser",
    "XMLAgentOutputParser",
)


def _langchain() -> Find:
    """Its four parsers of agents' text, in turn: the first that reads a step counts."""
    module = import_module("langchain_classic.agents.output_parsers")
    parsers = [getattr(module, name)() for name in LANGCHAIN]

    def find(text: str, _tools: Tools) -> Found:
        for parser in parsers:
            try:
                step = parser.parse(text)
            except Exception:
                continue
            if hasattr(step, "tool"):
                return Found([(step.tool, _parsed(step.tool_input))])
        return Found([])

    return find


def _llama_index() -> Find:
    parser = import_module("llama_index.core.agent.react.output_parser").ReActOutputParser()

    def find(text: str, _tools: Tools) -> Found:
        step = parser.parse(text)
        action = getattr(step, "action", None)
        return Found([(action, step.action_input)] if action else [])

    return find


def _qwen_agent() -> Find:
    """The prompt that its agents use by default."""
    prompts = import_module("qwen_agent.llm.fncall_prompts.nous_fncall_prompt")
    schema = import_module("qwen_agent.llm.schema")
    logging.getLogger("qwen_agent_logger").setLevel(logging.CRITICAL)
    prompt = prompts.NousFnCallPrompt()

    def find(text: str, _tools: Tools) -> Found:
        message = schema.Message(schema.ASSISTANT, [schema.ContentItem(text=text)])
        parts = prompt.postprocess_fncall_messages([message])
        made = [part.function_call for part in parts if part.function_call]
        content = "".join(item.text for part in parts for item in part.content if item.text)
        return Found([(call.name, _parsed(call.arguments)) for call in made], content)

    return find


RIVALS: Mapping[str, Callable[[], Find]] = {
    "google-adk": _adk,
    "qwen-agent": _qwen_agent,
    "smolagents": _smolagents,
    "langchain": _langchain,
    "llama-index": _llama_index,
}


def finders(wanted: str = "") -> list[Finder]:
    """zkit, then every rival that is installed."""
    ours = Finder("zkit", find_zkit)
    return [found for found in (ours, *_installed(wanted)) if wanted in found.name]


def _installed(wanted: str) -> Iterator[Finder]:
    for name, load in RIVALS.items():
        if wanted in name:
            try:
                yield Finder(name, load())
            except ImportError as missing:
                print(f"without {name}: {missing}")
