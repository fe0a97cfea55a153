"""The formats whose calls are JSON, written from a name and arguments."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from benchmarks.extract_format import FENCE, Args, Format, Write
from benchmarks.extract_spelling import Spell, pretty, strict


def named(
    opener: str = "",
    closer: str = "",
    *,
    name_key: str = "name",
    key: str = "arguments",
    extra: Callable[[int], Mapping[str, Any]] = lambda _: {},
    last: bool = False,
) -> Write:
    """An object with a name and arguments; `extra` members stand first, or last."""

    def write(name: str, args: Args, at: int, spell: Spell) -> tuple[str, str]:
        own = {name_key: name, key: dict(args)}
        whole = {**own, **extra(at)} if last else {**extra(at), **own}
        return opener + spell(whole), closer

    return write


def named_pretty(opener: str, closer: str, name_key: str = "name", key: str = "arguments") -> Write:
    """The same over several lines."""

    def write(name: str, args: Args, at: int, spell: Spell) -> tuple[str, str]:
        whole = {name_key: name, key: dict(args)}
        return opener + (pretty(whole) if spell is strict else spell(whole)), closer

    return write


def name_then(before: str, between: str, closer: str = "") -> Write:
    """A name, then the arguments as one object; `№` in a part is the number of the call."""

    def write(name: str, args: Args, at: int, spell: Spell) -> tuple[str, str]:
        opener = (before + "\0" + between).replace("№", str(at)).replace("\0", name)
        return opener + spell(dict(args)), closer

    return write


def in_quotes(name: str, args: Args, _at: int, spell: Spell) -> tuple[str, str]:
    """Glaive: the arguments between apostrophes, not escaped."""
    opener = '<functioncall> {"name": "' + name + '", "arguments": '
    return f"{opener}'{spell(dict(args))}'}}", " <|endoftext|>"


def by_name(name: str, args: Args, _at: int, spell: Spell) -> tuple[str, str]:
    """Apertus: the name is the key."""
    return spell({name: dict(args)}), ""


def openai_item(name: str, args: Args, at: int, spell: Spell) -> tuple[str, str]:
    """The item of an OpenAI answer: the arguments are a string that holds JSON."""
    function = {"name": name, "arguments": json.dumps(dict(args), ensure_ascii=False)}
    return spell({"id": f"call_{at}a7", "type": "function", "function": function}), ""


def generic(name: str, args: Args, _at: int, spell: Spell) -> tuple[str, str]:
    """Llama.cpp's own schema."""
    return spell({"tool_call": {"name": name, "arguments": dict(args)}}), ""


def tgi(name: str, args: Args, _at: int, spell: Spell) -> tuple[str, str]:
    """TGI: the name among the arguments."""
    return spell({"function": {"_name": name, **args}}), ""


MISTRAL_IDS = ("k3Fq9Zx00", "Wb71rTq2c", "9sGh2LmPa")

JSON_FORMATS = (
    Format("hermes_json", "tag", "json", named("<tool_call>\n", "\n</tool_call>")),
    Format("hermes_compact", "tag", "json", named("<tool_call>", "</tool_call>"), sep=""),
    Format("longcat_json", "tag", "json", named("<longcat_tool_call>", "</longcat_tool_call>"),
           thinks=lambda thought: f"<longcat_think>{thought}</longcat_think>\n"),
    Format("tool_calls_array", "tag", "json", named(), "<tool_calls>[", ", ", "]</tool_calls>"),
    Format("minimax_m1_lines", "tag", "json", named(), "<tool_calls>\n", "\n", "\n</tool_calls>"),
    Format("nemotron_json", "tag", "json", named(), "<TOOLCALL>[", ", ", "]</TOOLCALL>"),
    Format("granite3_token", "marker", "json", named(), "<|tool_call|>[", ", ", "]"),
    Format("granite31_array", "tag", "json", named(), "<tool_call>[", ", ", "]",
           thinks=lambda thought: f"Here is my thought process: {thought}\nHere is my response:\n"),
    Format("granite20b_fc", "tag", "json", named("<function_call> ")),
    Format("glaive_functioncall", "tag", "json", in_quotes, parallel=False, breaks=False),
    Format("phi4_functools", "marker", "json", named(), "functools[", ", ", "]"),
    Format("phi4_tag", "marker", "json", named(), "<|tool_call|>[", ", ", "]<|/tool_call|>"),
    Format("mistral_array", "marker", "json", named(extra=lambda at: {"id": MISTRAL_IDS[at % 3]}, last=True),
           "[TOOL_CALLS] [", ", ", "]", thinks=lambda thought: f"[THINK]{thought}[/THINK]"),
    Format("mistral_name_json", "marker", "json", name_then("[TOOL_CALLS]", ""), sep="",
           thinks=lambda thought: f"[THINK]{thought}[/THINK]"),
    Format("mistral_args", "marker", "json", name_then("[TOOL_CALLS]", "[ARGS]"), sep="",
           thinks=lambda thought: f"[THINK]{thought}[/THINK]"),
    Format("mistral_callid", "marker", "json", name_then("[TOOL_CALLS]", "[CALL_ID]q7Lm2Rt5№[ARGS]"), sep=""),
    Format("llama3_json", "shape", "json", named(key="parameters"), sep="; ", after=False),
    Format("llama3_python_tag", "marker", "json", named(key="parameters"), "<|python_tag|>", "; ", after=False),
    Format("llama31_function_tag", "tag", "json", name_then("<function=", ">", "</function>"), sep=""),
    Format("functionary_v32", "marker", "json", name_then(">>>", "\n"), after=False,
           before=lambda prose: f">>>all\n{prose}\n"),
    Format("functionary_v2", "marker", "json", name_then("<|recipient|>", "\n<|content|>"), sep="\n<|from|>assistant\n",
           after=False, before=lambda prose: f"<|recipient|>all\n<|content|>{prose}\n<|from|>assistant\n"),
    Format("lmstudio_request", "marker", "json", named("[TOOL_REQUEST]", "[END_TOOL_REQUEST]")),
    Format("qwen_bracket_calling", "marker", "json", name_then("[Calling tool: ", "(", ")]")),
    Format("internlm2_plugin", "marker", "json", named("<|action_start|><|plugin|>\n", "<|action_end|>", key="parameters")),
    Format("cohere_action", "marker", "json",
           named("    ", name_key="tool_name", key="parameters", extra=lambda at: {"tool_call_id": str(at)}),
           "<|START_ACTION|>[\n", ",\n", "\n]<|END_ACTION|>",
           thinks=lambda thought: f"<|START_THINKING|>{thought}<|END_THINKING|>"),
    Format("command_r_action", "shape", "json", named("    ", name_key="tool_name", key="parameters"),
           f"Action:\n{FENCE}json\n[\n", ",\n", f"\n]\n{FENCE}", after=False),
    Format("apertus", "marker", "json", by_name, "<|tools_prefix|>[", ", ", "]<|tools_suffix|>",
           thinks=lambda thought: f"<|inner_prefix|>{thought}<|inner_suffix|>"),
    Format("gigachat3", "marker", "json", named(), "<|message_sep|>\n\nfunction call<|role_sep|>\n", parallel=False, after=False),
    Format("gigachat31", "marker", "json", named("<|function_call|>"), parallel=False, after=False),
    Format("sarashina_pyjson", "marker", "python", named(), "<|tool_calls|>[", ", ", "]", after=False),
    Format("deepseek_v3", "marker", "json",
           name_then("<｜tool▁call▁begin｜>function<｜tool▁sep｜>", f"\n{FENCE}json\n", f"\n{FENCE}<｜tool▁call▁end｜>"),
           "<｜tool▁calls▁begin｜>", "\n", "<｜tool▁calls▁end｜>"),
    Format("deepseek_v31", "marker", "json", name_then("<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
           "<｜tool▁calls▁begin｜>", "", "<｜tool▁calls▁end｜>"),
    Format("kimi_k2", "marker", "json",
           name_then("<|tool_call_begin|>functions.", ":№<|tool_call_argument_begin|>", "<|tool_call_end|>"),
           "<|tool_calls_section_begin|>", "", "<|tool_calls_section_end|>"),
    Format("solar_open", "marker", "json",
           name_then("<|tool_call:begin|>c№x91<|tool_call:name|>", "<|tool_call:args|>", "<|tool_call:end|>"),
           "<|tool_calls|>", ""),
    Format("inkling", "marker", "json",
           named("<|message_model|><|content_invoke_tool_json|>", "<|end_message|>", key="args"), sep="", after=False,
           before=lambda prose: f"<|message_model|><|content_text|>{prose}<|end_message|>",
           thinks=lambda thought: f"<|message_model|><|content_thinking|>{thought}<|end_message|>"),
    Format("harmony", "marker", "json",
           name_then("<|channel|>commentary to=functions.", " <|constrain|>json<|message|>", "<|call|>"),
           sep="<|start|>assistant", after=False,
           before=lambda prose: f"<|channel|>commentary<|message|>{prose}<|end|><|start|>assistant",
           thinks=lambda thought: f"<|channel|>analysis<|message|>{thought}<|end|><|start|>assistant"),
    Format("harmony_role_recipient", "marker", "json",
           name_then("<|start|>assistant to=functions.", "<|channel|>commentary json<|message|>", "<|call|>"),
           sep="", after=False,
           before=lambda prose: f"<|start|>assistant<|channel|>commentary<|message|>{prose}<|end|>",
           thinks=lambda thought: f"<|start|>assistant<|channel|>analysis<|message|>{thought}<|end|>"),
    Format("qwen_fn_flower", "marker", "json", name_then("✿FUNCTION✿: ", "\n✿ARGS✿: "), foot="\n✿RESULT✿", after=False),
    Format("tag_name_then_json", "tag", "json", name_then("<tool_call>", "\n", "</tool_call>")),
    Format("langchain_xml", "tag", "json", name_then("<tool>", "</tool><tool_input>", "</tool_input>"), parallel=False),
    Format("json_array_bare", "shape", "json", named(), "[", ", ", "]", after=False),
    Format("json_array_fenced", "shape", "json", named(), f"{FENCE}json\n[", ",\n ", f"]\n{FENCE}", after=False),
    Format("json_object_bare", "shape", "json", named(), after=False),
    Format("json_object_fenced", "shape", "json", named_pretty(f"{FENCE}json\n", f"\n{FENCE}"), after=False),
    Format("tool_call_fence", "marker", "json", named(f"{FENCE}tool_call\n", f"\n{FENCE}"), after=False),
    Format("openai_envelope", "shape", "json", openai_item, '{"tool_calls": [', ", ", "]}", after=False, breaks=False),
    Format("openwebui_envelope", "shape", "json", named(key="parameters"), '{"tool_calls": [', ", ", "]}", after=False),
    Format("llamacpp_generic", "shape", "json", generic, parallel=False, after=False),
    Format("forge_tool_args", "shape", "json", named(name_key="tool", key="args"), after=False),
    Format("tgi_function_name", "shape", "json", tgi, parallel=False, after=False),
    Format("anthropic_tool_use_json", "shape", "json",
           named(key="input", extra=lambda at: {"type": "tool_use", "id": f"toolu_0{at}"}), after=False),
    Format("react", "shape", "json", name_then("Action: ", "\nAction Input: "), parallel=False, after=False,
           before=None, thinks=lambda thought: f"Thought: {thought}\n"),
    Format("langchain_structured_chat", "shape", "json",
           named_pretty("", "", "action", "action_input"), f"Action:\n{FENCE}json\n", foot=f"\n{FENCE}", parallel=False, after=False),
    Format("smolagents_action", "shape", "json", named_pretty("Action:\n", ""), parallel=False, after=False),
    Format("dspy_react", "marker", "json",
           name_then("[[ ## next_tool_name ## ]]\n", "\n\n[[ ## next_tool_args ## ]]\n", "\n\n[[ ## completed ## ]]"),
           parallel=False, after=False, before=None,
           thinks=lambda thought: f"[[ ## next_thought ## ]]\n{thought}\n\n"),
    Format("chatml_functions_colon", "shape", "json", name_then("functions.", ":\n"), after=False),
    Format("glm4_name_newline_json", "shape", "json", name_then("", "\n"), parallel=False, before=None, after=False),
)  # fmt: skip
