"""Undo what covers a whole text: escaping, entities, full-width brackets, line marks."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from itertools import count
from json.encoder import encode_basestring
from typing import NamedTuple

from zkit.receipt import Fix
from zkit.repair.fixes import fix_named
from zkit.repair.limits import TOKENS_WITHIN
from zkit.repair.strict_parse import strict
from zkit.text import lexis
from zkit.text.edits import Edit, Layer
from zkit.text.remembered import of_last

# ── layers ──────────────────────────────────────────────────────────────────


_LAYERED = re.compile(r"[^\"']{0,80}?[\\&]")
_ESCAPED = re.compile(r"[{\[](?:\\[nrt]|\s)*+\\\"")
_BARE_KEY = re.compile(r'[{,\n]\s*+"[^"\\\n]{1,80}+"\s*+:')
_BARE_VALUE = re.compile(r'(?<!\\)\\"\s*+:\s*+"(?!")')
"""After a key whose quotes are escaped: a value whose quote is not."""
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
# Gemma writes strings between tokens, raw: `<|"|>it's "so"<|"|>`; some of its keys, between quotes.
_TOKEN = '<|"|>'
_STRING = r'"(?:[^"\\\n]|\\.)*+"'
_TOKENS = re.compile(rf"""[{{\[](?:[^"'<]|{_STRING}|<(?!\|"\|>))*+(?<=[\s:,{{\[])<\|"\|>""")
_TOKEN_STRING = re.compile(rf'<\|"\|>(?:[^<]|<(?!\|"\|>))*+<\|"\|>|{_STRING}')
_PLAIN_ESCAPES = {
    '\\"': '"', "\\\\": "\\", "\\/": "/", "\\b": "\b", "\\f": "\f", "\\n": "\n", "\\r": "\r", "\\t": "\t",
}  # fmt: skip


class Escaping(NamedTuple):
    """A way to escape a whole value: the fix that undoes it, its signs, and its escapes."""

    fix: str
    used_at: Callable[[str, int], bool]
    escape: re.Pattern[str]
    plain: Callable[[str], str]
    all_plain: Callable[[str], str | None]
    """All escapes of a text undone at once; None where that is not the same as one by one."""

    def undone(self, text: str, start: int) -> str:
        """The text from `start` on without its escapes."""
        undone = self.all_plain(text[start:])
        if undone is None:
            layer, place = self.layer(text, start)
            undone = layer.text[place:]
        return undone

    def layer(self, text: str, start: int) -> tuple[Layer, int]:
        """The text with the escapes from `start` on undone, and the place of `start` in it.

        Values one after the other share a layer, so that each costs its own size.
        """
        kept = _layers(text).setdefault(self, [])
        for since, layer in kept:
            place = layer.place_of(start) if since <= start else None
            if place is not None:
                return layer, place
        layer = Layer.over(text, self.edits(text, start, len(text)))
        kept.append((start, layer))
        return layer, start

    def edits(self, text: str, start: int, end: int) -> list[Edit]:
        """What undoes each escape between two places."""
        found = ((m, self.plain(m[0])) for m in self.escape.finditer(text, start, end))
        return [Edit(m.start(), m.end(), new) for m, new in found if new != m[0]]


@of_last
def _layers(text: str) -> dict[Escaping, list[tuple[int, Layer]]]:
    """The layers that were made of a text, each with the place from which on its escapes are undone."""
    return {}


def _character(escape: str) -> str:
    """The character of an escape; a `\\u` escape may be a pair of them."""
    if escape in _PLAIN_ESCAPES:
        return _PLAIN_ESCAPES[escape]
    if len(escape) == 6:
        return chr(int(escape[2:], 16))
    high, low = int(escape[2:6], 16), int(escape[8:], 16)
    return chr(0x10000 + ((high - 0xD800) << 10) + low - 0xDC00)


def _in_backslashes(text: str, start: int) -> bool:
    """Whether a value's first quote is escaped, and the value stands in no string."""
    if not _ESCAPED.match(text, start) or _holds_bare_quotes(text, start):
        return False
    return '"' not in text[text.rfind("\n", 0, start) + 1 : start].rstrip("\"' ")


def _holds_bare_quotes(text: str, start: int) -> bool:
    """Whether some quotes of the value are escaped and others are not."""
    if _BARE_KEY.search(text, start) or _BARE_VALUE.search(text, start):
        return True
    last = text.rfind('\\"')
    bare = _BARE_QUOTE.finditer(text, start, last)
    return next(bare, None) is not None and next(bare, None) is not None


def _in_entities(text: str, start: int) -> bool:
    """Whether a value's first quote is an HTML entity."""
    return _ENTITIES.match(text, start) is not None


_PLAIN_ENTITIES = {
    "&quot;": '"',
    "&#34;": '"',
    "&#39;": "'",
    "&apos;": "'",
    "&lt;": "<",
    "&gt;": ">",
    "&amp;": "&",
}
"""The commonest entities; the ampersand's own is the last, so that none comes of undoing it."""


def _meant(entity: str) -> str:
    """The characters of an HTML entity; nothing for one that was cut."""
    if not entity.endswith(";"):
        return ""
    return _PLAIN_ENTITIES.get(entity) or html.unescape(entity)


def _content(text: str) -> str | None:
    """What a text means between two quotes, where it is the content of a JSON string."""
    value = strict(f'"{text.strip()}"')
    return None if value is None else str(value[0])


def _without_entities(text: str) -> str | None:
    """A text in which only the commonest entities stand, with the characters that they mean."""
    if text.count("&") != sum(map(text.count, _PLAIN_ENTITIES)):
        return None
    for entity, meant in _PLAIN_ENTITIES.items():
        text = text.replace(entity, meant)
    return text


def _one_by_one(text: str) -> None:
    """There is no way to undo all at once."""


def _in_tokens(text: str, start: int) -> bool:
    """Whether a special token stands where a string begins, outside of any string before it."""
    end = start + TOKENS_WITHIN
    return text.find(_TOKEN, start, end) > 0 and _TOKENS.match(text, start, end) is not None


def _string_of(quoted: str) -> str:
    """The JSON string of the text between two quote tokens; one between quotes stays."""
    return quoted if quoted[0] == '"' else encode_basestring(quoted[5:-5])


_JSON = Escaping("unescape_payload", _in_backslashes, _ESCAPE, _character, _content)
_HTML = Escaping("unescape_entities", _in_entities, _ENTITY, _meant, _without_entities)
_QUOTE_TOKENS = Escaping("plain_quotes", _in_tokens, _TOKEN_STRING, _string_of, _one_by_one)


def escapings(text: str, start: int) -> Sequence[Escaping]:
    """The ways in which the value at `start` may be escaped as a whole."""
    if _LAYERED.match(text, start):
        ways: tuple[Escaping, ...] = (_JSON, _HTML, _QUOTE_TOKENS)
    else:  # a quote comes before any backslash or entity
        ways = (_QUOTE_TOKENS,) if _TOKEN in text else ()
    return [escaping for escaping in ways if escaping.used_at(text, start)] if ways else ()


def string_content(text: str) -> Layer:
    """What a JSON string holds, with the way back; the text is known to be one valid string."""
    first = text.index('"')
    last = text.rindex('"')
    inner = _JSON.edits(text, first + 1, last)
    return Layer.over(text, [Edit(0, first + 1, ""), *inner, Edit(last, len(text), "")])


def through(
    layer: Layer, fixes: Sequence[Fix], name: str, span: tuple[int, int] | None = None
) -> list[Fix]:
    """Fixes of a layer's text as fixes of its source, with the layer's own edits between them.

    `span` is the part of the layer's text whose edits matter; without it all do.
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
    """One fix for all edits of a layer from a place of its text to a place of the source."""
    source_start = layer.source_end(start) if start else 0
    inside = layer.between(source_start, source_end)
    if not inside:
        return []
    first, final = inside[0], inside[-1]
    new = layer.text[layer.starts[first] : layer.starts[final] + len(layer.edits[final].new)]
    return [fix_named(name, layer.edits[first].start, layer.edits[final].end, new)]


# ── full width ──────────────────────────────────────────────────────────────


_PLAIN = {"｛": "{", "｝": "}", "［": "[", "］": "]"}
_STRING_FULL_WIDTH = rf"{lexis.ANY_STRING}(?=\s*+(?:[,:=，：；;}}\]｝］]|\Z))"
_OPEN_STRING = rf"\"{lexis.UP_TO_QUOTE}\\?+\Z"
_TOKEN_FULL_WIDTH = re.compile(
    rf"{_STRING_FULL_WIDTH}|{_OPEN_STRING}|([｛｝［］])|[\"{{\[]", re.DOTALL
)
"""A string that ends well, or that the text ends in, a full-width bracket, or a mark that rules both out."""


_OBJECT = re.compile(r"｛\s*+[\"'“\w][^｛｝{}\n]{0,80}?[:：]")
"""An opener, a key and its colon."""


def plain_brackets(text: str) -> Layer | None:
    """The text with the brackets of JSON; None where it has those, or where its strings do not end well."""
    if "｛" not in text and "［" not in text:
        return None
    edits: list[Edit] = []
    first = ""
    for match in _TOKEN_FULL_WIDTH.finditer(text):
        mark = match[0]
        if mark == '"':
            return None
        first = first or (mark if len(mark) == 1 else "")
        if match[1]:
            edits.append(Edit(match.start(), match.end(), _PLAIN[mark]))
    begins = first in _PLAIN or _OBJECT.search(text) is not None
    return Layer.over(text, edits) if edits and begins else None


# ── line marks ──────────────────────────────────────────────────────────────


_QUOTED = r"[ \t]*+(?:(?:>[ \t]?+)++|(?:[|*+#]|//)[ \t]?+)"
_NUMBERED = r"[ \t]*+L?+([0-9]{1,6}+)(?:[ \t]?+[|:)]|\.(?=[ \t])|[ \t])[ \t]?+"
_MARKS = (re.compile(_QUOTED), re.compile(_NUMBERED))
_FIRST = re.compile(rf"^(?:{_QUOTED}|{_NUMBERED})(?=[{{\[][ \t]*+\r?+\n)", re.MULTILINE)
"""A marked line that holds nothing but the opener of a value."""


def unmarked(text: str) -> Layer | None:
    """The text without the marks of the lines that hold a value; None when there are none."""
    if "\n" not in text:
        return None
    edits: list[Edit] = []
    at = 0
    while (first := _FIRST.search(text, at)) is not None:
        block = _block(text, first)
        edits += block if len(block) > 1 else ()
        at = block[-1].end
    return Layer.over(text, edits) if edits else None


def begins_marked(text: str, start: int) -> bool:
    """Whether a value begins in a line that begins with a mark."""
    return _FIRST.match(text, text.rfind("\n", 0, start) + 1) is not None


def _block(text: str, first: re.Match[str]) -> list[Edit]:
    """What drops the marks of consecutive lines, numbered ones in their order."""
    numbered = first.group(1) is not None
    mark, at = _MARKS[numbered], first.start()
    bare = not first[0][
        -1
    ].isspace()  # as in a diff, where a blank after the mark is the line's own
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


# ── quotes around the value ─────────────────────────────────────────────────


_LITERAL = re.compile(r"(?:(?<=[\s=(:>])|\A)[bBuU]?+'(?=\s*+[{\[])((?:[^'\\]|\\['\\])*+)'(?!\w)")
"""A value in a string of Python, in which each backslash and apostrophe of it is escaped."""
_PATH = re.compile(r"(?:\b[A-Z]:|\"\.{1,2}|%\w++%)\\[nrt]\w")
_IN_LITERAL = re.compile(r"\\(?=['\\])(.)")


def without_literal_escapes(text: str) -> Layer | None:
    """The text in which the value stands as a string of Python, unescaped; None if it does not, or backslashes may be its own."""
    found = _LITERAL.search(text) if "\\" in text and "'" in text else None
    if found is None or text.find("{", 0, found.start(1)) >= 0:
        return None
    edits = [Edit(m.start(), m.end(), m[1]) for m in _IN_LITERAL.finditer(text, *found.span(1))]
    plain = _IN_LITERAL.sub(r"\1", found[1])
    if not edits or strict(plain) is None or _PATH.search(plain) or lexis.NEVER_MEANT.search(plain):
        return None
    return Layer.over(text, edits)


_OPENS = re.compile(r"(?:(?<=[\s=(,@])|\A)'(?=\s*+[{\[])")


_QUOTE = re.compile(r"'(?:\\''|\"'\"')|'")


_ENDS = re.compile(r"[}\]]\s*+'\Z")


def without_shell_quotes(text: str) -> Layer | None:
    """The text with the apostrophes that a shell wants as `'\\''` between two others; None without such."""
    opens = _OPENS.search(text) if "'\\''" in text or "'\"'\"'" in text else None
    if opens is None:
        return None
    found: list[Edit] = []
    for match in _QUOTE.finditer(text, opens.end()):
        if len(match[0]) == 1:
            before = text[max(0, match.start() - 40) : match.end()]
            return Layer.over(text, found) if found and _ENDS.search(before) else None
        found.append(Edit(match.start(), match.end(), "'"))
    return None
