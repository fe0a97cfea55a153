"""The text before a call in, the reason why it is none out: quoted, listed, logged, documented."""

from __future__ import annotations

import re

REACH = 800
"""How far back the text before a call is looked at."""
LEAD_IN = 500
"""How long the text before a call without a marker may be."""

_LOG = re.compile(
    r"\s*+(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}|\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|[A-Za-z]{3} [ 0-9][0-9] [0-9]{2}:)"
)
_LISTED = re.compile(r"\s*+(?:[-*+•]|[0-9]{1,3}[.)])[ \t]++(?:\[[ xX]\][ \t]*+)?\Z")
_COMMENT = re.compile(r"\s*+(?://|#|--|/\*|\*|;;|%)")
_SPEAKER = re.compile(
    r"^[ \t>]*+(?:\*\*)?(?:user|human|customer|tool|system)(?:\*\*)?[ \t]*+:", re.IGNORECASE | re.MULTILINE
)  # fmt: skip
_INDENTED = re.compile(r"(?: {4,}|\t)\s*+\Z")
_QUOTES = frozenset("\"'`“‘«„「『‹")
_STRAIGHT = re.compile(r"\"")
_BEFORE_OPENING = frozenset({"", *" \t\n([{:=,—–-"})
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"))
_SENTENCE_END = frozenset(".:!?;…。！？：；)]}>*_~")
_CUE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|examples?|samples?|syntax|templates?|looks? like|look something like"
    r"|would (?:look|be|write|send|emit|call|read)|like (?:this|so)|as shown|is (?:written|spelled|documented|formatted)"
    r"|(?:you|one|clients?|users?|models?|they|agents?|we|people|servers?|who) (?:can|could|would|should|must|may|might|will|writes?|sends?|emits?|calls?|invokes?|uses?)"
    r"|(?:form|format|notation|shape|markup|structure) (?:is|was|of|for|that|looks)|instead of|do not|don['’]t|never|avoid|wrong|incorrect|wrote|said|says|told|quoted?"
    r"|(?:logs?|transcript|trace|history|page|e?mail|message|file|document|readme) (?:shows?|showed|reads?|contains?|contained|has|had|was|is))\b",
    re.IGNORECASE,
)
_INTENT = re.compile(
    r"\b(?:I['’]ll|I will|I['’]m|I am|I need|I should|I want|I have|I can|let me|let['’]s|now|next|calling|running|checking|using|first|then)\b",
    re.IGNORECASE,
)  # fmt: skip


def obstacle(before: str) -> str:
    """Why a call that begins after this text is none; empty when nothing speaks against it.

    `before` is the text since the last thing that was no text, as far back as it counts.
    """
    head, _, line = before.rpartition("\n")
    if before[-1:] in _QUOTES or _in_quotes(before.rpartition("\n\n")[2]):
        return "quoted"
    if _LISTED.match(line):
        return "listed"
    last = line if line.strip() else head.rstrip().rpartition("\n")[2]
    if _LOG.match(last) or _COMMENT.match(line):
        return "logged"
    if _SPEAKER.search(before):
        return "transcript"
    if _INDENTED.match(line) and head.strip():
        return "code"
    return "documented" if documented(before) else ""


def documented(before: str) -> bool:
    """Whether the last line before a call announces an example, and not the call itself."""
    line = before.rstrip()[-300:].rpartition("\n")[2]
    return _CUE.search(line) is not None and _INTENT.search(line) is None


def indented(before: str) -> bool:
    """Whether the line of a call is set in as code is."""
    return _INDENTED.match(before.rpartition("\n")[2]) is not None


def mid_sentence(before: str) -> bool:
    """Whether the line before a call breaks off in a sentence."""
    line = before.rpartition("\n")[2].rstrip()
    return bool(line) and line[-1] not in _SENTENCE_END


def _in_quotes(paragraph: str) -> bool:
    """Whether a quotation is open at the end of a paragraph."""
    if any(paragraph.rfind(opener) > paragraph.rfind(closer) for opener, closer in _PAIRS):
        return True
    is_open = False
    for match in _STRAIGHT.finditer(paragraph):
        is_open = not is_open and paragraph[match.start() - 1 : match.start()] in _BEFORE_OPENING
    return is_open
