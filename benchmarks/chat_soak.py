"""Ten thousand turns in one run: the memory stays where it was, and the time per turn too.

    python -m benchmarks.chat_soak [turns]

A server on loopback answers every request with a call that must be repaired; the history is
shortened as it grows. A whole run writes `results/chat_soak.md`.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from openai import OpenAI

from benchmarks.recovery_page import table
from zkit.chat import ChatLoop, RunFinished, RunResult
from zkit.grade import PURE
from zkit.testing import Answer, Request, ScriptedServer, call, says
from zkit.tools import tool

RESULTS = Path(__file__).parent / "results"
TURNS = 10_000
_ENDS = ("turn_started", "run_finished")  # where a turn is over


class Mark(NamedTuple):
    """The state after some turns: the peak of memory, and the time of the last tenth."""

    turns: int
    peak_mb: float
    cpu_ms_per_turn: float


@tool(grade=PURE, cacheable=False)
def double(n: int) -> int:
    """Double a number."""
    return 2 * n


class Soak:
    """A run of many turns, looked at ten times on its way."""

    def __init__(self, turns: int) -> None:
        self.turns = turns
        self.asked = 0
        self.result: RunResult | None = None

    def answer(self, request: Request) -> Answer:
        """The next call, in Python's spelling and with a comma too many."""
        self.asked += 1
        self.server.requests.clear()
        return says(None, [call("double", f"{{'n': {self.asked},}}", f"c{self.asked}")])(request)

    def marks(self) -> Iterator[Mark]:
        """Run, and tell how things stand."""
        each = max(1, self.turns // 10)
        with (
            ScriptedServer(then=self.answer) as self.server,
            OpenAI(base_url=self.server.url, api_key="none", max_retries=0) as client,
        ):
            loop = ChatLoop(
                client, "m", [double], max_turns=self.turns, max_calls=self.turns, context=300, fit="all",
                compact=lambda messages: [messages[0], *messages[-6:]],
            )  # fmt: skip
            began = time.process_time()
            for event in loop.stream_sync("Double every number."):
                if isinstance(event, RunFinished):
                    self.result = event.result
                if event.kind in _ENDS and self.asked and self.asked % each == 0:
                    now = time.process_time()
                    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
                    yield Mark(self.asked, round(peak, 1), round(1000 * (now - began) / each, 2))
                    began = now


def page(soak: Soak, marks: list[Mark]) -> str:
    """The marks as Markdown."""
    result = soak.result
    assert result is not None
    grown = marks[-1].peak_mb - marks[0].peak_mb
    rows = [[f"{one.turns:,}", f"{one.peak_mb:.1f}", f"{one.cpu_ms_per_turn:.2f}"] for one in marks]
    return "\n".join(
        [
            "# Many turns in one run\n",
            f"{soak.asked:,} streamed turns, each with a call that had to be repaired, over HTTP, client and server"
            f" in one process. From the first tenth to the last the peak of memory grew by {grown:.1f} MB. The run"
            f" ended with `{result.reason}`; {len(result.messages)} messages and {len(result.turns)} turns were kept.\n",
            "    python -m benchmarks.chat_soak\n",
            table(["turns", "peak of memory, MB", "CPU ms for each turn since"], rows),
        ]
    )


def main() -> None:
    """Run the turns; print how things stand, and write the page of a whole run."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.chat_soak", description=__doc__)
    parser.add_argument("turns", nargs="?", type=int, default=TURNS, help="only so many turns")
    turns = parser.parse_args().turns
    soak, marks = Soak(turns), []
    for mark in soak.marks():
        print(mark, flush=True)
        marks.append(mark)
    text = page(soak, marks)
    if turns == TURNS:
        (RESULTS / "chat_soak.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
