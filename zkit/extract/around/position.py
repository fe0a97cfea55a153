"""The text before a call in, the reason why it is none out: quoted, logged, told, in code, not led to."""

from __future__ import annotations

import re
from functools import lru_cache

from zkit.extract.around.announcing import labels_call
from zkit.extract.around.lead_in import unled

REACH = 800
"""How far back the text before a call is looked at."""
LEAD_IN = 500
"""How long the text before a call without a marker may be."""

_LOG = re.compile(
    r"\s*+(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T _,|]{1,3}+\[?[0-9]{1,2}:[0-9]{2}|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\]|\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|\$ [\w./]|[A-Za-z]{3} [ 0-9][0-9] [0-9]{2}:)"
)
_COMMENT = re.compile(r"\s*+(?://|#|--|/\*|\*|;;|%)")
_SPEAKER = re.compile(
    r"^[ \t>]*+(?:\*\*)?(?:(?P<asks>user|human|customer|tool|system)|(?P<answers>assistant|ai|bot|model|agent))(?:\*\*)?[ \t]*+:", re.IGNORECASE | re.MULTILINE
)  # fmt: skip
_SCENE = re.compile(r"^[ \t]*+(?:(?:INT|EXT|INT/EXT|INNEN|AUSSEN)[./ ]|[^\W\d_][^\n()a-z]{1,30}\((?:V\.O\.|O\.S\.|CONT'D)\))", re.MULTILINE)  # fmt: skip
"""The heading of a scene, or a voice, as screenplays have them."""
_INDENTED = re.compile(r"(?: {4,}|\t)\s*+\Z")
_QUOTES = frozenset("\"'`“‘«„「『‹")
_LITERAL = re.compile(r"\"{3}|'{3}|`{2,}+|`[^`\n]*+`|`(?! )")
_LITERALS = frozenset({'"""', "'''", "`"})
_VALUE_DUE = re.compile(r"(?:[=(\[,:+]|\breturn)\s*+(?:[A-Za-z]{1,8})?\Z")
_ELEMENT = re.compile(
    r"^[ \t]*+<(?P<open>[A-Za-z][\w:.-]*+)(?:\s[^<>]*+)?+(?<!/)>|</(?P<close>[A-Za-z][\w:.-]*+)\s*+>",
    re.MULTILINE,
)
HTML = frozenset(
    [
        "html",
        "body",
        "main",
        "article",
        "section",
        "aside",
        "header",
        "footer",
        "div",
        "details",
        "summary",
        "table",
        "thead",
        "tbody",
        "ul",
        "ol",
        "dl",
        "h1",
        "h2",
        "h3",
        "figure",
        "figcaption",
        "template",
        "form",
        "svg",
    ]
)
"""Elements of a page: nobody calls a tool from inside of one."""
ANY_QUOTE = re.compile(r"[\"“”„«»「」『』]")
BEFORE_OPENING = frozenset({"", *" \t\n([{:=,—–-"})
CLOSERS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}


@lru_cache(maxsize=128)
def obstacle(
    before: str, *, needs_lead: bool = True, goes_on: bool = False, like_data: bool = False
) -> str:
    """Why a call that begins after this text is none; empty when nothing speaks against it.

    `before` is the text since the last thing that was no text, as far back as it counts. Its last
    words must lead to the call, if `needs_lead`; `goes_on` when they stand after another call,
    `like_data` when it looks like data as well.
    """
    head, _, line = before.rpartition("\n")
    if before[-1:] in _QUOTES or _in_literal(before):
        return "quoted"
    if " | " in line:
        return "listed"
    above = line if line.strip() else head.rpartition("\n")[2]
    if _LOG.match(above) or _COMMENT.match(line):
        return "logged"
    if _in_transcript(before) or _SCENE.search(before):
        return "transcript"
    if _INDENTED.match(line) and head.strip():
        return "code"
    if in_markup(before, HTML):
        return "quoted"
    return unled(before, goes_on=goes_on, like_data=like_data) if needs_lead else ""


def _in_transcript(before: str) -> bool:
    """Whether somebody else speaks right before a call, or a talk is told that it is a part of."""
    last = before.rstrip()
    paragraph = len(last.rpartition("\n\n")[0])
    asked = False
    for match in _SPEAKER.finditer(before):
        line = before[match.start() :].partition("\n")[0]
        if match.start() >= paragraph and (asked or match["asks"]) and not labels_call(line):
            return True
        asked = asked or bool(match["asks"])
    return False


def indented(before: str) -> bool:
    """Whether the line of a call is set in as code is."""
    return _INDENTED.match(before.rpartition("\n")[2]) is not None


def in_markup(before: str, names: frozenset[str] = frozenset()) -> bool:
    """Whether an element is open that a line began, one of these if any are given.

    What follows is a part of a document.
    """
    elements: list[str] = []
    for match in _ELEMENT.finditer(before):
        if match["open"] and (not names or match["open"].lower() in names):
            elements.append(match["open"])
        elif match["close"] in elements:
            del elements[elements.index(match["close"]) :]
    return bool(elements)


def _in_literal(before: str) -> bool:
    """Whether a string of code over several lines is open: one that stands where a value is due."""
    is_open = ""
    for match in _LITERAL.finditer(before):
        mark = match.group()
        if is_open:
            is_open = "" if mark == is_open else is_open
        elif mark in _LITERALS and _VALUE_DUE.search(before[: match.start()][-40:]):
            is_open = mark
    return bool(is_open)


def open_quote(before: str) -> str:
    """What would close the quotation that is open at the end of a text; empty when there is none."""
    closers = ""
    for match in ANY_QUOTE.finditer(before):
        mark = match.group()
        if closers:
            closers = "" if mark in closers else closers
        elif mark != '"':
            closers = CLOSERS.get(mark, "")
        elif before[match.start() - 1 : match.start()] in BEFORE_OPENING:
            closers = mark
    return closers
