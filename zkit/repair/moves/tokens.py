"""Moves for tokens in unusual spellings, and for text between two tokens that can be dropped."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from zkit.receipt import Rank
from zkit.repair.evidence.strings import quote_meant, respell
from zkit.repair.limits import HABIT_WITHIN, MOST_COMMAS
from zkit.repair.moves import Move, ending, tried
from zkit.repair.moves.after_value import closer_for_value
from zkit.repair.moves.at_key import at_key, at_key_string, misquoted_key
from zkit.repair.moves.bare import read_bare
from zkit.repair.moves.missing_quotes import unopened
from zkit.repair.moves.string_ends import keyed, reread
from zkit.repair.search.hypothesis import KEY, NEXT, VALUE, Hypothesis
from zkit.text import lexis
from zkit.text.comments import comment_end

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


_Read = Callable[["Engine", Hypothesis, int], list[Hypothesis] | None]


# ── between tokens ──────────────────────────────────────────────────────────


# The end of the text, and the characters that cannot begin odd white space, an escape, a tag or a
# comment.
_NOTHING_TO_SKIP = {"", *map(chr, range(0x21, 0x7F)), *lexis.QUOTES} - set("/#-<\\&")
# Between two tokens: a backslash before a mark or at the end of a line, or an escaped white
# space.
_ESCAPED = re.compile(r"\\(?:(?=[\[\]{},:])|\r?+\n|\Z|[nrt](?=[\s\"'{}\[\],\\0-9-]|\Z))")
# A chat template token or an HTML tag that leaked between two members. See
# corpus/repair/doubled_and_joined.
_SPECIAL_TOKEN = re.compile(
    r"<[|｜][^<>|｜\"\n]{1,40}+[|｜]>|</?s>|<eos>|<bos>|<br\s?+/?+>|&nbsp;|<(?:end|start)_of_turn>|\[/?INST\]"
)
# A comment in place of omitted values: `// ... more fields`. See corpus/repair/ellipsis.
_ELIDED = re.compile(r"(?://|#|/\*|<!--|--)\s*+(?:\.{3}|…)")


def skip(reader: Engine, reading: Hypothesis) -> bool:
    """Drop odd white space, an escape, a special token or a comment; True if there was one."""
    text, pos = reader.text, reading.pos
    ahead = lexis.skip_spaces(text, pos)
    if text[ahead : ahead + 1] in _NOTHING_TO_SKIP:
        return False
    if (odd := lexis.ODD_RUN.match(text, pos)) is not None:
        name, ahead, end = "plain_space", pos, odd.end()
    elif (escape := _ESCAPED.match(text, ahead)) and _is_outside(reader, reading, escape):
        name, end = "drop_backslash", escape.end()
    elif (token := _SPECIAL_TOKEN.match(text, ahead)) is not None:
        name, end = "drop_tag", token.end()
    elif (found := comment_end(text, ahead)) and _is_comment(reader, reading, ahead, found):
        name, end = "drop_ellipsis" if _ELIDED.match(text, ahead) else "drop_comment", found
    else:
        return False
    reading.note(name, ahead, end, " " if odd else "")
    if reading.safe == pos:
        reading.safe = end
    reading.pos = end
    return True


_BARE_QUOTE_FIRST = re.compile(r"[^\"']*+(?<!\\)\"")


def _is_outside(reader: Engine, reading: Hypothesis, escape: re.Match[str]) -> bool:
    """True if an escape is outside of strings: before a mark, or as white space before the next token.

    If the quotes are escaped too, the whole value is escaped and must be unescaped as a whole.
    """
    if escape.group()[1:] not in ("n", "r", "t"):
        return True
    start = reader.start
    return _BARE_QUOTE_FIRST.match(reader.text, start, start + HABIT_WITHIN) is not None


def _is_comment(reader: Engine, reading: Hypothesis, start: int, end: int) -> bool:
    """True if this is a comment, and not a value, the rest of a string, or a cut at the end of the text."""
    text = reader.text
    if end == reader.size and reading.frame is not None:
        return False
    if reading.place == VALUE and text[start] in "<-":
        return reading.frame is not None and reading.frame.kind != "{"
    if reading.place == VALUE and text[start] == "#":
        return text.startswith(" ", start + 1)
    if reading.place == NEXT and text[reading.safe - 1] in "\"'":
        return text.startswith("/*", start) or text.count('"', start, end) % 2 == 0
    return True


# ── text to drop where a key or an item is expected ─────────────────────────


_COMMAS = re.compile(rf",(?:{lexis.SPACE},){{0,{MOST_COMMAS}}}+")


def _dropped_comma(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop extra commas; False if there are none, or more than `MOST_COMMAS`."""
    commas = _COMMAS.match(reader.text, pos)
    if commas is None or commas[0].count(",") > MOST_COMMAS:
        return False
    reading.note("drop_comma", pos, commas.end(), "", "", commas[0].count(",") - 1)
    reading.pos = commas.end()
    return True


def _dropped_brace(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop the second of two opening braces."""
    frame = reading.frame
    if frame is None or reading.pos != frame.start + 1:
        return False
    if not lexis.DOUBLED_BRACE.match(reader.text, pos + 1):
        return False
    reading.note("drop_doubled_brace", pos, pos + 1, "")
    reading.frame = frame._replace(doubled=True)
    reading.pos = reading.safe = pos + 1
    return True


def _dropped_ellipsis(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop `...` and the comma before it after the last value; the values it stands for are missing."""
    text, frame = reader.text, reading.frame
    dots = lexis.ELLIPSIS.match(text, pos)
    if dots is None or frame is None or reading.safe == frame.start + 1:
        return False
    end = dots.end()
    if not lexis.CLOSER.match(text, end) and lexis.skip_blank(text, end) < reader.size:
        return False
    comma = text.find(",", reading.safe, pos)
    start = pos if comma < 0 or reading.has_changed(comma) else comma
    reading.note("drop_ellipsis", start, end, "")
    reading.pos = end
    return True


# A remark at the end of a line: `<- changed`, `(the default)`. See corpus/repair/remarks.
_REMARK = re.compile(
    r"(?:<[-=]++|←|--++>?+)[ \t][^\n\"'{}\[\]]{1,120}+(?=\n)|\([^()\n\"'{}\[\]]{1,120}+\)(?=[ \t]*+\n)"
)


def _dropped_remark(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop a remark between a comma and the end of its line; False if there is none or guesses are not allowed."""
    remark = _REMARK.match(reader.text, pos)
    if remark is None or "\n" in reader.text[reading.safe : pos]:
        return False
    reading.note("drop_remark", pos, remark.end(), "")
    reading.pos = remark.end()
    return reader.limit >= Rank.GUESS


# The functions that drop something, by its first character; each returns True if it did.
_DROPS: tuple[tuple[str, Callable[[Engine, Hypothesis, int], bool]], ...] = (
    (",", _dropped_comma),
    ("{", _dropped_brace),
    (".…", _dropped_ellipsis),
    ("<←(-", _dropped_remark),
)


def _dropped(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop extra text before a key or an item; True if there was any."""
    mark = reader.text[pos]
    return any(mark in marks and drop(reader, reading, pos) for marks, drop in _DROPS)


# ── after a value ───────────────────────────────────────────────────────────


def odd_mark(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Return the hypotheses for a mark after a value that has only one meaning, such as `，` for a comma."""
    return tried(MARKS, reader, reading, pos, first=True)


def _other_comma(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Replace a comma of another script."""
    place = KEY if reading.frame is not None and reading.frame.kind == "{" else VALUE
    return [reading.fork().note("use_comma", pos, pos + 1, ",").go(pos + 1, place)]


def _joined(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Join `"a" + "b"`: drop the quotes and the plus between two strings."""
    joint = lexis.JOINT.match(reader.text, pos)
    if joint is None:
        reader.reason = "expression" if reader.text[pos] == "+" else reader.reason
        return []
    start, head, edits, name = reading.pos - 1, "", reading.edits, "join_strings"
    if edits is not None and edits[1].end == reading.pos:
        edits, last = edits
        start, head = last.start, last.new[:-1]
        name = last.name if last.rank >= Rank.GUESS else name
    token = lexis.string_at(reader.text, lexis.skip_blank(reader.text, joint.end()))
    body = None if token is None else respell(token.body, token.quote)
    if token is None or body is None:
        return []
    other = reading.fork()
    other.edits = edits
    return [other.note(name, start, token.end, f'{head}{body.body}"').settle(token.end)]


def _ellipsis(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Drop dots in place of omitted values."""
    return [reading] if _dropped_ellipsis(reader, reading, pos) else []


# The moves for a mark after a value that has only one meaning.
MARKS = (
    Move(("close_after_cut",), "/#-<.", ending.in_comment),
    Move(("use_comma",), lexis.OTHER_COMMAS, _other_comma),
    Move(("join_strings",), "+.&|\\", _joined),
    Move(("drop_ellipsis",), ".…", _ellipsis),
)


# ── keys ─────────────────────────────────────────────────────────────────────


def odd_key(reader: Engine, reading: Hypothesis) -> list[Hypothesis] | None:
    """Read the text where a key is expected and none of the common spellings was found.

    Return None if the hypothesis goes on, else the hypotheses to try instead.
    """
    text = reader.text
    pos = lexis.skip_spaces(text, reading.pos)
    mark = text[pos : pos + 1]
    if not mark:
        return ending.cut(
            reader, reading, "the text ended where a key was expected", "close_after_cut"
        )
    if skip(reader, reading):
        return None
    if mark == "}":
        return misquoted_key(reader, reading, pos) or reader.close(reading, pos)
    if _dropped(reader, reading, pos):
        return None
    if mark in lexis.QUOTES or text.startswith('\\"', pos):
        return _quoted_key(reader, reading, pos)
    return tried(KEYS, reader, reading, pos, first=True)


# A key and its colon in another notation: in bold, in italics or after a bullet in Markdown, a
# number, or a Ruby symbol. See corpus/repair/markdown_keys and other_notations.
_OTHER_KEY = re.compile(
    rf"(?:[-•*+][ \t]++)?+(\*{{0,3}}|_)(?:\"(?P<quoted>[^\"\\\n]{{1,80}}+)\"|(?P<name>{lexis.NAME}))\1{lexis.SPACE}:"
    rf"|(?P<number>[0-9]++){lexis.SPACE}:|:(?P<symbol>{lexis.NAME}){lexis.SPACE}=>"
)


def _other_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Drop the Markdown around a key, or quote a number or a Ruby symbol that is a key."""
    match = _OTHER_KEY.match(reader.text, pos)
    if match is None or match.lastgroup is None:
        return []
    key, is_marked = match[match.lastgroup], match.lastgroup in ("quoted", "name")
    name = "drop_markdown" if is_marked else "quote_key"
    other = reading.fork().note(name, pos, match.end(), f'"{key}":')
    return [keyed(other, key, match.end())]


# The moves for a key in another spelling; the first one that finds something decides.
KEYS = (
    Move(("close_after_cut",), "/#-<.", ending.in_comment),
    Move(("drop_markdown", "quote_key"), "-•*_+:0123456789", _other_key),
    Move((), "", at_key),
)


def _quoted_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Read a key in quotes of any kind, and its colon."""
    token = lexis.string_at(reader.text, pos)
    if token is None:
        others = ending.cut(reader, reading, "the text ended in a key")
        return others + misquoted_key(reader, reading, pos)
    colon = lexis.COLON_AFTER.match(reader.text, token.end)
    if colon is None:
        return at_key_string(reader, reading, pos, token.end)
    name = token.body[1:-1] if _QUOTED_TWICE.fullmatch(token.body) else token.body
    body = respell(name, token.quote)
    if body is None:
        return at_key(reader, reading, pos)
    if token.quote == "\\" and reader.guided:
        reader.reason = "ambiguous"
        return [
            other for before in reading.recent[:1] for other in unopened(reader, before, before.pos)
        ]
    if token.quote != '"' or body.body != token.body:
        reading.note("use_double_quotes", pos, token.end, f'"{body.body}"', body.note)
    gap = colon.group(1)
    if gap.strip(" \t\r\n"):
        odd = "drop_comment" if "/" in gap else "plain_space"
        reading.note(odd, colon.start(1), colon.end(1), "")
    if colon.group(2) != ":":
        reading.note("use_colon", colon.start(2), colon.end(2), ":")
    keyed(reading, name, colon.end())
    return None


# A key's content that is quoted once more.
_QUOTED_TWICE = re.compile(r"\"[^\"\\]++\"")


# ── values ───────────────────────────────────────────────────────────────────


def odd_value(reader: Engine, reading: Hypothesis) -> list[Hypothesis] | None:
    """Read the text where a value is expected and none of the common spellings was found.

    Return None if the hypothesis goes on, else the hypotheses to try instead.
    """
    if skip(reader, reading):
        return None
    text, frame = reader.text, reading.frame
    pos = lexis.skip_blank(text, reading.pos)
    mark = text[pos : pos + 1]
    if not mark:
        return ending.cut(reader, reading, "the text ended where a value was expected")
    kind = frame.kind if frame is not None else "."
    for marks, inside, read in VALUES:
        if mark in marks and kind in inside:
            return read(reader, reading, pos)
    return read_bare(reader, reading, pos)


def _container(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Open an object or a list."""
    return reader.open(reading, pos, reader.text[pos])


_ONE_STRING = rf"(?:{lexis.STRING}|'[^'\\\n]*+')"
_IN_PARENTHESES = re.compile(rf"\(\s*+{_ONE_STRING}(?:\s*+\+?+\s*+{_ONE_STRING})*+\s*+\)")
_STRINGS = re.compile(_ONE_STRING)


def _parentheses(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Open a tuple, or join the parts of a long Python string in parentheses, with or without a plus.

    See corpus/repair/python_repr.
    """
    found = _IN_PARENTHESES.match(reader.text, pos)
    if found is None or reading.want.only("array"):
        return reader.open(reading, pos, "(")
    parts = [respell(part[1:-1], part[0]) for part in _STRINGS.findall(found[0])]
    body = "".join(part.body for part in parts if part is not None)
    reading.remember(pos)
    reading.note("join_strings", pos, found.end(), f'"{body}"').settle(found.end())
    return None


def _closer(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Close the list after a trailing comma, or handle a closer that does not match."""
    assert reading.frame is not None
    if reader.text[pos] == reading.frame.closer:
        return reader.close(reading, pos)
    return closer_for_value(reader, reading, pos)


def _extra_colon(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Drop a second colon or an equals sign; an equals sign that begins a formula is a bare value."""
    if reader.text[pos] == "=" and lexis.FORMULA.match(reader.text, pos + 1):
        return read_bare(reader, reading, pos)
    reading.note("drop_colon", pos, pos + 1, "")
    reading.pos = pos + 1
    return None


def _item(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Drop extra text before an item, close a text that ends in a comment, or read a bare item."""
    if _dropped(reader, reading, pos):
        return None
    return ending.in_comment(reader, reading, pos) or read_bare(reader, reading, pos)


def _string(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Read a value in quotes of any kind, up to its first unescaped closing quote."""
    text = reader.text
    if text[pos] == "\\" and not text.startswith('"', pos + 1):
        return read_bare(reader, reading, pos)
    reading.remember(pos)
    if _FENCED.match(text, pos):
        # The last line end may belong to the text or to the fence (corpus/repair/doubled_and_joined).
        reader.reason = "ambiguous"
        return []
    token = reader.string_at(pos)
    if token is None:
        bare = text[pos] == "\\" or (text[pos] in "“„«‘" and text.find('"', pos) > 0)
        return (read_bare if bare else ending.in_string)(reader, reading, pos)
    if token.quote == "`" and "${" in token.body:
        reader.reason = "expression"
        return []
    body = respell(token.body, quote_meant(text, reader.start, token.body, token.quote))
    if body is None:
        reader.reason = "ambiguous"
        return reread(reader, reading, token.end)
    if token.quote != '"' or body.body != token.body:
        own = token.quote == '"' or body.rank >= Rank.GUESS
        name = body.name if own else "use_double_quotes"
        reading.note(name, pos, token.end, f'"{body.body}"', body.note)
    reading.settle(token.end)
    return None


_FENCED = re.compile(r"`{3,}+[\w+#.-]*+[ \t]*+\n")

# How to read a value in an unusual spelling, by its first character and the openers of the containers
# in which that is tried; `.` means outside of any container. Without a row it is a bare value.
VALUES: tuple[tuple[str, str, _Read], ...] = (
    ("{[", ".{[(", _container),
    ("(", "{[(", _parentheses),
    ("".join(lexis.QUOTES) + "\\", ".{[(", _string),
    ("}])", "[(", _closer),
    (":=", "{", _extra_colon),
    (",/.…<←-", "[(", _item),
)
