"""Masks the secrets in a text: letters and digits are replaced, the shape stays.

The syntax of JSON and of the formats (quotes, braces, backslashes, line ends) is never touched, so
the damage of a text survives.
"""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from math import log2
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

LONGEST_RUN = 120
_KEPT = 24
_RUN = re.compile(rf"[^\"'`\\{{}}\[\]()<>|\x00-\x1f]{{{LONGEST_RUN},}}")
"""Several words in a row, without anything that could be part of a notation."""


_ESCAPED_BLANK = re.compile(r"(?<!\\)\\[nrt]")
"""A line end or a tab inside a JSON string: what follows it begins a word."""


class Secret(NamedTuple):
    """A secret in a text: where it is, and of which kind."""

    start: int
    end: int
    kind: str


class _Pattern(NamedTuple):
    kind: str
    pattern: re.Pattern[str]
    """Its group, if it has one, is the secret; otherwise all of it is."""
    is_secret: Callable[[str], bool] = lambda found: True


def _entropy(word: str) -> float:
    """Return the entropy of a word in bits per letter: ordinary words have less than random ones."""
    counts = Counter(word).values()
    return -sum(n / len(word) * log2(n / len(word)) for n in counts)


def _is_random(found: str) -> bool:
    """True if a long word looks random: digits among letters of both cases, or hex."""
    has = (str.isdigit, str.islower, str.isupper)
    kinds = sum(any(test(one) for one in found) for test in has)
    if len(found) < 32:
        return kinds == 3 and _entropy(found) > RANDOM_ENTROPY and "/" not in found
    return kinds == 3 or (kinds == 2 and bool(re.fullmatch("[0-9a-fA-F-]+", found)))


RANDOM_ENTROPY = 3.9
"""Bits for each letter from which a long word with digits and both cases counts as random. Words that
people write stay below; base64 of twenty letters or more is usually above. Chosen, not measured."""


def _is_card(found: str) -> bool:
    """True if the digits have the check digit of a payment card."""
    digits = [int(one) for one in found if one.isdigit()][::-1]
    total = sum(d if at % 2 == 0 else sum(divmod(2 * d, 10)) for at, d in enumerate(digits))
    return 13 <= len(digits) <= 19 and total % 10 == 0 and len(set(digits)) > 1


_PREFIXES = (
    "sk|pk|rk|whsec|ghp|gho|ghu|ghs|ghr|github_pat|glpat|gldt|glrt|xox[abeoprs]|xapp|hf|gsk|r8|AKIA|ASIA|ABIA"
    "|ACCA|AIza|ya29|GOCSPX|npm|pypi|dop_v1|doo_v1|dor_v1|SG|shpat|shpca|shppa|shpss|sq0atp|sq0csp|lin_api|ntn"
    "|AGE-SECRET-KEY|figd|dckr_pat|tvly|pplx|xai|nvapi|csk|hvs|hvb|ATATT3|dapi|rubygems|PMAK|key|sntrys|sntryu|vercel|EAAA"
)
"""How the keys and tokens of known services begin."""
_NAMED = (
    "password|passwd|passphrase|pass[_-]phrase|pwd|secret|token|api[_-]?key|apikey|access[_-]?key|private[_-]?key"
    "|account[_-]?key|client[_-]?secret|auth|authorization|credentials?|session[_-]?id|signature|connection[_-]?string"
)
_QUERY = "key|api_?key|sig|signature|token|access_token|refresh_token|id_token|auth|password|pwd|secret|client_secret|x-amz-[a-z-]{1,20}|x-goog-[a-z-]{1,20}"
_STRONG = (
    _Pattern("private key", re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}(?:PRIVATE KEY|PGP MESSAGE)[A-Z ]{0,10}-----(.{0,20000}?)(?:-----END|\Z)", re.S)),
    _Pattern("key", re.compile(rf"(?<![A-Za-z0-9])(?:{_PREFIXES})[-_.]?[A-Za-z0-9_.-]{{12,}}"), lambda found: any(one.isdigit() for one in found)),
    _Pattern("token", re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]+)?")),
)  # fmt: skip
"""Secrets that are recognised by their form alone."""
_PATTERNS = (
    *_STRONG,
    _Pattern("token", re.compile(r"(?i)\bbearer\s+([A-Za-z0-9._~+/-]{8,})")),
    _Pattern("token", re.compile(r"(?i)\bbasic\s+([A-Za-z0-9+/]{6,}={0,2})"), lambda found: found.endswith("=") or any(one.isdigit() or one.isupper() for one in found)),
    _Pattern("token", re.compile(r"\b\d{8,10}:[A-Za-z0-9_-]{30,}")),
    _Pattern("web hook", re.compile(r"hooks\.slack\.com/services/([A-Za-z0-9/]{10,})|discord(?:app)?\.com/api/webhooks/[\w/-]{10,}")),
    _Pattern("password in an address", re.compile(r"://[^\s/:@\"'\\]{1,64}:([^\s/\"'\\]{1,128})@")),
    _Pattern("secret in an address", re.compile(rf"(?i)[?&#;](?:{_QUERY})=([^&\s\"'\\<>#]{{4,}})")),
    _Pattern("cookie", re.compile(r"(?i)\bcookie[\"'\\]{0,3}\s?[:=]\s?[\"'\\]{0,3}([^\"'\\\r\n{}<>]{4,})")),
    _Pattern("named secret", re.compile(rf"(?i)\b[\w-]{{0,32}}(?:{_NAMED})[\w-]{{0,16}}[\"'\\]{{0,2}}\s?[:=]\s?[\"'\\]{{0,2}}(?!(?:bearer|basic)\b)([^\s\"'\\,;}}\]<>&]{{4,}})")),
    _Pattern("named secret", re.compile(r"(?i)\b[\w-]{0,32}(?:password|passwd|passphrase|pass[_-]phrase|pwd|secret)[\"'\\]{0,2}\s?[:=]\s?\\?[\"']([^\"'\\{}<>\r\n]{4,200})\\?[\"']")),
    _Pattern("e-mail address", re.compile(r"[A-Za-z0-9._%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}")),
    _Pattern("home folder", re.compile(r"(?:/home/|/Users/|[A-Za-z]:\\{1,4}Users\\{1,4})([^/\\\s\"'<>:|]{1,64})")),
    _Pattern("phone number", re.compile(r"(?<![\w.+])\+\d{1,3}[ ()./-]{0,2}\d(?:[ ()./-]{0,2}\d){6,12}(?![\w.])")),
    _Pattern("bank account", re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}(?: ?[A-Z0-9]{1,3})?\b"), lambda found: sum(map(str.isdigit, found)) >= 10),
    _Pattern("payment card", re.compile(r"(?<![\d.])\d(?:[ -]?\d){12,18}(?![\d.])"), _is_card),
    _Pattern("social security number", re.compile(r"(?<![\d-])\d{3}-\d{2}-\d{4}(?![\d-])")),
    _Pattern("random word", re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{20,}={0,2}"), _is_random),
)  # fmt: skip
_SPLIT = re.compile(r"\\u00([2-7][0-9a-fA-F])|\\[nrt]|\\?\r?\n[ \t]*")
"""What may occur inside a secret that was wrapped or escaped: a character escape, a line end."""
_ENCODED = re.compile(
    r"(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,4096}={0,2}|[\w.%~+-]*%[0-9a-fA-F]{2}[\w.%~+-]{6,}"
)


def secrets_in(text: str, *, told: Collection[str] = ()) -> list[Secret]:
    """Return every secret in a text, in order, none inside another; kinds in `told` are left out."""
    hidden = (one for one in _all_secrets(text) if one.kind not in told)
    found = sorted(hidden, key=lambda one: (one.start, -one.end))
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
    yield from _split_secrets(text)
    yield from _encoded_secrets(text)
    home = str(Path.home())
    at = text.find(home) if len(home) > 3 else -1
    while at >= 0:
        yield Secret(at, at + len(home), "home folder")
        at = text.find(home, at + len(home))


def _split_secrets(text: str) -> Iterator[Secret]:
    """Return secrets that an escape or a line end splits: they are found in the text without it."""
    joined: list[str] = []
    places: list[int] = []
    at = 0
    for cut in _SPLIT.finditer(text):
        joined.append(text[at : cut.start()])
        places.extend(range(at, cut.start()))
        if cut[1]:
            joined.append(chr(int(cut[1], 16)))
            places.append(cut.start())
        at = cut.end()
    if not at:
        return
    whole = "".join([*joined, text[at:]])
    places.extend(range(at, len(text) + 1))
    for kind, pattern, is_secret in _STRONG:
        for match in pattern.finditer(whole):
            group = 1 if pattern.groups else 0
            if is_secret(match[group]):
                yield Secret(places[match.start(group)], places[match.end(group) - 1] + 1, kind)


def _encoded_secrets(text: str) -> Iterator[Secret]:
    """Return words that hold a secret in Base64 or percent-encoded."""
    for match in _ENCODED.finditer(text):
        word = match[0]
        plain = unquote(word) if "%" in word else _decoded(word)
        if any(p.is_secret(m[0]) for p in _PATTERNS[:11] for m in p.pattern.finditer(plain)):
            yield Secret(*match.span(), "encoded secret")


def _decoded(word: str) -> str:
    """Return the text that a word is the Base64 of; empty if it is not."""
    try:
        found = base64.b64decode(word + "=" * (-len(word) % 4), validate=True).decode("utf-8")
    except ValueError:
        return ""
    return found if found.isprintable() else ""


def masked(text: str) -> str:
    """Return a word in its own shape: letters as x and X, digits as 0, all else as it is."""
    return "".join("0" if one.isdigit() else _letter(one) for one in text)


def _letter(one: str) -> str:
    if not one.isalpha():
        return one
    return "X" if one.isupper() else "x"


def without_secrets(text: str) -> str:
    """Return the text with every secret masked; it is as long as before."""
    pieces, at = [], 0
    for secret in secrets_in(text):
        pieces += [text[at : secret.start], masked(text[secret.start : secret.end])]
        at = secret.end
    return "".join([*pieces, text[at:]])


def shortened(text: str, is_same: Callable[[str], bool]) -> str:
    """Return the text with long runs of words shortened in the middle."""
    for run in reversed(list(_RUN.finditer(text))):
        words = run[0]
        short = f"{words[:_KEPT]} … {words[-_KEPT:]}"
        tried = text[: run.start()] + short + text[run.end() :]
        if is_same(tried):
            text = tried
    return text
