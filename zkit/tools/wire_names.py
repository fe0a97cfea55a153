"""A tool's name in, the name that goes over the wire out, and back."""

from __future__ import annotations

import hashlib
import re

# https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools: what a function's
# name may hold. MCP allows dots and 128 characters, and users like `git.status` and `mcp:fs`.
MAX_WIRE = 64
_LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS = {".": "dot", ":": "colon", "/": "slash", "@": "at", " ": "space", "+": "plus"}
_CHARACTERS = {word: character for character, word in _WORDS.items()}
_ESCAPE = re.compile(rf"__({'|'.join(_CHARACTERS)}|u[0-9a-f]{{1,6}})__")
# What an escape could be confused with stands escaped too: two underscores, or one beside an escape.
_TO_ESCAPE = re.compile(r"[^A-Za-z0-9_-]|_(?=[^A-Za-z0-9-])|(?<=[^A-Za-z0-9-])_")
_DIGEST = 16
_CUT = re.compile(rf"__h[0-9a-f]{{{_DIGEST}}}$")


def to_wire(name: str) -> str:
    """Return a name that OpenAI-compatible servers accept; a name that is legal stays as it is.

    Two names never share a wire name. `git.status` becomes `git__dot__status`. A name that would
    be longer than 64 characters is cut and ends in a digest of the whole: only a source, which
    knows its names, can turn that one back.
    """
    if _is_plain(name):
        return name
    wire = _TO_ESCAPE.sub(_escaped, name)
    if len(wire) <= MAX_WIRE and not _CUT.search(wire):
        return wire
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{wire[: MAX_WIRE - _DIGEST - 3]}__h{digest}"


def from_wire(wire: str) -> str:
    """Return the name that a wire name stands for; what is no wire name stays as it is."""
    return _ESCAPE.sub(_unescaped, wire)


def _is_plain(name: str) -> bool:
    legal = _LEGAL.fullmatch(name) is not None
    return legal and not _ESCAPE.search(name) and not _CUT.search(name)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"__{_WORDS.get(character) or f'u{ord(character):x}'}__"


def _unescaped(match: re.Match[str]) -> str:
    word = match[1]
    code = int(word[1:], 16) if word not in _CHARACTERS else 0
    if code > 0x10FFFF:
        return match[0]
    return _CHARACTERS.get(word) or chr(code)
