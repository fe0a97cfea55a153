"""Moves that add a missing quote or drop an extra one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.evidence.strings import Respelled, respell
from zkit.repair.evidence.structure import follows, known
from zkit.repair.limits import MOST_PHRASE, QUOTE_WITHIN
from zkit.repair.moves import respelt
from zkit.repair.search.hypothesis import CLOSERS, Before, Hypothesis
from zkit.text import lexis
from zkit.text.remembered import of_last

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── quote marks ─────────────────────────────────────────────────────────────


_IN_WORD = re.compile(r"(?<=\w)['’](?=\w)")
# Quotes that come in pairs: the closing one and its opener.
_OPENERS = {"»": "«", "’": "‘", "」": "「"}
# A quote after one of these characters opens a quotation rather than closing one.
_OPENS_NEXT = frozenset(" \t\n([{=:+")
_LONE = frozenset("'`”»’")
_FOLDER = re.compile(
    r"(?:[A-Za-z]:|\\{1,4}(?=[\w?])|\.{1,2}(?=\\)|[~%\w.$-]++(?=\\))(?:\\{1,2}|[\w .()$%@+~,?-]++)*+\Z"
)
_FILE = re.compile(r"[^.\\]\.\w{1,5}\Z")


def is_folder(content: str) -> bool:
    """True if the content before an escaped quote is a Windows folder, so that the backslash ends the path.

    A word without a backslash is not a folder. Neither is a file name whose backslashes are escaped,
    because a last backslash would be escaped too. See corpus/repair/quote_of_another_kind.
    """
    if "\\" not in content and len(content) > len("C:"):
        return False
    if "\\\\" in content and _FILE.search(content):
        return False
    return _FOLDER.match(content) is not None


def stands_for_quote(content: str) -> bool:
    """True if the last character may replace the closing quote: an unpaired quote or closing bracket."""
    last, rest = content[-1:], content[:-1]
    if last in ("}", "]"):
        return rest.count("{" if last == "}" else "[") <= rest.count(last)
    return content in _LONE or is_other_quote(content)


def is_other_quote(content: str) -> bool:
    """True if the last character is a quote of another kind without a partner in the content.

    See corpus/repair/quote_of_another_kind.
    """
    last, rest = content[-1:], content[:-1]
    if not rest:
        return False
    if last in "'`":
        return rest[-1] not in _OPENS_NEXT and _IN_WORD.sub("", rest).count(last) % 2 == 0
    if last in "“”":
        return True
    if last == "’":
        rest = _IN_WORD.sub("", rest)
    return last in _OPENERS and rest.count(_OPENERS[last]) <= rest.count(last)


# ── missing quotes ──────────────────────────────────────────────────────────


BLANKS_AND_OPENERS = lexis.BLANKS + "{["
BARE_KEY_END = re.compile(rf"\s*+,\s*+([\"']?)({lexis.NAME})\1\s*+:\s*+\Z")
KEY_TAIL = re.compile(rf"[^\"'\\\n,{{}}]{{1,80}}+[\"']{lexis.SPACE}(?::|=)")


def shorter(reader: Engine, before: Before, quote: int) -> list[Hypothesis]:
    """Return hypotheses in which the string lacks its closing quote, and the quote found opens the next string."""
    text, start, frame = reader.text, before.pos, before.frame
    if text[start : start + 1] not in lexis.QUOTES or frame is None:
        return []
    body = text[start + 1 : quote]
    stem = body.rstrip(BLANKS_AND_OPENERS)
    if (found := _before_key(reader, before, quote)) is not None:
        return found
    if stem[-1:] not in (",", ":"):
        return []
    bare = BARE_KEY_END.search(body)
    if bare is not None and known(reader, frame, bare.group(2)):
        return _closed_before(before, text, start + 1 + bare.start())
    return _before_closers(before, text, stem) if stem.endswith(",") else []


def _before_key(reader: Engine, before: Before, quote: int) -> list[Hypothesis] | None:
    """Return the hypothesis in which the quote opens a key and the comma is missing too; None if it opens no key.

    Llama 3 writes this in long answers: `"… so 160.\\n    "answer": "160"`. The key must begin a line,
    or the schema must declare it here. See corpus/repair/quote_before_key.
    """
    text, frame = reader.text, before.frame
    key = _KEY_REST.match(text, quote + 1)
    if key is None or frame is None or frame.kind != "{" or not known(reader, frame, key[1]):
        return None
    content = text[before.pos + 1 : quote].rstrip()
    own_line = "\n" in text[before.pos + 1 + len(content) : quote]
    if content.endswith((",", ":", "{", "[")) or not (own_line or key[1] in frame.expect.keys):
        return None
    return _closed_before(before, text, before.pos + 1 + len(content))


def before_declared_key(reader: Engine, before: Before) -> list[Hypothesis]:
    """Return the hypothesis in which the string ends before the first bare key that the schema still expects.

    In `"zh, formal: false` that is `formal`. See corpus/repair/quote_before_key.
    """
    text, frame = reader.text, before.frame
    if frame is None or frame.kind != "{" or not frame.expect.keys or text[before.pos] not in "\"'":
        return []
    stop = min(reader.size, before.pos + QUOTE_WITHIN)
    if not reader.spend(stop - before.pos):
        return []
    quote = text.find(text[before.pos], before.pos + 1, stop)
    for found in _BARE_MEMBER.finditer(text, before.pos + 1, quote if quote > 0 else stop):
        known_key = rf"[{{,\s\"']{re.escape(found[1])}[\"']?\s*+[:=]"
        if found[1] in frame.expect.keys and not re.search(
            known_key, text[frame.start : before.pos]
        ):
            return _closed_before(before, text, found.start())
    return []


_BARE_MEMBER = re.compile(
    rf",\s*+({lexis.NAME})\s*+[:=]\s*+(?=[\"'{{\[0-9-]|(?:true|false|null|None|True|False)\b)"
)

_KEY_REST = re.compile(r"([\w$-]{1,60}+)\"\s*+:")


def _before_closers(before: Before, text: str, stem: str) -> list[Hypothesis]:
    """Return hypotheses in which the string ends before the last comma, or before the closers in front of it."""
    content = stem[:-1].rstrip()
    ends = {len(stem) - 1, len(content)}
    last = content[-1:]
    while last in _OPENER_OF and content.count(_OPENER_OF[last]) < content.count(last):
        content = content[:-1].rstrip()
        last = content[-1:]
        ends.add(len(content))
    if last == ",":
        return _closed(
            before, before.pos + len(content), respell(content[:-1], text[before.pos]), 1
        )
    places = [before.pos + 1 + end for end in sorted(ends)]
    return [other for place in places for other in _closed_before(before, text, place)]


_OPENER_OF = {"}": "{", "]": "[", ")": "("}


def _closed_before(before: Before, text: str, end: int) -> list[Hypothesis]:
    """Return hypotheses in which the string ends at `end`, perhaps with another mark in place of its quote."""
    body, quote = text[before.pos + 1 : end], text[before.pos]
    if not body.strip() and (body or before.frame is None or before.frame.kind != "{"):
        return []
    if body.endswith("\\" + quote) and body.count("\\" + quote) % 2 == 1:
        return _with_escaped_quote(before, body, quote, end)
    if stands_for_quote(body):
        if body[-1] in "}]" and _NUMBERS.fullmatch(body[:-1]):
            return []
        return _closed(before, end - 1, respell(body[:-1], quote), 1)
    return _closed(before, end, respell(body, quote))


# The content of a list of numbers or an empty container: its opening bracket became a quote.
_NUMBERS = re.compile(r"[-+0-9.,eE\s]*+")


def _with_escaped_quote(before: Before, body: str, quote: str, end: int) -> list[Hypothesis]:
    """End the string at an escaped quote: a path ends in a backslash, or the quote was escaped by mistake."""
    content = body[:-2]
    if not content or content.endswith("\\"):
        return []
    if is_folder(content):
        return _closed(before, end, respell(content + "\\\\", quote, path=True))
    if "\\" + quote in content:
        return []
    return _closed(before, end - 2, respell(content, quote), 2)


def _closed(before: Before, end: int, spelled: Respelled | None, mark: int = 0) -> list[Hypothesis]:
    """Return the hypothesis in which the string ends at `end`, with a mark of that length in place of its quote.

    Return nothing if the string has no spelling.
    """
    name = "replace_quote" if mark else "add_closing_quote"
    return respelt(Hypothesis.back_to(before), name, before.pos, end + mark, spelled)


def doubled_opening(reader: Engine, before: Before) -> list[Hypothesis]:
    """Return the hypothesis in which the opening quote was written twice."""
    text, start = reader.text, before.pos
    if not text.startswith('""', start) or text.startswith('"""', start):
        return []
    token = lexis.string_at(text, start + 1)
    if token is None or not follows(reader, before.frame, token.end):
        return []
    other, odd = Hypothesis.back_to(before), token.body.count('"') % 2
    return respelt(other, "drop_extra_quote", start, token.end, respell(token.body), odd)


# Content whose first backslash is not an escape, while all others begin a JSON escape.
_LONE_BACKSLASH = re.compile(rf"\\(?![\\\"'/bfnrtu])[^\\]*+(?:(?:{lexis.ESCAPE}|\\')[^\\]*+)*+")


def _begins_with_mark(body: str) -> bool:
    """True if the first character replaces the opening quote: an unclosed bracket, or a backslash."""
    if body[:1] in ("{", "["):
        return body.count(body[0]) > body.count(CLOSERS[body[0]])
    return _LONE_BACKSLASH.fullmatch(body) is not None


_UNOPENED_SINGLE = re.compile(rf"[^\W\d_][^'\"\n{{}}\[\]]{{0,{MOST_PHRASE}}}+'")


def _unopened_single(reader: Engine, before: Before, start: int) -> list[Hypothesis]:
    """Return the hypothesis in which a single-quoted string lacks its opening quote: `src/**'`.

    See corpus/repair/doubled_and_joined.
    """
    found = _UNOPENED_SINGLE.match(reader.text, start)
    if found is None or not follows(reader, before.frame, found.end()):
        return []
    spelled = respell(found[0][:-1], "'")
    return respelt(Hypothesis.back_to(before), "add_opening_quote", start, found.end(), spelled)


def unopened(reader: Engine, before: Before, start: int) -> list[Hypothesis]:
    """Return hypotheses in which a string begins at `start` without its quote and ends at a quote."""
    text = reader.text
    if single := _unopened_single(reader, before, start):
        return single
    body = _content_up_to_quote(reader, before, start)
    if body is None or (body.startswith('\\"') and body.count('\\"') % 2):
        return []  # an escaped quote is the opening one
    end = start + len(body) + 1
    wrong = text[start - 1] in ": ,\n\t[" and _begins_with_mark(body)
    spelled = respell(body[wrong:])
    if spelled is None or spelled.inner or not spelled.body.strip("{[ "):
        return []
    name = "replace_quote" if wrong else "add_opening_quote"
    return respelt(Hypothesis.back_to(before), name, start, end, spelled)


def _content_up_to_quote(reader: Engine, before: Before, start: int) -> str | None:
    """Return the text up to the next bare quote; None if the text after that quote cannot follow a value."""
    text = reader.text
    if start >= _last_bare_quote(text):
        return None
    content = _CONTENT.match(text, start, start + QUOTE_WITHIN)
    if content is None or not reader.spend(8 * (content.end() - start)):
        return None
    ends = lexis.closers_of('"').match(text, content.end())
    return content.group() if ends and follows(reader, before.frame, content.end() + 1) else None


@of_last
def _last_bare_quote(text: str) -> int:
    """Return the place of the last unescaped quote, or -1."""
    return lexis.quote_before(text, len(text))


# The text before the next unescaped quote.
_CONTENT = re.compile(rf"{lexis.UP_TO_QUOTE}(?=\")")
