"""What the coach is worth on a live model: failing first calls, repeated writes, and tasks on files.

    python -m benchmarks.coach --base-url http://127.0.0.1:8080/v1 --model NAME [--part first|repeats|tasks|record]

`first`: recorded first replies whose call fails (`--data PATH` for others, in the form of
`coach_recorded.json`). The reply is played to a loop, then the live model goes on: is a call of the
expected tool right after one more turn, after two, after three? Right means the expected arguments, compared as
decoded values; where none are recorded, a call that succeeds without the values of the tool's example. The message of the
first failure is always the same; `ADVICE` has what may be added to the later ones.
`record`: ask the live model what `coach_manual.toml` asks, and keep the first replies that fail for `first`.
`repeats`: recorded replies up to a write that is done and was sent again. For each wording of the answer, what the
model writes next. `tasks`: a dozen tasks of two to four calls on files; a task is done when the files are as they
should be. With neither, with the rule that a write which is done is not run again, and with the coach as well.
Not part of any automatic run: it needs a model. `--save MODEL` keeps the figures in
results/coach.json, which `python -m benchmarks.report` shows on the evidence page. `--cache PATH` keeps every
answer of the server, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

from openai import OpenAI
from openai.types.chat import ChatCompletion

from benchmarks.coach_played import (
    ADVICE,
    DATA,
    REPLIES,
    WORDINGS,
    After,
    First,
    Offer,
    manual_asks,
    mode_of,
    play_first,
    record_first,
    recorded_firsts,
    recorded_repeats,
    reply_after,
)
from benchmarks.coach_tasks import TASKS, WAYS, Run, run_task

RESULTS = Path(__file__).parent / "results" / "coach.json"
Show = Callable[[str], None]
Failing = tuple[First, Offer, str]


def record(client: Any, given: argparse.Namespace, show: Show) -> dict[str, Any]:
    """Ask what `coach_manual.toml` asks, and keep the first replies that fail in `coach_recorded.json`."""
    kept = json.loads(DATA.read_text("utf-8"))
    about = given.save or given.model
    kept["manual"] = [row for row in kept.get("manual", ()) if row["model"] != about]
    modes: Counter[str] = Counter()
    for one, tools in manual_asks()[: given.most]:
        raw = record_first(client, given.model, one, tools, _options(given))
        mode = mode_of(one._replace(raw=raw), tools) or "no failure"
        modes[mode] += 1
        show(f"{mode:<14} {one.prompt[:60]}  {raw!r}")
        if mode != "no failure":
            kept["manual"].append({"model": about, "prompt": one.prompt, "raw": raw})
    DATA.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", "utf-8")
    return dict(modes)


def first_calls(client: Any, given: argparse.Namespace, show: Show) -> dict[str, Any]:
    """Play the failing first calls, with each kind of advice."""
    failing = [
        (one, tools, mode_of(one, tools))
        for one, tools in recorded_firsts(given.data)
        if given.of in ("", one.model)
    ]
    chosen = _spread(failing, given.most)
    show(f"{len(failing)} recorded first calls fail; {len(chosen)} are played")
    found: dict[str, list[After]] = {name: [] for name in given.advice or ADVICE}
    for one, tools, mode in chosen:
        for name, rows in found.items():
            rows.append(
                play_first(client, given.model, one, tools, ADVICE[name], 3, _options(given))
            )
        show(f"{ {name: rows[-1].verdict for name, rows in found.items()} }  {mode:<14} {one.expected}: {one.prompt[:60]}")  # fmt: skip
    modes = Counter(mode for _, _, mode in chosen)
    return {"modes": dict(modes), **{name: _turns(rows) for name, rows in found.items()}}


def _spread(failing: list[Failing], most: int) -> list[Failing]:
    """So many of the failures, as evenly spread over the modes as they allow, in their order."""
    places: dict[str, list[int]] = {}
    for at, (_, _, mode) in enumerate(failing):
        places.setdefault(mode, []).append(at)
    in_turn = [at for row in zip_longest(*places.values()) for at in row if at is not None]
    return [failing[at] for at in sorted(in_turn[:most])]


def _turns(rows: list[After]) -> dict[str, int]:
    sums = {f"right after {turns}": sum(0 < row.turns <= turns for row in rows) for turns in (1, 2, 3)}  # fmt: skip
    return {
        "played": len(rows),
        **sums,
        "wrong run": sum(row.ran for row in rows),
        "sent the example": sum(row.copied for row in rows),
        "characters": sum(row.added for row in rows),
    }


class Remembered:
    """A client that sends each request once; the answers are in a file, so that a stopped run can go on."""

    def __init__(self, client: OpenAI, path: str | None) -> None:
        self._client, self._path = client, path
        lines = Path(path).read_text("utf-8").splitlines() if path and Path(path).exists() else []
        self._known = {row["key"]: row["answer"] for row in map(json.loads, lines)}
        self.chat = self.completions = self

    def create(self, **request: Any) -> ChatCompletion:
        """Answer a request."""
        text = json.dumps(request, sort_keys=True, default=str)
        for at, name in enumerate(
            dict.fromkeys(re.findall(r'"(?:tool_call_)?id": "([^"]+)"', text))
        ):
            text = text.replace(
                f'"{name}"', f'"call {at}"'
            )  # the ids of calls differ from run to run
        key = hashlib.sha256(text.encode()).hexdigest()
        if key not in self._known:
            made = self._client.chat.completions.create(**request)
            self._known[key] = made.model_dump(mode="json")
            if self._path:
                with Path(self._path).open("a", encoding="utf-8") as file:
                    file.write(json.dumps({"key": key, "answer": self._known[key]}) + "\n")
        return ChatCompletion.model_validate(self._known[key])


def repeats(client: Any, given: argparse.Namespace, show: Show) -> dict[str, Any]:
    """Tell the model in each wording that its call is done."""
    found: dict[str, Counter[str]] = {name: Counter() for name in given.wording or WORDINGS}
    for one in recorded_repeats()[: given.most]:
        for name in found:
            reply = reply_after(client, given.model, one, WORDINGS[name], _options(given))
            found[name][reply] += 1
            show(f"{name:<10} {reply:<17} {one.task.ask[:70]}")
    return {name: {reply: counts[reply] for reply in REPLIES} for name, counts in found.items()}


def tasks(client: Any, given: argparse.Namespace, show: Show) -> dict[str, Any]:
    """Run the tasks, with and without the coach."""
    found: dict[str, list[Run]] = {way: [] for way in WAYS}
    for task in TASKS[: given.most]:
        for way, helped in WAYS.items():
            run = run_task(client, given.model, task, helped, _options(given))
            found[way].append(run)
            show(f"{way:<22} {'done  ' if run.done else 'failed'} {run.reason:<10} {run.requests} requests, {run.calls} calls,"
                 f" {run.repeated} done already, {run.coached} coached, {run.seconds} s  {task.ask[:50]}")  # fmt: skip
    return {way: dict(_sums(runs)) for way, runs in found.items()}


def _sums(runs: list[Run]) -> Iterator[tuple[str, float]]:
    yield "tasks", len(runs)
    yield "done", sum(run.done for run in runs)
    yield "completed", sum(run.reason == "completed" for run in runs)
    for name in ("requests", "calls", "repeated", "coached"):
        yield name, sum(getattr(run, name) for run in runs)


def _options(given: argparse.Namespace) -> dict[str, Any]:
    return {"temperature": 0, "seed": 1, "max_tokens": given.max_tokens}


PARTS: dict[str, Callable[..., dict[str, Any]]] = {
    "record": record,
    "first": first_calls,
    "repeats": repeats,
    "tasks": tasks,
}


def main() -> None:
    """Run the parts and print the figures."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--data", help="recorded tools and first replies")
    parser.add_argument("--part", choices=PARTS, action="append")
    parser.add_argument("--most", type=int, default=100, help="calls or tasks of each part")
    parser.add_argument("--wording", choices=WORDINGS, action="append", help="of the part repeats")
    parser.add_argument("--advice", choices=ADVICE, action="append", help="of the part first")
    parser.add_argument(
        "--of", default="", help="only first calls that were recorded from this model"
    )
    parser.add_argument("--cache", help="keep the answers of the server in this file")
    parser.add_argument("--max-tokens", type=int, default=160)
    parser.add_argument("--about", default="", help="the model, its weights and the server")
    parser.add_argument("--save", metavar="MODEL", help="keep the figures under this name")  # fmt: skip
    given = parser.parse_args()
    server = OpenAI(base_url=given.base_url, api_key="none", max_retries=0, timeout=600)
    client = Remembered(server, given.cache)
    for part in given.part or ("first", "repeats", "tasks"):
        found = PARTS[part](client, given, lambda line: print(line, flush=True))
        print(json.dumps({part: found}, indent=2), flush=True)
        if given.save and part != "record":
            save(given.save, {"about": given.about, part: found})


def save(model: str, found: dict[str, Any]) -> None:
    """Keep the figures of a model; those of parts that were not run stay."""
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    kept[model] = kept.get(model, {}) | {name: value for name, value in found.items() if value}
    RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
