"""Read JSON that arrives in chunks, and show the value so far.

Each chunk is read once. Complete tokens are added to the value; an incomplete one (a number, a
literal, an escape) waits for the next chunk. If the text is damaged, the value stops growing, and
`close` repairs the whole text as `repair_json` does.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from zkit.expect import evidence_for
from zkit.receipt import Rank, RankName, limit_of
from zkit.repair.outcome import Repaired, Unrepairable
from zkit.repair.reading import repair_json
from zkit.repair.strict_parse import strict
from zkit.text import lexis

_OPENER = re.compile(r"[{\[]")
_SPACE = re.compile(lexis.SPACE)
_TOKEN = re.compile(
    r"(?P<mark>[{}\[\]\",:])"
    r"|(?P<number>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?)(?=[\s,}\]])"
    r"|(?P<word>true|false|null|True|False|None)"
)
_HALF_TOKEN = re.compile(r"(?:[A-Za-z]{1,5}|[-0-9][-+.eE0-9]*+)\Z")
# A piece of a string: plain characters, its closing quote, or one escape.
_PIECE = re.compile(
    r'(?P<plain>[^"\\]++)|"'
    r"|(?P<escape>\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|u(?![dD][89abAB])[0-9a-fA-F]{4}|[^u]))",
    re.DOTALL,
)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,4}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_ESCAPES = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
# The state of the reader: before the value, inside it, after it, or stuck at damaged text.
_SEEK, _VALUE, _KEY, _COLON, _NEXT, _IN_KEY, _IN_STRING, _OVER, _STUCK = range(9)


class PartialReader:
    """Reads one value from chunks. `value` is live: it grows with each chunk, so do not change it.

    An open string is shown as far as it has arrived. A number, key, literal or escape is shown only
    when it is complete.
    """

    def __init__(self, *, schema: Any = None, limit: Rank | RankName = Rank.CUT) -> None:
        evidence_for(schema)
        self._schema = schema
        self._limit = limit_of(limit)
        self._chunks: list[str] = []
        self._rest = ""
        self._place = _SEEK
        # Holds the value once it has begun; empty before.
        self._root: list[Any] = []
        # The open containers, outermost first.
        self._open: list[Any] = [self._root]
        self._key = ""
        self._pieces: list[str] = []
        # True if the open string is already part of the value.
        self._shown = False
        self._outcome: Repaired | Unrepairable | None = None

    @property
    def text(self) -> str:
        """The text received so far."""
        if len(self._chunks) > 1:
            self._chunks = ["".join(self._chunks)]
        return self._chunks[0] if self._chunks else ""

    @property
    def value(self) -> Any:
        """The value so far, None before it begins. After `close` it is the final value."""
        if isinstance(self._outcome, Repaired):
            return self._outcome.value
        if self._place == _IN_STRING:
            self._pieces = ["".join(self._pieces)]
            self._put(self._pieces[0])
            self._shown = True
        return self._root[0] if self._root else None

    @property
    def stuck(self) -> bool:
        """True if the text is damaged, so that only `close` can read on."""
        return self._place == _STUCK

    def feed(self, chunk: str) -> None:
        """Read more text, in time proportional to its length."""
        if self._outcome is not None:
            raise ValueError("the reader is closed: make a new one for another text")
        self._chunks.append(chunk)
        text, pos, before = self._rest + chunk, 0, -1
        while before < pos < len(text):
            before, pos = pos, self._step(text, pos)
        self._rest = text[pos:]

    def close(self, finish_reason: str | None = None) -> Repaired | Unrepairable:
        """Return the outcome for the whole text, the same as `repair_json` returns."""
        if self._outcome is None:
            self._outcome = repair_json(
                self.text, schema=self._schema, limit=self._limit, finish_reason=finish_reason
            )
        return self._outcome

    def _step(self, text: str, pos: int) -> int:
        """Read one token or string and return where to go on; that is `pos` if more text is needed."""
        if self._place >= _OVER:
            return len(text)
        if self._place in (_IN_KEY, _IN_STRING):
            return self._take_string(text, pos)
        if self._place == _SEEK:
            found = _OPENER.search(text, pos)
            if found is None:
                return len(text)
            pos, self._place = found.start(), _VALUE
        pos = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
        token = _TOKEN.match(text, pos)
        if token is not None:
            self._take(token)
            return token.end()
        if pos < len(text) and (self._place != _VALUE or not _HALF_TOKEN.match(text, pos)):
            self._place = _STUCK
        return pos

    def _take(self, token: re.Match[str]) -> None:
        """Read a mark, a number or a literal."""
        if token["mark"]:
            _MARKS.get((self._place, token["mark"]), _stop)(self, token["mark"])
            return
        scalar = (_WORDS[token["word"]],) if token["word"] else strict(token["number"])
        if self._place != _VALUE or scalar is None:
            self._place = _STUCK
        else:
            self._put(scalar[0])
            self._settle()

    def _take_string(self, text: str, pos: int) -> int:
        """Read a string's content up to its closing quote or an incomplete escape."""
        while pos < len(text):
            piece = _PIECE.match(text, pos)
            if piece is None:
                if not _HALF_ESCAPE.match(text, pos):
                    self._place = _STUCK
                return pos
            pos = piece.end()
            if piece["plain"]:
                self._pieces.append(piece["plain"])
            elif piece["escape"]:
                self._pieces.append(_unescaped(piece["escape"]))
            else:
                self._end_string("".join(self._pieces))
                return pos
        return pos

    def _end_string(self, content: str) -> None:
        if self._place == _IN_KEY:
            self._key = content
            self._place = _COLON
        else:
            self._put(content)
            self._settle()

    def _put(self, value: Any) -> None:
        """Set the value at the current place: a new item or member, or the growing string."""
        holder = self._open[-1]
        if isinstance(holder, dict):
            holder[self._key] = value
        elif self._shown:
            holder[-1] = value
        else:
            holder.append(value)

    def _settle(self) -> None:
        """Finish the current value."""
        self._shown = False
        self._place = _NEXT if len(self._open) > 1 else _OVER


def _open_container(reader: PartialReader, mark: str) -> None:
    container: Any = {} if mark == "{" else []
    reader._put(container)
    reader._open.append(container)
    reader._place = _KEY if mark == "{" else _VALUE


def _close_container(reader: PartialReader, mark: str) -> None:
    if isinstance(reader._open[-1], dict) != (mark == "}"):
        _stop(reader, mark)
    else:
        reader._open.pop()
        reader._settle()


def _open_string(reader: PartialReader, _: str) -> None:
    reader._pieces = []
    reader._place = _IN_KEY if reader._place == _KEY else _IN_STRING


def _expect_next(reader: PartialReader, mark: str) -> None:
    in_object = mark == "," and isinstance(reader._open[-1], dict)
    reader._place = _KEY if in_object else _VALUE


def _stop(reader: PartialReader, _: str) -> None:
    """Mark the text as damaged: the value stops growing."""
    reader._place = _STUCK


# What to do with a mark in each state; a pair that is not listed means damage.
_MARKS: Mapping[tuple[int, str], Callable[[PartialReader, str], None]] = {
    (_VALUE, "{"): _open_container,
    (_VALUE, "["): _open_container,
    (_VALUE, '"'): _open_string,
    (_VALUE, "]"): _close_container,
    (_KEY, '"'): _open_string,
    (_KEY, "}"): _close_container,
    (_COLON, ":"): _expect_next,
    (_NEXT, ","): _expect_next,
    (_NEXT, "}"): _close_container,
    (_NEXT, "]"): _close_container,
}


def _unescaped(escape: str) -> str:
    """Return the text of one escape; an unknown escape keeps its backslash."""
    if escape[1] == "u":
        return str(json.loads(f'"{escape}"'))
    if escape[1] in "\"\\/'":
        return escape[1]
    return _ESCAPES.get(escape[1], escape)
