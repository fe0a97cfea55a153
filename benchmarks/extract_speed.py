"""The speed of extraction: milliseconds per MB and growth, and what small things cost in CPU time.

python -m benchmarks.extract_speed      the small things: first call, empty text, one call, a chunk
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import count
from random import Random
from typing import Any

from rich.progress import track

from benchmarks import text_material as words
from benchmarks.clock import best_times, exponent
from benchmarks.code_material import CODE
from benchmarks.extract_cases import tools_with
from benchmarks.extract_formats import FORMATS
from zkit.extract import Extractor, find_calls

SIZES = (4_000, 16_000, 64_000, 256_000)
BIG = 1_000_000  # for what models really write
PATIENCE = 2.0  # seconds; an input that takes longer is not made larger
Grow = Callable[[int], str]


def repeated(part: str) -> Grow:
    """The same part again and again."""
    return lambda size: (part * (size // len(part) + 1))[:size]


def prose(size: int) -> str:
    """Plain paragraphs without any marker."""
    rng = Random(5)
    sentences = (" ".join(rng.choices(words.WORDS, k=12)).capitalize() for _ in range(400))
    paragraph = "".join(f"{sentence}.\n" for sentence in sentences)
    return repeated(paragraph)(size)


def code(size: int) -> str:
    """Source text in a Markdown answer: braces, brackets, quotes, tags, fences."""
    parts = [f"```{name}\n{part}\n```\n\n" for name, texts in CODE.items() for part in texts]
    return repeated("".join(parts).replace("‹", "").replace("›", ""))(size)


def documented(size: int) -> str:
    """Documentation that shows calls of every format in fences."""
    call = ("show_status", {"text": "x", "n": 1})
    parts = [
        f"Like this:\n\n````text\n{form.render([call])}\n````\n\n" for form in FORMATS.values()
    ]
    return repeated("".join(parts))(size)


def complete(size: int) -> str:
    """One long reply of complete calls."""
    form = FORMATS["hermes_json"]
    return repeated(form.render([("list_everything", {})]) + "\n")(size)


def records(size: int) -> str:
    """Data as JSON, one object to a line, and some over several lines."""
    flat, nested = {"id": 7, "title": "walnut"}, {"id": 8, "tags": ["a", "b"], "at": {"x": 1}}
    parts = [f"{json.dumps(flat)}\n{json.dumps(nested)}\n{json.dumps(nested, indent=2)}\n"]
    return repeated("".join(parts))(size)


def before_one_closer(part: str) -> Grow:
    """Openers again and again, and at the very end what would close each of them."""
    return lambda size: repeated(part)(size) + '"}}\n</parameter></invoke></tool_call>'


def _opener(name: str) -> str:
    """What a format writes before its first value."""
    text = FORMATS[name].render([("list_everything", {"a": "⌁"})])
    return text[: text.index("⌁")]


# Openers that never close are what made other readers quadratic.
UNCLOSED = {f"unclosed {name}": repeated(_opener(name)) for name in FORMATS}
ODD = {
    "unclosed <tool_call>": repeated("<tool_call>"),
    "unclosed <tool_call> with a brace": repeated('<tool_call>{"'),
    "unclosed <tool_call> lines with a brace": repeated("<tool_call> {\n"),
    "<tool_call> before one closer": before_one_closer('<tool_call>{"a'),
    "arguments before one closer": before_one_closer('<invoke name="f"><parameter name="a">x'),
    "calls in sentences": repeated('say <tool_call>{"name": "list_everything"}</tool_call> and '),
    "brackets where lines begin": repeated("\n["),
    "spoken reasoning": repeated("analysisA\n"),
    "unclosed {": repeated("{"),
    "unclosed [": repeated("["),
    "unclosed [{": repeated('[{"name": "'),
    "unclosed fences": repeated("```json\n{"),
    "unclosed <think>": repeated("<think>"),
    "closed </think>": repeated("</think>"),
    "back quotes": repeated("` `` "),
    "Action lines": repeated("Action: list_everything\nAction Input: "),
    "names in parentheses": repeated("list_everything("),
    "smaller-than signs": repeated("<"),
}
ORDINARY = {
    "prose": prose,
    "code in Markdown": code,
    "documentation of calls": documented,
    "records of JSON": records,
    "complete calls": complete,
}
TEXTS: Mapping[str, Grow] = {**ORDINARY, **ODD, **UNCLOSED}


CALL = '<tool_call>\n{"name": "save_note", "arguments": {"text": "x"}}\n</tool_call>'


def cpu_time(work: Callable[[], object], times: int) -> float:
    """The least CPU time of a piece of work in microseconds, of five rounds."""
    rounds = []
    for _ in range(5):
        begun = time.process_time()
        for _ in range(times):
            work()
        rounds.append((time.process_time() - begun) / times)
    return 1e6 * min(rounds)


def first_call() -> tuple[float, float]:
    """Seconds of CPU for `import pydantic`, and for the first `find_calls` with its imports."""
    timed = "import time; t = time.process_time(); {}; print(time.process_time() - t)"
    works = ("from pydantic import BaseModel", "from zkit import find_calls; find_calls('x', [{'name': 'f', 'parameters': {}}])")  # fmt: skip
    runs = [
        min(
            float(subprocess.check_output([sys.executable, "-c", timed.format(work)]))
            for _ in range(3)
        )
        for work in works
    ]
    return runs[0], runs[1]


def small_rows() -> Iterator[tuple[str, float]]:
    """What small things cost, in microseconds of CPU."""
    tools = tools_with(Random(1), "save_note")
    numbers = count()

    def new_tools() -> object:
        return find_calls("x", [{"name": f"tool_{next(numbers)}", "parameters": {}}])

    def stream() -> object:
        extractor, text = Extractor(tools), prose(4_000)
        for at in range(0, len(text), 4):
            extractor.feed(text[at : at + 4])
        return extractor.close()

    kilobytes = 32
    yield "a new tool set", cpu_time(new_tools, 20)
    yield "empty text", cpu_time(lambda: find_calls("", tools), 200)
    yield "one plain call", cpu_time(lambda: find_calls(CALL, tools), 100)
    for name, grow in (("source code, per KB", code), ("JSON records, per KB", records)):
        text = grow(kilobytes * 1_000)
        yield name, cpu_time(partial(find_calls, text, tools), 1) / kilobytes
    yield "a chunk of four characters", cpu_time(stream, 1) / 1_000


def speed_rows() -> Iterator[dict[str, Any]]:
    """One row for each text."""
    tools = tools_with(Random(1), "save_note")
    for name, grow in track(TEXTS.items(), description="speed"):
        sizes: list[int] = []
        times: list[float] = []
        for size in (*SIZES, BIG) if name in ORDINARY else SIZES:
            text = grow(size)
            (took,) = best_times(partial(find_calls, text, tools))
            sizes.append(len(text))
            times.append(took)
            if took > PATIENCE:
                break
        growth = exponent(sizes[1:], times[1:]) if len(sizes) > 2 else 99.0
        yield {
            "text": name,
            "ms_per_mb": 1e3 * times[-1] / (sizes[-1] / 1e6),
            "exponent": growth,
            "largest": sizes[-1],
        }


if __name__ == "__main__":
    pydantic, first = first_call()
    print(f"{'first find_calls':30s} {first:.2f} s, {first / pydantic:.1f} times import pydantic")
    for what, microseconds in small_rows():
        print(f"{what:30s} {microseconds:8.1f} µs")
