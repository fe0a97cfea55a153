"""What to do about an exception of a client: wait, ask differently, or give up; and what it means."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Remedy = Literal["retry", "correct", "text_mode", "compact", "give_up"]
RATE_LIMIT_DELAY = 5.0
LONGEST_DELAY = 120.0
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
# Messages of servers when the problem is their model, their template or the length, not the
# request: llama.cpp and Ollama answer 500 when they cannot read what their model wrote; Ollama says
# that a model "does not support tools", vLLM that "auto" tool choice requires an option.
_BY_WORDS: tuple[tuple[Remedy, tuple[str, ...]], ...] = (
    (
        "correct",
        (
            "failed to parse tool call",
            "error parsing tool call",
            "tool call arguments as json",
            "failed to parse input at pos",
        ),
    ),
    (
        "text_mode",
        (
            "does not support tools",
            "does not support function",
            "tools is not supported",
            "tools are not supported",
            "tool use is not supported",
            "tool choice requires",
        ),
    ),
    (
        "compact",
        ("context length", "context_length", "context size", "maximum context", "too many tokens"),
    ),
)


@dataclass(frozen=True, slots=True)
class Trouble:
    """What to do about a failure; `delay` is the server's own, if it gave one."""

    remedy: Remedy
    reason: str
    delay: float | None = None


def trouble_of(error: BaseException) -> Trouble:
    """Classify an exception of a client by its attributes: no client's classes are needed."""
    status = getattr(error, "status_code", None)
    reason, lowered, delay = _short(error), str(error).casefold(), _server_delay(error)
    if status == 429:  # its message may be about tokens per minute
        has_money = "insufficient_quota" not in (getattr(error, "code", ""), *lowered.split())
        waits = RATE_LIMIT_DELAY if delay is None else delay
        return Trouble("retry" if has_money else "give_up", reason, waits)
    for remedy, words in _BY_WORDS:
        if any(word in lowered for word in words):
            return Trouble(remedy, reason)
    passes = _is_of_the_wire(error) if status is None else status in _RETRIED
    return Trouble("retry" if passes else "give_up", reason, delay)


def needs_text_mode(lowered: str) -> bool:
    """True if a server says that its model has no tools."""
    words = dict(_BY_WORDS)["text_mode"]
    return any(word in lowered.casefold() for word in words)


def explain(error: BaseException) -> None:
    """Add the address and advice to the message of an exception.

    Clients only say "Connection error.". The exception keeps its type, for those who catch it.
    """
    names = {kind.__name__ for kind in type(error).__mro__}
    address = _address(error)
    status = getattr(error, "status_code", None)
    is_404_elsewhere = status == 404 and bool(address) and "/v1" not in address
    if "APITimeoutError" in names or not ("APIConnectionError" in names or is_404_elsewhere):
        return
    lowered = str(error).rstrip(".") if is_404_elsewhere else _reason(error)
    where = f"at {address}" if address else "at the address of the client"
    message = (
        f"no answer from a model server {where} ({lowered}). Is the server running, and does the URL"
        " end in /v1?"
    )
    error.args = (message,)
    if hasattr(error, "message"):
        error.message = message


def _address(error: BaseException) -> str:
    """Return the base URL that a request went to; empty if the exception does not know it."""
    try:
        url = str(getattr(getattr(error, "request", None), "url", "") or "")
    except Exception:  # httpx raises if an exception was made without its request
        return ""
    return url.removesuffix("/chat/completions").removesuffix("/models")


def _reason(error: BaseException) -> str:
    """Return the message of the underlying exception: "Connection refused", "Name or service not
    known"."""
    found: BaseException = error
    while found.__cause__ is not None and found.__cause__ is not found:
        found = found.__cause__
    text = " ".join(str(found).split()).rstrip(".")
    return text[:200] or type(found).__name__


def _is_of_the_wire(error: BaseException) -> bool:
    """True if the connection failed, or what came over it was not readable."""
    names = {kind.__name__ for kind in type(error).__mro__}
    known = {"APIConnectionError", "APIResponseValidationError", "TransportError", "APIError"}
    return isinstance(error, OSError | TimeoutError | ValueError) or bool(names & known)


def _short(error: BaseException) -> str:
    text = " ".join(f"{type(error).__name__}: {error}".split())
    return text if len(text) <= 300 else f"{text[:299]}…"


def _server_delay(error: BaseException) -> float | None:
    """Return how long the server asks to wait."""
    headers: object = getattr(getattr(error, "response", None), "headers", None)
    if not isinstance(headers, Mapping):
        return None
    for name, scale in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        seconds = _seconds(headers.get(name))
        if seconds is not None:
            return min(max(seconds * scale, 0.0), LONGEST_DELAY)
    return None


def _seconds(value: object) -> float | None:
    """Return a header's seconds, or its date as seconds from now."""
    if not isinstance(value, str):
        return None
    try:
        return float(value)
    except ValueError:
        pass
    try:
        from email.utils import parsedate_to_datetime  # seldom needed

        return parsedate_to_datetime(value).timestamp() - time.time()
    except (ValueError, TypeError):
        return None
