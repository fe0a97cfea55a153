"""The hooks at which the scan stops, and the search for the next one."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import NamedTuple

from zkit.extract import turn_marks
from zkit.extract.declared import LONGEST_PLAIN, Declared
from zkit.extract.parsers.call_objects import OPENING_KEYS
from zkit.extract.parsers.envelopes import BODIES, WRAPPERS
from zkit.extract.tape import LONGEST_MARK, Tape, compiled, searched

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


LABEL = r"(?:(?:\*\*|__|#{1,4}[ \t]|[0-9]{1,2}[.)][ \t])*+)"
# The labels of tool results in ReAct prompts, and of results that models make up.
RESULT_LABELS = (
    r"Observation|(?:Tool|Function|API)(?: [Cc]all)? (?:[Rr]esult|[Oo]utput|[Rr]esponse)s?"
)
_LABELS = rf"Action|Thought|Plan|Reflection|Call|{RESULT_LABELS}|Final Answer|TOOL_NAME|tool_name"
# A line that begins with a label that a prompt's format defines.
FORMAT_LABEL = rf"[ \t]*+{LABEL}(?:{_LABELS})\b"
# Marks in brackets, which look like the beginning of a list.
BRACKETED = (
    r"(?:(?P<start>\[TOOL_CALLS\]|\[TOOL_REQUEST\]|\[TOOL_CALL\]|\[Calling tool:|\[\[ ## next_tool_name)"
    r"|(?P<result>\[TOOL_RESULTS?\]|\[\[ ## observation)|(?P<marked>\[THINK\]|\[\[ ## next_thought)"
    r"|(?P<orphan>\[/THINK\]|\[BEGIN FINAL RESPONSE\])|(?P<stop>\[END FINAL RESPONSE\]|\[[BE]OS\]|\[gMASK\]))"
)
# A Python call after a bracket.
CALLING = r"\s*+(?P<name>[^\W\d][\w.:/\\-]*+)\s*+\("
_KEYS = "|".join(sorted(map(re.escape, OPENING_KEYS), key=len, reverse=True))
# An object that may be a call: it begins with a key of calls, or with a key whose value may name a
# tool or hold a call.
_OBJECT = rf"\{{(?=\s*+\{{|\s*+&quot;|\s*+,?+\s*+[\"'“`]?(?:{_KEYS})\b|\s*+[\"'“][^\"'”\n]{{1,128}}+[\"'”]\s*+:\s*+[\[{{\"'])"
# A list that may hold calls: objects, Python calls, or a name and an object; or a name in brackets
# (corpus/extract/small_models).
_LIST = r"\[(?=\s*+(?:[\[{]|\[?[\"']?[^\W\d][\w.:/\\-]*+(?:\s*+\(|\]:?+\s*+\{|[\"']\s*+,\s*+\{)))"
# An object after a name. Between them there may be a few words, a colon, a label on its own line, or
# the opening of a fence (corpus/extract/small_models).
ARGUMENTS_AHEAD = (
    r"(?P<mark>[`*\"'\]]{0,3}+(?P<words>(?:[ \t]++[^\W\d_]{1,12}+){1,4}+)?+[ \t]*+:?+[`*]{0,3}+"
    r"(?:[ \t\r]*+\n[ \t]*+(?:[-*+][ \t]++)?+[*_]{0,2}+[^\W\d_]{1,12}+(?:[ _][^\W\d_]{1,12}+)?+[*_]{0,2}+:[*_]{0,2}+)?+"
    r"\s*+(?P<fence>```(?:json)?+\s*+)?+)(?P<object>\{)"
)
# Every hook except a tool's name begins with one of these characters.
TRIGGER = re.compile(r"[<\[\]`✿◁\n{]")
# How many characters of a line are checked first, with the line end before it: `Act`, `Tho`, `###`.
LINE_PREFIX = 4
# How many line beginnings are cached for all streams together.
MOST_PREFIXES = 4096


class Hooks(NamedTuple):
    """The patterns of all hooks, of those that begin a line, and the latter at the beginning of a text."""

    any: str
    new_line: str
    line: str


@lru_cache(maxsize=MOST_PREFIXES)
def _may_begin(hooks: str, prefix: str) -> bool:
    """True if a hook may begin with these first characters of a line and the line end before them."""
    return compiled(hooks).match(prefix, partial=True) is not None


def _quoting() -> str:
    tags = (*turn_marks.QUOTING_TAGS, *turn_marks.RESULT_TAGS)
    return "|".join(rf"<{tag}(?=[\s>])|<{tag.upper()}(?=[\s>])" for tag in tags)


def _starts() -> str:
    """Return the pattern of all marks that open a call; tags may be in capitals."""
    free = [start for start, _ in BODIES.values()]
    wrappers = [w.opener for w in WRAPPERS if not w.opener.startswith("functools")]
    tags = [one for one in (*free, *wrappers) if one.startswith("<")]
    others = [one for one in (*free, *wrappers) if not one.startswith("<")]
    return f"(?i:{'|'.join(tags)})|{'|'.join(others)}"


# The hooks that count anywhere in a line; the first one wins at the same position.
_INLINE = (
    ("marked", "|".join(r.opener for r in turn_marks.MARKED_REASONING)),
    ("orphan", turn_marks.ORPHANS),
    ("think", "|".join(r.opener for r in turn_marks.TAGGED_REASONING)),
    ("answer", "|".join(r.opener for r in turn_marks.ANSWERS)),
    ("channel", r"<\|start\|>(?!user|tool|system|developer|functions)|<\|channel\|>"),
    ("result", turn_marks.RESULTS),
    ("turn", turn_marks.OTHER_TURN),
    ("start", _starts()),
    ("quoting", _quoting()),
    ("comment", r"<!--|<!\[CDATA\["),
    ("tick", "``*+"),
    ("stop", turn_marks.TOKENS),
    ("json", f"{_OBJECT}|{_LIST}"),
)
_WITHOUT_TOOLS = frozenset({"marked", "orphan", "think", "answer", "channel", "stop"})


def _lines(tools: bool) -> str:
    """Return the pattern of the hooks that count only at the beginning of a line."""
    spoken = "|".join(r.opener for r in turn_marks.SPOKEN_REASONING)
    if not tools:
        return rf"(?P<spoken>{spoken})"
    speaker = rf"(?:#{{1,4}}[ \t]*+|\*\*|__)?+(?i:{turn_marks.ASKED}|{turn_marks.ANSWERED})"
    return (
        rf"(?P<speaker>{speaker}(?=[ \t]?[0-9]{{0,2}}(?:\*\*|__)?[ \t]*+[:：])|#{{1,4}}[ \t]++(?i:{turn_marks.ASKED}|{turn_marks.ANSWERED})(?=[ \t]*+:?+[ \t]*+\n))"
        rf"|(?P<fence>`{{3,}}+|~{{3,}}+)|(?P<spoken>{spoken})|(?P<functionary>>>>)|(?P<quote>>)|(?P<row>\|)"
        rf"|(?P<functools>functools\[)|(?P<functions>functions\.(?=\w))"
        rf"|(?P<stripped>{turn_marks.STRIPPED_CHANNEL})|{LABEL}(?P<label>{_LABELS})(?:[ \t]?[0-9]{{1,2}})?+(?:\*\*|__)?+[ \t]*+:"
    )


@cache
def hooks_for(tools: bool) -> Hooks:
    """Return the hooks for a reply; without tools, only those for reasoning, channels and tokens."""
    wanted = (one for one in _INLINE if tools or one[0] in _WITHOUT_TOOLS)
    kinds = "|".join(f"(?:{pattern})(?P<{kind}>)" for kind, pattern in wanted)
    lines = _lines(tools)
    new_line = rf"\n(?P<indent>[ \t]*+)(?:{lines})"
    inline = f"(?={TRIGGER.pattern})(?:{kinds})"
    return Hooks(f"{inline}|{new_line}", new_line, rf"(?P<indent>\s*+)(?:{lines})")


# The first key of an object, or of the first object in a list.
OPENING_KEY = (
    r"[\[\s]*+\{(?:\s*+\{)?+\s*+,?+\s*+(?:\"(?P<key>[^\"\n]{0,80})\"|'(?P<key>[^'\n]{0,80})'|“(?P<key>[^“”\n]{0,80})”|&quot;(?P<key>\w{1,80}+)&quot;|\"?(?P<key>[\w.-]{1,80}+)\"?)\s*+[:=]"
)  # fmt: skip
# A list that begins with a Python call.
LISTED_CALL = rf"\[\[?{CALLING}"
# A list that begins with a call in a string, or with a name and an object.
LISTED_NAME = r"\[\s*+[\"'](?P<name>[^\W\d][\w.:/-]*+)(?:\s*+\(|[\"']\s*+,\s*+\{)"


# ── searching ────────────────────────────────────────────────────────────────


class Found(NamedTuple):
    """A hook in the window: its kind, its start and its end."""

    kind: str
    start: int
    end: int


_NONE, _PASSED = Found("", 1 << 60, 1 << 60), Found("", -1, -1)


class Watch:
    """Finds the next hook for the declared tools; waits if more text may change the hook."""

    def __init__(self, tape: Tape, tools: Declared) -> None:
        self._tape = tape
        self._hooks = hooks_for(bool(tools))
        self.line = self._hooks.line
        self._names = tools.spellings if tools else ()
        self._tools = tools
        self._text: str | None = None
        # The next hook, and the next occurrence of each name.
        self._hook = _NONE
        self._next: list[Found] = []

    def is_plain_chunk(self, chunk: str) -> bool:
        """True if a chunk is only text, provided that no hook has begun before it."""
        if len(chunk) > LONGEST_PLAIN or TRIGGER.search(chunk) is not None:
            return False
        before = self._tape.last
        return not self._names or self._tools.begun.search(before + chunk, len(before)) is None

    def next(self, pos: int) -> tuple[str, int]:
        """Return the kind of the next hook and where the text before it ends; no kind if none is sure yet."""
        if self._tape.final and pos >= self._tape.size:
            return "", self._tape.size
        text, base = self._tape.window(pos)
        plain = -1 if self._tape.final else self._plain_until(text, pos - base)
        if plain >= 0:
            return "", min(plain, self._name_begun(text, pos - base)) + base
        found = self._first(text, pos - base)
        while self._tape.final and (end := self._plain_end(text, base, found)):
            found = self._first(text, end)
        if self._tape.final:
            return found.kind, min(found.start + base, self._tape.size)
        tail = max(pos - base, len(text) - LONGEST_MARK)
        held = self._held(text, tail, min(found.start, len(text)))
        if held == found.start and self._is_sure(text, found):
            return found.kind, held + base
        return "", min(held, self._name_begun(text, tail)) + base

    def _plain_end(self, text: str, base: int, found: Found) -> int:
        """Return where to continue after code that holds no call; 0 if the handler must decide."""
        if found.kind not in ("tick", "fence"):
            return 0
        end, begun = plain_code(text, found.start, self._tools)
        if end > begun:
            self._tape.looked(begun + base, end + base)
        return end

    def _plain_until(self, text: str, at: int) -> int:
        """Return how far the text cannot belong to a hook; -1 if some of it may.

        A tool's name that has only begun at the end is not checked here. The most common trigger is
        a line end, and the characters after it rule out a hook in most cases.
        """
        for trigger in TRIGGER.finditer(text, at):
            start = trigger.start()
            if text[start] != "\n":
                return -1
            if start == len(text) - 1:
                return start if all(text.find(name, at) < 0 for name in self._names) else -1
            if _may_begin(self._hooks.any, text[start : start + LINE_PREFIX]):
                return -1
        return len(text) if all(text.find(name, at) < 0 for name in self._names) else -1

    def _first(self, text: str, at: int) -> Found:
        """Return the first hook from `at` on; hooks that were found before are cached."""
        if text is not self._text:
            self._text = text
            self._hook, *self._next = [_PASSED] * (1 + len(self._names))
        if self._hook.start < at:
            self._hook = self._search(text, at)
        found = self._hook
        for index, known in enumerate(self._next):
            if known.start < at:
                known = self._next[index] = _named(text, self._names[index], at)
            if known.start < found.start:
                found = known
        return found

    def _search(self, text: str, at: int) -> Found:
        match = searched(self._hooks.any).search(text, at)
        if match is None:
            return _NONE
        group, start = match.lastgroup or "", match.start()
        if text[start] == "\n":
            return Found(group, match.end("indent"), match.end())
        return Found(group, start, match.end())

    def _is_sure(self, text: str, found: Found) -> bool:
        """True if no later text can turn this mark into a longer one."""
        if found.end == len(text):
            return False
        if found.kind == "name" or len(text) - found.start > LONGEST_MARK:
            return True
        if compiled(self._hooks.any).fullmatch(text, found.start, partial=True) is not None:
            return False
        line = text.rfind("\n", 0, found.start)
        if line < 0 or text[line : found.start].strip():
            return True
        return compiled(self._hooks.new_line).fullmatch(text, line, partial=True) is None

    def _held(self, text: str, begin: int, end: int) -> int:
        """Return the first position between two that may still become a hook, or the second one."""
        for trigger in TRIGGER.finditer(text, begin, end):
            if compiled(self._hooks.any).fullmatch(text, trigger.start(), partial=True) is not None:
                return trigger.start()
        return end

    def _name_begun(self, text: str, tail: int) -> int:
        """Return where a tool's name may have begun that the next chunk completes, or the text's end."""
        if not self._names or text[-1:] in _ENDS_WORD:
            return len(text)
        tail = max(tail, len(text) - LONGEST_MARK)
        word = _LAST_WORD.search(text, tail)
        at = len(text) if word is None else word.start("name")
        while at < len(text) and text[at:] not in self._tools.prefixes:
            at += 1
            while at < len(text) and (text[at - 1].isalnum() or text[at - 1] == "_"):
                at += 1
        return at - (at < len(text) and text[at - 1 : at] == "<" and at > tail)


_ENDS_WORD = frozenset(" \n\t,;!?\"'")
_LAST_WORD = re.compile(r"<?(?P<name>[^\s<>{}()\[\]\"'|,;]{1,128}+)\Z")


def _named(text: str, name: str, at: int) -> Found:
    """Return the next occurrence of a tool's name as a whole word; in a tag it begins at the `<`."""
    begin = text.find(name, at)
    while begin >= 0:
        end = begin + len(name)
        before = text[begin - 1] if begin else ""
        after = text[end : end + 1]
        if before == "<" and begin > at and after in _AFTER_TAG:
            return Found("tag", begin - 1, end)
        if not (before.isalnum() or before == "_" or after.isalnum() or after == "_"):
            return Found("name", begin, end)
        begin = text.find(name, end)
    return _NONE


_AFTER_TAG = frozenset({"", " ", "\n", "\t", "/", ">"})
