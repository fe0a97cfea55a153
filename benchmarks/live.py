"""Twenty tasks with five plain functions on a live server: zkit, and each framework bare and with zkit.

    python -m benchmarks.live --base-url http://127.0.0.1:8080/v1 --model NAME --about "..." [--save]

Not part of any automatic run: it needs a model. Every framework that is installed is asked in the same
run. `right` is the right function with the right arguments, `answered` an answer that holds what
the function returned, `others` functions that ran besides, `requests` all requests to the server.
"""

from __future__ import annotations

import argparse
import http.client
import json
import logging
import sys
import threading
import time
import tomllib
import warnings
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from benchmarks.live_agents import AGENTS, RAN, Ask
from benchmarks.recovery_page import table

HERE = Path(__file__).parent
RESULTS = HERE / "results"
LIMIT = 180.0
"""Seconds that a request may take; a 1.5B model on one core needs up to a minute."""


class Task(NamedTuple):
    """One question, and what should come of it."""

    ask: str
    call: str
    arguments: dict[str, Any]
    answer: str


class Done(NamedTuple):
    """The outcome of one question."""

    right: bool
    answered: bool
    others: int
    requests: int
    note: str


def tasks() -> list[Task]:
    """Return the questions."""
    rows = tomllib.loads((HERE / "live_tasks.toml").read_text("utf-8"))["task"]
    return [Task(**row) for row in rows]


class Counter(ThreadingHTTPServer):
    """Passes requests on to the server and counts them; temperature 0 and a short limit are added."""

    daemon_threads = True

    def __init__(self, upstream: str) -> None:
        super().__init__(("127.0.0.1", 0), _Pass)
        self.upstream, self.count = urlsplit(upstream), 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}{self.upstream.path}"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no event."""


class _Pass(BaseHTTPRequestHandler):
    server: Counter
    protocol_version = "HTTP/1.0"

    def do_POST(self) -> None:
        self.server.count += 1
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        body = {**body, "temperature": 0, "max_tokens": 200}
        upstream = self.server.upstream
        link = http.client.HTTPConnection(upstream.hostname or "", upstream.port, timeout=LIMIT)
        link.request("POST", self.path, json.dumps(body), {"Content-Type": "application/json"})
        reply = link.getresponse()
        self.send_response(reply.status)
        self.send_header("Content-Type", reply.getheader("Content-Type") or "application/json")
        self.end_headers()
        while block := reply.read1():
            self.wfile.write(block)
            self.wfile.flush()
        link.close()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def attempt(ask: Ask, task: Task, counter: Counter, model: str) -> Done:
    """Ask one question and judge what ran and what was answered."""
    RAN.clear()
    before = counter.count
    try:
        answer, note = ask(task.ask, counter.url, model), ""
    except Exception as error:  # whatever a framework makes of a reply
        answer, note = "", f"{type(error).__name__}: {error}"[:120]
    right = [(name, given) for name, given in RAN if name == task.call and same(given, task)]
    others = len(RAN) - len(right)
    said = bool(right) and task.answer.casefold() in str(answer).casefold() and "{" not in answer
    return Done(bool(right), said, others, counter.count - before, note or str(answer)[:120])


def same(given: dict[str, Any], task: Task) -> bool:
    """True if the arguments are those that were asked for, texts without regard to case."""

    def plain(value: Any) -> Any:
        return value.casefold() if isinstance(value, str) else value

    wanted = {n: v if isinstance(v, list) else [v] for n, v in task.arguments.items()}
    return given.keys() == wanted.keys() and all(
        plain(value) in map(plain, wanted[name]) for name, value in given.items()
    )


def main() -> None:
    """Ask everything, print the table, and keep it with `--save`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument(
        "--about", default="", help="the model, its weights and the server, for the page"
    )
    parser.add_argument("--only", action="append", help="a framework; may be repeated")
    parser.add_argument("--tasks", type=int, default=100, help="only the first so many tasks")
    parser.add_argument("--save", action="store_true")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    counter = Counter(options.base_url)
    asked = tasks()[: options.tasks]
    rows, kept = [], {}
    for name, (module, ask) in AGENTS.items():
        if find_spec(module) is None or (options.only and name not in options.only):
            continue
        started = time.monotonic()
        done = [attempt(ask, task, counter, options.model) for task in asked]
        kept[name] = [one._asdict() for one in done]
        rows.append([
            name, f"{sum(one.right for one in done)} of {len(done)}",
            f"{sum(one.answered for one in done)} of {len(done)}",
            str(sum(one.others for one in done)), str(sum(one.requests for one in done)),
        ])  # fmt: skip
        print(rows[-1], f"{time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        if options.save:
            save(options.about, rows, kept)
    print(page(rows))


def page(rows: list[list[str]]) -> str:
    """Return the table."""
    return table(["", "right function ran", "answered", "others that ran", "requests"], rows)


def save(about: str, rows: list[list[str]], kept: dict[str, Any]) -> None:
    """Keep what was found so far."""
    head = f"# Twenty tasks on a live model\n\n`python -m benchmarks.live`. {about}\n\n"
    (RESULTS / "live.md").write_text(head + page(rows), "utf-8")
    found = {"about": about, "rows": rows, "done": kept}
    (RESULTS / "live.json").write_text(
        json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )


if __name__ == "__main__":
    main()
