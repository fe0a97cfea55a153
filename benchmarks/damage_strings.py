"""Damages of strings and their quotes; each returns None where it has no place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random

from benchmarks.tokens import Token, change, map_escapes, places, requote, rewrite, some

Tokens = list[Token]
Breaker = Callable[[Random, Tokens], Tokens | None]

NOT_WORDS = frozenset(
    ("true", "false", "null", "none", "nan", "infinity", "undefined", "yes", "no", "on", "off")
)
ESCAPE = re.compile(r"\\(?:u[0-9a-fA-F]{4}|.)", re.DOTALL)
LOOKALIKE = re.compile(r'\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})')


def is_plain(token: Token) -> bool:
    """A string value that is still written in double quotes."""
    return token.kind == "string" and token.opens == token.closes == '"'


def is_quoted(token: Token) -> bool:
    """A key or a string value that is still written in double quotes."""
    return token.kind in ("key", "string") and token.opens == token.closes == '"'


def _plain_with(tokens: Tokens, test: Callable[[str], object]) -> list[int]:
    return places(tokens, lambda token: is_plain(token) and bool(test(token.body)))


def _write_escapes(body: str, spelled: dict[str, str]) -> str:
    return map_escapes(body, lambda escape: spelled.get(escape, escape))


# ── control characters ────────────────────────────────────────────────────────

RAW_CONTROLS = {f"\\u{code:04x}": chr(code) for code in range(32)}
RAW_CONTROLS |= {"\\b": "\b", "\\f": "\f", "\\r": "\r"}


def raw(spelled: dict[str, str]) -> Breaker:
    """Write these escapes as the characters that they stand for."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = _plain_with(tokens, lambda body: _write_escapes(body, spelled) != body)
        return rewrite(tokens, some(rng, found), lambda body: _write_escapes(body, spelled))

    return breaker


# ── inner quotes ──────────────────────────────────────────────────────────────


def _quote_spans(body: str) -> list[tuple[int, int]]:
    return [found.span() for found in ESCAPE.finditer(body) if found[0] == '\\"']


def _unescape(body: str, spans: list[tuple[int, int]]) -> str:
    for start, end in sorted(spans, reverse=True):
        body = body[:start] + '"' + body[end:]
    return body


def _pairs(body: str, *, beside_punctuation: bool) -> list[list[tuple[int, int]]]:
    spans = _quote_spans(body)
    pairs = zip(spans[::2], spans[1::2], strict=False)
    return [
        [left, right]
        for left, right in pairs
        if _beside_punctuation(body, left[0], right[1]) is beside_punctuation
    ]


def _beside_punctuation(body: str, start: int, end: int) -> bool:
    return not (body[max(0, start - 1) : start].isspace() and body[end : end + 1].isspace())


def quote_pair(*, beside_punctuation: bool) -> Breaker:
    """Unescape the quotes around one word, which stands between spaces or beside punctuation."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = _plain_with(tokens, lambda b: _pairs(b, beside_punctuation=beside_punctuation))

        def how(token: Token) -> Token:
            pair = rng.choice(_pairs(token.body, beside_punctuation=beside_punctuation))
            return replace(token, body=_unescape(token.body, pair))

        return change(tokens, some(rng, found, all_chance=0.1), how)

    return breaker


def quote_alone(rng: Random, tokens: Tokens) -> Tokens | None:
    """Unescape one quote inside a string, as an inch mark often is.

    Not the last character: `"65""` is as well 65 with its closing quote doubled.
    """

    def inside(body: str) -> list[tuple[int, int]]:
        return [span for span in _quote_spans(body) if span[0] > 0 and span[1] < len(body)]

    def how(token: Token) -> Token:
        return replace(token, body=_unescape(token.body, [rng.choice(inside(token.body))]))

    return change(tokens, some(rng, _plain_with(tokens, inside), all_chance=0), how)


def all_quotes(*, everywhere: bool) -> Breaker:
    """Unescape every quote of one string, or of all."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = _plain_with(tokens, lambda body: len(_quote_spans(body)) > 1)
        chosen = some(rng, found, all_chance=float(everywhere))
        return rewrite(tokens, chosen, lambda body: _write_escapes(body, {'\\"': '"'}))

    return breaker


def raw_code(rng: Random, tokens: Tokens) -> Tokens | None:
    """Paste a string as it is: quotes, newlines and tabs raw (only if it has no backslash)."""
    spelled = {'\\"': '"', "\\n": "\n", "\\t": "\t", "\\r": "\r"}
    found = _plain_with(tokens, lambda b: '\\"' in b and "\\n" in b and "\\\\" not in b)
    chosen = some(rng, found, all_chance=0)
    return rewrite(tokens, chosen, lambda body: _write_escapes(body, spelled))


# ── backslashes ───────────────────────────────────────────────────────────────


def escaped_apostrophe(rng: Random, tokens: Tokens) -> Tokens | None:
    r"""Write an apostrophe as \', as in JavaScript."""
    found = _plain_with(tokens, lambda body: "'" in body)
    return rewrite(tokens, some(rng, found), lambda body: body.replace("'", "\\'"))


def halve_backslashes(body: str) -> str:
    """The body with each escaped backslash written as one."""
    return _write_escapes(body, {"\\\\": "\\"})


def _lookalikes(body: str) -> int:
    halved = halve_backslashes(body)
    return len(LOOKALIKE.findall(halved)) - sum(e not in ("\\\\",) for e in ESCAPE.findall(body))


def _ends_in_backslash(body: str) -> bool:
    return bool(re.search(r"(?<!\\)(?:\\\\)+$", body))


def _has_real_escapes(body: str) -> bool:
    return any(escape not in ("\\\\", '\\"') for escape in ESCAPE.findall(body))


def _is_json(body: str) -> bool:
    """Whether the body of a string is valid as it is."""
    return re.fullmatch(r'(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*', body) is not None


UNDER_ESCAPED: dict[str, Callable[[str], bool]] = {
    "plain": lambda b: not _ends_in_backslash(b) and _lookalikes(b) == 0,
    "mixed": lambda b: (
        not _ends_in_backslash(b)
        and _lookalikes(b) > 0
        and not _has_real_escapes(b)
        and not _is_json(halve_backslashes(b))
    ),
    "tail": lambda b: _ends_in_backslash(b) and _lookalikes(b) == 0,
}


def under_escaped(kind: str) -> Breaker:
    r"""Write each \\ as one backslash.

    `plain`: none of them now looks like a valid escape; `mixed`: some do, in a string that has no
    real escapes besides (where it has both, they cannot be distinguished, and such texts are left
    out; nor where the string is valid JSON after all, and only says something else); `tail`: the
    last one escapes the closing quote.
    """

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = _plain_with(tokens, lambda b: "\\\\" in b and UNDER_ESCAPED[kind](b))
        return rewrite(tokens, some(rng, found, all_chance=0.2), halve_backslashes)

    return breaker


# ── quotes of another kind ────────────────────────────────────────────────────


def _in_single_quotes(token: Token, apostrophe: str = "\\'") -> Token:
    body = _write_escapes(token.body, {'\\"': '"'}).replace("'", apostrophe)
    return replace(token, body=body, opens="'", closes="'")


def single_quotes(*kinds: str) -> Breaker:
    """Write keys, or strings, or both in single quotes; apostrophes inside are escaped."""

    def breaker(_rng: Random, tokens: Tokens) -> Tokens | None:
        found = places(tokens, lambda t: is_quoted(t) and t.kind in kinds)
        return change(tokens, found, _in_single_quotes)

    return breaker


def single_quotes_bare_apostrophe(rng: Random, tokens: Tokens) -> Tokens | None:
    """Single quotes throughout, with apostrophes left bare in one string or in all."""
    bare = set(some(rng, _plain_with(tokens, lambda body: re.search(r"\w'\w", body))))
    if not bare:
        return None
    return [
        replace(_in_single_quotes(t, "'" if at in bare else "\\'"), touched=True)
        if is_quoted(t)
        else t
        for at, t in enumerate(tokens)
    ]


SMART = (("“", "”"), ("“", "”"), ("„", "“"), ("”", "”"), ("«", "»"))


def smart_quotes(rng: Random, tokens: Tokens) -> Tokens | None:
    """Typographic quotes throughout; quotes inside need no escape then."""
    opens, closes = rng.choice(SMART)
    found = places(tokens, is_quoted)
    if any(mark in tokens[at].body for at in found for mark in (opens, closes)):
        return None

    def how(token: Token) -> Token:
        body = _write_escapes(token.body, {'\\"': '"'})
        return replace(token, body=body, opens=opens, closes=closes)

    return change(tokens, found, how)


def backticks(rng: Random, tokens: Tokens) -> Tokens | None:
    """Write strings as JavaScript template strings, newlines raw."""
    found = _plain_with(tokens, lambda body: "`" not in body and "${" not in body)

    def how(token: Token) -> Token:
        body = _write_escapes(token.body, {'\\"': '"', "\\n": "\n"})
        return replace(token, body=body, opens="`", closes="`")

    return change(tokens, some(rng, found), how)


def triple_quotes(rng: Random, tokens: Tokens) -> Tokens | None:
    """Write a string in Python's triple quotes, newlines and quotes raw."""
    mark = rng.choice(('"""', '"""', "'''"))
    found = _plain_with(tokens, lambda b: mark not in b and not re.search(r"^\W?['\"]|['\"\\]$", b))

    def how(token: Token) -> Token:
        body = _write_escapes(token.body, {'\\"': '"', "\\n": "\n", "\\t": "\t"})
        return replace(token, body=body, opens=mark, closes=mark)

    return change(tokens, some(rng, found, all_chance=0.1), how)


def concatenation(rng: Random, tokens: Tokens) -> Tokens | None:
    """Split a string in two or three with a plus between."""
    joint = rng.choice(('" + "', '" +\n    "', '"\n  + "'))

    def how(token: Token) -> Token:
        units = re.findall(r"\\(?:u[0-9a-fA-F]{4}|.)|[^\\]", token.body, flags=re.DOTALL)
        for at in sorted(rng.sample(range(1, len(units)), rng.randint(1, 2)), reverse=True):
            units.insert(at, joint)
        return replace(token, body=f'"{"".join(units)}"', opens="", closes="")

    found = _plain_with(tokens, lambda b: len(b) > 6 and "\\u" not in b)
    return change(tokens, some(rng, found, all_chance=0), how)


def quote_lost(kind: str, opens: str, closes: str) -> Breaker:
    """Leave out the opening or the closing quote of one key or one string."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = places(tokens, lambda t: is_quoted(t) and t.kind == kind and bool(t.body))
        return requote(tokens, some(rng, found, all_chance=0), opens, closes)

    return breaker


def escaped_delimiters(rng: Random, tokens: Tokens) -> Tokens | None:
    r"""Write the delimiters of one string as \"."""
    found = _plain_with(tokens, lambda body: '\\"' not in body and not _ends_in_backslash(body))
    return requote(tokens, some(rng, found, all_chance=0), '\\"', '\\"')


# ── no quotes at all ──────────────────────────────────────────────────────────


def unquoted_values(pattern: str) -> Breaker:
    """Write strings of this pattern without quotes, unless they would read as another value."""
    wanted = re.compile(pattern)

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = _plain_with(tokens, lambda b: wanted.fullmatch(b) and b.lower() not in NOT_WORDS)
        return requote(tokens, some(rng, found), "", "")

    return breaker
