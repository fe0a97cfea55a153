"""A text in, the same text without secrets out: every character that says something is masked in its own shape.

What JSON and the formats are made of (quotes, braces, backslashes, line ends) is never touched, so
the damage of a text survives.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

LONGEST_RUN = 120
_KEPT = 24
_RUN = re.compile(rf"[^\"'`\\{{}}\[\]()<>|\x00-\x1f]{{{LONGEST_RUN},}}")
"""Words in a row, without anything that could be part of a notation."""


_ESCAPED_BLANK = re.compile(r"(?<!\\)\\[nrt]")
"""A line end or a tab inside a JSON string: what follows it begins a word."""


class Secret(NamedTuple):
    """A place in a text that should not be told, and what kind of secret it is."""

    start: int
    end: int
    kind: str


class _Pattern(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    """Its group, if it has one, is the secret; otherwise all of it is."""
    is_secret: Callable[[str], bool] = lambda found: True


def _is_random(found: str) -> bool:
    """Whether a long word has what words do not have: digits among letters of both cases, or hex."""
    has = (str.isdigit, str.islower, str.isupper)
    kinds = sum(any(test(one) for one in found) for test in has)
    return kinds == 3 or (kinds == 2 and bool(re.fullmatch("[0-9a-fA-F-]+", found)))


_NAMED = "password|passwd|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|auth|authorization|credential"
_PATTERNS = (
    _Pattern("private key", re.compile(r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----([^-]*)")),
    _Pattern("key", re.compile(r"\b(?:sk|pk|rk|ghp|gho|ghu|ghs|ghr|glpat|xox[abprs]|hf|gsk|AKIA|ASIA|AIza|ya29)[-_.]?[A-Za-z0-9_.-]{12,}")),
    _Pattern("token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?")),
    _Pattern("token", re.compile(r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{8,})")),
    _Pattern("password in an address", re.compile(r"://[^\s/:@\"'\\]{1,64}:([^\s/@\"'\\]{1,128})@")),
    _Pattern("named secret", re.compile(rf"(?i)\b[\w-]{{0,32}}(?:{_NAMED})[\w-]{{0,16}}[\"'\\]{{0,2}}\s?[:=]\s?[\"'\\]{{0,2}}(?!(?:bearer|basic)\b)([^\s\"'\\,;}}\]<>&]{{4,}})")),
    _Pattern("e-mail address", re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")),
    _Pattern("home folder", re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4})([^/\\\s\"'<>:|]{1,64})")),
    _Pattern("random word", re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{32,}={0,2}"), _is_random),
)  # fmt: skip


def secrets_in(text: str) -> list[Secret]:
    """Every secret in a text, in order, none inside another."""
    found = sorted(_all_secrets(text), key=lambda one: (one.start, -one.end))
    kept: list[Secret] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return kept


def _all_secrets(text: str) -> Iterator[Secret]:
    plain = _ESCAPED_BLANK.sub("  ", text)
    for kind, pattern, is_secret in _PATTERNS:
        group = 1 if pattern.groups else 0
        for match in pattern.finditer(plain):
            if is_secret(match[group]):
                yield Secret(*match.span(group), kind)
    home = str(Path.home())
    at = text.find(home) if len(home) > 3 else -1
    while at >= 0:
        yield Secret(at, at + len(home), "home folder")
        at = text.find(home, at + len(home))


def masked(text: str) -> str:
    """A word in its own shape: letters as x and X, digits as 0, all else as it is."""
    return "".join("0" if one.isdigit() else _letter(one) for one in text)


def _letter(one: str) -> str:
    if not one.isalpha():
        return one
    return "X" if one.isupper() else "x"


def without_secrets(text: str) -> str:
    """The text with every secret masked; it is as long as before."""
    pieces, at = [], 0
    for secret in secrets_in(text):
        pieces += [text[at : secret.start], masked(text[secret.start : secret.end])]
        at = secret.end
    return "".join([*pieces, text[at:]])


def shortened(text: str, is_same: Callable[[str], bool]) -> str:
    """The text with long runs of words cut short in their middle, as long as nothing else changes."""
    for run in reversed(list(_RUN.finditer(text))):
        words = run[0]
        short = f"{words[:_KEPT]} … {words[-_KEPT:]}"
        tried = text[: run.start()] + short + text[run.end() :]
        if is_same(tried):
            text = tried
    return text
