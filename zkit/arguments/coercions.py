"""The table of coercions (name, rank, doc, example) and every tuning constant of this package."""

from __future__ import annotations

from typing import NamedTuple

from zkit.json_types import JsonObject
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
    schema: JsonObject
    before: str
    after: str


_INTEGER: JsonObject = {"type": "integer"}
_TEXT: JsonObject = {"type": "string"}
_NUMBERS: JsonObject = {"type": "array", "items": _INTEGER}
_UNIT: JsonObject = {"enum": ["celsius", "fahrenheit"]}
_CITY: JsonObject = {
    "type": "object",
    "properties": {"city_name": _TEXT, "days": _INTEGER},
    "required": ["city_name"],
    "additionalProperties": False,
}
_OPTIONAL: JsonObject = {"type": "object", "properties": {"days": _INTEGER}}

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
        Coercion("json_from_text", _R, "read the list or object in a text, where no text is expected", _NUMBERS, '{"x": "[1, 2]"}', '{"x": [1, 2]}'),
        Coercion("text_from_value", _R, "take a number or boolean as it was written, where a text is expected", _TEXT, '{"x": 1.50}', '{"x": "1.50"}'),
        Coercion("text_from_object", _R, "take an object as it was written, where a text is expected", _TEXT, '{"x": {"a":1}}', '{"x": "{\\"a\\":1}"}'),
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
        Coercion("value_by_beginning", _G, "find the only known value with this beginning or these initials", _UNIT, '{"x": "F"}', '{"x": "fahrenheit"}'),
        Coercion("key_by_near_miss", _G, "find the only missing field whose name differs by a typing error", _CITY, '{"city_nme": "Oslo"}', '{"city_name": "Oslo"}'),
        Coercion("drop_unknown_key", _G, "leave out the model's reasoning, where no other field may be added", _CITY, '{"city_name": "Oslo", "reasoning": "asked"}', '{"city_name": "Oslo"}'),
        Coercion("arguments_by_position", _G, "name the values of a list by the order of the fields", _CITY, '["Oslo", 3]', '{"city_name": "Oslo", "days": 3}'),
        Coercion("empty_means_omitted", _G, "leave out an optional field that was sent as an empty text, where no text is expected", _OPTIONAL, '{"days": ""}', "{}"),
    )
}  # fmt: skip
RANKS: dict[str, Rank] = {name: one.rank for name, one in COERCIONS.items()}

# Every tuning constant of the package, each with the reason for its value.

MOST_VALUES_OF_A_KEY = 3
"""How many values of a repeated key a message shows: enough to see the conflict."""
LONGEST_LEAK = 70
"""The longest special token at the end of a value; real ones have at most 40 characters."""
MOST_LEAKS = 8
"""How many leaked tokens are dropped from one value; models leak one to three."""
LONGEST_NUMBER = 64
"""A longer text is not read as a number: no tool takes a number with more digits."""
LONGEST_WORD = 9
"""The length of `undefined`, the longest word for true, false or null."""
SHORTEST_ABBREVIATED = 5
"""Known values up to this length are not abbreviated: `US` for `USD` may be a country, `al` for
`all` a name."""
LARGEST_EXACT = 2**53
"""Integers from here on are not exact as floats."""
MAX_DEPTH = 64
"""Values nested deeper are not coerced; real arguments stay below 10."""
FREE_STEPS = 2_000
"""How many places any decoding may look at, over all readings; a call with 20 errors takes 300."""
STEPS_PER_CHARACTER = 4
"""And how many more for each character, so that the work stays linear."""
MOST_IN_A_ROW = 3
"""Coercions of one value in a row: text, JSON in it, its one item."""
LIKELY_TIMESTAMPS = (1_000_000_000, 4_000_000_000)
"""The seconds from 2001 to 2096: other numbers are unlikely to be timestamps."""
LONGEST_MATCH = 64
"""A longer text that matches a pattern would not help in a message."""
DEEPEST_PATTERN = 8
"""Groups nested deeper are not tried."""
DEEPEST_EXAMPLE = 4
"""Levels of an example; deeper ones are left as they were sent."""
MOST_ITEMS = 3
"""Items of a list in an example."""
LONGEST_KEPT = 200
"""A longer value is not repeated to the model that sent it."""
LONGEST_EXAMPLE = 600
"""A longer example costs more tokens than it saves."""
MOST_COMPARED = 200
"""Names compared for a hint: difflib takes 10 microseconds each."""
MOST_NAMES_KEPT = 4096
"""Names whose words are remembered, those of about 200 tools."""
LONGEST_NAME_KEPT = 64
"""Longer names are not remembered: they are not names of fields."""
DEEPEST_WRAPPER = 4
"""Wrappers inside each other; two have been seen."""
LONGEST_SHORT_NAME = 4
"""Names up to this length are often abbreviations, such as `qty`."""
MOST_UNKNOWN_KEYS = 64
"""With more undeclared keys than these, none is read as another name."""
MOST_REQUIRED = 50
"""With more required names than these a text is parsed before it is validated: pydantic keeps a copy of
the object for each name that it lacks, 4 GB for 19,000 names and 5,000 keys."""
MOST_WAYS = 64
"""With more branches than these, unknown keys are not searched for: in a recursive union that has
fields beside it the branches double at each level."""
MOST_PLAIN_ERRORS = 8
"""With more errors the fast path saves nothing."""
DEEPEST_PLAIN = 3
"""Levels of a value that the fast path checks."""
MOST_PREPARED = 1024
"""Targets kept ready; one costs about 50 KB."""
LONGEST_WORDS = 200
"""The message of a user's validator is cut after this many characters."""
MOST_PROBLEMS = 5
"""Problems in one message; small models fix about this many at once."""
LONGEST_LINE = 400
"""The length of one line of a message."""
MOST_REFS = 16
"""References that are followed to one place."""
MOST_UNIONS = 8
"""Unions inside unions that are opened."""
LONGEST_SHOWN = 60
"""The length of a value in a message."""
MOST_VALUES = 8
"""Known values that a message lists."""
