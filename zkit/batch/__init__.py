"""Repair, extraction and decoding of logs: a batch of texts becomes columns.

| module | what it does |
|---|---|
| `columns` | `Work`, the pure function from a batch of texts to columns |
| `logs` | rows out of Parquet, JSONL, CSV and transcripts, and the output file |
| `runner` | a process pool over a log, in chunks, which can be resumed after a kill |
| `engines` | the same function under polars, Daft and Ray |
| `statistics` | what a finished batch shows, as one record, and the thresholds for CI |
| `report` | that record as a page, as Markdown or as JSON |
"""

from zkit.batch.columns import COLUMNS, OUTCOMES, Columns, Work
from zkit.batch.logs import BatchError, Row, read_log
from zkit.batch.report import render_report
from zkit.batch.runner import Progress, run_batch
from zkit.batch.statistics import Statistics, broken_thresholds, collect

__all__ = [
    "COLUMNS",
    "OUTCOMES",
    "BatchError",
    "Columns",
    "Progress",
    "Row",
    "Statistics",
    "Work",
    "broken_thresholds",
    "collect",
    "read_log",
    "render_report",
    "run_batch",
]
