"""Respell the content of a damaged string as JSON: decide what each backslash, quote and line end meant.

Cases: corpus/repair/escapes_on_evidence.toml, invalid_escapes.toml and latex.toml; decision 12.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from json.encoder import encode_basestring
from typing import NamedTuple

from zkit.receipt import Rank
from zkit.repair.evidence.lost_marks import (
    Restored,
    may_have_slipped,
    restored,
    undoubled,
    with_lone_quote,
)
from zkit.repair.fixes import GUESS, RESPELL
from zkit.text import lexis

# ── latex ───────────────────────────────────────────────────────────────────


# LaTeX commands whose first letter makes a JSON escape, such as `\times`.
_COMMANDS = (
    r"t(?:imes|heta|au|ext\w*+|anh?|op?|riangle\w*+|ilde|itle|able\w*+|iny|hanks|frac|herefore|ag)"
    r"|n(?:u|eq?|abla|ot(?:in)?|i|eg|ew\w++|oindent|ode|onumber|atural|exists|mid|leq|geq|earrow)"
    r"|r(?:ho|ight\w*+|angle|m|ef|floor|ceil|aisebox|enewcommand|ule|brace|brack|vert|oot)"
    r"|b(?:eta|ar|egin|inom|ig\w*+|f|oldsymbol|ox\w*+|mod|mathbb|ullet|ot|ecause|eginarray)"
    r"|f(?:rac|orall|lat|box|ootnote\w*+)|u(?:nder\w++|psilon|parrow|p)"
)
# Those that cannot be a word after a line end or a tab; `\nu` may be a line that begins with a u.
_STRONG = (
    r"t(?:imes|heta|extbf|ext(?=\{)|riangle\w*+|ilde|herefore|frac)|n(?:eq|abla|otin|exists|leq|geq)"
    r"|r(?:ho|ight(?:arrow|[)\]|.]|\\)|angle|floor|ceil)"
    r"|b(?:eta|ar(?=\{)|egin|inom|oldsymbol|oxed|mod)|f(?:rac|orall|lat|box)"
)
_SIGN = re.compile(
    rf"\\(?<!\\\\)(?:{_STRONG}|[dct]?frac|sqrt|cdots?|[lvd]?dots|alpha|gamma|delta|epsilon|lambda|sigma|omega|phi|pi|mu"
    r"|left|leq?|geq?|sum|prod|int|lim|log|ln|sin|cos|tan|circ|angle|infty|pm|quad|qquad|equiv|approx|mathrm"
    r"|mathbb|mathbf|overline|hat|vec|end|item|label|implies|Rightarrow|boxed|cap|cup|subset\w*+|perp|pmod|binom)(?![a-z])"
)
# Math between `\(` and `\)`, or `\[` and `\]`. Its length is bounded, so that a flood of openers
# stays fast.
_MATH = re.compile(r"\\(?<!\\\\)(?:\((?:[^\\]|\\[^)]){0,500}+\\\)|\[(?:[^\\]|\\[^\]]){0,500}+\\\])")
_REGEX = re.compile(r"\\[dDsSwWbB](?![A-Za-z])|\\[sdwSDW][+*?]|\(\?[:=!<iP]")
_PATH = re.compile(r"[A-Za-z]:\\")
_PART = re.compile(
    rf"(?P<command>\\(?:{_COMMANDS})(?![a-z])|\\[bfrt](?=[A-Za-z{{])|\\u(?![0-9a-fA-F]{{4}}))"
    r"|(?P<escape>\\(?:[\"nrtbf/]|u[0-9a-fA-F]{4}|\\(?=[A-Za-z(\[])))"
    r"|(?P<pair>\\\\)|(?P<apostrophe>\\')|(?P<other>\\)|(?P<quote>\")|(?P<control>[\x00-\x1f])",
)


class Escaped(NamedTuple):
    """Content as JSON writes it, and how often each issue was fixed."""

    body: str
    done: Counter[str]


def is_latex(body: str) -> bool:
    """True if a string holds LaTeX commands or math whose backslashes were not escaped."""
    if _SIGN.search(body) is not None:
        lost = len(_SIGN.findall(body)) == 1 and body.count('\\"') % 2  # `\\alpha\\"` lost a quote
        return not lost and not _PATH.match(body)
    return _MATH.search(body) is not None and _REGEX.search(body) is None


def escape_latex(body: str, quote: str, controls: dict[str, str]) -> Escaped:
    """Return the content with the backslashes of its commands kept; its line ends stay line ends."""
    done: Counter[str] = Counter()

    def spelled(match: re.Match[str]) -> str:
        kind, part = match.lastgroup, match[0]
        if kind == "escape":
            return part
        if kind == "apostrophe":
            done["apostrophes"] += 1
            return "'"
        if kind == "quote":
            done["inner"] += quote == '"'
            return '\\"'
        if kind == "control":
            done["controls"] += 1
            return controls[part]
        done["doubled" if kind == "other" else "literal"] += 1
        return "\\\\\\\\" if kind == "pair" else "\\" + part

    return Escaped(_PART.sub(spelled, body), done)


_OF_CODE = re.compile(r"\\[^'\r\n]")
_BARE_QUOTE = re.compile(r"(?<!\\)(?:\\\\)*+\"")


def is_verbatim(body: str) -> bool:
    """True if code was pasted unescaped: its line ends and quotes are raw, so its backslashes are too."""
    if _OF_CODE.search(body) is None:
        return False
    bare = len(_BARE_QUOTE.findall(body))
    return bare > 0 and bare % 2 == 0


_WORDS = re.compile(r"[\w\s.,;:!?'’\"()-]*+")
_OPTION = re.compile(r"(?:^|\s)-{1,2}\w|[=;()]|^\s*+[|&>]", re.MULTILINE)


def is_prose(body: str) -> bool:
    """True if a string is plain sentences, where a backslash at the end of a line only marks the line break.

    Cases: corpus/repair/line_continuation.toml.
    """
    text = body.replace("\\\r\n", "\n").replace("\\\n", "\n")
    return _WORDS.fullmatch(text) is not None and _OPTION.search(text) is None


# ── suspect escapes ─────────────────────────────────────────────────────────


LETTERS = frozenset("bfnrt")
_FINE = "\"\\/bfnrtu'\n"
# Characters that have a meaning after a backslash, in JSON and in scripts.
_FINE_IN_SCRIPTS = _FINE + "xav0`"
_SCRIPT_LETTERS = frozenset("xav0")
_ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?s:.))")
_LONG = len(r"\U0001f600")

_PATH_SUSPECT_ESCAPES = re.compile(
    r"(?:[A-Za-z]:|\.{1,2}|~|%\w++%|\\)(?:\\++[\w .()$%@+~,-]*+)++\Z|[\w.-]++(?:\\[\w.$-]++)++\Z"
)
_DRIVE = re.compile(r"\b[A-Za-z]:\\[bfnrt]")
_DRIVE_FIRST = re.compile(r"[A-Za-z]:\\(?!\\)")
# A backslash and n, r or t in a path: the letter begins a folder's name, or a line ends there.
_IN_PATH = re.compile(r"(?:\.\.|[\w$%)])\\[nrt](?=[\w.])")
# The beginning of a Windows path.
_FOLDERS = re.compile(r"(?:\b[A-Za-z]:|(?<![\w.])\.{1,2}|%\w++%|(?<!\\)\\\\[\w.-]++)\\[^\\/\"']")
# A folder between apostrophes that ends in a backslash.
_LAST_FOLDER = re.compile(r"'(?:[A-Za-z]:|\.{1,2}(?=\\)|%\w++%)(?:\\[\w .()$%@+~-]++)*+\\'(?!\w)")
UNC = re.compile(r"\\\\(?:\w[\w.$-]*+|\?)\\(?!\\)(?!.*\\\\)", re.DOTALL)
_MAY_BE_SHARE = re.compile(r"\\\\[\w.-]++\\[\w.$-]++(?:\\|\Z)")
_SHARE_INSIDE = re.compile(r"(?<=['\s=(])\\\\[\w.-]++\\[\w.$-]")
# An escape that lost one of its digits: the character cannot be restored.
_HALF_ESCAPE = re.compile(
    r"(?<!\\)(?:\\\\)*+\\u(?=[a-fA-F]{0,2}[0-9])[0-9a-fA-F]{2,3}(?![0-9a-fA-F])"
)
# An escape of JavaScript or Rust; with no other sign of a script, it may also be literal text.
#
# Cases: corpus/repair/js_object.toml, invalid_escapes.toml.
_BRACED = re.compile(r"(?<!\\)(?:\\\\)*+\\u\{[0-9a-fA-F]{1,6}\}")
_ODD_RUN = re.compile(r"(?<!\\)(?:\\\\)++\\[^\"\\/bfnrtu]")
_EVEN_RUNS = re.compile(r"(?<!\\)(?:\\\\)++(?!\\)")


def suspect_escapes(body: str, quote: str, kinds: set[str]) -> frozenset[str] | None:
    """Return the letters whose escapes mean a backslash and the letter; None if that cannot be decided."""
    script = quote in "'`"
    fine = _FINE_IN_SCRIPTS if script else _FINE
    if script:
        kinds = {special for special in kinds if len(special) != _LONG}
    elif _BRACED.search(body):
        return None
    if script and _DRIVE_FIRST.match(body) and "\\\\" not in kinds:
        return LETTERS | _SCRIPT_LETTERS  # a Python or JavaScript literal would double them
    if any(special[1:2] not in fine for special in kinds) or "\\u" in kinds:
        return _beside_invalid(body, fine, script=script)
    if not lexis.NEVER_MEANT.search(body):
        return frozenset()
    return LETTERS if _PATH_SUSPECT_ESCAPES.match(body) else frozenset("bf")


def _beside_invalid(body: str, fine: str, *, script: bool) -> frozenset[str] | None:
    """Do the same for content with an escape that JSON does not know: a path, a regex, or a damaged mark.

    Models write Windows paths and regexes in each of these ways: `C:\\new`, `\\d+\\s`, `\\\\host\\share`.
    """
    escapes = [e for e in _ESCAPES.findall(body) if not script or len(e) != _LONG]
    invalid = [e for e in escapes if e[1] not in fine or e == "\\u"]
    if _HALF_ESCAPE.search(body) or may_have_slipped(body, escapes, invalid):
        return None
    if UNC.match(body):
        return LETTERS | {"\\"}
    if _ODD_RUN.search(body):
        return None
    if "\\\\" in escapes:
        return _beside_pairs(body, escapes)
    if _PATH_SUSPECT_ESCAPES.match(body):
        return LETTERS | _SCRIPT_LETTERS if script else LETTERS
    if _DRIVE.search(body) or (_FOLDERS.search(body) and _IN_PATH.search(body)):
        return None
    folder = {"'"} if "\\'" in escapes and _LAST_FOLDER.search(body) else frozenset[str]()
    return _in_regex(escapes) | folder


def _beside_pairs(body: str, escapes: list[str]) -> frozenset[str] | None:
    """Do the same for content that has both paired and single backslashes."""
    shares = len(_SHARE_INSIDE.findall(body))
    if shares:
        pairs = escapes.count("\\\\")
        return None if pairs > shares or _IN_PATH.search(body) else frozenset("bf\\")
    if _MAY_BE_SHARE.match(body) or len({len(run) for run in _EVEN_RUNS.findall(body)}) > 1:
        return None
    return None if "\\b" in escapes or "\\f" in escapes else frozenset()


def _in_regex(escapes: list[str]) -> frozenset[str]:
    """Return the letters to keep literally beside `\\s`: b and f always, t and r if there is no `\\n`."""
    letters = {e[1] for e in escapes} & set("bf")
    if "\\n" not in escapes:
        letters |= {e[1] for e in escapes} & set("tr")
    return frozenset(letters)


# ── scripts ─────────────────────────────────────────────────────────────────


# The first key or item: in single quotes, or a bare key.
_FIRST_TOKEN = re.compile(
    rf"[\[{{(\s]*+(?:[uUbB]?'[^'\\\n]{{0,80}}+'\s*+[:,\])]|{lexis.NAME}\s*+:(?!/))"
)
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|u\{[0-9a-fA-F]{1,6}\})")

# An escape that no script knows: the writer did not escape backslashes.
_UNKNOWN = re.compile(r"\\[^\"'`/abfnrtuvxU0\n]")


def quote_meant(text: str, start: int, body: str, quote: str) -> str:
    """Return the quote whose rules apply to the content of a string.

    JSON does not know `\\x41` and keeps its backslash. In a script literal it means an A, in double
    quotes too (corpus/repair/js_object.toml, python_repr.toml).
    """
    if quote != '"' or not _ESCAPE.search(body) or _UNKNOWN.search(body.replace("\\\\", "")):
        return quote
    return "'" if _FIRST_TOKEN.match(text, start) else quote


def may_be_script(token: str) -> bool:
    """True if a string in double quotes holds an escape that only scripts know."""
    return "\\" in token and _ESCAPE.search(token) is not None


# ── strings ─────────────────────────────────────────────────────────────────


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
# Content in which every backslash begins a JSON escape or escapes an apostrophe.
_UNESCAPED = re.compile(rf"[^\\]*+(?:(?:{lexis.ESCAPE}|\\')[^\\]*+)*+")
# An escaped line end, then a backslash and a raw line end: one line end written twice.
_CONTINUED = re.compile(r"\\n\\\r?+\n")
_VALID = LETTERS | set('"\\/')
_FURTHEST = 0x10FFFF
_SCRIPT_ESCAPES = {"0": "\\u0000", "v": "\\u000b", "a": "\\u0007"}

_BARE_PATH = re.compile(r"[A-Za-z]:\\(?![\\/])")
# A Windows path followed by a quote, which no path contains.
_PATH_WITH_QUOTE = re.compile(r"[A-Za-z]:(?:\\\\[\w.$-]*+)++\\?+\"")


class Respelled(NamedTuple):
    """A string's content as JSON writes it, and what was done to it."""

    body: str
    name: str
    rank: Rank
    note: str
    # How many unescaped quotes it held.
    inner: int = 0


def respell(
    body: str, quote: str = '"', *, raw: bool = False, path: bool = False, cut: bool = False
) -> Respelled | None:
    """Return the content between two quotes as JSON writes it; None if it is ambiguous.

    `cut` means that the text ended inside it: then a quote need not have a partner.
    """
    if not _NEEDS_WORK.search(body):
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    if "\\" not in body and not raw:
        return _with_valid_escapes(body, quote, cut)
    if raw:
        return Respelled(_escaped(body), "use_double_quotes", RESPELL, "raw string")
    if body[1:2] == ":" and (
        _PATH_WITH_QUOTE.match(body) or (_BARE_PATH.match(body) and _passes_end(body, quote))
    ):
        return None
    if not path and (decided := _decided(body, quote)) is not None:
        return decided
    if not path and _UNESCAPED.fullmatch(body) and not lexis.NEVER_MEANT.search(body):
        return _with_valid_escapes(body, quote, cut)
    found = _SPECIAL.findall(body)
    kinds = set(found)
    suspects = LETTERS if path else suspect_escapes(body, quote, kinds)
    if suspects is None:
        return _restored(body) if quote == '"' else None
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
    """Respell pasted code or LaTeX, which have their own rules for backslashes; None for other content."""
    if quote == '"' and "\n" in body and is_verbatim(body):
        return _summary(_escaped(body), {"inner": 1, "controls": 1})
    return _summary(*escape_latex(body, quote, _CONTROL)) if is_latex(body) else None


def _with_valid_escapes(body: str, quote: str, cut: bool) -> Respelled | None:
    """Respell content whose escapes are all valid; only its quotes may be wrong."""
    if quote != '"' or cut or '"' not in body:
        return _escaped_quotes(body, quote)
    if _bare_quotes(body) == 1:
        whole = with_lone_quote(body)
        return None if whole is None else _as_restored(whole)
    return _escaped_quotes(undoubled(body) or body, quote)


def _bare_quotes(body: str) -> int:
    """Return the number of unescaped quotes in content whose escapes are all valid."""
    return body.count('"') - body.replace("\\\\", "").count('\\"')


def _restored(body: str) -> Respelled | None:
    """Respell content after restoring a mark that it lost or doubled; None if that is unclear."""
    whole = restored(body)
    if whole is None or not _UNESCAPED.fullmatch(whole.body):
        return None
    return _as_restored(whole)


def _as_restored(whole: Restored) -> Respelled:
    """Respell content whose marks were restored, under the name of that fix."""
    spelt = _escaped_quotes(whole.body, '"')
    if whole.issue == "inner":
        return spelt
    name, rank, note = _ISSUES[whole.issue]
    return spelt._replace(name=name, rank=rank, note=note)


def _passes_end(body: str, quote: str) -> bool:
    """True if the content holds a mark that no path holds: the end of the string was missed."""
    return any(mark in body for mark in ('"', "\n", *lexis.QUOTES.get(quote, "")))


def _escaped(body: str) -> str:
    return _NEEDS_WORK.sub(lambda m: _CONTROL.get(m.group(), "\\" + m.group()), body)


def _escaped_quotes(body: str, quote: str) -> Respelled:
    """Escape quotes and control characters in content whose escapes are valid."""
    done: dict[str, int] = {}
    if controls := _CONTROLS.findall(body):
        done["controls"] = len(controls)
        for control in set(controls):
            body = body.replace(control, _CONTROL[control])
    if '"' in body or "\\'" in body:
        body = _without_loose_quotes(body, quote, done)
    return _summary(body, done)


def _without_loose_quotes(body: str, quote: str, done: dict[str, int]) -> str:
    """Escape bare double quotes and unescape apostrophes."""
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
    """Return a special character or an escape as JSON writes it, and what was wrong with it, if anything."""
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
    """Return an escape as JSON writes it, and what was wrong with it, if anything."""
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
    """Return what `\\U0001f600` means in Python, or `\\u{1f600}` in JavaScript."""
    code = int(escape[2:].strip("{}"), 16)
    if code > _FURTHEST or 0xD800 <= code <= 0xDFFF:
        return "\\" + escape, "doubled"
    return encode_basestring(chr(code))[1:-1], ""


def _summary(body: str, done: Mapping[str, int]) -> Respelled:
    """Return the content under the name of the most invasive fix; the note counts all of them."""
    if not done:
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    issues = sorted(done, key=_ORDER.__getitem__) if len(done) > 1 else done
    note = "; ".join([_sentence(_ISSUES[issue][2], done[issue]) for issue in issues])
    name, rank, _ = _ISSUES[next(iter(issues))]
    return _new(Respelled, (body, name, rank, note, done.get("inner", 0)))


_new = tuple.__new__


def _sentence(what: str, count: int) -> str:
    """Return what was done and how often, in words."""
    return what if count == 1 else f"{what} ({count} times)"


# What may be wrong in a string, the most invasive first, with its fix, rank and note.
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
_ORDER = {issue: order for order, issue in enumerate(_ISSUES)}
