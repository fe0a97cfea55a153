"""Moves over tokens in odd spellings, and over what may stand between two tokens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.receipt import Rank
from zkit.repair.evidence.strings import quote_meant, respell
from zkit.repair.evidence.structure import known
from zkit.repair.limits import HABIT_WITHIN, MOST_COMMAS
from zkit.repair.moves import ending
from zkit.repair.moves.after_value import closer_for_value
from zkit.repair.moves.at_key import at_key, at_key_string, wrong_first_quote
from zkit.repair.moves.bare import is_prefix, read_bare
from zkit.repair.moves.string_ends import keyed, reread
from zkit.repair.search.hypothesis import KEY, NEXT, VALUE, Frame, Hypothesis
from zkit.text import lexis
from zkit.text.comments import comment_end, ends_in_comment

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── between tokens ──────────────────────────────────────────────────────────


_NOTHING_TO_SKIP = {"", *map(chr, range(0x21, 0x7F)), *lexis.QUOTES} - {
    "/",
    "#",
    "-",
    "<",
    "\\",
    "&",
}
"""The end of the text, and what begins neither odd white space nor a comment."""
_BARE_QUOTE_FIRST = re.compile(r"[^\"']*+(?<!\\)\"")
_ESCAPED = re.compile(r"\\(?:(?=[\[\]{},:])|\r?+\n|\Z|[nrt](?=[\s\"'{}\[\],\\0-9-]|\Z))")
"""Between two tokens: a backslash before a mark or at the end of a line, or white space that is escaped."""


def skip(reader: Engine, reading: Hypothesis) -> bool:
    """Drop odd white space or a comment; True when there was something to drop."""
    text, pos = reader.text, reading.pos
    mark = text[pos : pos + 1]
    if mark in _NOTHING_TO_SKIP:
        return False
    ahead = pos
    if mark in " \t\n\r":
        ahead = lexis.skip_spaces(text, pos)
        if text[ahead : ahead + 1] in _NOTHING_TO_SKIP:
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
    r"<[|｜][^<>|｜\"\n]{1,40}+[|｜]>|</?s>|<eos>|<bos>|<br\s?+/?+>|&nbsp;|<(?:end|start)_of_turn>|\[/?INST\]"
)
"""A token of a chat template or of a page that leaked between two members."""


def _is_outside(reader: Engine, reading: Hypothesis, escape: re.Match[str]) -> bool:
    """Whether an escape stands outside of strings: white space is escaped there throughout, or not at all.

    Where quotes are escaped, too, all of the value is, and its strings are to be read otherwise.
    """
    mark = escape.group()[1:]
    if mark in ("\n", "\r\n"):  # a single one may stand for a bracket, but not between two items
        return _is_between_items(reader, reading, escape) or _is_habit(
            reader.text, escape.start(), escape.group()
        )
    if not mark and reader.text[escape.end() : escape.end() + 1] in (",", ":"):
        return _is_before_comma(reader, reading, escape.start())
    if mark not in ("n", "r", "t"):
        return True
    text, start = reader.text, reader.start
    if not text.startswith("\\", start + 1) and not _parts(reading, text, escape.end()):
        return False
    return _BARE_QUOTE_FIRST.match(text, start, start + HABIT_WITHIN) is not None


_ESCAPED_SPACE = re.compile(r"(?:\s|\\[nrt]){0,200}+")
_NEXT_TOKEN = {
    KEY: re.compile(rf"{lexis.KEY_AHEAD.pattern}|\}}"),
    VALUE: re.compile(r"[\"{\[\]0-9-]"),
    NEXT: re.compile(r"[}\]]"),
}
"""What shows that white space which is escaped ended, by what is expected there."""


def _parts(reading: Hypothesis, text: str, pos: int) -> bool:
    """Whether white space that is escaped comes before what is expected there."""
    pos = _ESCAPED_SPACE.match(text, pos).end()  # type: ignore[union-attr]
    return _NEXT_TOKEN[reading.place].match(text, pos) is not None


def _is_between_items(reader: Engine, reading: Hypothesis, escape: re.Match[str]) -> bool:
    """True if an escape is between the comma of a list and the next item, as in a shell."""
    before = reader.text[max(escape.start() - 20, 0) : escape.start()].rstrip()
    listed = reading.frame is not None and reading.frame.kind == "["
    return listed and before.endswith(",") and _parts(reading, reader.text, escape.end())


def _is_before_comma(reader: Engine, reading: Hypothesis, start: int) -> bool:
    """Whether a backslash before a comma or a colon means nothing: a key comes next, or there are more of them."""
    frame, text = reading.frame, reader.text
    key = lexis.NEXT_KEY.match(text, start + 1) if frame is not None and frame.kind == "{" else None
    if key is not None and frame is not None and key[1] is not None and key[1][0] == '"':
        return known(reader, frame, key[1])
    return _is_habit(text, start, text[start : start + 2])


def _is_habit(text: str, start: int, what: str) -> bool:
    """Whether the text at a place stands near by once more."""
    end = start + len(what)
    return (
        text.find(what, end, end + HABIT_WITHIN) >= 0
        or text.rfind(what, max(start - HABIT_WITHIN, 0), start) >= 0
    )


def _is_comment(reader: Engine, reading: Hypothesis, start: int, end: int) -> bool:
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


def dropped_ellipsis(reader: Engine, reading: Hypothesis, pos: int) -> bool:
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


def dropped_remark(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop a remark between a comma and the end of its line."""
    remark = _REMARK.match(reader.text, pos)
    if remark is None or "\n" in reader.text[reading.safe : pos]:
        return False
    reading.note("drop_remark", pos, remark.end(), "")
    reading.pos = remark.end()
    return reader.limit >= Rank.GUESS


_COMMAS = re.compile(rf",(?:{lexis.SPACE},){{0,{MOST_COMMAS}}}+")


def dropped_comma(reader: Engine, reading: Hypothesis, pos: int) -> bool:
    """Drop commas where a key or an item is expected; False for a flood of them."""
    commas = _COMMAS.match(reader.text, pos)
    if commas is None or commas[0].count(",") > MOST_COMMAS:
        return False
    reading.note("drop_comma", pos, commas.end(), "", "", commas[0].count(",") - 1)
    reading.pos = commas.end()
    return True


# ── odd tokens ──────────────────────────────────────────────────────────────


def odd_mark(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
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


def _comma_after_opener(
    reader: Engine, reading: Hypothesis, frame: Frame, pos: int
) -> list[Hypothesis]:
    """A comma right after an inner opening brace: it is stray, or the object is empty and not closed."""
    other = reading.fork()
    dropped_comma(reader, other, pos)
    if frame.parent is None or frame.parent.kind != "{":
        return [other]
    empty = reading.fork().note("close_in_middle", reading.safe, reading.safe, "}")
    reader.leave(empty, reading.safe - 1)
    return [other, empty.go(pos, NEXT)]


# ── keys ─────────────────────────────────────────────────────────────────────


def odd_key(reader: Engine, reading: Hypothesis) -> list[Hypothesis] | None:
    """What stands where a key is expected, when it is no key in the common spellings."""
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


def _dropped_brace(reader: Engine, reading: Hypothesis, frame: Frame, pos: int) -> bool:
    """Drop the second of two opening braces."""
    if reader.text[pos] != "{" or reading.pos != frame.start + 1:
        return False
    if frame.parent is not None and lexis.LUA_KEY.match(reader.text, pos + 1):
        return False  # Lua writes a list of objects so
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


def _without_marks(reading: Hypothesis, match: re.Match[str]) -> Hypothesis:
    """Stand after a key that Markdown marks and its colon."""
    key = match.group(2) or match.group(3)
    other = reading.fork().note("drop_markdown", match.start(), match.end(), f'"{key}":')
    return keyed(other, key, match.end())


def _bare_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
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


def _quoted_key(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
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
    if reader.guided and reading.frame is not None:
        reading.want = reading.frame.expect.child(name)
    return [reading, *others] if others else None


def _has_bare_keys_around(text: str, reading: Hypothesis) -> bool:
    """Whether an object around this one has keys whose quotes are not escaped: this one is text that lost its quote."""
    frame = reading.frame.parent if reading.frame is not None else None
    while frame is not None:
        if frame.kind == "{" and text.startswith('"', lexis.skip_blank(text, frame.start + 1)):
            return True
        frame = frame.parent
    return False


_QUOTED_TWICE = re.compile(r"\"[^\"\\]++\"")
"""The content of a key that is itself between quotes."""


def _spelt_colon(reading: Hypothesis, colon: re.Match[str]) -> None:
    """Stand after the colon, with nothing odd before it and no other mark for it."""
    gap = colon.group(1)
    if gap.strip(" \t\r\n"):
        name = "drop_comment" if "/" in gap else "plain_space"
        reading.note(name, colon.start(1), colon.end(1), "")
    if colon.group(2) != ":":
        reading.note("use_colon", colon.start(2), colon.end(2), ":")
    reading.go(colon.end(), VALUE)


# ── values ───────────────────────────────────────────────────────────────────


def odd_value(reader: Engine, reading: Hypothesis) -> list[Hypothesis] | None:
    """What stands where a value is expected, when it is no value in the common spellings."""
    text, frame, pos = reader.text, reading.frame, reading.pos
    mark = text[pos : pos + 1]
    if mark == '"':
        return _string(reader, reading, pos)
    if skip(reader, reading):
        return None
    if mark not in _NOTHING_TO_SKIP:
        pos = lexis.skip_blank(text, pos)
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


def _odd_item(
    reader: Engine, reading: Hypothesis, frame: Frame, pos: int
) -> list[Hypothesis] | None:
    """What stands where an item is expected: the closer, another closer, nothing, or a bare value."""
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


def _string(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """A value in quotes of any kind, up to its first unescaped closer."""
    reading.remember(pos)
    if reader.text[pos] == "`" and _FENCED.match(reader.text, pos):
        reader.reason = "ambiguous"  # is the line end before the last fence part of the text?
        return []
    token = reader.string_at(pos)
    if token is None:
        bare = reader.text[pos] == "\\" or (
            reader.text[pos] in "“„«‘" and reader.text.find('"', pos) > 0
        )
        return (read_bare if bare else ending.in_string)(reader, reading, pos)
    if token.quote == "`" and "${" in token.body:
        reader.reason = "expression"
        return []
    quote = token.quote
    if quote == '"' and "\\" in token.body:
        quote = quote_meant(reader.text, reader.start, token.body, quote)
    body = respell(token.body, quote)
    if body is None:
        reader.reason = "ambiguous"
        return reread(reader, reading, token.end)
    if token.quote != '"' or body.body != token.body:
        own = token.quote == '"' or body.rank >= Rank.GUESS
        name = body.name if own else "use_double_quotes"
        reading.note(name, pos, token.end, f'"{body.body}"', body.note)
    reading.settle(token.end)
    return None


_ONE_STRING = rf"(?:{lexis.STRING}|'[^'\\\n]*+')"
_IN_PARENTHESES = re.compile(rf"\(\s*+{_ONE_STRING}(?:\s*+\+?+\s*+{_ONE_STRING})*+\s*+\)")
_STRINGS = re.compile(_ONE_STRING)


def _parenthesised(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
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


def _joined(reader: Engine, reading: Hypothesis, plus: int) -> list[Hypothesis]:
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
    body = None if token is None else respell(token.body, token.quote)
    if token is None or body is None:
        return []
    other.note(name, start, token.end, f'{head}{body.body}"')
    other.settle(token.end)
    return [other]
