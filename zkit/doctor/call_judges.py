"""An answer in, a verdict on the calls and the words in it out: as a plain client sees them, then as zkit does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from zkit.chat.wire_data import reasoning_of
from zkit.doctor.heard import Heard
from zkit.doctor.verdict import Verdict, covered, ok, shown, still_open

Made = list[tuple[str, Any]]
REFUSED = "refused, and the model is told what to send"


def right_answer(heard: Heard) -> Verdict:
    """The text must contain what was asked for."""
    if heard.failure:
        return still_open(heard.failure)
    if heard.ask.says.casefold() in heard.text.casefold():
        return ok(shown(heard.text))
    if heard.ask.says.casefold() in reasoning_of(heard.reply.message).casefold():
        return still_open(f"said only in the reasoning: {shown(heard.text)}")
    return still_open(f"no {heard.ask.says!r} in: {shown(heard.text or 'nothing')}")


def right_calls(heard: Heard) -> Verdict:
    """The calls must be those that were asked for, with exactly these arguments."""
    return _judged(heard, lambda made: _same(made, heard.ask.wants))


def some_of_the_calls(heard: Heard) -> Verdict:
    """All calls, or one of them: a model may keep the others for later."""
    wanted = [(name, dict(arguments)) for name, arguments in heard.ask.wants]
    keys = {_key(one) for one in wanted}
    verdict = _judged(heard, lambda made: bool(made) and all(_key(one) in keys for one in made))
    if verdict.status == "ok" and len(heard.calls) < len(wanted):
        return ok(f"one call at a time: {verdict.evidence}")
    return verdict


def any_call(heard: Heard) -> Verdict:
    """A call of the tool must come, with whatever arguments."""
    name = heard.ask.wants[0][0]
    return _judged(heard, lambda made: bool(made) and all(one[0] == name for one in made))


def no_call(heard: Heard) -> Verdict:
    """No call may come."""
    if heard.failure:
        return still_open(heard.failure)
    if heard.calls:
        return still_open(f"a call came all the same: {shown(heard.calls[0].get('function'))}")
    return ok(shown(heard.text or "no call"))


def cut_is_told(heard: Heard) -> Verdict:
    """A reply that was cut must say so, and no call in it may run."""
    if heard.failure:
        return still_open(heard.failure)
    if heard.reply.finish_reason == "length":
        return ok("finish_reason is length")
    said = f"cut at {heard.ask.tokens} tokens, but finish_reason is {heard.reply.finish_reason}"
    _, _, report = heard.mended
    if report.calls:
        return still_open(f"{said}, and {report.calls[0].name} would run")
    return covered(said, "the tokens are counted, and what is cut is refused")


def call_in_text(heard: Heard) -> Verdict:
    """The call must stand in the text, in the form that was taught."""
    verdict = right_calls(heard)
    found = [(call.name, dict(call.arguments)) for call in heard.mended[2].calls]
    return ok(f"{shown(heard.text)}") if _same(found, heard.ask.wants) else verdict


def _judged(heard: Heard, is_right: Callable[[Made], bool]) -> Verdict:
    if heard.failure:
        return still_open(heard.failure)
    made = native_calls(heard)
    if isinstance(made, list) and is_right(made):
        return ok(", ".join(f"{name} {shown(arguments)}" for name, arguments in made))
    wrong = made if isinstance(made, str) else _wrong(made, heard)
    if heard.reply.finish_reason == "length":
        wrong = f"cut at {heard.ask.tokens} tokens: {wrong}"
    _, _, report = heard.mended
    if is_right([(call.name, dict(call.arguments)) for call in report.calls]):
        return covered(wrong, _how(report.calls))
    if report.refusals and not report.calls:
        return Verdict("open", wrong, REFUSED)
    return still_open(wrong)


def native_calls(heard: Heard) -> Made | str:
    """The calls as a plain client would run them, or why it could not."""
    offered = {tool["function"]["name"] for tool in heard.ask.tools}
    made: Made = []
    for entry in heard.calls:
        function = entry.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments = function.get("name"), function.get("arguments")
        if name not in offered:
            return f"no tool is called {shown(name)}"
        if not isinstance(arguments, str):
            return f"the arguments of {name} are no text, but {shown(arguments)}"
        try:
            value = json.loads(arguments)
        except (ValueError, RecursionError):
            return f"the arguments of {name} are no JSON: {shown(arguments)}"
        if not isinstance(value, dict):
            return f"the arguments of {name} are no object, but {shown(value)}"
        made.append((str(name), value))
    return made


def _wrong(made: Made, heard: Heard) -> str:
    if not made and heard.reply.message.get("function_call"):
        return f"the call is in function_call: {shown(heard.reply.message['function_call'])}"
    if not made:
        return f"no call in tool_calls; the text: {shown(heard.text or 'empty')}"
    wanted = [dict(arguments) for _, arguments in heard.ask.wants]
    came = [arguments for _, arguments in made]
    return f"asked for {shown(wanted)}, came {shown(came)}"


def _same(made: Made, wanted: Sequence[tuple[str, Mapping[str, Any]]]) -> bool:
    return sorted(map(_key, made)) == sorted(_key((name, dict(args))) for name, args in wanted)


def _key(call: tuple[str, Any]) -> str:
    """Equal text means equal call: 1, 1.0 and true differ."""
    return json.dumps(call, sort_keys=True, default=str)


def _how(calls: Sequence[Any]) -> str:
    """How zkit came to the calls."""
    origin = calls[0].origin
    found = "" if origin == "native" else f"found in the text ({origin})"
    names = dict.fromkeys(fix.name for call in calls for fix in call.fixes)
    mended = f"repaired ({', '.join(list(names)[:3])})" if names else ""
    return ", ".join(part for part in (found, mended) if part) or "read all the same"
