"""What the repair on the wire costs: CPU time next to the bare client of openai, on loopback.

    python -m benchmarks.transport [--json]

Each figure is the least of 100 short rounds, taken in turns: short ones, so that some of them are
not disturbed by other processes. The server runs in another process.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from openai import OpenAI

from zkit import transport, wrap
from zkit.testing import ScriptedServer, call, says

TEXT = "The weather in Oslo is fine today: dry, with a light wind from the west. " * 20
TOOLS: Any = [
    {
        "type": "function",
        "function": {
            "name": f"get_{name}",
            "description": f"The {name} of a city.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
                "required": ["city"],
            },
        },
    }
    for name in ("weather", "time", "news", "traffic", "history")
]
REQUEST: Any = {"model": "m", "messages": [{"role": "user", "content": "Oslo?"}], "tools": TOOLS}
RESULTS = Path(__file__).parent / "results" / "transport.json"
ANSWERS = {
    "text": says(TEXT, step=4),
    "call": says(None, [call("get_weather", '{"city": "Oslo"}', "a")], step=4),
    "call in the text": says(
        'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
    ),
}


def _serve(name: str, pipe: Any) -> None:
    with ScriptedServer(then=ANSWERS[name]) as server:
        pipe.send(server.url)
        pipe.recv()


class Server:
    """The scripted server in a process of its own, so that its time is not counted."""

    def __init__(self, name: str) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(name, other), daemon=True)
        self._process.start()
        self.url = self._pipe.recv()

    def close(self) -> None:
        """End the process."""
        self._pipe.send(None)
        self._process.join()


def clients(url: str) -> dict[str, Any]:
    """The bare client, the one with our transport, and the wrapped one."""
    own = {"base_url": url, "api_key": "none", "max_retries": 0}
    return {
        "bare": OpenAI(**own),  # type: ignore[arg-type]
        "transport": OpenAI(http_client=transport.client(), **own),  # type: ignore[arg-type]
        "wrap": wrap(OpenAI(**own)),  # type: ignore[arg-type]
    }


def whole(client: Any) -> int:
    """One whole completion."""
    client.chat.completions.create(**REQUEST)
    return 1


def streamed(client: Any) -> int:
    """One streamed completion; the number of its chunks."""
    return sum(1 for _ in client.chat.completions.create(**REQUEST, stream=True))


def least(work: Callable[[Any], int], found: dict[str, Any], times: int, rounds: int) -> Any:
    """Microseconds of CPU for one unit of work, by client: the least of several rounds."""
    best = dict.fromkeys(found, float("inf"))
    for _ in range(rounds):
        for name, client in found.items():
            units = work(client)
            start = time.process_time()
            for _ in range(times):
                work(client)
            best[name] = min(best[name], (time.process_time() - start) / times / units * 1e6)
    return best


def measured(times: int = 4, rounds: int = 100) -> dict[str, Any]:
    """All figures, in microseconds of CPU."""
    figures: dict[str, Any] = {}
    for name in ANSWERS:
        server = Server(name)
        found = clients(server.url)
        try:
            figures[f"{name}, whole"] = least(whole, found, times, rounds)
            # A streamed call comes out as one chunk: only the stream as a whole can be compared.
            if name == "text":
                figures["text, per chunk"] = least(streamed, found, 1, rounds)
        finally:
            for client in found.values():
                client.close()
            server.close()
    return figures


def main() -> None:
    """Print the table; with `--json`, keep it beside the other results."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true")
    given = options.parse_args()
    figures = measured()
    print(f"{'µs of CPU':24}{'bare':>10}{'transport':>12}{'wrap':>10}   more: transport, wrap")
    for name, row in figures.items():
        more = [row[kind] - row["bare"] for kind in ("transport", "wrap")]
        shown = "   ".join(f"{one:+.1f} ({100 * one / row['bare']:+.1f} %)" for one in more)
        print(f"{name:24}{row['bare']:10.1f}{row['transport']:12.1f}{row['wrap']:10.1f}   {shown}")
    if given.json:
        RESULTS.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
