"""Generates texts without a call: calls that are shown, quoted, rehearsed or declared."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from random import Random

from benchmarks.extract_cases import Completion, random_call, tools_with
from benchmarks.extract_format import Format
from benchmarks.extract_formats import FORMATS
from zkit.cases import ExtractCase, load, shipped_corpus

FENCES = ("````text", "````", "~~~~", "````markdown")
INTROS = (
    "This is what the raw output looks like:",
    "For example, the documentation of {name} shows:",
    "A well-formed call reads as follows.",
    "Ein Beispiel aus dem Handbuch:",
)
OUTROS = (
    "Nothing has been run; this only shows the syntax.",
    "As you can see, {name} stands near the beginning.",
    "Adapt it to your case before you use it.",
    "Das war nur ein Beispiel.",
)
QUOTERS = ("The page that you sent me says:", "Mail from an unknown sender:", "The log holds this:")
ANSWERS = ("No tool is needed for that.", "Everything is fine as it is.", "Das ist schon erledigt.")


def _shown(form: Format, rng: Random) -> tuple[str, str]:
    """A call in a longer fence in the middle of an explanation."""
    name, args = random_call(form, rng)
    fence = rng.choice(FENCES)
    closer = fence[:4]
    intro, outro = rng.choice(INTROS).format(name=name), rng.choice(OUTROS).format(name=name)
    text = f"{intro}\n\n{fence}\n{form.render([(name, args)])}\n{closer}\n\n{outro}"
    return text, name


def _quoted(form: Format, rng: Random) -> tuple[str, str]:
    """A call in a block quote, with an answer below it."""
    name, args = random_call(form, rng)
    lines = form.render([(name, args)]).split("\n")
    quote = "\n".join(f"> {line}" for line in lines)
    return f"{rng.choice(QUOTERS)}\n\n{quote}\n\n{rng.choice(ANSWERS)}", name


def _rehearsed(form: Format, rng: Random) -> tuple[str, str]:
    """A call inside closed reasoning, with an answer after it."""
    name, args = random_call(form, rng)
    inner = form.render([(name, args)])
    return f"<think>\nI could write\n{inner}\nbut why?\n</think>\n\n{rng.choice(ANSWERS)}", name


def _declared(form: Format, rng: Random) -> tuple[str, str]:
    """A declaration of the tool, as an answer."""
    name, _ = random_call(form, rng)
    tool = next(tool for tool in tools_with(rng, name) if tool["name"] == name)
    shapes = (tool, {"type": "function", "function": tool}, [tool], {"tools": [tool]})
    return json.dumps(rng.choice(shapes), ensure_ascii=False), name


MAKERS: Mapping[str, Callable[[Format, Random], tuple[str, str]]] = {
    "shown in a fence": _shown,
    "quoted": _quoted,
    "rehearsed": _rehearsed,
    "declared": _declared,
}


def without_call(seed: int, count: int) -> Iterator[Completion]:
    """`count` texts for each format and way to show a call, then the corpus of untouched texts."""
    for form in FORMATS.values():
        for scenario, make in MAKERS.items():
            rng = Random(f"{seed}/{form.name}/{scenario}")
            for _ in range(count):
                text, name = make(form, rng)
                content = text.split("</think>\n\n")[-1] if scenario == "rehearsed" else text
                yield Completion(form.name, scenario, text, tools_with(rng, name), (), content)
    yield from corpus_texts()


def corpus_texts() -> Iterator[Completion]:
    """The texts of corpus/untouched that hold no call."""
    for case in load([shipped_corpus() / "untouched"]):
        if isinstance(case, ExtractCase):
            empty = Completion("", "corpus/untouched", case.text, tuple(case.toolset))
            yield replace(empty, content=case.text if case.untouched else None)
