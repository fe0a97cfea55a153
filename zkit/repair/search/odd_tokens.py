"""Tokens in odd spellings, where the common patterns do not reach: each has one reading."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.receipt import Rank
from zkit.repair.search import ending
from zkit.repair.search.bare import is_prefix, read_bare
from zkit.repair.search.between_tokens import (
    dropped_comma,
    dropped_ellipsis,
    dropped_remark,
    skip,
)
from zkit.repair.search.reading import KEY, NEXT, VALUE, Frame, Reading
from zkit.repair.search.rereading import keyed, reread
from zkit.repair.search.scripts import quote_meant
from zkit.repair.search.strings import respell
from zkit.repair.search.trouble_after_value import closer_for_value
from zkit.repair.search.trouble_at_key import at_key, at_key_string, wrong_first_quote
from zkit.repair.search.trouble_with_schema import misfit
from zkit.text import lexis
from zkit.text.comments import ends_in_comment

if TYPE_CHECKING:
    from zkit.repair.search.reader import Reader

__all__ = ["odd_key", "odd_mark", "odd_value", "read_bare", "skip"]


def odd_mark(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """After a value: the end in a comment, a full-width comma, a plus between strings, an ellipsis."""
    frame, mark = reading.frame, reader.text[pos]
    if mark in "/#-<." and ends_in_comment(reader.text, pos):
        return ending.in_comment(reader, reading, pos)
    if mark in lexis.OTHER_COMMAS:
        place = KEY if frame is not None and frame.kind == "{" else VALUE
        return [reading.fork().note("use_comma", pos, pos + 1, ",").go(pos + 1, place)]
    if mark in "+.&|\\" and (joint := lexis.JOINT.match(reader.text, pos)) is not None:
        return _joined(reader, reading, joint.end() - 1)
    if mark == "+":
        reader.reason = "expression"
    if mark in ".…" and dropped_ellipsis(reader, reading, pos):
        return [reading]
    return []


def _comma_after_opener(reader: Reader, reading: Reading, frame: Frame, pos: int) -> list[Reading]:
    """A comma right after an inner opening brace: it is stray, or the object is empty and not closed."""
    other = reading.fork()
    dropped_comma(reader, other, pos)
    if frame.parent is None or frame.parent.kind != "{":
        return [other]
    empty = reading.fork().note("close_in_middle", reading.safe, reading.safe, "}")
    reader.leave(empty, reading.safe - 1)
    return [other, empty.go(pos, NEXT)]


# ── keys ─────────────────────────────────────────────────────────────────────


def odd_key(reader: Reader, reading: Reading) -> list[Reading] | None:
    """What stands where a key is due, when it is no key in the common spellings."""
    text, frame = reader.text, reading.frame
    assert frame is not None
    pos = lexis.skip_spaces(text, reading.pos)
    mark = text[pos : pos + 1]
    if not mark:
        return ending.before_key(reader, reading)
    if skip(reader, reading):
        return None
    if ends_in_comment(text, pos):
        return ending.in_comment(reader, reading, pos)
    if mark == "}":
        return wrong_first_quote(reader, reading, pos) or reader.close(reading, pos)
    if mark == "," and reading.safe == frame.start + 1 and frame.parent is not None:
        return _comma_after_opener(reader, reading, frame, pos)
    if dropped_comma(reader, reading, pos) or _dropped_brace(reader, reading, frame, pos):
        return None
    if mark in ".…" and dropped_ellipsis(reader, reading, pos):
        return None
    if mark in "<←(-" and dropped_remark(reader, reading, pos):
        return None
    if mark in "-•*_+" and (marked := _MARKED_KEY.match(text, pos)) is not None:
        return [_without_marks(reading, marked)]
    if mark in lexis.QUOTES or text.startswith('\\"', pos):
        return _quoted_key(reader, reading, pos)
    return _bare_key(reader, reading, pos) or at_key(reader, reading, pos)


def _dropped_brace(reader: Reader, reading: Reading, frame: Frame, pos: int) -> bool:
    """Drop the second of two opening braces."""
    if reader.text[pos] != "{" or reading.pos != frame.start + 1:
        return False
    if not lexis.DOUBLED_BRACE.match(reader.text, pos + 1):
        return False
    reading.note("drop_doubled_brace", pos, pos + 1, "")
    reading.frame = frame._replace(doubled=True)
    reading.pos = reading.safe = pos + 1
    return True


_SYMBOL = re.compile(rf":({lexis.NAME}){lexis.SPACE}=>")
"""A key as Ruby writes it."""
_MARKED_KEY = re.compile(
    rf"(?:[-•*+][ \t]++)?+(\*{{0,3}}|_)(?:\"([^\"\\\n]{{1,80}}+)\"|({lexis.NAME}))\1{lexis.SPACE}:"
)
"""A key and its colon, in bold or italics, or after a bullet, as Markdown writes it."""


def _without_marks(reading: Reading, match: re.Match[str]) -> Reading:
    """Stand after a key that Markdown marks and its colon."""
    key = match.group(2) or match.group(3)
    other = reading.fork().note("drop_markdown", match.start(), match.end(), f'"{key}":')
    return keyed(other, key, match.end())


def _bare_key(reader: Reader, reading: Reading, pos: int) -> list[Reading]:
    """A number as a key becomes the text of it; a prefix before a quoted key is dropped."""
    prefix = lexis.PREFIX.match(reader.text, pos)
    token = lexis.string_at(reader.text, prefix.end()) if prefix is not None else None
    if prefix is not None and token is None and is_prefix(reader.text, prefix, ""):
        return ending.in_key(reader, reading, prefix.end())
    colon = lexis.COLON_AFTER.match(reader.text, token.end) if token is not None else None
    if prefix is not None and token is not None and colon is not None:
        if not is_prefix(reader.text, prefix, token.body):
            return []
        other = reading.fork().note("use_double_quotes", pos, prefix.end(), "")
        return [other.go(prefix.end(), KEY)]
    match = lexis.NUMBER_KEY.match(reader.text, pos) or _SYMBOL.match(reader.text, pos)
    if match is None:
        return []
    if reader.text[pos] == ":":
        other = reading.fork().note("quote_key", pos, match.end(), f'"{match.group(1)}":')
        return [keyed(other, match.group(1), match.end())]
    other = reading.fork().note("quote_key", pos, match.end(1), f'"{match.group(1)}"')
    return [keyed(other, match.group(1), match.end())]


def _quoted_key(reader: Reader, reading: Reading, pos: int) -> list[Reading] | None:
    """A key in quotes of any kind, with content of any kind, and its colon."""
    token = lexis.string_at(reader.text, pos)
    if token is None:
        return ending.in_key(reader, reading, pos)
    colon = lexis.COLON_AFTER.match(reader.text, token.end)
    if colon is None:
        return at_key_string(reader, reading, pos, token.end)
    name = token.body[1:-1] if _QUOTED_TWICE.fullmatch(token.body) else token.body
    name = name.replace("\\_", "_")  # as Markdown escapes it; no key holds a backslash before it
    body = respell(name, token.quote)
    if body is None:
        return at_key(reader, reading, pos)
    if token.quote == "\\" and not reader.guided and _has_bare_keys_around(reader.text, reading):
        reader.reason = "ambiguous"
        return []
    doubtful = body.rank >= Rank.GUESS or token.quote == "\\"
    others = at_key(reader, reading.fork(), pos) if doubtful else []
    if token.quote != '"' or body.body != token.body:
        reading.note("use_double_quotes", pos, token.end, f'"{body.body}"', body.note)
    _spelt_colon(reading, colon)
    found = reader.expect_under(reading, name, colon.end()) if reader.guided else None
    if found is not None:
        return [*others, *found]
    return [reading, *others] if others else None


def _has_bare_keys_around(text: str, reading: Reading) -> bool:
    """Whether an object around this one has keys whose quotes are not escaped: this one is text that lost its quote."""
    frame = reading.frame.parent if reading.frame is not None else None
    while frame is not None:
        if frame.kind == "{" and text.startswith('"', lexis.skip_blank(text, frame.start + 1)):
            return True
        frame = frame.parent
    return False


_QUOTED_TWICE = re.compile(r"\"[^\"\\]++\"")
"""The content of a key that is itself between quotes."""


def _spelt_colon(reading: Reading, colon: re.Match[str]) -> None:
    """Stand after the colon, with nothing odd before it and no other mark for it."""
    gap = colon.group(1)
    if gap.strip(" \t\r\n"):
        name = "drop_comment" if "/" in gap else "plain_space"
        reading.note(name, colon.start(1), colon.end(1), "")
    if colon.group(2) != ":":
        reading.note("use_colon", colon.start(2), colon.end(2), ":")
    reading.go(colon.end(), VALUE)


# ── values ───────────────────────────────────────────────────────────────────


def odd_value(reader: Reader, reading: Reading) -> list[Reading] | None:
    """What stands where a value is due, when it is no value in the common spellings."""
    if skip(reader, reading):
        return None
    text, frame = reader.text, reading.frame
    pos = lexis.skip_blank(text, reading.pos)
    mark = text[pos : pos + 1]
    if not mark:
        return ending.before_value(reader, reading)
    if mark == "(" and (joined := _parenthesised(reader, reading, pos)) is not None:
        return joined
    if mark in "{[" or (mark == "(" and frame is not None):
        return reader.open(reading, pos, mark)
    if mark in lexis.QUOTES or text.startswith('\\"', pos):
        return _string(reader, reading, pos)
    if frame is None:
        return [] if mark == "(" else read_bare(reader, reading, pos)
    if mark in "/." and ends_in_comment(text, pos):
        return ending.in_comment(reader, reading, pos)
    if frame.kind != "{":
        return _odd_item(reader, reading, frame, pos)
    if mark == ":" or (mark == "=" and not lexis.FORMULA.match(text, pos + 1)):
        reading.note("drop_colon", pos, pos + 1, "")
        reading.pos = pos + 1
        return None
    return read_bare(reader, reading, pos)


def _odd_item(reader: Reader, reading: Reading, frame: Frame, pos: int) -> list[Reading] | None:
    """What stands where an item is due: the closer, another closer, nothing, or a bare value."""
    mark = reader.text[pos]
    if mark == frame.closer:
        return reader.close(reading, pos)
    if mark in "}])":
        return closer_for_value(reader, reading, pos)
    if dropped_comma(reader, reading, pos):
        return None
    if mark in ".…" and dropped_ellipsis(reader, reading, pos):
        return None
    if mark in "<←(-" and dropped_remark(reader, reading, pos):
        return None
    return read_bare(reader, reading, pos)


_FENCED = re.compile(r"```[\w+#.-]*+[ \t]*+\n")


def _string(reader: Reader, reading: Reading, pos: int) -> list[Reading] | None:
    """A value in quotes of any kind, up to its first unescaped closer."""
    reading.remember(pos)
    if _FENCED.match(reader.text, pos):
        reader.reason = "ambiguous"  # is the line end before the last fence part of the text?
        return []
    token = lexis.string_at(reader.text, pos)
    if token is None:
        bare = reader.text[pos] == "\\" or (
            reader.text[pos] in "“„«‘" and reader.text.find('"', pos) > 0
        )
        return (read_bare if bare else ending.in_string)(reader, reading, pos)
    if token.quote == "`" and "${" in token.body:
        reader.reason = "expression"
        return []
    body = respell(token.body, quote_meant(reader.text, reader.start, token.body, token.quote))
    if body is None:
        reader.reason = "ambiguous"
        return reread(reader, reading, token.end)
    if token.quote != '"' or body.body != token.body:
        own = token.quote == '"' or body.rank >= Rank.GUESS
        name = body.name if own else "use_double_quotes"
        reading.note(name, pos, token.end, f'"{body.body}"', body.note)
    if reader.careful and (others := misfit(reader, reading, '"', pos)) is not None:
        return others
    reading.settle(token.end)
    return None


_ONE_STRING = rf"(?:{lexis.STRING}|'[^'\\\n]*+')"
_IN_PARENTHESES = re.compile(rf"\(\s*+{_ONE_STRING}(?:\s*+\+?+\s*+{_ONE_STRING})*+\s*+\)")
_STRINGS = re.compile(_ONE_STRING)


def _parenthesised(reader: Reader, reading: Reading, pos: int) -> list[Reading] | None:
    """Python's way to write a long string: parts between parentheses, with or without a plus."""
    found = _IN_PARENTHESES.match(reader.text, pos)
    if found is None or reading.frame is None or reading.want.only("array"):
        return None
    parts = [respell(part[1:-1], part[0]) for part in _STRINGS.findall(found[0])]
    body = "".join(part.body for part in parts if part is not None)
    other = reading.fork()
    other.remember(pos)
    other.note("join_strings", pos, found.end(), f'"{body}"')
    other.settle(found.end())
    return [other]


def _joined(reader: Reader, reading: Reading, plus: int) -> list[Reading]:
    """Join `"a" + "b"`: drop the quotes and the plus between two strings."""
    pos = lexis.skip_blank(reader.text, plus + 1)
    if reader.text[pos : pos + 1] not in ('"', "'", "`", "“"):
        reader.reason = "expression"
        return []
    start, head, edits, name = reading.pos - 1, "", reading.edits, "join_strings"
    if edits is not None and edits[1].end == reading.pos:
        edits, last = edits
        start, head = last.start, last.new[:-1]
        name = last.name if last.rank >= Rank.GUESS else name
    elif reader.text[start] != '"':
        return []
    other = reading.fork()
    other.edits = edits
    token = lexis.string_at(reader.text, pos)
    if token is None:
        return ending.in_joined_string(reader, other, pos, start, head)
    body = respell(token.body, token.quote)
    if body is None:
        return []
    other.note(name, start, token.end, f'{head}{body.body}"')
    other.settle(token.end)
    return [other]
