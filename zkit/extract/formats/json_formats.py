"""The formats that carry JSON inside an envelope."""

from __future__ import annotations

from zkit.extract.formats.record import Format

_CALL = '{"name": "f", "arguments": {"a": 1, "b": "x"}}'
_PARAMETERS = '{"name": "f", "parameters": {"a": 1, "b": "x"}}'
_ARGS = '{"a": 1, "b": "x"}'
_HERMES = (
    "Hermes 2 Pro/3/4, Qwen2.5, Qwen3, QwQ, Granite 4, Ling/Ring 2, EXAONE 4, Falcon-H1, ERNIE 4.5"
)
TOOL_CALL = (r"<tool_call(?::[\w-]++)?\s*+>|<TOOL_CALL>", r"</(?i:tool_call)(?::[\w-]++)?\s*+>")
TOOL_CALLS = (r"<tool_calls(?::[\w-]++)?\s*+>|<assistant_tool_calls\s*+>", r"</(?:assistant_)?tool_calls(?::[\w-]++)?\s*+>")  # fmt: skip
RESPONSE = ("<tool_response>\n", "\n</tool_response>")
_MISTRAL = "Mistral 7B v0.3, Nemo, Small, Mixtral 8x22B, Magistral, Ministral 3, Devstral, Large 3"
DEEPSEEK_BEGIN = r"<｜\s?tool(?:▁|\\?_| )calls(?:▁|\\?_| )begin\s?[｜|]>|<\|\s?tool(?:▁|\\?_| )calls(?:▁|\\?_| )begin\s?[｜|]>"
DEEPSEEK_END = r"<[｜|]\s?tool(?:▁|\\?_| )calls(?:▁|\\?_| )end\s?[｜|]>"

JSON_FORMATS: tuple[Format, ...] = (
    Format(
        "hermes_json", "hermes", "marker", "json", _HERMES,
        f"<tool_call>\n{_CALL}\n</tool_call>",
        "json", *TOOL_CALL, sign=r"^<tool_call>[ \t]*+\n",
        each=("<tool_call>\n", "\n</tool_call>"), result=RESPONSE,
    ),
    Format(
        "hermes_compact", "hermes", "marker", "json", _HERMES,
        f"<tool_call>{_CALL}</tool_call>",
        "json", *TOOL_CALL, each=("<tool_call>", "</tool_call>"), joint="", result=RESPONSE,
    ),
    Format(
        "longcat_json", "longcat", "marker", "json", "LongCat-Flash",
        f"<longcat_tool_call>{_CALL}</longcat_tool_call>",
        "json", r"<longcat_tool_call>", r"</longcat_tool_call>",
        each=("<longcat_tool_call>", "</longcat_tool_call>"),
    ),
    Format(
        "tool_calls_array", "tool_calls", "marker", "json", "Jamba 1.5/1.6, Hunyuan-A13B, Apriel 1.5/1.6",
        f"<tool_calls>[{_CALL}]</tool_calls>",
        "json_list", *TOOL_CALLS, frame=("<tool_calls>[", "]</tool_calls>"), joint=", ",
    ),
    Format(
        "minimax_m1_lines", "tool_calls", "marker", "json", "MiniMax-M1",
        f"<tool_calls>\n{_CALL}\n</tool_calls>",
        "json", *TOOL_CALLS, frame=("<tool_calls>\n", "\n</tool_calls>"),
    ),
    Format(
        "nemotron_json", "nemotron", "marker", "json", "Llama-Nemotron, Nemotron Nano v2",
        f"<TOOLCALL>[{_CALL}]</TOOLCALL>",
        "json_list", r"<TOOLCALL>|<toolcall>", r"</(?i:toolcall)>",
        frame=("<TOOLCALL>[", "]</TOOLCALL>"), joint=", ",
        result=("<TOOL_RESPONSE>", "</TOOL_RESPONSE>"),
    ),
    Format(
        "phi4_tag", "phi4", "marker", "json", "Phi-4-mini",
        f"<|tool_call|>[{_CALL}]<|/tool_call|>",
        "json_list", r"<\|tool_call\|>", r"<\|/tool_call\|>", sign=r"<\|/tool_call\|>$",
        frame=("<|tool_call|>[", "]<|/tool_call|>"), joint=", ",
    ),
    Format(
        "granite3_token", "granite", "marker", "json", "Granite 3.0",
        f"<|tool_call|>[{_CALL}]",
        "json_list", r"<\|tool_call\|>", r"<\|/tool_call\|>",
        frame=("<|tool_call|>[", "]"), joint=", ",
    ),
    Format(
        "granite31_array", "granite", "marker", "json", "Granite 3.1 to 3.3",
        f"<tool_call>[{_CALL}]",
        "json_list", *TOOL_CALL, frame=("<tool_call>[", "]"), joint=", ",
    ),
    Format(
        "granite20b_fc", "granite20b", "marker", "json", "granite-20b-functioncalling",
        f"<function_call> {_CALL}",
        "json", r"<function_call>", r"</function_call>", each=("<function_call> ", ""),
    ),
    Format(
        "glaive_functioncall", "glaive", "marker", "json", "Glaive v1/v2 fine-tunes, FireFunction v1",
        """<functioncall> {"name": "f", "arguments": '{"a": 1, "b": "x"}'} <|endoftext|>""",
        "json", r"<functioncall>", r"</functioncall>",
        spell="quoted", each=("<functioncall> ", " <|endoftext|>"), parallel=False,
        result=("FUNCTION RESPONSE: ", ""),
    ),
    Format(
        "phi4_functools", "phi4", "marker", "json", "Phi-4-mini, FireFunction v2",
        f"functools[{_CALL}]",
        "json_list", r"functools(?=\[)", frame=("functools[", "]"), joint=", ",
    ),
    Format(
        "mistral_array", "mistral", "marker", "json", _MISTRAL,
        '[TOOL_CALLS] [{"name": "f", "arguments": {"a": 1, "b": "x"}, "id": "k3Fq9Zx00"}]',
        "json_list", r"\[TOOL_CALLS\]", r"\[/TOOL_CALLS\]",
        spell="object_id", frame=("[TOOL_CALLS] [", "]"), joint=", ",
        result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ),
    Format(
        "mistral_name_json", "mistral", "marker", "json", _MISTRAL,
        f"[TOOL_CALLS]f{_ARGS}",
        "mistral", spell="arguments", each=("[TOOL_CALLS]$name", ""), joint="",
        result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ),
    Format(
        "mistral_callid", "mistral", "marker", "json", _MISTRAL,
        f"[TOOL_CALLS]f[CALL_ID]q7Lm2Rt50[ARGS]{_ARGS}",
        "mistral", sign=r"\[CALL_ID\]",
        spell="arguments", each=("[TOOL_CALLS]$name[CALL_ID]$id[ARGS]", ""), joint="",
        result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ),
    Format(
        "mistral_args", "mistral", "marker", "json", _MISTRAL,
        f"[TOOL_CALLS]f[ARGS]{_ARGS}",
        "mistral", sign=r"\[ARGS\]", spell="arguments", each=("[TOOL_CALLS]$name[ARGS]", ""), joint="",
        result=("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    ),
    Format(
        "llama3_python_tag", "llama3", "marker", "json", "Llama 3.1/3.2/3.3",
        f"<|python_tag|>{_PARAMETERS}",
        "json", r"<\|python_tag\|>", spell="parameters", frame=("<|python_tag|>", ""), joint="; ",
    ),
    Format(
        "llama31_function_tag", "llama3_tag", "marker", "json", "Llama 3.1 custom prompt, Functionary v3.1",
        f"<function=f>{_ARGS}</function>",
        "function_eq", sign=r"^<function\s*=[^<>]*>\s*[{`]",
        spell="arguments", each=("<function=$name>", "</function>"), joint="",
    ),
    Format(
        "functionary_v32", "functionary", "marker", "json", "Functionary small/medium v3.2",
        f">>>f\n{_ARGS}", "functionary_v32", spell="arguments", each=(">>>$name\n", ""),
    ),
    Format(
        "functionary_v2", "functionary", "marker", "json", "Functionary v2.x",
        f"<|recipient|>f\n<|content|>{_ARGS}",
        "functionary_v2", spell="arguments", each=("<|recipient|>$name\n<|content|>", ""),
        joint="\n<|from|>assistant\n",
    ),
    Format(
        "lmstudio_request", "lmstudio", "marker", "json", "any model under LM Studio's default tool use",
        f"[TOOL_REQUEST]{_CALL}[END_TOOL_REQUEST]",
        "json", r"\[TOOL_REQUEST\]", r"\[END_TOOL_REQUEST\]",
        each=("[TOOL_REQUEST]", "[END_TOOL_REQUEST]"), result=("[TOOL_RESULT]", "[END_TOOL_RESULT]"),
    ),
    Format(
        "qwen_bracket_calling", "qwen_bracket", "marker", "json", "Qwen2/2.5, small and quantised",
        f"[Calling tool: f({_ARGS})]",
        "bracket_calling", spell="arguments", each=("[Calling tool: $name(", ")]"),
    ),
    Format(
        "internlm2_plugin", "internlm", "marker", "json", "InternLM2/2.5, Intern-S1",
        f"<|action_start|><|plugin|>\n{_PARAMETERS}<|action_end|>",
        "json", r"<\|action_start\|>\s*+<\|plugin\|>", r"<\|action_end\|>",
        spell="parameters", each=("<|action_start|><|plugin|>\n", "<|action_end|>"),
    ),
    Format(
        "cohere_action", "cohere", "marker", "json", "Command R7B, Command A, North",
        '<|START_ACTION|>[\n    {"tool_call_id": "0", "tool_name": "f", "parameters": {"a": 1, "b": "x"}}\n]<|END_ACTION|>',
        "json_list", r"<\|START_ACTION\|>", r"<\|END_ACTION\|>",
        spell="cohere", frame=("<|START_ACTION|>[\n", "\n]<|END_ACTION|>"), each=("    ", ""), joint=",\n",
        result=("<|START_TOOL_RESULT|>", "<|END_TOOL_RESULT|>"),
    ),
    Format(
        "apertus", "apertus", "marker", "json", "Apertus 8B/70B",
        '<|tools_prefix|>[{"f": {"a": 1, "b": "x"}}]<|tools_suffix|>',
        "json_list", r"<\|tools_prefix\|>", r"<\|tools_suffix\|>",
        spell="keyed", frame=("<|tools_prefix|>[", "]<|tools_suffix|>"), joint=", ",
    ),
    Format(
        "gigachat3", "gigachat", "marker", "json", "GigaChat 3",
        f"<|message_sep|>\n\nfunction call<|role_sep|>\n{_CALL}",
        "json", r"<\|message_sep\|>\s*+function call<\|role_sep\|>",
        each=("<|message_sep|>\n\nfunction call<|role_sep|>\n", ""), parallel=False,
    ),
    Format(
        "gigachat31", "gigachat", "marker", "json", "GigaChat 3.1",
        f"<|function_call|>{_CALL}",
        "json", r"<\|function_call\|>", r"<\|/function_call\|>", each=("<|function_call|>", ""), parallel=False,
    ),
    Format(
        "sarashina_pyjson", "sarashina", "marker", "python", "Sarashina 2.x",
        "<|tool_calls|>[{'name': 'f', 'arguments': {'a': 1, 'b': 'x'}}]",
        "json_list", r"<\|tool_calls\|>", r"<\|/tool_calls\|>",
        spell="python_object", frame=("<|tool_calls|>[", "]"), joint=", ",
    ),
    Format(
        "deepseek_v3", "deepseek", "marker", "json", "DeepSeek R1, V3, R1 distills, Cogito v2",
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>f\n```json\n{_ARGS}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "deepseek", DEEPSEEK_BEGIN, DEEPSEEK_END, sign="begin\\s?[｜|]>\\s*function\\s*<",
        spell="arguments", frame=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        each=("<｜tool▁call▁begin｜>function<｜tool▁sep｜>$name\n```json\n", "\n```<｜tool▁call▁end｜>"),
        result=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
    ),
    Format(
        "deepseek_v31", "deepseek", "marker", "json", "DeepSeek V3.1, V3.2-Exp",
        f"<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{_ARGS}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        "deepseek", DEEPSEEK_BEGIN, DEEPSEEK_END,
        spell="arguments", frame=("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"),
        each=("<｜tool▁call▁begin｜>$name<｜tool▁sep｜>", "<｜tool▁call▁end｜>"), joint="",
        result=("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
    ),
    Format(
        "kimi_k2", "kimi", "marker", "json", "Kimi K2, K2-Thinking, K2.5",
        f"<|tool_calls_section_begin|><|tool_call_begin|>functions.f:0<|tool_call_argument_begin|>{_ARGS}<|tool_call_end|><|tool_calls_section_end|>",
        "kimi", r"<\|tool_calls_section_begin\|>", r"<\|tool_calls_section_end\|>",
        spell="arguments", frame=("<|tool_calls_section_begin|>", "<|tool_calls_section_end|>"),
        each=("<|tool_call_begin|>functions.$name:$index<|tool_call_argument_begin|>", "<|tool_call_end|>"), joint="",
    ),
    Format(
        "solar_open", "solar", "marker", "json", "Solar-Open-100B",
        f"<|tool_calls|><|tool_call:begin|>c0x91<|tool_call:name|>f<|tool_call:args|>{_ARGS}<|tool_call:end|>",
        "solar", r"<\|tool_calls\|>", r"<\|/tool_calls\|>",
        spell="arguments", frame=("<|tool_calls|>", ""),
        each=("<|tool_call:begin|>$id<|tool_call:name|>$name<|tool_call:args|>", "<|tool_call:end|>"), joint="",
    ),
    Format(
        "inkling", "inkling", "marker", "json", "Inkling",
        '<|message_model|><|content_invoke_tool_json|>{"name": "f", "args": {"a": 1, "b": "x"}}<|end_message|>',
        "json", r"<\|message_model\|><\|content_invoke_tool_json\|>|<\|content_invoke_tool_json\|>", r"<\|end_message\|>",
        spell="args", each=("<|message_model|><|content_invoke_tool_json|>", "<|end_message|>"), joint="",
    ),
    Format(
        "inkling_named", "inkling", "marker", "json", "Inkling, with the name in the header",
        f"<|message_model|>f<|content_invoke_tool_json|>{_ARGS}<|end_message|>",
        "inkling_named", spell="arguments", each=("<|message_model|>$name<|content_invoke_tool_json|>", "<|end_message|>"), joint="",
    ),
    Format(
        "tools_tag", "qwen_tools", "marker", "json", "Qwen2.5-Coder, after the block of its prompt that lists the tools",
        f"<tools>\n{_CALL}\n</tools>",
        "json", r"<tools>|<tool>(?=\s*+[\[{])|<tool_use>|<api_call>", r"</tools>|</tool>|</tool_use>|</api_call>",
        each=("<tools>\n", "\n</tools>"),
    ),
    Format(
        "harmony", "harmony", "marker", "json", "gpt-oss 20b/120b",
        f"<|channel|>commentary to=functions.f <|constrain|>json<|message|>{_ARGS}<|call|>",
        "harmony", spell="arguments", sign=r"^(?:<\|start\|>assistant)?<\|channel\|>", framed=True,
        each=("<|channel|>commentary to=functions.$name <|constrain|>json<|message|>", "<|call|>"),
        joint="<|start|>assistant",
        result=("<|start|>functions.$name to=assistant<|channel|>commentary<|message|>", "<|end|>"),
    ),
    Format(
        "harmony_role_recipient", "harmony", "marker", "json", "gpt-oss 20b/120b",
        f"<|start|>assistant to=functions.f<|channel|>commentary json<|message|>{_ARGS}<|call|>",
        "harmony", spell="arguments",
        each=("<|start|>assistant to=functions.$name<|channel|>commentary json<|message|>", "<|call|>"), joint="",
        result=("<|start|>functions.$name to=assistant<|channel|>commentary<|message|>", "<|end|>"),
    ),
    Format(
        "qwen_fn_flower", "qwen_agent", "marker", "json", "Qwen 1.5/2 with Qwen-Agent",
        f"✿FUNCTION✿: f\n✿ARGS✿: {_ARGS}\n✿RESULT✿",
        "flower", spell="arguments", frame=("", "\n✿RESULT✿"), each=("✿FUNCTION✿: $name\n✿ARGS✿: ", ""),
        result=("✿RESULT✿: ", "\n✿RETURN✿:"),
    ),
    Format(
        "tag_name_then_json", "telechat", "marker", "json", "TeleChat4, Xing 4, Laguna",
        f"<tool_call>f\n{_ARGS}</tool_call>",
        "named", *TOOL_CALL, spell="arguments", each=("<tool_call>$name\n", "</tool_call>"),
    ),
    Format(
        "langchain_xml", "langchain_xml", "marker", "json", "LangChain XML agent prompt",
        f"<tool>f</tool><tool_input>{_ARGS}</tool_input>",
        "tool_input", spell="arguments", each=("<tool>$name</tool><tool_input>", "</tool_input>"), parallel=False,
        result=("<observation>", "</observation>"),
    ),
    Format(
        "dspy_react", "dspy", "marker", "json", "DSPy ReAct",
        f"[[ ## next_thought ## ]]\nThe next step is clear.\n\n[[ ## next_tool_name ## ]]\nf\n\n[[ ## next_tool_args ## ]]\n{_ARGS}\n\n[[ ## completed ## ]]",
        "dspy", spell="arguments", parallel=False,
        each=("[[ ## next_thought ## ]]\nThe next step is clear.\n\n[[ ## next_tool_name ## ]]\n$name\n\n[[ ## next_tool_args ## ]]\n", "\n\n[[ ## completed ## ]]"),
        result=("[[ ## observation ## ]]\n", ""),
    ),
)  # fmt: skip
