"""The work of a batch under polars, Daft and Ray, for users who have one of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from zkit.batch.columns import COLUMNS, Work
from zkit.batch.logs import BatchError
from zkit.errors import ZkitError


class MissingEngineError(ZkitError, ImportError):
    """An engine that is not installed."""


def with_polars(frame: Any, work: Work, column: str = "text") -> Any:
    """Return a polars data frame with the columns of the work added; batches are processed in turn."""
    import polars

    def added(batch: Any) -> Any:
        made = work(batch[column].to_list())
        made["fixes"] = [list(names) for names in made["fixes"]]
        kinds = {
            name: polars.List(polars.String) if name == "fixes" else polars.String
            for name in COLUMNS
        }
        return batch.with_columns(polars.DataFrame(made, schema=kinds))

    return added(frame) if isinstance(frame, polars.DataFrame) else frame.map_batches(added)


def with_ray(dataset: Any, work: Work, column: str = "text") -> Any:
    """Return a Ray dataset with the columns of the work added."""

    def added(batch: Any) -> Any:
        import pyarrow as arrow

        made = work(batch.column(column).to_pylist())
        for name in COLUMNS:
            kind = arrow.list_(arrow.string()) if name == "fixes" else arrow.string()
            batch = batch.append_column(name, arrow.array(made[name], kind))
        return batch

    return dataset.map_batches(added, batch_format="pyarrow", zero_copy_batch=True)


def with_daft(frame: Any, work: Work, column: str = "text") -> Any:
    """Return a Daft data frame with the columns of the work added."""
    import daft

    kinds = {
        name: daft.DataType.list(daft.DataType.string())
        if name == "fixes"
        else daft.DataType.string()
        for name in COLUMNS
    }

    @daft.func.batch(  # type: ignore[untyped-decorator, unused-ignore]
        return_dtype=daft.DataType.struct(kinds)
    )
    def added(texts: Any) -> Any:
        made = work(texts.to_pylist())
        return [dict(zip(COLUMNS, row, strict=True)) for row in zip(*made.values(), strict=True)]

    cells = frame.with_column("_zkit", added(frame[column]))
    for name in COLUMNS:
        cells = cells.with_column(name, cells["_zkit"][name])
    return cells.exclude("_zkit")


def _polars(log: str, out: str, work: Work, column: str) -> None:
    import polars

    frame = {".parquet": polars.scan_parquet, ".csv": polars.scan_csv}.get(
        Path(log).suffix, polars.scan_ndjson
    )(log)
    with_polars(frame.collect(), work, column).write_parquet(out)


def _ray(log: str, out: str, work: Work, column: str) -> None:
    import ray

    read = {".parquet": ray.data.read_parquet, ".csv": ray.data.read_csv}
    with_ray(read.get(Path(log).suffix, ray.data.read_json)(log), work, column).write_parquet(out)


def _daft(log: str, out: str, work: Work, column: str) -> None:
    import daft

    read: dict[str, Callable[[str], Any]] = {".parquet": daft.read_parquet, ".csv": daft.read_csv}
    with_daft(read.get(Path(log).suffix, daft.read_json)(log), work, column).write_parquet(out)


ENGINES: dict[str, Callable[[str, str, Work, str], None]] = {
    "polars": _polars,
    "ray": _ray,
    "daft": _daft,
}


def run_engine(engine: str, log: str, out: str, work: Work, column: str) -> None:
    """Read a log with an engine, apply the work, and write Parquet (Ray and Daft write a folder)."""
    if Path(out).suffix not in (".parquet", ""):
        raise BatchError(f"{out}: an engine writes Parquet")
    try:
        ENGINES[engine](log, out, work, column)
    except ImportError as error:
        raise MissingEngineError(f"{engine} is not installed: pip install {engine}") from error
