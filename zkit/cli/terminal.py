"""Make text from models, tools, servers and files safe to show on a terminal.

A terminal obeys what is written to it: escape sequences and OSC clear the screen, change its title
or fill the clipboard; C1 controls such as U+009B do the same in one character; marks of
bidirectional text make a line read differently from what it says. All of them are shown as
visible escapes instead. Every command passes what it did not write itself through `printable`,
or through `printable_json` where the output is JSON.
"""

from __future__ import annotations

import re

# C0 without tab and newline, DEL and C1, line and paragraph separators, bidirectional marks,
# embeddings, overrides and isolates, lone surrogates (which cannot be encoded), interlinear
# annotations, and tag characters (invisible text that a model reads and a person does not).
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: object) -> str:
    """Return the text with every character that could control a terminal as a visible escape.

    Newlines and tabs stay; a Windows line end becomes a newline.
    """
    return _UNSAFE.sub(_escape, str(text).replace("\r\n", "\n"))


def printable_line(text: object, room: int | None = None) -> str:
    """Return the text on one line, blanks collapsed, cut to `room` characters if given."""
    given = str(text)
    head = given if room is None else given[: room * 8]
    flat = " ".join(printable(head).split())
    if room is None or (len(flat) <= room and len(head) == len(given)):
        return flat
    return f"{flat[: max(1, room - 1)]}…"


def printable_json(text: str) -> str:
    """Return JSON text with the unsafe characters of its strings as `\\uXXXX`: the value is the same.

    A carriage return can only stand between tokens; alone, it becomes a newline.
    """
    return "\r\n".join(
        _UNSAFE.sub(_json_escape, part.replace("\r", "\n")) for part in text.split("\r\n")
    )


def is_printable(text: str) -> bool:
    """True if the text holds nothing that could control a terminal."""
    return _UNSAFE.search(text) is None


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
