"""A fast path over fenced code that cannot hold a call, for texts that have arrived completely.

The handlers of the scan pass over the same code with the same outcome; the law that chunks change
nothing compares the two. The fast path pays off for source code (benchmarks/extract_speed).
"""

from __future__ import annotations

import re

from zkit.extract.declared import Declared
from zkit.extract.parsers.envelopes import openers

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
_FENCE_LINE = re.compile(r"(?P<mark>`{3,20}+|~{3,20}+)[ \t]*+(?P<info>[^\n`\[{<]{0,80}+)\n")
_FENCE_ENDS = re.compile(r"[`~]*+[ \t]*+(?=\r?\n|\Z|<)")
_NAME = re.compile(r"(?:[^\W\d]\w*+\s*+=\s*+)?+(?:print\(\s*+)?+(?P<name>[^\W\d][\w.:/\\-]*+)")
# Every key in `NAME_KEYS` contains one of these.
_NAMING_WORD = re.compile(r"name|tool|function|action")


def plain_code(text: str, at: int, tools: Declared) -> tuple[int, int]:
    """Return the end of the fence at `at`, and where its search began, if it holds no call; else 0, 0."""
    fence = _FENCE_LINE.match(text, at)
    if fence is None:
        return 0, 0
    begin, mark = fence.end(), fence["mark"]
    words = fence["info"].lower().split()
    info = words[0] if words else ""
    if info in _OTHER_FENCES:
        return 0, 0
    if text[at - 1 : at] != "\n" and text[text.rfind("\n", 0, at) + 1 : at].strip(" \t"):
        return 0, 0
    close = text.find(mark, begin - 1)
    while close >= 0:
        line = text.rfind("\n", begin - 1, close) + 1
        ends = _FENCE_ENDS.match(text, close + len(mark))
        if ends is not None and (line == close or not text[line:close].strip(" \t")):
            break
        close = text.find(mark, close + 1)
    else:
        return 0, 0
    body = text[begin:line]
    if tools.named_in(body):
        return 0, 0
    if info not in FENCES or _MAY_CALL.match(body) is None:
        return ends.end(), ends.end()
    first = body.lstrip()
    if first[:1] in "<✿[" and openers().match(first):
        return 0, 0
    if first[:1] in "[{\"'\ufeff" and _NAMING_WORD.search(body):
        return 0, 0
    name = _NAME.match(first, first[:1] == "<")
    if name is not None and tools.name_of(name["name"]) is not None:
        return 0, 0
    return ends.end(), begin
