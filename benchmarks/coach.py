"""What the coach is worth on a live model: failing first calls, repeated writes, and tasks on files.

    python -m benchmarks.coach --base-url http://127.0.0.1:8080/v1 --model NAME [--part first|repeats|tasks]

`first`: recorded first replies whose call fails (`--data PATH` for others, in the form of
`coach_recorded.json`). The reply is played to a loop, then the live model goes on: is a call of the
expected tool right after one more turn, after two? A call with the values of the tool's example
is not right. The message of the first failure is always the same; `ADVICE` has what may be added to that of the second.
`repeats`: recorded replies up to a write that is done and was sent again. For each wording of the answer, what the
model writes next. `tasks`: a dozen tasks of two to four calls on files; a task is done when the files are as they
should be. With neither, with the rule that a write which is done is not run again, and with the coach as well.
Not part of any automatic run: it needs a model. `--save MODEL` keeps the figures in
results/coach.json, which `python -m benchmarks.report` shows on the evidence page.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from openai import OpenAI

from benchmarks.coach_played import (
    ADVICE,
    REPLIES,
    WORDINGS,
    After,
    First,
    Pretended,
    mode_of,
    play_first,
    recorded_firsts,
    recorded_repeats,
    reply_after,
)
from benchmarks.coach_tasks import TASKS, WAYS, Run, run_task

RESULTS = Path(__file__).parent / "results" / "coach.json"
Show = Callable[[str], None]
Failing = tuple[First, list[Pretended], str]


def first_calls(client: OpenAI, given: argparse.Namespace, show: Show) -> dict[str, Any]:
    """Play the failing first calls, with and without the coach."""
    failing = [(one, tools, mode_of(one, tools)) for one, tools in recorded_firsts(given.data)]
    chosen = _spread(failing, given.most)
    show(f"{len(failing)} recorded first calls fail; {len(chosen)} are played")
    found: dict[str, list[After]] = {name: [] for name in ADVICE}
    for one, tools, mode in chosen:
        play = partial(play_first, client, given.model, one, tools, options=_options(given))
        after = play(None, [], 1)
        is_over = after.turns or after.copied
        for name, rows in found.items():
            rows.append(after if is_over else play(ADVICE[name], after.live, 2))
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
    sums = {f"right after {turns}": sum(0 < row.turns <= turns for row in rows) for turns in (1, 2)}
    return {"played": len(rows), **sums, "sent the example": sum(row.copied for row in rows)}


def repeats(client: OpenAI, given: argparse.Namespace, show: Show) -> dict[str, Any]:
    """Tell the model in each wording that its call is done."""
    found: dict[str, Counter[str]] = {name: Counter() for name in given.wording or WORDINGS}
    for one in recorded_repeats()[: given.most]:
        for name in found:
            reply = reply_after(client, given.model, one, WORDINGS[name], _options(given))
            found[name][reply] += 1
            show(f"{name:<10} {reply:<17} {one.task.ask[:70]}")
    return {name: {reply: counts[reply] for reply in REPLIES} for name, counts in found.items()}


def tasks(client: OpenAI, given: argparse.Namespace, show: Show) -> dict[str, Any]:
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
    parser.add_argument("--max-tokens", type=int, default=160)
    parser.add_argument("--about", default="", help="the model, its weights and the server")
    parser.add_argument("--save", metavar="MODEL", help="keep the figures under this name")  # fmt: skip
    given = parser.parse_args()
    client = OpenAI(base_url=given.base_url, api_key="none", max_retries=0, timeout=600)
    for part in given.part or PARTS:
        found = PARTS[part](client, given, lambda line: print(line, flush=True))
        print(json.dumps({part: found}, indent=2), flush=True)
        if given.save:
            save(given.save, {"about": given.about, part: found})


def save(model: str, found: dict[str, Any]) -> None:
    """Keep the figures of a model; those of parts that were not run stay."""
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else {}
    kept[model] = kept.get(model, {}) | {name: value for name, value in found.items() if value}
    RESULTS.write_text(json.dumps(kept, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
