"""Write a case into a TOML file once it has been run, or update what a case expects."""

from __future__ import annotations

import json
import os
import re
import secrets
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from zkit.cases.case import Case, CaseFileError
from zkit.cases.case_files import CASE_HEADER, KINDS, load, mismatch, run
from zkit.cases.draft import Draft, Expects, proposed
from zkit.json_types import JsonMapping, JsonObject

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_FIRST = ("it", "text")


class NotAddedError(ValueError):
    """A case that cannot be added, and why."""


def twin_of(draft: Draft, folder: Path) -> Case | None:
    """Return the case below a folder with the same text and the same question; None if there is none."""
    try:
        cases = load([folder]) if folder.is_dir() else []
    except CaseFileError:
        return None
    return next((case for case in cases if _is_twin(case, draft)), None)


def _is_twin(case: Case, draft: Draft) -> bool:
    same = case.kind == draft.kind and case.text == draft.text
    schema = getattr(case, "schema", None)
    return same and (schema or None) == (draft.schema or None)


def add_case(path: Path, draft: Draft, it: str, expects: Expects) -> Case:
    """Append the case to the file, or create the file; a case that fails is not written.

    Raises NotAddedError.
    """
    before = path.read_bytes().decode("utf-8") if path.exists() else None
    tables = _tables(path, before, draft.kind)
    text = _appended(before, tables, draft, _free(it, tables), expects)
    if any("\ud800" <= one <= "\udfff" for one in text):
        raise NotAddedError("the text holds half of a character, which no file can")
    path.parent.mkdir(parents=True, exist_ok=True)
    replace_file(path, text)
    try:
        added = load([path])[-1]
        mismatch = run(added).mismatch
    except CaseFileError as error:
        added, mismatch = None, str(error)
    if mismatch is None and added is not None:
        return added
    path.unlink() if before is None else replace_file(path, before)
    raise NotAddedError(f"the case would not hold: {mismatch}")


def _tables(path: Path, content: str | None, kind: str) -> JsonObject:
    if content is None:
        return {}
    try:
        tables = tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        raise NotAddedError(f"{path}: not TOML: {error}") from error
    found = tables.get("kind", "repair")
    if found != kind:
        raise NotAddedError(f"{path}: holds cases of {found}, not of {kind}; name another file")
    return tables


def _free(it: str, tables: JsonMapping) -> str:
    """Return the sentence, with a number if it is taken."""
    taken = {case.get("it") for case in tables.get("case", ())}
    numbered = (f"{it} ({number})" for number in range(2, len(taken) + 3))
    return it if it not in taken else next(one for one in numbered if one not in taken)


def _appended(
    before: str | None, tables: JsonMapping, draft: Draft, it: str, expects: Expects
) -> str:
    head = (
        f'about = "recorded failures"\nkind = {_toml(draft.kind)}\n' if before is None else before
    )
    given = {"it": it, **draft.given()}
    shared = ""
    for key, table in (("schema", "schemas"), ("toolset", "tools")):
        if given.get(key):
            name, made = _shared(table, given[key], tables.get(table))
            given[key] = name
            shared += made
    lines = case_lines({**given, **expects})
    return f"{head.rstrip()}\n{shared}\n[[case]]\n" + "\n".join(lines) + "\n"


def case_lines(entry: JsonMapping) -> list[str]:
    """Return the lines of a case, its sentence and its text first."""
    ordered = sorted(entry.items(), key=lambda pair: pair[0] not in _FIRST)
    return [f"{key} = {_toml(without_null(value))}" for key, value in ordered]


def _shared(table: str, value: Any, known: object) -> tuple[str, str]:
    """Return the name under which a file has a schema or a tool set, and what must be added for it."""
    value = without_null(value)
    held = known if isinstance(known, dict) else {}
    for name, other in held.items():
        if other == value:
            return name, ""
    if isinstance(known, str):
        raise NotAddedError(f"{table} are in {known}: name another file for this case")
    name = f"recorded_{len(held) + 1}"
    if table == "schemas":
        lines = [f"{_key(key)} = {_toml(one)}" for key, one in value.items()]
        return name, "\n".join(["", f"[schemas.{name}]", *lines, ""])
    tools = [
        "\n".join(["", f"[[tools.{name}]]", *(f"{_key(k)} = {_toml(v)}" for k, v in one.items())])
        for one in value
    ]
    return name, "\n".join([*tools, ""])


def replace_file(path: Path, text: str) -> None:
    """Replace the file atomically, readable by its owner only: recorded texts are private."""
    fresh = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    number = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with open(number, "wb") as file:
            file.write(text.encode("utf-8"))
        os.replace(fresh, path)
    except OSError:
        fresh.unlink(missing_ok=True)
        raise


# ── TOML ─────────────────────────────────────────────────────────────────────


def without_null(value: object) -> object:
    """Return a schema that says the same without null, which TOML does not have."""
    if isinstance(value, list | tuple):
        return [without_null(item) for item in value if item is not None]
    if not isinstance(value, Mapping):
        return value
    made = {key: without_null(item) for key, item in value.items() if item is not None}
    if isinstance(value.get("enum"), list) and None in value["enum"]:
        return {"anyOf": [made, {"type": "null"}]}
    return {**made, "type": "null"} if "const" in value and value["const"] is None else made


def _toml(value: object) -> str:
    """Return a value in TOML; a text as it is written, if that can be."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_toml(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value)


def _text(text: str) -> str:
    is_plain = all(one in "\n\t" or (one >= " " and one != "\x7f") for one in text)
    if is_plain and "'" not in text and "\n" not in text:
        return f"'{text}'"
    if is_plain and "'''" not in text and not text.endswith("'"):
        return f"'''\n{text}'''"
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


_KEY = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")
_HEADER = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_-]+)\s*(?:\.\s*([A-Za-z0-9_-]+))?")
_NOT_EXPECTED = (
    "it",
    "text",
    "source",
    "meta",
    "schema",
    "toolset",
    "finish_reason",
    "limit",
    "formats",
    "decoder",
)


def update_case(case: Case, path: Path) -> str:
    """Write the actual outcome of a case into its file; return why that is not possible, else an
    empty text."""
    if path.suffix != ".toml":
        return "only TOML files can be updated"
    lines = path.read_text("utf-8").split("\n")
    start = case.line
    if start < 1 or not CASE_HEADER.match(lines[start - 1]):
        return f"no [[case]] in line {start}"
    end = _end_of_case(lines, start)
    draft = Draft(
        case.kind, case.text, getattr(case, "schema", None), getattr(case, "toolset", ()),
        getattr(case, "finish_reason", None), getattr(case, "limit", None),
    )  # fmt: skip
    before = "\n".join(lines)
    expected = set(KINDS[case.kind].readers) - set(_NOT_EXPECTED)
    body = _updated(lines[start:end], expected, proposed(draft))
    replace_file(path, "\n".join([*lines[:start], *body, *lines[end:]]))
    try:
        again = next(one for one in load([path]) if one.it == case.it)
        problem = mismatch(again)
    except (CaseFileError, StopIteration) as error:
        problem = str(error)
    if problem:
        replace_file(path, before)
        return f"the case cannot be updated: {problem}"
    return ""


def _updated(lines: list[str], expected: set[str], expects: Expects) -> list[str]:
    """Return the lines of a case with other expectations; tables stay tables, and comments stay."""
    sections = list(_sections(lines))
    tail: list[str] = []
    last = sections[-1][1]
    while last and (not last[-1].strip() or last[-1].lstrip().startswith("#")):
        tail.insert(0, last.pop())
    (_, head), *below = sections
    kept: list[str] = []
    tabled: dict[str, list[str]] = {}
    for name, section in below:
        if name in expected:
            comments = [line for line in section if line.lstrip().startswith("#")]
            tabled.setdefault(name, []).extend(comments)
        else:
            kept += section
    plain = {key: value for key, value in expects.items() if key not in tabled}
    made = [*_without(head, expected), *case_lines(plain), *kept]
    for name, comments in tabled.items():
        made += [*comments, *_table_lines(name, expects.get(name, "[]"))]
    return [*made, *tail]


def _sections(lines: list[str]) -> Iterator[tuple[str | None, list[str]]]:
    """Return the lines of a case up to its first table, then each table with the name of its key."""
    name: str | None = None
    section: list[str] = []
    at = 0
    while at < len(lines):
        header = _HEADER.match(lines[at])
        if header is not None:
            yield name, section
            name, section = header[2], []
        size = _size(lines, at)
        section += lines[at : at + size]
        at += size
    yield name, section


def _table_lines(name: str, value: str) -> list[str]:
    """Return a JSON list of objects as tables of a case."""
    made: list[str] = []
    for one in json.loads(value):
        made += [f"[[case.{name}]]", *(f"{_key(key)} = {_toml(without_null(item))}" for key, item in one.items())]  # fmt: skip
    return made


def _end_of_case(lines: list[str], start: int) -> int:
    """Return the line where the next table begins that is not a part of the case."""
    at = start
    while at < len(lines):
        header = _HEADER.match(lines[at])
        if header is not None and (header[1] != "case" or header[2] is None):
            return at
        at += _size(lines, at)
    return len(lines)


def _without(lines: list[str], keys: set[str]) -> Iterator[str]:
    """Return the lines of a case without some keys and their values, which may go on over several lines."""
    at = 0
    while at < len(lines):
        size = _size(lines, at)
        match = _KEY.match(lines[at])
        if match is None or match[1] not in keys:
            yield from lines[at : at + size]
        at += size


def _size(lines: list[str], at: int) -> int:
    """Return how many lines the value that begins in a line takes."""
    value = lines[at].partition("=")[2].strip()
    for mark in ("'''", '"""'):
        if value.startswith(mark):
            if mark in value[3:]:
                return 1
            rest = (n for n in range(at + 1, len(lines)) if mark in lines[n])
            return next(rest, len(lines) - 1) - at + 1
    if value.startswith("[") and _KEY.match(lines[at]):
        depth = 0
        for size, line in enumerate(lines[at:], 1):
            depth += line.count("[") + line.count("{") - line.count("]") - line.count("}")
            if depth <= 0:
                return size
    return 1
