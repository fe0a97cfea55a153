"""Splits a value into the tokens of its JSON text, so that a damage can name what it breaks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any

Path = tuple[str | int, ...]
SCALARS = frozenset({"string", "number", "literal"})


@dataclass(frozen=True, slots=True)
class Token:
    """One token: `opens` and `closes` are a string's quotes, `body` all between them.

    `kind` is open, close, colon, comma, key, string, number, literal, space or extra;
    `path` leads to the value that the token belongs to. `touched` marks what a damage changed.
    """

    kind: str
    body: str
    path: Path = ()
    opens: str = ""
    closes: str = ""
    value: Any = None
    touched: bool = False

    @property
    def text(self) -> str:
        """The token as written."""
        return self.opens + self.body + self.closes


@dataclass(frozen=True, slots=True)
class Style:
    """How JSON is laid out; with an `indent` every member stands on its own line."""

    name: str
    comma: str
    colon: str
    indent: str | None = None
    ascii: bool = False


STYLES = (
    Style("compact", ",", ":"),
    Style("spaced", ", ", ": "),
    Style("spaced_ascii", ", ", ": ", ascii=True),
    Style("pretty_2", ",", ": ", "  "),
    Style("pretty_4", ",", ": ", "    "),
    Style("pretty_tab", ",", ": ", "\t"),
)


def pick_style(rng: Random) -> Style:
    """A style; the common ones more often, escaped non-ASCII text rarely."""
    return rng.choices(STYLES, weights=(4, 5, 1, 4, 1, 1))[0]


def tokenise(value: Any, style: Style) -> list[Token]:
    """The tokens of `value` written in `style`."""
    return list(_tokens(value, style, ()))


def text_of(tokens: Sequence[Token]) -> str:
    """The text that the tokens make."""
    return "".join(token.text for token in tokens)


def _tokens(value: Any, style: Style, path: Path) -> Iterator[Token]:
    if isinstance(value, dict):
        members = [((*path, key), _key(key, style, path), item) for key, item in value.items()]
        yield from _container("{", "}", members, style, path)
    elif isinstance(value, list):
        items = [((*path, at), None, item) for at, item in enumerate(value)]
        yield from _container("[", "]", items, style, path)
    else:
        yield _scalar(value, style, path)


def _container(
    opener: str,
    closer: str,
    members: Sequence[tuple[Path, Token | None, Any]],
    style: Style,
    path: Path,
) -> Iterator[Token]:
    yield Token("open", opener, path)
    for at, (member, key, item) in enumerate(members):
        if at:
            yield Token("comma", ",", path)
        yield from _gap(style, len(path) + 1, style.comma[1:] if at else "")
        if key is not None:
            yield key
            yield Token("colon", ":", member)
            yield from _space(style.colon[1:])
        yield from _tokens(item, style, member)
    if members:
        yield from _gap(style, len(path), "")
    yield Token("close", closer, path)


def _gap(style: Style, depth: int, plain: str) -> Iterator[Token]:
    yield from _space(plain if style.indent is None else "\n" + style.indent * depth)


def _space(body: str) -> Iterator[Token]:
    if body:
        yield Token("space", body)


def _key(key: str, style: Style, path: Path) -> Token:
    body = json.dumps(key, ensure_ascii=style.ascii)[1:-1]
    return Token("key", body, (*path, key), '"', '"', key)


def _scalar(value: Any, style: Style, path: Path) -> Token:
    written = json.dumps(value, ensure_ascii=style.ascii)
    if isinstance(value, str):
        return Token("string", written[1:-1], path, '"', '"', value)
    kind = (
        "number" if isinstance(value, (int, float)) and not isinstance(value, bool) else "literal"
    )
    return Token(kind, written, path, value=value)


# ── what damages are made of ──────────────────────────────────────────────────


def places(tokens: Sequence[Token], wanted: Callable[[Token], bool]) -> list[int]:
    """Where the wanted tokens stand."""
    return [at for at, token in enumerate(tokens) if wanted(token)]


def some(rng: Random, found: Sequence[int], *, all_chance: float = 0.3) -> list[int]:
    """One of the places, or now and then all of them."""
    if not found:
        return []
    return list(found) if rng.random() < all_chance else [rng.choice(found)]


def change(
    tokens: Sequence[Token], found: Sequence[int], how: Callable[[Token], Token]
) -> list[Token] | None:
    """The tokens with those at `found` changed and marked; None when there are none."""
    chosen = set(found)
    if not chosen:
        return None
    return [replace(how(t), touched=True) if at in chosen else t for at, t in enumerate(tokens)]


def rewrite(
    tokens: Sequence[Token], found: Sequence[int], how: Callable[[str], str]
) -> list[Token] | None:
    """The tokens with the bodies of those at `found` rewritten."""
    return change(tokens, found, lambda token: replace(token, body=how(token.body)))


def requote(
    tokens: Sequence[Token], found: Sequence[int], opens: str, closes: str
) -> list[Token] | None:
    """The tokens with other quotes, or none, around those at `found`."""
    return change(tokens, found, lambda token: replace(token, opens=opens, closes=closes))


def insert(tokens: Sequence[Token], at: int, *texts: str) -> list[Token]:
    """The tokens with extra ones before place `at`."""
    return [*tokens[:at], *(Token("extra", body) for body in texts), *tokens[at:]]


def insert_all(tokens: Sequence[Token], found: Sequence[int], body: str) -> list[Token] | None:
    """The tokens with the same extra one before each place; None when there are none."""
    chosen = set(found)
    pieces = [[Token("extra", body), t] if at in chosen else [t] for at, t in enumerate(tokens)]
    return [token for piece in pieces for token in piece] if chosen else None


def drop(tokens: Sequence[Token], found: Sequence[int]) -> list[Token] | None:
    """The tokens without those at `found`; None when there are none."""
    gone = set(found)
    return [t for at, t in enumerate(tokens) if at not in gone] if gone else None


def map_escapes(body: str, how: Callable[[str], str]) -> str:
    """Rewrite each escape sequence of a JSON string's body; `how` gets it with its backslash."""
    return re.sub(r"\\(?:u[0-9a-fA-F]{4}|.)", lambda found: how(found[0]), body, flags=re.DOTALL)
