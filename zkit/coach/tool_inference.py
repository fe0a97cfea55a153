"""Find the tool that a failure is about: by its name, a table, near names, examples and tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from zkit.arguments.field_names import words
from zkit.json_types import JsonMapping
from zkit.sources.catalog import Catalog, nearest_examples, telling_words
from zkit.tools import ToolSpec

MEANT: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "open": ("read_file",),
        "cat": ("read_file",),
        "read": ("read_file",),
        "glob": ("find_files", "glob", "ls"),
        "os": ("find_files", "ls"),
        "pathlib": ("find_files", "ls"),
        "listdir": ("ls", "find_files"),
        "walk": ("find_files", "ls"),
        "write": ("write_file",),
        "save_file": ("write_file",),
        "create_file": ("write_file",),
        "sed": ("edit_file",),
        "replace": ("edit_file",),
        "re": ("grep",),
        "search": ("grep", "code_search"),
        "subprocess": ("bash",),
        "system": ("bash",),
        "shell": ("bash",),
        "requests": ("web_fetch",),
        "urllib": ("web_fetch",),
        "pytest": ("test_runner",),
    }
)
"""The tools that a name from Python's library or a shell may mean, the likeliest first."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*+")
_MOST_CHARACTERS = 4_000
_MOST_NAMES = 64
_MOST_TOOLS = (
    512  # with more tools, similar spellings are not searched: the index would cost too much
)


def infer_tool(
    specs: Sequence[ToolSpec],
    *,
    name: str = "",
    text: str = "",
    table: Mapping[str, Sequence[str]] = MEANT,
) -> ToolSpec | None:
    """Return the tool that was probably meant; None if there is no evidence for any.

    `name` is the name in the call, and `text` is other evidence such as the error or the arguments.
    These are tried in order: a tool of that name, the table, similar names, a tool or a row of the
    table that the text names, and examples or tags that share words with it. The same input always
    gives the same result.
    """
    known = {key: spec for spec in specs for key in (spec.wire_name, spec.name)}
    ways = (
        _by_name([name] if name else [], known),
        _by_table(_parts(name), known, table),
        _by_nearness(name, specs, known),
        _by_name(_names_in(text), known),
        _by_table(_names_in(text), known, table),
        _by_words(f"{name} {text[:_MOST_CHARACTERS]}", specs),
    )
    return next((found for way in ways for found in way), None)


def _by_name(names: Iterable[str], known: Mapping[str, ToolSpec]) -> Iterator[ToolSpec]:
    yield from (known[name] for name in names if name in known)


def _parts(name: str) -> list[str]:
    """Return a dotted name such as `os.listdir`, and its parts from the last to the first."""
    return [name, *reversed(name.split("."))] if name else []


def _by_table(
    names: Iterable[str], known: Mapping[str, ToolSpec], table: Mapping[str, Sequence[str]]
) -> Iterator[ToolSpec]:
    meant = (tool for name in names for tool in table.get(name.casefold(), ()))
    yield from (known[tool] for tool in meant if tool in known)


def _by_nearness(
    name: str, specs: Sequence[ToolSpec], known: Mapping[str, ToolSpec]
) -> Iterator[ToolSpec]:
    """Yield the tools with a similar spelling, then those that share the most words with the name."""
    if not name.strip():
        return
    if len(specs) <= _MOST_TOOLS:
        yield from (known[near] for near in Catalog(specs).nearest(name[:128], 1))
    wanted = set(words(name[:128]))
    shared = [(len(wanted & set(words(spec.name))), spec) for spec in specs]
    best = max((count for count, _ in shared), default=0)
    yield from (spec for count, spec in shared if count == best and best)


def _names_in(text: str) -> list[str]:
    return list(dict.fromkeys(_NAME.findall(text[:_MOST_CHARACTERS])))[:_MOST_NAMES]


def _by_words(text: str, specs: Sequence[ToolSpec]) -> Iterator[ToolSpec]:
    """Yield the tools with an example that shares words with the text, then those with such a tag."""
    yield from (found.spec for found in nearest_examples(specs, text, 1))
    given = set(telling_words(text))
    tagged = [(len(given & {tag.casefold() for tag in spec.tags}), spec) for spec in specs]
    best = max((count for count, _ in tagged), default=0)
    yield from (spec for count, spec in tagged if count == best and best)


def nearest_example(spec: ToolSpec, sent: object) -> JsonMapping | None:
    """Return the arguments of the declared example nearest to those sent; None without examples.

    The nearest one shares the most argument names and words with them.
    """
    if not spec.examples:
        return None
    given = set(words_in(sent))
    names = set(sent) if isinstance(sent, Mapping) else set()
    scores = [
        2 * len(names & set(one.arguments))
        + len(given & {*words_in(one.arguments), *telling_words(one.description)})
        for one in spec.examples
    ]
    return spec.examples[scores.index(max(scores))].arguments


def words_in(sent: object) -> list[str]:
    """Return the words in arguments, which may be raw text that could not be parsed."""
    return telling_words(str(sent)[:_MOST_CHARACTERS])
