"""The questions that the doctor asks a server, as a table: what is sent, and what should come back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from zkit.chat import ServerSettings
from zkit.chat.fit_request import fitted
from zkit.doctor import tools_asked as tools

Wanted = tuple[tuple[str, Mapping[str, Any]], ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """One request. `wants` are the calls that are due, `says` is what the answer must contain.

    `manners` are those that the question is about; `tokens` is the limit of the reply. `is_wrong`
    marks a request that a server should refuse.
    """

    name: str
    messages: tuple[Mapping[str, Any], ...]
    tools: tuple[Mapping[str, Any], ...] = ()
    wants: Wanted = ()
    says: str = ""
    stream: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    manners: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 96
    is_wrong: bool = False

    def request(self, model: str, manners: ServerSettings) -> dict[str, Any]:
        """What is sent to a server of these manners."""
        made: dict[str, Any] = {"model": model, "messages": list(self.messages)}
        if self.tools:
            made["tools"] = self._offered(manners.max_tools)
        if self.stream:
            made |= {"stream": True, "stream_options": {"include_usage": True}}
        made |= {"temperature": 0, "max_tokens": self.tokens, **self.options}
        return made if self.is_wrong else fitted(made, manners)

    def _offered(self, most: int | None) -> list[Mapping[str, Any]]:
        """The tools; the one that should be called is the last of them."""
        return list(self.tools if most is None else self.tools[-most:])


def _user(text: str) -> Mapping[str, Any]:
    return {"role": "user", "content": text}


def _call(name: str, asked: str, tool: Any, /, **wanted: Any) -> Ask:
    return Ask(name, (_user(asked),), (tool,), ((tool["function"]["name"], wanted),))


def _called(**more: Any) -> tuple[Mapping[str, Any], ...]:
    """A conversation in which the weather was asked for, and told."""
    function = {"name": "get_weather", "arguments": '{"city": "Bergen"}'}
    entry = {"id": "call00001", "type": "function", "function": function}
    return (
        _user("How many degrees is it in Bergen now? Answer with the number."),
        {"role": "assistant", "content": None, "tool_calls": [entry], **more},
        {"role": "tool", "tool_call_id": "call00001", "content": "18 degrees in Bergen, no wind"},
    )


LONG = " ".join(f"Line {n}: the quick brown fox jumps over the lazy dog." for n in range(1, 9))
CODE = 'def greet(name):\n\tprint("Hi \\"" + name + "\\"\\n", r\'C:\\new\')\n'
TWICE = 'Call get_weather twice in one reply: once with city "Oslo" and once with city "Rome".'
BOTH: Wanted = (("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "Rome"}))

_ALL = (
    Ask("answer", (_user("Say the word: hello."),), says="hello"),
    Ask("system", ({"role": "system", "content": "Whatever the user writes, answer with the one word: banana."},
                   _user("What is the capital of France?")), says="banana", tokens=32),
    Ask("turns", (_user("My dog is called Waldo."), {"role": "assistant", "content": "A nice name."},
                  _user("What is my dog called? Answer with the name.")), says="Waldo", tokens=32),
    _call("call", 'Call get_weather with city "Lima".', tools.WEATHER, city="Lima"),
    _call("no_arguments", "What time is it? Call get_time.", tools.CLOCK),
    _call("defaults", "Call list_files without any arguments.", tools.FILES),
    Ask("two_calls", (_user(TWICE),), (tools.WEATHER,), BOTH),
    _call("nested", 'Call add_event with title "Tea" and place: name "Home", address: street "Elm 1", city "Bath".',
          tools.EVENT, title="Tea", place={"name": "Home", "address": {"street": "Elm 1", "city": "Bath"}}),
    _call("list", 'Call place_order with items: 2 of "pen" and 3 of "ink".', tools.ORDER,
          items=[{"name": "pen", "count": 2}, {"name": "ink", "count": 3}]),
    Ask("long", (_user(f"Call save_note with exactly this text: {LONG}"),), (tools.NOTE,), (("save_note", {"text": LONG}),), tokens=256),
    Ask("code", (_user(f"Call write_file with path \"greet.py\" and exactly this content:\n{CODE}"),),
        (tools.FILE,), (("write_file", {"path": "greet.py", "content": CODE}),), tokens=192),
    _call("unicode", 'Call save_note with the text "Zürich, 東京 – naïve 🎉".', tools.NOTE, text="Zürich, 東京 – naïve 🎉"),
    _call("scalars", 'Call set_lamp with lamp "checker", level 7, warmth 0.5 and on true.', tools.LAMP,
          lamp="checker", level=7, warmth=0.5, on=True),
    _call("null", 'Call set_reminder with text "Rest" and repeat null.', tools.REMINDER, text="Rest", repeat=None),
    _call("enum", 'Call set_heating with mode "eco".', tools.HEATING, mode="eco"),
    Ask("required", (_user("Good morning to you."),), (tools.WEATHER,), (("get_weather", {}),), options={"tool_choice": "required"}),
    Ask("named", (_user("Good evening to you."),), (tools.CLOCK, tools.WEATHER), (("get_weather", {}),),
        options={"tool_choice": {"type": "function", "function": {"name": "get_weather"}}}),
    Ask("none", (_user('Do not call anything. Say the word: never.'),), (tools.WEATHER,), says="never", options={"tool_choice": "none"}),
    Ask("stream_text", (_user("Count from one to ten in words, with commas."),), says="three", stream=True),
    Ask("stream_call", (_user('Call get_weather with city "Cairo".'),), (tools.WEATHER,), (("get_weather", {"city": "Cairo"}),), stream=True),
    Ask("stream_calls", (_user(TWICE.replace("Oslo", "Quito").replace("Rome", "Delhi")),), (tools.WEATHER,),
        (("get_weather", {"city": "Quito"}), ("get_weather", {"city": "Delhi"})), stream=True),
    Ask("cut", (_user(f"Call save_note with this text, word for word: {LONG} Goodbye."),), (tools.NOTE,), tokens=16),
    _call("ref", "Call draw_line with start x 1, y 2 and end x 3, y 4.", tools.LINE, start={"x": 1, "y": 2}, end={"x": 3, "y": 4}),
    _call("const", 'Call publish with kind "post" and title "News".', tools.POST, kind="post", title="News"),
    _call("deep", "Call put_deep with next.next.next.next.next.value 5.", tools.NEST,
          next={"next": {"next": {"next": {"next": {"value": 5}}}}}),
    Ask("many", (_user('Call get_weather with city "Sofia".'),), tuple(tools.MANY), (("get_weather", {"city": "Sofia"}),)),
    Ask("text_call", (_user('Call get_weather with city "Tunis".'),), (tools.WEATHER,), (("get_weather", {"city": "Tunis"}),),
        manners={"mode": "text"}),
    Ask("result", _called(), (tools.WEATHER,), says="18", tokens=48),
    Ask("replay", _called(reasoning_content="The user wants the weather, so I look."), (tools.WEATHER,), says="18", tokens=48),
    Ask("wrong", ({"role": "nobody", "content": 7},), is_wrong=True),
)  # fmt: skip
ASKS: dict[str, Ask] = {ask.name: ask for ask in _ALL}
