"""The first turns of the end-to-end benchmark: one bad reply each, by a model that then behaves."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from zkit.testing import MISBEHAVIOURS, Answer, Misbehaviour, Request, Said, call, says

ANSWER = "It will be sunny in Paris."
WEATHER = ("get_weather", {"days": 3, "city": "Paris"})
NOW: tuple[str, dict[str, Any]] = ("now", {})
KNOWN = {"get_weather": "sunny in Paris for 3 days", "now": "it is noon"}
"""The messages after a tool was called as it was meant."""

MOST_REQUESTS = 8
Meant = tuple[tuple[str, dict[str, Any]], ...]


@dataclass(frozen=True)
class Turn:
    """One first turn: what the model means to call, how it is spoilt, and what is right then.

    A turn with `text` is not a call: the text is the answer, and nothing may run.
    """

    name: str
    group: str
    meant: Meant
    spoilt: Misbehaviour | None = None
    text: str = ""
    first: str = ""
    """The first reply as a text: a call in a shape that the server does not know."""

    @property
    def streams(self) -> bool:
        """Whether the framework is asked to stream."""
        return self.spoilt is not None and "stream" in (self.spoilt.kind, self.spoilt.needs)

    @property
    def answer(self) -> str:
        """The right answer."""
        return self.text or ANSWER

    def server(self) -> Callable[[Request], Answer]:
        """The script of a server that spoils the first reply, and no other."""
        asked = 0

        def reply(request: Request) -> Answer:
            nonlocal asked
            asked += 1
            if asked > MOST_REQUESTS:
                return says("I give up.")(request)
            if asked == 1 and self.first:
                return says(self.first)(request)
            said = self._said(request, asked)
            spoilt = self.spoilt if asked == 1 else None
            if spoilt is not None and spoilt.concerns(said, request):
                return spoilt.spoil(said, request)
            return said(request)

        return reply

    def _said(self, request: Request, turn: int) -> Said:
        """What a good model says: the calls that are still missing, or the answer."""
        so_far = json.dumps(request["messages"])
        missing = [one for one in self.meant if KNOWN[one[0]] not in so_far]
        if missing:
            return says(None, [call(name, given, f"c{turn}{name}") for name, given in missing])
        offered = [one["function"]["name"] for one in request.get("tools") or ()]
        if "final_answer" in offered and (not self.text or turn > 1):
            # smolagents takes no other end.
            return says(None, [call("final_answer", {"answer": self.answer}, f"c{turn}")])
        return says(self.answer)


def _meant(spoilt: Misbehaviour) -> Meant:
    """The calls that a misbehaviour shows best on."""
    if spoilt.name in ("null_arguments", "empty_arguments"):
        return (NOW,)
    several = spoilt.kind == "stream" or spoilt.needs == "two calls"
    return (WEATHER, NOW) if several else (WEATHER,)


QUOTED = "To look it up I would write `get_weather(city='Paris')`. Shall I?"
THOUGHT = (
    '<think>I could send <tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}'
    "</tool_call> but Paris was meant.</think>Which day do you mean?"
)
EXAMPLE = (
    "A call looks like this:\n\n    <tool_call>\n"
    '    {"name": "get_weather", "arguments": {"city": "NAME"}}\n    </tool_call>\n\nShall I make one?'
)
_ARGUMENTS = '{"city": "Paris", "days": 3}'
_OBJECT = f'{{"name": "get_weather", "arguments": {_ARGUMENTS}}}'
_PYTHON = 'get_weather(city="Paris", days=3)'
SHAPES = {
    "fenced_object": f"```json\n{_OBJECT}\n```",
    "double_braces": f"{{{_OBJECT}}}",
    "double_braces_in_tools": f"<tools>\n{{{_OBJECT}}}\n</tools>",
    "name_under_tool_call": f'{{"tool_call": "get_weather", "parameters": {_ARGUMENTS}}}',
    "calls_in_strings": f"[{json.dumps(_PYTHON)}]",
    "name_and_object": f'["get_weather", {_ARGUMENTS}]',
    "escaped_name": _PYTHON.replace("_", "\\_", 1),
    "fenced_python_list": f"```python\n[{_PYTHON}]\n```",
    "colons_in_a_tag": '<tool_call>get_weather(city: "Paris", days: 3)</tool_call>',
    "envelope_after_words": f'I will: {{"tool_calls": [{_OBJECT}]}}',
    "name_colon_object": f"Calling get_weather: {_ARGUMENTS}",
    "object_after_a_label": f"Tool call: {_OBJECT}",
    "list_of_actions": f'{{"actions": [{_OBJECT}]}}',
    "bare_call": _PYTHON,
    "prose_after_a_list": f"[{_PYTHON}]Retrieving the current weather in Paris.",
}
"""Shapes in which small models write a call as text."""
TURNS = (
    Turn("valid", "valid", (WEATHER,)),
    Turn("valid_two_calls", "valid", (WEATHER, NOW)),
    *(Turn(one.name, one.kind, _meant(one), one) for one in MISBEHAVIOURS.values()),
    *(Turn(name, "small models", (WEATHER,), first=text) for name, text in SHAPES.items()),
    Turn("call_quoted_in_prose", "no call", (), text=QUOTED),
    Turn("call_only_thought_of", "no call", (), text=THOUGHT),
    Turn("call_as_an_example", "no call", (), text=EXAMPLE),
)
