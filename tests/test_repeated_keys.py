"""A key that is given twice: the same value is harmless, of two values none is taken, wherever a call comes from."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, NotRequired

import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI
from pydantic import BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypedDict

from zkit import (
    Call,
    Decoded,
    Dispatcher,
    Grade,
    Rank,
    Toolbox,
    Validation,
    decode_args,
    find_calls,
    repair_json,
    tool,
    wrap,
)
from zkit.arguments import decode_to_run
from zkit.testing import ScriptedServer, call, says


class Item(BaseModel):
    """Something to buy."""

    name: str
    count: int = 1
    tags: dict[str, str] = {}


class Order(BaseModel):
    """A model with everything in it."""

    note: str
    items: list[Item] = []
    first: Item | None = None
    extra: Any = None
    urgent: bool = False


class OrderDict(TypedDict):
    """The same as a TypedDict."""

    note: str
    items: NotRequired[list[Item]]
    first: NotRequired[Item | None]
    extra: NotRequired[Any]
    urgent: NotRequired[bool]


@dataclass
class OrderData:
    """The same as a dataclass."""

    note: str
    items: list[Item] = field(default_factory=list)
    first: Item | None = None
    extra: Any = None
    urgent: bool = False


def order(
    note: str,
    items: list[Item] | None = None,
    first: Item | None = None,
    extra: Any = None,
    urgent: bool = False,
) -> None:
    """The same as a function."""


class Filled(Order):
    """A model that fills in fields of its own accord."""

    model_config = ConfigDict(validate_by_name=True, validate_by_alias=True)
    urgent: bool = Field(False, alias="isUrgent")

    @model_validator(mode="after")
    def _fill(self) -> Filled:
        self.urgent = self.urgent or not self.items
        return self


TARGETS: list[Any] = [Order, OrderDict, OrderData, order, Filled, Order.model_json_schema()]
TEXTS = st.text(st.sampled_from('ab:"\\ ,{}é\n'), max_size=12)
TAGS = st.dictionaries(TEXTS, TEXTS, max_size=2)
ITEMS = st.fixed_dictionaries({"name": TEXTS}, optional={"count": st.integers(0, 3), "tags": TAGS})
ORDERS = st.fixed_dictionaries(
    {"note": TEXTS},
    optional={
        "items": st.lists(ITEMS, max_size=3),
        "first": st.none() | ITEMS,
        "extra": TAGS | TEXTS | st.lists(TAGS, max_size=2),
        "urgent": st.booleans(),
    },
)


class Writer:
    """Writes JSON in its own spacing, and one key of one object twice."""

    def __init__(self, data: st.DataObject, *, again: str | None) -> None:
        self.colon = data.draw(st.sampled_from([":", ": ", " : ", "\n:"]))
        self.comma = data.draw(st.sampled_from([",", ", ", ",\n\t"]))
        self.escapes = data.draw(st.booleans())
        self.again = again
        """What the key is given a second time: another value, the same, or nothing at all."""
        self.objects = 0

    def write(self, value: Any, chosen: int) -> str:
        """The JSON of a value; in the object of that number the first key is repeated."""
        if isinstance(value, list):
            return f"[{self.comma.join(self.write(one, chosen) for one in value)}]"
        if not isinstance(value, dict):
            return json.dumps(value, ensure_ascii=self.escapes)
        number, self.objects = self.objects, self.objects + bool(value)
        members = [self.member(key, self.write(item, chosen)) for key, item in value.items()]
        if value and number == chosen and self.again is not None:
            key, item = next(iter(value.items()))
            written = self.write(item, -1) if self.again == "same" else json.dumps(f"{item}!")
            members.insert(0, self.member(key, written))
        return f"{{{self.comma.join(members)}}}"

    def member(self, key: str, written: str) -> str:
        """One key with its value; a letter of the key may be written as an escape."""
        name = json.dumps(key, ensure_ascii=self.escapes)
        if self.escapes and key[:1] == "n":
            name = f'"\\u006e{name[2:]}'
        return f"{name}{self.colon}{written}"


def _objects_in(value: Any) -> int:
    if isinstance(value, list):
        return sum(map(_objects_in, value))
    return bool(value) + sum(map(_objects_in, value.values())) if isinstance(value, dict) else 0


@given(ORDERS, st.sampled_from(range(len(TARGETS))), st.data())
def test_what_gives_no_key_twice_is_left_alone(
    value: dict[str, Any], target: int, data: st.DataObject
) -> None:
    """The twin of the two laws below, on the same texts."""
    text = Writer(data, again=None).write(value, -1)
    outcome = decode_to_run(TARGETS[target], text)
    assert isinstance(outcome, Decoded)
    assert outcome.fixes == ()


@given(ORDERS, st.sampled_from(range(len(TARGETS))), st.data())
def test_of_two_values_for_one_key_none_is_taken(
    value: dict[str, Any], target: int, data: st.DataObject
) -> None:
    """At any depth, in any spacing, whatever the target is made from."""
    chosen = data.draw(st.integers(0, _objects_in(value) - 1))
    text = Writer(data, again="other").write(value, chosen)
    outcome = decode_to_run(TARGETS[target], text)
    assert isinstance(outcome, Validation)
    assert outcome.code == "ambiguous"
    assert decode_to_run(TARGETS[target], text.encode()) == outcome


@given(ORDERS, st.sampled_from(range(len(TARGETS))), st.data())
def test_the_same_value_twice_is_read_with_a_receipt(
    value: dict[str, Any], target: int, data: st.DataObject
) -> None:
    """And the value is that of the text without the repetition."""
    chosen = data.draw(st.integers(0, _objects_in(value) - 1))
    text = Writer(data, again="same").write(value, chosen)
    outcome = decode_to_run(TARGETS[target], text)
    assert isinstance(outcome, Decoded)
    assert {fix.name for fix in outcome.fixes} == {"drop_equal_key"}
    assert outcome.rank is Rank.RESPELL
    plain = decode_to_run(TARGETS[target], json.dumps(value))
    assert isinstance(plain, Decoded)
    assert outcome.value == plain.value


PATH = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}


@pytest.mark.parametrize(
    "text",
    [
        '{"path": "a", "path": "b",}',
        "{'path': 'a', 'path': 'b'}",
        '{path: "a", path: "b"}',
        '```json\n{"path": "a", "path": "b"}\n```',
        '"{\\"path\\": \\"a\\", \\"path\\": \\"b\\"}"',
        '{"path": "a", "pa\\u0074h": "b"}',
    ],
)
def test_a_damaged_text_is_no_excuse(text: str) -> None:
    """Repair lets the last value count, and says so; a call is not made from that."""
    outcome = decode_to_run(PATH, text)
    assert isinstance(outcome, Validation)
    assert "path: got this key more than once" in str(outcome)
    assert '"a" or "b"' in str(outcome)


def test_a_key_with_two_values_deep_in_a_text_is_named_by_its_place() -> None:
    """The message says where, and what was sent."""
    outcome = decode_to_run(Order, '{"note": "", "items": [{"name": "a", "name": "b"}]}')
    assert "items[0].name: got this key more than once" in str(outcome)


def test_what_is_valid_is_left_alone_where_no_call_runs() -> None:
    """Decoding goes on as the validator does: to look for repeated keys would cost what validating costs."""
    assert decode_args(PATH, '{"path": "a", "path": "b"}') == {"path": "b"}


def test_repair_itself_goes_on_as_the_standard_parser_does() -> None:
    """Strict JSON is untouched there: the rule is one of calls."""
    assert repair_json('{"path": "a", "path": "b"}').value == {"path": "b"}  # type: ignore[union-attr]


@tool(grade=Grade(1, 0))
def read(path: str) -> str:
    """Read a file."""
    return f"read {path}"


TWICE = '{"path": "a", "path": "b"}'


def test_a_dispatcher_runs_nothing_for_a_key_with_two_values() -> None:
    """Also for a tool that only reads."""
    result = Dispatcher(Toolbox([read])).call_sync(Call("read", TWICE))
    assert isinstance(result, Validation)
    assert result.code == "ambiguous"


def test_a_wrapped_client_lists_a_key_with_two_values_as_refused() -> None:
    """A native call is judged as one in the text is."""
    native = says(None, [call("read", TWICE, "a")])
    in_text = says(f'<tool_call>{{"name": "read", "arguments": {TWICE}}}</tool_call>')
    with ScriptedServer([native, in_text]) as server:
        client = wrap(OpenAI(base_url=server.url, api_key="none"), tools=[read])
        for _ in range(2):
            made = client.chat.completions.create(model="m", messages=[])
            (refusal,) = made.zkit.refusals
            assert refusal.code == "ambiguous"
            assert '"a" or "b"' in refusal.message


@pytest.mark.parametrize(
    "text",
    [
        '<tool_call>{"name": "f", "arguments": {"a": 1, "a": 2,}}</tool_call>',
        "<tool_call>{'name': 'f', 'arguments': {'a': 1, 'a': 2}}</tool_call>",
        '<tool_call>{"name": "f", "arguments": "{\\"a\\": 1, \\"a\\": 2,}"}</tool_call>',
        '[TOOL_CALLS]f[ARGS]{"a": 1, "a": 2,}',
        "[f(o={'a': 1, 'a': 2})]",
        '<tool_call>\n<function=f>\n<parameter=o>\n{"a": 1, "a": 2}\n</parameter>\n</function>\n</tool_call>',
        "<tool_call>\n<function=f>\n<parameter=o>\n{'a': 1, 'a': 2}\n</parameter>\n</function>\n</tool_call>",
        'Action: f\nAction Input: {"a": 1, "a": 2,}',
    ],
)
def test_no_call_is_found_in_a_text_with_two_values_for_a_key(text: str) -> None:
    """Whatever the format, strict or damaged; the same text with one value twice holds the call."""
    tools = {
        "f": {"type": "object", "properties": {"a": {"type": "integer"}, "o": {"type": "object"}}}
    }
    assert find_calls(text, tools).calls == ()
    assert len(find_calls(text.replace("2", "1"), tools).calls) == 1
