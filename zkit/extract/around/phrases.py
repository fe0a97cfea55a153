"""Phrases as a person would note them in, what finds any of them in a text out.

A phrase is written word by word:

| written | finds |
|---|---|
| `run`, `it's` | the word, with either apostrophe |
| `run,send,go_ahead` | one of these; `_` is a blank inside of one |
| `execut-`, `-ing` | a word that begins, or ends, so |
| `{verb}` | one of a list of words that is given by its name |
| `(really)`, `({verb})` | the same, or nothing |
| `~` | up to two words |
| `#`, `*` | a number; a name, whatever is written around it |
| `--` | a comma, a colon or a dash |
| `...` | up to 60 characters of the same clause |
| `^`, `$` | the beginning or the end of the sentence, whatever signs stand there |
| `?`, `:` | the end of a sentence that ends so |

Chinese, Japanese and Korean are written without blanks: a blank in their phrases may find none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

Table = Mapping[str, Iterable[str]]
"""Phrases by language."""
Lists = Mapping[str, str]
"""Lists of words, separated by commas, by the name that phrases call them by."""

_UNBLANKED = frozenset({"zh", "ja", "ko"})
_UNBOUNDED = _UNBLANKED | {"ar", "hi", "th", "he"}
"""Languages in whose writing a word has no edges that `re` sees."""
_WORDS, _WORDS_FIRST = r"(?:\s++[\w'’-]++){0,2}?", r"(?:[\w'’-]++\s++){0,2}?"
_GAPS = {"...": r"[^.,!?;。，！？；]{0,60}?", "--": r"[,;:，：、—–-]++[\W_]*+"}
"""Signs that the next word joins on to without a blank."""
_ENDS = {"$": r"[\W_]*+\Z", "?": r"[\s\"'”’»)*_]*+[?？]", ":": r"[\s\"'”’»)*_`]*+[:：][\s*_]*+\Z"}
_START = r"\A[\W_]*+"
_BEFORE, _AFTER = r"[^\W\d_]{2,30}?", r"[^\W\d_]*+"
"""The rest of a word of which only the end, or the stem, is given."""
_ANY = {"#": r"[0-9]{1,4}+", "*": r"[\"'`*_]*+\w++(?:[.:/-]++\w++)*+[\"'`*_]*+"}
_LIST = re.compile(r"\{(\w+)\}")


class Phrases:
    """Phrases that say the same, for texts in lower case; their pattern is made when it is needed."""

    def __init__(self, table: Callable[[], Table], lists: Callable[[], Lists] = dict) -> None:
        self._table = table
        self._lists = lists

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """One pattern for all of them."""
        begun: dict[str, list[str]] = {_START: [], r"\b": [], "": []}
        lists = self._lists()
        for language, phrases in self._table().items():
            for phrase in phrases:
                tokens = _LIST.sub(lambda name: lists[name[1]], phrase).split()
                first = tokens[0] == "^"
                where = _START if first else "" if language in _UNBOUNDED else r"\b"
                begun[where].append(_pattern(tokens[first:], language))
        parts = [f"{where}(?:{'|'.join(found)})" for where, found in begun.items() if found]
        return re.compile("|".join(parts))

    def search(self, text: str) -> re.Match[str] | None:
        """The first of them in a text."""
        return self.pattern.search(text)

    def match(self, text: str) -> re.Match[str] | None:
        """The one that a text begins with."""
        return self.pattern.match(text)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """All of them in a text."""
        return self.pattern.finditer(text)

    def without(self, text: str) -> str:
        """A text without them."""
        return self.pattern.sub("", text)


class Only(Phrases):
    """Phrases and signs, and nothing but them."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """Several of them, with whatever signs around them."""
        return re.compile(rf"[\W_]*+(?:(?:{super().pattern.pattern})[\W_]*+)++")

    def fullmatch(self, text: str) -> re.Match[str] | None:
        """Whether a text consists of them."""
        return self.pattern.fullmatch(text)


def _pattern(tokens: list[str], language: str) -> str:
    """The pattern of one phrase, from its first word on."""
    blank, edge = (
        r"\s*+" if language in _UNBLANKED else r"\s++",
        "" if language in _UNBOUNDED else r"\b",
    )
    pattern, due = "", ""
    for token in tokens:
        if token in _ENDS:
            return pattern + _ENDS[token]
        if token == "~":
            pattern += _WORDS if due else _WORDS_FIRST
            continue
        if token in _GAPS:
            pattern += (r"\s*+" if due else "") + _GAPS[token]
            due = ""
            continue
        words = "|".join(_word(one, blank) for one in token.strip("()").split(","))
        word = f"(?:{words}){'' if token == '*' else edge}"
        if token.startswith("(") and not due:
            pattern += f"(?:{word}{blank})?+"
        else:
            word = due + (word if due or not pattern else edge + word)
            pattern += f"(?:{word})?+" if token.startswith("(") else word
            due = blank
    return pattern


def _word(word: str, blank: str) -> str:
    """The pattern of one word: a stem, an ending or the whole of it."""
    if word in _ANY:
        return _ANY[word]
    core = blank.join(map(re.escape, word.strip("-").lower().split("_"))).replace("'", "['’]")
    return (_BEFORE if word.startswith("-") else "") + core + (_AFTER if word.endswith("-") else "")
