"""The work of a batch under polars, Daft, Ray, Dask and Spark, for users who have one of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from zkit.batch.columns import COLUMNS, Columns, Work
from zkit.batch.logs import BatchError
from zkit.errors import ZkitError

if TYPE_CHECKING:
    import daft
    import dask.dataframe
    import pandas
    import polars
    import pyarrow
    import pyspark.sql
    import ray.data

    Table = TypeVar("Table", pyarrow.Table, pyarrow.RecordBatch)
    PolarsFrame = TypeVar("PolarsFrame", polars.DataFrame, polars.LazyFrame)


class MissingEngineError(ZkitError, ImportError):
    """An engine that is not installed."""


def _arrays(made: Columns) -> dict[str, pyarrow.Array]:
    """Return the columns as Arrow arrays."""
    import pyarrow as arrow

    kinds = {"fixes": arrow.list_(arrow.string())}
    return {name: arrow.array(made[name], kinds.get(name, arrow.string())) for name in COLUMNS}


def _added(batch: Table, work: Work, column: str) -> Table:
    """Return an Arrow table or record batch with the columns of the work."""
    for name, cells in _arrays(work(batch.column(column).to_pylist())).items():
        batch = batch.append_column(name, cells)
    return batch


def with_polars(frame: PolarsFrame, work: Work, column: str = "text") -> PolarsFrame:
    """Return a polars data frame with the columns of the work added, lazy if it is lazy."""
    import polars

    def added(batch: polars.DataFrame) -> polars.DataFrame:
        made = _arrays(work(batch[column].to_list()))
        return batch.with_columns(polars.Series(name, cells) for name, cells in made.items())

    if isinstance(frame, polars.DataFrame):
        return added(frame)
    fixes = polars.List(polars.String)
    new = {name: fixes if name == "fixes" else polars.String for name in COLUMNS}
    return frame.map_batches(added, schema={**frame.collect_schema(), **new})


def with_ray(dataset: ray.data.Dataset, work: Work, column: str = "text") -> ray.data.Dataset:
    """Return a Ray dataset with the columns of the work added."""

    return dataset.map_batches(
        lambda batch: _added(batch, work, column), batch_format="pyarrow", zero_copy_batch=True
    )


def with_daft(frame: daft.DataFrame, work: Work, column: str = "text") -> daft.DataFrame:
    """Return a Daft data frame with the columns of the work added."""
    import daft
    import pyarrow as arrow

    text = daft.DataType.string()
    kinds = {name: daft.DataType.list(text) if name == "fixes" else text for name in COLUMNS}

    @daft.func.batch(  # type: ignore[untyped-decorator, unused-ignore]
        return_dtype=daft.DataType.struct(kinds)
    )
    def added(texts: Any) -> Any:  # Daft evaluates these annotations
        made = _arrays(work(texts.to_pylist()))
        return arrow.StructArray.from_arrays(list(made.values()), list(made))

    cells = frame.with_column("_zkit", added(frame[column]))
    for name in COLUMNS:
        cells = cells.with_column(name, cells["_zkit"][name])
    return cells.exclude("_zkit")


def with_dask(
    frame: dask.dataframe.DataFrame, work: Work, column: str = "text"
) -> dask.dataframe.DataFrame:
    """Return a Dask data frame with the columns of the work added."""
    import pandas

    def added(part: pandas.DataFrame) -> pandas.DataFrame:
        made = _arrays(work(part[column].tolist()))
        return part.assign(
            **{
                name: pandas.Series(cells, part.index, pandas.ArrowDtype(cells.type))
                for name, cells in made.items()
            }
        )

    return frame.map_partitions(added, meta=added(frame._meta))


def with_spark(
    frame: pyspark.sql.DataFrame, work: Work, column: str = "text"
) -> pyspark.sql.DataFrame:
    """Return a Spark data frame with the columns of the work added."""
    from pyspark.sql import types

    def added(batches: Iterator[pyarrow.RecordBatch]) -> Iterator[pyarrow.RecordBatch]:
        for batch in batches:
            yield _added(batch, work, column)

    text = types.StringType()
    kinds = {"fixes": types.ArrayType(text)}
    new = [types.StructField(name, kinds.get(name, text)) for name in COLUMNS]
    return frame.mapInArrow(added, types.StructType([*frame.schema.fields, *new]))


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
