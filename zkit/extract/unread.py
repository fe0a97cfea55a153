"""The last check of a reply without any call: is there one in a form that no format describes?

See corpus/extract/unread and decision 26.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from zkit.extract.declared import Declared
from zkit.extract.events import Refusal

UNREAD = (
    "Your reply names {name} in a form that is not read as a call, so nothing was run. "
    "To call it, use the form that you were given for tool calls."
)
# Only the first names are checked: a document may name many tools.
MOST_NAMES = 8
# How many characters after the name an argument's key may be.
NEAR = 2_000
# The text before a name that is a value, an attribute or the name of a tag.
_BEFORE = re.compile(r"(?:[\w\"'*＂”]\s*+[:=：]\s*+[\\\"'`*＂“]*+|[<>]\s*+[\"']?+)\Z")
# The text after a name that begins a line: a bracket, maybe after an arrow, or an attribute.
_AFTER = re.compile(r"[ \t]*+(?:[-=]?>|→|:)?+\s*+[{\[(<]|[ \t]++\w++=")
_LONGEST_BEFORE = 40
_STRUCTURE = re.compile(
    r"\s*+(?:```\w*+\s*+)?+[\"']?+[\[{<｛].*[\]}>｝][\"']?+\s*+(?:```\s*+)?+", re.DOTALL
)
# A reply in which all quotes are escaped; otherwise an escaped quote is inside a string.
_ESCAPED = re.compile(r"\s*+(?:```\w*+\s*+)?+[\"']?+[\[{]\s*+\\\"")
_FENCED = re.compile(r"(```|~~~).*?(?:\1|\Z)", re.DOTALL)


def unread_calls(content: str, tools: Declared, span: tuple[int, int]) -> Iterator[Refusal]:
    """Yield a refusal for each tool that a reply seems to call.

    The tool's name must be a value, an attribute or a tag, with a key of its arguments after it. A
    reply that is nothing but an object or a tag needs no such key, unless the name is an ordinary
    word. Fences count only if there is no other text. `span` is the span of the reply.
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
    """True if the text has one of the keys, in quotes, as an attribute or as a tag."""
    words = "|".join(map(re.escape, keys))
    written = rf"[\"'](?:{words})[\"']\s*+[:=,]|<(?:{words})>|(?<![\w\"'])(?:{words})\s*+[:=]\s*+\S"
    return bool(words) and re.search(written, after) is not None
