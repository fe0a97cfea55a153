"""The escapes of a string in; those that JSON knows, but that were meant as a backslash and a letter, out.

Where a string holds an invalid escape its author did not escape backslashes, so `\\b` or `\\t` in
the same string is suspect: `"\\bimport\\s+"` is a regex, not a backspace.
"""

from __future__ import annotations

import re

from zkit.repair.search.lost_marks import may_have_slipped

LETTERS = frozenset("bfnrt")
_FINE = "\"\\/bfnrtu'\n"
_FINE_IN_SCRIPTS = _FINE + "xav0`"
"""What may stand after a backslash and mean something."""
_SCRIPT_LETTERS = frozenset("xav0")
_ESCAPES = re.compile(r"\\(?:u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|(?s:.))")
_LONG = len(r"\U0001f600")

_PATH = re.compile(
    r"(?:[A-Za-z]:|\.{1,2}|~|%\w++%|\\)(?:\\++[\w .()$%@+~,-]*+)++\Z|[\w.-]++(?:\\[\w.$-]++)++\Z"
)
_DRIVE = re.compile(r"\b[A-Za-z]:\\[bfnrt]")
_DRIVE_FIRST = re.compile(r"[A-Za-z]:\\(?!\\)")
_NEVER_MEANT = re.compile(r"(?<!\\)(?:\\\\)*+\\[bf](?=[A-Za-z]{2})")
_IN_PATH = re.compile(r"(?:\.\.|[\w$%)])\\[nrt](?=[\w.])")
"""A letter after the backslash of a folder: its name begins with it, or a line ends there."""
_FOLDERS = re.compile(r"(?:\b[A-Za-z]:|(?<![\w.])\.{1,2}|%\w++%|(?<!\\)\\\\[\w.-]++)\\[^\\/\"']")
"""What only a path of Windows begins with."""
_LAST_FOLDER = re.compile(r"'(?:[A-Za-z]:|\.{1,2}(?=\\)|%\w++%)(?:\\[\w .()$%@+~-]++)*+\\'(?!\w)")
"""A folder between apostrophes: its last backslash stands before the second one."""
UNC = re.compile(r"\\\\(?:\w[\w.$-]*+|\?)\\(?!\\)(?!.*\\\\)", re.DOTALL)
_MAY_BE_SHARE = re.compile(r"\\\\[\w.-]++\\[\w.$-]++(?:\\|\Z)")
_SHARE_INSIDE = re.compile(r"(?<=['\s=(])\\\\[\w.-]++\\[\w.$-]")
_HALF_ESCAPE = re.compile(
    r"(?<!\\)(?:\\\\)*+\\u(?=[a-fA-F]{0,2}[0-9])[0-9a-fA-F]{2,3}(?![0-9a-fA-F])"
)
"""An escape that lost one of its digits: nobody can tell what it was to be."""
_BRACED = re.compile(r"(?<!\\)(?:\\\\)*+\\u\{[0-9a-fA-F]{1,6}\}")
"""An escape of JavaScript and Rust; where nothing else is a script's, nobody can tell whether it was to be one."""
_ODD_RUN = re.compile(r"(?<!\\)(?:\\\\)++\\[^\"\\/bfnrtu]")
_EVEN_RUNS = re.compile(r"(?<!\\)(?:\\\\)++(?!\\)")


def suspect_escapes(body: str, quote: str, kinds: set[str]) -> frozenset[str] | None:
    """The letters of escapes that were meant as a backslash and a letter; None when nobody can tell."""
    script = quote in "'`"
    fine = _FINE_IN_SCRIPTS if script else _FINE
    if script:
        kinds = {special for special in kinds if len(special) != _LONG}
    elif _BRACED.search(body):
        return None
    if script and _DRIVE_FIRST.match(body) and "\\\\" not in kinds:
        return LETTERS | _SCRIPT_LETTERS  # a literal of Python or JavaScript would have pairs
    if all(special[1:2] in fine for special in kinds) and "\\u" not in kinds:
        if not _NEVER_MEANT.search(body):
            return frozenset()
        return LETTERS if _PATH.match(body) else frozenset("bf")
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
    if _PATH.match(body):
        return LETTERS | _SCRIPT_LETTERS if script else LETTERS
    if _DRIVE.search(body) or (_FOLDERS.search(body) and _IN_PATH.search(body)):
        return None
    folder = {"'"} if "\\'" in escapes and _LAST_FOLDER.search(body) else frozenset[str]()
    return _in_regex(escapes) | folder


def _beside_pairs(body: str, escapes: list[str]) -> frozenset[str] | None:
    """Pairs of backslashes beside a single one: which of them is the slip, and what the pairs mean."""
    shares = len(_SHARE_INSIDE.findall(body))
    if shares:
        pairs = escapes.count("\\\\")
        return None if pairs > shares or _IN_PATH.search(body) else frozenset("bf\\")
    if _MAY_BE_SHARE.match(body) or len({len(run) for run in _EVEN_RUNS.findall(body)}) > 1:
        return None
    return None if "\\b" in escapes or "\\f" in escapes else frozenset()


def _in_regex(escapes: list[str]) -> frozenset[str]:
    """Word boundaries and form feeds are never meant beside `\\s`; tabs and line ends depend."""
    letters = {e[1] for e in escapes} & set("bf")
    if "\\n" not in escapes:
        letters |= {e[1] for e in escapes} & set("tr")
    return frozenset(letters)
