"""Find random fragments whose repetition takes time that grows faster than its size.

Nobody thinks of every shape that makes a look go far. This hunt strings marks together at random, repeats
them, and times the text at two sizes, and at a third where the growth is suspicious. What it finds belongs
in `growing.py`, and from there in the laws.
"""

from __future__ import annotations

import argparse
import gc
import signal
from collections.abc import Callable, Iterator
from random import Random
from time import monotonic, process_time
from typing import Any, NamedTuple

from zkit import find_calls, repair_json

SIZES = (8_000, 64_000, 256_000)
LINEAR = SIZES[1] / SIZES[0]
PATIENCE = 40.0  # seconds on the processor; what takes longer is given up
WORTH_A_LOOK = 0.15  # seconds for the middle size; below, a step in the way it is read says nothing
SLOW = 2.5

MARKS = [
    '"', "'", "`", "{", "}", "[", "]", "(", ")", "<", ">", ":", ",", ";", ".", "=", "+", "-", "|", "~", "\\",
    "=>", "//", "/*", "*/", "...", "```", '"""', "'''", '\\"', "\\n", "\\u00", "“", "”", "“x”", "'x'", '"x"',
    '"a"', '"b"', "1", "12", "é", "，", "word", "True", "null", "it's", "&quot;", "<a>", "</a>", "<think>",
    "</think>", "C:\\x\\", '{"a": 1}', " ", "\n", "\t", "\r", "# ", "> ", "- ", "* ", "1. ", "x: ", "word ",
    "```json\n", '"a": ', '"a": "', '", "b": ', '"},{"a": "', '{"a": "x"}',
]  # fmt: skip
CALLS = [
    *("<tool_call>", "</tool_call>", "[TOOL_CALLS]", "<|tool_call|>", "<|channel|>", "<|message|>"),
    *("get_weather", "get_weather(", 'get_weather(city="x")', '[get_weather(city="x")]'),
    *('{"name": "get_weather", "arguments": ', '{"city": "x"}', '{"city": ', '"get_weather"'),
    *("<function=get_weather>", "<parameter=city>", "</parameter>", "</function>", "`get_weather`"),
    *('<invoke name="get_weather">', '<parameter name="city">', "</invoke>", "tool_code\n"),
    *("<get_weather>", "</get_weather>", "<city>", "</city>", "<arg_key>", "</arg_key>"),
    *("<arg_value>", "</arg_value>", "Action: ", "Action Input: ", "Observation: ", "Thought: "),
    *("I will call it.\n", "For example: ", "Let me check. ", 'The user said: "', "Yes, ", "\n\n"),
]
AROUND_VALUES = (
    ("", ""), ("{", ""), ("{", "}"), ("[", "]"), ('{"a": "', '"}'), ('{"a": [', "]}"), ('{"a": ', "}"),
    ("{'a': '", "'}"), ('{"items": [', '"]}'), ("Sure: ", " done"),
)  # fmt: skip
AROUND_CALLS = (
    ("", ""), ("<tool_call>", ""), ("```json\n", "\n```"), ("Let me look.\n", ""), ("[TOOL_CALLS]", ""),
    ('<tool_call>{"name": "get_weather", "arguments": {"city": "', '"}}</tool_call>'),
)  # fmt: skip
ITEM = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"a": {"type": "string"}, "items": {"type": "array", "items": ITEM}},
    "required": ["a"],
}
TOOLS = {
    "get_weather": {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
        "required": ["city"],
    }
}


class Hunt(NamedTuple):
    """What is run, and what its texts are made of."""

    run: Callable[[str, bool], object]
    marks: list[str]
    around: tuple[tuple[str, str], ...]


HUNTS = {
    "repair": Hunt(
        lambda text, guided: repair_json(text, schema=SCHEMA if guided else None),
        MARKS,
        AROUND_VALUES,
    ),
    "extract": Hunt(lambda text, guided: find_calls(text, TOOLS), MARKS + CALLS, AROUND_CALLS),
}


def shapes(hunt: Hunt, rng: Random) -> Iterator[tuple[str, str, str, bool]]:
    """Beginning, fragment and end of a text, and whether a schema is given."""
    while True:
        fragment = "".join(rng.choice(hunt.marks) for _ in range(rng.randint(1, 6)))
        before, after = rng.choice(hunt.around)
        yield before, fragment, after, rng.random() < 0.5


def seconds(run: Callable[[], object]) -> float:
    """The time on the processor, up to the patience."""
    gc.collect()
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, PATIENCE)
    start = process_time()
    try:
        run()
    except TimeoutError:
        return PATIENCE
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        gc.enable()
    return process_time() - start


def steep(times: Callable[[int], float]) -> tuple[float, float, float] | None:
    """The times at the three sizes where they grow faster than the text; None where they do not."""
    small, middle = times(SIZES[0]), times(SIZES[1])
    if middle < WORTH_A_LOOK or (middle < 2 * LINEAR * max(small, 0.002) and middle < SLOW):
        return None
    large = times(SIZES[2]) if middle < PATIENCE / 10 else PATIENCE
    grown = large / middle > 1.4 * SIZES[2] / SIZES[1]
    return (small, middle, large) if grown or middle >= SLOW else None


def main() -> None:
    """Hunt for so many seconds, and print what is found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth_hunt", description=__doc__)
    parser.add_argument("of", choices=list(HUNTS))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=300)
    asked = parser.parse_args()
    signal.signal(signal.SIGVTALRM, _give_up)
    hunt, tried, end = HUNTS[asked.of], 0, monotonic() + asked.seconds
    for before, fragment, after, guided in shapes(hunt, Random(asked.seed)):
        if monotonic() > end:
            break
        tried += 1

        def times(
            size: int,
            shape: tuple[str, str, str] = (before, fragment, after),
            guided: bool = guided,
        ) -> float:
            text = shape[0] + shape[1] * (size // len(shape[1])) + shape[2]
            return seconds(lambda: hunt.run(text, guided))

        try:
            found = steep(times)
        except Exception as error:  # nothing may raise, whatever the text
            print(f"{error!r}: {(before, fragment, after, guided)!r}", flush=True)
            continue
        if found is not None:
            took = ", ".join(f"{one:.3f}" for one in found)
            print(f"{took} s: {(before, fragment, after, guided)!r}", flush=True)
    print(f"{tried:,} shapes of {asked.of} tried")


def _give_up(signum: int, frame: object) -> None:
    raise TimeoutError


if __name__ == "__main__":
    main()
