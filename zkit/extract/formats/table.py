"""Every format as a record, by its name, and the format of a call that was read."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from zkit.extract.formats.record import Format
from zkit.extract.parsers.tag_dialects import M3
from zkit.extract.tape import compiled
from zkit.required import require_list

_HERMES = (
    "Hermes 2 Pro/3/4, Qwen2.5, Qwen3, QwQ, Granite 4, Ling/Ring 2, EXAONE 4, Falcon-H1, ERNIE 4.5"
)
TOOL_CALL = (r"<tool_call(?::[\w-]++)?\s*+>|<TOOL_CALL>", r"</(?i:tool_call)(?::[\w-]++)?\s*+>")
TOOL_CALLS = (r"<tool_calls(?::[\w-]++)?\s*+>|<assistant_tool_calls\s*+>", r"</(?:assistant_)?tool_calls(?::[\w-]++)?\s*+>")  # fmt: skip
RESPONSE = ("<tool_response>\n", "\n</tool_response>")
_MISTRAL = "Mistral 7B v0.3, Nemo, Small, Mixtral 8x22B, Magistral, Ministral 3, Devstral, Large 3"
DEEPSEEK_BEGIN = r"<｜\s?tool(?:▁|\\?_| )calls(?:▁|\\?_| )begin\s?[｜|]>|<\|\s?tool(?:▁|\\?_| )calls(?:▁|\\?_| )begin\s?[｜|]>"
DEEPSEEK_END = r"<[｜|]\s?tool(?:▁|\\?_| )calls(?:▁|\\?_| )end\s?[｜|]>"
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
_D = "｜DSML｜"
_S = ":opensource"
_LIST = "xLAM, Hammer, BitAgent; any model told to reply with a JSON list"
_ANY = "Llama 3.x, Qwen2.5-Coder, Phi, Gemma, small models when the template fails"
_JSON_FENCE = ("```json\n", "\n```")
_LISTS = ("Llama 3.2/4, ToolACE, watt-tool, Gemma 3 prompts",)


def _dsml(name: str, block: str, blank: str, models: str, sign: str) -> Format:
    """Return a format in DeepSeek's markup language; block name and blanks in tags vary by version."""
    d = f"{_D}{blank}"
    return Format(name, "dsml", "marker", "raw", models, "invoke", *_DSML, sign=sign,
                  spell="markup", frame=(f"<{d}{block}>\n", f"\n</{d}{block}>"), each=(f'<{d}invoke name="$name">\n', f"</{d}invoke>"),
                  param=(f'<{d}parameter name="$key" string="$string">', f"</{d}parameter>\n"))  # fmt: skip


_RECORDS = (
    # JSON inside an envelope
    Format("hermes_json", "hermes", "marker", "json", _HERMES, "json", *TOOL_CALL, sign=r"^<tool_call>[ \t]*+\n",
           each=("<tool_call>\n", "\n</tool_call>"), result=RESPONSE),
    Format("hermes_compact", "hermes", "marker", "json", _HERMES, "json", *TOOL_CALL, each=("<tool_call>", "</tool_call>"), joint="", result=RESPONSE),
    Format("longcat_json", "longcat", "marker", "json", "LongCat-Flash", "json", r"<longcat_tool_call>", r"</longcat_tool_call>",
           each=("<longcat_tool_call>", "</longcat_tool_call>")),
    Format("tool_calls_array", "tool_calls", "marker", "json", "Jamba 1.5/1.6, Hunyuan-A13B, Apriel 1.5/1.6", "json_list", *TOOL_CALLS,
           frame=("<tool_calls>[", "]</tool_calls>"), joint=", "),
    Format("minimax_m1_lines", "tool_calls", "marker", "json", "MiniMax-M1", "json", *TOOL_CALLS, frame=("<tool_calls>\n", "\n</tool_calls>")),
    Format("nemotron_json", "nemotron", "marker", "json", "Llama-Nemotron, Nemotron Nano v2", "json_list", r"<TOOLCALL>|<toolcall>", r"</(?i:toolcall)>",
           frame=("<TOOLCALL>[", "]</TOOLCALL>"), joint=", ", result=("<TOOL_RESPONSE>", "</TOOL_RESPONSE>")),
    Format("phi4_tag", "phi4", "marker", "json", "Phi-4-mini", "json_list", r"<\|tool_call\|>", r"<\|/tool_call\|>", sign=r"<\|/tool_call\|>$",
           frame=("<|tool_call|>[", "]<|/tool_call|>"), joint=", "),
    Format("granite3_token", "granite", "marker", "json", "Granite 3.0", "json_list", r"<\|tool_call\|>", r"<\|/tool_call\|>",
           frame=("<|tool_call|>[", "]"), joint=", "),
    Format("granite31_array", "granite", "marker", "json", "Granite 3.1 to 3.3", "json_list", *TOOL_CALL, frame=("<tool_call>[", "]"), joint=", "),
    Format("granite20b_fc", "granite20b", "marker", "json", "granite-20b-functioncalling", "json", r"<function_call>", r"</function_call>",
           each=("<function_call> ", "")),
    Format("glaive_functioncall", "glaive", "marker", "json", "Glaive v1/v2 fine-tunes, FireFunction v1", "json", r"<functioncall>", r"</functioncall>",
           spell="quoted", each=("<functioncall> ", " <|endoftext|>"), parallel=False, result=("FUNCTION RESPONSE: ", "")),
    Format("phi4_functools", "phi4", "marker", "json", "Phi-4-mini, FireFunction v2", "json_list", r"functools(?=\[)",
           frame=("functools[", "]"), joint=", "),
    Format("mistral_array", "mistral", "marker", "json", _MISTRAL, "json_list", r"\[TOOL_CALLS\]", r"\[/TOOL_CALLS\]",
           spell="object_id", frame=("[TOOL_CALLS] [", "]"), joint=", ", result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]")),
    Format("mistral_name_json", "mistral", "marker", "json", _MISTRAL, "mistral",
           spell="arguments", each=("[TOOL_CALLS]$name", ""), joint="", result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]")),
    Format("mistral_callid", "mistral", "marker", "json", _MISTRAL, "mistral", sign=r"\[CALL_ID\]",
           spell="arguments", each=("[TOOL_CALLS]$name[CALL_ID]$id[ARGS]", ""), joint="", result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]")),
    Format("mistral_args", "mistral", "marker", "json", _MISTRAL, "mistral", sign=r"\[ARGS\]",
           spell="arguments", each=("[TOOL_CALLS]$name[ARGS]", ""), joint="", result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]")),
    Format("llama3_python_tag", "llama3", "marker", "json", "Llama 3.1/3.2/3.3", "json", r"<\|python_tag\|>",
           spell="parameters", frame=("<|python_tag|>", ""), joint="; "),
    Format("llama31_function_tag", "llama3_tag", "marker", "json", "Llama 3.1 custom prompt, Functionary v3.1", "function_eq", sign=r"^<function\s*=[^<>]*>\s*[{`]",
           spell="arguments", each=("<function=$name>", "</function>"), joint=""),
    Format("functionary_v32", "functionary", "marker", "json", "Functionary small/medium v3.2", "functionary_v32",
           spell="arguments", each=(">>>$name\n", "")),
    Format("functionary_v2", "functionary", "marker", "json", "Functionary v2.x", "functionary_v2",
           spell="arguments", each=("<|recipient|>$name\n<|content|>", ""), joint="\n<|from|>assistant\n"),
    Format("lmstudio_request", "lmstudio", "marker", "json", "any model under LM Studio's default tool use", "json", r"\[TOOL_REQUEST\]", r"\[END_TOOL_REQUEST\]",
           each=("[TOOL_REQUEST]", "[END_TOOL_REQUEST]"), result=("[TOOL_RESULT]", "[END_TOOL_RESULT]")),
    Format("qwen_bracket_calling", "qwen_bracket", "marker", "json", "Qwen2/2.5, small and quantised", "bracket_calling",
           spell="arguments", each=("[Calling tool: $name(", ")]")),
    Format("internlm2_plugin", "internlm", "marker", "json", "InternLM2/2.5, Intern-S1", "json", r"<\|action_start\|>\s*+<\|plugin\|>", r"<\|action_end\|>",
           spell="parameters", each=("<|action_start|><|plugin|>\n", "<|action_end|>")),
    Format("cohere_action", "cohere", "marker", "json", "Command R7B, Command A, North", "json_list", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>",
           spell="cohere", numbered=True, frame=("<|START_ACTION|>[\n", "\n]<|END_ACTION|>"), each=("    ", ""), joint=",\n",
           result=("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>")),
    Format("apertus", "apertus", "marker", "json", "Apertus 8B/70B", "json_list", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>",
           spell="keyed", frame=("<|tools_prefix|>[", "]<|tools_suffix|>"), joint=", "),
    Format("gigachat3", "gigachat", "marker", "json", "GigaChat 3", "json", r"<\|message_sep\|>\s*+function call<\|role_sep\|>",
           each=("<|message_sep|>\n\nfunction call<|role_sep|>\n", ""), parallel=False),
    Format("gigachat31", "gigachat", "marker", "json", "GigaChat 3.1", "json", r"<\|function_call\|>", r"<\|/function_call\|>",
           each=("<|function_call|>", ""), parallel=False),
    Format("sarashina_pyjson", "sarashina", "marker", "python", "Sarashina 2.x", "json_list", r"<\|tool_calls\|>", r"<\|/tool_calls\|>",
           spell="python_object", frame=("<|tool_calls|>[", "]"), joint=", "),
    Format("deepseek_v3", "deepseek", "marker", "json", "DeepSeek R1, V3, R1 distills, Cogito v2", "deepseek", DEEPSEEK_BEGIN, DEEPSEEK_END, sign="begin\\s?[｜|]>\\s*function\\s*<",
           spell="arguments", frame=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
           each=("<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n", "\n```<｜tool▁call▁end｜>"),
           result=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>")),
    Format("deepseek_v31", "deepseek", "marker", "json", "DeepSeek V3.1, V3.2-Exp", "deepseek", DEEPSEEK_BEGIN, DEEPSEEK_END,
           spell="arguments", frame=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"), each=("<｜tool▁call▁begin｜>$name<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
           joint="", result=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>")),
    Format("kimi_k2", "kimi", "marker", "json", "Kimi K2, K2-Thinking, K2.5", "kimi", r"<\|tool_calls_section_begin\|>", r"<\|tool_calls_section_end\|>",
           spell="arguments", frame=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
           each=("<|tool_call_begin|>functions.$name:$index<|tool_call_argument_begin|>", "<|tool_call_end|>"), joint=""),
    Format("solar_open", "solar", "marker", "json", "Solar-Open-100B", "solar", r"<\|tool_calls\|>", r"<\|/tool_calls\|>",
           spell="arguments", frame=("<|tool_calls|>", ""), each=("<|tool_call:begin|>$id<|tool_call:name|>$name<|tool_call:args|>", "<|tool_call:end|>"),
           joint=""),
    Format("plamo3", "plamo", "marker", "json", "PLaMo 3", "plamo", r"<\|plamo:begin_tool_requests:plamo\|>", r"<\|plamo:end_tool_requests:plamo\|>",
           spell="arguments", frame=("<|plamo:begin_tool_requests:plamo|>", "<|plamo:end_tool_requests:plamo|>"), joint="",
           each=("<|plamo:begin_tool_request:plamo|><|plamo:begin_tool_name:plamo|>$name<|plamo:end_tool_name:plamo|><|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>", "<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>")),
    Format("inkling", "inkling", "marker", "json", "Inkling", "json", r"<\|message_model\|><\|content_invoke_tool_json\|>|<\|content_invoke_tool_json\|>", r"<\|end_message\|>",
           spell="args", each=("<|message_model|><|content_invoke_tool_json|>", "<|end_message|>"), joint=""),
    Format("inkling_named", "inkling", "marker", "json", "Inkling, with the name in the header", "inkling_named",
           spell="arguments", each=("<|message_model|>$name<|content_invoke_tool_json|>", "<|end_message|>"), joint=""),
    Format("tools_tag", "qwen_tools", "marker", "json", "Qwen2.5-Coder, after the block of its prompt that lists the tools", "json", r"<tools>|<tool>(?=\s*+[\[{])|<tool_use>|<api_call>", r"</tools>|</tool>|</tool_use>|</api_call>",
           each=("<tools>\n", "\n</tools>")),
    Format("harmony", "harmony", "marker", "json", "gpt-oss 20b/120b", "harmony", sign=r"^(?:<\|start\|>assistant)?<\|channel\|>", framed=True,
           spell="arguments", each=("<|channel|>commentary to=functions.$name <|constrain|>json<|message|>", "<|call|>"), joint="<|start|>assistant",
           result=("<|start|>functions.$name to=assistant<|channel|>commentary<|message|>", "<|end|>")),
    Format("harmony_role_recipient", "harmony", "marker", "json", "gpt-oss 20b/120b", "harmony",
           spell="arguments", each=("<|start|>assistant to=functions.$name<|channel|>commentary json<|message|>", "<|call|>"), joint="",
           result=("<|start|>functions.$name to=assistant<|channel|>commentary<|message|>", "<|end|>")),
    Format("qwen_fn_flower", "qwen_agent", "marker", "json", "Qwen 1.5/2 with Qwen-Agent", "flower",
           spell="arguments", frame=("", "\n✿RESULT✿"), each=("✿FUNCTION✿: $name\n✿ARGS✿: ", ""), result=("✿RESULT✿: ", "\n✿RETURN✿:")),
    Format("tag_name_then_json", "telechat", "marker", "json", "TeleChat4, Xing 4, Laguna", "named", *TOOL_CALL,
           spell="arguments", each=("<tool_call>$name\n", "</tool_call>")),
    Format("langchain_xml", "langchain_xml", "marker", "json", "LangChain XML agent prompt", "tool_input",
           spell="arguments", each=("<tool>$name</tool><tool_input>", "</tool_input>"), parallel=False, result=("<observation>", "</observation>")),
    Format("dspy_react", "dspy", "marker", "json", "DSPy ReAct", "dspy",
           spell="arguments", parallel=False,
           each=("[[ ## next_thought ## ]]\nThe next step is clear.\n\n[[ ## next_tool_name ## ]]\n$name\n\n[[ ## next_tool_args ## ]]\n", "\n\n[[ ## completed ## ]]"),
           result=("[[ ## observation ## ]]\n", "")),
    # raw text between tags, and notations of their own
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
    # as Python writes calls
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
    # without a marker
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
    Format("json_object_fenced", "json_object", "shape", "json", _ANY, "fence_object", spell="pretty", each=_JSON_FENCE),
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
FORMATS: dict[str, Format] = {record.name: record for record in _RECORDS}

_ALL = frozenset(FORMATS)


def wanted_formats(names: Iterable[str] | None) -> frozenset[str]:
    """Return the formats to search for: all, or every format of the named formats' families."""
    if names is None:
        return _ALL
    if isinstance(names, frozenset) and names <= _ALL:
        return names
    listed = [names] if isinstance(names, str) else names
    require_list("formats", listed, "names of formats")
    chosen_names, families = list(listed), {record.family for record in FORMATS.values()}
    for name in chosen_names:
        if name not in FORMATS and name not in families:
            raise unknown_format(name)
    chosen = {FORMATS[name].family if name in FORMATS else name for name in chosen_names}
    return frozenset(name for name, record in FORMATS.items() if record.family in chosen)


def unknown_format(name: object) -> ValueError:
    """Return the error for an unknown format, with the nearest names."""
    near = get_close_matches(str(name), FORMATS)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return ValueError(
        f"no format is called {name!r}; {meant}docs/formats.md lists all {len(FORMATS)}"
    )


def format_of(opener: str, body: str, text: str) -> Format:
    """Return the format of a call by its envelope and body, then by the format's `sign`.

    If no format has this body in this envelope, it counts as a mistake in the envelope's first format.
    """
    records = _having(opener, body) or _having(opener, "")
    for record in records:
        sign = compiled(f"(?s){record.sign}")
        if not record.sign or sign.search(text[:400]) or sign.search(text[-40:]):
            return record
    return records[0]


@cache
def _having(opener: str, body: str) -> tuple[Format, ...]:
    """Return the formats with this envelope and body, those with a `sign` first."""
    found = [r for r in FORMATS.values() if r.opener == opener and body in (r.body, "")]
    return tuple(sorted(found, key=lambda record: not record.sign))
