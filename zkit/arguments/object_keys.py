"""Finds the arguments inside a wrapper, and the declared name of a key in another spelling."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from zkit.arguments.candidate_values import CandidateValue, is_schema_of_arguments, read_container
from zkit.arguments.coercions import DEEPEST_WRAPPER, LONGEST_SHORT_NAME, MOST_UNKNOWN_KEYS
from zkit.arguments.field_names import folded, near_misses, nearest, same_name, words
from zkit.arguments.shape import Shape
from zkit.arguments.source_text import Place, Source
from zkit.arguments.validation_errors import ErrorTree
from zkit.arguments.wording import as_json, path_text, shown
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.results import Problem

if TYPE_CHECKING:
    from pydantic import JsonValue

    from zkit.arguments.coerce import Coercer

ENVELOPES = (
    "arguments",
    "parameters",
    "args",
    "params",
    "kwargs",
    "input",
    "inputs",
    "tool_input",
    "tool_args",
    "action_input",
    "function_args",
    "properties",
)
CALLS = ("function", "function_call", "tool_call", "call", "tool_calls")
NAMES = ("name", "tool", "tool_name", "function", "function_name", "action", "recipient_name")
_BESIDE = frozenset(
    (
        *NAMES,
        *("type", "kind", "id", "call_id", "tool_call_id", "index"),
        *("required", "description", "strict"),
    )
)


class Unwrapped(NamedTuple):
    """The content of a wrapper, its place in the text, and the fixes needed to read it.

    `tool` is the name that the wrapper gave, if any. `is_sure` is False when a key of the wrapper
    is also a field, and the tool's name is not known.
    """

    value: Any
    place: Place
    tool: str | None = None
    rank: Rank = Rank.UNWRAP
    is_sure: bool = True


def unwrapped(value: object, shape: Shape, tool: str | None, place: Place) -> Unwrapped | None:
    """Return the arguments inside a wrapper, or inside the only call of a list; None when there is none.

    A wrapper has no key that the schema declares: a key that it declares is an argument, whatever
    its name. An object that is clearly a call of this tool is a wrapper nevertheless.
    """
    found = _named_in_list(value, tool, place) or Unwrapped(*_only(value, place))
    start = found.value if found.tool is None else None
    for _ in range(DEEPEST_WRAPPER):
        inner = _inner(found, shape, tool)
        if inner is None:
            break
        sure = tool is not None or shape.fields.keys().isdisjoint(found.value)
        found = inner._replace(
            tool=inner.tool or found.tool,
            rank=max(inner.rank, found.rank),
            is_sure=sure and found.is_sure,
        )
        if is_schema_of_arguments(found.value, shape):
            break
    return None if found.value is start else found


def _inner(outer: Unwrapped, shape: Shape, tool: str | None) -> Unwrapped | None:
    value, place = outer.value, outer.place
    if not isinstance(value, dict) or not value:
        return None
    if not shape.fields.keys().isdisjoint(value) and not _calls(value, tool):
        return None
    for key in CALLS:
        if key in value and set(value) - {key} <= _BESIDE:
            call, there = _only(value[key], place.inside(key))
            if isinstance(call, dict) and any(one in call for one in (*ENVELOPES, *CALLS)):
                return Unwrapped(call, there)
    keys = [key for key in ENVELOPES if key in value]
    if len(keys) == 1 and set(value) - set(keys) <= _BESIDE:
        return _held(value[keys[0]], place.inside(keys[0]), _tool_named(value))
    only = next(iter(value))
    if tool is not None and len(value) == 1 and folded(only) == folded(tool):
        return _held(value[only], place.inside(only), tool)
    return None


def _held(value: object, place: Place, tool: str | None) -> Unwrapped | None:
    """Return the content of an envelope if it is an object or the text of one, else None."""
    if value is None or value == "":
        return Unwrapped({}, Place(), tool)
    value, place = _only(value, place)
    if isinstance(value, dict):
        return Unwrapped(value, place, tool)
    read = read_container(value, {"type": "object"}) if isinstance(value, str) else None
    if read is None or not isinstance(read.value, dict):
        return None
    source = Place((), Source(read.text, read.fixes))
    return Unwrapped(read.value, source, tool, max(Rank.UNWRAP, read.rank))


def _calls(value: JsonObject, tool: str | None) -> bool:
    """True if an object consists of a name, which may be this tool's, and an envelope."""
    if len(value) != 2:
        return False
    named = _tool_named(value)
    envelopes = [key for key in ENVELOPES if isinstance(value.get(key), dict)]
    if len(envelopes) != 1 or named is None:
        return False
    return tool is None or same_tool(named, tool)


def same_tool(one: str, other: str) -> bool:
    """True if two names differ only in a prefix, case and separators."""
    return folded(one.rpartition(".")[2]) == folded(other.rpartition(".")[2])


def _only(value: object, place: Place) -> tuple[object, Place]:
    """Return the one call of a list of calls."""
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
        return value[0], place.inside(0)
    return value, place


def _named_in_list(value: object, tool: str | None, place: Place) -> Unwrapped | None:
    """Return the arguments of a call written as a list, `["search", {"query": "x"}]`; None for
    others."""
    if not isinstance(value, list) or len(value) != 2 or tool is None:
        return None
    name, arguments = value
    if not isinstance(name, str) or not isinstance(arguments, dict) or not same_tool(name, tool):
        return None
    return Unwrapped(arguments, place.inside(1), name)


def _tool_named(call: JsonObject) -> str | None:
    return next((call[key] for key in NAMES if isinstance(call.get(key), str)), None)


REASONING_KEYS = frozenset(
    [
        *("thought", "thoughts", "mythoughts", "innerthoughts", "internalthoughts", "thinking"),
        *("reason", "reasons", "reasoning", "rationale", "justification", "why"),
        *("explanation", "explanations", "comment", "comments", "chainofthought", "scratchpad"),
    ]
)
"""Keys that hold the model's own reasoning, without case and separators: prompts such as Letta's
and smolagents' ask for them beside the arguments. Any other key may hold a condition of the call."""
Likeness = Callable[[str, Iterable[str]], list[str]]


def renamed(
    coercer: Coercer,
    value: JsonMapping,
    shape: Shape,
    place: Place,
    errors: ErrorTree | None,
) -> dict[str, str | None]:
    """Return a declared name for each key that is another spelling of it; None for a key to leave
    out."""
    unknown_keys = _unknown_keys(value, shape, errors)
    if not unknown_keys:
        return {}
    names: dict[str, str | None] = {}
    for likeness, coercion in _LIKENESSES if len(unknown_keys) <= MOST_UNKNOWN_KEYS else ():
        taken = set(names.values())
        wanted = [name for name in _wanted(value, shape) if name not in taken]
        found = _matches([key for key in unknown_keys if key not in names], wanted, likeness)
        for key, name in found.items():
            names[key] = name
            coercer.note(renaming(coercion, key, name), place.at(name))
    rest = [key for key in unknown_keys if key not in names]
    if _is_open(shape):
        return names
    nothing_left = bool(shape.fields) and len(rest) == len(value)
    coercer.lost.update(rest)
    for key in rest:
        # Each key is compared with each field, so this is done only for a small number of keys.
        meant = _may_mean(key, value, shape) if len(rest) <= MOST_UNKNOWN_KEYS else ""
        if meant is not None or nothing_left:
            path = path_text((*place.path, key))
            hint = shown(meant) if meant else ""
            coercer.problems.append(Problem(path, "unknown", shown(value[key]), "", hint))
        elif _is_equal_copy(key, value, shape):
            names[key] = None
            note = f"left out {shown(key)}, given again with the same value"
            coercer.note(CandidateValue("drop_equal_key", value[key], note), place.at(key))
        elif shape.closed and not _is_reasoning(key, value[key]):
            path = path_text((*place.path, key))
            like = nearest(key, shape.fields, 1)
            hint = shown(like[0]) if like else ""
            coercer.problems.append(Problem(path, "unknown", shown(value[key]), "", hint))
        elif shape.closed:
            names[key] = None
            note = f"left out the undeclared key {shown(key)}"
            coercer.note(CandidateValue("drop_unknown_key", value[key], note), place.at(key))
    return names


def _is_equal_copy(key: str, value: JsonMapping, shape: Shape) -> bool:
    """True if a key repeats a field that was sent, in another spelling and with the same value."""
    same = same_name(key, shape.fields)
    return any(name in value and as_json(value[name]) == as_json(value[key]) for name in same)


def _is_reasoning(key: str, sent: JsonValue) -> bool:
    """True if a key holds the model's reasoning, in words, which no tool needs."""
    parts = sent if isinstance(sent, list) else [sent]
    return folded(key) in REASONING_KEYS and all(isinstance(part, str) for part in parts)


def renaming(coercion: str, key: str, name: str) -> CandidateValue:
    """Return the entry of the receipt for a key that was read as a field's name."""
    return CandidateValue(coercion, name, f"read the key {shown(key)} as {shown(name)}")


def _may_mean(key: str, value: JsonMapping, shape: Shape) -> str | None:
    """Return the field that an undeclared key may mean, or None if the key can be left out.

    A key may be meant if it is another spelling of a field that was sent too, has a word of a field
    that was not sent, holds an object with fields, or is a wrapper.
    """
    sent = value[key]
    mine = {word for word in words(key) if len(word) > 2}
    for name in shape.fields:
        if name in value and (value[name] == sent or not _alike(key, name)):
            continue
        if _alike(key, name) or (name not in value and not mine.isdisjoint(words(name))):
            return name
    holds_fields = isinstance(sent, dict) and not shape.fields.keys().isdisjoint(sent)
    return "" if shape.fields and (holds_fields or key in ENVELOPES) else None


def _alike(key: str, name: str) -> bool:
    """True if two names differ only in case, a typing error, a number or an ending."""
    one, other = folded(key), folded(name)
    shorter = min(len(one), len(other))
    begun = one[: max(shorter - 1, 3)] == other[: max(shorter - 1, 3)] and shorter > 2
    return one == other or begun or bool(near_misses(key, [name])) or _is_short_for(one, other)


def _is_short_for(one: str, other: str) -> bool:
    """True if a short name is an abbreviation of the other, or one letter off: `qty`, `quantity`."""
    short, long = sorted((one, other), key=len)
    if not 2 < len(short) <= LONGEST_SHORT_NAME or short[0] != long[0]:
        return False
    letters = iter(long)
    return all(letter in letters for letter in short) or sorted(short) == sorted(long)


def _unknown_keys(value: JsonMapping, shape: Shape, errors: ErrorTree | None) -> list[str]:
    """Return the keys that are not declared, as far as the validator reported them."""
    if errors is not None and not _is_open(shape):
        return [k for k in value if k in errors.below and "unknown" in errors.below[k].kinds]
    return [key for key in value if key not in shape.fields] if shape.fields else []


def _is_open(shape: Shape) -> bool:
    """True if keys that are not declared are data."""
    return shape.additional is not None and not shape.closed


def _wanted(value: JsonMapping, shape: Shape) -> list[str]:
    """Return the declared names that were not sent; only required ones where any key may be added."""
    is_open = _is_open(shape)
    return [n for n in shape.fields if n not in value and (not is_open or n in shape.required)]


def _matches(unknown_keys: list[str], wanted: list[str], likeness: Likeness) -> dict[str, str]:
    """Return the pairs of a key and a name that match each other and nothing else."""
    likes = {key: likeness(key, wanted) for key in unknown_keys}
    counts: dict[str, int] = {}
    for names in likes.values():
        for name in names:
            counts[name] = counts.get(name, 0) + 1
    return {
        key: names[0] for key, names in likes.items() if len(names) == 1 and counts[names[0]] == 1
    }


_LIKENESSES: tuple[tuple[Likeness, str], ...] = (
    (same_name, "key_by_spelling"),
    (near_misses, "key_by_near_miss"),
)
