"""The recorded completions of the corpus in; what real models wrote when they were asked, out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from zkit.cases.files import shipped_corpus


@dataclass(frozen=True, slots=True)
class Recorded:
    """One completion: who wrote it, how it was prompted, what it was asked, and what it wrote.

    `expected` is the tool that the request asks for.
    """

    model: str
    style: str
    prompt: str
    expected: str
    temperature: float
    max_tokens: int
    finish_reason: str
    raw: str


@dataclass(frozen=True, slots=True)
class Recordings:
    """The completions, and the tools that were offered to the models, as OpenAI writes them."""

    tools: list[dict[str, Any]]
    completions: tuple[Recorded, ...]


def recordings() -> Recordings:
    """Read `wild/recorded.json` of the corpus."""
    found = json.loads((shipped_corpus() / "wild" / "recorded.json").read_text("utf-8"))
    return Recordings(found["tools"], tuple(Recorded(**one) for one in found["completions"]))
