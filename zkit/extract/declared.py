"""The declared tools: their names as models write them, and what their schemas allow."""

from __future__ import annotations

import marshal
import re
from functools import cached_property, lru_cache
from typing import Any

from zkit.expect import Expect
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema import Offer, offered

# Namespaces that models put before a tool's name because their prompts use them: Kimi K2 and gpt-oss
# `functions.`, Gemini `default_api.`, Gemma 4 `call:` (corpus/extract/around).
PREFIXES = ("call:", "functions.", "function.", "tools.", "tool.", "default_api.", "api.", "multi_tool_use.")  # fmt: skip
# A chunk of at most this length is checked with one quick search; longer ones are searched for every mark.
LONGEST_PLAIN = 12
_NO_SCHEMA = Expect({}, {})
_LAST_WORD = re.compile(r"[\w./:-]*\Z")
_TRIMMED = " \t\r\n\"'`*"


def without_prefix(name: str) -> str:
    """Return a name without the namespace prefix that a model put before it."""
    if not name.startswith(PREFIXES):
        return name
    prefix = next(prefix for prefix in PREFIXES if name.startswith(prefix))
    return name[len(prefix) :]


def _letters(name: str) -> str:
    return name.replace(".", "_").replace("-", "_")


def declared(tools: Any) -> Declared:
    """Return the declared tools; the result for plain data is cached.

    The cache key is the data itself, so a list that was changed is read again.
    """
    if isinstance(tools, Declared):
        return tools
    try:
        key = marshal.dumps(tools, 2) if type(tools) in (list, tuple, dict) else b""
    except ValueError:  # functions, models, objects
        key = b""
    return _from_data(key) if key else Declared(tools)


@lru_cache(maxsize=32)
def _from_data(key: bytes) -> Declared:
    return Declared(marshal.loads(key))


class Declared:
    """The declared tools, and what their schemas allow."""

    def __init__(self, tools: Any) -> None:
        self.offers: dict[str, Offer] = offered(tools) if tools else {}
        self._expects: dict[str, Expect] = {}

    def __bool__(self) -> bool:
        return bool(self.offers)

    def name_of(self, written: str) -> str | None:
        """Return the declared name that a written name means; None for an unknown tool."""
        if written in self.offers:
            return written
        bare = written.strip(_TRIMMED).replace("\\_", "_").removesuffix("()")
        for name in (bare, without_prefix(bare)):
            if name in self.offers:
                return name
        near = self._respelt.get(_letters(without_prefix(bare)))
        return near[0] if near is not None and len(near) == 1 else None

    @cached_property
    def _respelt(self) -> dict[str, list[str]]:
        """The declared names by their spelling with `_` for `.` and `-`: BFCL prompts and replies respell them so."""
        found: dict[str, list[str]] = {}
        for name in self.offers:
            found.setdefault(_letters(name), []).append(name)
        return found

    def expect(self, written: str) -> Expect:
        """Return what the schema expects of a tool's arguments; any arguments fit an undeclared tool."""
        name = self.name_of(written)
        if name is None:
            return _NO_SCHEMA
        if name not in self._expects:
            schema = self.offers[name].parameters
            self._expects[name] = Expect(schema, schema)
        return self._expects[name]

    def schema(self, written: str) -> JsonObject | None:
        """Return the schema of a tool's arguments; None for a tool that is not declared."""
        name = self.name_of(written)
        return None if name is None else self.offers[name].parameters

    def is_open(self, written: str) -> bool:
        """True if a tool takes keys that its schema does not name; also for an undeclared tool."""
        schema = self.schema(written)
        extra = ("additionalProperties", "patternProperties")
        return schema is None or any(map(schema.get, extra))

    def misfit(self, name: str, arguments: JsonMapping) -> str:
        """Return why arguments do not fit this tool: a key is missing or unknown. Empty if they fit."""
        expect = self.expect(name)
        missing = sorted(expect.required - arguments.keys())
        if missing:
            return f"{name} needs {', '.join(missing)}."
        foreign = [key for key in arguments if key not in expect.keys]
        if foreign and not self.is_open(name):
            known = ", ".join(expect.order) or "no arguments"
            return f"{name} does not take {', '.join(map(str, foreign))}; it takes {known}."
        return ""

    def fits(self, name: str, arguments: Any) -> bool:
        """True if the keys of these arguments fit this tool."""
        return isinstance(arguments, dict) and not self.misfit(name, arguments)

    def named_in(self, text: str) -> bool:
        """True if a text contains the name of a tool."""
        return any(map(text.__contains__, self.spellings))

    @cached_property
    def spellings(self) -> tuple[str, ...]:
        """The names and their other spellings: `calculate\\_growth` is Markdown for `calculate_growth`."""
        escaped = (name.replace("_", "\\_") for name in self.offers if "_" in name)
        joined = (name.replace(".", "_") for name in self.offers if "." in name)
        return tuple(dict.fromkeys((*self.offers, *escaped, *joined)))

    @cached_property
    def begun(self) -> re.Pattern[str]:
        """A pattern for where a name may begin in a short text: three characters of it, fewer at the end."""
        first, ends = ({re.escape(name[:k]) for name in self.spellings} for k in (3, 2))
        ends |= {re.escape(name[:1]) for name in self.spellings}
        return re.compile(rf"(?<!\w)(?:{'|'.join(first)}|(?:{'|'.join(ends)})\Z)")

    def begun_in(self, text: str) -> str | None:
        """Return the beginning of a name that a text ends with; None if it ends with another word.

        Empty if the text ends with a namespace prefix, or with nothing of a name yet.
        """
        word = without_prefix(_LAST_WORD.search(text)[0])  # type: ignore[index]
        if any(prefix.startswith(word) for prefix in PREFIXES):
            return ""
        return word if word in self.prefixes else None

    @cached_property
    def prefixes(self) -> frozenset[str]:
        """All beginnings of all names; a chunk may end in one of them."""
        return frozenset(name[:end] for name in self.spellings for end in range(1, len(name) + 1))
