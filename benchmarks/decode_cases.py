"""Probes made from a seed: written by hand, generated with one slip, generated so that nobody can read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random

from pydantic import ValidationError

from benchmarks import decode_losses as losses
from benchmarks import decode_slips_of_shape as shape
from benchmarks import decode_slips_of_value as value
from benchmarks.decode_probes import Probe, written_probes
from benchmarks.decode_sent import Make, Sent, Slip
from benchmarks.decode_tools import TOOLS
from benchmarks.decode_values import make_arguments

READABLE: Mapping[str, Make] = {
    "valid": value.valid,
    "number as text": value.number_as_text,
    "boolean as text": value.boolean_as_text,
    "null as text": value.null_as_text,
    "integral float": value.integral_float,
    "JSON as text": value.json_as_text,
    "object for string": value.object_for_string,
    "number for string": value.number_for_string,
    "scalar for list": value.scalar_for_list,
    "one-item list": value.one_item_list,
    "enum by case": value.enum_case,
    "enum by spacing": value.enum_spacing,
    "enum by prefix": value.enum_prefix,
    "date": value.date_spelling,
    "time": value.time_spelling,
    "date and time": value.moment_spelling,
    "key spelling": shape.key_spelling,
    "keys in one style": shape.keys_in_one_style,
    "key near miss": shape.key_near_miss,
    "unknown key": shape.unknown_key,
    "null for optional": shape.null_for_optional,
    "wrapper": shape.wrapper,
    "whole call": shape.whole_call,
    "positional": shape.positional,
    "double encoded": shape.double_encoded,
    "leaked token": shape.leaked_token,
    "no arguments": shape.no_arguments,
    "two slips": shape.two_slips,
    "slip and damage": shape.damaged_too,
}
UNREADABLE: Mapping[str, Make] = {
    "missing required": losses.missing_required,
    "null for required": losses.null_for_required,
    "cut": losses.cut,
    "open string": losses.open_string,
    "two objects": losses.two_objects,
    "two values": losses.two_values,
    "out of bounds": losses.out_of_bounds,
    "fraction for integer": losses.fraction_for_integer,
    "words for a number": losses.words_for_number,
    "another word": losses.other_word,
    "negated word": losses.negated_word,
    "date in two readings": losses.date_in_two_readings,
    "date not given": losses.date_not_given,
    "key given twice": losses.key_given_twice,
    "values out of order": losses.values_out_of_order,
    "of another tool": losses.of_another_tool,
    "schema echo": losses.schema_echo,
    "no JSON": losses.no_json,
}
TRIES = 400


def generated(makers: Mapping[str, Make], seed: int, cases: int) -> Iterator[Probe]:
    """For each class, random valid calls of random tools with one slip of the class."""
    for group, make in makers.items():
        yield from _of_class(group, make, Random(f"{seed}/{group}"), cases)


def _of_class(group: str, make: Make, rng: Random, cases: int) -> Iterator[Probe]:
    made = 0
    for _ in range(cases * TRIES):
        if made == cases:
            return
        tool = rng.choice(list(TOOLS))
        slip = make(Sent(rng, tool, make_arguments(rng, tool)))
        if slip is not None and not _taken_otherwise(tool, slip):
            made += 1
            yield Probe(group, tool, slip.text, slip.truth, False, slip.finish_reason)


def _taken_otherwise(tool: str, slip: Slip) -> bool:
    """Whether the model itself takes the text for other arguments, so that nobody may change it."""
    model = TOOLS[tool]
    try:
        taken = model.model_validate_json(slip.text)
    except ValidationError:
        return False
    return slip.truth is None or taken != model.model_validate(slip.truth)


SECTIONS: Mapping[str, Callable[[int, int], Iterator[Probe]]] = {
    "written": lambda _seed, _cases: written_probes(),
    "one slip": lambda seed, cases: generated(READABLE, seed, cases),
    "unreadable": lambda seed, cases: generated(UNREADABLE, seed, cases),
}
