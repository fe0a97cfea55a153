"""The last look at a reply in which nothing was found: a call in a form that no format describes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from zkit.extract.declared import Declared
from zkit.extract.events import Refusal

UNREAD = (
    "Your reply names {name} in a form that is not read as a call, so nothing was run. "
    "To call it, use the form that you were given for tool calls."
)
# A document names many tools; a call that no format describes is one of the first.
MOST_NAMES = 8
# How far after its name the first argument of a call may be.
NEAR = 2_000
# What is before a name that is a value, an attribute or the name of a tag.
_BEFORE = re.compile(r"(?:[\w\"'*＂”]\s*+[:=：]\s*+[\\\"'`*＂“]*+|[<>]\s*+[\"']?+)\Z")
# What is after a name that begins a line: a bracket, maybe after an arrow, or an attribute.
_AFTER = re.compile(r"[ \t]*+(?:[-=]?>|→|:)?+\s*+[{\[(<]|[ \t]++\w++=")
_LONGEST_BEFORE = 40
_STRUCTURE = re.compile(
    r"\s*+(?:```\w*+\s*+)?+[\"']?+[\[{<｛].*[\]}>｝][\"']?+\s*+(?:```\s*+)?+", re.DOTALL
)
# A reply whose quotes are all escaped; elsewhere an escaped quote is inside a string.
_ESCAPED = re.compile(r"\s*+(?:```\w*+\s*+)?+[\"']?+[\[{]\s*+\\\"")
_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)


def unread_calls(content: str, tools: Declared, span: tuple[int, int]) -> Iterator[Refusal]:
    """Return the tools that a reply seems to call: a name where a value or a tag is, a key of its arguments after it.

    No key is needed in a reply that is nothing but an object or a tag, unless the name is an ordinary
    word that data may hold. A fence counts only if the reply is nothing else. `span` is that of the reply.
    """
    outside = _FENCED.sub("", content)
    content = outside if any(map(str.isalnum, outside)) else content
    alone = _STRUCTURE.fullmatch(content) is not None
    seen: set[str] = set()
    names = "|".join(map(re.escape, sorted(tools.spellings, key=len, reverse=True)))
    for count, found in enumerate(
        re.finditer(rf"(?<![\w./-])(?:functions\.)?(?:{names})(?![\w-])", content)
    ):
        if count >= MOST_NAMES:
            return
        name = tools.name_of(found[0])
        if name is None or name in seen:
            continue
        before = content[max(0, found.start() - _LONGEST_BEFORE) : found.start()]
        first = not before.rpartition("\n")[2].strip() and _AFTER.match(content, found.end())
        if not first and _BEFORE.search(before) is None:
            continue
        if before.endswith('\\"') and _ESCAPED.match(content) is None:
            continue
        after = content[found.end() : found.end() + NEAR]
        if (alone and not name.isalpha()) or _has_argument(after, tools.expect(name).keys):
            seen.add(name)
            yield Refusal(name, "unread", span, UNREAD.format(name=name), "")


def _has_argument(after: str, keys: frozenset[str]) -> bool:
    """True if one of the keys is written as one: in quotes, as an attribute or as a tag."""
    words = "|".join(map(re.escape, keys))
    written = rf"[\"'](?:{words})[\"']\s*+[:=,]|<(?:{words})>|(?<![\w\"'])(?:{words})\s*+[:=]\s*+\S"
    return bool(words) and re.search(written, after) is not None
