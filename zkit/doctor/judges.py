"""Judges of the calls and the text of an answer: as a plain client sees them, then as zkit does."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from zkit.calls import Call
from zkit.chat.wire_data import reasoning_of
from zkit.doctor.connection import Observed
from zkit.json_types import JsonMapping

REFUSED = "refused, and the model gets a message that says what to send"
CONFIRMED = "and the loop asks the model to send the call alone"
Status = Literal["ok", "covered", "timeout", "open", "skipped"]
_WORST = ("skipped", "ok", "covered", "timeout", "open")
LONGEST_SHOWN = 72


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one probe shows, with one line of evidence.

    `open` means that something is wrong and nothing covers it; `timeout` means that no answer came in
    time, so that nothing is known. `by` says what covers it; `settings` are those that a profile
    needs for it.
    """

    status: Status
    evidence: str
    by: str = ""
    settings: JsonMapping = field(default_factory=dict)


def ok(evidence: str) -> Verdict:
    """Return the verdict that nothing is wrong."""
    return Verdict("ok", evidence)


def covered(evidence: str, by: str, **settings: Any) -> Verdict:
    """Return the verdict that something is wrong, and zkit handles it: by itself, or with a setting."""
    return Verdict("covered", evidence, by, settings)


def still_open(evidence: str) -> Verdict:
    """Return the verdict that something is wrong, and nothing covers it."""
    return Verdict("open", evidence)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst of several verdicts; the first of them where they are alike."""
    found = list(verdicts) or [Verdict("skipped", "nothing to look at")]
    return max(found, key=lambda one: _WORST.index(one.status))


def shown(value: object) -> str:
    """Return a value on one line, shortened."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"


def unanswered(observed: Observed) -> Verdict:
    """Return the verdict on a question without an answer: a timeout is not a verdict on the server."""
    return Verdict("timeout" if observed.is_timeout else "open", observed.failure)


# ── the judges ──

Made = list[tuple[str, object]]


def right_answer(observed: Observed) -> Verdict:
    """Judge whether the text contains what was requested."""
    if observed.failure:
        return unanswered(observed)
    if observed.question.says.casefold() in observed.text.casefold():
        return ok(shown(observed.text))
    if observed.question.says.casefold() in reasoning_of(observed.reply.message).casefold():
        return still_open(f"only in the reasoning: {shown(observed.text)}")
    return still_open(f"no {observed.question.says!r} in: {shown(observed.text or 'nothing')}")


def right_calls(observed: Observed) -> Verdict:
    """Judge whether the calls are the requested ones, with exactly these arguments."""
    return _judged(observed, lambda made: _same(made, observed.question.wants))


def some_of_the_calls(observed: Observed) -> Verdict:
    """Judge whether all calls came, or one of them: a model may keep the others for later."""
    wanted = [(name, dict(arguments)) for name, arguments in observed.question.wants]
    keys = {_key(one) for one in wanted}
    verdict = _judged(observed, lambda made: bool(made) and all(_key(one) in keys for one in made))
    if verdict.status == "ok" and len(observed.calls) < len(wanted):
        return ok(f"one call at a time: {verdict.evidence}")
    return verdict


def any_call(observed: Observed) -> Verdict:
    """Judge whether a call of the tool came, with any arguments."""
    name = observed.question.wants[0][0]
    return _judged(observed, lambda made: bool(made) and all(one[0] == name for one in made))


def no_call(observed: Observed) -> Verdict:
    """Judge whether no call came."""
    if observed.failure:
        return unanswered(observed)
    if observed.calls:
        return still_open(f"there is a call: {shown(observed.calls[0].get('function'))}")
    return ok(shown(observed.text or "no call"))


def cut_is_reported(observed: Observed) -> Verdict:
    """Judge whether a cut reply says so, and no call in it can run."""
    if observed.failure:
        return unanswered(observed)
    if observed.reply.finish_reason == "length":
        return ok("finish_reason is length")
    problem = f"cut at {observed.question.tokens} tokens, but finish_reason is {observed.reply.finish_reason}"
    _, _, report = observed.repaired
    if report.calls:
        return still_open(f"{problem}, and {report.calls[0].name} would run")
    return covered(problem, "the tokens are counted, and what is cut is refused")


def call_in_text(observed: Observed) -> Verdict:
    """Judge whether the call is in the text, in the format that the prompt shows."""
    verdict = right_calls(observed)
    is_found = _same(_made(observed.repaired[2].calls), observed.question.wants)
    return ok(shown(observed.text)) if is_found else verdict


def _judged(observed: Observed, is_right: Callable[[Made], bool]) -> Verdict:
    if observed.failure:
        return unanswered(observed)
    made = native_calls(observed)
    if isinstance(made, list) and is_right(made):
        return ok(", ".join(f"{name} {shown(arguments)}" for name, arguments in made))
    wrong = made if isinstance(made, str) else _wrong(made, observed)
    if observed.reply.finish_reason == "length":
        wrong = f"cut at {observed.question.tokens} tokens: {wrong}"
    _, _, report = observed.repaired
    if is_right(_made(report.calls)):
        return covered(wrong, _how(report.calls))
    doubtful = [one.call for one in report.doubtful]
    if doubtful and is_right(_made([*report.calls, *doubtful])):
        return covered(wrong, f"doubtful ({report.doubtful[0].reason}), {CONFIRMED}")
    if report.refusals and not report.calls:
        return Verdict("open", wrong, REFUSED)
    return still_open(wrong)


def native_calls(observed: Observed) -> Made | str:
    """Return the calls as a plain client would run them, or why it could not."""
    offered = {tool["function"]["name"] for tool in observed.question.tools}
    made: Made = []
    for entry in observed.calls:
        function = entry.get("function")
        function = function if isinstance(function, Mapping) else {}
        name, arguments = function.get("name"), function.get("arguments")
        if name not in offered:
            return f"no tool is called {shown(name)}"
        if not isinstance(arguments, str):
            return f"the arguments of {name} are not text, but {shown(arguments)}"
        try:
            value = json.loads(arguments)
        except (ValueError, RecursionError):
            return f"the arguments of {name} are not JSON: {shown(arguments)}"
        if not isinstance(value, dict):
            return f"the arguments of {name} are not an object, but {shown(value)}"
        made.append((str(name), value))
    return made


def _wrong(made: Made, observed: Observed) -> str:
    if not made and observed.reply.message.get("function_call"):
        return f"the call is in function_call: {shown(observed.reply.message['function_call'])}"
    if not made:
        return f"no call in tool_calls; the text: {shown(observed.text or 'empty')}"
    wanted = [dict(arguments) for _, arguments in observed.question.wants]
    came = [arguments for _, arguments in made]
    return f"requested {shown(wanted)}, received {shown(came)}"


def _made(calls: Sequence[Call]) -> Made:
    return [(call.name, dict(call.arguments)) for call in calls]


def _same(made: Made, wanted: Sequence[tuple[str, JsonMapping]]) -> bool:
    return sorted(map(_key, made)) == sorted(_key((name, dict(args))) for name, args in wanted)


def _key(call: tuple[str, object]) -> str:
    """Return a text that is equal for equal calls: 1, 1.0 and true differ."""
    return json.dumps(call, sort_keys=True, default=str)


def _how(calls: Sequence[Call]) -> str:
    """Return how zkit found the calls."""
    first = calls[0]
    found = "" if first.tier == "native" else f"found in the text ({first.origin}, {first.tier})"
    names = dict.fromkeys(fix.name for call in calls for fix in call.fixes)
    changed = f"repaired ({', '.join(list(names)[:3])})" if names else ""
    return ", ".join(part for part in (found, changed) if part) or "accepted as it is"
