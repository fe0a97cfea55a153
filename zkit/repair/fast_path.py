"""Read the commonest damages in one pass over the tokens, without a search.

Quotes of other kinds, bare keys, literals and numbers of other languages, raw line ends, comments, odd white space
and trailing commas are tokens whose spelling is off, in a text whose structure is valid. Where all tokens are valid,
the strict parser says which comma, colon or closer is missing. A law proves that the result is the one of the search,
which takes four times as long; whatever is not covered here is left to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from zkit.receipt import Fix
from zkit.repair.evidence.strings import may_be_script, respell
from zkit.repair.expect import Evidence
from zkit.repair.fixes import COMPLETE, EXACT, FIXES, GUESS, RESPELL, fix_named
from zkit.repair.limits import FAST_WITHIN, MOST_SLIPS
from zkit.repair.locate.layers import begins_marked
from zkit.repair.locate.starts import is_argument
from zkit.repair.moves.bare import spell_number
from zkit.repair.outcome import DAMAGED, Candidate, Task
from zkit.repair.rivals import beyond_doubt, may_be_another
from zkit.repair.strict_parse import parts_of, place_in, strict, verdict
from zkit.text import lexis

_S = lexis.SPACE
_NEXT = rf"(?={_S}[,}}\]])"
_VALID = rf"(?:{lexis.STRING}|[{{}}\[\]:]|,(?!{_S}[}}\]])|{lexis.NUMBER}|(?:true|false|null)(?!\w)|[ \t\n\r]++)++"
_DIGITS = r"[0-9][0-9_]*+"
_TOKEN = re.compile(
    rf"(?P<valid>{_VALID})|(?P<comma>,)(?={_S}[}}\]])"
    rf"|(?P<simple>{lexis.SIMPLE})(?={_S}[,:}}\]])|(?P<single>'[^'\\]*+(?:\\.[^'\\]*+)*+')(?={_S}[,:}}\]])"
    rf"|(?P<other>`[^`\\\"]*+`|“[^”“\\\"]*+”|”[^”“\\\"]*+”)(?={_S}[,:}}\]])"
    rf"|(?P<comment>//[^\n\"'.…]*+(?=\n)|/\*[^*\"'.…]*+\*/)(?!{_S}(?::|\Z))"
    rf"|(?P<remark>(?://|#[ ])(?!\s*+[.…])[^\n]*+(?=\n)|/\*(?!\s*+[.…])[^*]*+\*/)(?!{_S}(?::|\Z))"
    rf"|(?P<key>{lexis.NAME})(?={_S}:(?!/))"
    rf"|(?P<word>True|False|None|TRUE|FALSE|NULL|Null|undefined){_NEXT}"
    rf"|(?P<number>[+-]?+(?:0[xX][0-9a-fA-F]++|{_DIGITS}(?:\.[0-9_]*+)?+|\.[0-9]++)){_NEXT}"
    rf"|(?P<raw>\"[^\"\\]*+(?:\\.[^\"\\]*+)*+\"){_NEXT}"
    rf"|(?P<space>[{lexis.ODD}][ \t\n\r{lexis.ODD}]*+)(?![:/#]|\Z)"
    r"|(?P<colon>=>|=(?!=)|->|→|：)",
    re.DOTALL,
)
"""A run of strict tokens, or one token whose spelling is off."""
_JSON_WORDS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_KEY_PLACES = frozenset("{,")
_VALUE_PLACES = frozenset(":[,")
_MARKS = frozenset("{}[],")
_UNDEFINED = len("undefined")
_QUOTES_DOC = FIXES["use_double_quotes"].doc
_new = tuple.__new__


def read_misspelled(task: Task, start: int, end: int) -> Candidate | None:
    """The value of a span in which tokens are misspelled, or marks are missing; None if there is more to it, or less."""
    if end - start > FAST_WITHIN or task.limit < RESPELL or task.finish_reason == "length":
        return None
    text, evidence = task.text, task.evidence
    end = lexis.last_sign(text, end)
    found = _respelled(text, start, end)
    if found is None:
        return None
    json, fixes = found
    judged = verdict(json)
    if isinstance(judged, str):
        if fixes or start or end < len(text) or task.limit < COMPLETE:
            return None
        return _with_marks(task, json, judged)
    if evidence is not None and not _fits(evidence, judged[0], fixes):
        return None
    rank = max((fix.rank for fix in fixes), default=EXACT)
    candidate = Candidate(start, end, judged, fixes, rank, fits=True, refusal=DAMAGED, json=json)
    if any(fix.name == "use_colon" for fix in fixes):
        return _undoubted(task, candidate)
    return None if may_be_another(text, fixes, evidence) else candidate


def _fits(evidence: Evidence, value: Any, fixes: list[Fix]) -> bool:
    """Whether a value fits, and so does each number or word whose spelling was off: it may be text, or left out."""
    if not evidence.fits(value) or any(
        fix.end - fix.start == _UNDEFINED for fix in fixes if fix.name == "respell_literal"
    ):
        return False
    return all(fix.name != "respell_number" for fix in fixes) or evidence.suits(value)


def _undoubted(task: Task, candidate: Candidate) -> Candidate | None:
    """The candidate, if it has no rival; the search decides about all others."""
    settled = beyond_doubt(task, candidate)
    return candidate if settled is candidate else None


def _respelled(text: str, pos: int, end: int) -> tuple[str, list[Fix]] | None:
    """The span as JSON writes it, and the fixes; None at the first token that is not one of these."""
    pieces: list[str] = []
    fixes: list[Fix] = []
    last = ""
    while pos < end:
        match = _TOKEN.match(text, pos, end)
        if match is None:
            return None
        kind, token, pos = match.lastgroup, match[0], match.end()
        if kind == "valid":
            last = token.rstrip()[-1:] or last
        elif kind == "space":
            last_piece = pieces[-1] if last != ":" else ""
            blank = len(last_piece) - lexis.last_sign(last_piece, len(last_piece))
            fixes.append(fix_named("plain_space", match.start() - blank, pos, " "))
            pieces[-1] = pieces[-1][: len(pieces[-1]) - blank]
            token = " "
        else:
            fix = _FIXED[kind or ""](token, match.start(), last)
            if fix is None:
                return None
            fixes.append(fix)
            token = fix[4]
            last = token[-1:] or last
        pieces.append(token)
    return "".join(pieces), fixes


def _comma(token: str, start: int, _: str) -> Fix:
    return fix_named("drop_trailing_comma", start, start + 1, "")


def _comment(token: str, start: int, _: str) -> Fix:
    return fix_named("drop_comment", start, start + len(token), "")


def _remark(token: str, start: int, last: str) -> Fix | None:
    """A comment that holds a quote or a dot: only after a mark it cannot be the rest of a string."""
    return _comment(token, start, last) if last in _MARKS else None


def _simple(token: str, start: int, _: str) -> Fix:
    """A string in single quotes whose content means the same between double quotes."""
    end = start + len(token)
    return _new(
        Fix, ("use_double_quotes", RESPELL, start, end, f'"{token[1:-1]}"', _QUOTES_DOC, "")
    )


def _other_quotes(token: str, start: int, last: str) -> Fix | None:
    """A string in single quotes, backticks or typographic quotes."""
    quote, body = token[0], token[1:-1]
    if quote == "`" and "${" in body:
        return None
    spelled = respell(body, quote)
    if spelled is None or spelled.rank >= GUESS:
        return None
    doc = spelled.note or _QUOTES_DOC
    return _new(
        Fix, ("use_double_quotes", RESPELL, start, start + len(token), f'"{spelled.body}"', doc, "")
    )


def _key(token: str, start: int, last: str) -> Fix | None:
    if last not in _KEY_PLACES:
        return None
    return fix_named("quote_key", start, start + len(token), f'"{token}"')


def _word(token: str, start: int, _: str) -> Fix:
    return fix_named("respell_literal", start, start + len(token), _JSON_WORDS.get(token, "null"))


def _number(token: str, start: int, last: str) -> Fix | None:
    new = spell_number(token) if last in _VALUE_PLACES else None
    return None if new is None else fix_named("respell_number", start, start + len(token), new)


def _colon(token: str, start: int, last: str) -> Fix | None:
    return fix_named("use_colon", start, start + len(token), ":") if last == '"' else None


def _raw(token: str, start: int, last: str) -> Fix | None:
    """A string with control characters or escapes that JSON does not know."""
    spelled = respell(token[1:-1]) if last != "{" and not may_be_script(token) else None
    if spelled is None or spelled.rank >= GUESS:
        return None
    doc = spelled.note or FIXES[spelled.name].doc
    return Fix(spelled.name, spelled.rank, start, start + len(token), f'"{spelled.body}"', doc)


_FIXED: dict[str, Callable[[str, int, str], Fix | None]] = {
    "comma": _comma,
    "comment": _comment,
    "remark": _remark,
    "simple": _simple,
    "single": _other_quotes,
    "other": _other_quotes,
    "key": _key,
    "word": _word,
    "number": _number,
    "colon": _colon,
    "raw": _raw,
}
"""For each kind of token, its fix after the mark before it; None if it may be more than a misspelling there."""


# ── missing marks ───────────────────────────────────────────────────────────


def _with_marks(task: Task, json: str, complaint: str) -> Candidate | None:
    """The value of a text of valid tokens, with the marks that the strict parser misses, or without one too many."""
    text, evidence, added = task.text, task.evidence, 0
    fixes: list[Fix] = []
    for _ in range(MOST_SLIPS):
        kind, place = parts_of(complaint)
        look = _SLIPS.get(kind)
        at = place_in(json, place) if look is not None else 0
        fix = look(json, at) if look is not None else None
        if fix is None or (fixes and not fix.name == fixes[0].name == "add_comma"):
            return None
        json = json[: fix.start] + fix.new + json[fix.end :]
        fixes.append(fix._replace(start=fix.start - added, end=fix.end - added))
        added += len(fix.new) - (fix.end - fix.start)
        judged = verdict(json)
        if not isinstance(judged, str):
            break
        complaint = judged
    else:
        return None
    if evidence is not None and not evidence.holds(judged[0]):
        return None
    found = Candidate(0, len(text), judged, fixes, COMPLETE, fits=True, refusal=DAMAGED, json=json)
    return _undoubted(task, found)


def _missing_comma(json: str, at: int) -> Fix | None:
    """A key follows a value, or an object another one: the comma between them is missing."""
    end = lexis.last_sign(json, at)
    if end == at or not (_KEY.match(json, at) or (json[at] == "{" and json[end - 1] == "}")):
        return None
    if _ends_escaped(json, end):
        return None
    return fix_named("add_comma", end, end, ",")


def _extra_comma(json: str, at: int) -> Fix | None:
    """A second comma, or one before the first item."""
    before = lexis.last_sign(json, at)
    if not json.startswith(",", at) or _TWO_COMMAS.match(json, at):
        return None
    if json[before - 1] not in ",[" and before > 1:
        return None  # the comma after the brace of an inner object may stand for its closer
    return fix_named("drop_comma", at, at + 1, "")


def _missing_colon(json: str, at: int) -> Fix | None:
    """A value follows a key: the colon between them is missing."""
    end = lexis.last_sign(json, at)
    if not _VALUE.match(json, at) or json[end - 2] == ":" or json.startswith('":', end):
        return None
    return fix_named("add_colon", end, end, ":")


def _missing_end(json: str, at: int) -> Fix | None:
    """The text ends after a value, and closers are missing."""
    if json[-1] not in _WHOLE or _ends_escaped(json, len(json)):
        return None
    due: list[str] = []
    for mark in filter(None, _BRACKETS.findall(json)):
        if mark in _CLOSERS:
            due.append(_CLOSERS[mark])
        else:
            due.pop()
    return fix_named("close_at_end", len(json), len(json), "".join(reversed(due)))


def _ends_escaped(json: str, end: int) -> bool:
    """Whether a string with escapes ends there: before a missing mark, the search asks what they mean."""
    return json[end - 1] == '"' and "\\" in json[lexis.quote_before(json, end - 1) : end]


_TWO_COMMAS = re.compile(rf",{_S},")
_VALUE = re.compile(rf"\"[^\"\\]*+\"{_S}[,}}]|[{{\[0-9tfn-]")
_KEY = re.compile(rf"{lexis.STRING}{_S}:")
_BRACKETS = re.compile(rf"{lexis.STRING}|([{{}}\[\]])")
"""A string, or a bracket outside of strings."""
_CLOSERS = {"{": "}", "[": "]"}
_WHOLE = frozenset('"}]el')
"""The last character of a value that cannot go on, as a number could."""
_SLIPS: dict[str, Callable[[str, int], Fix | None]] = {
    "expected `,` or `}`": _missing_comma,
    "expected `,` or `]`": _missing_comma,
    "expected `:`": _missing_colon,
    "key must be a string": _extra_comma,
    "expected value": _extra_comma,
    "EOF while parsing an object": _missing_end,
    "EOF while parsing a list": _missing_end,
}
"""What may be missing, or too many, by the complaint of the strict parser."""


# ── prose ───────────────────────────────────────────────────────────────────


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
