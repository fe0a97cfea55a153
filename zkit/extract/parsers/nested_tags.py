"""A value made of tags in, objects and lists out."""

from __future__ import annotations

import re
from typing import Any

from zkit.extract.parsers.tag_dialects import M3, Dialect, attributes
from zkit.extract.parsers.values import Slot, Value, typed
from zkit.repair.expect import Expect

MAX_DEPTH = 50
_M3_TAG = re.compile(rf"{M3}<(?P<close>/?)(?P<tag>[^<>\s]+)>")
_COFL_TAG = re.compile(r"<(?P<close>/?)cofl:value\b(?P<attrs>[^<>]*)>")


class _Node:
    """An open element: what was said of it, its text so far, and its children."""

    def __init__(self, key: str, kind: str, expect: Expect) -> None:
        self.key = key
        self.kind = kind
        self.expect = expect
        self.text = ""
        self.children: list[tuple[str, Any]] = []

    def child(self, key: str, kind: str) -> _Node:
        listed = key in ("", "item") and "array" in self.expect.kinds
        expect = self.expect.item() if listed else self.expect.child(key)
        return _Node(key, kind, expect)

    def _empty(self) -> Any:
        """What an element without content is, where the schema wants a container."""
        kinds = self.expect.kinds
        return [] if "array" in kinds else {} if "object" in kinds else None

    def value(self) -> Any:
        if not self.children and self.kind not in ("dict", "list"):
            raw = self.text
            if (
                not raw.strip()
                and "string" not in self.expect.kinds
                and (empty := self._empty()) is not None
            ):
                return empty
            return (
                raw
                if self.kind == "raw"
                else typed(raw, Slot(self.key, self.expect, None), 0).value
            )
        keys = {key for key, _ in self.children}
        if self.kind == "list" or (self.kind != "dict" and keys <= {"item", ""}):
            return [value for _, value in self.children]
        if len(keys) < len(self.children):
            raise ValueError("a key is given twice")
        rest = {"$text": self.text.strip()} if self.text.strip() else {}
        return {**dict(self.children), **rest}


def nested_value(dialect: Dialect, text: str, slot: Slot, kind: str) -> Value:
    """The value that the tags inside an argument spell out."""
    pattern = _M3_TAG if dialect.keys_are_tags else _COFL_TAG
    root = _Node(slot.key, kind, slot.expect)
    stack, at = [root], 0
    try:
        for match in pattern.finditer(text):
            stack[-1].text += text[at : match.start()]
            at = match.end()
            if match["close"]:
                done = stack.pop()
                stack[-1].children.append((done.key, done.value()))
            elif len(stack) > MAX_DEPTH:
                return Value(None, (), "too_deep", f"{slot.key}: nested too deeply.")
            else:
                stack.append(stack[-1].child(*_opening(match)))
        root.text += text[at:]
        return Value(stack[0].value()) if len(stack) == 1 else _unread(slot)
    except (IndexError, ValueError):
        return _unread(slot)


def _opening(match: re.Match[str]) -> tuple[str, str]:
    found = match.groupdict()
    if "tag" in found:
        return found["tag"], ""
    attrs = attributes(found["attrs"])
    return attrs.get("name", ""), attrs.get("type", "")


def _unread(slot: Slot) -> Value:
    return Value(None, (), "damaged", f"{slot.key}: the tags inside the value do not match.")
