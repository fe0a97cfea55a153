"""Turns valid arguments into texts that no longer determine them: the only right answer is to refuse."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

from pydantic import ValidationError

from benchmarks.decode_sent import Sent, Slip
from benchmarks.decode_slips_of_value import is_number
from benchmarks.decode_tools import TOOLS
from benchmarks.decode_values import (
    Spot,
    around,
    core,
    make_arguments,
    make_value,
    nullable,
    put,
    schema_of,
    spelled,
    without,
)


def _refused(sent: Sent, arguments: Any) -> Slip:
    return Slip(spelled(sent.rng, arguments), None)


def _replaced(sent: Sent, spot: Spot | None, value: Any) -> Slip | None:
    return _refused(sent, put(sent.arguments, spot.path, value)) if spot else None


def missing_required(sent: Sent) -> Slip | None:
    """A required member is not there."""
    spot = sent.any_spot(lambda spot: spot.required and isinstance(spot.path[-1], str))
    return _refused(sent, without(sent.arguments, spot.path)) if spot else None


def null_for_required(sent: Sent) -> Slip | None:
    """null where a value is required."""
    spot = sent.any_spot(lambda spot: spot.required and not nullable(spot.schema))
    return _replaced(sent, spot, None)


def cut(sent: Sent) -> Slip | None:
    """The text ends too early, and the server says so."""
    text = spelled(sent.rng, sent.arguments)
    if len(text) < 4:
        return None
    return Slip(text[: sent.rng.randrange(1, len(text))], None, "length")


def open_string(sent: Sent) -> Slip | None:
    """The text ends inside a string, whatever the server says."""
    spot = sent.any_spot(lambda spot: spot.free and len(spot.value or "") > 3)
    if spot is None:
        return None
    mark = "\x1acut\x1a"
    text = spelled(sent.rng, put(sent.arguments, spot.path, mark))
    head = text[: text.index(json.dumps(mark))]
    return Slip(head + json.dumps(spot.value)[:-2], None, sent.rng.choice((None, "stop", "length")))


def two_objects(sent: Sent) -> Slip | None:
    """Two different calls where one is expected."""
    other = make_arguments(sent.rng, sent.tool)
    model = TOOLS[sent.tool]
    if model.model_validate(other) == model.model_validate(sent.arguments):
        return None
    pair = (sent.arguments, other)
    if sent.rng.random() < 0.3 and sent.tool != "ListFiles":
        return _refused(sent, list(pair))
    return Slip(sent.rng.choice(("", "\n", ", ")).join(map(json.dumps, pair)), None)


def two_values(sent: Sent) -> Slip | None:
    """Two different values where one is expected."""
    spot = sent.any_spot(
        lambda spot: spot.kind not in ("array", "object") and spot.value is not None
    )
    if spot is None:
        return None
    other = make_value(sent.rng, core(spot.schema))
    return _replaced(sent, spot, [spot.value, other]) if other != spot.value else None


def out_of_bounds(sent: Sent) -> Slip | None:
    """A number in quotes beyond its bounds."""
    spot = sent.any_spot(lambda spot: is_number(spot) and "maximum" in core(spot.schema))
    return _replaced(sent, spot, str(int(core(spot.schema)["maximum"]) + 8)) if spot else None


def fraction_for_integer(sent: Sent) -> Slip | None:
    """A fraction where an integer is expected, as a number or in quotes."""
    spot = sent.any_spot(lambda spot: spot.kind == "integer" and spot.value is not None)
    value = sent.rng.choice((float, str))(spot.value + 0.5) if spot else None
    return _replaced(sent, spot, value)


def words_for_number(sent: Sent) -> Slip | None:
    """Words where a number is expected."""
    told = sent.rng.choice(("a few", "as needed", "10 to 20", "5 or 6", "unknown", "2x"))
    return _replaced(sent, sent.any_spot(is_number), told)


def other_word(sent: Sent) -> Slip | None:
    """A word that is none of the choice."""
    told = sent.rng.choice(("purple", "whatever", "other", "kelvin", "xyz", "best", "not sure"))
    return _replaced(sent, sent.any_spot(lambda spot: spot.kind == "enum"), told)


def negated_word(sent: Sent) -> Slip | None:
    """The opposite of one of the choice."""
    spot = sent.any_spot(lambda spot: spot.kind == "enum" and spot.value is not None)
    return (
        _replaced(sent, spot, sent.rng.choice(("not ", "non-", "un")) + spot.value)
        if spot
        else None
    )


def date_in_two_readings(sent: Sent) -> Slip | None:
    """A day with slashes of which either number may be the month."""

    def unclear(spot: Spot) -> bool:
        if core(spot.schema).get("format") != "date" or not spot.value:
            return False
        day = date.fromisoformat(spot.value)
        return day.day <= 12 and day.day != day.month

    spot = sent.any_spot(unclear)
    return (
        _replaced(sent, spot, date.fromisoformat(spot.value).strftime("%m/%d/%Y")) if spot else None
    )


def date_not_given(sent: Sent) -> Slip | None:
    """A day that only the reader's calendar could tell."""
    told = sent.rng.choice(("tomorrow", "next Friday", "in 3 days", "Christmas", "12-24", "soon"))
    spot = sent.any_spot(lambda spot: core(spot.schema).get("format") == "date")
    return _replaced(sent, spot, told)


def key_given_twice(sent: Sent) -> Slip | None:
    """A key and the same in another spelling, with different values."""
    spot = sent.any_spot(lambda spot: spot.strict and spot.value is not None)
    if spot is None:
        return None
    other = make_value(sent.rng, core(spot.schema))
    if other == spot.value:
        return None
    copied, holder = around(sent.arguments, spot.path)
    holder[str(spot.path[-1]).title().replace("_", "")] = other
    return _refused(sent, copied)


def values_out_of_order(sent: Sent) -> Slip | None:
    """Values without names, not in the order of the parameters."""
    schema = schema_of(sent.tool)["properties"]
    values = [make_value(sent.rng, core(inner)) for inner in schema.values()]
    mixed = sent.rng.sample(values, len(values))
    return None if mixed == values or _taken(sent.tool, mixed) else _refused(sent, mixed)


def _taken(tool: str, values: list[Any]) -> bool:
    """Whether the values fit in this order too."""
    model = TOOLS[tool]
    try:
        model.model_validate(dict(zip(model.model_fields, values, strict=True)))
    except ValidationError:
        return False
    return True


def of_another_tool(sent: Sent) -> Slip | None:
    """The arguments of another tool, none of which this one has."""
    other = sent.rng.choice(list(TOOLS))
    arguments = make_arguments(sent.rng, other)
    own = schema_of(sent.tool)["properties"]
    if not own or not arguments or own.keys() & arguments.keys():
        return None
    return _refused(sent, arguments)


def schema_echo(sent: Sent) -> Slip | None:
    """The schema in place of the arguments."""
    schema = schema_of(sent.tool)
    if not schema["properties"]:
        return None
    echoes: tuple[Any, ...] = (
        schema,
        {"type": "object", "properties": schema["properties"]},
        {"properties": schema["properties"], "required": schema.get("required", [])},
        {"name": sent.tool, "parameters": schema},
    )
    return _refused(sent, sent.rng.choice(echoes))


def no_json(sent: Sent) -> Slip:
    """Words in place of arguments."""
    said = (f"I will call {sent.tool} now.", "Done!", "undefined", "N/A", "<think>hmm</think>")
    return Slip(sent.rng.choice(said), None)
