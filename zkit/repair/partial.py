"""Read JSON that arrives in chunks, and show the value so far.

Each chunk is looked at once: what it completes joins the value, and only the beginning of a token
that is not whole yet (a number, a literal, an escape, a key) is kept for the next chunk. Where the
text is damaged the display stands still; `close` then repairs the whole, as `repair_json` would.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from zkit.receipt import Rank, RankName, limit_of
from zkit.repair.expect import evidence_for
from zkit.repair.outcome import Repaired, Unrepairable
from zkit.repair.reading import repair_json
from zkit.repair.strict_parse import strict
from zkit.text import lexis

_SEEK = re.compile(r"[^{\[]*+")
_SPACE = re.compile(lexis.SPACE)
_PLAIN = re.compile(r'[^"\\]++')
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[0-9a-fA-F]{4}|u(?![dD][89abAB])[0-9a-fA-F]{4}|[^u])",
    re.DOTALL,
)
_HALF_ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{0,4}(?:\\(?:u[0-9a-fA-F]{0,3})?)?)?\Z")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?=[\s,}\]])")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_HALF_WORD = re.compile(r"[A-Za-z]{0,5}\Z|[-0-9][-+.eE0-9]*+\Z")
_SIMPLE_ESCAPES = {
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    '"': '"',
    "\\": "\\",
    "/": "/",
    "'": "'",
}

Step = Callable[["PartialReader", str, int], int]
"""Looks at the text from a place on; returns where to go on, or -1 when it must wait for more."""


class PartialReader:
    """Reads one value from chunks. `value` is live: it grows with each chunk, so do not change it.

    Open strings are there as far as they arrived; a cut number, key, literal or escape is not.
    """

    def __init__(self, *, schema: Any = None, limit: Rank | RankName = Rank.CUT) -> None:
        evidence_for(schema)
        self._schema = schema
        self._limit = limit_of(limit)
        self._chunks: list[str] = []
        self._rest = ""
        self._step: Step = _seek
        self._root: Any = None
        self._stack: list[Any] = []
        self._keys: list[str] = []
        self._pieces: list[str] = []
        self._outcome: Repaired | Unrepairable | None = None

    @property
    def text(self) -> str:
        """All that arrived so far."""
        if len(self._chunks) > 1:
            self._chunks = ["".join(self._chunks)]
        return self._chunks[0] if self._chunks else ""

    @property
    def value(self) -> Any:
        """The value so far, None before it begins; after `close`, the final value."""
        if isinstance(self._outcome, Repaired):
            return self._outcome.value
        if self._step is _in_value_string:
            self._pieces = ["".join(self._pieces)]
            self._put(self._pieces[0])
        return self._root

    @property
    def stuck(self) -> bool:
        """Whether the text is damaged here, so that only `close` can read on."""
        return self._step is _stand_still

    def feed(self, chunk: str) -> None:
        """Take in more text, at a cost that follows its length."""
        if self._outcome is not None:
            raise ValueError("the reader is closed: make a new one for another text")
        self._chunks.append(chunk)
        text, pos = self._rest + chunk, 0
        while pos < len(text):
            after = self._step(self, text, pos)
            if after < 0:
                break
            pos = after
        self._rest = text[pos:]

    def close(self, finish_reason: str | None = None) -> Repaired | Unrepairable:
        """The outcome for the whole text: the same that `repair_json` returns."""
        if self._outcome is None:
            self._outcome = repair_json(
                self.text, schema=self._schema, limit=self._limit, finish_reason=finish_reason
            )
        return self._outcome

    def _put(self, value: Any) -> None:
        """Set the value at the current place: a new item or member, or the string that grows."""
        holder = self._stack[-1] if self._stack else None
        if isinstance(holder, dict):
            holder[self._keys[-1]] = value
        elif isinstance(holder, list):
            if self._keys[-1] == "":
                holder.append(value)
                self._keys[-1] = "open"
            else:
                holder[-1] = value
        else:
            self._root = value

    def _settle(self) -> None:
        """The current value is complete."""
        if not self._stack:
            self._step = _ignore
            return
        if isinstance(self._stack[-1], list):
            self._keys[-1] = ""
        self._step = _at_next

    def _stop(self) -> int:
        """The text is damaged: show no more of it."""
        self._step = _stand_still
        return -1


def _ignore(reader: PartialReader, text: str, pos: int) -> int:
    return len(text)


def _stand_still(reader: PartialReader, text: str, pos: int) -> int:
    return len(text)


def _seek(reader: PartialReader, text: str, pos: int) -> int:
    """Pass over what comes before the first bracket."""
    end = _SEEK.match(text, pos).end()  # type: ignore[union-attr]
    if end < len(text):
        reader._step = _at_value
    return end


def _at_value(reader: PartialReader, text: str, pos: int) -> int:
    pos = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
    mark = text[pos : pos + 1]
    if not mark:
        return pos
    if mark in "{[":
        return _open(reader, mark, pos)
    if mark == '"':
        reader._pieces = []
        reader._step = _in_value_string
        return pos + 1
    if mark == "]" and isinstance(reader._stack[-1], list):
        return _close(reader, pos)
    return _scalar(reader, text, pos)


def _open(reader: PartialReader, mark: str, pos: int) -> int:
    container: Any = {} if mark == "{" else []
    reader._put(container)
    reader._stack.append(container)
    reader._keys.append("")
    reader._step = _at_key if mark == "{" else _at_value
    return pos + 1


def _close(reader: PartialReader, pos: int) -> int:
    reader._stack.pop()
    reader._keys.pop()
    reader._settle()
    return pos + 1


def _scalar(reader: PartialReader, text: str, pos: int) -> int:
    """A number or a literal, only when it is whole."""
    number = _NUMBER.match(text, pos)
    if number is not None:
        read = strict(number.group())
        if read is None:
            return reader._stop()
        reader._put(read[0])
        reader._settle()
        return number.end()
    for word, value in _WORDS.items():
        if text.startswith(word, pos):
            reader._put(value)
            reader._settle()
            return pos + len(word)
    return -1 if _HALF_WORD.match(text, pos) else reader._stop()


def _at_key(reader: PartialReader, text: str, pos: int) -> int:
    pos = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
    mark = text[pos : pos + 1]
    if not mark:
        return pos
    if mark == "}":
        return _close(reader, pos)
    if mark != '"':
        return reader._stop()
    reader._pieces = []
    reader._step = _in_key
    return pos + 1


def _in_key(reader: PartialReader, text: str, pos: int) -> int:
    end = _content(reader, text, pos)
    if text[end : end + 1] == '"':
        reader._keys[-1] = "".join(reader._pieces)
        reader._step = _at_colon
        return end + 1
    return end if end > pos else -1


def _in_value_string(reader: PartialReader, text: str, pos: int) -> int:
    end = _content(reader, text, pos)
    if text[end : end + 1] == '"':
        reader._put("".join(reader._pieces))
        reader._settle()
        return end + 1
    return end if end > pos else -1


def _content(reader: PartialReader, text: str, pos: int) -> int:
    """Take in a string's content; stops at its quote, at an escape that is not whole, or at the end."""
    while pos < len(text) and text[pos] != '"':
        run = _PLAIN.match(text, pos)
        if run is not None:
            reader._pieces.append(run.group())
            pos = run.end()
            continue
        escape = _ESCAPE.match(text, pos)
        if escape is None:
            if not _HALF_ESCAPE.match(text, pos):
                reader._stop()
            break
        reader._pieces.append(_unescaped(escape.group()))
        pos = escape.end()
    return pos


def _unescaped(escape: str) -> str:
    """The text of one escape; an unknown one keeps its backslash."""
    if escape[1] == "u":
        return str(json.loads(f'"{escape}"'))
    return _SIMPLE_ESCAPES.get(escape[1], escape)


def _at_colon(reader: PartialReader, text: str, pos: int) -> int:
    pos = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
    mark = text[pos : pos + 1]
    if mark and mark != ":":
        return reader._stop()
    reader._step = _at_value if mark else _at_colon
    return pos + len(mark)


def _at_next(reader: PartialReader, text: str, pos: int) -> int:
    pos = _SPACE.match(text, pos).end()  # type: ignore[union-attr]
    mark = text[pos : pos + 1]
    if not mark:
        return pos
    listed = isinstance(reader._stack[-1], list)
    if mark == ",":
        reader._step = _at_value if listed else _at_key
        return pos + 1
    return _close(reader, pos) if mark == ("]" if listed else "}") else reader._stop()
