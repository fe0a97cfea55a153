"""One bad first turn, then good ones: what each framework makes of it, against one scripted server.

    python -m benchmarks.endtoend [--proxy] [framework ...]

Every framework runs its own hello world with the same two tools, in an environment of its own.
With `--proxy`, `zkit proxy` stands between the framework and the server; `openai`
is a loop on the client alone. Measured: requests to the model (2 is perfect), whether the answer is right, wrong calls that ran.
Writes `results/endtoend.md` and `results/endtoend.json`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.endtoend_page import page
from benchmarks.endtoend_rivals import PACKAGES, PLAIN, WRAPPED, Worker, version_of, worker
from benchmarks.endtoend_turns import TURNS, Turn
from zkit.testing import ScriptedServer

RESULTS = Path(__file__).parent / "results"


def verdict_of(turn: Turn, told: dict[str, Any]) -> str:
    """The outcome of a turn: `right`, or how it went wrong, the worst first."""
    received = [(name, given) for name, given in told["received"]]
    if any(call not in turn.meant for call in received):
        return "wrong call"
    if told.get("error"):
        return str(told["error"])
    answer = str(told.get("answer") or "").strip()
    if not answer or answer == "None":
        return "empty answer"
    if answer != turn.answer and not _is_same_without_thoughts(turn, answer):
        return "raw text" if not received and turn.meant else "wrong answer"
    return "right" if all(call in received for call in turn.meant) else "call lost"


def _is_same_without_thoughts(turn: Turn, answer: str) -> bool:
    """An answer may leave out the model's reasoning."""
    return "</think>" in turn.answer and answer == turn.answer.partition("</think>")[2].strip()


def measured(
    server: ScriptedServer, running: Worker, turn: Turn, url: str | None = None
) -> dict[str, Any]:
    """Play one turn to one framework, which is sent to the server or to another address."""
    server.play(*[turn.server()] * 20)
    told = running.ask(url or server.url, turn.streams)
    made: dict[str, Any] = {"verdict": verdict_of(turn, told), "requests": len(server.requests)}
    if made["verdict"] == "wrong call":
        made["ran"] = [call for call in told["received"] if tuple(call) not in turn.meant]
    return made


@contextmanager
def front_of(server: ScriptedServer, proxy: bool) -> Iterator[str]:
    """The address that frameworks are given: of the server, or of a proxy before it."""
    if not proxy:
        yield server.url
        return
    from benchmarks.proxy import running
    from zkit.proxy import ProxySettings, Upstream
    from zkit.proxy.proxy_app import make_server

    settings = ProxySettings(upstreams=(Upstream(server.url),), port=0)
    with running(make_server(settings)) as url:
        yield url


def measure(names: Sequence[str], *, proxy: bool = False) -> dict[str, Any]:
    """Play every turn to every framework that can be installed."""
    cells: dict[str, dict[str, Any]] = {turn.name: {} for turn in TURNS}
    found = []
    with ScriptedServer() as server, front_of(server, proxy) as url:
        for name in names:
            with worker(name) as running:
                if running is None:
                    print(f"{name}: left out, it cannot be installed here", flush=True)
                    continue
                for turn in TURNS:
                    cells[turn.name][name] = measured(server, running, turn, url)
            found.append(name)
            right = sum(cells[turn.name][name]["verdict"] == "right" for turn in TURNS)
            print(f"{name}: {right} of {len(TURNS)} right", flush=True)
    return {
        "frameworks": {name: version_of(name) for name in found},
        "turns": [
            {"name": t.name, "group": t.group, "does": t.spoilt.does if t.spoilt else "", **cells[t.name]}
            for t in TURNS
        ],
    }  # fmt: skip


def main() -> None:
    """Measure, and write the results; those of some frameworks alone are only printed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.endtoend", description=__doc__)
    every = [*PACKAGES, *WRAPPED]
    parser.add_argument("--proxy", action="store_true", help="send requests through zkit proxy")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of {', '.join([*every, PLAIN])}"
    )
    given = parser.parse_args()
    names = given.names
    unknown = [name for name in names if name not in (*every, PLAIN)]
    if unknown:
        parser.error(f"no framework is called {unknown[0]!r}; one of {', '.join(every)}")
    found = measure(names or every, proxy=given.proxy)
    if names or given.proxy:
        print(page(found))
        return
    (RESULTS / "endtoend.json").write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    (RESULTS / "endtoend.md").write_text(page(found))


if __name__ == "__main__":
    main()
