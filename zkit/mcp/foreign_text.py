"""Cleans the texts of a server: what is invisible to a person must not be read by a model."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from pydantic import JsonValue

from zkit.mcp.server_limits import MOST_DESCRIPTION, MOST_NOTE
from zkit.results import json_text
from zkit.schema.schema_tree import Schema, rebuilt, subschemas

_KEPT = "\n\t"
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
# Cc controls, Cf zero-width and bidirectional marks and tag characters, Cs half characters,
# Co private use, Cn unassigned; Zl and Zp are line ends that no editor shows.
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean(text: str, most: int = MOST_DESCRIPTION) -> str:
    """Return the text without HTML comments, escape sequences and invisible characters."""
    head = text[: most * 4]  # what is cut away later need not be cleaned
    shown = without_comments(visible(_ESCAPE.sub("", head)))
    return shown.strip() if len(shown) <= most else f"{shown[: most - 2].rstrip()} …"


def visible(text: str) -> str:
    """Return the text without invisible characters; line ends and tabs stay."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c for c in text if c in _KEPT or unicodedata.category(c) not in _UNSEEN)


def without_comments(text: str) -> str:
    """Return the text without `<!-- … -->`; one that is not closed runs to the end."""
    parts, at = [], 0
    while (start := text.find("<!--", at)) >= 0:
        parts.append(text[at:start])
        end = text.find("-->", start + 4)
        at = len(text) if end < 0 else end + 3
    # The parts before and after a comment may form another one when they are joined.
    return "".join([*parts, text[at:]]).replace("<!--", "").replace("-->", "")


def clean_schema(schema: Mapping[str, JsonValue]) -> Schema:
    """Return a schema whose texts for the model are clean; properties keep their names.

    A property that is called `description` is a property and stays. Raises `SchemaError` for a
    schema that is nested too deep.
    """
    plain: Schema = dict(schema)
    for _ in subschemas(plain):  # bounds depth and size before anything is rebuilt
        pass
    return rebuilt(plain, _cleaned)


def _cleaned(schema: Schema, path: str) -> Schema:
    texts = {k: clean(v) for k in ("description", "title") if isinstance(v := schema.get(k), str)}
    return {**schema, **texts}


def note_of(server: str, method: str, params: JsonValue) -> str:
    """Return a notification as one line of data that cannot be mistaken for a frame around it."""
    text = visible(json_text(_without_brackets(params)))
    shown = text if len(text) <= MOST_NOTE else f"{text[: MOST_NOTE - 2]} …"
    return f"MCP server {server}, {method}: {shown}"


def _without_brackets(data: JsonValue, depth: int = 0) -> JsonValue:
    """Return data without square brackets in its strings: brackets mark the end of a foreign message."""
    if isinstance(data, str):
        return clean(data, MOST_NOTE).replace("[", "(").replace("]", ")")
    if depth > 8:
        return "…"
    if isinstance(data, list):
        return [_without_brackets(part, depth + 1) for part in data[:64]]
    if isinstance(data, dict):
        pairs = list(data.items())[:64]
        return {clean(k, 80): _without_brackets(part, depth + 1) for k, part in pairs}
    return data
