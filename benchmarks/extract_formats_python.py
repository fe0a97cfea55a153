"""The formats whose calls are Python, written from a name and arguments."""

from __future__ import annotations

from benchmarks.extract_format import FENCE, Args, Format, Write
from benchmarks.extract_spelling import Spell, python, python_words


def called(before: str = "", dot: str = "", spell_value: Spell = python) -> Write:
    """A Python call with keywords."""

    def write(name: str, args: Args, _at: int, _spell: Spell) -> tuple[str, str]:
        keywords = ", ".join(f"{key}={spell_value(value)}" for key, value in args.items())
        return f"{before}{name}{dot}({keywords})", ""

    return write


PYTHON_FORMATS = (
    Format("llama3_builtin", "marker", "python", called(dot=".call", spell_value=python_words), "<|python_tag|>", "; ", after=False),
    Format("pythonic_list", "shape", "python", called(), "[", ", ", "]", after=False),
    Format("llama4_python_tokens", "marker", "python", called(), "<|python_start|>[", ", ", "]<|python_end|>"),
    Format("lfm2", "marker", "python", called(), "<|tool_call_start|>[", ", ", "]<|tool_call_end|>"),
    Format("olmo3", "tag", "python", called(), "<function_calls>\n", "\n", "\n</function_calls>"),
    Format("nemotron_pythonic", "tag", "python", called(), "<TOOLCALL>[", ", ", "]</TOOLCALL>"),
    Format("minicpm3_python", "marker", "python", called(), f"<|tool_call_start|>\n{FENCE}python\n", "\n",
           f"\n{FENCE}\n<|tool_call_end|>", thinks=lambda thought: f"<|thought_start|>\n{thought}\n<|thought_end|>\n"),
    Format("gemma_tool_code", "marker", "python", called(), f"{FENCE}tool_code\n", "\n", f"\n{FENCE}", after=False),
    Format("gorilla_brackets", "marker", "python", called("<<function>>"), sep=" "),
    Format("nexusraven", "shape", "python", called(), "Call: ", "; ", " <bot_end>", after=False),
)  # fmt: skip
