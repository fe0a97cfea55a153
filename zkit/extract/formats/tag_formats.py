"""The formats that write arguments as raw text between tags, or in a notation of their own."""

from __future__ import annotations

from zkit.extract.formats.json_formats import (
    DEEPSEEK_BEGIN,
    DEEPSEEK_END,
    RESPONSE,
    TOOL_CALL,
    TOOL_CALLS,
)
from zkit.extract.formats.record import Format
from zkit.extract.parsers.tag_dialects import M3

_EQ = ("<parameter=$key>", "</parameter>\n")
_INVOKE = ('<parameter name="$key">', "</parameter>\n")
_INVOKE_EACH = ('<invoke name="$name">\n', "</invoke>")
_CODER = "Qwen3-Coder, Qwen3.5/3.6/3.8, Nemotron 3, Step-3.5, MiMo-V2, Intern-S2-Preview"
_GLM = "GLM-4.5/4.6/4.7/5, Ling 3, Laguna"
_ARG = ("<arg_key>$key</arg_key>\n<arg_value>", "</arg_value>\n")
_BARS = r"[|｜‖]{1,2}"
_BLOCKS = "(?:function_calls|tool_calls|tool_use|calls)"
_DSML = (rf"<{_BARS}\s?DSML\s?{_BARS}\s?{_BLOCKS}>", rf"</{_BARS}\s?DSML\s?{_BARS}\s?{_BLOCKS}>")
_FUNCTION_CALLS = (
    r"<function_calls>|<[a-z]{2,10}:function_calls>",
    r"</(?:[a-z]{2,10}:)?+function_calls>",
)
_FENCE = r"\s*+(?:```|~~~)"
_D = "｜DSML｜"
_S = ":opensource"


def _dsml(name: str, block: str, blank: str, models: str, sign: str) -> Format:
    """Return a format in DeepSeek's markup language; block name and blanks in tags vary by version."""
    d = f"{_D}{blank}"
    return Format(name, "dsml", "marker", "raw", models, "invoke", *_DSML, sign=sign,
                  spell="markup", frame=(f"<{d}{block}>\n", f"\n</{d}{block}>"), each=(f'<{d}invoke name="$name">\n', f"</{d}invoke>"),
                  param=(f'<{d}parameter name="$key" string="$string">', f"</{d}parameter>\n"))  # fmt: skip


MARKUP_FORMATS: tuple[Format, ...] = (
    Format("qwen3_coder", "qwen3_coder", "marker", "raw", _CODER, "function_eq", *TOOL_CALL, sign=r"<tool_call>\s*\n",
           spell="markup", each=("<tool_call>\n<function=$name>\n", "</function>\n</tool_call>"), param=("<parameter=$key>\n", "\n</parameter>\n"),
           result=RESPONSE),
    Format("qwen3_coder_inline", "qwen3_coder", "marker", "raw", _CODER, "function_eq", *TOOL_CALL,
           spell="markup", each=("<tool_call><function=$name>", "</function></tool_call>"), param=("<parameter=$key>", "</parameter>"), joint="",
           result=RESPONSE),
    Format("function_param_bare", "qwen3_coder", "marker", "raw", "Qwen3-Coder slips, OpenHands and SWE prompts", "function_eq",
           spell="markup", each=("<function=$name>\n", "</function>"), param=_EQ),
    Format("seed_oss", "seed", "marker", "raw", "Seed-OSS 36B", "function_eq", r"<seed:tool_call>", r"</seed:tool_call>",
           spell="markup", each=("<seed:tool_call>\n<function=$name>\n", "</function>\n</seed:tool_call>"), param=_EQ),
    Format("glm45", "glm", "marker", "raw", _GLM, "key_value", *TOOL_CALL, sign=r"<tool_call>[^<>]*\n\s*<arg_key>",
           spell="markup", each=("<tool_call>$name\n", "</tool_call>"), param=_ARG, result=RESPONSE),
    Format("telechat4_kv", "telechat", "marker", "raw", "TeleChat4, Xing 4", "key_value", *TOOL_CALL, sign=r"<param_key>",
           spell="markup", each=("<tool_call>$name", "</tool_call>"), joint="", param=("<param_key>$key</param_key><param_value>", "</param_value>")),
    Format("hy_v3", "hunyuan", "marker", "raw", "Hunyuan 3", "key_value", *TOOL_CALLS, sign=r"<tool_sep>",
           spell="markup", frame=("<tool_calls>\n", "\n</tool_calls>"), each=("<tool_call>$name<tool_sep>\n", "</tool_call>"), param=_ARG),
    Format("hy_v3_suffix", "hunyuan", "marker", "raw", "Hunyuan 3", "key_value", *TOOL_CALLS, sign=r"<tool_sep:",
           spell="markup", frame=(f"<tool_calls{_S}>\n", f"\n</tool_calls{_S}>"), each=(f"<tool_call{_S}>$name<tool_sep{_S}>\n", f"</tool_call{_S}>"),
           param=(f"<arg_key{_S}>$key</arg_key{_S}>\n<arg_value{_S}>", f"</arg_value{_S}>\n")),
    Format("glm47", "glm", "marker", "raw", _GLM, "key_value", *TOOL_CALL,
           spell="markup", each=("<tool_call>$name", "</tool_call>"), joint="", param=("<arg_key>$key</arg_key><arg_value>", "</arg_value>"),
           result=RESPONSE),
    Format("longcat_kv", "longcat", "marker", "raw", "LongCat-Flash", "key_value", r"<longcat_tool_call>", r"</longcat_tool_call>",
           spell="markup", each=("<longcat_tool_call>$name\n", "</longcat_tool_call>"),
           param=("<longcat_arg_key>$key</longcat_arg_key>\n<longcat_arg_value>", "</longcat_arg_value>\n")),
    Format("k2_horizon", "k2_horizon", "marker", "raw", "K2 Horizon", "key_value", r"<ifm\|tool_calls>", r"</ifm\|tool_calls>",
           spell="markup", frame=("<ifm|tool_calls>", "</ifm|tool_calls>"), each=("<ifm|tool_call>$name", "</ifm|tool_call>"),
           param=("<ifm|arg_key>$key</ifm|arg_key><ifm|arg_value>", "</ifm|arg_value>")),
    Format("minimax_m2", "minimax", "marker", "raw", "MiniMax M2/M2.1/M2.5/M2.7", "invoke", r"<minimax:tool_call>", r"</minimax:tool_call>",
           spell="markup", frame=("<minimax:tool_call>\n", "\n</minimax:tool_call>"), each=_INVOKE_EACH, param=_INVOKE),
    Format("minimax_m3", "minimax_m3", "marker", "raw", "MiniMax M3", "m3", rf"{M3}<tool_call>", rf"{M3}</tool_call>",
           spell="m3", frame=("]<]minimax[>[<tool_call>\n", "\n]<]minimax[>[</tool_call>"),
           each=(']<]minimax[>[<invoke name="$name">', "]<]minimax[>[</invoke>"), param=("]<]minimax[>[<$key>", "]<]minimax[>[</$key>")),
    Format("anthropic_invoke", "anthropic", "marker", "raw", "Claude-style prompts, and models distilled from them", "invoke", *_FUNCTION_CALLS,
           spell="markup", frame=("<function_calls>\n", "\n</function_calls>"), each=_INVOKE_EACH, param=_INVOKE,
           result=("<function_results>\n", "\n</function_results>")),
    Format("anthropic_legacy", "anthropic", "marker", "raw", "Claude 2.x prompts", "legacy", *_FUNCTION_CALLS,
           spell="markup", frame=("<function_calls>\n", "\n</function_calls>"),
           each=("<invoke>\n<tool_name>$name</tool_name>\n<parameters>\n", "</parameters>\n</invoke>"), param=("<$key>", "</$key>\n"),
           result=("<function_results>\n", "\n</function_results>")),
    Format("bare_invoke", "anthropic", "marker", "raw", "Claude-style slips, the wrapper lost", "invoke",
           spell="markup", each=_INVOKE_EACH, param=_INVOKE, result=("<function_results>\n", "\n</function_results>")),
    Format("dots", "dots", "marker", "raw", "dots.llm", "invoke", r"<dots_function_call>", r"</dots_function_call>",
           spell="markup", frame=("<dots_function_call>\n", "\n</dots_function_call>"), each=_INVOKE_EACH, param=_INVOKE),
    Format("muse_atem", "muse", "marker", "raw", "Muse Glimmer", "invoke", r"<\|start\|>assistant to=tools<\|message\|>(?:<atem:function_calls>)?+", r"(?:</atem:function_calls>)?+(?:<\|eom\|>|<\|eot\|>|<\|end\|>)|</atem:function_calls>",
           spell="markup", frame=("<|start|>assistant to=tools<|message|><atem:function_calls>\n", "\n</atem:function_calls><|eom|>"),
           each=('<atem:invoke name="$name">\n', "</atem:invoke>"), param=('<atem:parameter name="$key">', "</atem:parameter>\n")),
    _dsml("dsml_v41_spaced", "calls", " ", "DeepSeek V4.1", r"DSML[|｜‖]{1,2}\s"),
    _dsml("dsml_v4", "tool_calls", "", "DeepSeek V4", r"DSML[|｜‖]{1,2}tool_calls"),
    _dsml("dsml_v32", "function_calls", "", "DeepSeek V3.2", ""),
    Format("step3", "step3", "marker", "raw", "Step-3", "step3", DEEPSEEK_BEGIN, DEEPSEEK_END,
           spell="markup", frame=("<｜tool_calls_begin｜>", "<｜tool_calls_end｜>"),
           each=('<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="$name">', "</steptml:invoke><｜tool_call_end｜>"),
           param=('<steptml:parameter name="$key">', "</steptml:parameter>")),
    Format("kimi_k3", "kimi_k3", "marker", "raw", "Kimi K3", "xtml", r"<\|open\|>tools<\|sep\|>", r"<\|close\|>tools<\|sep\|>(?:<\|close\|>message<\|sep\|>)?+",
           spell="markup", frame=("<|open|>tools<|sep|>", "<|close|>tools<|sep|><|close|>message<|sep|>"),
           each=('<|open|>call tool="$name" index="$number"<|sep|>', "<|close|>call<|sep|>"), joint="",
           param=('<|open|>argument key="$key" type="$type"<|sep|>', "<|close|>argument<|sep|>")),
    Format("minicpm5", "minicpm5", "marker", "raw", "MiniCPM 4/5", "function_name",
           spell="markup", each=('<function name="$name">', "</function>"), param=('<param name="$key">', "</param>")),
    Format("cohere_cofl", "cohere_cofl", "marker", "raw", "Cohere XML tool calls", "cofl", r"<cofl:tool_calls>", r"</cofl:tool_calls>",
           spell="markup", frame=("<cofl:tool_calls>", "</cofl:tool_calls>"), joint="",
           each=('<cofl:tool_call id="$index" name="$name">', "</cofl:tool_call>"), param=('<cofl:value name="$key" type="$raw">', "</cofl:value>")),
    Format("cline_xml", "cline", "marker", "raw", "any model under Cline, Roo or Kilo in XML mode", "tool_tag",
           spell="markup", each=("<$name>\n", "</$name>"), joint="\n\n", param=("<$key>", "</$key>\n")),
    Format("continue_codeblock", "continue", "marker", "raw", "Continue system-message tools", "lines",
           spell="markup", each=("```tool\nTOOL_NAME: $name\n", "```"), param=("BEGIN_ARG: $key\n", "\nEND_ARG\n"), parallel=False),
    Format("functiongemma", "functiongemma", "marker", "raw", "FunctionGemma 270M", "braces", r"<start_function_call>", r"<end_function_call>",
           spell="braces", param=("<escape>", "<escape>"), each=("<start_function_call>call:$name", "<end_function_call>"), joint="",
           result=("<start_function_response>response:$name{value:<escape>", "<escape>}<end_function_response>")),
    Format("gemma4", "gemma4", "marker", "raw", "Gemma 4", "braces", r"<\|tool_call>", r"<tool_call\|>",
           spell="braces", param=('<|"|>', '<|"|>'), each=("<|tool_call>call:$name", "<tool_call|>"), joint="",
           result=('<|tool_response>response:$name{value:<|"|>', '<|"|>}<tool_response|>')),
    Format("arrow_tool_call", "arrow", "marker", "raw", "MiniMax models on hosted APIs", "arrows", r"\[TOOL_CALL\]", r"\[/TOOL_CALL\]",
           spell="flags", each=('[TOOL_CALL]\n{tool => "$name", args => {\n', "}}\n[/TOOL_CALL]"), param=("  --$key ", "\n")),
)  # fmt: skip
