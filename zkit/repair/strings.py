"""The content of a damaged string in, the same content as JSON writes it out."""

from __future__ import annotations

import re
from typing import NamedTuple

from zkit.receipt import Rank
from zkit.text import lexis

_SPECIAL = re.compile(
    r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r?\n|.)|\\|["\x00-\x1f]', re.DOTALL
)
_NEEDS_WORK = re.compile(r'["\\\x00-\x1f]')
_VALID = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')
_CONTROL = {chr(code): f"\\u{code:04x}" for code in range(0x20)} | {
    "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f",
}  # fmt: skip
_TRANSLATION = str.maketrans(_CONTROL)
_ONLY_CONTROLS = re.compile(rf'(?:[^"\\]++|{lexis.ESCAPE})*+')
"""Content in which nothing is odd but raw control characters."""
_ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|(?s:.))")
_ONLY_FINE = {
    "'": re.compile(r"(?:[^\\]++|\\(?:[\"\\/bfnrt'xav0`\n]|u[0-9a-fA-F]{4}))*+"),
    '"': re.compile(r"(?:[^\\]++|\\(?:[\"\\/bfnrt'\n]|u[0-9a-fA-F]{4}))*+"),
}
"""Content whose escapes all mean something, by its quote."""
_SCRIPT_ESCAPES = {"0": "\\u0000", "v": "\\u000b", "a": "\\u0007"}

_PATH = re.compile(
    r"(?:[A-Za-z]:|\.{1,2}|~|%\w+%|\\)(?:\\++[\w .()$%@+~,-]*+)++\Z|[\w.-]++(?:\\[\w.$-]++)++\Z"
)
_DRIVE = re.compile(r"\b[A-Za-z]:\\[bfnrt]")
_UNC = re.compile(r"\\\\(?:[\w.$-]++|\?)\\(?!\\)")
_LATEX = re.compile(
    r"\\(?:t(?:imes|heta|au|ext\w*|an|o|op|riangle\w*|ilde)|n(?:u|eq?|abla|ot|otin)|r(?:ho|ight\w*|angle|m)"
    r"|b(?:eta|ar|egin|inom|ig\w*|f|oldsymbol)|f(?:rac|orall|lat))(?![a-z])"
)
_ODD_RUN = re.compile(r"(?<!\\)(?:\\\\)++\\[^\"\\/bfnrtu]")


class Respelled(NamedTuple):
    """A string's content, JSON-escaped, and what had to be done to it."""

    body: str
    name: str
    rank: Rank
    note: str
    inner: int = 0
    """How many quotes stood in it unescaped."""


class _Tally:
    """Counts what was done to one string while its escapes are rewritten."""

    __slots__ = ("apostrophes", "controls", "doubled", "inner", "literal", "quote", "suspects")

    def __init__(self, quote: str, suspects: frozenset[str]) -> None:
        self.quote = quote
        self.suspects = suspects
        self.inner = self.controls = self.doubled = self.apostrophes = self.literal = 0

    def rewrite(self, match: re.Match[str]) -> str:
        """One special character or escape, as JSON writes it."""
        found = match.group()
        if found[0] != "\\":
            return self._character(found)
        if len(found) == 1:
            self.doubled += 1
            return "\\\\"
        return self._escape(found, found[1])

    def _character(self, found: str) -> str:
        if found == '"':
            self.inner += self.quote == '"'
            return '\\"'
        self.controls += 1
        return _CONTROL[found]

    def _escape(self, found: str, letter: str) -> str:
        if letter in self.suspects:
            self.literal += 1
            return "\\" + found if letter != "\\" else "\\\\\\\\"
        if _VALID.fullmatch(found):
            return found
        if found.endswith("\n"):
            self.controls += 1
            return "\\n"
        if letter == "'" or (letter == self.quote and letter != '"'):
            self.apostrophes += 1
            return letter
        if len(found) == 4:
            self.doubled += self.quote not in "'`"
            return f"\\u00{found[2:]}" if self.quote in "'`" else "\\" + found
        if self.quote in "'`" and letter in _SCRIPT_ESCAPES:
            return _SCRIPT_ESCAPES[letter]
        self.doubled += 1
        return "\\\\" + _CONTROL.get(letter, letter)


def respell(
    body: str, quote: str = '"', *, raw: bool = False, path: bool = False
) -> Respelled | None:
    """The content between two quotes as JSON writes it, or None when it may mean two things."""
    if not _NEEDS_WORK.search(body):
        return Respelled(body, "use_double_quotes", Rank.RESPELL, "")
    if raw:
        return Respelled(_escaped(body), "use_double_quotes", Rank.RESPELL, "raw string")
    if quote == '"' and not path and _ONLY_CONTROLS.fullmatch(body):
        return Respelled(body.translate(_TRANSLATION), "escape_control_character", Rank.RESPELL, "")
    suspects = frozenset("bfnrt") if path else _suspect_escapes(body, quote)
    if suspects is None:
        return None
    tally = _Tally(quote, suspects)
    return _summary(_SPECIAL.sub(tally.rewrite, body), tally)


def _escaped(body: str) -> str:
    return _NEEDS_WORK.sub(lambda m: _CONTROL.get(m.group(), "\\" + m.group()), body)


def _summary(body: str, tally: _Tally) -> Respelled:
    """Name the most invasive thing that was done; the note counts them all."""
    done = [
        (name, rank, count, what)
        for name, rank, what in _ISSUES
        if (count := getattr(tally, what[0]))
    ]
    if not done:
        return Respelled(body, "use_double_quotes", Rank.RESPELL, "")
    name, rank, _, _ = done[0]
    note = "; ".join(_sentence(what[1], count) for _, _, count, what in done)
    return Respelled(body, name, rank, note, tally.inner)


def _sentence(what: str, count: int) -> str:
    """What was done and how often, in words."""
    return what if count == 1 else f"{what} ({count} times)"


_ISSUES = (
    ("escape_inner_quote", Rank.GUESS, ("inner", "escape a quote inside the string")),
    (
        "keep_backslash_guess",
        Rank.GUESS,
        ("literal", "read an escape as a backslash and a letter, as its neighbours are"),
    ),
    ("double_backslash", Rank.RESPELL, ("doubled", "keep a backslash that begins no JSON escape")),
    (
        "escape_control_character",
        Rank.RESPELL,
        ("controls", "escape a raw line break, tab or control character"),
    ),
    (
        "unescape_apostrophe",
        Rank.RESPELL,
        ("apostrophes", "drop a backslash before a quote that needs none"),
    ),
)


def _suspect_escapes(body: str, quote: str) -> frozenset[str] | None:
    """The valid escapes that were meant as a backslash and a letter; None when nobody can tell.

    Where a string holds an invalid escape its author did not escape backslashes, so `\\b` or
    `\\t` in the same string is suspect: `"\\bimport\\s+"` is a regex, not a backspace.
    """
    if quote in _ONLY_FINE and _ONLY_FINE[quote].fullmatch(body):
        return frozenset()
    escapes = _ESCAPES.findall(body)
    fine = "\"\\/bfnrtu'\n" if quote not in "'`" else "\"\\/bfnrtu'\nxav0`"
    invalid = [e for e in escapes if e[1] not in fine]
    invalid += [e for e in escapes if e == "\\u"]
    if not invalid:
        return frozenset()
    if _lost_quote(escapes, invalid) or (_ODD_RUN.search(body) and not _UNC.match(body)):
        return None
    if _UNC.match(body):
        return frozenset("bfnrt\\")
    if "\\\\" in escapes:
        return None if "\\b" in escapes or "\\f" in escapes else frozenset()
    if _PATH.match(body):
        return frozenset("bfnrt")
    if _DRIVE.search(body):
        return None
    return _regex_or_latex(body, escapes)


def _lost_quote(escapes: list[str], invalid: list[str]) -> bool:
    """An odd number of escaped quotes beside an escape of nothing: one quote was lost there."""
    quotes = escapes.count('\\"')
    return (quotes % 2 == 1 and len(invalid) == 1) or (
        quotes > 0 and any(e[1] in ":,; " for e in invalid)
    )


def _regex_or_latex(body: str, escapes: list[str]) -> frozenset[str] | None:
    """Word boundaries and form feeds are never meant beside `\\s` or `\\sqrt`; tabs depend."""
    latex = {m.group()[1] for m in _LATEX.finditer(body)}
    letters = {e[1] for e in escapes} & set("bf")
    if "t" in (e[1] for e in escapes) and "\\n" not in escapes:
        letters.add("t")
    plain = {e[1] for e in escapes} & latex
    return frozenset(letters | plain)
