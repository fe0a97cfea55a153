"""Python neither reads nor writes an integer of more than 4,300 digits, and raises; zkit does not."""

from __future__ import annotations

from typing import Any

import pytest
from dispatch_samples import failed, send

from zkit import Extractor, find_calls, repair_json
from zkit.arguments import Decoded, decode
from zkit.dispatch import Dispatcher
from zkit.repair import Repaired, Unrepairable
from zkit.results import Success, Transient, Validation, from_json
from zkit.tools import render_result, tool

NUMBERS = {
    "digits": "9" * 5_000,
    "negative": "-" + "9" * 5_000,
    "hexadecimal": "0x" + "f" * 4_000,
    "binary": "0b" + "1" * 20_000,
    "octal": "0o" + "7" * 8_000,
    "fraction": "9" * 5_000 + ".5",
    "exponent": "1e" + "9" * 5_000,
    "grouped": "1_000" + "_000" * 2_000,
}
FRAMES = ('{"x": %s}', '{"x": %s', "{'x': %s,}", "[%s", "%s", '{"x": [1, %s, ]}', "{%s: 1}")
ENVELOPES = (
    '<tool_call>{"name": "act", "arguments": %s}</tool_call>',
    '{"name": "act", "arguments": %s}',
    "```json\n{'name': 'act', 'arguments': %s}\n```",
    "[act(x=%s)]",
    "<function=act>\n<parameter=x>\n%s\n</parameter>\n</function>",
)
TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "act",
            "parameters": {"type": "object", "properties": {"x": {"type": "integer"}}},
        },
    }
]


@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_a_number_of_any_length_is_a_value_or_a_refusal(number: str) -> None:
    schema = TOOLS[0]["function"]["parameters"]  # type: ignore[index]
    for frame in FRAMES:
        text = frame % number
        assert isinstance(repair_json(text), Repaired | Unrepairable)
        assert isinstance(repair_json(text, schema=schema), Repaired | Unrepairable)
        assert isinstance(decode(schema, text), Decoded | Validation)


@pytest.mark.parametrize("envelope", ENVELOPES)
@pytest.mark.parametrize("number", NUMBERS.values(), ids=NUMBERS)
def test_a_call_with_a_number_of_any_length_is_found_or_listed(number: str, envelope: str) -> None:
    text = envelope % (f'{{"x": {number}}}' if "arguments" in envelope else number)
    found = find_calls(text, TOOLS)
    assert found.calls or found.refused or found.incomplete or found.doubtful
    stream = Extractor(TOOLS)
    for at in range(0, len(text), 997):
        stream.feed(text[at : at + 997])
    stream.close()
    assert len(stream.extraction.calls) == len(found.calls)


def test_a_hexadecimal_number_that_python_writes_is_read() -> None:
    outcome = repair_json(f'{{"x": 0x{"f" * 3_000}}}')
    assert isinstance(outcome, Repaired)
    assert outcome.value == {"x": 16**3_000 - 1}


HUGE: dict[str, Any] = {
    "itself": 10**5_000,
    "in a list": [-(10**5_000)],
    "in a dict": {"a": 10**5_000},
    "a key": {10**5_000: 1},
}


@pytest.mark.parametrize("where", HUGE)
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_tool_may_return_a_number_of_any_length(where: str, wrapped: bool) -> None:
    @tool(grade="read")
    def act() -> Any:
        """Act."""
        return Success(HUGE[where]) if wrapped else HUGE[where]

    result = send(Dispatcher([act]), "act")
    assert render_result(result)
    assert type(from_json(result.to_json())) is type(result)
    if wrapped:
        assert "0x" in render_result(result)


def test_a_wait_that_no_float_holds_is_a_long_one() -> None:
    @tool(grade="write")
    def act() -> None:
        """Act."""
        raise Transient("busy", retry_after=10**400)

    result = failed(send(Dispatcher([act]), "act"), Transient)
    assert result.retry_after == 1e9
    assert "after 1e+09 seconds" in render_result(result)


def test_arguments_with_a_number_of_any_length_raise_nothing() -> None:
    @tool(grade="read")
    def act(x: int) -> int:
        """Act."""
        return x.bit_length()

    result = send(Dispatcher([act]), "act", {"x": 10**5_000})
    assert isinstance(result, Success | Validation)
    assert render_result(result)
