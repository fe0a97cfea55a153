"""The formats whose values are raw text between tags or marks, written from a name and arguments."""

from __future__ import annotations

from typing import Any

from benchmarks.extract_format import FENCE, Args, Format, Write
from benchmarks.extract_spelling import Spell, marked, raw, strict


def tagged(
    opener: str, parameter: str, closer: str, *, joint: str = "", spell_value: Spell = raw
) -> Write:
    """An opener with the name, then one text for each argument; `@` is the name, `?` the value."""

    def write(name: str, args: Args, _at: int, _spell: Spell) -> tuple[str, str]:
        parts = [opener.replace("@", name)]
        for key, value in args.items():
            parts.append(parameter.replace("@", key).replace("?", spell_value(value)))
        return joint.join(parts), closer.replace("@", name)

    return write


def string_flag(tag: str) -> Write:
    """DSML: an attribute says whether the value is a string."""

    def write(name: str, args: Args, _at: int, _spell: Spell) -> tuple[str, str]:
        parts = [f'<{tag}invoke name="{name}">']
        for key, value in args.items():
            flag = "true" if isinstance(value, str) else "false"
            parts.append(
                f'<{tag}parameter name="{key}" string="{flag}">{raw(value)}</{tag}parameter>'
            )
        return "\n".join(parts), f"\n</{tag}invoke>"

    return write


def minimax_m3(name: str, args: Args, _at: int, _spell: Spell) -> tuple[str, str]:
    """MiniMax M3: a mark before every tag, the key is the tag, lists are items."""
    mark = "]<]minimax[>["

    def write(key: str, value: Any) -> str:
        if isinstance(value, dict):
            inside = "".join(write(each, item) for each, item in value.items())
        elif isinstance(value, list):
            inside = "".join(write("item", item) for item in value)
        else:
            inside = raw(value)
        return f"{mark}<{key}>{inside}{mark}</{key}>"

    body = "".join(write(key, value) for key, value in args.items())
    return f'{mark}<invoke name="{name}">{body}', f"{mark}</invoke>"


KIMI_TYPES = {str: "string", bool: "boolean", int: "number", float: "number", dict: "object", list: "array", type(None): "null"}  # fmt: skip


def kimi_k3(name: str, args: Args, at: int, _spell: Spell) -> tuple[str, str]:
    """Kimi K3: an attribute gives the type of each value."""
    parts = [f'<|open|>call tool="{name}" index="{at + 1}"<|sep|>']
    for key, value in args.items():
        opener = f'<|open|>argument key="{key}" type="{KIMI_TYPES[type(value)]}"<|sep|>'
        parts.append(f"{opener}{raw(value)}<|close|>argument<|sep|>")
    return "".join(parts), "<|close|>call<|sep|>"


def cohere_cofl(name: str, args: Args, at: int, _spell: Spell) -> tuple[str, str]:
    """Cohere: raw or JSON by an attribute."""
    parts = [f'<cofl:tool_call id="{at}" name="{name}">']
    for key, value in args.items():
        kind = "raw" if isinstance(value, str) else "json"
        parts.append(f'<cofl:value name="{key}" type="{kind}">{raw(value)}</cofl:value>')
    return "".join(parts), "</cofl:tool_call>"


def arrow(name: str, args: Args, _at: int, _spell: Spell) -> tuple[str, str]:
    """MiniMax on hosted endpoints: arrows and flags."""
    flags = "".join(f"\n  --{key} {strict(value)}" for key, value in args.items())
    return f'[TOOL_CALL]\n{{tool => "{name}", args => {{{flags}\n}}}}', "\n[/TOOL_CALL]"


def gemma(opener: str, mark: str, closer: str) -> Write:
    """FunctionGemma and Gemma 4: bare keys, strings between marks."""

    def write(name: str, args: Args, _at: int, _spell: Spell) -> tuple[str, str]:
        return f"{opener}call:{name}{marked(mark)(dict(args))}", closer

    return write


INVOKE = tagged('<invoke name="@">', '<parameter name="@">?</parameter>', "\n</invoke>", joint="\n")
QWEN = tagged("<function=@>", "<parameter=@>?</parameter>", "\n</function>", joint="\n")
ATEM = tagged(
    '<atem:invoke name="@">',
    '<atem:parameter name="@">?</atem:parameter>',
    "\n</atem:invoke>",
    joint="\n",
)
STEP = tagged(
    '<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="@">',
    '<steptml:parameter name="@">?</steptml:parameter>',
    "</steptml:invoke><｜tool_call_end｜>",
)
LEGACY = tagged(
    "<invoke>\n<tool_name>@</tool_name>\n<parameters>", "<@>?</@>", "\n</parameters>\n</invoke>", joint="\n"
)  # fmt: skip


def thinking(thought: str) -> str:
    """The block of Claude-style prompts."""
    return f"<thinking>{thought}</thinking>\n"


RAW_FORMATS = (
    Format("qwen3_coder", "tag", "raw",
           tagged("<tool_call>\n<function=@>", "<parameter=@>\n?\n</parameter>", "\n</function>\n</tool_call>", joint="\n")),
    Format("qwen3_coder_inline", "tag", "raw",
           tagged("<tool_call><function=@>", "<parameter=@>?</parameter>", "</function></tool_call>"), sep=""),
    Format("function_param_bare", "tag", "raw", QWEN),
    Format("seed_oss", "marker", "raw",
           tagged("<seed:tool_call>\n<function=@>", "<parameter=@>?</parameter>", "\n</function>\n</seed:tool_call>", joint="\n"),
           thinks=lambda thought: f"<seed:think>{thought}</seed:think>\n"),
    Format("glm45", "tag", "raw",
           tagged("<tool_call>@", "<arg_key>@</arg_key>\n<arg_value>?</arg_value>", "\n</tool_call>", joint="\n")),
    Format("glm47", "tag", "raw",
           tagged("<tool_call>@", "<arg_key>@</arg_key><arg_value>?</arg_value>", "</tool_call>"), sep=""),
    Format("longcat_kv", "tag", "raw",
           tagged("<longcat_tool_call>@", "<longcat_arg_key>@</longcat_arg_key>\n<longcat_arg_value>?</longcat_arg_value>",
                  "\n</longcat_tool_call>", joint="\n"),
           thinks=lambda thought: f"<longcat_think>{thought}</longcat_think>\n"),
    Format("hy_v3", "tag", "raw",
           tagged("<tool_call>@<tool_sep>", "<arg_key>@</arg_key>\n<arg_value>?</arg_value>", "\n</tool_call>", joint="\n"),
           "<tool_calls>\n", "\n", "\n</tool_calls>"),
    Format("hy_v3_suffix", "tag", "raw",
           tagged("<tool_call:opensource>@<tool_sep:opensource>",
                  "<arg_key:opensource>@</arg_key:opensource>\n<arg_value:opensource>?</arg_value:opensource>",
                  "\n</tool_call:opensource>", joint="\n"),
           "<tool_calls:opensource>\n", "\n", "\n</tool_calls:opensource>"),
    Format("minimax_m2", "tag", "raw", INVOKE, "<minimax:tool_call>\n", "\n", "\n</minimax:tool_call>"),
    Format("minimax_m3", "marker", "raw", minimax_m3, "]<]minimax[>[<tool_call>\n", "\n", "\n]<]minimax[>[</tool_call>",
           thinks=lambda thought: f"<mm:think>{thought}</mm:think>\n"),
    Format("anthropic_invoke", "tag", "raw", INVOKE, "<function_calls>\n", "\n", "\n</function_calls>", thinks=thinking),
    Format("anthropic_legacy", "tag", "raw", LEGACY, "<function_calls>\n", "\n", "\n</function_calls>", thinks=thinking),
    Format("bare_invoke", "tag", "raw", INVOKE, thinks=thinking),
    Format("dots", "tag", "raw", INVOKE, "<dots_function_call>\n", "\n", "\n</dots_function_call>"),
    Format("muse_atem", "marker", "raw", ATEM, "<|start|>assistant to=tools<|message|><atem:function_calls>\n", "\n",
           "\n</atem:function_calls><|eom|>", after=False,
           before=lambda prose: f"<|start|>assistant to=user<|message|>{prose}<|eot|>",
           thinks=lambda thought: f"<|start|>assistant to=self<|message|>{thought}<|eom|>"),
    Format("dsml_v32", "marker", "raw", string_flag("｜DSML｜"), "<｜DSML｜function_calls>\n", "\n", "\n</｜DSML｜function_calls>"),
    Format("dsml_v41_spaced", "marker", "raw", string_flag("｜DSML｜ "), "<｜DSML｜ calls>\n", "\n", "\n</｜DSML｜ calls>"),
    Format("telechat4_kv", "tag", "raw",
           tagged("<tool_call>@", "<param_key>@</param_key><param_value>?</param_value>", "</tool_call>"), sep=""),
    Format("dsml_v4", "marker", "raw", string_flag("｜DSML｜"), "<｜DSML｜tool_calls>\n", "\n", "\n</｜DSML｜tool_calls>"),
    Format("step3", "marker", "raw", STEP, "<｜tool_calls_begin｜>", "\n", "<｜tool_calls_end｜>"),
    Format("kimi_k3", "marker", "raw", kimi_k3, "<|open|>tools<|sep|>", "",
           "<|close|>tools<|sep|><|close|>message<|sep|>", after=False,
           before=lambda prose: f"<|open|>response<|sep|>{prose}<|close|>response<|sep|>",
           thinks=lambda thought: f"<|open|>think<|sep|>{thought}<|close|>think<|sep|>"),
    Format("minicpm5", "tag", "raw", tagged('<function name="@">', '<param name="@">?</param>', "</function>")),
    Format("cohere_cofl", "marker", "raw", cohere_cofl, "<cofl:tool_calls>", "", "</cofl:tool_calls>",
           thinks=lambda thought: f"<|START_THINKING|>{thought}<|END_THINKING|>"),
    Format("cline_xml", "tag", "raw", tagged("<@>", "<@>?</@>", "\n</@>", joint="\n"), sep="\n\n", thinks=thinking),
    Format("continue_codeblock", "marker", "raw",
           tagged(f"{FENCE}tool\nTOOL_NAME: @", "BEGIN_ARG: @\n?\nEND_ARG", f"\n{FENCE}", joint="\n"), parallel=False, after=False),
    Format("functiongemma", "marker", "raw",
           gemma("<start_function_call>", "<escape>", "<end_function_call>"), sep=""),
    Format("gemma4", "marker", "raw", gemma("<|tool_call>", '<|"|>', "<tool_call|>"), sep="",
           thinks=lambda thought: f"<|channel>thought\n{thought}<channel|>"),
    Format("arrow_tool_call", "marker", "raw", arrow),
)  # fmt: skip
