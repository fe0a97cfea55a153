"""The formats without a marker: only their shape, their place and the tool list tell them."""

from __future__ import annotations

from zkit.extract.formats.record import Format

_CALL = '{"name": "f", "arguments": {"a": 1, "b": "x"}}'
_PARAMETERS = '{"name": "f", "parameters": {"a": 1, "b": "x"}}'
_ARGS = '{"a": 1, "b": "x"}'
_LIST = "xLAM, Hammer, BitAgent; any model told to reply with a JSON list"
_ANY = "Llama 3.x, Qwen2.5-Coder, Phi, Gemma, small models when the template fails"
_FENCE = ("```json\n", "\n```")

SHAPE_FORMATS: tuple[Format, ...] = (
    Format(
        "openai_envelope", "openai", "shape", "json", "models that echo the OpenAI API",
        '{"tool_calls": [{"id": "call_0a7", "type": "function", "function": {"name": "f", "arguments": "{\\"a\\": 1, \\"b\\": \\"x\\"}"}}]}',
        "object", sign=r"\A\s*\{\s*[\"']tool_calls[\"']\s*:\s*\[\s*\{.*?[\"']function[\"']\s*:\s*\{", spell="openai", frame=('{"tool_calls": [', "]}"), joint=", ",
    ),
    Format(
        "openwebui_envelope", "openai", "shape", "json", "models prompted by Open WebUI",
        '{"tool_calls": [{"name": "f", "parameters": {"a": 1, "b": "x"}}]}',
        "object", sign=r"\A\s*\{\s*[\"']tool_calls[\"']", spell="parameters", frame=('{"tool_calls": [', "]}"), joint=", ",
    ),
    Format(
        "llamacpp_generic", "llamacpp", "shape", "json", "llama.cpp's generic handler",
        f'{{"tool_call": {_CALL}}}',
        "object", sign=r"\A\s*\{\s*[\"']tool_call[\"']", frame=('{"tool_call": ', "}"), parallel=False,
    ),
    Format(
        "forge_tool_args", "forge", "shape", "json", "forge prompts",
        '{"tool": "f", "args": {"a": 1, "b": "x"}}', "object", sign=r"[\"']tool[\"']\s*:", spell="tool_args",
    ),
    Format(
        "tgi_function_name", "tgi", "shape", "json", "TGI's grammar",
        '{"function": {"_name": "f", "a": 1, "b": "x"}}', "object", sign=r"[\"']_name[\"']\s*:", spell="tgi", parallel=False,
    ),
    Format(
        "anthropic_tool_use_json", "anthropic_json", "shape", "json", "echoes of the Claude API",
        '{"type": "tool_use", "id": "toolu_00", "name": "f", "input": {"a": 1, "b": "x"}}',
        "object", sign=r"[\"']input[\"']\s*:", spell="tool_use",
    ),
    Format(
        "llama3_json", "llama3", "shape", "json", "Llama 3.1/3.2/3.3/4 in JSON mode, xLAM-llama",
        _PARAMETERS, "object", sign=r"[\"']parameters[\"']\s*:", spell="parameters", joint="; ",
    ),
    Format("json_object_bare", "json_object", "shape", "json", _ANY, _CALL, "object"),
    Format(
        "json_tag", "json_object", "shape", "json", "small models that put JSON between tags",
        f"<json>\n{_CALL}\n</json>", "json", r"<json>", r"</json>",
        each=("<json>\n", "\n</json>"),
    ),
    Format(
        "json_array_bare", "json_array", "shape", "json", _LIST,
        f"[{_CALL}]", "array", frame=("[", "]"), joint=", ",
    ),
    Format(
        "json_array_fenced", "json_array", "shape", "json", _LIST,
        f"```json\n[{_CALL}]\n```", "fence_array", frame=("```json\n[", "]\n```"), joint=",\n ",
    ),
    Format(
        "json_object_fenced", "json_object", "shape", "json", _ANY,
        '```json\n{\n  "name": "f",\n  "arguments": {\n    "a": 1,\n    "b": "x"\n  }\n}\n```',
        "fence_object", spell="pretty", each=_FENCE,
    ),
    Format(
        "tool_call_fence", "tool_call_fence", "marker", "json", "web proxies, small models",
        f"```tool_call\n{_CALL}\n```", "fence_call", each=("```tool_call\n", "\n```"),
    ),
    Format(
        "command_r_action", "command_r", "shape", "json", "Command R and R+",
        'Action:\n```json\n[\n    {"tool_name": "f", "parameters": {"a": 1, "b": "x"}}\n]\n```',
        "action", sign=r"[\"']tool_name[\"']\s*:", spell="tool_name", frame=("Action:\n```json\n[\n", "\n]\n```"), each=("    ", ""), joint=",\n",
    ),
    Format(
        "langchain_structured_chat", "langchain", "shape", "json", "LangChain structured chat",
        'Action:\n```json\n{\n  "action": "f",\n  "action_input": {\n    "a": 1,\n    "b": "x"\n  }\n}\n```',
        "action", sign=r"[\"']action[\"']\s*:", spell="action", frame=("Action:\n```json\n", "\n```"), parallel=False,
        result=("Observation: ", ""),
    ),
    Format(
        "smolagents_action", "smolagents", "shape", "json", "smolagents",
        'Action:\n{\n  "name": "f",\n  "arguments": {\n    "a": 1,\n    "b": "x"\n  }\n}',
        "action", spell="pretty", frame=("Action:\n", ""), parallel=False, result=("Observation:\n", ""),
    ),
    Format(
        "react", "react", "shape", "json", "ReAct prompts: LangChain, LlamaIndex, CrewAI, Dify",
        f"Thought: the next step is clear.\nAction: f\nAction Input: {_ARGS}",
        "react", spell="arguments", each=("Thought: the next step is clear.\nAction: $name\nAction Input: ", ""), parallel=False,
        result=("Observation: ", ""),
    ),
    Format(
        "chatml_functions_colon", "chatml", "shape", "json", "llama-cpp-python's chatml-function-calling",
        f"functions.f:\n{_ARGS}", "functions_colon", spell="arguments", each=("functions.$name:\n", ""),
    ),
    Format(
        "glm4_name_newline_json", "glm4", "shape", "json", "GLM-4-9B, GLM-4-0414",
        f"f\n{_ARGS}", "name_line", spell="arguments", each=("$name\n", ""), parallel=False,
    ),
)  # fmt: skip
