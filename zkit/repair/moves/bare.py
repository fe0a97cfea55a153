"""Moves for values without quotes: words, numbers in other spellings, and expressions, which are refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from zkit.repair.evidence.strings import UNC, respell
from zkit.repair.limits import LARGEST_INT, MOST_PHRASE
from zkit.repair.moves import ending, respelt
from zkit.repair.moves.missing_quotes import unopened
from zkit.repair.moves.string_ends import reread
from zkit.repair.search.hypothesis import Hypothesis
from zkit.text import lexis

if TYPE_CHECKING:
    from zkit.repair.search.engine import Engine


# ── expressions ─────────────────────────────────────────────────────────────


_NAME = r"[^\W\d]\w*+"
_OPERAND = r"(?:[\w.$]++(?:\([^()]*+\)|\[[^\[\]]*+\])?+|'[^']*+'|\"[^\"]*+\")"
_OPERATOR = r"(?:[-+*/%|&<>^?]|\*\*|//|==|!=|<=|>=|\|\||&&|\?\?|=>|->|<<|>>)"
# Patterns of code and placeholders, which are never quoted as text; the comments show an example.
#
# See corpus/repair/placeholders.
_EXPRESSIONS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?:(?:new|await|not|async|typeof)\s++|[!-])?+{_NAME}(?:\.{_NAME})*+[(\[]",  # os.getcwd(), args[0]
        r"(?:lambda|function|await|typeof)\b|new\s++[A-Z]|void\s++0",
        rf"{_OPERAND}(?:\s*+(?:[+*|&^?]|=>|->|==|!=|\|\||&&)\s*+{_OPERAND})++\Z",  # a+b, low|high
        rf"{_OPERAND}(?:\s++{_OPERATOR}\s++{_OPERAND})++\Z",  # a - b, x / 2
        r"[-+]?[0-9.]++\s*+[*/%]\s*+[0-9.]++\Z",
        r".*\s\?\s.*\s:\s",  # x ? 1 : 2
        r".*\sif\s.*\selse\s",
        r"(?:not|None|True|False|null|true|false)(?:\s+\w|\.\Z)|\S++\s++(?:or|and|is|in)\s++\S++\Z",
        r"[$@]?\{|\$[^\W\d]|\$\(|%[sdrif]\Z|%\(|%\w++%\Z",  # ${city}, $HOME, %s
        r"[-!~](?![-$/~.])[^\W\d]",  # -x, !flag
        r"<[^<>]++>?|\[[^\[\]]*+\]\Z|_{2,}+\Z|\?++\Z|\.{3}|…",  # <value>, [insert value], ___, ...rest
        r".*(?:(?<!\w)['\"`]|['\"`](?!\w))",  # TAG_VALUE 'Google', b'x'.decode()
        r"/.*[+*?\\^$()\[\]|].*/[gimsuy]*+\Z",  # /ab+c/gi
        r"\(",
    )
)
_ATTRIBUTE = re.compile(rf"{_NAME}(?:\.{_NAME})++\Z")
# Endings of file and host names: `main.py` is a name, `self.path` is an attribute.
#
# See corpus/repair/placeholders.
_FILE_ENDINGS = frozenset({
    "bash", "bat", "bin", "c", "cc", "cfg", "cfm", "com", "conf", "cpp", "cs", "css", "csv", "de",
    "dev", "doc", "docx", "env", "eu", "exe", "fr", "gif", "go", "gz", "h", "htm", "html", "info",
    "ini", "io", "ipynb", "it", "java", "jpeg", "jpg", "js", "json", "jsonl", "jsx", "kt", "lock",
    "log", "lua", "md", "mjs", "mp3", "mp4", "net", "nl", "org", "parquet", "pdf", "php", "pl",
    "png", "pptx", "ps1", "py", "pyi", "r", "rb", "rs", "rst", "scala", "sh", "sql", "svg",
    "swift", "tar", "tex", "tf", "toml", "ts", "tsv", "tsx", "txt", "uk", "us", "vue", "wav",
    "webp", "xls", "xlsx", "xml", "yaml", "yml", "zip",
})  # fmt: skip
# Type names: a value such as `string` only repeats the schema. See corpus/repair/placeholders.
_TYPES = frozenset({
    "int", "str", "float", "bool", "string", "integer", "number", "boolean", "any", "list",
    "dict", "object", "array", "tuple", "type", "ellipsis",
})  # fmt: skip


def is_expression(phrase: str) -> bool:
    """True if a bare value must be computed or filled in: a call, a variable, a placeholder."""
    if phrase.partition(":")[0].lower() in _TYPES:
        return True
    if _ATTRIBUTE.match(phrase) and phrase.rpartition(".")[2].lower() not in _FILE_ENDINGS:
        return True
    return any(pattern.match(phrase) for pattern in _EXPRESSIONS)


# ── bare values ─────────────────────────────────────────────────────────────


_S = lexis.SPACE
# The text after a token: a structural mark, a comment, the end, or white space and the next key
# or item.
_STOP = rf"(?={lexis.SPACE}(?:[,;{lexis.OTHER_COMMAS}}}\])]|\Z|//|#|/\*)|\s++(?:[\"'][^\"'\n]{{1,80}}+[\"']{_S}[:=]|{lexis.WORD}|\.?[0-9]))"
_WORD = re.compile(rf"([+-]?+[^\W\d_]\w*+){_STOP}")
# A number in any spelling: also full-width digits, `10n` (JavaScript), `10L` (Java), `1.5f` (C).
#
# See corpus/repair/notations.
_NUMBER = re.compile(
    rf"[+{lexis.MINUS}-]?+(?:0[xX](?!_)[0-9a-fA-F_]++|0[oO](?!_)[0-7_]++|0[bB](?!_)[01_]++"
    rf"|[-－]?+[０-９]++(?:[.．][０-９]++)?+|(?:0|[1-9][0-9]*+)[nL]|[0-9]++\.[0-9]++f"
    rf"|(?:[0-9][0-9_]*+(?:\.[0-9_]*+)?+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+){_STOP}"
)
_PLAIN_DIGITS = str.maketrans("０１２３４５６７８９．－", "0123456789.-")
_WORDS = {
    "true": "true", "false": "false", "null": "null", "none": "null", "nil": "null", "undefined": "null",
}  # fmt: skip
_FLOATS = {
    sign + word: "NaN" if word == "nan" else f"{sign.strip('+')}1e999"
    for sign in ("", "+", "-")
    for word in ("nan", "inf", "infinity")
}
# An escape in a raw string: the string was escaped although it is marked as raw.
_ESCAPED_PAIR = re.compile(r'\\["\\/]')
_LITERALS_IN_A_ROW = re.compile(
    r"(?:true|false|null|none)\s*+(?:true|false|null|none|-?[0-9][0-9.]*+)", re.IGNORECASE
)
_DATE = re.compile(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9]{2}:[0-9]{2}[0-9:.]*+(?:Z|[+-][0-9]{2}:?[0-9]{2})?)?"
)
_URL = re.compile(r"[a-z][a-z0-9+.-]*+:/?/?[^\s\"'<>{}\[\]]++", re.IGNORECASE)
_HALF_LITERALS = frozenset(
    word[:n] for word in ("true", "false", "null", "none") for n in range(2, len(word))
)
_PHRASE = re.compile(r"[^\W\d_][\w .@~/'’&?!%:-]*+", re.UNICODE)
_PATH_OR_GLOB = re.compile(r"[\w.*?~/@:%+$!-]++")
_SPELLINGS = (_PHRASE, _PATH_OR_GLOB, _URL)
_OBJECT_END = re.compile(
    rf"(?={lexis.GAP}(?:,(?:{lexis.GAP},)*+{lexis.GAP}(?:{lexis.KEYISH}{lexis.GAP}(?::|=)|[}}]|\Z)|[}}]|\Z))|[ \t]+//|\n"
)
_LIST_END = re.compile(rf"(?={lexis.GAP}(?:[,\])]|\Z))|[ \t]+//|\n")
_NO_LAST_WORD = ("...", "…", ",", ";", *lexis.OTHER_COMMAS)


# A number, a literal or a string in bold or italics. See corpus/repair/doubled_and_joined.
_MARKED = re.compile(rf"(\*{{1,3}})({lexis.DIGITS}|true|false|null|{lexis.STRING})\1{_STOP}")


_NUMBERS = frozenset({"number", "integer"})
# The schema type of a strict literal by its first letter; any other first character begins a
# number.
_PLAIN_KINDS = {"t": {"boolean"}, "f": {"boolean"}, "n": {"null"}}


def read_bare(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis] | None:
    """Read the value without quotes at `pos`.

    Return None if the hypothesis goes on, else the hypotheses to try instead.
    """
    reading.remember(pos)
    text = reader.text
    kinds = _PLAIN_KINDS.get(text[pos], _NUMBERS)
    plain = None if reading.want.kinds.isdisjoint(kinds) else lexis.PLAIN.match(text, pos)
    if plain is not None and plain.group().isalpha():
        reading.settle(plain.end())
        return None
    number = plain or _NUMBER.match(text, pos)
    if number is not None:
        return _number(reader, reading, pos, number.group())
    word = _WORD.match(text, pos)
    if word is not None and word.group(1).lower() in (_WORDS | _FLOATS):
        return _word(reading, pos, word.group(1))
    if text[pos] in ",:;}])":
        return []
    if (marked := _MARKED.match(text, pos)) is not None:
        reading.note("drop_markdown", pos, marked.end(), marked[2]).settle(marked.end())
        return None
    prefix = _PREFIX.match(text, pos)
    if prefix is not None and not lexis.AFTER_STRING.match(text, prefix.end() + 1):
        return _prefixed(reader, reading, pos, prefix)
    return _phrase(reader, reading, pos)


def _number(reader: Engine, reading: Hypothesis, pos: int, token: str) -> list[Hypothesis] | None:
    """Read a number in any spelling; quote it if the schema allows only a string."""
    end = pos + len(token)
    if end == reader.size and (reader.finish_reason != "stop" or token[-1] in "._eE+-"):
        return ending.cut(reader, reading, "the text ended in a number, which may be longer")
    new = f'"{token}"' if reading.want.only("string") else spell_number(token)
    if new is None:
        reader.reason = "ambiguous"
        return []
    if new != token:
        reading.note("quote_phrase" if new[0] == '"' else "respell_number", pos, end, new)
    reading.settle(end)
    return None


def spell_number(token: str) -> str | None:
    """Return a number in JSON's spelling; None for `007`, which may be an identifier, and for a number too large."""
    token = token.translate(_PLAIN_DIGITS).replace("_", "")
    digits = token.lstrip(f"+-{lexis.MINUS}")
    sign = "" if token[0] in f"+{digits[0]}" else "-"
    if digits[:2].lower() in ("0x", "0o", "0b"):
        value = int(digits, 0)
        return f"{sign}{value}" if value < LARGEST_INT else None
    mantissa, mark, exponent = digits.rstrip("nLf").replace("E", "e").partition("e")
    whole, _, fraction = mantissa.partition(".")
    if len(whole) > 1 and whole[0] == "0":
        return None
    return f"{sign}{whole or '0'}{fraction and '.'}{fraction}{mark}{exponent}"


def _word(reading: Hypothesis, pos: int, word: str) -> list[Hypothesis] | None:
    """Read a literal in the spelling of another language."""
    lower, want = word.lower(), reading.want
    name, new = "respell_literal", _WORDS.get(lower, "null")
    if lower in _FLOATS and want.kinds == {"string"}:
        name, new = "quote_phrase", f'"{word}"'
    elif lower in _FLOATS and (want.takes("number") or not want.takes("null")):
        name, new = "keep_not_a_number", _FLOATS[lower]
    if new != word or lower in _FLOATS:
        reading.note(name, pos, pos + len(word), new)
    reading.settle(pos + len(word))
    return None


# The prefix of a Python string.
_PREFIX = re.compile(r"[rRbBuUfF]{1,2}(?=[\"'])")


def _prefixed(
    reader: Engine, reading: Hypothesis, pos: int, prefix: re.Match[str]
) -> list[Hypothesis]:
    """Read a Python string with a prefix.

    A raw string keeps its backslashes. An f-string with fields is an expression and refused.
    """
    text, letters = reader.text, prefix.group().lower()
    token = lexis.string_at(text, prefix.end())
    if token is None or not lexis.AFTER_STRING.match(text, token.end):
        return _phrase(reader, reading, pos)
    raw = "r" in letters
    unclear = raw and _ESCAPED_PAIR.search(token.body) and not UNC.match(token.body)
    if "f" in letters and "{" in token.body:
        reader.reason = "expression"
        return []
    if unclear or not is_prefix(text, prefix, token.body):
        reader.reason = "ambiguous"
        return []
    spelled = respell(token.body.replace("\\", "\\\\") if raw else token.body, "'")
    return respelt(reading.fork(), "use_double_quotes", pos, token.end, spelled)


def is_prefix(text: str, prefix: re.Match[str], body: str) -> bool:
    """True if the letter before a quote is a Python prefix, and not the string's first letter in the wrong place.

    A raw string must hold a backslash. Any other prefix must come before a single quote, or before a
    letter that cannot follow it in a word. See corpus/repair/python_literals.
    """
    letters = prefix.group().lower()
    if "r" in letters:
        return "\\" in body or "f" in letters
    if text[prefix.end()] == "'":
        return True
    return bool(body) and body[0].lower() not in _GOES_ON_WITH.get(letters, "")


# The letters that may follow a `b` or a `u` at the beginning of a word.
_GOES_ON_WITH = {"b": "abdehiloprstuy", "u": "bcdgilmnprstvxz"}


# A comprehension, which only a list holds: `[x for x in xs]`; in an object it may be a plain title.
_LOOP = re.compile(r"\sfor\s++\w++(?:,\s*+\w++)*+\s++in\s")


def _phrase(reader: Engine, reading: Hypothesis, pos: int) -> list[Hypothesis]:
    """Read bare words up to the next structural mark, or up to a quote that closes them."""
    text, frame = reader.text, reading.frame
    if frame is None:
        return []
    found = (_OBJECT_END if frame.kind == "{" else _LIST_END).search(text, pos, pos + MOST_PHRASE)
    end = found.start() if found else reader.size
    phrase = text[pos:end].rstrip(lexis.BLANKS)
    alone = pos == frame.start + 1 and text.startswith("]", pos + len(phrase))
    fills_in = alone and " " in phrase and not frame.expect.only("array")  # `[insert value]`
    loops = frame.kind != "{" and _LOOP.search(phrase) is not None
    if computed := fills_in or loops or is_expression(phrase.partition('"')[0]):
        reader.reason = "expression"
    others = unopened(reader, reading.recent[0], pos)
    if '"' in phrase or not phrase:
        return [*others, *reread(reader, reading, pos, 1)]
    if end >= reader.size:
        return [*others, *ending.cut(reader, reading, "the text ended in a value without quotes")]
    return others if computed else [*others, *_quoted(reader, reading, pos, phrase)]


def _quoted(reader: Engine, reading: Hypothesis, pos: int, phrase: str) -> list[Hypothesis]:
    """Quote the phrase if it reads as words or the schema wants a string; else return nothing."""
    if phrase.endswith(_NO_LAST_WORD):
        return []
    textual = reading.want.only("string") and reader.guided
    if not textual and (
        _MEMBER.match(phrase)
        or not reading.want.takes("string")
        or not _reads_as_words(reader, phrase)
    ):
        return []
    if phrase.lower() in _HALF_LITERALS or not any(ch.isalnum() or ch == "*" for ch in phrase):
        return []
    return respelt(reading.fork(), "quote_phrase", pos, pos + len(phrase), respell(phrase))


# A member: a brace or a list's closer is missing before it.
_MEMBER = re.compile(
    rf"{lexis.NAME}\s*+:\s++(?:[\"'{{\[0-9-]|(?:true|false|null|None|True|False)\b)"
)


def _reads_as_words(reader: Engine, phrase: str) -> bool:
    """True if the phrase is words, a path, a URL or a date, and not code."""
    if _DATE.fullmatch(phrase):
        return True
    if not any(s.fullmatch(phrase) for s in _SPELLINGS):
        return False
    if _LITERALS_IN_A_ROW.match(phrase) or phrase.lstrip("+-.$~")[:1].isdigit():
        reader.reason = "expression"
        return False
    return True
