"""Moves for a text that ends before its value does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.receipt import Rank
from zkit.repair.evidence.strings import quote_meant, respell
from zkit.repair.fixes import with_effect
from zkit.repair.limits import MOST_TAIL
from zkit.repair.moves import respelt
from zkit.repair.moves.missing_quotes import before_declared_key, is_folder, is_other_quote
from zkit.repair.search.hypothesis import DONE, Frame, Hypothesis
from zkit.text import lexis
from zkit.text.comments import ends_in_comment

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


_HEX = "[0-9a-fA-F]"
# A string's content up to an escape that is cut off, in JSON's spelling or a programming
# language's.
_WHOLE = re.compile(
    rf"(?:[^\\]++|\\(?:[^uUx]|u(?!\{{?+{_HEX}{{0,3}}\Z|\{{{_HEX}{{4,6}}\Z)|U(?!{_HEX}{{0,7}}\Z)|x(?!{_HEX}?\Z)))*+",
    re.DOTALL,
)
_HALF_PAIR = re.compile(r"\\u[dD][89abAB][0-9a-fA-F]{2}\Z")
_NAMED_INSIDE = re.compile(rf",\s*+[\"']?+({lexis.NAME})[\"']?+\s*+[:=]")


def closers(frame: Frame | None) -> str:
    """Return the closers of all open containers, innermost first."""
    marks: list[str] = []
    while frame is not None:
        marks.append("]" if frame.kind == "(" else frame.closer)
        frame = frame.parent
    return "".join(marks)


def after_value(reader: Engine, reading: Hypothesis) -> list[Hypothesis]:
    """Add the missing closers after a complete value.

    This counts as a cut only if the finish reason is `length`, or if a guess was needed and no closer
    ends the text.
    """
    guessed = reading.rank >= Rank.GUESS and reader.text.rstrip()[-1:] not in ("}", "]")
    name = "close_after_cut" if reader.finish_reason == "length" or guessed else "close_at_end"
    return _at_end(
        reader, reading.fork().note(name, reader.size, reader.size, closers(reading.frame))
    )


def _at_end(reader: Engine, other: Hypothesis) -> list[Hypothesis]:
    """Return the hypothesis as complete; nothing if a fix invented an opener, whose closer must be in the text."""
    if any(fix.name in _MADE_UP for fix in other.fixes()):
        return []
    return [other.go(reader.size, DONE)]


_MADE_UP = with_effect("opens")


def in_comment(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Close a text that ends in a comment; return nothing if the comment holds a closer."""
    if not ends_in_comment(reader.text, pos):
        return []
    if reader.text.find("}", pos) >= 0 or reader.text.find("]", pos) >= 0:
        return []
    return cut(reader, reading, "the text ended in a comment", "close_after_cut")


def cut(
    reader: Engine, reading: Hypothesis, why: str, name: str = "drop_cut_member"
) -> list[Hypothesis]:
    """Keep the complete part, drop the rest, and close the open containers."""
    other = reading.fork()
    while other.edits is not None and other.edits[1].start >= other.safe:
        other.edits = other.edits[0]
    return _at_end(reader, other.note(name, other.safe, reader.size, closers(other.frame), why))


def in_string(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Return the hypotheses for a string without a closing quote: it was cut, or only its quote is missing."""
    others: list[Hypothesis] = []
    if reading.frame is not None and reader.text[pos] != "\\":
        others = open_string(reader, reading, pos)
    others += _missing_last_quote(reader, reading, pos)
    return [*others, *before_declared_key(reader, reading.recent[0])] if reader.guided else others


def open_string(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Read the string at `pos` as running to the end of the text, and mark it as cut."""
    quote = reader.text[pos]
    tripled = reader.text.startswith(quote * 3, pos)
    body = reader.text[pos + 3 :].rstrip(quote) if tripled else reader.text[pos + 1 :]
    if not tripled and body.startswith('"') and quote == '"' and body.strip('"'):
        return []  # the quote was doubled, or the value is missing
    tail = "" if _even(body) else _closing_tail(body, reading.frame)
    body = before_seeming_end(body[: len(body) - len(tail)], quote)
    body = body[:-1] if _ends_in_other_quote(body, quote) else body
    body = _WHOLE.match(body).group()  # type: ignore[union-attr]
    body = _HALF_PAIR.sub("", body)
    spelled = respell(body, quote_meant(reader.text, reader.start, body, quote), cut=True)
    if spelled is None:
        return []
    new = f'"{spelled.body}"{closers(reading.frame)}'
    note = f"the text ended in a string, after {len(body)} characters of it"
    other = reading.fork().note("keep_open_string", pos, reader.size, new, note, spelled.rank)
    return _at_end(reader, other)


# A possible end of the string and the text after it: a quote, closers, a comma, a key that is cut
# off.
_SEEMING_END = re.compile(
    r"(?:\\?[\"'`”’»])?\s*+(?:[}\]]\s*+)*+(?:,\s*+(?:[\"'][\w$ .-]{0,60}+[\"']?+\s*+:?+\s*+)?+)?+\Z"
)


def before_seeming_end(body: str, quote: str) -> str:
    """Return the content of an unclosed string, up to the place near the end where it may have closed.

    Either way the result is a prefix of the real content. Only a raw line break or a bare quote shows
    that the string may have closed, since the content of a valid string has neither.
    """
    near = max(0, len(body) - MOST_TAIL)
    found = _SEEMING_END.search(body, near)
    tail = found.group() if found is not None else ""
    marked = "\n" in tail or (quote == '"' and _BARE_QUOTE.search(tail) is not None)
    return body[: len(body) - len(tail)] if tail.strip() and marked else body


_BARE_QUOTE = re.compile(r"(?<!\\)\"")


def _ends_in_other_quote(body: str, quote: str) -> bool:
    """True if the text ends in a quote of another kind, which may be content or close the string."""
    last = body[-1:]
    return last != quote and last in _CLOSES_TOO and not body.endswith("\\", 0, len(body) - 1)


_CLOSES_TOO = frozenset('"”»＂」』')


def _closing_tail(body: str, frame: Frame | None) -> str:
    """Return the end of an open string if it is exactly the closers of all open containers; else an empty string."""
    end = len(body)
    for mark in reversed(closers(frame)):
        end = lexis.last_sign(body, end)
        if body[end - 1 : end] != mark:
            return ""
        end -= 1
    return body[end:]


def _missing_last_quote(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Add the closing quote of a string before the closers at the end of the text.

    All closers must be there, and the brackets inside the string must be balanced.
    """
    if reader.finish_reason == "length" or reading.frame is None:
        return []
    body, quote = reader.text[pos + 1 :], reader.text[pos]
    tail = _closing_tail(body, reading.frame)
    content = body[: len(body) - len(tail)].rstrip()
    if content.endswith(",") or (reading.frame.kind != "{" and "," in content):
        return []  # a comma may be content or separate two items
    content, over = _without_mark(content, quote)
    if content.endswith(("'", "`")):
        return []  # a quotation may open there
    odd = content.endswith('\\"') and content.count('\\"') % 2 == 1
    literal = odd and is_folder(content[:-2])
    if not tail or not _even(content) or (odd and not literal):
        return []
    if any(key[1] in reading.frame.expect.keys for key in _NAMED_INSIDE.finditer(content)):
        return []
    end = pos + 1 + len(content) + over
    spelled = respell(content[:-2] + "\\\\" if literal else content, quote, path=literal)
    return respelt(reading.fork(), "add_closing_quote", pos, end, spelled)


def _without_mark(content: str, quote: str) -> tuple[str, int]:
    """Return the content without the mark in place of its closing quote, and the length of that mark."""
    if quote == '"' and is_other_quote(content):
        return content[:-1], 1
    rest = content[:-2]
    lone = content.endswith('\\"') and '\\"' not in rest
    if lone and rest[-1:].isalnum() and not is_folder(rest):
        return rest, 2  # no quotation opens after a letter
    return content, 0


def _even(content: str) -> bool:
    """True if the content has as many closing as opening brackets of each kind."""
    return all(content.count(a) == content.count(b) for a, b in ("{}", "[]", "()"))
