"""Generates completions and the calls that they hold: formats x scenarios x random arguments."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from benchmarks.extract_format import Args, Format
from benchmarks.extract_formats import FORMATS
from benchmarks.extract_spelling import BROKEN, WORD
from benchmarks.payloads import TOOLS, make_payload

Call = tuple[str, Args]
Tool = Mapping[str, Any]
CUT_HERE = "⌁"

# Names that take no arguments, so that each list of tools has one.
WITHOUT_ARGUMENTS = ("list_everything", "show_status", "where_am_i", "refresh_index")
LEADS = (
    "Let me look that up.",
    "Sure, one moment.",
    "I'll take care of it now, step by step.",
    "Good question; I need one fact first.",
    "Ich sehe gleich nach.",
    "D'accord, je m'en occupe.",
)
TAILS = (
    "I'll report back when it is done.",
    "Then we can go on.",
    "Tell me if that was not what you meant.",
    "Gleich wissen wir mehr.",
)
THOUGHTS = (
    "The user wants one thing, and the tool for it is clear.",
    "Nothing is missing: I can act.\nNo second step is needed.",
    "It could be {either} or [neither], but the first is likelier.",
)


@dataclass(frozen=True)
class Completion:
    """A text that a model wrote, the tools it was offered, and what it holds."""

    format: str
    scenario: str
    text: str
    tools: tuple[Tool, ...]
    calls: tuple[Call, ...] = ()
    content: str | None = ""


def completions(seed: int, count: int) -> Iterator[Completion]:
    """`count` completions for each format and each scenario that makes sense in it."""
    for form in FORMATS.values():
        for scenario, make in SCENARIOS.items():
            rng = Random(f"{seed}/{form.name}/{scenario}")
            made = (make(form, rng) for _ in range(count))
            yield from (replace(one, scenario=scenario) for one in made if one is not None)


# ── tools and calls ───────────────────────────────────────────────────────────


def tools_with(rng: Random, *names: str) -> tuple[Tool, ...]:
    """The named tools among others, in any order."""
    others = rng.sample(sorted(TOOLS), 3)
    offered = [tool_of(name) for name in dict.fromkeys((*names, *others, WITHOUT_ARGUMENTS[0]))]
    rng.shuffle(offered)
    return tuple(offered)


def tool_of(name: str) -> Tool:
    """The declaration of a tool."""
    nothing = {"type": "object", "properties": {}}
    return {"name": name, "parameters": TOOLS[name].schema if name in TOOLS else nothing}


def random_call(form: Format, rng: Random) -> Call:
    """A call whose arguments the format can express without a doubt."""
    for _ in range(200):
        payload = make_payload(rng)
        if expressible(form, payload.truth):
            return payload.tool, payload.truth
    return WITHOUT_ARGUMENTS[0], {}


def expressible(form: Format, args: Args) -> bool:
    """Whether nobody could dispute what the format's text for these arguments means."""
    texts = list(strings(dict(args)))
    if form.name == "glaive_functioncall":
        return not any("'" in text for text in texts)
    if form.values != "raw" or form.name == "arrow_tool_call":
        return True
    if form.name in ("minimax_m3", "functiongemma", "gemma4"):
        plain = all(WORD.fullmatch(key) for key in keys(dict(args)))
        if not plain or (
            form.name == "minimax_m3" and not all(_full(value) for value in values(args))
        ):
            return False
    return not any(_holds_markup(text) for text in texts) and not any(
        value != value.strip() or value == "" for value in args.values() if isinstance(value, str)
    )


def _full(value: Any) -> bool:
    return value not in ("", {}, None)


def _holds_markup(text: str) -> bool:
    return bool(
        re.search(
            r"</?(?:param|arg|invoke|function|tool|cofl|[a-z_]+>)|<\||｜|```|END_ARG|escape|CDATA|&\w+;",
            text,
        )
    )


def strings(value: Any) -> Iterator[str]:
    """Every string in a value, keys too."""
    yield from keys(value)
    yield from (part for part in values(value) if isinstance(part, str))


def keys(value: Any) -> Iterator[str]:
    """Every key in a value."""
    if isinstance(value, Mapping):
        yield from value
    for part in _parts(value):
        yield from keys(part)


def values(value: Any) -> Iterator[Any]:
    """Every value in a value, itself too."""
    yield value
    for part in _parts(value):
        yield from values(part)


def _parts(value: Any) -> list[Any]:
    if isinstance(value, Mapping):
        return list(value.values())
    return value if isinstance(value, list) else []


# ── scenarios ─────────────────────────────────────────────────────────────────


def _made(
    form: Format, rng: Random, text: str, *calls: Call, content: str = "", also: str = ""
) -> Completion:
    """A completion; `also` is a tool that is named in the text without being called."""
    names = [name for name, _ in calls] + ([also] if also else [])
    return Completion(form.name, "", text, tools_with(rng, *names), calls, content)


def _thought(form: Format, rng: Random) -> str:
    """What a format must write before its call."""
    return form.thinks(rng.choice(THOUGHTS)) if form.name in ("react", "dspy_react") else ""


def one(form: Format, rng: Random) -> Completion:
    """One call and nothing else."""
    call = random_call(form, rng)
    return _made(form, rng, _thought(form, rng) + form.render([call]), call)


def parallel(form: Format, rng: Random) -> Completion | None:
    """Two or three calls."""
    if not form.parallel:
        return None
    calls = [random_call(form, rng) for _ in range(rng.randint(2, 3))]
    return _made(form, rng, form.render(calls), *calls)


def no_arguments(form: Format, rng: Random) -> Completion:
    """A call without arguments."""
    call: Call = (rng.choice(WITHOUT_ARGUMENTS), {})
    return _made(form, rng, _thought(form, rng) + form.render([call]), call)


def text_before(form: Format, rng: Random) -> Completion | None:
    """Prose, then a call."""
    if form.before is None:
        return None
    call, lead = random_call(form, rng), rng.choice(LEADS)
    return _made(form, rng, form.before(lead) + form.render([call]), call, content=lead)


def text_around(form: Format, rng: Random) -> Completion | None:
    """Prose, a call, and more prose."""
    if not form.after:
        return None
    call, lead, tail = random_call(form, rng), rng.choice(LEADS), rng.choice(TAILS)
    text = f"{lead}\n\n{form.render([call])}\n\n{tail}"
    return _made(form, rng, text, call, content=f"{lead} {tail}")


def reasoning(form: Format, rng: Random) -> Completion:
    """Reasoning, then a call."""
    call = random_call(form, rng)
    return _made(form, rng, form.thinks(rng.choice(THOUGHTS)) + form.render([call]), call)


def missing_closer(form: Format, rng: Random) -> Completion | None:
    """Complete arguments, and no closers after them."""
    if form.tier == "shape" or not form.closes:
        return None
    call = random_call(form, rng)
    return _made(form, rng, _thought(form, rng) + form.render_open(*call), call)


def cut_only(form: Format, rng: Random) -> Completion | None:
    """A call that ends inside a string."""
    cut = _cut_call(form, rng)
    if cut is None:
        return None
    text = _thought(form, rng) + form.render([cut])
    return _made(form, rng, text[: text.index(CUT_HERE)], also=cut[0])


def cut_between(form: Format, rng: Random) -> Completion | None:
    """A call that ends after one of its arguments, with others due."""
    if form.values == "raw" or form.name == "openai_envelope":
        return None
    for _ in range(50):
        name, args = random_call(form, rng)
        early = [key for key in list(args)[:-1] if isinstance(args[key], str)]
        if early:
            key = rng.choice(early)
            marked = {**args, key: args[key] + CUT_HERE}
            text = _thought(form, rng) + form.render([(name, marked)])
            at = text.index(CUT_HERE)
            return _made(form, rng, text[:at] + text[at + 1], also=name)
    return None


def cut_second(form: Format, rng: Random) -> Completion | None:
    """A complete call, then one that ends inside a string."""
    cut = _cut_call(form, rng)
    if cut is None or not form.parallel:
        return None
    call = random_call(form, rng)
    text = form.render([call, cut])
    return _made(form, rng, text[: text.index(CUT_HERE)], call, also=cut[0])


def _cut_call(form: Format, rng: Random) -> Call | None:
    """A call with a mark inside one of its strings."""
    for _ in range(50):
        name, args = random_call(form, rng)
        long = [key for key, value in args.items() if isinstance(value, str) and len(value) > 3]
        if long:
            key = rng.choice(long)
            at = rng.randint(1, len(args[key]) - 1)
            return name, {**args, key: args[key][:at] + CUT_HERE + args[key][at:]}
    return None


def broken(style: str) -> Callable[[Format, Random], Completion | None]:
    """A call whose JSON is broken in one way."""

    def make(form: Format, rng: Random) -> Completion | None:
        if form.values != "json" or not form.breaks:
            return None
        for _ in range(100):
            call = random_call(form, rng)
            text = form.render([call], BROKEN[style])
            fenced = style == "raw newline" and "```" in json.dumps(dict(call[1]))
            if text != form.render([call]) and not fenced:
                return _made(form, rng, _thought(form, rng) + text, call)
        return None

    return make


SCENARIOS: Mapping[str, Callable[[Format, Random], Completion | None]] = {
    "one call": one,
    "parallel": parallel,
    "no arguments": no_arguments,
    "text before": text_before,
    "text around": text_around,
    "reasoning before": reasoning,
    "missing closer": missing_closer,
    "cut in a string": cut_only,
    "cut between arguments": cut_between,
    "second one cut": cut_second,
    **{f"broken: {style}": broken(style) for style in BROKEN},
}
