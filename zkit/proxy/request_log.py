"""The requests that a proxy has handled, for its page: a bounded number, in memory or in SQLite.

Only bodies are kept, never headers; what looks like a key in a body is masked before it is kept.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import time
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import anyio

from zkit.chat.assembler import Reply
from zkit.chat.call_checker import RefusedCall, Report
from zkit.chat.wire_data import entries, text_of
from zkit.errors import StoreError
from zkit.extract import Doubtful
from zkit.masking import masked, secrets_in
from zkit.private_files import make_private
from zkit.receipt import Fix, Rank

log = logging.getLogger("zkit")
Outcome = Literal["running", "ok", "repaired", "asked_again", "refused", "failed", "cancelled"]
View = dict[str, Any]
MAX_TEXT = 64_000
"""The most characters of one text on the page; longer ones are cut there."""
MAX_REQUEST = 128_000
"""The longest request that is kept, so that it can be sent again with curl."""
_SHOWN = frozenset(("e-mail address", "home folder", "phone number"))
"""Kinds that are masked in cases of the corpus, but shown to users on the page."""


@dataclass(slots=True)
class Record:
    """One request. The views are its texts, as the page shows them."""

    id: str
    endpoint: str
    model: str
    upstream: str
    is_stream: bool = False
    started: float = field(default_factory=time.time)
    begun: float = field(default_factory=time.perf_counter)
    outcome: Outcome = "running"
    status: int = 0
    seconds: float | None = None
    first_byte: float | None = None
    error: str = ""
    request: str = ""
    tools: list[View] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    sent: list[View] = field(default_factory=list)
    received: View = field(default_factory=dict)
    report: View = field(default_factory=dict)
    usage: View = field(default_factory=dict)
    version: int = 0

    def note_first_byte(self) -> None:
        """Note that the first byte of the reply has arrived."""
        if self.first_byte is None:
            self.first_byte = time.perf_counter() - self.begun

    def summary(self) -> View:
        """Return the record as a row of the list."""
        fixes = [fix for call in self.report.get("calls", ()) for fix in call["fixes"]]
        named = [*self.report.get("calls", ()), *self.report.get("refusals", ())]
        return {
            **{name: getattr(self, name) for name in _SUMMARY},
            "called": list(dict.fromkeys(one["name"] for one in named)),
            "fixes": [{"name": fix["name"], "rank": fix["rank"]} for fix in fixes],
            "refused": len(self.report.get("refusals", ())),
            "doubtful": len(self.report.get("doubtful", ())),
            "requests": self.report.get("requests", 1),
        }

    def detail(self) -> View:
        """Everything about the request."""
        return {**self.summary(), **{name: getattr(self, name) for name in _DETAIL}}

    @classmethod
    def of(cls, detail: View) -> Record:
        """Return the record of what was kept."""
        known = {name: detail[name] for name in (*_SUMMARY, *_DETAIL) if name in detail}
        return cls(**known)


_SUMMARY = (
    "id", "endpoint", "model", "upstream", "is_stream", "started", "outcome", "status", "seconds",
    "first_byte", "error", "usage", "version",
)  # fmt: skip
_DETAIL = ("request", "tools", "notes", "sent", "received", "report")


class RequestLog:
    """The latest requests, the oldest first; `changed` wakes those who watch."""

    def __init__(self, most: int, file: Path | None = None) -> None:
        self._most = most
        self._file = file
        self._records: OrderedDict[str, Record] = OrderedDict()
        self._changed = anyio.Event()
        self.version = 0
        if file is not None:
            self._open(file)

    def __iter__(self) -> Iterator[Record]:
        return iter(list(self._records.values()))

    def get(self, id: str) -> Record | None:
        """Return the record of that id; None if it is not kept."""
        return self._records.get(id)

    def since(self, version: int) -> list[Record]:
        """Return the records that are new or have changed."""
        return [one for one in self._records.values() if one.version > version]

    def touch(self, record: Record) -> None:
        """Note that a record is new or has changed."""
        self.version += 1
        record.version = self.version
        self._records[record.id] = record
        while len(self._records) > self._most:
            self._records.popitem(last=False)
        self._changed.set()
        self._changed = anyio.Event()

    def finish(self, record: Record, keys: tuple[str, ...] = ()) -> None:
        """Note that the request has ended: mask the keys in it, and keep it."""
        for name in ("request", "error", "tools", "notes", "sent", "received", "report"):
            setattr(record, name, _masked(getattr(record, name), keys))
        record.seconds = time.perf_counter() - record.begun
        self.touch(record)
        if self._file is not None:
            try:
                self._write(self._file, record)
            except StoreError as error:  # a full disk: the request itself has its answer
                log.warning("a request is not kept: %s", error)

    def clear(self) -> None:
        """Forget all requests that have ended."""
        for id in [one.id for one in self if one.outcome != "running"]:
            del self._records[id]
        if self._file is not None:
            with _opened(self._file) as file:
                file.execute("DELETE FROM requests")
        self.version += 1
        self._changed.set()
        self._changed = anyio.Event()

    async def wait(self, seconds: float) -> None:
        """Wait for a change, at most for some seconds."""
        with anyio.move_on_after(seconds):
            await self._changed.wait()

    def _open(self, path: Path) -> None:
        with _opened(path) as file:
            file.execute("PRAGMA journal_mode=WAL")
            file.execute(
                "CREATE TABLE IF NOT EXISTS requests (id TEXT PRIMARY KEY, started REAL, data TEXT)"
            )
            rows = file.execute(
                "SELECT data FROM requests ORDER BY started DESC LIMIT ?", (self._most,)
            ).fetchall()
        for (data,) in reversed(rows):
            try:
                self.touch(Record.of(json.loads(data)))
            except (TypeError, ValueError, AttributeError, RecursionError) as error:
                raise StoreError(f"{path}: holds what is not a request: {error}") from error

    def _write(self, path: Path, record: Record) -> None:
        data = json.dumps(record.detail(), default=str)
        with _opened(path) as file:
            file.execute("PRAGMA synchronous=OFF")
            file.execute(
                "INSERT OR REPLACE INTO requests VALUES (?, ?, ?)",
                (record.id, record.started, data),
            )
            file.execute(
                "DELETE FROM requests WHERE id NOT IN"
                " (SELECT id FROM requests ORDER BY started DESC LIMIT ?)",
                (self._most,),
            )


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Connect for one transaction."""
    try:
        make_private(path)
        with closing(sqlite3.connect(path)) as file, file:
            yield file
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"{path}: no file of requests: {error}") from error


# ── views ────────────────────────────────────────────────────────────────────


def view_of(reply: Reply) -> View:
    """Return a reply as the page shows it."""
    calls = [
        {"id": one.id, "name": one.name, "arguments": _short(one.arguments)} for one in reply.calls
    ]
    return {
        "content": _short(reply.content),
        "reasoning": _short(reply.reasoning),
        "calls": calls,
        "finish_reason": reply.finish_reason,
    }


def view_of_response(response: View) -> View:
    """Return a response of `/responses` as the page shows it."""
    items = list(entries(response.get("output")))
    texts = [
        text_of(part.get("text"))
        for item in items
        for part in entries(item.get("content"))
        if item.get("type") == "message"
    ]
    calls = [
        {
            "id": text_of(one.get("call_id")),
            "name": text_of(one.get("name")),
            "arguments": _short(text_of(one.get("arguments"))),
        }
        for one in items
        if one.get("type") == "function_call"
    ]
    content = _short("".join(texts))
    return {
        "content": content,
        "reasoning": "",
        "calls": calls,
        "finish_reason": response.get("status"),
    }


def view_of_report(report: Report) -> View:
    """Return a report as the page shows it."""
    return {
        "calls": [
            {
                "id": call.id, "name": call.name, "origin": call.origin, "tier": call.tier,
                "rank": call.rank.name, "span": call.span,
                "arguments": _short(json.dumps(call.arguments, ensure_ascii=False, default=str)),
                "fixes": [_fix(fix) for fix in call.fixes],
            }
            for call in report.calls
        ],
        "refusals": [_refused(one) for one in report.refusals],
        "doubtful": [_refused(one) for one in report.doubtful],
        "answered": [_refused(one) for one in report.answered],
        "requests": report.requests,
    }  # fmt: skip


def outcome_of(report: Report) -> Outcome:
    """Return the outcome of a delivered reply."""
    if not report.is_clean:
        return "refused"
    if report.requests > 1:
        return "asked_again"
    is_changed = any(call.fixes or call.tier != "native" for call in report.calls)
    return "repaired" if is_changed else "ok"


def _fix(fix: Fix) -> View:
    return {
        "name": fix.name, "rank": Rank(fix.rank).name, "start": fix.start, "end": fix.end,
        "new": _short(fix.new), "note": fix.note, "path": fix.path,
    }  # fmt: skip


def _refused(one: RefusedCall | Doubtful) -> View:
    if isinstance(one, RefusedCall):
        own = {"id": one.id, "code": one.code, "text": _short(one.text), "name": one.name}
        return {**own, "message": _short(one.message)}
    text = json.dumps(one.call.arguments, ensure_ascii=False, default=str)
    own = {"id": one.call.id, "code": one.reason, "text": _short(text), "name": one.call.name}
    return {**own, "message": _short(one.message)}


def _short(text: str) -> str:
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}…"


def _masked(value: Any, keys: tuple[str, ...]) -> Any:
    """Return the value with every key in its texts masked, each text as long as before."""
    if isinstance(value, str):
        return _without_keys(value, keys)
    if isinstance(value, list):
        return [_masked(one, keys) for one in value]
    if isinstance(value, dict):
        return {name: _masked(one, keys) for name, one in value.items()}
    return value


def _without_keys(text: str, keys: tuple[str, ...]) -> str:
    for key in keys:
        if len(key) >= 4:
            text = text.replace(key, "•" * len(key))
    if len(text) < 16:
        return text  # too short for any key
    pieces, at = [], 0
    for secret in secrets_in(text):
        if secret.kind not in _SHOWN:
            pieces += [text[at : secret.start], masked(text[secret.start : secret.end])]
            at = secret.end
    return "".join([*pieces, text[at:]])
