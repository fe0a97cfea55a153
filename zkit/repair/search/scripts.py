"""A payload in, whether Python or JavaScript wrote it out: what a backslash means in its double quotes."""

from __future__ import annotations

import re

from zkit.text import lexis

_FIRST_TOKEN = re.compile(
    rf"[\[{{(\s]*+(?:[uUbB]?'[^'\\\n]{{0,80}}+'\s*+[:,\])]|{lexis.NAME}\s*+:(?!/))"
)
"""The first key or item: in single quotes, or a bare key."""
_ESCAPE = re.compile(r"\\(?:x[0-9a-fA-F]{2}|U[0-9a-fA-F]{8}|u\{[0-9a-fA-F]{1,6}\})")

_UNKNOWN = re.compile(r"\\[^\"'`/abfnrtuvxU0\n]")
"""An escape that no script knows: whoever wrote it did not escape backslashes."""


def quote_meant(text: str, start: int, body: str, quote: str) -> str:
    """The quote by whose rules the content of a string is read.

    JSON has no `\\x41` and keeps its backslash. A payload that is a literal of a script means an A, in
    double quotes too.
    """
    if quote != '"' or not _ESCAPE.search(body) or _UNKNOWN.search(body.replace("\\\\", "")):
        return quote
    return "'" if _FIRST_TOKEN.match(text, start) else quote


def may_be_script(token: str) -> bool:
    """Whether a string in double quotes holds an escape that only scripts know."""
    return "\\" in token and _ESCAPE.search(token) is not None
