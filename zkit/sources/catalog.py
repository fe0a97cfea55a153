"""Search a listing of tools, find the names nearest to a wrong one, and write a kit for a system prompt."""

from __future__ import annotations

import json
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from zkit.sources.workflows import Step, Workflow
from zkit.tools import Example, ToolSpec, thaw
from zkit.tools.projections import guide_lines

_WORD = re.compile(r"[^\W_]+")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
# The weight of a word by the field it is in.
_NAME, _TAG, _SUMMARY, _ELSE, _PREFIX = 8.0, 5.0, 3.0, 1.0, 0.5
_MOST_WORDS = 24
_MOST_COMPARED = 60
_MOST_CHARACTERS = 400
_LIKE_ENOUGH = 0.55
_COMMON = 200
# Words that occur in every question and carry no meaning.
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "a an and at by can do for from how i in is it me my of on or that the this to what which"
        " with you",
    )
)


def words(text: str) -> list[str]:
    """Return the words of a text or name, lower case: `readFile` and `read_file` have the same two."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if word[1:].islower() or len(word) == 1:  # most words are not in camel case
            found.append(word.casefold())
        else:
            found += [part.casefold() for part in _HUMP.split(word) if part]
    return found


def telling_words(text: str) -> list[str]:
    """Return the words of a question that carry meaning, each once; all of them if none does."""
    asked = list(dict.fromkeys(words(text)[:_MOST_WORDS]))
    return [word for word in asked if word not in _EMPTY] or asked


class Catalog:
    """An index of tools, made once for a listing: the cost of a search depends on the matches, not
    on the number of tools."""

    def __init__(self, specs: Sequence[ToolSpec]) -> None:
        self._specs = specs
        self._postings: dict[str, dict[int, float]] = defaultdict(dict)
        for number, spec in enumerate(specs):
            self._add(number, spec)
        self._beginnings = _by_beginning(self._postings)
        self._names = _Names([spec.name for spec in specs])

    def _add(self, number: int, spec: ToolSpec) -> None:
        fields = (
            (_NAME, [spec.name]),
            (_TAG, spec.tags),
            (_SUMMARY, [spec.summary]),
            (_ELSE, [spec.description[:_MOST_CHARACTERS], *spec.parameters["properties"]]),
        )
        for score, texts in fields:
            for word in {word for text in texts for word in words(text)}:
                found = self._postings[word]
                found[number] = max(found.get(number, 0.0), score)

    def search(self, query: str, tags: Iterable[str] = (), limit: int = 10) -> list[ToolSpec]:
        """Return the tools that match a query, best first; ties by name. A tool must have every tag."""
        wanted = set(tags)
        scores = self._scores(telling_words(query))
        ranked = [
            (-score * self._specs[number].preference.weight, self._specs[number].name, number)
            for number, score in scores.items()
            if wanted <= set(self._specs[number].tags)
        ]
        return [self._specs[number] for _, _, number in sorted(ranked)[: max(0, limit)]]

    def _scores(self, asked: list[str]) -> dict[int, float]:
        """Return the score of each tool; rare words first, because a common word finds no tool alone."""
        if not asked:
            return dict.fromkeys(range(len(self._specs)), 1.0)
        scores: dict[int, float] = {}
        matches = sorted((self._matches(word) for word in asked), key=len)
        for found in matches:
            common = scores and len(found) > _COMMON and len(found) * 4 > len(self._specs)
            for number in scores if common else found:
                scores[number] = scores.get(number, 0.0) + found.get(number, 0.0)
        return scores

    def _matches(self, word: str) -> dict[int, float]:
        """Return the tools that a word matches with their scores; a rare word counts more than a
        common one."""
        found: dict[int, float] = {}
        alike = [known for known in self._beginnings.get(word[:3], ()) if known.startswith(word)]
        for known in [word, *alike]:
            postings = self._postings.get(known, {})
            rarity = math.log(1 + len(self._specs) / (1 + len(postings)))
            share = 1.0 if known == word else _PREFIX
            for number, score in postings.items():
                found[number] = max(found.get(number, 0.0), score * rarity * share)
        return found

    def nearest(self, name: str, limit: int = 3) -> list[str]:
        """Return the names that a wrong name may mean, the likeliest first."""
        return self._names.nearest(name, limit)


def _by_beginning(known: Iterable[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = defaultdict(list)
    for word in known:
        if len(word) > 3:
            found[word[:3]].append(word)
    return found


class _Names:
    """Names by their parts, so that a wrong name is compared with few others."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._by_piece: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(names):
            for piece in _pieces(name):
                self._by_piece[piece].append(number)

    def nearest(self, name: str, limit: int) -> list[str]:
        shared: dict[int, int] = defaultdict(int)
        for piece in _pieces(name[:128]):
            for number in self._by_piece.get(piece, ()):
                shared[number] += 1
        likely = sorted(shared, key=lambda number: (-shared[number], number))[:_MOST_COMPARED]
        wrong = _folded(name[:128])
        ratios = [
            (-SequenceMatcher(None, wrong, _folded(self._names[number])).ratio(), number)
            for number in likely
        ]
        near = [number for ratio, number in sorted(ratios) if -ratio >= _LIKE_ENOUGH]
        return [self._names[number] for number in near[:limit]]


def _folded(name: str) -> str:
    return "".join(character for character in name.casefold() if character.isalnum())


def _pieces(name: str) -> set[str]:
    text = f" {_folded(name)} "
    return {text[at : at + 3] for at in range(len(text) - 2)}


MOST_EXAMPLES = 6
_BEGINNING = 4


class ToolExample(NamedTuple):
    """An example, and the tool that it is a call of."""

    spec: ToolSpec
    example: Example

    def __str__(self) -> str:
        arguments = json.dumps(thaw(self.example.arguments), ensure_ascii=False)
        return f"{self.example.description} -> {self.spec.wire_name}({arguments})"


def nearest_examples(
    specs: Iterable[ToolSpec], intent: str, limit: int = MOST_EXAMPLES
) -> list[ToolExample]:
    """Return the examples that share most words with an intent, best first.

    Only examples with a description count; one that shares no word is never returned. Ties keep
    their order.
    """
    wanted = telling_words(intent)
    scored = [
        (
            _shared(wanted, telling_words(" ".join((example.description, *example.tags)))),
            spec,
            example,
        )
        for spec in specs
        for example in spec.examples
        if example.description
    ]
    near = sorted((one for one in scored if one[0]), key=lambda one: -one[0])
    return [ToolExample(spec, example) for _, spec, example in near[: max(0, limit)]]


def _shared(wanted: Sequence[str], present: Sequence[str]) -> int:
    """Count the wanted words that are present, in any form: `finding` is `find`."""
    return sum(any(_is_alike(word, other) for other in present) for word in wanted)


def _is_alike(one: str, other: str) -> bool:
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= _BEGINNING and long.startswith(short)


def kit_prompt(
    specs: Sequence[ToolSpec],
    workflows: Iterable[Workflow] = (),
    examples: Sequence[ToolExample] = (),
) -> str:
    """Return the tools by their signatures, their guides, the workflows, and examples of calls."""
    parts = ["\n".join(_tool_lines(specs)), usage_prompt(specs, workflows, examples)]
    return "\n\n".join(part for part in parts if part)


def usage_prompt(
    specs: Sequence[ToolSpec],
    workflows: Iterable[Workflow] = (),
    examples: Sequence[ToolExample] = (),
) -> str:
    """Return usage hints for tools that the model already knows: guides, workflows, examples of
    calls."""
    parts = [*map(_guide, specs), *map(_workflow, workflows)]
    parts += ["\n".join(["Examples:", *(f"- {one}" for one in examples)])] if examples else []
    return "\n\n".join(part for part in parts if part)


def catalog_text(specs: Iterable[ToolSpec]) -> str:
    """Return one line for each tool: enough to choose one, not to call it."""
    return "\n".join(f"{spec.wire_name}: {spec.summary}" for spec in specs)


def _tool_lines(specs: Sequence[ToolSpec]) -> Iterator[str]:
    if not specs:
        yield "There are no tools."
        return
    yield "Tools:"
    for spec in specs:
        yield f"- {spec.signature()}"
        if spec.summary:
            yield f"  {spec.summary}"


def _guide(spec: ToolSpec) -> str:
    lines = [f"- {line}" for line in guide_lines(spec.guide)]
    return "\n".join([f"How to use {spec.wire_name}:", *lines]) if lines else ""


def _workflow(flow: Workflow) -> str:
    head = [f"Workflow {flow.name}" + (f": {flow.goal}" if flow.goal else "")]
    steps = [f"{number}. {_step(step)}" for number, step in enumerate(flow.steps, 1)]
    return "\n".join([*head, *steps])


def _step(step: Step) -> str:
    arguments = {**({"action": step.action} if step.action else {}), **step.params}
    shown = ", ".join(f"{k}={json.dumps(v, ensure_ascii=False)}" for k, v in arguments.items())
    call = f"{step.tool}({shown})" if step.tool else ""
    return " - ".join(part for part in (call, step.note) if part)
