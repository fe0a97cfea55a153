"""A fast path over fenced code that cannot hold a call, for texts that have arrived completely.

The handlers of the scan pass over the same code with the same outcome; the law that chunks change
nothing compares the two. The fast path pays off for source code (benchmarks/extract_speed).
"""

from __future__ import annotations

import re

from zkit.extract.declared import Declared

# The info strings of fences that may hold a call, and the kind of their body.
FENCES = {
    **dict.fromkeys(
        ("", "json", "json5", "jsonc", "jsonl", "xml", "text", "txt", "plaintext", "html", "python",
         "py", "javascript", "js", "bash", "sh", "shell", "yaml", "markdown"),
        "fence_object",
    ),
    **dict.fromkeys(
        ("tool_call", "tool_calls", "function_call", "function", "tool_use"), "fence_call"
    ),
    "tool_code": "fence_python",
    "tool": "lines",
}  # fmt: skip
# The info strings of fences in which models make up a tool's result (corpus/extract/around).
RESULT_FENCES = frozenset(
    {"tool_output", "tool_outputs", "tool_result", "tool_results", "tool_response", "output"}
)
_OTHER_FENCES = RESULT_FENCES | {"tool", "tool_code"}
# The beginning of a block that may be nothing but a call.
MAY_CALL = (
    r"[\s\ufeff]*+(?:[\[{<✿\"']|print\(|(?:[^\W\d][\w.:/\\-]*+)[ \t]*+(?:[(:{=]|\n\s*+\{|\Z))"
)
# Inline code has at most this many backticks on each side; longer runs are decoration.
MOST_TICKS = 20
_MAY_CALL = re.compile(MAY_CALL)
_FENCE = re.compile(
    r"(?P<mark>`{3,20}+|~{3,20}+)[ \t]*+(?P<info>[^\n`\[{<]{0,80}+)\n(?P<body>(?:[^\n]*+\n)*?)"
    r"[ \t]*+(?P=mark)[`~]*+[ \t]*+(?=\r?\n|\Z|<)"
)
# Every mark of calls and every key in `NAME_KEYS` contains one of these.
_NAMING_WORD = re.compile(r"name|tool|function|action|call|recipient|TOOL|FUNC")


def may_be_call(text: str, tools: Declared) -> bool:
    """True if the content of a fence may be a call: it names a tool, or begins with a mark or a bracket."""
    if _MAY_CALL.match(text) is None:
        return False
    marked = text.lstrip()[:1] in "<✿[{\"'\ufeff" and _NAMING_WORD.search(text) is not None
    return marked or tools.named_in(text)


def plain_code(text: str, at: int, tools: Declared) -> tuple[int, int]:
    """Return the end of the fence at `at`, and where its search began, if it holds no call; else 0, 0."""
    fence = _FENCE.match(text, at)
    if fence is None or text[text.rfind("\n", 0, at) + 1 : at].strip(" \t"):
        return 0, 0
    info, body = fence_kind(fence["info"]), fence["body"]
    if info in _OTHER_FENCES or tools.named_in(body):
        return 0, 0
    if info not in FENCES or _MAY_CALL.match(body) is None:
        return fence.end(), fence.end()
    return (0, 0) if may_be_call(body, tools) else (fence.end(), fence.start("body"))


def fence_kind(info: str) -> str:
    """Return the language of a fence from the line that opens it."""
    return next(iter(info.lower().split()), "")
