"""Generates tool-call arguments with their JSON Schema: what a model meant to send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from benchmarks import text_material as words
from benchmarks.code_material import CODE
from benchmarks.kinds import (
    FLAG,
    Kind,
    any_text,
    code_text,
    decimal,
    enum,
    list_of,
    map_of,
    nullable,
    pick,
    record,
    text,
    whole,
)

CODE_TEXT = text(code_text)
ANY_TEXT = text(any_text)
PROSE = text(lambda rng: pick(rng, words.PROSE, words.PROSE, words.SCRIPTS))
SHORT = text(lambda rng: pick(rng, words.SHORT, words.SHORT, words.SCRIPTS))
WORD = text(lambda rng: rng.choice(words.WORDS))
PATH = text(lambda rng: pick(rng, words.WINDOWS, words.POSIX))
URL = text(lambda rng: pick(rng, words.URLS))
MAIL = text(lambda rng: pick(rng, words.MAILS))
PLACE = text(lambda rng: rng.choice(words.PLACES))
GLOB = text(lambda rng: rng.choice(words.GLOBS))
CLOCK = text(
    lambda rng: f"2025-0{rng.randint(1, 9)}-1{rng.randint(0, 9)}T{rng.randint(10, 23)}:30:00Z"
)


def code(*languages: str) -> Kind:
    """Source text of the named languages."""
    return text(lambda rng: pick(rng, *(CODE[language] for language in languages)))


HEADERS = ("Content-Type", "X-Trace-Id", "Accept", "If-None-Match")
COLUMNS = ("id", "first name", "größe", "last_seen", "2nd", "notes/raw")

POINT = record({"lat": decimal(-90, 90), "lon": decimal(-180, 180)})
STEP = record(
    {
        "id": whole(1, 99),
        "task": PROSE,
        "state": enum("open", "doing", "done"),
        "blocked": FLAG,
        "tags?": list_of(WORD, 0, 3),
    }
)
HUNK = record({"start": whole(1, 4000), "remove": CODE_TEXT, "insert": CODE_TEXT})
SERIES = record({"label": SHORT, "points": list_of(decimal(-1, 1), 1, 7), "dashed?": FLAG})
GUEST = record({"label": SHORT, "age": nullable(whole(1, 99)), "needs?": list_of(SHORT, 0, 2)})
FILTER = record({"field": WORD, "op": enum("eq", "lt", "gt", "like"), "value": nullable(ANY_TEXT)})

FIELDS: Mapping[str, Mapping[str, Kind]] = {
    "patch_file": {"path": PATH, "find": CODE_TEXT, "replace": CODE_TEXT, "everywhere": FLAG},
    "patch_hunks": {"path": PATH, "hunks": list_of(HUNK, 1, 3), "dry_run?": FLAG},
    "save_note": {
        "title": SHORT,
        "text": code("markdown"),
        "pinned": FLAG,
        "folder": nullable(SHORT),
    },
    "store_file": {
        "file": PATH,
        "content": ANY_TEXT,
        "mode": nullable(whole(0, 777)),
        "append?": FLAG,
    },
    "run_command": {
        "command": code("shell"),
        "timeout_ms": whole(0, 900000),
        "cwd": nullable(PATH),
        "variables?": map_of(("PATH", "LANG", "DEBUG", "HOME"), SHORT),
        "detach": FLAG,
    },
    "search_text": {
        "pattern": code("regex"),
        "globs": list_of(GLOB, 0, 3),
        "limit": whole(1, 5000),
        "ignore_case": FLAG,
    },
    "open_issue": {
        "title": PROSE,
        "body": code("markdown", "other", "latex"),
        "labels": list_of(WORD, 0, 3),
        "priority": whole(1, 5),
        "assignee": nullable(SHORT),
    },
    "call_api": {
        "url": URL,
        "method": enum("GET", "POST", "PUT", "DELETE"),
        "headers": map_of(HEADERS, SHORT),
        "body": code("json"),
        "timeout": decimal(0.1, 90),
    },
    "query_db": {
        "sql": code("sql"),
        "params": list_of(nullable(SHORT), 0, 3),
        "limit": whole(1, 50000),
        "read_only": FLAG,
    },
    "send_message": {
        "to": list_of(MAIL, 1, 3),
        "subject": SHORT,
        "body": ANY_TEXT,
        "cc": nullable(MAIL),
        "html": FLAG,
    },
    "plan_tasks": {"steps": list_of(STEP, 1, 4), "note": nullable(PROSE)},
    "reserve_room": {
        "city": PLACE,
        "spot": POINT,
        "nights": whole(1, 30),
        "max_price": decimal(10, 9999),
        "guests": list_of(GUEST, 1, 2),
        "remarks": PROSE,
    },
    "copy_tree": {
        "source": PATH,
        "target": PATH,
        "recursive": FLAG,
        "exclude": list_of(GLOB, 0, 3),
    },
    "draw_chart": {
        "title": PROSE,
        "series": list_of(SERIES, 1, 3),
        "log_scale": FLAG,
        "width": whole(100, 4000),
    },
    "translate": {
        "text": ANY_TEXT,
        "source": nullable(enum("de", "en", "fr", "ja")),
        "target": enum("de", "en", "he", "zh"),
    },
    "schedule_event": {
        "name": SHORT,
        "when": record(
            {"start": CLOCK, "minutes": whole(5, 600), "repeat?": enum("daily", "weekly")}
        ),
        "place": record({"city": PLACE, "spot?": POINT, "room": nullable(SHORT)}),
        "remind?": list_of(whole(-60, 1440), 0, 3),
    },
    "select_rows": {
        "table": WORD,
        "filters": list_of(FILTER, 0, 3),
        "order": nullable(record({"by": WORD, "down": FLAG})),
        "offset": whole(0, 9000000000000000000),
    },
    "style_page": {
        "selector": SHORT,
        "css": code("css"),
        "html": code("html"),
        "scripts?": list_of(code("javascript"), 0, 2),
    },
    "write_config": {
        "path": PATH,
        "yaml": code("yaml"),
        "values": map_of(HEADERS, decimal(-5, 5)),
        "backup": FLAG,
    },
}
OPEN_FIELDS: Mapping[str, Mapping[str, Kind]] = {
    "update_record": {
        "id": whole(1, 10**12),
        "values": map_of(COLUMNS, nullable(ANY_TEXT)),
        "version?": whole(0, 99),
    },
    "log_event": {
        "level": enum("debug", "info", "error"),
        "message": ANY_TEXT,
        "data?": map_of(COLUMNS, decimal(-9, 9)),
    },
}


@dataclass(frozen=True, slots=True)
class Payload:
    """What a model meant: the tool, its schema, and the arguments."""

    tool: str
    schema: dict[str, Any]
    truth: dict[str, Any]


def _titled(name: str, kind: Kind) -> Kind:
    return Kind({"title": name, **kind.schema}, kind.make)


TOOLS: Mapping[str, Kind] = {
    **{name: _titled(name, record(fields)) for name, fields in FIELDS.items()},
    **{name: _titled(name, record(fields, closed=False)) for name, fields in OPEN_FIELDS.items()},
}


def make_payload(rng: Random, tool: str | None = None) -> Payload:
    """Arguments of one tool, or of any."""
    name = tool or rng.choice(list(TOOLS))
    kind = TOOLS[name]
    return Payload(name, kind.schema, kind.make(rng))
