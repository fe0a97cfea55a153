"""Right and wrong uses of the public names, for type checkers: test_typing.py compares what they find.

A line with `# wrong` must be reported by mypy and by pyright, and no other line may be. Nothing
here is run.
"""

from __future__ import annotations

from openai import OpenAI
from pydantic import BaseModel

from zkit import (
    ChatLoop,
    Dispatcher,
    Validation,
    decode,
    decode_args,
    lint_schema,
    loads,
    repair_json,
    schema_for,
    tool,
    wrap,
)
from zkit.arguments import Decoded
from zkit.transport import client as repaired_client


class Forecast(BaseModel):
    """Arguments of a tool."""

    city: str
    days: int = 3


@tool(grade="read")
def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"sunny in {city}"


def settings(client: OpenAI) -> None:
    """Settings are typed keyword arguments."""
    ChatLoop(client, "small", [get_weather], max_turns=3)
    ChatLoop(client, "small", [get_weather], temperature=0)
    ChatLoop(client, "small", [get_weather], max_turn=3)  # wrong
    ChatLoop(client, "small", [get_weather], max_turns="three")  # wrong


def wrapped(client: OpenAI) -> None:
    """The report of a completion is known."""
    completion = wrap(client, ask_again=1).chat.completions.create(model="small", messages=[])
    for call in completion.zkit.calls:
        call.name.upper()
        call.name.nothing()  # wrong
    wrap(client, ask_agian=1)  # wrong


def decoded(raw: str) -> str:
    """What is decoded has the type of the model."""
    forecast = decode_args(Forecast, raw)
    forecast.city.upper()
    forecast.town.upper()  # wrong
    found = decode(Forecast, raw)
    if isinstance(found, Validation):
        return found.message
    found.value.town.upper()  # wrong
    typed: Decoded[Forecast] = found
    return typed.value.city


def ranks(raw: str) -> None:
    """Ranks may be written as strings, and bytes are read."""
    repair_json(raw, limit="COMPLETE")
    loads(b"{}")
    repair_json(raw, limits="COMPLETE")  # wrong
    Dispatcher([get_weather], confirm="never")
    Dispatcher([get_weather], confirm="nevr")  # wrong


def misspelt_names(client: OpenAI, raw: str) -> None:
    """A name that no rank, grade or dialect has is found before the program runs."""
    repair_json(raw, limit="COMPLTE")  # wrong
    loads(raw, limit="GUES")  # wrong
    decode_args(Forecast, raw, limit="GUESS")
    decode_args(Forecast, raw, limit="GUES")  # wrong
    wrap(client, limit="COMPLETE")
    wrap(client, limit="COMPLETED")  # wrong
    repaired_client(limit="RESPEL")  # wrong
    tool(grade="raed")  # wrong
    tool(grade="read", limit="EXCAT")  # wrong
    schema_for(Forecast, "openai-strict")
    schema_for(Forecast, "openai_strict")  # wrong
    lint_schema({}, dialect="gemni")  # wrong
    ChatLoop(client, "small", dialect="portable")
    ChatLoop(client, "small", dialect="portible")  # wrong
