"""Remove secrets from texts, bytes and data."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

HIDDEN = "[secret]"
_SHORTEST_SECRET = 6


class Redaction:
    """Puts a mark in the place of secrets, in texts, in bytes and in data of any depth."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        found = {secret for secret in secrets if len(secret) >= _SHORTEST_SECRET}
        self.secrets = tuple(sorted(found, key=len, reverse=True))

    def text(self, text: str) -> str:
        """The text without secrets."""
        for secret in self.secrets:
            text = text.replace(secret, HIDDEN)
        return text

    def data(self, value: Any) -> Any:
        """JSON data without secrets, keys included."""
        if not self.secrets:
            return value
        # Through its JSON, where a secret stands as `json.dumps` would write it: no recursion.
        text = json.dumps(value, ensure_ascii=False, default=str)
        for secret in self.secrets:
            text = text.replace(json.dumps(secret, ensure_ascii=False)[1:-1], HIDDEN)
        return json.loads(text)

    def held(self, data: bytes) -> int:
        """How many bytes at the end may be the beginning of a secret."""
        longest = 0
        for secret in (one.encode() for one in self.secrets):
            for size in range(min(len(secret) - 1, len(data)), longest, -1):
                if data.endswith(secret[:size]):
                    longest = size
                    break
        return longest

    def raw(self, data: bytes) -> bytes:
        """The bytes without secrets."""
        for secret in self.secrets:
            data = data.replace(secret.encode(), HIDDEN.encode())
        return data
