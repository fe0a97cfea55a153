"""Decide which value in a text is the payload, and whether the text around it is only prose."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import islice

from zkit.repair.fixes import CUT
from zkit.repair.limits import MOST_BEFORE, MOST_LINES, SURROUNDINGS
from zkit.repair.locate import starts
from zkit.repair.locate.starts import REASONING, TOKEN
from zkit.repair.outcome import Candidate, Task, same
from zkit.text import lexis

# ── the text around a value ─────────────────────────────────────────────────


_REST = re.compile(rf"{lexis.ANY_SPACE}(?:```{lexis.ANY_SPACE}|[}}\]\s]*+)\Z")


def ends_text(text: str, end: int) -> bool:
    """True if only white space, a closing fence or stray closers follow the value."""
    return end == len(text) or _REST.match(text, end) is not None


_TAG_BEFORE = re.compile(rf"(?:<[^<>]{{1,200}}>|{TOKEN})\Z")
_TAG_AFTER = re.compile(rf"<[/|｜A-Za-z]|{TOKEN}")


def before_name(text: str, start: int) -> str:
    """Return the name of the fix that drops the text before `start`."""
    head = text[max(0, start - SURROUNDINGS) : start].rstrip()
    if starts.may_hold_tags(head) and REASONING.search(head):
        return "drop_reasoning"
    if "```" in head or "~~~" in head:
        return "drop_fence"
    if head[-1:] in (">", "]") and _TAG_BEFORE.search(head):
        return "drop_tag"
    return "drop_wrapper" if head[-1:] in ("=", "(") or head.isalpha() else "drop_prose"


def after_name(text: str, end: int) -> str:
    """Return the name of the fix that drops the text after `end`."""
    tail = text[end : end + 220].strip()
    if tail.startswith(("```", "~~~")):
        return "drop_fence"
    if _TAG_AFTER.match(tail):
        return "drop_tag"
    if not tail.strip(");, \t\r\n"):
        return "drop_wrapper"
    return "drop_prose" if tail.strip("}]) \t\r\n") else "drop_closer"


_CODE = re.compile(r"(?:[=(]|\breturn)\s*\Z")
_FOLLOW = re.compile(r"[ \t]*(?:\n|\Z|[;)<`]|\[/)")
_QUOTED = re.compile(
    rf"\{{[{{\s{lexis.ODD}]*+(?:[\"'“”„‘’`«＂「『\\…}}]|&quot;|&#34;|\.\.\.|//|/\*)|\[{lexis.ANY_SPACE}(?:\{{[{{\s]*+[\"'“”„‘’`«＂「『\\]|\[?{lexis.ANY_SPACE}[\"'])"
)


def quoted(text: str, start: int) -> bool:
    """True if the candidate begins like JSON: a brace and a quoted key, or a list of objects or strings."""
    return _QUOTED.match(text, start) is not None


def alone(text: str, start: int, end: int) -> bool:
    """True if the value has its line to itself, apart from an introduction before it."""
    if text[start] == "[" and _CODE.search(text[max(0, start - 40) : start]):
        return False
    return _leads(text, start) and _FOLLOW.match(text, end) is not None


def _leads(text: str, start: int) -> bool:
    """True if the value begins a line, or comes after a mark, `return` or `json`."""
    head = text[max(0, start - 40) : start]
    if not head[head.rfind("\n") + 1 :].strip(" \t>*-"):
        return True
    head = head.rstrip()
    return head[-1:] in _MARKS_BEFORE or head.lower().endswith(("return", "json"))


_MARKS_BEFORE = frozenset(":=(>`~]")


# ── data in the text around a value ─────────────────────────────────────────


_LITERAL = r"(?:true|false|null|None|True|False|-?[0-9]++(?:\.[0-9]++)?|\"[^\"\n]*+\"|'[^'\n]*+')"
_GOES_ON = re.compile(
    r"[0-9]"  # {"n": 7}42
    r"|\[[\"'0-9]"  # {…}["key"]
    r"|\s*+\.\s*+[A-Za-z_]\w*+\s*+\(|\.[a-z_]\w*+\s*+(?:[;.\[]|\Z)"  # {…}.update(, {…}.path
    r"|[ \t]*+(?:\|{1,2}|\+|&{1,2}|\?\?)(?:\s++[\w\"'(]|\s*+[{\[])"  # {…} | {…}
    r"|[ \t]*+[&;][ \t]*+[a-z_]\w*+[ \t]*+[:=](?!=)|->\w"  # to=[…]&force=1, {…}->path
    r"|[ \t]++(?:--[a-z][\w-]*+|-[a-z])(?=[ \t=]|\s*+\Z)"  # {…} --force
    rf"|[ \t]++{_LITERAL}[ \t]*+(?:\n|\Z)|[ \t]++if\b[^\n]{{1,80}}?\selse\s"  # {…} 5, {…} if ok else {{}}
    rf"|\s*+,\s*+(?:\w++\s*+(?:=(?!=)|:\s*+(?:{_LITERAL}|[\[{{]))|{_LITERAL}|[\[{{\"'“„«])"  # f({…}, force=True)
)
# The characters that `_GOES_ON` can begin with after white space.
_GOES_ON_WITH = frozenset("0123456789[.|+&?,;-\"'tfnTFNi")
_STATEMENT = re.compile(
    r"(?:^|;)[ \t]*+(?:"
    r"[A-Za-z_]\w*+(?:\[[^\]\n]{1,80}+\]|\.[A-Za-z_]\w*+)++\s*+[-+*/|&]?=(?!=)"  # args["force"] = True
    r"|del\s++\w++[\[.]"
    r"|[\w.]++\.(?:update|pop|append|extend|setdefault|push|assign|merge|delete|remove|insert)\()",
    re.MULTILINE,
)
# A line that is one member, perhaps after a bullet: a name, a colon or `=`, and a literal.
_MEMBER = re.compile(
    rf"^[ \t]*+(?:[-*•+][ \t]++)?+([\"'`]?+)([A-Za-z_][\w-]*+)\1[ \t]*+[:=][ \t]*+{_LITERAL}[ \t]*+[,;]?+[ \t]*+$",
    re.MULTILINE,
)
_ASSIGNED = re.compile(rf"[:=][ \t]*+{_LITERAL}")
_MEMBER_SIGN = re.compile(r"[\":0-9][^{}]*+\}")
# The end of one string, a comma and the next key: the inside of an object that was not read.
_MEMBERS = re.compile(r"[\"'](?<!\\.)\s*+,\s*+([\"'])[\w$ -]{1,60}+\1\s*+:")
_CLOSERS_DROPPED = re.compile(r"[\s}\])>;`.,]*+")


def data_after(text: str, end: int, declared: Collection[str]) -> int | None:
    """Return where the text after a value adds data to it; None if it is only prose.

    See corpus/repair/dropped_data.
    """
    at = lexis.skip_spaces(text, end)
    if text[at : at + 1] in _GOES_ON_WITH and _GOES_ON.match(text, end):
        return end
    rest = text[end : end + SURROUNDINGS]
    if _MEMBERS.search(text, end, starts.next_start(text, end) or end + SURROUNDINGS):
        return end
    if "}" in rest:
        closed = _CLOSERS_DROPPED.match(rest).end()  # type: ignore[union-attr]
        tail = rest[closed:]
        if tail.count("}") > tail.count("{") and _MEMBER_SIGN.search(tail):
            return end + closed
    if ":" not in rest and "=" not in rest and "(" not in rest and "del " not in rest:
        return None
    found = _STATEMENT.search(rest)
    return end + found.start() if found else _member(text, end, end + SURROUNDINGS, declared)


_CONSTRUCTOR = re.compile(r"\b(?:dict|OrderedDict|Map)\(\s*+\Z")
# Other arguments before the value: `f("x", {…})`, or `"x", {…}` without the call's name.
_ARGUMENTS_BEFORE = re.compile(rf"(?:\w\(|\A)\s*+(?:{_LITERAL}\s*+,\s*+)++\Z")


# A comma, a key and its colon right before the value: an object that could not be read holds it.
_LATER_MEMBER = re.compile(r",\s*+\\?+([\"'])[^\"'\n]{1,80}+\1\s*+:\s*+\Z")


def data_before(text: str, start: int, declared: Collection[str]) -> int | None:
    """Return where the text before a value holds an argument or a member; None if it is only prose.

    See corpus/repair/dropped_data.
    """
    if text[start] == "[" and _CONSTRUCTOR.search(text[max(0, start - 40) : start]):
        return start  # `dict([…])` is an object, not the list of its pairs
    if text[start] == "[" and _is_labelled(text, start):
        return start
    if (later := _LATER_MEMBER.search(text, max(0, start - MOST_BEFORE), start)) is not None:
        return later.start()
    near = max(0, start - SURROUNDINGS)
    if text.endswith(",", 0, lexis.last_sign(text, start)):
        given = _ARGUMENTS_BEFORE.search(text, near, start)
        if given is not None:
            return given.start()
    return _member(text, near, start, declared)


# The beginning of a line that is a member: a lower-case name and a colon, perhaps with Markdown.
_LABEL = re.compile(
    r"^[ \t]*+(?:[-*•+][ \t]++|[0-9]{1,2}[.)][ \t]++)?+(\*\*|[\"'`])?+([a-z_][\w-]{0,60}+)(?(1)\1)[ \t]*+[:=][ \t]*+(?=[^\s:=])",
    re.MULTILINE,
)


def _is_labelled(text: str, start: int) -> bool:
    """True if a list is one of several members on separate lines: `to: ["a"]`, then `flag: yes`.

    See corpus/repair/dropped_data.
    """
    line = text.rfind("\n", max(0, start - MOST_BEFORE), start) + 1
    own = _LABEL.match(text, line)
    if own is None or own.end() != start:
        return False
    near = _LABEL.finditer(text, max(0, start - SURROUNDINGS), start + SURROUNDINGS)
    return any(other[2] != own[2] for other in islice(near, MOST_LINES))


def _member(text: str, start: int, end: int, declared: Collection[str]) -> int | None:
    if _ASSIGNED.search(text, start, end) is None:
        return None
    for found in _MEMBER.finditer(text, start, end):
        if text.count("{", start, found.start()) > text.count("}", start, found.start()):
            continue  # a member of another object
        if found[2] in declared or found[1] or found[2].islower():
            return found.start()
    return None


# What a prompt writes for a value: dots, a name in brackets, or a type with a remark.
_PLACEHOLDER = re.compile(
    r"\s*+(?:\.{2,}|…|_{2,}|<[^<>]++>|\[[^\[\]]++\]|\{[^{}]++\}|(?:string|number|integer|boolean)\b.{0,40}"
    r"|str|text|int|float|double|bool|array|list|object|dict|null|any|date|datetime)?\s*+",
    re.IGNORECASE,
)


def is_echo(value: object) -> bool:
    """True if an object only repeats the prompt: a JSON schema, or only type names and placeholders.

    See corpus/repair/echoes.
    """
    if not isinstance(value, dict) or not value:
        return False
    if isinstance(value.get("properties"), dict) and value.get("type") == "object":
        return True
    todo: list[object] = list(value.values())
    leaves = 0
    for part in todo:
        if isinstance(part, dict | list):
            todo += part.values() if isinstance(part, dict) else part
        elif not isinstance(part, str) or not _PLACEHOLDER.fullmatch(part):
            return False
        else:
            leaves += bool(part)
    return leaves > 0


# ── the choice of the payload ───────────────────────────────────────────────


def may_be_another(task: Task, candidate: Candidate, chosen: Candidate) -> bool:
    """True if the candidate may be another payload that was cut, is damaged, or needs a rank above the limit."""
    beyond = candidate.value is None and candidate.refusal[0] in ("limit", "cut")
    if candidate.start <= chosen.start:
        return candidate is not chosen and beyond and quoted(task.text, candidate.start)
    opens = task.text[candidate.start] == "{" and not starts.is_set(task.text, candidate.start)
    return opens or beyond if candidate.value is None else candidate.rank == CUT


def left_aside(task: Task, candidates: list[Candidate], chosen: Candidate) -> list[int]:
    """Return where other values begin that may be the payload or a second one, so that the choice is unsafe.

    A second value touches the chosen one, or both have lines of their own. If the chosen value is
    part of a sentence, a later object that begins a line may be the real payload.
    See corpus/repair/several.
    """
    text = task.text
    if chosen.is_meant(task):
        return []
    return [
        other.start
        for other in candidates
        if other.value is not None
        and not same(other.value, chosen.value)
        and (touches(text, other, chosen) or _is_one_more(text, other, chosen))
    ]


def _is_one_more(text: str, other: Candidate, chosen: Candidate) -> bool:
    """True if both values have lines of their own, or only the other one, which is the later one."""
    later = max(other, chosen, key=lambda c: c.start)
    if "\n" not in text[lexis.last_sign(text, later.start) : later.start]:
        return False
    if not alone(text, *chosen[:2]):
        return other is later and quoted(text, other.start)
    if starts.in_code(text, other.start) or text[other.start] != "{":
        return False
    spelt_alike = quoted(text, other.start) or not quoted(text, chosen.start)
    return spelt_alike and alone(text, *other[:2])


def touches(text: str, other: Candidate, chosen: Candidate) -> bool:
    """True if only white space, commas and semicolons separate two values; bare words in brackets are not a value."""
    if text[other.start] == "[" and '"' not in text[other.start : other.end]:
        return False
    first, second = sorted((other, chosen), key=lambda c: c.start)
    return not text[first.end : second.start].strip(_BETWEEN_VALUES)


_BETWEEN_VALUES = lexis.BLANKS + ",;"


def is_mention(text: str, candidate: Candidate) -> bool:
    """True if the value is only mentioned in a sentence and not written as JSON."""
    start, end = candidate.start, candidate.end
    return _SPELLED.match(text, start) is None and not is_block(text, start, end)


_SPELLED = re.compile(r"\{\s*+(?:\"|\})|\[\s*+[\[{\"]")
_LINE_BEGINS = re.compile(r"(?:\A|\n)[ \t]*+\Z")
_LINE_ENDS = re.compile(r"[ \t]*+(?:\n|\Z)")


def is_block(text: str, start: int, end: int) -> bool:
    """True if no other text is on the value's lines."""
    begins = _LINE_BEGINS.search(text[max(0, start - 80) : start]) is not None
    return begins and _LINE_ENDS.match(text, end) is not None


def counts(task: Task, candidate: Candidate) -> bool:
    """True if the candidate may be the payload: it fits the schema, looks like JSON, or has its own line."""
    text, start = task.text, candidate.start
    if _empty_block(text, candidate):
        return False
    if candidate.is_meant(task):
        return True
    if starts.in_code(text, start) or (
        text[start] == "[" and text[candidate.end : candidate.end + 1] in (":", "(")
    ):
        return False
    if candidate.fixes and not _stands_for_json(text, candidate):
        return False
    if quoted(text, start) or lexis.skip_blank(text, 0) >= start:
        return True
    if candidate.fixes and candidate.fixes[0].name == "open_object":
        return True
    return task.guide is None and candidate.value is not None and alone(text, start, candidate.end)


def _empty_block(text: str, candidate: Candidate) -> bool:
    """True if the value is empty and part of a sentence or a statement: `args = {}`.

    See corpus/repair/values_in_prose.
    """
    start, end = candidate.start, candidate.end
    if candidate.value is None or candidate.value[0] or text[start + 1 : end - 1].strip():
        return False
    led = _EMPTY_LED.search(text[max(0, start - 80) : start]) is not None
    return not led or _EMPTY_FOLLOWED.match(text, end) is None


_EMPTY_LED = re.compile(r"(?:\A|[\n>]|\w\**+:\**+|\](?=[ \t\n]*+\Z)|```\w*+)[ \t\n]*+`?+\Z")
# `_EMPTY_LED` and `_EMPTY_FOLLOWED`: the text around an empty payload, such as a label, a fence
# or a tag.
_EMPTY_FOLLOWED = re.compile(r"`?+\s*+(?:\Z|<|```|\[/|[}\]]++\s*+\Z)")


def _stands_for_json(text: str, candidate: Candidate) -> bool:
    """True if the candidate's bare words may be strings: not in prose, and not in a list without any quotes."""
    if not any(fix.name == "quote_phrase" for fix in candidate.fixes):
        return True
    start = candidate.start
    if text[start] == "[" and '"' not in text[start : candidate.end]:
        return False
    if lexis.skip_blank(text, starts.reasoning_end(text)) >= start:
        return True
    return is_block(text, start, candidate.end) or before_name(text, start) in (
        "drop_tag",
        "drop_fence",
    )
