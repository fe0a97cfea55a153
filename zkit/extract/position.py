"""The text before a call in, the reason why it is none out: quoted, listed, logged, documented."""

from __future__ import annotations

import re

REACH = 800
"""How far back the text before a call is looked at."""
LEAD_IN = 500
"""How long the text before a call without a marker may be."""

_LOG = re.compile(
    r"\s*+(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T _,|]{1,3}+\[?[0-9]{1,2}:[0-9]{2}|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\]|\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|[A-Za-z]{3} [ 0-9][0-9] [0-9]{2}:)"
)
_LISTED = re.compile(r"\s*+(?:[-*+•]|[0-9]{1,3}[.)])[ \t]++(?:\[[ xX]\][ \t]*+)?\Z")
_ITEM = re.compile(r"\s*+(?:[-*+•]|[0-9]{1,3}[.)])[ \t]++\S")
_COMMENT = re.compile(r"\s*+(?://|#|--|/\*|\*|;;|%)")
_SPEAKER = re.compile(
    r"^[ \t>]*+(?:\*\*)?(?:(?P<asks>user|human|customer|tool|system)|(?P<answers>assistant|ai|bot|model|agent))(?:\*\*)?[ \t]*+:", re.IGNORECASE | re.MULTILINE
)  # fmt: skip
_INDENTED = re.compile(r"(?: {4,}|\t)\s*+\Z")
_QUOTES = frozenset("\"'`“‘«„「『‹")
_LITERAL = re.compile(r"\"{3}|'{3}|`{2,}+|`[^`\n]*+`|`")
_LITERALS = frozenset({'"""', "'''", "`"})
_VALUE_DUE = re.compile(r"(?:[=(\[,:+]|\breturn)\s*+(?:[A-Za-z]{1,8})?\Z")
_STRAIGHT = re.compile(r"\"")
_BEFORE_OPENING = frozenset({"", *" \t\n([{:=,—–-"})
_PAIRS = (("“", "”"), ("«", "»"), ("「", "」"), ("『", "』"))
_SENTENCE_END = frozenset(".:!?;…。！？：；)]}>*_~")
_SENTENCE = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<![\W_][0-9])[.!?…][\"'”’)\]*_]*+\s++(?=\S)|[。！？](?=\S)"
)
"""Where a sentence ends and the next one begins."""
_STOPS = frozenset(".!?…。！？")
"""After a sentence that ends so, what follows is not a part of it."""
_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|examples?|samples?|syntax|templates?|look something like|as shown|like (?:this|so)"
    r"|(?:one|clients?|models?|servers?|agents?) (?:would|writes?|sends?|emits?|calls?|invokes?)"
    r"|is (?:written|spelled|documented|formatted)|(?:form|format|notation|shape|markup|structure) (?:is|was|of|for|that|looks))(?!\w)",
    re.IGNORECASE,
)
"""Words for an example: they count in any sentence right before a call."""
_CUE = re.compile(
    r"\b(?:looks? like|would (?:look|be|write|send|emit|call|read)"
    r"|(?:you|one|clients?|users?|models?|they|agents?|people|servers?|who) (?:can|could|would|should|must|may|might|will|writes?|sends?|emits?|calls?|invokes?|uses?)"
    r"|we (?:could|would|might|writes?|sends?|emits?)"
    r"|instead of|do not|don['’]t|never|avoid|wrong|incorrect|wrote|said|says|told|quoted?"
    r"|(?:logs?|transcript|trace|history|page|e?mail|message|file|document|readme) (?:shows?|showed|reads?|contains?|contained|has|had|was|is))\b",
    re.IGNORECASE,
)
"""Words that speak about a call and not for one: they count where the sentence goes on with it."""
_DECLINED = re.compile(
    r"\b(?:I|we)(?:\s++(?:will|can|must|should|would|do|did|have)\s++(?:not|never)|(?:['’]m|['’]re|\s++am|\s++are)\s++not\s++(?:going|willing|allowed|able)\s++to"
    r"|['’]ll\s++(?:not|never)|\s++cannot|\s++(?:wo|ca|must|should|would|do|did|have)n?['’]t|\s++(?:refused?|declined?)\s++to|\s++never)"
    r"\s++(?:\w++\s++){0,2}?(?:r[au]n|execut(?:e|ed|ing)|call(?:ed|ing)?|invoked?|perform(?:ed)?|issued?|trigger(?:ed)?|carry|comply|(?:make|made|send|sent)\s++(?:\w++\s++){0,3}?(?:calls?|requests?))\b",
    re.IGNORECASE,
)
"""Words of somebody who does not make the call that follows."""
_INTENT = re.compile(
    r"\b(?:I['’]ll|I will|I['’]m|I am|I need|I should|I want|I have|I can|let me|let['’]s|now|next|calling|running|checking|using|first|then)\b",
    re.IGNORECASE,
)  # fmt: skip


def obstacle(before: str) -> str:
    """Why a call that begins after this text is none; empty when nothing speaks against it.

    `before` is the text since the last thing that was no text, as far back as it counts.
    """
    head, _, line = before.rpartition("\n")
    if before[-1:] in _QUOTES or _in_quotes(before.rpartition("\n\n")[2]) or _in_literal(before):
        return "quoted"
    if _is_listed(line):
        return "listed"
    above = line if line.strip() else head.rpartition("\n")[2]
    if _LOG.match(above) or _COMMENT.match(line):
        return "logged"
    if _in_transcript(before):
        return "transcript"
    if _INDENTED.match(line) and head.strip():
        return "code"
    if declined(before):
        return "declined"
    return "documented" if documented(before) else ""


def _is_listed(line: str) -> bool:
    """Whether a call stands in an item of a list, a row of a table or a line of a diff."""
    if _LISTED.match(line) or line.strip() in ("+", "-") or " | " in line:
        return True
    return _ITEM.match(line) is not None and _INTENT.search(line) is None


def documented(before: str) -> bool:
    """Whether the last sentence before a call announces an example, and not the call itself."""
    sentence = _last_sentence(before)
    if _INTENT.search(sentence) is not None:
        return False
    if _EXAMPLE.search(sentence) is not None:
        return True
    return sentence[-1:] not in _STOPS and _CUE.search(sentence) is not None


def declined(before: str) -> bool:
    """Whether the last sentence before a call says that it is not made."""
    sentence = _last_sentence(before)
    said = _DECLINED.search(sentence)
    return said is not None and _INTENT.search(sentence, said.end()) is None


def _last_sentence(before: str) -> str:
    """The sentence that ends where a call begins, or goes on with it."""
    line = before.rstrip()[-300:].rpartition("\n")[2]
    begins = 0
    for match in _SENTENCE.finditer(line):
        begins = match.end()
    return line[begins:]


def _in_transcript(before: str) -> bool:
    """Whether somebody else speaks right before a call, or a talk is told that it is a part of."""
    last = before.rstrip()
    paragraph = len(last.rpartition("\n\n")[0])
    asked = False
    for match in _SPEAKER.finditer(before):
        if asked if match["answers"] else match.start() >= paragraph:
            return True
        asked = asked or bool(match["asks"])
    return False


def indented(before: str) -> bool:
    """Whether the line of a call is set in as code is."""
    return _INDENTED.match(before.rpartition("\n")[2]) is not None


def mid_sentence(before: str) -> bool:
    """Whether the line before a call breaks off in a sentence."""
    line = before.rpartition("\n")[2].rstrip()
    return bool(line) and line[-1] not in _SENTENCE_END


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


def _in_quotes(paragraph: str) -> bool:
    """Whether a quotation is open at the end of a paragraph."""
    if any(paragraph.rfind(opener) > paragraph.rfind(closer) for opener, closer in _PAIRS):
        return True
    is_open = False
    for match in _STRAIGHT.finditer(paragraph):
        is_open = not is_open and paragraph[match.start() - 1 : match.start()] in _BEFORE_OPENING
    return is_open
