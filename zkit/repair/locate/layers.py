"""Undo an encoding of the whole text: escaping, entities, full-width brackets, line marks, quotes around it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from zkit.receipt import Fix
from zkit.repair.fixes import fix_named
from zkit.repair.strict_parse import strict
from zkit.text import lexis
from zkit.text.edits import Edit, Layer
from zkit.text.remembered import of_last

# ── escaping ────────────────────────────────────────────────────────────────


_LAYERED = re.compile(r"[^\"']{0,80}?[\\&]")
_ESCAPED = re.compile(r"[{\[](?:\\[nrt]|\s)*+\\\"")
_BARE_KEY = re.compile(r'[{,\n]\s*+"[^"\\\n]{1,80}+"\s*+:')
# The closing quote of a key, escaped, and the opening quote of its value, not escaped.
_BARE_VALUE = re.compile(r'(?<!\\)\\"\s*+:\s*+"(?!")')
_BARE_QUOTE = re.compile(r'(?<!\\)(?:\\\\)*+"')
_ENTITIES = re.compile(
    r"(?:[{\[][^\"&]{0,80}+(?<=[\s:,{\[\u200b-\u200f\u2060\ufeff]))?&(?:quot|#34|#x22|apos|#39|#x27);"
)
_ESCAPE = re.compile(
    r'\\(?:["\\/bfnrt]|u(?:[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|[0-9a-fA-F]{4}))'
)
_ENTITY = re.compile(
    r"&(?:#[0-9]{1,7}|#x[0-9a-fA-F]{1,6}|[A-Za-z]{2,8});|&(?:#x?+)?+[0-9A-Za-z]{0,8}+\Z"
)
# The most common entities; `&amp;` is last, so that `&amp;lt;` is undone only once.
_ENTITIES_MEANT = {"&quot;": '"', "&#34;": '"', "&#39;": "'", "&apos;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&"}  # fmt: skip
_PLAIN_ESCAPES = {
    '\\"': '"', "\\\\": "\\", "\\/": "/", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t",
}  # fmt: skip


class Escaping(NamedTuple):
    """A way to escape a whole value: the fix that undoes it, how to recognize it, and its escapes."""

    fix: str
    used_at: Callable[[str, int], bool]
    escape: re.Pattern[str]
    # The common escapes, and how to undo any other.
    known: Mapping[str, str]
    plain: Callable[[str], str]
    # Undo all escapes of a text at once, which is faster; None if that would not be the same.
    all_plain: Callable[[str], str | None]

    def undone(self, text: str) -> str:
        """Return the text with its escapes undone."""
        known, plain = self.known, self.plain
        undone = self.all_plain(text)
        if undone is None:
            undone = self.escape.sub(lambda match: known.get(match[0]) or plain(match[0]), text)
        return undone

    def layer(self, text: str, start: int) -> tuple[Layer, int]:
        """Return the text with the escapes from `start` on undone, and the place of `start` in it.

        Consecutive values share a layer, so that the cost of each depends only on its own size.
        """
        known = _layers(text)
        since, layer = known.get(self.fix, (start, None))
        place = layer.place_of(start) if layer is not None and since <= start else None
        if layer is None or place is None:
            layer, place = Layer.over(text, self.edits(text, start, len(text))), start
            known[self.fix] = (start, layer)
        return layer, place

    def edits(self, text: str, start: int, end: int) -> list[Edit]:
        """Return the edits that undo the escapes between two places."""
        known = self.known
        found = (
            (m, known.get(m[0]) or self.plain(m[0])) for m in self.escape.finditer(text, start, end)
        )
        return [Edit(m.start(), m.end(), new) for m, new in found if new != m[0]]


@of_last
def _layers(text: str) -> dict[str, tuple[int, Layer]]:
    """Return the cache of a text's last layers, each with the place where its unescaping starts."""
    return {}


def _character(escape: str) -> str:
    """Return the character of an escape, which may be a pair of `\\u` escapes."""
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    high, low = int(escape[2:6], 16), int(escape[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)


def _in_backslashes(text: str, start: int) -> bool:
    """True if the value's first quote is escaped, and the value is not inside a string."""
    if not _ESCAPED.match(text, start) or _holds_bare_quotes(text, start):
        return False
    return '"' not in text[text.rfind("\n", 0, start) + 1 : start].rstrip("\"' ")


def _holds_bare_quotes(text: str, start: int) -> bool:
    """True if some quotes of the value are escaped and others are not. See corpus/repair/escaped_payload."""
    if _BARE_KEY.search(text, start) or _BARE_VALUE.search(text, start):
        return True
    last = text.rfind('\\"')
    bare = _BARE_QUOTE.finditer(text, start, last)
    return next(bare, None) is not None and next(bare, None) is not None


def _in_entities(text: str, start: int) -> bool:
    """True if the value's first quote is an HTML entity. See corpus/repair/entities."""
    return _ENTITIES.match(text, start) is not None


def _meant(entity: str) -> str:
    """Return the characters of an HTML entity; an empty string if it is cut off."""
    if not entity.endswith(";"):
        return ""
    return html.unescape(entity)


def _content(text: str) -> str | None:
    """Return the text decoded as the content of a JSON string; None if it is not valid as one."""
    if text.count("\\") == text.count('\\"'):  # nothing but quotes is escaped
        return text.replace('\\"', '"')
    value = strict(f'"{text.strip()}"')
    return None if value is None else str(value[0])


def _without_entities(text: str) -> str | None:
    """Return the text with its entities replaced; None if it has any but the most common ones."""
    if text.count("&") != sum(map(text.count, _ENTITIES_MEANT)):
        return None
    for entity, meant in _ENTITIES_MEANT.items():
        text = text.replace(entity, meant)
    return text


_JSON = Escaping("unescape_payload", _in_backslashes, _ESCAPE, _PLAIN_ESCAPES, _character, _content)
_HTML = Escaping(
    "unescape_entities", _in_entities, _ENTITY, _ENTITIES_MEANT, _meant, _without_entities
)


def escapings(text: str, start: int) -> Sequence[Escaping]:
    """Return the ways in which the value at `start` may be escaped as a whole."""
    if not _LAYERED.match(text, start):
        return ()  # a quote comes before any backslash or entity
    return [escaping for escaping in (_JSON, _HTML) if escaping.used_at(text, start)]


def string_content(text: str) -> Layer:
    """Return the content of a JSON string as a layer; the text must be one valid string."""
    first = text.index('"')
    last = text.rindex('"')
    inner = _JSON.edits(text, first + 1, last)
    return Layer.over(text, [Edit(0, first + 1, ""), *inner, Edit(last, len(text), "")])


def through(
    layer: Layer, fixes: Sequence[Fix], name: str, span: tuple[int, int] | None = None
) -> list[Fix]:
    """Translate fixes of a layer's text into fixes of its source, and add the layer's own edits as `name`.

    `span` limits the layer's edits to a part of its text; without it all of them are added.
    """
    found: list[Fix] = []
    at, until = span or (0, None)
    for fix in fixes:
        start = layer.source_start(fix.start)
        found += _stretch(layer, at, start, name)
        end = layer.source_end(fix.end) if fix.end > fix.start else start
        found.append(fix._replace(start=start, end=max(start, end)))
        at = fix.end
    end = layer.edits[-1].end if until is None else layer.source_end(until)
    return [*found, *_stretch(layer, at, end, name)]


def _stretch(layer: Layer, start: int, source_end: int, name: str) -> list[Fix]:
    """Combine a layer's edits from `start` in its text to `source_end` in the source into one fix."""
    source_start = layer.source_end(start) if start else 0
    inside = layer.between(source_start, source_end)
    if not inside:
        return []
    first, final = inside[0], inside[-1]
    new = layer.text[layer.starts[first] : layer.starts[final] + len(layer.edits[final].new)]
    return [fix_named(name, layer.edits[first].start, layer.edits[final].end, new)]


# ── full width ──────────────────────────────────────────────────────────────


_PLAIN = {"｛": "{", "｝": "}", "［": "[", "］": "]"}
# A string that is closed or cut off by the end of the text, a full-width bracket, or another quote.
_TOKEN_FULL_WIDTH = re.compile(
    rf"{lexis.ANY_STRING}(?=\s*+(?:[,:=，：；;}}\]｝］]|\Z))|\"{lexis.UP_TO_QUOTE}\\?+\Z|([｛｝［］])|\"",
    re.DOTALL,
)
# A full-width brace, a key and its colon; or a full-width bracket at the start.
_FULL_WIDTH = re.compile(r"｛\s*+[\"'“\w][^｛｝{}\n]{0,80}?[:：]|\A\s*+[｛［]")


def plain_brackets(text: str) -> Layer | None:
    """Return the text with its full-width brackets replaced; None if it has none, or if a string is not closed properly.

    See corpus/repair/full_width.
    """
    if ("｛" not in text and "［" not in text) or _FULL_WIDTH.search(text) is None:
        return None
    found = list(_TOKEN_FULL_WIDTH.finditer(text))
    edits = [Edit(*m.span(), _PLAIN[m[1]]) for m in found if m[1]]
    return Layer.over(text, edits) if edits and all(m[0] != '"' for m in found) else None


# ── line marks ──────────────────────────────────────────────────────────────


_QUOTED = r"[ \t]*+(?:(?:>[ \t]?+)++|(?:[|*+#]|//)[ \t]?+)"
_NUMBERED = r"[ \t]*+L?+([0-9]{1,6}+)(?:[ \t]?+[|:)]|\.(?=[ \t])|[ \t])[ \t]?+"
_MARKS = (re.compile(_QUOTED), re.compile(_NUMBERED))
# A marked line that holds nothing but the opener of a value.
_FIRST = re.compile(rf"^(?:{_QUOTED}|{_NUMBERED})(?=[{{\[][ \t]*+\r?+\n)", re.MULTILINE)


def unmarked(text: str) -> Layer | None:
    """Return the text without the marks before the lines of a value (`> `, `12: `); None if there are no marks.

    See corpus/repair/line_marks.
    """
    first = _FIRST.search(text) if "\n" in text else None
    block = [] if first is None else _block(text, first)
    return Layer.over(text, block) if len(block) > 1 else None


def _block(text: str, first: re.Match[str]) -> list[Edit]:
    """Return the edits that drop the marks of consecutive lines; line numbers must count up by one."""
    numbered = first.group(1) is not None
    mark, at = _MARKS[numbered], first.start()
    # As in a diff, where a blank after the mark belongs to the line.
    bare = not first[0][-1].isspace()
    found: list[Edit] = []
    for number in count(int(first.group(1) or 0)):
        match = mark.match(text, at)
        if match is None or (numbered and int(match.group(1)) != number):
            break
        end = match.start() + len(match[0].rstrip()) if bare else match.end()
        found.append(Edit(match.start(), end, ""))
        at = text.find("\n", match.end()) + 1
        if not at:
            break
    return found


# ── Python and shell quotes around the value ────────────────────────────────


# A value in a string of Python or a shell that escapes its apostrophes.
_LITERAL = re.compile(
    r"'(?=\s*+[{\[])(?<![^\s=(:>,@bBuU]')((?:[^'\\]|\\['\\]|'(?:\\'|\"'\")')*+)(?<=[}\]\s])'(?!\w)"
)
_SHELL_ESCAPE = re.compile(r"'(?:\\'|\"'\")'")
_PYTHON_ESCAPE = re.compile(r"\\['\\]")
_PATH = re.compile(r"(?:\b[A-Z]:|\"\.{1,2}|%\w++%)\\[nrt]\w")


def without_literal_escapes(text: str) -> Layer | None:
    """Return the text with the escapes of the string around its value undone.

    None if there is no such string, or if the backslashes may belong to the value.
    See corpus/repair/escaped_payload and corpus/repair/terminal.
    """
    if "'" not in text or ("\\" not in text and "'\"'\"'" not in text):
        return None
    found = _LITERAL.search(text)
    if found is None or text.find("{", 0, found.start(1)) >= 0:
        return None
    of_shell = _SHELL_ESCAPE.search(found[1]) is not None
    escape = _SHELL_ESCAPE if of_shell else _PYTHON_ESCAPE
    edits = [Edit(*m.span(), m[0][-1]) for m in escape.finditer(text, *found.span(1))]
    layer = Layer.over(text, edits)
    plain = escape.sub(lambda m: m[0][-1], found[1])
    if of_shell:
        return layer
    if not edits or strict(plain) is None or _PATH.search(plain) or lexis.NEVER_MEANT.search(plain):
        return None
    return layer
