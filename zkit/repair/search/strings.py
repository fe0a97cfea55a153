"""The content of a damaged string in, the same content as JSON writes it out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import NamedTuple

from zkit.receipt import Rank
from zkit.repair.fixes import GUESS, RESPELL
from zkit.repair.search.latex import escape_latex, is_latex, is_prose, is_verbatim
from zkit.repair.search.lost_marks import (
    Mended,
    mended,
    undoubled,
    with_lone_quote,
)
from zkit.repair.search.suspect_escapes import LETTERS, suspect_escapes
from zkit.text import lexis

_SPECIAL = re.compile(
    r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}|u\{[0-9a-fA-F]{1,6}\}|x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|\r?\n|.)'
    r'|\\|["\x00-\x1f]',
    re.DOTALL,
)
_NEEDS_WORK = re.compile(r'["\\\x00-\x1f]')
_CONTROLS = re.compile(r"[\x00-\x1f]")
_CONTROL = {chr(code): f"\\u{code:04x}" for code in range(0x20)} | {
    "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f",
}  # fmt: skip
_UNESCAPED = re.compile(rf"[^\\]*+(?:(?:{lexis.ESCAPE}|\\')[^\\]*+)*+")
"""Content in which every backslash begins an escape of JSON, or of an apostrophe."""
_NEVER_MEANT = re.compile(r"(?<!\\)(?:\\\\)*+\\[bf](?=[A-Za-z]{2})")
"""A backspace or a form feed before a letter: these are never meant, a regex or a path is."""
_CONTINUED = re.compile(r"\\n\\\r?+\n")
"""A line end that is escaped, and then a raw one with a backslash before it: one line end in two spellings."""
_VALID = LETTERS | set('"\\/')
_FURTHEST = 0x10FFFF
_SCRIPT_ESCAPES = {"0": "\\u0000", "v": "\\u000b", "a": "\\u0007"}

_BARE_PATH = re.compile(r"[A-Za-z]:\\(?![\\/])")
_PATH_WITH_QUOTE = re.compile(r"[A-Za-z]:(?:\\\\[\w.$-]*+)++\\?+\"")
"""A Windows path, and right after it a quote, which no path holds."""


class Respelled(NamedTuple):
    """A string's content, JSON-escaped, and what had to be done to it."""

    body: str
    name: str
    rank: Rank
    note: str
    inner: int = 0
    """How many quotes stood in it unescaped."""


def respell(
    body: str, quote: str = '"', *, raw: bool = False, path: bool = False, cut: bool = False
) -> Respelled | None:
    """The content between two quotes as JSON writes it, or None when it may mean two things.

    `cut` says that the text ended in it: then a quote need not have its partner.
    """
    if not _NEEDS_WORK.search(body):
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    if "\\" not in body and not raw:
        return _with_sound_escapes(body, quote, cut)
    if raw:
        return Respelled(_escaped(body), "use_double_quotes", RESPELL, "raw string")
    if _PATH_WITH_QUOTE.match(body) or (_BARE_PATH.match(body) and _passes_end(body, quote)):
        return None
    if not path and (decided := _decided(body, quote)) is not None:
        return decided
    if not path and _UNESCAPED.fullmatch(body) and not _NEVER_MEANT.search(body):
        return _with_sound_escapes(body, quote, cut)
    found = _SPECIAL.findall(body)
    kinds = set(found)
    suspects = LETTERS if path else suspect_escapes(body, quote, kinds)
    if suspects is None:
        return _mended(body) if quote == '"' else None
    if _CONTINUED.search(body):
        body = _CONTINUED.sub(r"\\n", body)
        found = _SPECIAL.findall(body)
        kinds = set(found)
    if not is_prose(body):
        suspects |= {"\n", "\r"}  # the backslash of a shell command continues its line
    spelt = {special: _spelt(special, quote, suspects) for special in kinds}
    done = {issue: 0 for _, issue in spelt.values() if issue}
    for special in found if done else ():
        if issue := spelt[special][1]:
            done[issue] += 1
    return _summary(_SPECIAL.sub(lambda match: spelt[match[0]][0], body), done)


def _decided(body: str, quote: str) -> Respelled | None:
    """The content of pasted code or of LaTeX, where each backslash is decided by itself; None of any other."""
    if is_verbatim(body, quote):
        return _summary(_escaped(body), {"inner": 1, "controls": 1})
    return _summary(*escape_latex(body, quote, _CONTROL)) if is_latex(body) else None


def _with_sound_escapes(body: str, quote: str, cut: bool) -> Respelled | None:
    """Content in which every backslash begins an escape: its quotes may still be off."""
    if quote != '"' or cut or '"' not in body:
        return _escaped_quotes(body, quote)
    if _bare_quotes(body) == 1:
        whole = with_lone_quote(body)
        return None if whole is None else _as_mended(whole)
    return _escaped_quotes(undoubled(body) or body, quote)


def _bare_quotes(body: str) -> int:
    """How many quotes are not escaped, all escapes being sound."""
    return body.count('"') - body.replace("\\\\", "").count('\\"')


def _mended(body: str) -> Respelled | None:
    """The content with a mark that it lost or doubled; None when its own pattern does not tell."""
    whole = mended(body)
    if whole is None or not _UNESCAPED.fullmatch(whole.body):
        return None
    return _as_mended(whole)


def _as_mended(whole: Mended) -> Respelled:
    """The content whose marks are where they belong as JSON writes it."""
    spelt = _escaped_quotes(whole.body, '"')
    if whole.issue == "inner":
        return spelt
    name, rank, note = _ISSUES[whole.issue]
    return spelt._replace(name=name, rank=rank, note=note)


def _passes_end(body: str, quote: str) -> bool:
    """Whether the content holds a mark that no path holds: its end was missed."""
    return any(mark in body for mark in ('"', "\n", *lexis.QUOTES.get(quote, "")))


def _escaped(body: str) -> str:
    return _NEEDS_WORK.sub(lambda m: _CONTROL.get(m.group(), "\\" + m.group()), body)


def _escaped_quotes(body: str, quote: str) -> Respelled:
    """Escape quotes and control characters in content whose escapes are sound."""
    done: dict[str, int] = {}
    if controls := _CONTROLS.findall(body):
        done["controls"] = len(controls)
        for control in set(controls):
            body = body.replace(control, _CONTROL[control])
    if '"' in body or "\\'" in body:
        body = _without_loose_quotes(body, quote, done)
    return _summary(body, done)


def _without_loose_quotes(body: str, quote: str, done: dict[str, int]) -> str:
    """Escape the double quotes that are not escaped, and drop the escapes of apostrophes."""
    pairs = "\\\\" in body
    if pairs:  # out of the way, so that each backslash left belongs to what follows it
        body = body.replace("\\\\", "\0")
    if apostrophes := body.count("\\'"):
        done["apostrophes"] = apostrophes
        body = body.replace("'\\''", "'\1'").replace("\\'", "'").replace("\1", "\\\\'")
    if inner := body.count('"') - body.count('\\"'):
        body = body.replace('\\"', '"').replace('"', '\\"')
        if quote == '"':
            done["inner"] = inner
    return body.replace("\0", "\\\\") if pairs else body


def _spelt(special: str, quote: str, suspects: frozenset[str]) -> tuple[str, str]:
    """A special character or an escape as JSON writes it, and what was wrong with it, if anything."""
    if special in _CONTROL:
        return _CONTROL[special], "controls"
    if special == '"':
        return '\\"', "inner" if quote == '"' else ""
    if special == "\\":
        return "\\\\", "doubled"
    return _spelt_escape(special, special[1], quote, suspects)


def _spelt_escape(
    escape: str, letter: str, quote: str, suspects: frozenset[str]
) -> tuple[str, str]:
    """An escape as JSON writes it."""
    script = quote in "'`"
    if escape.endswith("\n"):
        return ("\\\\\\n", "doubled") if letter in suspects else ("\\n", "controls")
    if letter in suspects:
        return ("\\" + escape if letter != "\\" else "\\\\\\\\"), "literal"
    if letter in _VALID or (len(escape) == 6 and letter == "u" and escape[2] != "{"):
        return escape, ""
    if letter in "'_" or letter == quote:  # Markdown writes `\\_`
        return letter, "apostrophes"
    if len(escape) == 4:
        return (f"\\u00{escape[2:]}", "") if script else ("\\" + escape, "doubled")
    if len(escape) > 4:
        return _code_point(escape) if script else ("\\" + escape, "doubled")
    if script and letter in _SCRIPT_ESCAPES:
        return _SCRIPT_ESCAPES[letter], ""
    return "\\\\" + _CONTROL.get(letter, letter), "doubled"


def _code_point(escape: str) -> tuple[str, str]:
    """What `\\U0001f600` stands for in Python, or `\\u{1f600}` in JavaScript."""
    code = int(escape[2:].strip("{}"), 16)
    if code > _FURTHEST or 0xD800 <= code <= 0xDFFF:
        return "\\" + escape, "doubled"
    return encode_basestring(chr(code))[1:-1], ""


def _summary(body: str, done: Mapping[str, int]) -> Respelled:
    """Name the most invasive thing that was done; the note counts them all."""
    if not done:
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    issues = sorted(done, key=_ORDER.__getitem__) if len(done) > 1 else done
    note = "; ".join([_sentence(_ISSUES[issue][2], done[issue]) for issue in issues])
    name, rank, _ = _ISSUES[next(iter(issues))]
    return _new(Respelled, (body, name, rank, note, done.get("inner", 0)))


_new = tuple.__new__


def _sentence(what: str, count: int) -> str:
    """What was done and how often, in words."""
    return what if count == 1 else f"{what} ({count} times)"


_ISSUES = {
    "inner": ("escape_inner_quote", GUESS, "escape a quote inside the string"),
    "lost_quote": (
        "restore_inner_quote",
        GUESS,
        "write the quote of which only its backslash is left",
    ),
    "replaced_quote": (
        "replace_quote",
        GUESS,
        "write the quote that another mark stands for",
    ),
    "doubled_quote": (
        "drop_extra_quote",
        GUESS,
        "drop a quote that was written twice",
    ),
    "changed_places": (
        "swap_marks",
        GUESS,
        "put a mark and its neighbour in each other's place",
    ),
    "uneven_run": (
        "even_backslashes",
        GUESS,
        "write as many backslashes as stand elsewhere in the string",
    ),
    "literal": (
        "keep_backslash_guess",
        GUESS,
        "read an escape as a backslash and a letter, as its neighbours are",
    ),
    "doubled": ("double_backslash", RESPELL, "keep a backslash that begins no JSON escape"),
    "controls": (
        "escape_control_character",
        RESPELL,
        "escape a raw line break, tab or control character",
    ),
    "apostrophes": (
        "unescape_apostrophe",
        RESPELL,
        "drop a backslash before a quote that needs none",
    ),
}
"""What may be wrong in a string, the most invasive first: the fix, its rank and its note."""
_ORDER = {issue: order for order, issue in enumerate(_ISSUES)}
