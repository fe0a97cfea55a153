"""The formats that write calls as Python does."""

from __future__ import annotations

from zkit.extract.formats.record import Format

_CALL = "f(a=1, b='x')"
_LISTS = ("Llama 3.2/4, ToolACE, watt-tool, Gemma 3 prompts",)

PYTHON_FORMATS: tuple[Format, ...] = (
    Format(
        "llama3_builtin", "llama3", "marker", "python", "Llama 3.1 built-in tools",
        '<|python_tag|>f.call(a=1, b="x")',
        "python", r"<\|python_tag\|>", spell="python_double", frame=("<|python_tag|>", ""), each=("$name.call", ""), joint="; ",
    ),
    Format(
        "pythonic_list", "pythonic", "shape", "python", *_LISTS,
        f"[{_CALL}]", "python_list", spell="python", frame=("[", "]"), joint=", ",
    ),
    Format(
        "llama4_python_tokens", "pythonic", "marker", "python", *_LISTS,
        f"<|python_start|>[{_CALL}]<|python_end|>",
        "python_list", r"<\|python_start\|>", r"<\|python_end\|>",
        spell="python", frame=("<|python_start|>[", "]<|python_end|>"), joint=", ",
    ),
    Format(
        "lfm2", "lfm2", "marker", "python", "LFM2, LFM2.5",
        f"<|tool_call_start|>[{_CALL}]<|tool_call_end|>",
        "python_list", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>",
        spell="python", frame=("<|tool_call_start|>[", "]<|tool_call_end|>"), joint=", ",
        result=("<|tool_response_start|>", "<|tool_response_end|>"),
    ),
    Format(
        "olmo3", "olmo3", "marker", "python", "OLMo 3",
        f"<function_calls>\n{_CALL}\n</function_calls>",
        "python", r"<function_calls>|<[a-z]{2,10}:function_calls>", r"</(?:[a-z]{2,10}:)?+function_calls>",
        spell="python", frame=("<function_calls>\n", "\n</function_calls>"),
    ),
    Format(
        "nemotron_pythonic", "nemotron", "marker", "python", "Nemotron prompts of BFCL",
        f"<TOOLCALL>[{_CALL}]</TOOLCALL>",
        "python_list", r"<TOOLCALL>|<toolcall>", r"</(?i:toolcall)>",
        spell="python", frame=("<TOOLCALL>[", "]</TOOLCALL>"), joint=", ",
    ),
    Format(
        "minicpm3_python", "minicpm3", "marker", "python", "MiniCPM3",
        f"<|tool_call_start|>\n```python\n{_CALL}\n```\n<|tool_call_end|>",
        "python", r"<\|tool_call_start\|>", r"<\|tool_call_end\|>",
        spell="python", frame=("<|tool_call_start|>\n```python\n", "\n```\n<|tool_call_end|>"),
    ),
    Format(
        "gemma_tool_code", "gemma", "marker", "python", "Gemma 2/3, Gemini's text fallback",
        f"```tool_code\n{_CALL}\n```",
        "fence_python", spell="python", frame=("```tool_code\n", "\n```"), result=("```tool_output\n", "\n```"),
    ),
    Format(
        "gorilla_brackets", "gorilla", "marker", "python", "Gorilla OpenFunctions",
        f"<<function>>{_CALL}",
        "python", r"<<function>>", spell="python", each=("<<function>>$name", ""), joint=" ",
    ),
    Format(
        "nexusraven", "nexusraven", "shape", "python", "NexusRaven v2",
        f"Call: {_CALL} <bot_end>",
        "label_call", spell="python", frame=("Call: ", " <bot_end>"), joint="; ",
    ),
)  # fmt: skip
