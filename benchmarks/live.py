"""Twenty tasks with plain functions and sixty requests, bare and wrapped, to a live server.

    python -m benchmarks.live --base-url http://127.0.0.1:8080/v1 --model NAME --about "..."

Not part of any automatic run: it needs a model. Writes `results/live.md` and `results/live.json`.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema
from openai import OpenAI

from benchmarks.live_tasks import measure_tasks
from benchmarks.recovery_page import table
from zkit.cases import recordings
from zkit.chat import wrap

HERE = Path(__file__).parent
RESULTS = HERE / "results"
TOOLS = recordings().tools
SCHEMAS = {one["function"]["name"]: one["function"]["parameters"] for one in TOOLS}
SYSTEM = "You are a helpful assistant with tools. Call a tool to do what you are asked."
FATES = {
    "right": "the call that was asked for, valid",
    "other": "a valid call, but not the one that was asked for",
    "invalid": "a call whose arguments are no JSON or do not fit the schema",
    "refused": "a call that was refused, with a message for the model",
    "none": "no call",
}


class Wanted(NamedTuple):
    """One request, and the call that it asks for."""

    ask: str
    call: str
    arguments: dict[str, Any]


class Asked(NamedTuple):
    """What became of one request, with the call that came."""

    fate: str
    shown: str


def wanted() -> list[Wanted]:
    """The requests."""
    rows = tomllib.loads((HERE / "live_requests.toml").read_text("utf-8"))["request"]
    return [Wanted(**row) for row in rows]


def judged(want: Wanted, calls: Iterable[Any]) -> Asked:
    """Judge the first call of a reply as a careful user of the bare client would: parse, check."""
    call = next(iter(calls), None)
    if call is None:
        return Asked("none", "")
    name, text = call.function.name, call.function.arguments
    shown = f"{name} {text}"
    try:
        arguments = json.loads(text)
        jsonschema.validate(arguments, SCHEMAS[name])
    except (ValueError, TypeError, KeyError, jsonschema.ValidationError):
        return Asked("invalid", shown)
    is_right = name == want.call and is_asked(want.arguments, arguments)
    return Asked("right" if is_right else "other", shown)


def is_asked(expected: Mapping[str, Any], given: Mapping[str, Any]) -> bool:
    """Whether every argument that was asked for is there; others are the model's own business."""
    return all(
        key in given and any(same(one, given[key]) for one in ways(value))
        for key, value in expected.items()
    )


def ways(value: Any) -> list[Any]:
    """The ways to write an argument: a list in a list holds several."""
    is_several = isinstance(value, list) and value and isinstance(value[0], list)
    return list(value[0]) if is_several else [value]


def same(expected: Any, given: Any) -> bool:
    """Whether two values are the same, the case of letters aside."""
    if isinstance(expected, str) and isinstance(given, str):
        return expected.casefold() == given.casefold()
    return bool(expected == given)


def ask(client: OpenAI, model: str, want: Wanted, most: int) -> Asked:
    """Send one request, and judge what comes."""
    messages: Any = [
        {"role": "system", "content": SYSTEM},
        {"role": "user", "content": want.ask},
    ]
    offered: Any = TOOLS
    reply = client.chat.completions.create(
        model=model, messages=messages, tools=offered, temperature=0, seed=1, max_tokens=most
    )
    found = judged(want, reply.choices[0].message.tool_calls or ())
    report = getattr(reply, "zkit", None)
    if found.fate == "none" and report is not None and report.refusals:
        refusal = report.refusals[0]
        return Asked("refused", f"{refusal.code}: {refusal.text}")
    return found


def measure(
    clients: Mapping[str, OpenAI], model: str, most: int, told: Callable[[str], None]
) -> list[dict[str, Any]]:
    """Ask every request of every client, one after the other."""
    rows = []
    for number, want in enumerate(wanted(), 1):
        came = {name: ask(client, model, want, most) for name, client in clients.items()}
        told(f"{number:>3}  {'  '.join(f'{n}: {a.fate}' for n, a in came.items())}  {want.ask}")
        rows.append({"ask": want.ask, **{name: asked._asdict() for name, asked in came.items()}})
    return rows


def page(found: Mapping[str, Any]) -> str:
    """The results as Markdown."""
    rows, names = found["rows"], found["clients"]
    counts = {name: Counter(row[name]["fate"] for row in rows) for name in names}
    head = ["of " + str(len(rows)) + " requests", *names]
    lines = [[meaning, *(str(counts[name][fate]) for name in names)] for fate, meaning in FATES.items()]  # fmt: skip
    each = [
        [_cell(row["ask"]), *(_cell(f"{row[n]['fate']}: {row[n]['shown']}") for n in names)]
        for row in rows
    ]
    return "\n".join(
        [
            "# A live model, bare and wrapped\n",
            f"{found['about']} Ten tools, {len(rows)} requests, temperature 0, at most"
            f" {found['most']} tokens. The same client asks each request twice, first bare, then"
            " wrapped; a call counts as right when it is valid and has the name and every argument"
            " that was asked for.\n",
            f"    {found['command']}\n",
            table(head, lines),
            "What a wrapped client gives out is what the model said: where the model picked another"
            " tool, or other arguments, that is the call.\n",
            "## Each request\n",
            table(["request", *names], each),
        ]
    )


def _cell(text: str) -> str:
    cut = text if len(text) <= 140 else f"{text[:139]}…"
    return "`" + cut.replace("|", "\\|").replace("`", "'").replace("\n", "\\n") + "`"


def main() -> None:
    """Ask, and write the results."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.live", description=__doc__)
    parser.add_argument("--base-url", default="http://127.0.0.1:8080/v1")
    parser.add_argument("--model", default="local")
    parser.add_argument("--about", default="", help="model, quantisation and server, in a sentence")
    parser.add_argument("--max-tokens", type=int, default=120)
    parser.add_argument("--only-tasks", action="store_true", help="only the tasks with functions")
    given = parser.parse_args()
    measure_tasks(given.base_url, given.model, given.about)
    if given.only_tasks:
        return
    bare = OpenAI(base_url=given.base_url, api_key="none", timeout=600, max_retries=2)
    clients = {"bare": bare, "wrapped": wrap(bare)}
    rows = measure(clients, given.model, given.max_tokens, lambda line: print(line, flush=True))
    found = {
        "about": given.about,
        "command": "python -m benchmarks.live --base-url URL --model NAME",
        "most": given.max_tokens,
        "clients": list(clients),
        "rows": rows,
    }
    (RESULTS / "live.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "live.md").write_text(page(found))


if __name__ == "__main__":
    main()
