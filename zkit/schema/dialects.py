"""The dialects of JSON Schema that backends accept, as records: what they support, and the steps
that convert to them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from zkit.errors import SchemaError
from zkit.schema import normalize, references, rewrite, unions
from zkit.schema.schema_tree import Schema

DialectName = Literal["openai", "openai-strict", "deepseek-strict", "gemini", "portable"]
Step = Callable[[Schema, "Dialect"], Schema]


@dataclass(frozen=True, slots=True)
class Limits:
    """How large a schema may be: levels of objects, fields, values in enums, characters in names."""

    levels: int
    fields: int
    enum_values: int
    characters: int


@dataclass(frozen=True, slots=True)
class Dialect:
    """A backend's subset of JSON Schema.

    `steps` turn any schema into this dialect, in their order. The rest says what is not allowed:
    `keywords` are those that are understood (None: all), `formats` by type, `bounded` the types
    whose bounds count, `pattern` is true for patterns that are supported.
    """

    name: DialectName
    doc: str
    steps: tuple[Step, ...]
    keywords: frozenset[str] | None = None
    formats: Mapping[str, frozenset[str]] = field(default_factory=dict)
    bounded: frozenset[str] = frozenset({"integer", "number"})
    pattern: Callable[[str], bool] = lambda text: True
    references: bool = True
    type_lists: bool = True
    null_unions: bool = True
    union_siblings: bool = True
    closed: bool = False
    maps: bool = True
    untyped: bool = True
    empty_objects: bool = True
    string_enums: bool = False
    limits: Limits | None = None

    def formats_for(self, types: Iterable[str]) -> frozenset[str]:
        """Return the formats that are known for a value of these types."""
        return frozenset().union(*(self.formats.get(name, frozenset()) for name in types))


_LOOKING_AROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]")
_BEYOND_GRAMMARS = re.compile(r"\(\?|\\[bBpPAZ1-9]")


def _without_lookaround(pattern: str) -> bool:
    return _LOOKING_AROUND.search(pattern) is None


def _whole_and_plain(pattern: str) -> bool:
    """True if llama.cpp accepts the pattern: from ^ to $, without groups that begin with a question
    mark."""
    whole = pattern.startswith("^") and pattern.endswith("$")
    return whole and _BEYOND_GRAMMARS.search(pattern) is None


_SHAPE = {"type", "description", "properties", "required", "items", "enum", "anyOf"}
_RANGES = {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"}

_SETTLE: tuple[Step, ...] = (
    normalize.well_formed,
    references.open_root,
    normalize.spelt_out,
    normalize.valid,
)
_UNIONS: tuple[Step, ...] = (
    unions.conditions_in_words,
    unions.merge_all_of,
    normalize.object_root,
    unions.any_of_for_one_of,
    unions.stand_alone,
    rewrite.lists_for_tuples,
    unions.flat_unions,
)
# A union whose branches differed only in what was left out becomes a single schema.
_WORDS: tuple[Step, ...] = (rewrite.rest_in_words, unions.flat_unions)
_TYPES: tuple[Step, ...] = (rewrite.types_added, normalize.items_everywhere)

_STRICT_STRING = frozenset({"email", "hostname", "ipv4", "ipv6", "uuid"})

_ALL: tuple[Dialect, ...] = (
    Dialect(
        name="openai",
        doc="Tool parameters of OpenAI-compatible servers without strict mode: all of JSON Schema,"
        " an object at the root, `items` for every list.",
        steps=(
            *_SETTLE,
            unions.merge_all_of_at_root,
            normalize.object_root,
            normalize.items_everywhere,
        ),
    ),
    Dialect(
        name="openai-strict",
        doc="OpenAI's strict mode: objects closed, every field required, optional ones nullable.",
        # developers.openai.com/api/docs/guides/structured-outputs, "Supported schemas"
        steps=(
            *_SETTLE,
            references.plain_references,
            *_UNIONS,
            *_TYPES,
            unions.one_type_each,
            *_WORDS,
            rewrite.declared_objects,
            rewrite.closed_objects,
        ),
        keywords=frozenset(
            _SHAPE
            | _RANGES
            | {
                "const",
                "$ref",
                "$defs",
                "additionalProperties",
                "minItems",
                "maxItems",
                "pattern",
                "format",
            }
        ),
        formats={"string": _STRICT_STRING | {"date-time", "time", "date", "duration"}},
        pattern=_without_lookaround,
        closed=True,
        maps=False,
        untyped=False,
        limits=Limits(levels=10, fields=5000, enum_values=1000, characters=120_000),
    ),
    Dialect(
        name="deepseek-strict",
        doc="DeepSeek's strict mode (beta): as OpenAI's, without limits on texts and lists,"
        " with few formats, references written out.",
        # api-docs.deepseek.com/guides/tool_calls; types in a list must be scalars
        steps=(
            *_SETTLE,
            references.inline_references,
            *_UNIONS,
            rewrite.enum_for_const,
            *_TYPES,
            unions.one_type_each,
            *_WORDS,
            rewrite.declared_objects,
            rewrite.closed_objects,
        ),
        keywords=frozenset(_SHAPE | _RANGES | {"additionalProperties", "pattern", "format"}),
        formats={"string": _STRICT_STRING},
        pattern=_without_lookaround,
        references=False,
        closed=True,
        maps=False,
        untyped=False,
        empty_objects=False,
    ),
    Dialect(
        name="gemini",
        doc="Gemini's function declarations: a subset of OpenAPI 3.0 with `nullable`, one type a"
        " value, enums of texts, no references.",
        # ai.google.dev/api/caching#Schema
        steps=(
            *_SETTLE,
            references.inline_references,
            *_UNIONS,
            rewrite.enum_for_const,
            *_TYPES,
            unions.nulls_as_keyword,
            unions.one_type_each,
            rewrite.declared_objects,
            rewrite.only_string_enums,
            *_WORDS,
            unions.unions_without_siblings,
            unions.flat_unions,
        ),
        keywords=frozenset(
            _SHAPE
            | {"nullable", "minimum", "maximum", "minItems", "maxItems", "minLength", "maxLength"}
            | {"minProperties", "maxProperties", "pattern", "format"}
        ),
        formats={
            "string": frozenset({"date-time", "enum"}),
            "integer": frozenset({"int32", "int64"}),
            "number": frozenset({"float", "double"}),
        },
        references=False,
        type_lists=False,
        null_unions=False,
        union_siblings=False,
        maps=False,
        untyped=False,
        empty_objects=False,
        string_enums=True,
    ),
    Dialect(
        name="portable",
        doc="What the grammars of llama.cpp and Ollama digest: references written out, no null"
        " unions, no `const`, no titles.",
        # github.com/ggml-org/llama.cpp/blob/master/grammars/README.md, "known limitations"
        steps=(
            *_SETTLE,
            references.inline_references,
            *_UNIONS,
            rewrite.enum_for_const,
            *_TYPES,
            unions.nulls_left_out,
            unions.one_type_each,
            rewrite.maps_for_patterns,
            *_WORDS,
        ),
        keywords=frozenset(
            _SHAPE
            | {"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "additionalProperties"}
            | {"minItems", "maxItems", "minLength", "maxLength", "pattern", "format"}
        ),
        formats={"string": frozenset({"date", "time", "date-time", "uuid"})},
        bounded=frozenset({"integer"}),
        pattern=_whole_and_plain,
        references=False,
        type_lists=False,
        null_unions=False,
    ),
)

DIALECTS: dict[DialectName, Dialect] = {dialect.name: dialect for dialect in _ALL}


def dialect_of_name(name: DialectName) -> Dialect:
    """Return the dialect of that name; raise `SchemaError` naming those that exist."""
    try:
        return DIALECTS[name]
    except (KeyError, TypeError):
        raise SchemaError(f"no dialect is called {name!r}; one of {', '.join(DIALECTS)}") from None
