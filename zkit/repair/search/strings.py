"""The content of a damaged string in, the same content as JSON writes it out."""

from __future__ import annotations

import re
from json.encoder import encode_basestring
from typing import NamedTuple

from zkit.receipt import Rank
from zkit.repair.fixes import GUESS, RESPELL
from zkit.repair.search.lost_marks import mended
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
_ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?s:.))")
_LETTERS = frozenset("bfnrt")
_VALID = _LETTERS | set('"\\/')
_FINE = "\"\\/bfnrtu'\n"
_FINE_IN_SCRIPTS = _FINE + "xav0`"
"""What may stand after a backslash and mean something."""
_SCRIPT_LETTERS = frozenset("xav0")
_LONG = len(r"\U0001f600")
_FURTHEST = 0x10FFFF
_SCRIPT_ESCAPES = {"0": "\\u0000", "v": "\\u000b", "a": "\\u0007"}

_PATH = re.compile(
    r"(?:[A-Za-z]:|\.{1,2}|~|%\w+%|\\)(?:\\++[\w .()$%@+~,-]*+)++\Z|[\w.-]++(?:\\[\w.$-]++)++\Z"
)
_DRIVE = re.compile(r"\b[A-Za-z]:\\[bfnrt]")
UNC = re.compile(r"\\\\(?:\w[\w.$-]*+|\?)\\(?!\\)")
_LATEX = re.compile(
    r"\\(?:t(?:imes|heta|au|ext\w*|an|o|op|riangle\w*|ilde)|n(?:u|eq?|abla|ot|otin)|r(?:ho|ight\w*|angle|m)"
    r"|b(?:eta|ar|egin|inom|ig\w*|f|oldsymbol)|f(?:rac|orall|lat))(?![a-z])"
)
_BARE_PATH = re.compile(r"[A-Za-z]:\\(?![\\/])")
_PATH_WITH_QUOTE = re.compile(r"[A-Za-z]:(?:\\\\[\w.$-]*+)++\\?+\"")
"""A Windows path, and right after it a quote, which no path holds."""
_HALF_ESCAPE = re.compile(r"(?<!\\)\\u(?=[a-fA-F]{0,2}[0-9])[0-9a-fA-F]{2,3}(?![0-9a-fA-F])")
"""An escape that lost one of its digits: what it stood for is lost, too."""
_ODD_RUN = re.compile(r"(?<!\\)(?:\\\\)++\\[^\"\\/bfnrtu]")


class Respelled(NamedTuple):
    """A string's content, JSON-escaped, and what had to be done to it."""

    body: str
    name: str
    rank: Rank
    note: str
    inner: int = 0
    """How many quotes stood in it unescaped."""


def respell(
    body: str, quote: str = '"', *, raw: bool = False, path: bool = False
) -> Respelled | None:
    """The content between two quotes as JSON writes it, or None when it may mean two things."""
    if not _NEEDS_WORK.search(body):
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    if "\\" not in body and not raw:
        return _escaped_quotes(body, quote)
    if raw:
        return Respelled(_escaped(body), "use_double_quotes", RESPELL, "raw string")
    if _PATH_WITH_QUOTE.match(body) or (_BARE_PATH.match(body) and _passes_end(body, quote)):
        return None
    if not path and _UNESCAPED.fullmatch(body):
        return None if quote == '"' and _lost_before(body) else _escaped_quotes(body, quote)
    found = _SPECIAL.findall(body)
    kinds = set(found)
    suspects = _LETTERS if path else _suspect_escapes(body, quote, kinds)
    if suspects is None:
        return _mended(body) if quote == '"' else None
    spelt = {special: _spelt(special, quote, suspects) for special in kinds}
    done = {issue: 0 for _, issue in spelt.values() if issue}
    for special in found if done else ():
        if issue := spelt[special][1]:
            done[issue] += 1
    return _summary(_SPECIAL.sub(lambda match: spelt[match[0]][0], body), done)


def _mended(body: str) -> Respelled | None:
    """The content with a mark that it lost or doubled; None when its own pattern does not tell."""
    whole = mended(body)
    if whole is None or not _UNESCAPED.fullmatch(whole.body):
        return None
    spelt = _escaped_quotes(whole.body, '"')
    name, rank, note = _ISSUES[whole.issue]
    return spelt._replace(name=name, rank=rank, note=note)


def _passes_end(body: str, quote: str) -> bool:
    """Whether the content holds a mark that no path holds: its end was missed."""
    return any(mark in body for mark in ('"', "\n", *lexis.QUOTES.get(quote, "")))


def _lost_before(body: str) -> bool:
    """Whether the one escaped apostrophe of several may be what is left of an escaped quote."""
    if "\\'" not in body or '\\"' not in body:
        return False
    body = body.replace("\\\\", "")
    return body.count("\\'") == 1 and '\\"' in body and body.count("'") > 1


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
        body = body.replace("\\'", "'")
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
    if letter in suspects:
        return ("\\" + escape if letter != "\\" else "\\\\\\\\"), "literal"
    if letter in _VALID or (len(escape) == 6 and letter == "u" and escape[2] != "{"):
        return escape, ""
    if escape.endswith("\n"):
        return "\\n", "controls"
    if letter == "'" or letter == quote:
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


def _summary(body: str, done: dict[str, int]) -> Respelled:
    """Name the most invasive thing that was done; the note counts them all."""
    if not done:
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    issues = sorted(done, key=_ORDER.__getitem__) if len(done) > 1 else [*done]
    name, rank, note = _ISSUES[issues[0]]
    if len(issues) > 1 or done[issues[0]] > 1:
        note = "; ".join([_sentence(_ISSUES[issue][2], done[issue]) for issue in issues])
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


def _suspect_escapes(body: str, quote: str, kinds: set[str]) -> frozenset[str] | None:
    """The valid escapes that were meant as a backslash and a letter; None when nobody can tell.

    Where a string holds an invalid escape its author did not escape backslashes, so `\\b` or
    `\\t` in the same string is suspect: `"\\bimport\\s+"` is a regex, not a backspace.
    """
    fine = _FINE_IN_SCRIPTS if quote in "'`" else _FINE
    if quote in "'`":
        kinds = {special for special in kinds if len(special) != _LONG}
    if all(special[1:2] in fine for special in kinds) and "\\u" not in kinds:
        return frozenset()
    escapes = _ESCAPES.findall(body)
    if quote in "'`":
        escapes = [e for e in escapes if len(e) != _LONG]
    invalid = [e for e in escapes if e[1] not in fine or e == "\\u"]
    if (
        _HALF_ESCAPE.search(body)
        or _lost_quote(escapes, invalid)
        or (_ODD_RUN.search(body) and not UNC.match(body))
    ):
        return None
    if UNC.match(body):
        return _LETTERS | {"\\"}
    if "\\\\" in escapes:
        return None if "\\b" in escapes or "\\f" in escapes else frozenset()
    if _PATH.match(body):
        return _LETTERS | _SCRIPT_LETTERS if quote in "'`" else _LETTERS
    if _DRIVE.search(body):
        return None
    return _regex_or_latex(body, escapes)


def _lost_quote(escapes: list[str], invalid: list[str]) -> bool:
    """An odd number of escaped quotes beside an escape of nothing: one quote was lost there."""
    quotes = escapes.count('\\"')
    if quotes > 0 and len(invalid) == 1 and (quotes % 2 == 1 or "\\\\" in escapes):
        return True
    return quotes > 0 and any(e[1] in ":,; " for e in invalid)


def _regex_or_latex(body: str, escapes: list[str]) -> frozenset[str] | None:
    """Word boundaries and form feeds are never meant beside `\\s` or `\\sqrt`; tabs depend."""
    latex = {m.group()[1] for m in _LATEX.finditer(body)}
    letters = {e[1] for e in escapes} & set("bf")
    if "t" in (e[1] for e in escapes) and "\\n" not in escapes:
        letters.add("t")
    plain = {e[1] for e in escapes} & latex
    return frozenset(letters | plain)
