"""Damages of punctuation, commas to comments; each returns None where it has no place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from benchmarks.damage_strings import Breaker, Tokens, is_quoted
from benchmarks.tokens import (
    SCALARS,
    Token,
    change,
    drop,
    insert,
    insert_all,
    places,
    rewrite,
    some,
)

OTHER = {"}": "]", "]": "}"}


def _of(kind: str) -> Callable[[Token], bool]:
    return lambda token: token.kind == kind


# ── commas and colons ─────────────────────────────────────────────────────────


def _filled_closers(tokens: Tokens) -> list[int]:
    return [at for at in places(tokens, _of("close")) if _before(tokens, at).kind != "open"]


def _before(tokens: Tokens, at: int) -> Token:
    at -= 1
    while tokens[at].kind == "space":
        at -= 1
    return tokens[at]


def _after_value(tokens: Tokens, closer: int) -> int:
    while tokens[closer - 1].kind == "space":
        closer -= 1
    return closer


def trailing_comma(rng: Random, tokens: Tokens) -> Tokens | None:
    """A comma after the last member."""
    return insert_all(
        tokens, [_after_value(tokens, at) for at in some(rng, _filled_closers(tokens))], ","
    )


def leading_comma(rng: Random, tokens: Tokens) -> Tokens | None:
    """A comma before the first member."""
    filled = [at + 1 for at in places(tokens, _of("open")) if tokens[at + 1].kind != "close"]
    return insert_all(tokens, some(rng, filled, all_chance=0.1), ",")


def doubled_comma(rng: Random, tokens: Tokens) -> Tokens | None:
    """Two commas for one."""
    return insert_all(tokens, some(rng, places(tokens, _of("comma"))), ",")


def missing_comma(*, everywhere: bool) -> Breaker:
    """Leave out one comma, or all; what would grow together is kept apart by a space."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = some(rng, places(tokens, _of("comma")), all_chance=float(everywhere))
        spaced = [at for at in found if tokens[at + 1].kind != "space"]
        if everywhere and len(found) < 2:
            return None
        keep_apart = everywhere or any(not is_quoted(tokens[at + 1]) for at in spaced)
        if spaced and (keep_apart or rng.random() < 0.5):
            return change(tokens, found, lambda t: replace(t, kind="space", body=" "))
        return drop(tokens, found)

    return breaker


def missing_colon(rng: Random, tokens: Tokens) -> Tokens | None:
    """Leave out the colon after one key."""
    return drop(tokens, some(rng, places(tokens, _of("colon")), all_chance=0))


def other_colon(*marks: str) -> Breaker:
    """Write = or => where a colon is expected."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        mark = rng.choice(marks)
        found = some(rng, places(tokens, _of("colon")), all_chance=0.7)
        return rewrite(tokens, found, lambda _body: mark)

    return breaker


# ── brackets ──────────────────────────────────────────────────────────────────


def _final_run(tokens: Tokens) -> int:
    """Where the closers at the end begin."""
    at = len(tokens)
    while tokens[at - 1].kind in ("close", "space"):
        at -= 1
    return at


def missing_closers_end(rng: Random, tokens: Tokens) -> Tokens | None:
    """End before the last closer, or before several; sometimes after the space before it."""
    run = [at for at in _filled_closers(tokens) if at >= _final_run(tokens)]
    if not run:
        return None
    at = rng.choice(run)
    return tokens[: at if rng.random() < 0.5 else _after_value(tokens, at)]


def missing_closer_mid(rng: Random, tokens: Tokens) -> Tokens | None:
    """Leave out a closer after which more members follow."""
    found = [at for at in _filled_closers(tokens) if at < _final_run(tokens)]
    return drop(tokens, some(rng, found, all_chance=0))


def missing_opener_mid(rng: Random, tokens: Tokens) -> Tokens | None:
    """Leave out the opener of an inner container that has members."""
    found = [at for at in places(tokens, _of("open"))[1:] if tokens[at + 1].kind != "close"]
    return drop(tokens, some(rng, found, all_chance=0))


def wrong_closer(rng: Random, tokens: Tokens) -> Tokens | None:
    """A bracket closed with the other kind."""
    found = places(tokens, _of("close"))
    return rewrite(tokens, some(rng, found, all_chance=0), lambda body: OTHER[body])


def _mid_scalars(tokens: Tokens) -> list[int]:
    commas = set(places(tokens, _of("comma")))
    return [at for at in places(tokens, lambda t: t.kind in SCALARS) if at + 1 in commas]


def _closer_of(tokens: Tokens, at: int) -> str:
    return "]" if isinstance(tokens[at].path[-1], int) else "}"


def stray_closer_mid(rng: Random, tokens: Tokens) -> Tokens | None:
    """After a value a closer that closes nothing here."""
    found = _mid_scalars(tokens)
    if not found:
        return None
    at = rng.choice(found)
    return insert(tokens, at + 1, OTHER[_closer_of(tokens, at)])


def early_closer(rng: Random, tokens: Tokens) -> Tokens | None:
    """Close the container after a member, and then go on with the next member."""
    found = _mid_scalars(tokens)
    if not found:
        return None
    at = rng.choice(found)
    return insert(tokens, at + 1, _closer_of(tokens, at))


def stray_closer_end(rng: Random, tokens: Tokens) -> Tokens | None:
    """One or two closers too many."""
    return insert(tokens, len(tokens), rng.choice(("}", "}", "]", "\n}", "}}", "]}")))


def missing_open_brace(rng: Random, tokens: Tokens) -> Tokens | None:
    """Begin with the first key."""
    found = [0, 1] if tokens[1].kind == "space" and rng.random() < 0.5 else [0]
    return drop(tokens, found) if len(tokens) > 2 else None


def doubled_braces(*, everywhere: bool) -> Breaker:
    """The outer braces, or all, written twice as in a template."""

    def breaker(_rng: Random, tokens: Tokens) -> Tokens | None:
        braces = places(tokens, lambda t: t.kind in ("open", "close") and t.body in "{}")
        if not braces:
            return None
        found = braces if everywhere else [braces[0], braces[-1]]
        return rewrite(tokens, found, lambda body: body * 2)

    return breaker


def tuples(_rng: Random, tokens: Tokens) -> Tokens | None:
    """Write lists of two and more as Python tuples."""
    long = {t.path[:-1] for t in tokens if t.path and t.path[-1] == 1}
    brackets = places(tokens, lambda t: t.body in ("[", "]") and t.path in long)
    found = [at for at in brackets if tokens[at].kind in ("open", "close")]
    return change(tokens, found, lambda t: replace(t, body="()"[t.kind == "close"]))


# ── comments, ellipses, odd spaces ────────────────────────────────────────────

REMARKS = (
    "the main one",
    "don't change this",
    'NOTE: "limit" is optional',
    "e.g. [1, 2]",
    "default {}",
    "see https://example.org/a?b=c",
    "required, see above: ok",
    "{",
)


def comment(template: str) -> Breaker:
    """A comment after a comma, an opener or the last member; a line comment ends its line."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = [at + 1 for at in places(tokens, lambda t: t.kind in ("comma", "open"))]
        chosen = some(rng, found, all_chance=0)
        if rng.random() < 0.4 and len(found) > 2:
            chosen = rng.sample(found, 2)
        for at in sorted(chosen, reverse=True):
            body = template.format(rng.choice(REMARKS))
            on_line = tokens[at].kind == "space" and tokens[at].body.startswith("\n")
            tokens = insert(tokens, at, body.rstrip("\n") if on_line else body)
        return tokens

    return breaker


def ellipsis(rng: Random, tokens: Tokens) -> Tokens | None:
    """Three dots after the last member, or before the first."""
    mark = rng.choice(("...", "...", "…"))
    if rng.random() < 0.8:
        closers = _filled_closers(tokens)
        at = _after_value(tokens, rng.choice(closers)) if closers else 0
        return insert(tokens, at, rng.choice((", ", ",", " ")) + mark) if closers else None
    found = [at + 1 for at in places(tokens, _of("open")) if tokens[at + 1].kind != "close"]
    return insert(tokens, rng.choice(found), mark + rng.choice((", ", ","))) if found else None
