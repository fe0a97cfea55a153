"""Repair the most common damage in one pass over the tokens, without a search.

It handles tokens in another spelling, in a text whose structure is valid: other quotes, bare keys, literals and numbers
of other languages, raw line ends, comments, odd white space and trailing commas. If all tokens are valid, the error of the
strict parser shows which comma, colon or closer is missing. A law proves that the result equals that of the search
(tests/test_laws_fast_path.py), which takes four times as long; everything else is left to the search.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from zkit.expect import Evidence
from zkit.receipt import Fix, highest
from zkit.repair.evidence.strings import may_be_script, respell
from zkit.repair.evidence.structure import swallows
from zkit.repair.fixes import COMPLETE, EXACT, FIXES, GUESS, RESPELL, UNWRAP, fix_named
from zkit.repair.limits import FAST_WITHIN, MOST_BLANK_PIECES, MOST_ODD, MOST_SLIPS
from zkit.repair.locate.starts import is_argument, reasoning_end
from zkit.repair.moves.after_value import OPERATION
from zkit.repair.moves.bare import spell_number
from zkit.repair.moves.missing_quotes import BARE_KEY_END, BLANKS_AND_OPENERS, KEY_TAIL
from zkit.repair.moves.string_ends import begins_again, oddness
from zkit.repair.outcome import DAMAGED, Candidate, Task
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.rivals import beyond_doubt, past_line
from zkit.repair.strict_parse import Parsed, error_at, parts_of, place_in, strict, verdict
from zkit.text import lexis

_S = lexis.SPACE
_DUE = rf"(?={_S}[,}}\]])"
_VALID = rf"(?:[ \t\n\r:{{}}\[\]]++|{lexis.STRING}|,(?!{_S}[}}\]])|{lexis.NUMBER}|(?:true|false|null)(?!\w))*+"
_DIGITS = r"[0-9][0-9_]*+"
# A run of strict tokens, and then the end or one token in another spelling.
_TOKEN = re.compile(
    rf"(?P<valid>{_VALID})(?:\Z|(?P<comma>,)(?={_S}[}}\]])"
    rf"|(?P<simple>{lexis.SIMPLE}|[“”][^”“\"\\\x00-\x1f]*+”|`[^`$\"\\\x00-\x1f]*+`)(?={_S}[,:}}\]])|(?P<single>{lexis.ANY_SINGLE})(?={_S}[,:}}\]])"
    rf"|(?P<other>`[^`\\\"]*+`|[“”][^”“\\]*+(?:\\.[^”“\\]*+)*+”|„[^„“”\\]*+(?:\\.[^„“”\\]*+)*+“|«[^«»\\]*+(?:\\.[^«»\\]*+)*+»)(?={_S}[,:}}\]])"
    rf"|(?P<apostrophe>'[^'\\\"\n]*+(?:(?<=[^\W\d_])'(?=[^\W\d_])[^'\\\"\n]*+)++')(?={_S}(?:\}}|,{_S}['\"][^'\"\\\n]{{1,80}}+['\"]{_S}:))"
    rf"|(?P<comment>//[^\n\"'.…]*+(?=\n)|/\*[^*\"'.…]*+\*/)(?!{_S}(?::|\Z))"
    rf"|(?P<remark>(?://|#[ ])(?!\s*+[.…])[^\n]*+(?=\n)|/\*(?!\s*+[.…])[^*]*+\*/)(?!{_S}(?::|\Z))"
    rf"|(?P<key>{lexis.NAME})(?={_S}:(?!/))"
    rf"|(?P<word>True|False|None|TRUE|FALSE|NULL|Null|undefined){_DUE}"
    rf"|(?P<number>[+-]?+(?:0[xX][0-9a-fA-F]++|{_DIGITS}(?:\.[0-9_]*+)?+|\.[0-9]++)){_DUE}"
    rf"|(?P<raw>{lexis.ANY_STRING}){_DUE}"
    rf"|(?P<space>[{lexis.ODD}][ \t\n\r{lexis.ODD}]*+)(?![:/#]|\Z)"
    r"|(?P<colon>=>|=(?!=)|->|→|：))",
    re.DOTALL,
)
_JSON_WORDS = {"True": "true", "TRUE": "true", "False": "false", "FALSE": "false"}
_MARKS = frozenset("{}[],")
_QUOTES_DOC = FIXES["use_double_quotes"].doc
_ONLY_SPACE = frozenset({"space"})
_new = tuple.__new__


def read_misspelled(task: Task, start: int, end: int, complaint: str = "") -> Candidate | None:
    """Return the value of a span with misspelled tokens or missing marks; None if it is damaged in another way, or valid.

    `complaint` is the strict parser's error for the text from `start` on, if known.
    """
    text, evidence, limit, finish_reason = task
    if end - start > FAST_WITHIN or limit < RESPELL or finish_reason == "length":
        return None
    if complaint.startswith(_IN_LAST_STRING):
        return None
    end = lexis.last_sign(text, end)
    found = _respelled(text, start, end)
    json, fixes, kinds = found or (text, [], set())
    if not fixes:
        if start or end < len(text) or not complaint:
            return None
        if found is None:
            return _with_marks(task, complaint, _IN_STRINGS) if limit >= GUESS else None
        if text.startswith("{{"):
            return _undoubled(task)
        return _with_marks(task, complaint, _SLIPS) if limit >= COMPLETE else None
    judged = strict(json)
    if judged is None or (evidence is not None and not evidence.fits(judged[0])):
        return None
    if "number" in kinds and evidence is not None and not evidence.suits(judged[0]):
        return None  # it may be meant as text
    if "apostrophe" in kinds:
        return _guessed(task, (start, end), json, judged, fixes)
    rank = UNWRAP if kinds == _ONLY_SPACE else RESPELL
    return _new(Candidate, (start, end, judged, fixes, rank, True, DAMAGED, json))


def _undoubled(task: Task) -> Candidate | None:
    """Return the value between doubled braces, as a template writes them; None if more is damaged.

    Cases: corpus/repair/doubled_braces.toml.
    """
    text, evidence, _, _ = task
    value = strict(text[1:-1]) if text.endswith("}}") else None
    if value is None or not value[0] or (evidence is not None and not evidence.fits(value[0])):
        return None
    size = len(text)
    fixes = [fix_named("drop_doubled_brace", at, at + 1, "") for at in (1, size - 1)]
    return Candidate(0, size, value, fixes, UNWRAP, fits=True, json=text[1:-1])


# The complaint about a string that never ends, after valid tokens.
_IN_LAST_STRING = "EOF while parsing a string"


def _respelled(text: str, pos: int, end: int) -> tuple[str, list[Fix], set[str | None]] | None:
    """Return the span as JSON, the fixes and the kinds of tokens; None at the first token of another kind."""
    pieces: list[str] = []
    fixes: list[Fix] = []
    kinds: set[str | None] = set()
    while True:
        match = _TOKEN.match(text, pos, end)
        if match is None:
            return None
        kind, start, stop = match.lastgroup, match.end(1), match.end()
        if kind == "valid":
            pieces.append(text[pos:end])
            return "".join(pieces), fixes, kinds
        pieces.append(text[pos:start])
        pos = stop
        kinds.add(kind)
        if kind == "simple":  # by far the most common
            new = f'"{text[start + 1 : stop - 1]}"'
            fixes.append(
                _new(Fix, ("use_double_quotes", RESPELL, start, stop, new, _QUOTES_DOC, ""))
            )
            pieces.append(new)
            continue
        fix = _fixed(kind, text, start, stop, pieces)  # type: ignore[arg-type]
        if fix is None:
            return None
        fixes.append(fix)
        pieces.append(fix[4])


def _last(pieces: list[str]) -> str:
    """Return the last character that is not white space; empty if it is too far back, as in a flood of comments."""
    for piece in pieces[: -MOST_BLANK_PIECES - 1 : -1]:
        if last := piece.rstrip()[-1:]:
            return last
    return ""


def _space(text: str, start: int, stop: int, pieces: list[str]) -> Fix | None:
    """Replace odd white space, and the plain white space before it unless that follows a colon."""
    last = _last(pieces)
    if not last:
        return None
    last_piece = pieces[-1] if last != ":" else ""
    blank = len(last_piece) - lexis.last_sign(last_piece, len(last_piece))
    if blank:
        pieces[-1] = last_piece[:-blank]
    return fix_named("plain_space", start - blank, stop, " ")


def _other_quotes(text: str, start: int, stop: int, pieces: list[str]) -> Fix | None:
    """Respell a string in single quotes, backticks or typographic quotes."""
    quote, body = text[start], text[start + 1 : stop - 1]
    if quote == "`" and "${" in body:
        return None
    spelled = respell(body, quote)
    if spelled is None or spelled.rank >= GUESS:
        return None
    fix = fix_named("use_double_quotes", start, stop, f'"{spelled.body}"')
    return fix._replace(note=spelled.note) if spelled.note else fix


def _apostrophe(text: str, start: int, stop: int, pieces: list[str]) -> Fix | None:
    """Respell a string in single quotes that holds apostrophes between letters."""
    body = text[start + 1 : stop - 1]
    if _last(pieces) != ":" or swallows(body, "'", closed=False) or oddness(body, "'", 0):
        return None
    return fix_named("escape_inner_quote", start, stop, f'"{body}"')


def _raw(text: str, start: int, stop: int, pieces: list[str]) -> Fix | None:
    """Respell a string with control characters or escapes that JSON does not know."""
    token = text[start:stop]
    if _last(pieces) == "{" or may_be_script(token):
        return None
    spelled = respell(token[1:-1])
    if spelled is None or spelled.rank >= GUESS:
        return None
    doc = spelled.note or FIXES[spelled.name].doc
    fix = Fix(spelled.name, spelled.rank, start, stop, f'"{spelled.body}"', doc)
    return None if spelled.name == "escape_control_character" and past_line(text, fix) else fix


# For each kind of token that has one spelling in JSON: the name of the fix, the characters that may
# come before it if not all, and its spelling, None if it has none.
_SPELLED: dict[str, tuple[str, frozenset[str] | None, Callable[[str], str | None]]] = {
    "comma": ("drop_trailing_comma", None, lambda token: ""),
    "comment": ("drop_comment", None, lambda token: ""),
    # A comment that holds a quote or a dot may be the rest of a string, except after a mark.
    "remark": ("drop_comment", _MARKS, lambda token: ""),
    "key": ("quote_key", frozenset("{,"), lambda token: f'"{token}"'),
    "word": ("respell_literal", None, lambda token: _JSON_WORDS.get(token, "null")),
    "number": ("respell_number", frozenset(":[,"), spell_number),
    "colon": ("use_colon", frozenset('"'), lambda token: ":"),
}
# For the other kinds, the function that fixes a token, given the JSON before it; None if it may be
# more than misspelled.
_FIXED: dict[str, Callable[[str, int, int, list[str]], Fix | None]] = {
    "single": _other_quotes,
    "other": _other_quotes,
    "apostrophe": _apostrophe,
    "raw": _raw,
    "space": _space,
}


def _fixed(kind: str, text: str, start: int, stop: int, pieces: list[str]) -> Fix | None:
    """Return the fix of a token; None if it may be more than misspelled."""
    row = _SPELLED.get(kind)
    if row is None:
        return _FIXED[kind](text, start, stop, pieces)
    name, places, spell = row
    if places is not None and _last(pieces) not in places:
        return None
    new = spell(text[start:stop])
    return None if new is None else fix_named(name, start, stop, new)


# ── missing marks ───────────────────────────────────────────────────────────


def _with_marks(task: Task, complaint: str, slips: Slips) -> Candidate | None:
    """Add the marks that the strict parser misses, or drop an extra one; None if that does not make the text valid."""
    json, added = task.text, 0
    fixes: list[Fix] = []
    for _ in range(MOST_SLIPS):
        kind, place = parts_of(complaint)
        look = slips.get(kind)
        fix = None if look is None else look(json, place_in(json, place))
        if fix is None or (fixes and (fix.name not in _REPEATED or fix.name != fixes[0].name)):
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
    return _guessed(task, (0, len(task.text)), json, judged, fixes)


def _guessed(
    task: Task, span: tuple[int, int], json: str, value: Parsed, fixes: list[Fix]
) -> Candidate | None:
    """Return the value of a text with repaired structure; None if the schema or a rival rules it out."""
    _, evidence, limit, _ = task
    if evidence is not None and not evidence.holds(value[0]):
        return None
    rank = highest(fixes)
    if rank == GUESS:
        if limit < GUESS or repeats_a_key(json, value[0]) or _names_a_key(fixes, evidence):
            return None
        json = ""
    found: Candidate = _new(Candidate, (*span, value, fixes, rank, True, DAMAGED, json))
    settled = beyond_doubt(task, found)
    return settled if settled.value is not None else None  # the search gives the reason


def _missing_comma(json: str, at: int) -> Fix | None:
    """Add a comma between a value and a key, or between two items of the same kind."""
    end = lexis.last_sign(json, at)
    if end == at or not (_KEY.match(json, at) or _is_item(json, end, at)):
        return None
    if _ends_escaped(json, end):
        return None
    return fix_named("add_comma", end, end, ",")


def _is_item(json: str, end: int, at: int) -> bool:
    """True if two objects, strings or numbers follow each other; three digits may continue the number before them."""
    kind, last = json[at], json[end - 1]
    if kind == '"':
        return last == '"'
    if kind in "-0123456789":
        return last.isdigit() and _GROUP.match(json, at) is None
    return kind == "{" and last == "}"


def _extra_comma(json: str, at: int) -> Fix | None:
    """Drop a second comma, or one before the first item."""
    before = lexis.last_sign(json, at)
    if not json.startswith(",", at) or _TWO_COMMAS.match(json, at):
        return None
    if json[before - 1] not in ",[" and before > 1:
        return None  # the comma after the brace of an inner object may replace its closer
    return fix_named("drop_comma", at, at + 1, "")


def _missing_colon(json: str, at: int) -> Fix | None:
    """Add a colon between a key and a value."""
    end = lexis.last_sign(json, at)
    if not _VALUE.match(json, at) or json[end - 2] == ":" or json.startswith('":', end):
        return None
    return fix_named("add_colon", end, end, ":")


def _ends_escaped(json: str, end: int) -> bool:
    """True if the string that ends here has escapes that may mean something else: the search decides that first."""
    content = json[lexis.quote_before(json, end - 1) + 1 : end - 1] if json[end - 1] == '"' else ""
    if "\\" not in content:
        return False
    spelled = respell(content)
    return spelled is None or spelled.body != content


# ── quotes in strings ───────────────────────────────────────────────────────


def _inner_quotes(json: str, at: int) -> Fix | None:
    """Escape the quotes inside a value: a word follows its apparent closing quote, and the real one precedes a comma and a key."""
    first = lexis.last_sign(json, at)
    if json[first - 1] != '"' or json[-1] != "}" or not _WORD.match(json, at):
        return None
    start = lexis.quote_before(json, first - 1)
    head = lexis.last_sign(json, start)
    if (
        json[head - 1] != ":"
        or _lacks_quote(json, start, first)
        or OPERATION.match(json, first - 1)
    ):
        return None
    end = _value_end(json, at)
    body = json[start + 1 : end - 1]
    if end < 0 or body[-1] == "\\" or body[0] == '"' or swallows(body, '"', closed=False):
        return None
    if lexis.NEVER_MEANT.search(json) or ("{" in body and begins_again(json, 0, body)):
        return None
    spelled = respell(body)
    if spelled is None or spelled.name != "escape_inner_quote":
        return None
    if oddness(body, '"', spelled.inner) > MOST_ODD:
        return None
    return _new(Fix, (spelled.name, GUESS, start, end, f'"{spelled.body}"', spelled.note, ""))


def _lacks_quote(json: str, start: int, first: int) -> bool:
    """True if the string up to `first`, or the one before it, may lack its closing quote or have it twice."""
    body = json[start + 1 : first - 1]
    stem = body.rstrip(BLANKS_AND_OPENERS)
    if not stem or body[-1] in '"\\' or (stem[-1] == "," and KEY_TAIL.match(json, first)):
        return True
    if stem[-1] == ":" and BARE_KEY_END.search(body):
        return True
    if _KEY_REST.match(json, first) and "\n" in body[len(body.rstrip()) :]:
        return True
    before = json.rfind('",', 0, start)
    return before > 0 and json[before - 1] in ":,={[ "


def _value_end(json: str, at: int) -> int:
    """Return the place after the first quote from `at` on that may end a value in an object; -1 if it is unclear."""
    for match in lexis.closers_of('"').finditer(json, at):
        end = match.end()
        if match[1] is not None and _MAY_END.match(json, end):
            return end if _ENDS.match(json, end) else -1
    return -1


def _names_a_key(fixes: list[Fix], evidence: Evidence | None) -> bool:
    """True if a fixed string holds what may be a key that the schema declares."""
    if evidence is None:
        return False
    return any(key in evidence.names for fix in fixes for key in _KEYS.findall(fix.new))


_WORD = re.compile(rf"(?!{lexis.KEY_AHEAD.pattern})(?:[\w$%@(]|\\\\)")
_KEY_REST = re.compile(r"[\w$-]{1,60}+\"\s*+:")
_KEYS = re.compile(r"(?:[\"',]|\\n)\s*+([^\"',:=\\\n]{1,80}+)\\?+[\"']?+\s*+[:=]")
_MAY_END = re.compile(
    rf"{lexis.NEXT_KEY.pattern}|{lexis.GAP}(?:\}}{_S}(?:[,}}\]\n]|\Z)|,{lexis.GAP}(?:{lexis.NAME}[\"']|\Z)|[\"'][^\"'\\\n]{{1,80}}+[\"']{lexis.GAP}:)"
)
_ENDS = re.compile(rf"{_S}(?:,{_S}\"[^\"\\\n]{{1,80}}+\"{_S}:|\}})")
_GROUP = re.compile(r"[0-9]{3}(?![0-9])")
_TWO_COMMAS = re.compile(rf",{_S},")
_VALUE = re.compile(rf"\"[^\"\\]*+\"{_S}[,}}]|[{{\[0-9tfn-]")
_KEY = re.compile(rf"{lexis.STRING}{_S}:")
Slips = dict[str, Callable[[str, int], Fix | None]]
# For each complaint of the strict parser, the function that adds the missing mark or drops an
# extra one.
_SLIPS: Slips = {
    "expected `,` or `}`": _missing_comma,
    "expected `,` or `]`": _missing_comma,
    "expected `:`": _missing_colon,
    "key must be a string": _extra_comma,
    "expected value": _extra_comma,
}
# The same for a text in which not all tokens are valid.
_IN_STRINGS: Slips = {
    "expected `,` or `}`": _inner_quotes,
}
# The fixes that a text may need several times.
_REPEATED = frozenset({"add_comma", "escape_inner_quote"})


# ── prose ───────────────────────────────────────────────────────────────────


_QUOTED = r"(?:\"\w[\w .-]{0,40}+\"|'\w[\w .-]{0,40}+')(?!\s*+(?:[:=)]|,\s*+[\"']))"
# Prose without marks that may begin, end or hold another value, or describe the value.
_PROSE = rf"(?:[^{{}}\[\]<>\"'`~\\&|=“”„«»‘’◁]++|(?<=\w)['’]|{_QUOTED})*+"
_FENCE = r"(```|~~~)"
_TAG = r"<(?:[|｜])?+(?!/|param|arg|value|field|item|property)[A-Za-z_][\w:.-]{0,60}+(?:[|｜])?+>"
_BEFORE = re.compile(
    rf"{_PROSE}(?:{_FENCE}(?:json)?+[ \t]*+\n\s*+|(?P<tag>{_TAG})(?:assistant\n)?+\s*+)?+"
)
_AFTER = re.compile(rf"\s*+(?:{_FENCE}|</?+[|｜\w][\w:.-]{{0,60}}+[|｜]?+>)?+{_PROSE}")
_NO_WORDS = re.compile(rf"{lexis.GAP},|[ \t]*+[\"'\w.]|\s*+[#>|]", re.MULTILINE)


def read_in_prose(task: Task, complaint: str = "") -> Candidate | None:
    """Return the one valid object in plain prose, perhaps in a fence or a tag; None if there is more in the text.

    `complaint` is the strict parser's error, if the text begins with a value.
    """
    text, evidence = task.text, task.evidence
    base = reasoning_end(text)
    start, end = text.find("{", base), text.rfind("}") + 1
    if complaint and not base:
        end = lexis.last_sign(text, error_at(text, complaint))
    before = _BEFORE.fullmatch(text, base, start) if start >= 0 else None
    after = _AFTER.fullmatch(text, end) if before is not None else None
    if before is None or after is None or before[1] != after[1] or _NO_WORDS.match(text, end):
        return None
    if is_argument(text, start):
        return None
    value = strict(text[start:end])
    if not value or not value[0] or (evidence is not None and not evidence.fits(value[0])):
        return None
    return _new(Candidate, (start, end, value, (), EXACT, True, DAMAGED, ""))
