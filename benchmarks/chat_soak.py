"""Ten thousand turns in one run: the memory stays where it was, and the time per turn too.

    python -m benchmarks.chat_soak [turns]

A server on loopback answers every request with a call; the history is shortened as it grows.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

from openai import OpenAI

from zkit.chat import ChatLoop
from zkit.grade import PURE
from zkit.tools import tool

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from benchmarks.scripted_server import Answer, ScriptedServer, call, says


def main(turns: int) -> None:
    """Run the turns and print a line for each tenth of them."""
    counted = 0
    began = time.perf_counter()

    def answer(request: dict[str, Any]) -> Answer:
        nonlocal counted
        counted += 1
        server.requests.clear()
        if counted % max(1, turns // 10) == 0:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            each = round(1000 * (time.perf_counter() - began) / counted, 2)
            line = {"turns": counted, "peak_mb": peak // 1024, "ms_per_turn": each}
            print(json.dumps(line))
        made = says(None, [call("double", f"{{'n': {counted},}}", f"c{counted}")])
        assert callable(made)
        return made(request)

    @tool(grade=PURE, cacheable=False)
    def double(n: int) -> int:
        """Double a number."""
        return 2 * n

    with ScriptedServer(then=answer) as server:
        client = OpenAI(base_url=server.url, api_key="none", max_retries=0)
        loop = ChatLoop(
            client,
            "m",
            [double],
            max_turns=turns,
            max_calls=turns,
            context=300,
            fit="all",
            compact=lambda messages: [messages[0], *messages[-6:]],
        )
        result = loop.run_sync("Double every number.")
        client.close()
    print(json.dumps({"reason": result.reason, "turns_kept": len(result.turns)}))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
