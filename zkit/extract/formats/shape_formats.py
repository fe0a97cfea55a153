"""The formats without a marker, and those that write calls as Python does."""

from __future__ import annotations

from zkit.extract.formats.record import Format

_LIST = "xLAM, Hammer, BitAgent; any model told to reply with a JSON list"
_ANY = "Llama 3.x, Qwen2.5-Coder, Phi, Gemma, small models when the template fails"
_FENCE = ("```json\n", "\n```")

SHAPE_FORMATS: tuple[Format, ...] = (
    Format("openai_envelope", "openai", "shape", "json", "models that echo the OpenAI API", "object", sign=r"\A\s*\{\s*[\"']tool_calls[\"']\s*:\s*\[\s*\{.*?[\"']function[\"']\s*:\s*\{",
           spell="openai", frame=('{"tool_calls": [', "]}"), joint=", "),
    Format("openwebui_envelope", "openai", "shape", "json", "models prompted by Open WebUI", "object", sign=r"\A\s*\{\s*[\"']tool_calls[\"']",
           spell="parameters", frame=('{"tool_calls": [', "]}"), joint=", "),
    Format("llamacpp_generic", "llamacpp", "shape", "json", "llama.cpp's generic handler", "object", sign=r"\A\s*\{\s*[\"']tool_call[\"']",
           frame=('{"tool_call": ', "}"), parallel=False),
    Format("forge_tool_args", "forge", "shape", "json", "forge prompts", "object", sign=r"[\"']tool[\"']\s*:", spell="tool_args"),
    Format("tgi_function_name", "tgi", "shape", "json", "TGI's grammar", "object", sign=r"[\"']_name[\"']\s*:", spell="tgi", parallel=False),
    Format("anthropic_tool_use_json", "anthropic_json", "shape", "json", "echoes of the Claude API", "object", sign=r"[\"']input[\"']\s*:",
           spell="tool_use"),
    Format("llama3_json", "llama3", "shape", "json", "Llama 3.1/3.2/3.3/4 in JSON mode, xLAM-llama", "object", sign=r"[\"']parameters[\"']\s*:",
           spell="parameters", joint="; "),
    Format("json_object_bare", "json_object", "shape", "json", _ANY, "object"),
    Format("json_tag", "json_object", "shape", "json", "small models that put JSON between tags", "json", r"<json>", r"</json>",
           each=("<json>\n", "\n</json>")),
    Format("json_array_bare", "json_array", "shape", "json", _LIST, "array", frame=("[", "]"), joint=", "),
    Format("json_array_fenced", "json_array", "shape", "json", _LIST, "fence_array", frame=("```json\n[", "]\n```"), joint=",\n "),
    Format("json_object_fenced", "json_object", "shape", "json", _ANY, "fence_object", spell="pretty", each=_FENCE),
    Format("tool_call_fence", "tool_call_fence", "marker", "json", "web proxies, small models", "fence_call", each=("```tool_call\n", "\n```")),
    Format("command_r_action", "command_r", "shape", "json", "Command R and R+", "action", sign=r"[\"']tool_name[\"']\s*:",
           spell="tool_name", frame=("Action:\n```json\n[\n", "\n]\n```"), each=("    ", ""), joint=",\n"),
    Format("langchain_structured_chat", "langchain", "shape", "json", "LangChain structured chat", "action", sign=r"[\"']action[\"']\s*:",
           spell="action", frame=("Action:\n```json\n", "\n```"), parallel=False, result=("Observation: ", "")),
    Format("smolagents_action", "smolagents", "shape", "json", "smolagents", "action",
           spell="pretty", frame=("Action:\n", ""), parallel=False, result=("Observation:\n", "")),
    Format("react", "react", "shape", "json", "ReAct prompts: LangChain, LlamaIndex, CrewAI, Dify", "react",
           spell="arguments", each=("Thought: the next step is clear.\nAction: $name\nAction Input: ", ""), parallel=False, result=("Observation: ", "")),
    Format("chatml_functions_colon", "chatml", "shape", "json", "llama-cpp-python's chatml-function-calling", "functions_colon",
           spell="arguments", each=("functions.$name:\n", "")),
    Format("glm4_name_newline_json", "glm4", "shape", "json", "GLM-4-9B, GLM-4-0414", "name_line",
           spell="arguments", each=("$name\n", ""), parallel=False),
)  # fmt: skip

_LISTS = ("Llama 3.2/4, ToolACE, watt-tool, Gemma 3 prompts",)

PYTHON_FORMATS: tuple[Format, ...] = (
    Format("llama3_builtin", "llama3", "marker", "python", "Llama 3.1 built-in tools", "python", r"<\|python_tag\|>",
           spell="python_double", frame=("<|python_tag|>", ""), each=("$name.call", ""), joint="; "),
    Format("pythonic_list", "pythonic", "shape", "python", *_LISTS, "python_list", spell="python", frame=("[", "]"), joint=", "),
    Format("llama4_python_tokens", "pythonic", "marker", "python", *_LISTS, "python_list", r"<\|python_start\|>", r"<\|python_end\|>",
           spell="python", frame=("<|python_start|>[", "]<|python_end|>"), joint=", "),
    Format("lfm2", "lfm2", "marker", "python", "LFM2, LFM2.5", "python_list", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>",
           spell="python", frame=("<|tool_call_start|>[", "]<|tool_call_end|>"), joint=", ", result=("<|tool_response_start|>", "<|tool_response_end|>")),
    Format("olmo3", "olmo3", "marker", "python", "OLMo 3", "python", r"<function_calls>|<[a-z]{2,10}:function_calls>", r"</(?:[a-z]{2,10}:)?+function_calls>",
           spell="python", frame=("<function_calls>\n", "\n</function_calls>")),
    Format("nemotron_pythonic", "nemotron", "marker", "python", "Nemotron prompts of BFCL", "python_list", r"<TOOLCALL>|<toolcall>", r"</(?i:toolcall)>",
           spell="python", frame=("<TOOLCALL>[", "]</TOOLCALL>"), joint=", "),
    Format("minicpm3_python", "minicpm3", "marker", "python", "MiniCPM3", "python", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>",
           spell="python", frame=("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>")),
    Format("gemma_tool_code", "gemma", "marker", "python", "Gemma 2/3, Gemini's text fallback", "fence_python",
           spell="python", frame=("```tool_code\n", "\n```"), result=("```tool_output\n", "\n```")),
    Format("gorilla_brackets", "gorilla", "marker", "python", "Gorilla OpenFunctions", "python", r"<<function>>",
           spell="python", each=("<<function>>$name", ""), joint=" "),
    Format("nexusraven", "nexusraven", "shape", "python", "NexusRaven v2", "label_call", spell="python", frame=("Call: ", " <bot_end>"), joint="; "),
)  # fmt: skip
