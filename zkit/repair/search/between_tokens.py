"""What stands between two tokens and says nothing, dropped: odd white space, comments, ellipses, remarks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.receipt import Rank
from zkit.repair.search.follow import known
from zkit.repair.search.reading import KEY, NEXT, VALUE, Reading
from zkit.text import lexis
from zkit.text.comments import comment_end

if TYPE_CHECKING:
    from zkit.repair.search.reader import Reader

_NOTHING_TO_SKIP = {"", *map(chr, range(0x21, 0x7F))} - {"/", "#", "-", "<", "\\"}
"""The end of the text, and what begins neither odd white space nor a comment."""
NEAR = 2000
"""How far from an escape its like is looked for."""
MOST_COMMAS = 16
"""How many commas in a row may be slips; more are a loop."""
_BARE_QUOTE_FIRST = re.compile(r"[^\"']*+(?<!\\)\"")
_ESCAPED = re.compile(r"\\(?:(?=[\[\]{},:])|\r?+\n|\Z|[nrt](?=[\s\"'{}\[\],\\0-9-]|\Z))")
"""Between two tokens: a backslash before a mark or at the end of a line, or white space that is escaped."""


def skip(reader: Reader, reading: Reading) -> bool:
    """Drop odd white space or a comment; True when there was something to drop."""
    text, pos = reader.text, reading.pos
    if text[(ahead := lexis.skip_spaces(text, pos)) : ahead + 1] in _NOTHING_TO_SKIP:
        return False
    odd = lexis.ODD_RUN.match(text, pos)
    if odd is not None:
        end = odd.end()
        reading.note("plain_space", pos, end, " ")
    elif (escape := _ESCAPED.match(text, ahead)) is not None and _is_outside(
        reader, reading, escape
    ):
        end = escape.end()
        reading.note("drop_backslash", ahead, end, "")
    elif (token := _SPECIAL_TOKEN.match(text, ahead)) is not None:
        end = token.end()
        reading.note("drop_tag", ahead, end, "")
    else:
        found = comment_end(text, ahead)
        if found is None or not _is_comment(reader, reading, ahead, found):
            return False
        end = found
        elided = _ELIDED.match(text, ahead) is not None
        reading.note("drop_ellipsis" if elided else "drop_comment", ahead, end, "")
    if reading.safe == pos:
        reading.safe = end
    reading.pos = end
    return True


_ELIDED = re.compile(r"(?://|#|/\*|<!--|--)\s*+(?:\.{3}|…)")
"""A comment that stands for values which were left out: `// ... more fields`."""


_SPECIAL_TOKEN = re.compile(
    r"<[|｜][^<>|｜\"\n]{1,40}+[|｜]>|</?s>|<eos>|<bos>|<(?:end|start)_of_turn>|\[/?INST\]"
)
"""A token of a chat template that leaked between two members."""


def _is_outside(reader: Reader, reading: Reading, escape: re.Match[str]) -> bool:
    """Whether an escape stands outside of strings: white space is escaped there throughout, or not at all.

    Where quotes are escaped, too, all of the value is, and its strings are to be read otherwise.
    """
    mark = escape.group()[1:]
    if mark in ("\n", "\r\n"):  # a single one may stand for a bracket
        return _is_habit(reader.text, escape.start(), escape.group())
    if not mark and reader.text[escape.end() : escape.end() + 1] in (",", ":"):
        return _is_before_comma(reader, reading, escape.start())
    if mark not in ("n", "r", "t"):
        return True
    text, start = reader.text, reader.start
    if not text.startswith("\\", start + 1) and not _parts(reading, text, escape.end()):
        return False
    return _BARE_QUOTE_FIRST.match(text, start, start + NEAR) is not None


_ESCAPED_SPACE = re.compile(r"(?:\s|\\[nrt]){0,200}+")
_NEXT_TOKEN = {
    KEY: re.compile(rf"{lexis.KEY_AHEAD.pattern}|\}}"),
    VALUE: re.compile(r"[\"{\[\]0-9-]"),
    NEXT: re.compile(r"[}\]]"),
}
"""What shows that white space which is escaped ended, by what is due there."""


def _parts(reading: Reading, text: str, pos: int) -> bool:
    """Whether white space that is escaped stands before what is due there."""
    pos = _ESCAPED_SPACE.match(text, pos).end()  # type: ignore[union-attr]
    return _NEXT_TOKEN[reading.place].match(text, pos) is not None


def _is_before_comma(reader: Reader, reading: Reading, start: int) -> bool:
    """Whether a backslash before a comma or a colon says nothing: a key comes next, or there are more of them."""
    frame, text = reading.frame, reader.text
    key = lexis.NEXT_KEY.match(text, start + 1) if frame is not None and frame.kind == "{" else None
    if key is not None and frame is not None and key[1] is not None and key[1][0] == '"':
        return known(reader, frame, key[1])
    return _is_habit(text, start, text[start : start + 2])


def _is_habit(text: str, start: int, what: str) -> bool:
    """Whether what stands at a place stands near by once more."""
    end = start + len(what)
    return (
        text.find(what, end, end + NEAR) >= 0 or text.rfind(what, max(start - NEAR, 0), start) >= 0
    )


def _is_comment(reader: Reader, reading: Reading, start: int, end: int) -> bool:
    """Whether what looks like a comment is one, and not a value, the rest of a string, or the end."""
    text = reader.text
    if end == reader.size and reading.frame is not None:
        return False
    if reading.place == VALUE and text[start] in "<-":
        return reading.frame is not None and reading.frame.kind != "{"
    if reading.place == VALUE and text[start] == "#":
        return text.startswith(" ", start + 1) and end < reader.size
    if reading.place == NEXT and text[reading.safe - 1] in "\"'":
        return text.startswith("/*", start) or text.count('"', start, end) % 2 == 0
    return True


def dropped_ellipsis(reader: Reader, reading: Reading, pos: int) -> bool:
    """Drop `...` after the last value, with the comma before it: what it stands for is missing."""
    dots, frame = lexis.ELLIPSIS.match(reader.text, pos), reading.frame
    if dots is None or reader.text[dots.end() : dots.end() + 1].isalnum():
        return False  # `...rest` spreads a variable
    end = dots.end()
    last = (
        lexis.CLOSER.match(reader.text, end) is not None
        or lexis.skip_blank(reader.text, end) == reader.size
    )
    if not last or frame is None or reading.safe == frame.start + 1:
        return False
    comma = reader.text.find(",", reading.safe, pos)
    reading.note(
        "drop_ellipsis", pos if comma < 0 or reading.has_changed(comma) else comma, end, ""
    )
    reading.pos = end
    return True


_REMARK = re.compile(
    r"(?:<[-=]++|←|--++>?+)[ \t][^\n\"'{}\[\]]{1,120}+(?=\n)|\([^()\n\"'{}\[\]]{1,120}+\)(?=[ \t]*+\n)"
)
"""What is pointed out beside a line: `<- changed`, `(the default)`."""


def dropped_remark(reader: Reader, reading: Reading, pos: int) -> bool:
    """Drop a remark between a comma and the end of its line."""
    remark = _REMARK.match(reader.text, pos)
    if remark is None or "\n" in reader.text[reading.safe : pos]:
        return False
    reading.note("drop_remark", pos, remark.end(), "")
    reading.pos = remark.end()
    return reader.limit >= Rank.GUESS


_COMMAS = re.compile(rf",(?:{lexis.SPACE},){{0,{MOST_COMMAS}}}+")


def dropped_comma(reader: Reader, reading: Reading, pos: int) -> bool:
    """Drop commas where a key or an item is expected; False for a flood of them."""
    commas = _COMMAS.match(reader.text, pos)
    if commas is None or commas[0].count(",") > MOST_COMMAS:
        return False
    reading.note("drop_comma", pos, commas.end(), "", "", commas[0].count(",") - 1)
    reading.pos = commas.end()
    return True
