"""Read case files, run their cases, and read the recorded completions of the corpus.

A file has a kind (`repair`, `extract`, `decode`) and, at its top, what its cases share: schemas
and tool sets.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from zkit.cases.case import (
    Case,
    CaseFileError,
    CaseResult,
    EntryError,
    Kind,
    Sheet,
    ToolSets,
    a_list,
    a_table,
)
from zkit.cases.decode_cases import DECODE
from zkit.cases.extract_cases import EXTRACT
from zkit.cases.repair_cases import REPAIR
from zkit.json_types import JsonMapping, JsonObject

KINDS: dict[str, Kind[Any]] = {kind.name: kind for kind in (REPAIR, EXTRACT, DECODE)}


ONE_SET = "tools"
"""The name of the tool set of a file that has only one, written as `[[tools]]`."""
SHARED = (
    "about",
    "kind",
    "decoder",
    *dict.fromkeys(key for kind in KINDS.values() for key in kind.shares),
)


def is_shared(raw: JsonMapping) -> bool:
    """True if a JSONL line holds what the lines after it share, and is not a case."""
    return bool(raw) and all(key in SHARED for key in raw)


def read_sheet(raw: JsonMapping, empty: Sheet, folder: Path) -> Sheet:
    """Read the text at the top of a file, or raise EntryError."""
    kind = KINDS.get(raw.get("kind", EXTRACT.name if "tools" in raw else empty.kind))
    if kind is None:
        raise EntryError(f"kind {raw['kind']!r} is none of {', '.join(KINDS)}", "kind")
    known = ("about", "kind", *kind.shares, "decoder", "case")
    for key in raw:
        if key not in known:
            owner = next((one.name for one in KINDS.values() if key in one.shares), None)
            hint = f"known: {', '.join(known)}" if owner is None else f'it needs kind = "{owner}"'
            raise EntryError(f"unknown key {key!r} ({hint})", key)
    tools = tool_sets(raw.get("tools", {}), empty, folder)
    own = {"toolset": ONE_SET} if list(tools) == [ONE_SET] and "toolset" in kind.also else {}
    return replace(
        empty,
        kind=kind.name,
        schemas=a_table("schemas", raw.get("schemas", {}), empty),
        tools=tools,
        defaults=own | {key: raw[key] for key in (*kind.also, "decoder") if key in raw},
    )


def tool_sets(given: object, empty: Sheet, folder: Path) -> ToolSets:
    """Take lists of tools by name, one list (`[[tools]]`), or the name of a JSON file that has them."""
    held = read_json(folder / given, given) if isinstance(given, str) else given
    held = {ONE_SET: held} if isinstance(held, list) else held
    sets = a_table("tools", held, empty)
    for tools in sets.values():
        for tool in a_list("tools", tools):
            a_table("tools", tool, empty)
    return sets


def read_json(path: Path, name: str) -> object:
    """Read the JSON file that a case file refers to."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        problem = f"cannot be read: {error.strerror}"
    except ValueError as error:
        problem = f"is not JSON: {error}"
    raise EntryError(f"tools: {name} {problem}", "tools")


def read_entry(raw: JsonMapping, sheet: Sheet, line: int, default_it: str = "") -> Case:
    """Check every key of `raw` and build the case, or raise EntryError."""
    kind = KINDS[sheet.kind]
    given = {**inherited((*kind.also, "decoder"), sheet), **raw}
    known = {key: kind.reader(key)(key, value, sheet) for key, value in given.items()}
    kind.check_keys(given)
    case: Case = kind.record(
        file=sheet.file, line=line, beyond=sheet.beyond, **{"it": default_it, **known}
    )
    if not case.it.strip():
        raise EntryError("the case has no sentence: `it` is missing")
    kind.check(case)
    return case


def inherited(keys: tuple[str, ...], sheet: Sheet) -> JsonObject:
    """Return what the file gives for all of its cases."""
    return {key: sheet.defaults[key] for key in keys if key in sheet.defaults}


CASE_HEADER = re.compile(r"\s*\[\[\s*case\s*\]\]")
TOML_PLACE = re.compile(r"\s*\(at line (\d+), column \d+\)")


def load(paths: Iterable[str | Path]) -> list[Case]:
    """Load every case of the given files and folders, in the order of their names."""
    cases = [case for path in paths for case in load_path(Path(path))]
    seen: dict[str, Case] = {}
    for case in cases:
        twin = seen.setdefault(case.id, case)
        if twin is not case:
            problem = f"the sentence {case.it!r} is taken by the case in line {twin.line}"
            raise CaseFileError(case.file, case.line, problem)
    return cases


def shipped_corpus() -> Path:
    """Find zkit's own corpus: beside the package in a checkout, inside it when installed."""
    package = Path(__file__).resolve().parent.parent
    installed = package / "_corpus"
    return installed if installed.is_dir() else package.parent / "corpus"


def load_path(path: Path) -> list[Case]:
    """Load one file, or every case file below a folder."""
    if path.is_dir():
        return load_folder(path)
    if path.suffix not in FORMATS:
        raise CaseFileError(str(path), None, f"not a case file: need {' or '.join(FORMATS)}")
    return load_file(path, path.as_posix())


def load_folder(folder: Path) -> list[Case]:
    """Load a folder; its cases are named by their path below it."""
    files = sorted(path for path in folder.rglob("*") if path.suffix in FORMATS)
    if not files:
        raise CaseFileError(str(folder), None, f"no case files ({', '.join(FORMATS)}) in it")
    return [case for path in files for case in load_file(path, path.relative_to(folder).as_posix())]


def load_file(path: Path, name: str) -> list[Case]:
    """Load one file under the name that its cases will have."""
    try:
        content = path.read_bytes().decode("utf-8")
    except OSError as error:
        raise CaseFileError(name, None, f"cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise CaseFileError(name, line, "not UTF-8") from None
    empty = Sheet(name, beyond="beyond" in path.resolve().parts)
    return FORMATS[path.suffix](content, empty, path.parent)


def read_toml(content: str, empty: Sheet, folder: Path) -> list[Case]:
    """Read a TOML file: `about`, what the cases share, then the `[[case]]` tables."""
    tables, lines = toml_tables(content, empty.file), content.splitlines()
    entries = toml_entries(tables, empty.file)
    headers = [at for at, line in enumerate(lines, 1) if CASE_HEADER.match(line)]
    shared = {key: value for key, value in tables.items() if key not in ("about", "case")}
    try:
        sheet = read_sheet(shared, empty, folder)
    except EntryError as error:
        raise CaseFileError(empty.file, key_line(lines, 0, error.key), str(error)) from None
    cases = []
    for index, raw in enumerate(entries):
        line = headers[index] if index < len(headers) else 1
        try:
            cases.append(read_entry(raw, sheet, line))
        except EntryError as error:
            place = key_line(lines, line, error.key)
            raise CaseFileError(empty.file, place, str(error)) from None
    return cases


def toml_tables(content: str, name: str) -> JsonObject:
    """Parse TOML; a syntax error keeps its line."""
    try:
        return tomllib.loads(content)
    except tomllib.TOMLDecodeError as error:
        place = TOML_PLACE.search(str(error))
        line = int(place[1]) if place else max(content.count("\n"), 1)
        problem = TOML_PLACE.sub("", str(error))
        raise CaseFileError(name, line, f"not TOML: {problem}") from None


def toml_entries(tables: JsonObject, name: str) -> list[JsonObject]:
    """Return the cases of a TOML file that says what it is about."""
    if not isinstance(tables.get("about"), str):
        raise CaseFileError(name, 1, "`about` is missing: one sentence on what the cases share")
    entries = tables.get("case")
    if not isinstance(entries, list) or not entries:
        raise CaseFileError(name, 1, "no [[case]] in it")
    return entries


def key_line(lines: list[str], header: int, key: str | None) -> int:
    """Find the line of a key in the case that begins at `header`; the header when unsure."""
    wanted = re.compile(rf"\s*(?:\[\[?\s*)?{re.escape(key)}\s*[=.\]]") if key else None
    for at in range(header, len(lines)):
        if CASE_HEADER.match(lines[at]):
            break
        if wanted and wanted.match(lines[at]):
            return at + 1
    return max(header, 1)


def read_jsonl(content: str, empty: Sheet, folder: Path) -> list[Case]:
    """Read a JSONL file: each line is a case, or what the lines after it share."""
    sheet, cases = empty, []
    for line, raw in jsonl_objects(content, empty.file):
        try:
            if is_shared(raw):
                sheet = read_sheet(raw, empty, folder)
            else:
                cases.append(read_entry(jsonl_entry(raw), sheet, line, f"read line {line}"))
        except EntryError as error:
            raise CaseFileError(empty.file, line, str(error)) from None
    return cases


def jsonl_entry(raw: JsonObject) -> JsonObject:
    """Move the keys about the source of a line to `meta`."""
    entry = {key: value for key, value in raw.items() if key not in PROVENANCE}
    given = {key: raw[key] for key in PROVENANCE if key in raw}
    if given and isinstance(entry.get("meta", {}), dict):
        entry["meta"] = {**entry.get("meta", {}), **given}
    return entry


def jsonl_objects(content: str, name: str) -> Iterator[tuple[int, JsonObject]]:
    """Yield the line number and the object of every line that is not blank."""
    # Not splitlines(): U+2028 and other separators may be inside a JSON string.
    for line, text in enumerate(content.split("\n"), 1):
        if not text.strip():
            continue
        try:
            raw = json.loads(text)
        except ValueError as error:
            raise CaseFileError(name, line, f"not JSON: {error}") from None
        if not isinstance(raw, dict):
            raise CaseFileError(name, line, "a line must hold one JSON object")
        yield line, raw


PROVENANCE = ("model",)

FORMATS: dict[str, Callable[[str, Sheet, Path], list[Case]]] = {
    ".toml": read_toml,
    ".jsonl": read_jsonl,
}


NOW_WORKS = "this now works: move it out of beyond/"


def run(case: Case) -> CaseResult:
    """Run a case; one in beyond/ passes as long as it differs."""
    found = mismatch(case)
    if case.beyond:
        return CaseResult(case, None if found else NOW_WORKS)
    return CaseResult(case, found)


def mismatch(case: Case) -> str | None:
    """Return how the outcome differs from what the case expects, in one line, or None."""
    try:
        return KINDS[case.kind].judge(case)
    except Exception as error:  # No text may raise: if one does, that is the mismatch.
        return f"expected an outcome, but it raised {error!r}"


@dataclass(frozen=True, slots=True)
class Recorded:
    """One completion: the model, the prompt, the question, and the reply.

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

    tools: list[JsonObject]
    completions: tuple[Recorded, ...]


def recordings() -> Recordings:
    """Read `wild/recorded.json` of the corpus."""
    found = json.loads((shipped_corpus() / "wild" / "recorded.json").read_text("utf-8"))
    return Recordings(found["tools"], tuple(Recorded(**one) for one in found["completions"]))
