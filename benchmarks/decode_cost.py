"""Measures the time of zkit's decode as a multiple of `model_validate_json` on the undamaged arguments."""

from __future__ import annotations

import gc
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from statistics import median
from time import process_time
from typing import Any

from rich.progress import track

from benchmarks.decode_cases import READABLE, generated
from benchmarks.decode_kinds import TEXT, ways
from benchmarks.decode_probes import Probe
from benchmarks.decode_tools import TOOLS
from benchmarks.kinds import code_text
from zkit.arguments import decode

ROUNDS = 15
WARM_UP = 20


def cost_rows(seed: int, cases: int) -> Iterator[dict[str, Any]]:
    """For each class of slip the median ratio, and what strict validation takes."""
    groups: defaultdict[str, list[Probe]] = defaultdict(list)
    for probe in (*generated(READABLE, seed, cases), *long_ones(seed, cases)):
        groups[probe.group].append(probe)
    for group, probes in track(groups.items(), "cost", total=len(groups)):
        times = [_times(probe) for probe in probes]
        ratios = sorted(ours / strict for ours, strict in times)
        yield {
            "class": group,
            "strict_us": 1e6 * median(strict for _, strict in times),
            "zkit / strict": median(ratios),
            "worst": ratios[-1],
        }


def kind_rows() -> Iterator[dict[str, Any]]:
    """For each way to declare a tool the ratio for valid arguments, beside its own plain validator."""
    for name, declared, plain in ways():
        ours, strict = median_times(partial(decode, declared, TEXT), partial(plain, TEXT))
        ratio = ours / strict
        row = {"strict_us": 1e6 * strict, "zkit / strict": ratio, "worst": ratio}
        yield {"class": f"valid, {name}", **row}


def long_ones(seed: int, cases: int) -> Iterator[Probe]:
    """Valid arguments with long texts, as a model writes a file."""
    rng = Random(seed)
    for size in (2_000, 20_000):
        for _ in range(cases):
            content = ""
            while len(content) < size:
                content += code_text(rng)
            truth = {"path": "src/main.py", "content": content}
            yield Probe(f"valid, {size:,} characters", "WriteFile", json.dumps(truth), truth)


def _times(probe: Probe) -> tuple[float, float]:
    """zkit on what was sent, and strict validation of what was meant."""
    model = TOOLS[probe.tool]
    meant = probe.text if probe.group.startswith("valid") else json.dumps(probe.truth)
    sent = partial(decode, model, probe.text)
    if probe.finish_reason:
        sent = partial(sent, finish_reason=probe.finish_reason)
    ours, strict = median_times(sent, partial(model.model_validate_json, meant))
    return ours, strict


def median_times(*calls: Callable[[], object]) -> list[float]:
    """The median CPU time of one call of each, in turns, so that noise meets all alike."""
    gc.collect()
    gc.disable()
    try:
        for call in calls:  # the first calls compile a validator, or look an attribute up
            _timed(call, WARM_UP)
        numbers = [max(1, int(0.001 * WARM_UP / _timed(call, WARM_UP))) for call in calls]
        rounds = [
            [_timed(call, number) / number for call, number in zip(calls, numbers, strict=True)]
            for _ in range(ROUNDS)
        ]
        return [median(times) for times in zip(*rounds, strict=True)]
    finally:
        gc.enable()


def _timed(call: Callable[[], object], number: int) -> float:
    start = process_time()
    for _ in range(number):
        call()
    return process_time() - start
