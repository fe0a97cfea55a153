"""Read rows from a log, and write the output of a batch: Parquet, JSONL (also gzipped) and CSV."""

from __future__ import annotations

import csv
import gzip
import importlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import IO, TYPE_CHECKING, NamedTuple

from zkit.batch.columns import COLUMNS
from zkit.errors import MissingExtraError, ZkitError
from zkit.json_types import JsonMapping, JsonObject

if TYPE_CHECKING:
    import pyarrow

FIELDS = ("row", "model", "time", "text", *COLUMNS)
"""The columns of an output file."""
LONGEST_LINE = 64 * 2**20
"""Characters of one line that are read; a longer one is a bad row. Logs of replies stay far below."""


class BatchError(ZkitError, ValueError):
    """A log that cannot be read, or an output that cannot be written."""


class Row(NamedTuple):
    """One row of a log: the text, and what the log says about it."""

    text: object
    model: str | None = None
    time: str | None = None
    finish_reason: str | None = None


class Shape(NamedTuple):
    """Where a kind of log keeps the text and the facts about it, as paths into a record."""

    name: str
    text: str
    model: str = "model"
    time: str = "created"
    finish: str = ""


_CHOICE = "choices.0.message.content"
SHAPES = (
    Shape("a column named text", "text"),
    Shape("OpenAI batch output", f"response.body.{_CHOICE}", "response.body.model",
          "response.body.created", "response.body.choices.0.finish_reason"),
    Shape("request log with the response (OpenAI, LiteLLM)", f"response.{_CHOICE}", "model",
          "startTime", "response.choices.0.finish_reason"),
    Shape("completions as they came", _CHOICE, "model", "created", "choices.0.finish_reason"),
    Shape("Langfuse generations with a message", "output.content", "model", "startTime"),
    Shape("Langfuse generations with a text", "output", "model", "startTime"),
    Shape("a column named completion", "completion"),
    Shape("a column named content", "content"),
)  # fmt: skip
"""Tried in this order on the first record when no column is given."""


def read_log(path: str | Path, column: str | None = None) -> Iterator[Row]:
    """Yield the rows of a log, one at a time.

    `column` is the name of a column, or a path into a JSON record such as
    `response.choices.0.message.content`; without it, known kinds of logs are recognised. A line that
    cannot be read is a row without a text. Raises `BatchError` for a file that cannot be read.
    """
    file = Path(path)
    records = _records(file)
    first = next(records, None)
    if first is None:
        return
    shape = _shape(first, column, file)
    yield _row(first, shape)
    for record in records:
        yield _row(record, shape)


def _row(record: object, shape: Shape) -> Row:
    if isinstance(record, Row):
        return record
    model, time = at_path(record, shape.model), at_path(record, shape.time)
    finish = at_path(record, shape.finish) if shape.finish else None
    return Row(
        at_path(record, shape.text),
        None if model is None else str(model),
        None if time is None else str(time),
        finish if isinstance(finish, str) else None,
    )


def at_path(record: object, path: str) -> object:
    """Return the text at a dotted path of a record, or None; a column may have dots itself."""
    if isinstance(record, Mapping) and path in record:
        return record[path]
    if type(record) is dict and path.isalnum():
        return None  # a column that this row does not have
    here = record
    for step in path.replace("[", ".").replace("]", "").split("."):
        if isinstance(here, str) and here[:1] in "{[":  # logs keep JSON inside strings
            with suppress(ValueError, RecursionError):
                here = json.loads(here)
        if isinstance(here, Mapping):
            here = here.get(step)
        elif isinstance(here, Sequence) and not isinstance(here, str) and step.isdigit():
            here = here[int(step)] if int(step) < len(here) else None
        else:
            return None
    return here


def _shape(first: object, column: str | None, file: Path) -> Shape:
    if isinstance(first, Row):
        return SHAPES[0]
    known = [shape for shape in SHAPES if at_path(first, shape.text) is not None]
    if column is None:
        if not known:
            raise BatchError(
                f"{file}: say where the text is, with a column or a path into a record"
            )
        return known[0]
    like = next((shape for shape in known if shape.text == column), SHAPES[0])
    return like._replace(name="given", text=column)


# ── formats ──────────────────────────────────────────────────────────────────


def _records(file: Path) -> Iterator[object]:
    """Yield the records of a file by its suffix; a transcript of a chat is recognised by its header."""
    suffix = file.with_suffix("").suffix if file.suffix == ".gz" else file.suffix
    readers = {
        ".parquet": _parquet,
        ".csv": _csv,
        ".jsonl": _jsonl,
        ".ndjson": _jsonl,
        ".json": _jsonl,
    }
    reader = readers.get(suffix)
    if reader is None:
        raise BatchError(f"{file}: a log is .parquet, .jsonl, .jsonl.gz or .csv")
    try:
        yield from reader(file)
    except (OSError, EOFError, csv.Error) as error:
        raise BatchError(f"{file}: {error}") from error


def _jsonl(file: Path) -> Iterator[object]:
    with _opened(file) as lines:
        for number, line in enumerate(iter(lambda: lines.readline(LONGEST_LINE), "")):
            try:
                record = json.loads(line)
            except (ValueError, RecursionError):
                record = Row(None)
            if number == 0 and _is_transcript(record):
                yield from _transcript(file)
                return
            if line.strip():
                yield record


def _is_transcript(record: object) -> bool:
    return isinstance(record, dict) and record.get("kind") == "header" and "version" in record


def _transcript(file: Path) -> Iterator[Row]:
    """Yield the replies in a transcript of `zkit chat --record`."""
    from zkit.cases.draft import reply_of
    from zkit.transcripts import TranscriptError, read_transcript

    try:
        transcript = read_transcript(str(file))
    except TranscriptError as error:
        raise BatchError(str(error)) from error
    for exchange in transcript.exchanges():
        reply = reply_of(exchange)
        yield Row(reply.content, transcript.header.model, None, reply.finish_reason)


def _csv(file: Path) -> Iterator[object]:
    csv.field_size_limit(min(sys.maxsize, 2**31 - 1))
    with _opened(file) as lines:
        yield from csv.DictReader(lines)


def _opened(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return gzip.open(file, "rt", encoding="utf-8", errors="replace", newline="")
    return open(file, encoding="utf-8", errors="replace", newline="")


def _parquet(file: Path) -> Iterator[object]:
    arrow = _arrow()
    try:
        table = arrow.parquet.ParquetFile(file)
        for batch in table.iter_batches(batch_size=1_000):
            yield from batch.to_pylist()
    except arrow.lib.ArrowException as error:
        raise BatchError(f"{file}: {error}") from error


def _arrow() -> ModuleType:
    try:
        importlib.import_module("pyarrow.parquet")
        return importlib.import_module("pyarrow")
    except ImportError as error:
        raise MissingExtraError("batch", "reading and writing Parquet") from error


# ── output ───────────────────────────────────────────────────────────────────


def write_part(file: Path, rows: Sequence[JsonMapping]) -> None:
    """Write rows to one file, in the format of its suffix."""
    if file.suffix == ".parquet":
        arrow = _arrow()
        arrow.parquet.write_table(arrow.Table.from_pylist(list(rows), _schema(arrow)), file)
        return
    with _created(file) as out:
        if ".csv" in file.suffixes:
            writer = csv.DictWriter(out, FIELDS)
            writer.writeheader()
            writer.writerows({**row, "fixes": " ".join(row["fixes"])} for row in rows)
        else:
            out.writelines(_ENCODER.encode(row) + "\n" for row in rows)


_ENCODER = json.JSONEncoder(ensure_ascii=False)


def _created(file: Path) -> IO[str]:
    if file.suffix == ".gz":
        return gzip.open(file, "wt", encoding="utf-8", errors="backslashreplace", newline="")
    return open(file, "w", encoding="utf-8", errors="backslashreplace", newline="")


def _schema(arrow: ModuleType) -> pyarrow.Schema:
    kinds = {"row": arrow.int64(), "fixes": arrow.list_(arrow.string())}
    return arrow.schema([(name, kinds.get(name, arrow.string())) for name in FIELDS])


def join_parts(parts: Sequence[Path], out: Path) -> None:
    """Write the rows of all parts, in their order, to one file, a part at a time."""
    if out.suffix == ".parquet":
        arrow = _arrow()
        with arrow.parquet.ParquetWriter(out, _schema(arrow)) as writer:
            for part in parts:
                writer.write_table(arrow.parquet.read_table(part))
        return
    skip_header = ".csv" in out.suffixes
    with _created(out) as joined:
        for number, part in enumerate(parts):
            with _opened(part) as lines:
                if skip_header and number:
                    lines.readline()
                while block := lines.read(2**20):
                    joined.write(block)


def read_output(path: str | Path) -> Iterator[JsonObject]:
    """Yield the rows that a batch wrote. Raises `BatchError` if the file is something else."""
    for record in _records(Path(path)):
        if not isinstance(record, dict) or "outcome" not in record:
            raise BatchError(f"{path}: not the output of zkit batch")
        fixes = record.get("fixes")
        yield {**record, "fixes": fixes.split() if isinstance(fixes, str) else list(fixes or ())}
