"""Writes the page of the end-to-end benchmark and its table in the README."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchmarks.recovery_page import table

Found = Mapping[str, Any]
SHOWN: tuple[tuple[str, str], ...] = (
    ("valid", "valid"),
    ("python_arguments", "`{'city': 'Paris'}`"),
    ("trailing_comma", "trailing comma"),
    ("fenced_arguments", "fenced JSON"),
    ("double_encoded", "JSON inside a string"),
    ("camel_case_name", "`getWeather`"),
    ("leaked_channel_in_name", "`get_weather<\\|channel\\|>commentary`"),
    ("keys_in_other_case", "`City` for `city`"),
    ("empty_arguments", "empty arguments, no-argument tool"),
    ("text_hermes_json", "`<tool_call>` in the text"),
    ("text_qwen3_coder", "`<function=...>` in the text"),
    ("text_json_object_fenced", "fenced call in the text"),
    ("index_0_no_ids", "two calls streamed, each with index 0"),
    ("could_not_read_its_model", "the server's own parser fails (500)"),
    ("two_objects", "two objects in one call"),
    ("cut_call", "cut by `length`"),
)
"""The turns that say most, and what they are called."""
_SHORT = ("python_arguments", "fenced_arguments", "camel_case_name", "text_hermes_json", "text_json_object_fenced", "index_0_no_ids", "two_objects", "cut_call")  # fmt: skip

_KINDS = ("raw text", "empty answer", "wrong call", "wrong answer", "call lost", "hangs")


def _cell(made: Mapping[str, Any]) -> str:
    verdict = made["verdict"]
    return f"ok, {made['requests']}" if verdict == "right" else f"**{verdict}**"


def _short_cell(made: Mapping[str, Any]) -> str:
    verdict = made["verdict"]
    return _cell(made) if verdict in ("right", *_KINDS) else "**raises**"


def _totals(found: Found, name: str) -> dict[str, int]:
    cells = [turn[name] for turn in found["turns"]]
    right = [cell for cell in cells if cell["verdict"] == "right"]
    return {
        "turns": len(cells),
        "right": len(right),
        "wrong calls": sum(cell["verdict"] == "wrong call" for cell in cells),
        "other": sum(cell["verdict"] not in ("right", "wrong call") for cell in cells),
        "requests": sum(cell["requests"] for cell in right),
    }


def _rows(
    found: Found,
    turns: Sequence[tuple[str, str]],
    shown: Callable[[Mapping[str, Any]], str] = _cell,
) -> list[list[str]]:
    by_name = {turn["name"]: turn for turn in found["turns"]}
    names = list(found["frameworks"])
    return [
        [label, *(shown(by_name[name][one]) for one in names)]
        for name, label in turns
        if name in by_name
    ]


def _summary(found: Found) -> list[list[str]]:
    totals = {name: _totals(found, name) for name in found["frameworks"]}
    count = len(found["turns"])
    lines: dict[str, Callable[[Mapping[str, int]], str]] = {
        f"**right, of {count} turns**": lambda t: f"**{t['right']}**",
        "requests for each right one": lambda t: f"{t['requests'] / max(1, t['right']):.2f}",
        "ends without the answer": lambda t: str(t["other"]),
        "**wrong calls run**": lambda t: f"**{t['wrong calls']}**",
    }
    return [[label, *(show(t) for t in totals.values())] for label, show in lines.items()]


def long_table(found: Found, turns: Sequence[tuple[str, str]] = SHOWN) -> str:
    """The turns that say most, and the totals over all, also of the frameworks over `wrap`."""
    head = ["first turn", *(_title(name) for name in found["frameworks"])]
    return table(head, [*_rows(found, turns, _short_cell), *_summary(found)])


def short_table(found: Found) -> str:
    """Half of those turns, by the frameworks as they are."""
    bare = {n: title for n, title in found["frameworks"].items() if "wrap" not in n}
    shown = [(name, label) for name, label in SHOWN if name in _SHORT]
    return long_table({**found, "frameworks": bare}, shown)


def _title(name: str) -> str:
    return f"**{name}**" if name == "zkit" else name


def page(found: Found) -> str:
    """All turns, group by group."""
    head = ["first turn", *found["frameworks"].values()]
    parts = [
        "# End to end\n",
        "Each framework's own hello world with two tools (`get_weather(city, days)`, `now()`), against one"
        " scripted server over HTTP. The first reply of the model is spoilt in one way, all later ones are"
        " good. `ok, n` is the right answer after n requests to the model; 2 is perfect where the first"
        " reply can be read, 3 where it must be refused or asked for again. *Wrong call*: a tool was run"
        " with arguments that nobody meant. *Raw text*: the text of the call is the answer. A name in"
        " other spelling is the exception that the framework raised. `+ wrap` is the framework with `zkit.wrap(client)`"
        " around its client.\n",
        "    python -m benchmarks.endtoend\n",
        table(["", *found["frameworks"].values()], _summary(found)),
    ]
    for group in dict.fromkeys(turn["group"] for turn in found["turns"]):
        turns = [t for t in found["turns"] if t["group"] == group]
        labels = [(t["name"], f"`{t['name']}`: {t['does']}" if t["does"] else f"`{t['name']}`") for t in turns]  # fmt: skip
        parts += [f"## {TITLES[group]}\n", table(head, _rows(found, labels))]
    wrong = [
        f"* {name}, `{turn['name']}`: ran {turn[name]['ran']}"
        for turn in found["turns"]
        for name in found["frameworks"]
        if "ran" in turn[name]
    ]
    return "\n".join([*parts, "## Wrong calls that ran\n", *(wrong or ["None."])]) + "\n"


TITLES = {
    "valid": "Nothing wrong",
    "model": "What the model writes into a call",
    "call": "How the server delivers a call",
    "text": "Calls in the text, and reasoning",
    "small models": "Shapes of small models",
    "ending": "How a reply ends",
    "stream": "How a stream is cut",
    "wire": "The connection",
    "no call": "No call at all",
}
