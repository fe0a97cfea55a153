"""The text before a call in, the reason why it is none out: quoted, listed, logged, documented."""

from __future__ import annotations

import re
import unicodedata

REACH = 800
"""How far back the text before a call is looked at."""
LEAD_IN = 500
"""How long the text before a call without a marker may be."""
MOST_ASIDE = 400
"""How far after a call it is waited for another one in its line."""
MOST_QUOTED = 4000
"""How far after a call the end of a quotation is waited for."""

_LOG = re.compile(
    r"\s*+(?:\[?[0-9]{4}-[0-9]{2}-[0-9]{2}[T _,|]{1,3}+\[?[0-9]{1,2}:[0-9]{2}|\[?[0-9]{4}-[0-9]{2}-[0-9]{2}\]|\[?[0-9]{1,2}:[0-9]{2}:[0-9]{2}|\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL)\b|level=|\$ [\w./]|[A-Za-z]{3} [ 0-9][0-9] [0-9]{2}:)"
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
_ELEMENT = re.compile(
    r"^[ \t]*+<(?P<open>[A-Za-z][\w:.-]*+)(?:\s[^<>]*+)?+(?<!/)>|</(?P<close>[A-Za-z][\w:.-]*+)\s*+>",
    re.MULTILINE,
)
_ASSIGNS = frozenset("=$&")
"""After these a call is a value in code, or a command of a shell."""
_STRAIGHT = re.compile(r"\"")
_BEFORE_OPENING = frozenset({"", *" \t\n([{:=,—–-"})
_CLOSERS = {"“": "”", "„": "“”", "«": "»", "「": "」", "『": "』"}
_ANY_QUOTE = re.compile(r"[\"“”„«»「」『』]")
_SENTENCE_END = frozenset(".:!?;…。！？：；)]}>*_~")
_SENTENCE = re.compile(
    r"(?<!e\.g)(?<!i\.e)(?<![\W_][0-9])[.!?…][\"'”’)\]*_]*+\s++(?=\S)|[。！？](?=\S)"
)
"""Where a sentence ends and the next one begins."""
_ANNOUNCES = frozenset(":：")
"""A line that ends so may be half of a sentence that goes on after what it announces."""
_GOES_ON = frozenset(",;，、；")
"""What goes on with a sentence that a line broke off."""
_EXPLAINS = frozenset(",;:—–→←=(#/&-，、；：（")
"""What goes on right after a call that is only spoken of."""
_STOPS = frozenset(".!?…。！？")
"""After a sentence that ends so, what follows is not a part of it."""
_EXAMPLE = re.compile(
    r"\b(?:for (?:example|instance)|e\.g\.|examples?|samples?|syntax|templates?|look something like|as shown|like (?:this|so)|usage(?=\s*+:)"
    r"|(?:one|clients?|models?|servers?|agents?) (?:would|writes?|sends?|emits?|calls?|invokes?)"
    r"|is (?:written|spelled|documented|formatted)|(?:form|format|notation|shape|markup|structure)(?: (?:is|was|of|for|that|looks)|:))(?!\w)",
    re.IGNORECASE,
)
"""Words for an example: they count in any sentence right before a call."""
_EXAMPLE_ELSEWHERE = re.compile(
    r"beispiel|z\. ?b\.|syntax|vorlage|s(?:ieht|ähe)\b.{0,40}\baus|ejemplo|p\. ?ej\.|sintaxis|exemple|par ex\.|exemplo|sintaxe|esempio|sintassi"
    r"|voorbeeld|przykład|składni|пример|синтаксис|приклад|örne[kğ]|ví dụ|contoh|παράδειγμα|příklad|exempel|eksempel|esimerk|példa|exemplu"
    r"|例如|示例|举例|舉例|例子|例[:：]|比如|用例|格式(?:如下|为|為|是|[:：])|语法|語法|例えば|構文|書式|예시|예를 들|예[:：]|문법|مثال|דוגמה|उदाहरण|ตัวอย่าง",
    re.IGNORECASE,
)
"""The same in other languages: a stem of a word is enough."""
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
    r"\s++(?:\w++\s++){0,2}?(?:r[au]n|execut(?:e|ed|ing)|call(?:ed|ing)?|invoked?|perform(?:ed)?|issued?|trigger(?:ed)?|carry|comply|do(?:ing)?|(?:make|made|send|sent)\s++(?:\w++\s++){0,3}?(?:calls?|requests?))\b",
    re.IGNORECASE,
)
"""Words of somebody who does not make the call that follows."""
_DECLINED_ELSEWHERE = re.compile(
    r"\bnicht\b.{0,30}\b(?:ausführ|aufruf|auf\b)|\b(?:führe|rufe|starte)\b.{0,30}\bnicht\b|\bno\b.{0,20}\b(?:ejecut|llam(?:o|ar|aré)|invoc)"
    r"|\bn[e']\s?.{0,30}\bpas\b.{0,20}(?:exécut|appel|lanc)|\bn[e'](?:\s?)(?:exécut|appell|lanc)\w*\s+pas\b|\bnão\b.{0,20}\b(?:execut|cham)|\bnon\b.{0,20}\b(?:esegu|chiam)"
    r"|\bне\b.{0,20}(?:выполн|вызыв|вызов|запуск|запущ)|[不没沒](?:会|會|能|要|应|應|该|該|想|有|得)*(?:去)?(?:执行|執行|调用|調用|运行|運行|呼叫)|(?:実行|呼び出し|呼出)(?:しません|しない|できません|は行いません)|(?:실행|호출)하지\s?않",
    re.IGNORECASE,
)
"""The same in other languages, as far as one sentence says it."""
_CONDITION = re.compile(
    r"\b(?:if|once|when|unless|until|after) you (?:confirm|agree|approve|allow|want|wish|like|say|tell|let)\b",
    re.IGNORECASE,
)
"""Words of somebody who would make the call that follows, if the reader said so."""
_INTENT = re.compile(
    r"\b(?:I['’]ll|I will|I['’]m|I am|I need|I should|I want|I have|I can|let me|let['’]s|now|next|calling|running|checking|using|first|then)\b",
    re.IGNORECASE,
)  # fmt: skip


def obstacle(before: str) -> str:
    """Why a call that begins after this text is none; empty when nothing speaks against it.

    `before` is the text since the last thing that was no text, as far back as it counts.
    """
    head, _, line = before.rpartition("\n")
    if before[-1:] in _QUOTES or _in_literal(before):
        return "quoted"
    if _is_listed(line):
        return "listed"
    above = line if line.strip() else head.rpartition("\n")[2]
    if _LOG.match(above) or _COMMENT.match(line):
        return "logged"
    if _in_transcript(before):
        return "transcript"
    if (_INDENTED.match(line) and head.strip()) or line.rstrip()[-1:] in _ASSIGNS:
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
    if _EXAMPLE.search(sentence) is not None or _EXAMPLE_ELSEWHERE.search(sentence) is not None:
        return True
    return sentence[-1:] not in _STOPS and _CUE.search(sentence) is not None


def declined(before: str) -> bool:
    """Whether the last sentence before a call says that it is not made, or not yet."""
    sentence = _last_sentence(before)
    if _CONDITION.search(sentence) is not None:
        return True
    said = _DECLINED.search(sentence) or _DECLINED_ELSEWHERE.search(sentence)
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
    return _breaks_off(before.rpartition("\n")[2])


def _breaks_off(line: str) -> bool:
    line = line.rstrip()
    return bool(line) and line[-1] not in _SENTENCE_END


def awaited(before: str) -> frozenset[str]:
    """What the text after a call still has to confirm, given the text before it.

    `line`: that nothing follows in the line of a call that stands in a sentence. `remark`: that
    what follows in its line does not speak of it. `aside`: the same of a call that the line itself
    announces, unless that leads on to another call. `sentence`: that the sentence of the line above
    does not go on after it. `quote`: that no quotation which is open before it is closed after it;
    a lone quote, or an inch, closes nowhere.
    """
    head, _, line = before.rpartition("\n")
    waits = {"quote"} if open_quote(before) else set[str]()
    if _breaks_off(line):
        return frozenset({*waits, "line"})
    if line.strip():
        waits |= {"aside"}
    else:
        above = head.rpartition("\n")[2].rstrip()
        goes_on = _breaks_off(above) or above[-1:] in _ANNOUNCES
        waits |= {"remark", "sentence"} if goes_on else {"remark"}
    return frozenset(waits)


def confirmed(awaits: frozenset[str], after: str, closers: str) -> bool | None:
    """Whether the text after a call confirms it; None as long as that is not decided."""
    verdicts = [_CONFIRMS[one](after, closers) for one in awaits]
    if False in verdicts:
        return False
    return None if None in verdicts else True


def _nothing_follows(after: str, closers: str) -> bool | None:
    return False if after.strip() else None


def _line_ends(after: str, closers: str) -> bool | None:
    line, newline, _ = after.partition("\n")
    return False if line.strip() else (_sentence_ends(after, closers) if newline else None)


def _no_remark(after: str, closers: str) -> bool | None:
    """Whether the rest of the line is a text of its own: it says nothing about the call before it."""
    line, newline, _ = after.partition("\n")
    solid = line.strip()
    if not solid:
        return True if newline else None
    spoken_of = solid[0].islower() or solid[0] in _EXPLAINS or solid.startswith("<-")
    return not (spoken_of or unicodedata.category(solid[0]) == "Lo")


def _no_aside(after: str, closers: str) -> bool | None:
    """Whether the rest of the line does not go on about the call that it has announced."""
    line, newline, _ = after.partition("\n")
    verdict = _no_remark(after, closers)
    return None if verdict is False and not newline and len(line) <= MOST_ASIDE else verdict


def _sentence_ends(after: str, closers: str) -> bool | None:
    """Whether the next word begins something new: another paragraph, or a sentence."""
    solid = after.lstrip()
    blank = after[: len(after) - len(solid)]
    if blank.count("\n") > 1:
        return True
    if not solid:
        return None
    return not (solid[0].islower() or solid[0] in _GOES_ON)


def _quote_stays_open(after: str, closers: str) -> bool | None:
    """Whether the next quote does not close the one that is open before the call."""
    for match in _ANY_QUOTE.finditer(after):
        mark = match.group()
        begins = after[match.start() - 1 : match.start()] in _BEFORE_OPENING
        if mark in closers and not (mark == '"' and match.start() and begins):
            return False
        if mark == '"' or mark in _CLOSERS:
            return True
    return True if len(after) > MOST_QUOTED else None


_CONFIRMS = {
    "end": _nothing_follows,
    "line": _line_ends,
    "remark": _no_remark,
    "aside": _no_aside,
    "sentence": _sentence_ends,
    "quote": _quote_stays_open,
}


def in_markup(before: str) -> bool:
    """Whether an element is open that a line began: what follows is a part of a document."""
    elements: list[str] = []
    for match in _ELEMENT.finditer(before):
        if match["open"]:
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
    for opener, closers in _CLOSERS.items():
        if before.rfind(opener) > max(before.rfind(closer) for closer in closers):
            return closers
    is_open = False
    for match in _STRAIGHT.finditer(before):
        is_open = not is_open and before[match.start() - 1 : match.start()] in _BEFORE_OPENING
    return '"' if is_open else ""
