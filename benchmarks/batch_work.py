"""One piece of batch work in a process of its own, so that its CPU time and memory can be counted.

python -m benchmarks.batch_work KIND LOG OUT PROCESSES
"""

from __future__ import annotations

import json
import multiprocessing
import os
import resource
import sys
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from zkit.batch import Work, read_log, run_batch
from zkit.batch.engines import run_engine, with_dask, with_spark

CHUNK = 2_000
TOOLS = [
    {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
]  # fmt: skip


def repair(log: str, out: str, processes: int) -> None:
    """Repair a log on our own pool."""
    run_batch(log, out, Work("repair"), processes=processes)


def extract(log: str, out: str, processes: int) -> None:
    """Extract the calls of a log on our own pool."""
    run_batch(log, out, Work("extract", TOOLS), processes=processes)


def json_repair(log: str, out: str, processes: int) -> None:
    """Do with json_repair what `run_batch` does: read, repair on a pool, write."""
    with open(log, encoding="utf-8") as lines, open(out, "w", encoding="utf-8") as written:
        texts = [json.loads(line)["text"] for line in lines]
        chunks = [texts[at : at + CHUNK] for at in range(0, len(texts), CHUNK)]
        with ProcessPoolExecutor(processes) as pool:
            apply = map if processes == 1 else pool.map
            for chunk in apply(_json_repaired, chunks):
                written.writelines(f"{value}\n" for value in chunk)


def _json_repaired(texts: list[str]) -> list[str]:
    from json_repair import repair_json

    return [str(repair_json(text)) for text in texts]


def function_alone(log: str, out: str, processes: int) -> None:
    """Apply the function to the texts of a log in this process, and write nothing."""
    work = Work("repair")
    texts = [row.text for row in read_log(log)]
    for at in range(0, len(texts), CHUNK):
        work(texts[at : at + CHUNK])


def polars(log: str, out: str, processes: int) -> None:
    """Repair a log with polars."""
    run_engine("polars", log, f"{out}.parquet", Work("repair"), "text")


def daft(log: str, out: str, processes: int) -> None:
    """Repair a log with Daft."""
    run_engine("daft", log, out, Work("repair"), "text")


def ray(log: str, out: str, processes: int) -> None:
    """Repair a log with Ray Data, without Ray's dashboard."""
    import ray as engine

    engine.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    run_engine("ray", log, out, Work("repair"), "text")
    engine.shutdown()


def dask(log: str, out: str, processes: int) -> None:
    """Repair a log with Dask."""
    import dask.dataframe as frames

    with_dask(frames.read_parquet(log), Work("repair")).to_parquet(out)


def spark(log: str, out: str, processes: int) -> None:
    """Repair a log with Spark."""
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = SparkSession.builder.master(f"local[{processes}]")
    engine = session.config("spark.ui.enabled", "false").getOrCreate()
    with_spark(engine.read.parquet(log), Work("repair")).write.parquet(out)
    engine.stop()


Kind = Callable[[str, str, int], None]
OURS: dict[str, Kind] = {"repair": repair, "json_repair": json_repair, "extract": extract}
ENGINES: dict[str, tuple[str, Kind]] = {
    "function alone": ("zkit", function_alone),
    "polars": ("polars", polars),
    "Daft": ("daft", daft),
    "Dask": ("dask.dataframe", dask),
    "Spark": ("pyspark", spark),
    "Ray": ("ray", ray),
}
"""Each engine with the module that must be installed; all read Parquet."""


def main() -> None:
    """Run the work that the command line names, and print what it took."""
    kind, log, out, processes = sys.argv[1:5]
    run = OURS.get(kind) or ENGINES[kind][1]
    run(log, str(Path(out)), int(processes))
    for child in multiprocessing.active_children():
        child.join()  # only the time of processes that have ended is counted
    own, children = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    seconds = own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime
    print(json.dumps({"seconds": seconds, "megabytes": own.ru_maxrss / 1024}))


if __name__ == "__main__":
    main()
