"""Generates the cases of each section: one damage, two damages, edits, cuts, no JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from random import Random

from benchmarks.damage import (
    DAMAGES,
    VALID,
    Case,
    Damage,
    break_tokens,
    damaged_payload,
    is_object,
    wrap_text,
)
from benchmarks.damage_unlisted import UNLISTED
from benchmarks.no_json import EXPRESSIONS, NO_JSON
from benchmarks.payloads import Payload, make_payload
from benchmarks.tokens import SCALARS, STYLES, Path, Token, pick_style, text_of, tokenise

EDITED = '{}[]:,"\\'
ESCAPE_CUT = re.compile(r"(?:^|[^\\])(?:\\\\)*\\(?:u[0-9a-fA-F]{0,3})?$")


def _rng(seed: int, *names: object) -> Random:
    return Random(f"{seed}/{'/'.join(map(str, names))}")


# ── damages singly and in pairs ───────────────────────────────────────────────


def single(seed: int, count: int) -> Iterator[Case]:
    """`count` cases of each damage, and of valid text."""
    for damage in (VALID, *DAMAGES):
        yield from _damaged("single", damage.name, (damage,), _rng(seed, damage.name), count)


def _damaged(
    section: str, name: str, damages: tuple[Damage, ...], rng: Random, count: int
) -> Iterator[Case]:
    in_strings = any(damage.in_strings for damage in damages)
    for _ in range(count):
        found = damaged_payload(rng, damages)
        if found is not None:
            yield Case(section, name, *found, in_strings=in_strings)


def unlisted(seed: int, count: int) -> Iterator[Case]:
    """`count` cases of each damage that zkit makes no promise about."""
    for damage in UNLISTED:
        yield from _damaged("unlisted", damage.name, (damage,), _rng(seed, damage.name), count)


def pairs(seed: int, count: int) -> Iterator[Case]:
    """`count` times as many pairs as there are damages, each of two different ones."""
    rng = _rng(seed, "pairs")
    for _ in range(count * len(DAMAGES)):
        first, second = rng.sample(DAMAGES, 2)
        both = tuple(sorted((first, second), key=DAMAGES.index))
        yield from _damaged("pairs", f"{both[0].name}+{both[1].name}", both, rng, 1)


# ── one structural edit ───────────────────────────────────────────────────────


def edits(seed: int, count: int) -> Iterator[Case]:
    """One structural character deleted, doubled, swapped for another or with the next one, anywhere."""
    rng = _rng(seed, "edits")
    wanted = 40 * count
    while wanted:
        case = _edited(rng)
        if case is not None:
            wanted -= 1
            yield case


_ANYWHERE = ("delete", "double")
_OUTSIDE = (*_ANYWHERE, "swap", "transpose")
"""Inside of strings another mark, or another order, would be another text."""


def _edited(rng: Random) -> Case | None:
    payload = make_payload(rng)
    tokens = tokenise(payload.truth, pick_style(rng))
    text = text_of(tokens)
    at = rng.choice([at for at, char in enumerate(text) if char in EDITED])
    where = _place(tokens, at)
    verb = rng.choice(_ANYWHERE if "in" in where else _OUTSIDE)
    other = rng.choice([char for char in EDITED if char != text[at]])
    end = at + 2 if verb == "transpose" else at + 1
    new = {"delete": "", "double": text[at] * 2, "swap": other, "transpose": text[at:end][::-1]}
    edited = text[:at] + new[verb] + text[end:]
    if edited == text or is_object(edited):
        return None
    return Case("edit1", f"{verb} {where}", payload, edited, in_strings=where != "structural")


def _place(tokens: list[Token], at: int) -> str:
    for start, token in _spans(tokens):
        if start <= at < start + len(token.text):
            if token.kind not in ("key", "string"):
                return "structural"
            at_end = at in (start, start + len(token.text) - 1)
            return f"{token.kind} quote" if at_end else f"in {token.kind}"
    return "structural"


def _spans(tokens: list[Token], start: int = 0) -> Iterator[tuple[int, Token]]:
    for token in tokens:
        yield start, token
        start += len(token.text)


def _ends(tokens: list[Token], start: int) -> Iterator[tuple[int, Token]]:
    return ((at + len(token.text), token) for at, token in _spans(tokens, start))


# ── cuts ──────────────────────────────────────────────────────────────────────


def cuts(seed: int, count: int) -> Iterator[Case]:
    """Valid texts cut at every position."""
    rng = _rng(seed, "cuts")
    for _ in range(count):
        payload = make_payload(rng)
        tokens = tokenise(payload.truth, pick_style(rng))
        text = text_of(tokens)
        yield from (_cut("cut", payload, tokens, text, at) for at in range(1, len(text)))


def damaged_cuts(seed: int, count: int) -> Iterator[Case]:
    """Damaged texts cut at positions after the damage; only damages that leave the rest readable."""
    for damage in DAMAGES:
        rng = _rng(seed, "damaged cuts", damage.name)
        for _ in range(-(-count // 4) if damage.local else 0):
            yield from _damaged_cuts(rng, damage)


def _damaged_cuts(rng: Random, damage: Damage) -> Iterator[Case]:
    payload = make_payload(rng)
    tokens = break_tokens(rng, payload, (damage,))
    text = wrap_text(rng, text_of(tokens), payload, (damage,)) if tokens else None
    if tokens is None or text is None:
        return
    offset = text.index(text_of(tokens))
    opened = next(end for end, token in _ends(tokens, offset) if token.kind == "open")
    first = _first_difference(text, text_of(_undamaged(payload, text)))
    places = range(max(first, opened), len(text))
    for at in sorted(rng.sample(places, min(12, len(places)))):
        yield _cut(f"cut+{damage.name}", payload, tokens, text, at, offset)


def _undamaged(payload: Payload, text: str) -> list[Token]:
    """The undamaged tokens in the style that has most in common with the text's beginning."""
    options = [tokenise(payload.truth, style) for style in STYLES]
    return max(options, key=lambda tokens: _first_difference(text, text_of(tokens)))


def _first_difference(left: str, right: str) -> int:
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(left), len(right)))


def _cut(
    name: str, payload: Payload, tokens: list[Token], text: str, at: int, offset: int = 0
) -> Case:
    section = "truncation" if name == "cut" else "damaged+truncated"
    leaves: list[tuple[Path, object]] = []
    begun: set[Path] = {()}
    kind = "between"
    spans = list(_spans(tokens, offset))
    for index, (start, token) in enumerate(spans):
        end = start + len(token.text)
        if start >= at:
            break
        if token.kind in SCALARS or token.kind == "open":
            begun.add(token.path)
        if _is_complete(token, end, at):
            leaves.append((token.path, token.value))
        if token.kind == "open" and end < at and spans[index + 1][1].kind == "close":
            leaves.append((token.path, {} if token.body == "{" else []))
        if start < at < end or (at == end and token.kind == "number"):
            kind = "escape" if ESCAPE_CUT.search(text[start:at]) else token.kind
    return Case(
        section, name, payload, text[:at], kind=kind, leaves=tuple(leaves), begun=frozenset(begun)
    )


def _is_complete(token: Token, end: int, at: int) -> bool:
    """A number or a bare word may go on, so it is complete only when something follows it."""
    if token.kind not in SCALARS or (token.touched and token.kind == "string"):
        return False
    return end <= at if token.closes else end < at


# ── nothing to find, and what is not a value ─────────────────────────────────────


def absent(seed: int, _count: int) -> Iterator[Case]:
    """Texts that hold no JSON."""
    rng = _rng(seed, "absent")
    for at, text in enumerate(NO_JSON):
        yield Case("no-json", f"text {at}", make_payload(rng), text)


def not_values(seed: int, count: int) -> Iterator[Case]:
    """Texts that must not be read: an expression as a value, a string that repeats until it is cut."""
    rng = _rng(seed, "not values")
    for make in (_expression, _loop):
        found = (case for case in (make(rng) for _ in iter(int, 1)) if case is not None)
        yield from islice(found, count)


def _expression(rng: Random) -> Case | None:
    payload = make_payload(rng)
    tokens = tokenise(payload.truth, pick_style(rng))
    numbers = [at for at, token in enumerate(tokens) if token.kind == "number"]
    if not numbers:
        return None
    at = rng.choice(numbers)
    written = [token.text for token in tokens]
    written[at] = rng.choice(EXPRESSIONS)
    return Case("not a value", "expression", payload, "".join(written))


def _loop(rng: Random) -> Case | None:
    payload = make_payload(rng)
    tokens = tokenise(payload.truth, pick_style(rng))
    long = [
        at
        for at, t in enumerate(tokens)
        if t.kind == "string" and len(t.body) > 30 and "\\" not in t.body
    ]
    if not long:
        return None
    at = rng.choice(long)
    phrase = tokens[at].body[-rng.randint(5, 25) :]
    text = text_of(tokens[:at]) + '"' + tokens[at].body + phrase * 60
    return Case("not a value", "repetition", payload, text[: -rng.randint(1, 4)])


SECTIONS: Mapping[str, Callable[[int, int], Iterator[Case]]] = {
    "single": single,
    "pairs": pairs,
    "unlisted": unlisted,
    "edit1": edits,
    "truncation": cuts,
    "damaged+truncated": damaged_cuts,
    "no-json": absent,
    "not a value": not_values,
}
