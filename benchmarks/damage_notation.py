"""Damages of literals, numbers and spaces, and whole other notations; each returns None where it has no place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

from benchmarks.damage_strings import Breaker, Tokens
from benchmarks.tokens import (
    SCALARS,
    Token,
    change,
    insert,
    insert_all,
    places,
    requote,
    rewrite,
    some,
)


def respelled(kind: str, all_chance: float, how: Callable[[Any], str | None]) -> Breaker:
    """Write numbers or literals in another spelling, where `how` has one for the value."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        spelled = {at: how(t.value) for at, t in enumerate(tokens) if t.kind == kind}
        found = [at for at, body in spelled.items() if body is not None]
        return change(
            tokens,
            some(rng, found, all_chance=all_chance),
            lambda t: replace(t, body=str(how(t.value))),
        )

    return breaker


def hexadecimal(value: float) -> str | None:
    """1000 as 0x3E8."""
    return f"0x{value:X}" if isinstance(value, int) and value >= 10 else None


def with_plus(value: float) -> str | None:
    """5 as +5."""
    return f"+{value!r}" if value >= 0 else None


def without_leading_zero(value: float) -> str | None:
    """0.5 as .5."""
    written = repr(value)
    short = written.replace("0.", ".", 1) if written.lstrip("-").startswith("0.") else None
    return short if short and short.lstrip("-") != "." + "0" else None


def with_trailing_dot(value: float) -> str | None:
    """5 as 5. (with a dot)."""
    return f"{value!r}." if isinstance(value, int) else None


def _has_thousands(token: Token) -> bool:
    if token.kind != "number" or "e" in token.body or not isinstance(token.path[-1], str):
        return False
    return bool(abs(token.value) >= 1000)


def thousands(mark: str) -> Breaker:
    """Group the digits of one number; never in a list, where 1,234 is two numbers."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = places(tokens, _has_thousands)
        chosen = some(rng, found, all_chance=0.1)
        return change(tokens, chosen, lambda t: replace(t, body=f"{t.value:{mark}}"))

    return breaker


def zero_width(rng: Random, tokens: Tokens) -> Tokens | None:
    """Invisible characters between tokens."""
    for at in sorted(rng.sample(range(len(tokens) + 1), min(3, len(tokens))), reverse=True):
        tokens = insert(tokens, at, rng.choice("\u200b\u200c\u200d\u2060\ufeff"))
    return tokens


def odd_spaces(rng: Random, tokens: Tokens) -> Tokens | None:
    """No-break, ideographic and thin spaces where plain ones are expected."""
    mark = rng.choice("\u00a0\u00a0\u3000\u2009\u202f")
    found = places(tokens, lambda t: t.kind == "space" and " " in t.body)
    if not found:
        colons = places(tokens, lambda t: t.kind == "colon")
        return insert_all(tokens, [at + 1 for at in colons], mark)
    return rewrite(tokens, found, lambda body: body.replace(" ", mark))


# ── whole notations ───────────────────────────────────────────────────────────


def unquoted_keys(rng: Random, tokens: Tokens) -> Tokens | None:
    """Write keys without quotes where they are identifiers."""
    found = places(
        tokens, lambda t: t.kind == "key" and bool(re.fullmatch(r"[A-Za-z_]\w*", t.body))
    )
    return requote(tokens, some(rng, found, all_chance=0.7), "", "")


PYTHON = {True: "True", False: "False", None: "None"}


def python_repr(_rng: Random, tokens: Tokens) -> Tokens | None:
    """What Python prints for a dict."""

    def how(token: Token) -> Token:
        if token.kind in ("key", "string"):
            written = repr(token.value)
            return replace(token, opens=written[0], body=written[1:-1], closes=written[-1])
        return replace(
            token, body=PYTHON[token.value] if token.kind == "literal" else repr(token.value)
        )

    found = places(tokens, lambda t: t.kind in SCALARS or t.kind == "key")
    return change(tokens, found, how)


def chain(*breakers: Breaker) -> Breaker:
    """Several damages that belong to one notation; those that find no place are left out."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        before = tokens
        for step in breakers:
            tokens = step(rng, tokens) or tokens
        return None if tokens is before else tokens

    return breaker
