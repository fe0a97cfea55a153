"""The content of a string without its closing quote in; whether its last mark stands for that quote out."""

from __future__ import annotations

import re

_IN_WORD = re.compile(r"(?<=\w)['’](?=\w)")
_OPENERS = {"»": "«", "’": "‘", "」": "「"}
"""Quotes that come in pairs: what closes, and what opens."""
_OPENS_NEXT = frozenset(" \t\n([{=:+")
"""What stands before the quote that opens a quotation, rather than closes one."""
_LONE = frozenset("'`”»’")
_WINDOWS = re.compile(r"(?:[A-Za-z]:|\.{1,2})?+(?:\\[\w .()$%@+~,-]*+)++\Z")


_FOLDER = re.compile(
    r"(?:[A-Za-z]:|\\{1,4}(?=[\w?])|\.{1,2}(?=\\)|[~%\w.$-]++(?=\\))(?:\\{1,2}|[\w .()$%@+~,?-]++)*+\Z"
)
_FILE = re.compile(r"[^.\\]\.\w{1,5}\Z")


def is_folder(content: str) -> bool:
    """Whether a content, up to an escaped quote, is a folder of Windows: then the backslash is its own.

    A word is none, nor is a file whose backslashes are escaped: the next one would be, too.
    """
    if "\\" not in content and len(content) > len("C:"):
        return False
    if "\\\\" in content and _FILE.search(content):
        return False
    return _FOLDER.match(content) is not None


def stands_for_quote(content: str) -> bool:
    """Whether the last mark belongs to no pair in the content: another quote, a bracket, a backslash."""
    last, rest = content[-1:], content[:-1]
    if last == "\\":
        return not rest.endswith("\\") and not _WINDOWS.match(content)
    if last in ("}", "]"):
        return rest.count("{" if last == "}" else "[") <= rest.count(last)
    if last in ("{", "["):
        return not rest.endswith("\\")  # else it is escaped, as in a regex
    return content in _LONE or is_other_quote(content)


def is_other_quote(content: str) -> bool:
    """Whether the last mark is a quote of another kind that closes nothing in the content."""
    last, rest = content[-1:], content[:-1]
    if not rest:
        return False
    if last in "'`":
        return rest[-1] not in _OPENS_NEXT and _IN_WORD.sub("", rest).count(last) % 2 == 0
    if last in "“”":
        return _even_curls(rest)
    if last == "’":
        rest = _IN_WORD.sub("", rest)
    return last in _OPENERS and rest.count(_OPENERS[last]) <= rest.count(last)


def _even_curls(content: str) -> bool:
    """Whether the curly quotes of a content come in pairs, as English or as German writes them."""
    low, left, right = map(content.count, "„“”")
    return left + right == low if low else left == right
