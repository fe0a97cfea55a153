"""Check that the text around a value is words: data that stands there must not be dropped.

A second argument, an assignment, an operator or a member on a line of its own changes the value, so a
text that has one beside its object is refused, not shortened.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from zkit.repair.around.fences import NEAR

_LITERAL = r"(?:true|false|null|None|True|False|-?[0-9]++(?:\.[0-9]++)?|\"[^\"\n]*+\"|'[^'\n]*+')"
_GOES_ON = re.compile(
    r"[0-9]"  # {"n": 7}42
    r"|\[[\"'0-9]"  # {…}["key"]
    r"|\s*+\.\s*+[A-Za-z_]\w*+\s*+\("  # {…}.update(
    r"|[ \t]*+(?:\|{1,2}|\+|&{1,2}|\?\?)(?:\s++[\w\"'(]|\s*+[{\[])"  # {…} | {…}
    rf"|\s*+,\s*+(?:\w++\s*+=(?!=)|{_LITERAL}|[\[{{])"  # f({…}, force=True)
)
_STATEMENT = re.compile(
    r"^[ \t]*+(?:"
    r"[A-Za-z_]\w*+(?:\[[^\]\n]{1,80}+\]|\.[A-Za-z_]\w*+)++\s*+[-+*/|&]?=(?!=)"  # args["force"] = True
    r"|del\s++\w++[\[.]"
    r"|[\w.]++\.(?:update|pop|append|extend|setdefault|push|assign|merge|delete|remove|insert)\()",
    re.MULTILINE,
)
_MEMBER = re.compile(
    rf"^[ \t]*+([\"'`]?+)([A-Za-z_][\w-]*+)\1[ \t]*+[:=][ \t]*+{_LITERAL}[ \t]*+[,;]?+[ \t]*+$",
    re.MULTILINE,
)
"""A line that is a member: a name, a colon, and a literal."""
_MEMBER_SIGN = re.compile(r"[\":0-9][^{}]*+\}")
_CLOSERS = re.compile(r"[\s}\])>;`.,]*+")


def data_after(text: str, end: int, declared: Collection[str]) -> int | None:
    """Where the text after a value says something about it; None if it is words."""
    found = _GOES_ON.match(text, end)
    if found is not None:
        return end
    rest = text[end : end + NEAR]
    closed = _CLOSERS.match(rest).end()  # type: ignore[union-attr]
    tail = rest[closed:]
    if tail.count("}") > tail.count("{") and _MEMBER_SIGN.search(tail):
        return end + closed
    return _statement(text, end, end + NEAR, declared)


def data_before(text: str, start: int, declared: Collection[str]) -> int | None:
    """Where a member stands on a line of its own before a value; None if the text is words."""
    return _member(text, max(0, start - NEAR), start, declared)


def _statement(text: str, start: int, end: int, declared: Collection[str]) -> int | None:
    found = _STATEMENT.search(text, start, end)
    return found.start() if found is not None else _member(text, start, end, declared)


def _member(text: str, start: int, end: int, declared: Collection[str]) -> int | None:
    for found in _MEMBER.finditer(text, start, end):
        if text.count("{", start, found.start()) > text.count("}", start, found.start()):
            continue  # it belongs to another object
        if found[2] in declared or found[1] or found[2].islower():
            return found.start()
    return None


_TYPE_NAMES = frozenset(
    [
        "string",
        "str",
        "text",
        "integer",
        "int",
        "number",
        "float",
        "double",
        "boolean",
        "bool",
        "array",
        "list",
        "object",
        "dict",
        "null",
        "any",
        "date",
        "datetime",
    ]
)
_PLACEHOLDER = re.compile(
    r"\.{2,}|…|_{2,}|<[^<>]++>|\[[^\[\]]++\]|\{[^{}]++\}|(?:string|number|integer|boolean)\b.{0,40}|"
)


def is_echo(value: object) -> bool:
    """True if the leaves of an object are names of types or placeholders: an echo of the prompt."""
    if not isinstance(value, dict) or not value:
        return False
    if isinstance(value.get("properties"), dict) and value.get("type") == "object":
        return True
    todo: list[object] = list(value.values())
    leaves = 0
    for part in todo:
        if isinstance(part, dict | list):
            todo += part.values() if isinstance(part, dict) else part
        elif not isinstance(part, str) or not _is_placeholder(part):
            return False
        else:
            leaves += bool(part)
    return leaves > 0


def _is_placeholder(text: str) -> bool:
    plain = text.strip().lower()
    return plain in _TYPE_NAMES or _PLACEHOLDER.fullmatch(plain) is not None
