"""Respell the content of a damaged string as JSON: decide what each backslash, quote and line end meant.

Cases: corpus/repair/escapes_on_evidence.toml, invalid_escapes.toml and latex.toml; decision 12.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from json.encoder import encode_basestring
from typing import NamedTuple

from zkit.receipt import Rank
from zkit.repair.fixes import FIXES, RESPELL
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
_PATH = re.compile(r"[A-Za-z]:\\")
_PART = re.compile(
    rf"(?P<command>\\(?:{_COMMANDS})(?![a-z])|\\[bfrt](?=[A-Za-z{{])|\\u(?![0-9a-fA-F]{{4}}))"
    r"|(?P<escape>\\(?:[\"nrtbf/]|u[0-9a-fA-F]{4}|\\(?=[A-Za-z(\[])))|\\[\\']|[\\\"\x00-\x1f]",
)


def is_latex(body: str) -> bool:
    """True if a string holds LaTeX commands or math whose backslashes were not escaped."""
    if _SIGN.search(body) is not None:
        lost = len(_SIGN.findall(body)) == 1 and body.count('\\"') % 2  # `\\alpha\\"` lost a quote
        return not lost and not _PATH.match(body)
    return _MATH.search(body) is not None


def _escaped_latex(body: str) -> Respelled:
    """Return the content with the backslashes of its commands kept; its line ends stay line ends."""
    done: list[str] = []

    def spelt(match: re.Match[str]) -> str:
        part = match[0]
        if match.lastgroup == "escape":
            return part
        new, issue = _spelt(part, '"', frozenset("\\"))
        if match.lastgroup == "command":
            new, issue = "\\" + part, "keep_backslash_guess"
        done.append(issue)
        return new

    return _summary(_PART.sub(spelt, body), done)


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
# A backslash and n, r or t in a path: the letter begins a folder's name, or a line ends there.
_IN_PATH = re.compile(r"(?:\.\.|[\w$%)])\\[nrt](?=[\w.])")
# The beginning of a Windows path.
_FOLDERS = re.compile(r"(?:\b[A-Za-z]:|(?<![\w.])\.{1,2}|%\w++%|(?<!\\)\\\\[\w.-]++)\\[^\\/\"']")
# A folder between apostrophes that ends in a backslash.
_LAST_FOLDER = re.compile(r"'(?:[A-Za-z]:|\.{1,2}(?=\\)|%\w++%)(?:\\[\w .()$%@+~-]++)*+\\'(?!\w)")
UNC = re.compile(r"\\\\(?:\w[\w.$-]*+|\?)\\(?!\\)(?!.*\\\\)", re.DOTALL)
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
    if any(special[1:2] not in fine for special in kinds) or "\\u" in kinds:
        return _beside_invalid(body, fine, script=script)
    return LETTERS if _PATH_SUSPECT_ESCAPES.match(body) else frozenset("bf")


def _beside_invalid(body: str, fine: str, *, script: bool) -> frozenset[str] | None:
    """Do the same for content with an escape that JSON does not know: a path, a regex, or a damaged mark.

    Models write Windows paths and regexes in each of these ways: `C:\\new`, `\\d+\\s`, `\\\\host\\share`.
    """
    escapes = [e for e in _ESCAPES.findall(body) if not script or len(e) != _LONG]
    invalid = [e for e in escapes if e[1] not in fine or e == "\\u"]
    if _HALF_ESCAPE.search(body) or _may_have_slipped(body, escapes, invalid):
        return None
    if UNC.match(body):
        return LETTERS | {"\\"}
    if _ODD_RUN.search(body):
        return None
    if "\\\\" in escapes:
        unsure = (
            _SHARE_INSIDE.search(body) or len({len(run) for run in _EVEN_RUNS.findall(body)}) > 1
        )
        return None if unsure else frozenset()
    if _PATH_SUSPECT_ESCAPES.match(body):
        return LETTERS | _SCRIPT_LETTERS if script else LETTERS
    if _DRIVE.search(body) or (_FOLDERS.search(body) and _IN_PATH.search(body)):
        return None
    folder = {"'"} if "\\'" in escapes and _LAST_FOLDER.search(body) else frozenset[str]()
    return _in_regex(escapes) | folder


def _may_have_slipped(body: str, escapes: list[str], invalid: list[str]) -> bool:
    """True if an invalid escape among valid ones may be the rest of a damaged mark."""
    quotes = escapes.count('\\"')
    if len(invalid) == 1 and quotes > 0:
        if _CLASS.search(body):
            return _IN_REGEX.search(body) is None
        if quotes % 2 == 1:
            return True
    if quotes > 0 and any(e[1] in ":,; " for e in invalid):
        return True
    if len(invalid) == 1 and _OPENER.get(invalid[0][1], invalid[0]) not in body:
        return True  # nobody escapes a bracket that closes nothing
    return len(escapes) > len(invalid) and _CHANGED.search(body) is not None


_OPENER = {"}": "{", "]": "["}
# A backslash before a mark, and then a letter or an escape that the backslash may belong to.
_CHANGED = re.compile(r"(?<!\\)((?:\\\\)*+)\\([{}\[\]:,])(?=[nrt]|\\[^\"\\/bfnrtu])")
# A regex class such as `\d`, with no word after it.
_CLASS = re.compile(r"(?<!\\)\\[dDsSwWB](?![^\W_])")
# The same next to a character that only a regex has there.
_IN_REGEX = re.compile(r"(?:\[\^?+|[|(\])])\\[dDsSwWB]|(?<!\\)\\[dDsSwW][+*?{\]|)]")


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


# ── lone quotes ─────────────────────────────────────────────────────────────


def _is_one_quote_meant(body: str) -> bool:
    """True if the only bare quote of content with valid escapes is content; False if it may be a slip.

    It is content if it pairs with an escaped one, if it means inches, or if apostrophes enclose it.
    See corpus/repair/lost_inner_mark.
    """
    before, _, after = _WITH_BARE_QUOTE.fullmatch(body).groups()  # type: ignore[union-attr]
    if not before or before.endswith(("\\\\", '\\"')) or after.startswith('\\"'):
        return False  # a quote or a backslash was written twice
    if _PARTED.search(before):
        return False
    # German: „so" (corpus/repair/user_reports.toml)
    low = before.count("„") > before.count("“") + before.count("”")
    odd = (body.count('\\"') - len(_INCHES.findall(body))) % 2
    return bool(odd or low or _NEEDS_NO_PARTNER.search(before[-1:] + '"' + after[:1]))


def _with_lost_quote(body: str) -> str | None:
    """Write the quote after the only invalid backslash, if the number of quotes is odd; None if that is unclear."""
    escapes = list(_ESCAPES.finditer(body))
    places = [m.start() for m in escapes if m[0][1] not in _FINE]
    quotes = [m.start() for m in escapes if m[0] == '\\"']
    if len(places) != 1 or len(quotes) % 2 == 0 or body.count('"') != len(quotes):
        return None
    at = places[0]
    lost = _LOST_CLOSING if sum(quote < at for quote in quotes) % 2 else _LOST_OPENING
    whole = f'{body[: at + 1]}"{body[at + 1 :]}'
    if _CLASS.match(body, at) or not lost.match(body, at) or not _UNESCAPED.fullmatch(whole):
        return None
    even = all(whole.count(a) == whole.count(b) for a, b in ("{}", "[]"))
    return whole if even or body[at + 1] not in "{}[]" else None


# A backslash that lost the closing quote after it: no word follows; after a comma or a colon, a word or
# a value does.
_LOST_CLOSING = re.compile(
    r"(?<=[^\s\\])\\(?![^\W_]|[,:](?![^\W_]| (?:(?:true|false|null|True|False|None)\b|-?[0-9]|\\\"|[{\[])))"
)
_LOST_OPENING = re.compile(r"(?<![^\W_])(?<!\\)\\(?![\s,;:.)>!?])")
# Everything up to the first unescaped quote, and everything after it.
_WITH_BARE_QUOTE = re.compile(rf"({lexis.UP_TO_QUOTE})(\")(.*+)", re.DOTALL)
# A backslash and a letter at the end: the backslash may belong to the quote after it.
_PARTED = re.compile(r"(?<!\\)\\[bfnrt/]\Z")
_NEEDS_NO_PARTNER = re.compile(r"[0-9]\"|'\"'")
# A number and a quote for inches, which needs no partner.
_INCHES = re.compile(r"(?:(?<=[\s(])|\A)[0-9][0-9.]{0,5}+\\\"")
# Doubled quotes in pairs, as in CSV, each pair touching the words inside it.
_ALL_DOUBLED = re.compile(
    r"[^\"]*+(?:(?<!\w)(?:\"\")++(?![\s,;:)\]}\"])[^\"]*+(?<![\s(\[{,])(?:\"\")++(?![\w\"])[^\"]*+)++"
)


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
    body: str, quote: str = '"', *, path: bool = False, cut: bool = False
) -> Respelled | None:
    """Return the content between two quotes as JSON writes it; None if it is ambiguous.

    `cut` means that the text ended inside it: then a quote need not have a partner.
    """
    if not _NEEDS_WORK.search(body):
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    if "\\" not in body:
        return _with_valid_escapes(body, quote, cut)
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
        whole = _with_lost_quote(body) if quote == '"' else None
        if whole is None:
            return None
        kind = FIXES["restore_inner_quote"]
        return _escaped_quotes(whole, quote)._replace(name=kind.name, rank=kind.rank, note=kind.doc)
    if _CONTINUED.search(body):
        body = _CONTINUED.sub(r"\\n", body)
        found = _SPECIAL.findall(body)
        kinds = set(found)
    if not is_prose(body):
        suspects |= {"\n", "\r"}  # the backslash of a shell command continues its line
    spelt = {special: _spelt(special, quote, suspects) for special in kinds}
    done = [spelt[special][1] for special in found]
    return _summary(_SPECIAL.sub(lambda match: spelt[match[0]][0], body), done)


def _decided(body: str, quote: str) -> Respelled | None:
    """Respell pasted code or LaTeX, which have their own rules for backslashes; None for other content."""
    if quote == '"' and "\n" in body and is_verbatim(body):
        return _summary(_escaped(body), _ISSUES[:1])
    return _escaped_latex(body) if is_latex(body) else None


def _with_valid_escapes(body: str, quote: str, cut: bool) -> Respelled | None:
    """Respell content whose escapes are all valid; only its quotes may be wrong."""
    if quote != '"' or cut or '"' not in body:
        return _escaped_quotes(body, quote)
    if _bare_quotes(body) == 1:
        return _escaped_quotes(body, quote) if _is_one_quote_meant(body) else None
    doubled = '""' in body and _ALL_DOUBLED.fullmatch(body)
    return _escaped_quotes(body.replace('""', '"') if doubled else body, quote)


def _bare_quotes(body: str) -> int:
    """Return the number of unescaped quotes in content whose escapes are all valid."""
    return body.count('"') - body.replace("\\\\", "").count('\\"')


def _passes_end(body: str, quote: str) -> bool:
    """True if the content holds a mark that no path holds: the end of the string was missed."""
    return any(mark in body for mark in ('"', "\n", *lexis.QUOTES.get(quote, "")))


def _escaped(body: str) -> str:
    return _NEEDS_WORK.sub(lambda m: _CONTROL.get(m.group(), "\\" + m.group()), body)


def _escaped_quotes(body: str, quote: str) -> Respelled:
    """Escape quotes and control characters in content whose escapes are valid."""
    done: list[str] = []
    if controls := _CONTROLS.findall(body):
        done += ["escape_control_character"] * len(controls)
        for control in set(controls):
            body = body.replace(control, _CONTROL[control])
    if '"' in body or "\\'" in body:
        body = _without_loose_quotes(body, quote, done)
    return _summary(body, done)


def _without_loose_quotes(body: str, quote: str, done: list[str]) -> str:
    """Escape bare double quotes and unescape apostrophes."""
    pairs = "\\\\" in body
    if pairs:  # out of the way, so that each backslash left belongs to what follows it
        body = body.replace("\\\\", "\0")
    if apostrophes := body.count("\\'"):
        done += ["unescape_apostrophe"] * apostrophes
        body = body.replace("'\\''", "'\1'").replace("\\'", "'").replace("\1", "\\\\'")
    if inner := body.count('"') - body.count('\\"'):
        body = body.replace('\\"', '"').replace('"', '\\"')
        if quote == '"':
            done += ["escape_inner_quote"] * inner
    return body.replace("\0", "\\\\") if pairs else body


def _spelt(special: str, quote: str, suspects: frozenset[str]) -> tuple[str, str]:
    """Return a special character or an escape as JSON writes it, and the fix for it, if any."""
    if special in _CONTROL:
        return _CONTROL[special], "escape_control_character"
    if special == '"':
        return '\\"', "escape_inner_quote" if quote == '"' else ""
    if special == "\\":
        return "\\\\", "double_backslash"
    letter, script = special[1], quote in "'`"
    if special.endswith("\n"):
        kept = letter in suspects
        return ("\\\\\\n", "double_backslash") if kept else ("\\n", "escape_control_character")
    if letter in suspects:
        return ("\\" + special if letter != "\\" else "\\\\\\\\"), "keep_backslash_guess"
    if letter in _VALID or (len(special) == 6 and letter == "u" and special[2] != "{"):
        return special, ""
    if letter in "'_" or letter == quote:  # Markdown writes `\\_`
        return letter, "unescape_apostrophe"
    if script and len(special) > 2:  # `\\x41`, `\\u{1f600}` of JavaScript, `\\U0001f600` of Python
        code = int(special[2:].strip("{}"), 16)
        if code <= _FURTHEST:
            return encode_basestring(chr(code))[1:-1], ""
    if script and letter in _SCRIPT_ESCAPES:
        return _SCRIPT_ESCAPES[letter], ""
    return "\\\\" + _CONTROL.get(letter, special[1:]), "double_backslash"


def _summary(body: str, done: Sequence[str]) -> Respelled:
    """Return the content under the name of the most invasive fix; the note counts all of them."""
    names = [name for name in _ISSUES if name in done] if done else ()
    if not names:
        return _new(Respelled, (body, "use_double_quotes", RESPELL, "", 0))
    counts = [(FIXES[name].doc, done.count(name)) for name in names]
    note = "; ".join([f"{doc} ({count} times)" if count > 1 else doc for doc, count in counts])
    inner = counts[0][1] if names[0] == "escape_inner_quote" else 0
    return _new(Respelled, (body, names[0], FIXES[names[0]].rank, note, inner))


_new = tuple.__new__


# The fixes in a string, the most invasive first.
_ISSUES = (
    "escape_inner_quote",
    "keep_backslash_guess",
    "double_backslash",
    "escape_control_character",
    "unescape_apostrophe",
)
