"""Decide what the backslashes of a string mean that holds LaTeX, or code that was pasted as it is.

Models write `\\frac`, `\\(x\\)` and `\\n\\n` into one string: the first two were never escaped, the last one is
a line end. So each escape is decided by itself, with the commands of LaTeX as evidence.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

_COMMANDS = (
    r"t(?:imes|heta|au|ext\w*+|anh?|op?|riangle\w*+|ilde|itle|able\w*+|iny|hanks|frac|herefore|ag)"
    r"|n(?:u|eq?|abla|ot(?:in)?|i|eg|ew\w++|oindent|ode|onumber|atural|exists|mid|leq|geq|earrow)"
    r"|r(?:ho|ight\w*+|angle|m|ef|floor|ceil|aisebox|enewcommand|ule|brace|brack|vert|oot)"
    r"|b(?:eta|ar|egin|inom|ig\w*+|f|oldsymbol|ox\w*+|mod|mathbb|ullet|ot|ecause|eginarray)"
    r"|f(?:rac|orall|lat|box|ootnote\w*+)|u(?:nder\w++|psilon|parrow|p)"
)
"""The commands of LaTeX that begin with a letter which JSON knows after a backslash."""
_STRONG = (
    r"t(?:imes|heta|extbf|ext(?=\{)|riangle\w*+|ilde|herefore|frac)|n(?:eq|abla|otin|exists|leq|geq)"
    r"|r(?:ho|ight(?:arrow|[)\]|.]|\\)|angle|floor|ceil)"
    r"|b(?:eta|ar(?=\{)|egin|inom|oldsymbol|oxed|mod)|f(?:rac|orall|lat|box)"
)
"""Those that are no word after a line end or a tab: `\\nu` may be a line that begins with a u."""
_SIGN = re.compile(
    rf"(?<!\\)\\(?:{_STRONG}|[dct]?frac|sqrt|cdots?|[lvd]?dots|alpha|gamma|delta|epsilon|lambda|sigma|omega|phi|pi|mu"
    r"|left|leq?|geq?|sum|prod|int|lim|log|ln|sin|cos|tan|circ|angle|infty|pm|quad|qquad|equiv|approx|mathrm"
    r"|mathbb|mathbf|overline|hat|vec|end|item|label|implies|Rightarrow|boxed|cap|cup|subset\w*+|perp|pmod|binom)(?![a-z])"
)
_MATH = re.compile(r"(?<!\\)\\\((?:[^\\]|\\[^)])*+\\\)|(?<!\\)\\\[(?:[^\\]|\\[^\]])*+\\\]")
"""Math between `\\(` and `\\)`, or `\\[` and `\\]`."""
_REGEX = re.compile(r"\\[dDsSwWbB](?![A-Za-z])|\\[sdwSDW][+*?]|\(\?[:=!<iP]")
_PATH = re.compile(r"[A-Za-z]:\\")
_PART = re.compile(
    rf"(?P<command>\\(?:{_COMMANDS})(?![a-z])|\\[bfrt](?=[A-Za-z{{])|\\u(?![0-9a-fA-F]{{4}}))"
    r"|(?P<escape>\\(?:[\"nrtbf/]|u[0-9a-fA-F]{4}|\\(?=[A-Za-z(\[])))"
    r"|(?P<pair>\\\\)|(?P<apostrophe>\\')|(?P<other>\\)|(?P<quote>\")|(?P<control>[\x00-\x1f])",
)


class Escaped(NamedTuple):
    """A content as JSON writes it, and how often each thing had to be done."""

    body: str
    done: Counter[str]


def is_latex(body: str) -> bool:
    """True if a string holds commands of LaTeX, or math, whose backslashes were not escaped."""
    if _SIGN.search(body) is not None:
        lost = len(_SIGN.findall(body)) == 1 and body.count('\\"') % 2  # `\\alpha\\"` lost a quote
        return not lost and not _PATH.match(body)
    return _MATH.search(body) is not None and _REGEX.search(body) is None


def escape_latex(body: str, quote: str, controls: dict[str, str]) -> Escaped:
    """The content with the backslashes of its commands kept, and its line ends read as such."""
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


def is_verbatim(body: str, quote: str) -> bool:
    """True if code was pasted as it is: its line ends and its quotes are raw, so its backslashes are too."""
    if quote != '"' or "\n" not in body or _OF_CODE.search(body) is None:
        return False
    bare = len(_BARE_QUOTE.findall(body))
    return bare > 0 and bare % 2 == 0


_WORDS = re.compile(r"[\w\s.,;:!?'’\"()-]*+")
_OPTION = re.compile(r"(?:^|\s)-{1,2}\w|[=;()]|^\s*+[|&>]", re.MULTILINE)


def is_prose(body: str) -> bool:
    """True if a string is sentences, so that a backslash at the end of a line only breaks the line."""
    text = body.replace("\\\r\n", "\n").replace("\\\n", "\n")
    return _WORDS.fullmatch(text) is not None and _OPTION.search(text) is None
