"""Valid arguments in, whether their text may give a key twice out: a quick look, without parsing it again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from zkit.arguments.key_count import Count

SHORT = 1000
"""A text of so many characters is soon looked through."""
_END_OF_KEY = re.compile(r'"(?<!\\")[ \t\r\n]*+:')
_AFTER_BACKSLASHES = re.compile(r'\\\\"[ \t\r\n]*+:')


def most_keys(text: str) -> int:
    """At most how many keys a JSON text writes: a colon after a quote ends each, if no blank stands between."""
    if " :" in text or "\n" in text or "\t" in text or "\r" in text:
        return text.count(":")
    return text.count('":')


class KeySearch:
    """What is known of the keys of one target: how many were sent, and which of its fields may be long."""

    def __init__(self, core_schema: Any, count_keys: Count) -> None:
        self._count_keys = count_keys
        self._texts = tuple(_texts(core_schema)) if core_schema else ()

    def may_repeat(self, text: str, value: Any) -> bool:
        """Whether the text of a valid value may write more keys than were sent.

        A key ends with a quote that is not escaped, and a colon after it.
        """
        if len(text) > SHORT:
            text = self._around_longest(text, value)
        if len(_END_OF_KEY.findall(text)) != self._count_keys(value):
            return True
        return "\\\\" in text and _ends_after_backslashes(text)

    def _around_longest(self, text: str, value: Any) -> str:
        """The parts of a text in which a key can stand: not all of it where one value fills the most of it.

        A string of n characters takes at least n in the text, all in a row; so a key stands among those before
        the last n, or among those after the first n.
        """
        if not self._texts:
            return text
        held = value if type(value) is dict else value.__dict__
        longest = max([len(held[name]) for name in self._texts])
        rest = len(text) - longest
        return text if rest > longest else f"{text[:rest]}\0{text[longest:]}"


def _texts(node: dict[str, Any]) -> Iterator[str]:
    """The fields that hold a string just as it was sent."""
    node = node["schema"] if node["type"] == "model" else node
    fields = node["fields"] if node["type"] in ("model-fields", "typed-dict") else {}
    for name, field in fields.items():
        schema, required = field["schema"], field.get("required", True)
        changes = schema.get("to_upper") or schema.get("to_lower")
        if schema["type"] == "str" and required and not changes:
            yield name


def _ends_after_backslashes(text: str) -> bool:
    """Whether a key ends with backslashes, of which each two are one character, and its quote."""
    quotes = [found.start() + 2 for found in _AFTER_BACKSLASHES.finditer(text)]
    return any((at - len(text[:at].rstrip("\\"))) % 2 == 0 for at in quotes)
