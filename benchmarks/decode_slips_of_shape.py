"""Slips of shape: right arguments under other keys or in another envelope, with only one reading."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from benchmarks.decode_sent import Make, Sent, Slip
from benchmarks.decode_slips_of_value import (
    boolean_as_text,
    enum_case,
    enum_spacing,
    integral_float,
    json_as_text,
    null_as_text,
    number_as_text,
    one_item_list,
    scalar_for_list,
)
from benchmarks.decode_values import (
    Spot,
    core,
    make_value,
    nullable,
    put,
    renamed,
    schema_of,
    spelled,
    without,
)

# ── keys ──────────────────────────────────────────────────────────────────────


def _noticed(spot: Spot) -> bool:
    """A named member whose absence or whose other name the model rejects."""
    return isinstance(spot.path[-1], str) and (spot.required or spot.strict) and _named(spot)


def _named(spot: Spot) -> bool:
    return not isinstance(spot.path[-1], int) and spot.path[-1] == spot.path[-1].lower()


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(map(str.capitalize, rest))


KEY_STYLES: tuple[Callable[[str], str], ...] = (
    str.upper,
    str.capitalize,
    _camel,
    lambda name: name.replace("_", "-").title(),
    lambda name: name.replace("_", " ").title(),
)


def key_spelling(sent: Sent) -> Slip | None:
    """A key in another style."""
    spot = sent.any_spot(_noticed)
    if spot is None:
        return None
    name = sent.rng.choice(KEY_STYLES)(str(spot.path[-1]))
    return Slip(
        spelled(sent.rng, renamed(sent.arguments, spot.path, name)),
        sent.arguments,
    )


def keys_in_one_style(sent: Sent) -> Slip | None:
    """All keys in another style, as a model that is used to it writes them."""
    style = sent.rng.choice(KEY_STYLES)

    def restyled(value: Any, schema: Any) -> Any:
        inner = core(schema)
        if isinstance(value, list):
            return [restyled(item, inner["items"]) for item in value]
        if not isinstance(value, dict) or "properties" not in inner:
            return value
        named = inner["properties"]
        # Where the model rejects no key, it takes the object as it stands.
        required = [key for key in inner.get("required", ()) if style(key) != key]
        write = style if required or inner.get("additionalProperties") is False else str
        return {write(key): restyled(item, named[key]) for key, item in value.items()}

    return Slip(spelled(sent.rng, restyled(sent.arguments, schema_of(sent.tool))), sent.arguments)


def key_near_miss(sent: Sent) -> Slip | None:
    """A long key with a letter lost, doubled or swapped."""
    spot = sent.any_spot(lambda spot: _noticed(spot) and len(str(spot.path[-1])) >= 5)
    if spot is None:
        return None
    name = str(spot.path[-1])
    at = sent.rng.randrange(1, len(name) - 1)
    typos = (
        name[:at] + name[at + 1 :],
        name[:at] + name[at] * 2 + name[at + 1 :],
        name[:at] + name[at + 1] + name[at] + name[at + 2 :],
    )
    typo = sent.rng.choice([one for one in typos if one != name])
    return Slip(spelled(sent.rng, renamed(sent.arguments, spot.path, typo)), sent.arguments)


def unknown_key(sent: Sent) -> Slip:
    """A key that the tool does not have, as models explain themselves."""
    name = sent.rng.choice(("explanation", "reasoning", "thought_process", "tool_use_id"))
    more = {**sent.arguments, name: "because the user asked for it"}
    return Slip(spelled(sent.rng, more), sent.arguments)


def null_for_optional(sent: Sent) -> Slip | None:
    """null for a member that may be left out but may not be null."""
    spot = sent.any_spot(
        lambda spot: not spot.required and not nullable(spot.schema) and _named(spot)
    )
    if spot is None or "default" not in spot.schema:
        return None
    text = spelled(sent.rng, put(sent.arguments, spot.path, None))
    return Slip(text, without(sent.arguments, spot.path))


# ── the whole ─────────────────────────────────────────────────────────────────


def wrapper(sent: Sent) -> Slip | None:
    """The arguments under a name for arguments."""
    name = sent.rng.choice(("arguments", "parameters", "input", "args", "params"))
    if "arguments" in schema_of(sent.tool)["properties"]:
        return None
    inner = json.dumps(sent.arguments) if sent.rng.random() < 0.2 else sent.arguments
    return Slip(spelled(sent.rng, {name: inner}), sent.arguments)


def whole_call(sent: Sent) -> Slip | None:
    """The whole call in place of the arguments."""
    if "arguments" in schema_of(sent.tool)["properties"]:
        return None
    name, text = sent.tool, json.dumps(sent.arguments)
    calls: tuple[Any, ...] = (
        {"name": name, "arguments": sent.arguments},
        {"name": name, "parameters": sent.arguments},
        {"name": name, "arguments": text},
        {"type": "function", "function": {"name": name, "arguments": text}},
        [{"name": name, "arguments": sent.arguments}],
    )
    return Slip(spelled(sent.rng, sent.rng.choice(calls)), sent.arguments)


def positional(sent: Sent) -> Slip | None:
    """The values in the order of the parameters."""
    schema = schema_of(sent.tool)
    names = list(schema["properties"])
    least = max((names.index(name) + 1 for name in schema.get("required", ())), default=1)
    if not names:
        return None
    chosen = names[: sent.rng.randint(least, len(names))]
    truth = {
        name: sent.arguments.get(name, make_value(sent.rng, schema["properties"][name]))
        for name in chosen
    }
    alone = next(iter(truth.values())) if len(truth) == 1 else None
    if isinstance(alone, str) and re.match(r"\s*[\[{]", alone):
        return None  # a list with one JSON text may be that value in a list of its own
    return Slip(spelled(sent.rng, list(truth.values())), truth)


def double_encoded(sent: Sent) -> Slip:
    """The whole object as a JSON string."""
    return Slip(json.dumps(spelled(sent.rng, sent.arguments)), sent.arguments)


TOKENS = ("</tool_call>", "<|im_end|>", "</s>", "<|eot_id|>", "</function></tool_call>", "\n```")


def leaked_token(sent: Sent) -> Slip:
    """A special token or a closing tag behind the arguments."""
    return Slip(spelled(sent.rng, sent.arguments) + sent.rng.choice(TOKENS), sent.arguments)


def no_arguments(sent: Sent) -> Slip | None:
    """Nothing, for a tool that takes nothing."""
    if schema_of(sent.tool)["properties"]:
        return None
    return Slip(sent.rng.choice(("", " ", "null", '""', "{}", '"{}"')), {})


# ── two at once ───────────────────────────────────────────────────────────────


def _trailing_comma(text: str) -> str:
    return text[:-1].rstrip() + ",}"


def _fenced(text: str) -> str:
    return f"Here you go:\n```json\n{text}\n```"


DAMAGES: tuple[Callable[[str], str], ...] = (
    _trailing_comma,
    _fenced,
    lambda text: repr(json.loads(text)),
    lambda text: text[:-1],
    lambda text: text + "}",
)


def two_slips(sent: Sent) -> Slip | None:
    """A value and the envelope around all of it."""
    values: tuple[Make, ...] = (
        number_as_text,
        boolean_as_text,
        null_as_text,
        integral_float,
        json_as_text,
        scalar_for_list,
        one_item_list,
        enum_case,
        enum_spacing,
        key_spelling,
        null_for_optional,
    )
    first = sent.rng.choice(values)(sent)
    around: tuple[Make, ...] = (wrapper, whole_call, double_encoded, leaked_token, unknown_key)
    if first is None:
        return None
    second = sent.rng.choice(around)(Sent(sent.rng, sent.tool, json.loads(first.text)))
    return second and Slip(second.text, first.truth)


def damaged_too(sent: Sent) -> Slip | None:
    """A slip in JSON that is damaged as well."""
    slips: tuple[Make, ...] = (number_as_text, boolean_as_text, enum_case, key_spelling, wrapper)
    found = sent.rng.choice(slips)(sent)
    if found is None or not found.text.endswith("}") or found.text == "{}":
        return None
    return Slip(sent.rng.choice(DAMAGES)(found.text), found.truth, "stop")
