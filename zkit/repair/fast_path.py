"""Read the commonest misspellings in one pass over the tokens, without a search.

Single quotes, bare keys, literals of Python, raw line ends and trailing commas: tokens whose spelling is off, in
a text whose structure is valid. A law proves that the result is the one of the search, which takes four times as
long; whatever is not covered here is left to it.
"""

from __future__ import annotations

import re

from zkit.receipt import Fix
from zkit.repair.evidence.strings import respell
from zkit.repair.fixes import EXACT, FIXES, GUESS, RESPELL, fix_named
from zkit.repair.limits import FAST_WITHIN
from zkit.repair.locate.layers import begins_marked
from zkit.repair.locate.starts import is_argument
from zkit.repair.outcome import DAMAGED, Candidate, Task
from zkit.repair.rivals import may_be_another
from zkit.repair.strict_parse import strict
from zkit.text import lexis

_S = lexis.SPACE
_NEXT = rf"(?={_S}[,}}\]])"
_VALID = rf"(?:{lexis.STRING}|[{{}}\[\]:]|,(?!{_S}[,}}\]])|{lexis.NUMBER}|(?:true|false|null)(?!\w)|[ \t\n\r]++)++"
_TOKEN = re.compile(
    rf"(?P<valid>{_VALID})|(?P<comma>,)(?={_S}[}}\]])"
    rf"|(?P<single>'[^'\\]*+(?:\\.[^'\\]*+)*+')(?={_S}[,:}}\]])"
    r"|(?P<comment>//[^\n\"'.…]*+(?=\n)|/\*[^*\"'.…]*+\*/)"
    rf"|(?P<key>{lexis.NAME})(?={_S}:(?!/))"
    rf"|(?P<word>True|False|None|TRUE|FALSE|NULL|Null){_NEXT}"
    rf"|(?P<raw>\"[^\"\\]*+(?:{lexis.ESCAPE}[^\"\\]*+)*+\"){_NEXT}"
)
"""A run of strict tokens, or one token whose spelling is off."""
_JSON_WORDS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_KEY_PLACES = frozenset("{,")


def read_misspelled(task: Task, start: int, end: int) -> Candidate | None:
    """The value of a span in which only tokens are misspelled; None if there is more to it, or less."""
    if end - start > FAST_WITHIN or task.limit < RESPELL or task.finish_reason == "length":
        return None
    end = lexis.last_sign(task.text, end)
    found = _respelled(task.text, start, end)
    if found is None:
        return None
    json, fixes = found
    value = strict(json)
    if value is None or (task.evidence is not None and not task.evidence.fits(value[0])):
        return None
    if may_be_another(task.text, fixes, task.evidence):
        return None
    rank = max((fix.rank for fix in fixes), default=EXACT)
    return Candidate(start, end, value, fixes, rank, fits=True, refusal=DAMAGED, json=json)


def _respelled(text: str, pos: int, end: int) -> tuple[str, list[Fix]] | None:
    """The span as JSON writes it, and the fixes; None at the first token that is not one of these."""
    pieces: list[str] = []
    fixes: list[Fix] = []
    last = ""
    while pos < end:
        match = _TOKEN.match(text, pos, end)
        if match is None:
            return None
        kind, token = match.lastgroup, match[0]
        if kind != "valid":
            fix = _fix(kind or "", token, match.start(), last)
            if fix is None:
                return None
            fixes.append(fix)
            token = fix.new
        pieces.append(token)
        last = token.rstrip()[-1:] or last
        pos = match.end()
    return "".join(pieces), fixes


def _fix(kind: str, token: str, start: int, last: str) -> Fix | None:
    """The fix of one token; None if it may be more than a misspelling at its place, after the mark `last`."""
    end = start + len(token)
    if kind == "comma":
        return fix_named("drop_trailing_comma", start, end, "")
    if kind == "comment":
        return fix_named("drop_comment", start, end, "")
    if kind == "single":
        spelled = respell(token[1:-1], "'")
        if spelled is None or spelled.rank >= GUESS:
            return None
        doc = spelled.note or FIXES["use_double_quotes"].doc
        return Fix("use_double_quotes", RESPELL, start, end, f'"{spelled.body}"', doc)
    if kind == "key":
        return fix_named("quote_key", start, end, f'"{token}"') if last in _KEY_PLACES else None
    if kind == "word":
        return fix_named("respell_literal", start, end, _JSON_WORDS.get(token, "null"))
    spelled = respell(token[1:-1]) if last != "{" else None
    if spelled is None or spelled.rank >= GUESS:
        return None
    doc = spelled.note or FIXES[spelled.name].doc
    return Fix(spelled.name, spelled.rank, start, end, f'"{spelled.body}"', doc)


_QUOTED = r"(?:\"\w[\w .-]{0,40}+\"|'\w[\w .-]{0,40}+')(?!\s*+(?:[:=)]|,\s*+[\"']))"
_PROSE = rf"(?:[^{{}}\[\]<>\"'`~\\&|=“”„«»‘’◁]++|(?<=\w)['’]|{_QUOTED})*+"
"""Nothing that may begin, end or hold another value, or say what the text around a value is."""
_FENCE = r"(```|~~~)"
_BEFORE = re.compile(rf"{_PROSE}(?:{_FENCE}(?:json)?+[ \t]*+\n\s*+)?+")
_AFTER = re.compile(rf"\s*+{_FENCE}?+{_PROSE}")
_NO_WORDS = re.compile(rf"{lexis.GAP},|[ \t]*+[\"'\w.]|\s*+[#>|]", re.MULTILINE)


def read_in_prose(task: Task) -> Candidate | None:
    """The one valid object of a text with plain prose around it, and perhaps a fence; None if there is more to it."""
    text, evidence = task.text, task.evidence
    start, end = text.find("{"), text.rfind("}") + 1
    before = _BEFORE.fullmatch(text, 0, start) if start >= 0 else None
    after = _AFTER.fullmatch(text, end) if before is not None else None
    if before is None or after is None or before[1] != after[1] or _NO_WORDS.match(text, end):
        return None
    if is_argument(text, start) or begins_marked(text, start):
        return None
    value = strict(text[start:end])
    if not value or not value[0] or (evidence is not None and not evidence.fits(value[0])):
        return None
    return Candidate(start, end, value, (), EXACT, fits=True, refusal=DAMAGED)
