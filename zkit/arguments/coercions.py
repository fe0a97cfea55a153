"""The table of coercions: each has a name, a rank, one line of doc and an example."""

from __future__ import annotations

from typing import Any, NamedTuple

from zkit.receipt import Rank

_U, _R, _C, _G = Rank.UNWRAP, Rank.RESPELL, Rank.COMPLETE, Rank.GUESS


class Coercion(NamedTuple):
    """One way to make a rejected value fit. `schema`, `before` and `after` are an example.

    A test decodes `before` with an object whose only field `x` has that schema (or, where the
    schema has properties, with the schema itself) and expects `after`.
    """

    name: str
    rank: Rank
    doc: str
    schema: dict[str, Any]
    before: str
    after: str


_INTEGER: dict[str, Any] = {"type": "integer"}
_TEXT: dict[str, Any] = {"type": "string"}
_NUMBERS: dict[str, Any] = {"type": "array", "items": _INTEGER}
_UNIT: dict[str, Any] = {"enum": ["celsius", "fahrenheit"]}
_CITY: dict[str, Any] = {
    "type": "object",
    "properties": {"city_name": _TEXT, "days": _INTEGER},
    "required": ["city_name"],
    "additionalProperties": False,
}
_OPTIONAL: dict[str, Any] = {"type": "object", "properties": {"days": _INTEGER}}

COERCIONS: dict[str, Coercion] = {
    one.name: one
    for one in (
        Coercion("nothing_for_no_arguments", _U, "read an empty text, null or an empty list as no arguments, where none is required", _OPTIONAL, '""', "{}"),
        Coercion("unwrap_arguments", _U, "take the arguments out of a wrapper, or out of the whole call", _CITY, '{"name": "f", "arguments": {"city_name": "Oslo"}}', '{"city_name": "Oslo"}'),
        Coercion("drop_leaked_token", _U, "drop a special token or closing tag that leaked into a value", _UNIT, '{"x": "celsius<|im_end|>"}', '{"x": "celsius"}'),
        Coercion("number_from_text", _R, "read a number that was sent as text", _INTEGER, '{"x": "5"}', '{"x": 5}'),
        Coercion("integer_from_float", _R, "write a whole number without its fraction", _INTEGER, '{"x": 5.0}', '{"x": 5}'),
        Coercion("boolean_from_text", _R, "read a boolean that was sent as text or as 1 or 0", {"type": "boolean"}, '{"x": "True"}', '{"x": true}'),
        Coercion("null_from_text", _R, "read null that was sent as text", {"type": ["integer", "null"]}, '{"x": "None"}', '{"x": null}'),
        Coercion("json_from_text", _R, "read the list or object in a text, where no text is due", _NUMBERS, '{"x": "[1, 2]"}', '{"x": [1, 2]}'),
        Coercion("text_from_value", _R, "take a number or boolean as it was written, where a text is due", _TEXT, '{"x": 1.50}', '{"x": "1.50"}'),
        Coercion("text_from_object", _R, "take an object as it was written, where a text is due", _TEXT, '{"x": {"a":1}}', '{"x": "{\\"a\\":1}"}'),
        Coercion("value_by_spelling", _R, "find the known value that differs in case or separators", _UNIT, '{"x": "Celsius"}', '{"x": "celsius"}'),
        Coercion("date_by_spelling", _R, "write a date or time the ISO way", {"type": "string", "format": "date"}, '{"x": "Jan 31, 2024"}', '{"x": "2024-01-31"}'),
        Coercion("key_by_spelling", _R, "find the field that differs in case or separators", _CITY, '{"cityName": "Oslo"}', '{"city_name": "Oslo"}'),
        Coercion("drop_equal_key", _R, "leave out a key that is given again with the same value", _CITY, '{"city_name": "Oslo", "city_name": "Oslo", "days": "2"}', '{"city_name": "Oslo", "days": 2}'),
        Coercion("null_means_omitted", _R, "leave out an optional field that was sent as null", _OPTIONAL, '{"days": null}', "{}"),
        Coercion("list_from_one", _C, "make a list of the one value", _NUMBERS, '{"x": 5}', '{"x": [5]}'),
        Coercion("one_from_list", _C, "take the only value out of a list", _INTEGER, '{"x": [5]}', '{"x": 5}'),
        Coercion("moment_from_timestamp", _R, "read seconds or milliseconds since 1970 as a date and time", {"type": "string", "format": "date-time"}, '{"x": 1706659200}', '{"x": "2024-01-31T00:00:00Z"}'),
        Coercion("list_from_text", _G, "split a text at its commas, where only the parts fit", _NUMBERS, '{"x": "1, 2"}', '{"x": [1, 2]}'),
        Coercion("number_without_thousands", _G, "drop the thousands separators of a number sent as text", _INTEGER, '{"x": "1,500"}', '{"x": 1500}'),
        Coercion("value_by_beginning", _G, "find the only known value that begins so, or has these initials", _UNIT, '{"x": "F"}', '{"x": "fahrenheit"}'),
        Coercion("key_by_near_miss", _G, "find the only missing field that differs by a slip of the pen", _CITY, '{"city_nme": "Oslo"}', '{"city_name": "Oslo"}'),
        Coercion("drop_unknown_key", _G, "leave out the model's reasoning, where no other field may be added", _CITY, '{"city_name": "Oslo", "reasoning": "asked"}', '{"city_name": "Oslo"}'),
        Coercion("arguments_by_position", _G, "name the values of a list by the order of the fields", _CITY, '["Oslo", 3]', '{"city_name": "Oslo", "days": 3}'),
        Coercion("empty_means_omitted", _G, "leave out an optional field that was sent as an empty text, where no text is due", _OPTIONAL, '{"days": ""}', "{}"),
    )
}  # fmt: skip
RANKS: dict[str, Rank] = {name: one.rank for name, one in COERCIONS.items()}
