"""A batch is the same as row by row, whatever the partition, and a killed run goes on."""

from __future__ import annotations

import gzip
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command_line import zkit
from hypothesis import given
from hypothesis import strategies as st

from zkit import repair_json
from zkit.batch import BatchError, Statistics, Work, broken_thresholds, collect, read_log, run_batch
from zkit.batch.columns import COLUMNS, time_limit
from zkit.batch.logs import read_output
from zkit.batch.report import as_html, as_markdown
from zkit.batch.statistics import day_of

TEXTS = [
    '{"a": 1}',
    "{'a': 1,}",
    '```json\n{"a": 2}\n```',
    "no JSON at all",
    '{"a": [1, 2',
    "",
    None,
    {"a": 3},
    '{"a": 1} {"a": 2}',
]
TOOLS = [{"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}]  # fmt: skip
CALL = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'


def log_of(folder: Path, rows: int, name: str = "log.jsonl") -> Path:
    """A log of many rows with all sorts of texts."""
    path = folder / name
    models, day = ("small", "large"), 86_400
    lines = [
        json.dumps({"text": TEXTS[at % len(TEXTS)], "model": models[at % 2], "created": day * (at % 4)})
        for at in range(rows)
    ]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


@given(st.lists(st.sampled_from(TEXTS), max_size=30), st.integers(1, 8))
def test_a_batch_equals_row_by_row_for_any_partition(texts: list[Any], size: int) -> None:
    work = Work("repair")
    whole = work(texts)
    parts = [work(texts[at : at + size]) for at in range(0, len(texts), size)]
    for at, name in enumerate(COLUMNS):
        assert whole[name] == [cell for part in parts for cell in part[name]]
        assert whole[name] == [work.cells(text)[at] for text in texts]


def test_the_columns_say_what_repair_does() -> None:
    made = Work("repair")(TEXTS)
    assert made["outcome"][:4] == ["exact", "repaired", "repaired", "refused"]
    assert made["outcome"][5:] == ["missing", "missing", "exact", "refused"]
    for text, value, names in zip(TEXTS, made["value"], made["fixes"], strict=True):
        if isinstance(text, str) and value is not None:
            found = repair_json(text)
            assert json.loads(value) == found.value  # type: ignore[union-attr]
            assert names == [fix.name for fix in found.fixes]  # type: ignore[union-attr]


def test_calls_are_found_in_a_log() -> None:
    made = Work("extract", TOOLS)(
        [f"Sure.\n{CALL}", "just talk", CALL.replace("get_weather", "wipe")]
    )
    assert made["outcome"] == ["calls", "none", "refused"]
    assert json.loads(made["calls"][0])[0]["arguments"] == {"city": "Oslo"}
    assert made["reason"][2] == "unknown_tool"


def test_arguments_are_decoded_as_the_schema_wants_them() -> None:
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    made = Work("decode", schema)(['{"n": "3"}', '{"n": 3}', '{"m": 3}'])
    assert made["outcome"] == ["repaired", "exact", "refused"]
    assert made["value"][0] == '{"n":3}'


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kind": "polish"}, "a kind of work"),
        ({"kind": "extract"}, "needs the tools"),
        ({"kind": "decode"}, "needs a schema"),
        ({"kind": "repair", "limit": "NEVER"}, "no rank"),
    ],
)
def test_work_that_makes_no_sense_is_rejected(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Work(**given)


def test_a_slow_row_fails_and_the_others_do_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(text: str, **given: Any) -> Any:
        if text.startswith("slow"):
            while True:
                pass
        return repair_json(text)

    monkeypatch.setattr("zkit.batch.columns.repair_json", slow)
    made = Work("repair", seconds=0.05)(['{"a": 1}', "slow" + " " * 30_000, '{"a": 2}'])
    assert made["outcome"] == ["exact", "failed", "exact"]
    assert made["reason"][1] == "RowTimeoutError"


def test_a_time_limit_leaves_no_timer_behind() -> None:
    with time_limit(10):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_text_that_is_too_long_is_refused() -> None:
    assert Work("repair", longest=10).cells('{"a": 1234567}').reason == "too_large"


# ── files ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("suffix", [".parquet", ".jsonl", ".jsonl.gz", ".csv"])
def test_every_format_gives_the_same_rows(suffix: str, tmp_path: Path) -> None:
    log = log_of(tmp_path, 40)
    out = tmp_path / f"out{suffix}"
    done = run_batch(log, out, Work("repair"), processes=1, chunk=7)
    rows = list(read_output(out))
    assert (done.rows, done.resumed) == (40, 0)
    assert [int(row["row"]) for row in rows] == list(range(40))
    expected = Work("repair")([TEXTS[at % len(TEXTS)] for at in range(40)])
    assert [row["outcome"] for row in rows] == expected["outcome"]
    assert [row["value"] or None for row in rows] == expected["value"]
    assert [row["fixes"] for row in rows] == [list(one) for one in expected["fixes"]]
    assert {row["model"] for row in rows} == {"small", "large"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log.jsonl", out.name]


def test_a_pool_gives_the_same_rows_as_one_process(tmp_path: Path) -> None:
    log = log_of(tmp_path, 30)
    run_batch(log, tmp_path / "one.jsonl", Work("repair"), processes=1, chunk=4)
    run_batch(log, tmp_path / "two.jsonl", Work("repair"), processes=2, chunk=4)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


LOGS = {
    "openai batch": {"response": {"body": {"model": "m", "choices": [{"message": {"content": "x"}, "finish_reason": "length"}]}}},
    "litellm": {"model": "m", "startTime": "2026-01-02T03:04:05Z", "response": {"choices": [{"message": {"content": "x"}}]}},
    "litellm with JSON inside": {"model": "m", "response": json.dumps({"choices": [{"message": {"content": "x"}}]})},
    "completion": {"model": "m", "choices": [{"message": {"content": "x"}}]},
    "langfuse message": {"model": "m", "output": {"role": "assistant", "content": "x"}},
    "langfuse text": {"model": "m", "output": "x"},
    "plain": {"model": "m", "text": "x"},
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_known_logs_are_recognised(name: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.write(json.dumps(LOGS[name]) + "\n")
    (row,) = read_log(path)
    assert (row.text, row.model) == ("x", "m")
    assert row.finish_reason == ("length" if name == "openai batch" else None)


def test_a_path_into_a_record_is_followed(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"a": [{"b.c": 1, "b": {"c": "deep"}}]}\n')
    assert [row.text for row in read_log(tmp_path / "log.jsonl", "a[0].b.c")] == ["deep"]


def test_lines_that_are_no_json_are_rows_without_a_text(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text('{"text": "{}"}\nnot json\n' + "[" * 100_000 + "\n\n")
    assert [row.text for row in read_log(tmp_path / "log.jsonl")] == ["{}", None, None]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("log.txt", "x", "a log is"),
        ("log.jsonl", '{"odd": 1}\n', "say where the text is"),
        ("log.parquet", "not parquet", "log.parquet"),
        ("log.jsonl.gz", "not gzip", "log.jsonl.gz"),
    ],
)
def test_a_log_that_cannot_be_read_is_one_kind_of_error(
    name: str, content: str, message: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(BatchError, match=message):
        list(read_log(tmp_path / name))


# ── runs that end early ──────────────────────────────────────────────────────

KILLED_ANYWHERE = """
import os, signal, sys
from pathlib import Path
from zkit.batch import Work, run_batch

log, out, expected = map(Path, sys.argv[1:])
work = Work("repair")
run_batch(log, expected, work, processes=1, chunk=3)
CHANGES = {"open", "os.mkdir", "os.rename", "os.remove", "os.rmdir", "shutil.rmtree", "os.truncate"}

def run(end):
    # Run in a process of its own, which is killed at the change of a file with that number.
    child = os.fork()
    if child == 0:
        seen = 0
        def count(event, arguments):
            nonlocal seen
            if event in CHANGES and str(arguments[0]).startswith(str(out.parent)):
                seen += 1
                if seen == end:
                    os.kill(os.getpid(), signal.SIGKILL)
        sys.addaudithook(count)
        run_batch(log, out, work, processes=1, chunk=3, force=out.exists() and not parts.exists())
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])

parts = Path(f"{out}.parts")
end = 1
while run(end) != 0:
    first = end * 7 % 11 + 1  # killed a second time, sooner or later
    run(first)
    if run(10**9) != 0 or out.read_bytes() != expected.read_bytes():
        sys.exit(f"wrong after a kill at change {end} and again at {first}")
    left = [path.name for path in out.parent.iterdir() if ".parts" in path.name]
    if left:
        sys.exit(f"left behind: {left}")
    out.unlink()
    end += 1
print(end)
"""


def test_a_run_that_was_killed_at_any_change_of_a_file_goes_on(tmp_path: Path) -> None:
    """Killed with SIGKILL at every change of a file in turn: nothing is lost, nothing is doubled."""
    paths = log_of(tmp_path, 14), tmp_path / "out.jsonl", tmp_path / "fresh.jsonl"
    done = subprocess.run(
        [sys.executable, "-c", KILLED_ANYWHERE, *map(str, paths)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 20


KILLED = """
import sys
from zkit.batch import Work, run_batch
if __name__ == "__main__":
    run_batch(sys.argv[1], sys.argv[2], Work("repair"), processes=int(sys.argv[3]), chunk=5)
"""


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_killed_run_goes_on_and_loses_and_doubles_nothing(tmp_path: Path, processes: int) -> None:
    """Killed at random moments; the processes of its pool end with it."""
    log, out = log_of(tmp_path, 3_000), tmp_path / "out.jsonl"
    script = tmp_path / "killed.py"
    script.write_text(KILLED)
    chance = random.Random(7)
    kills = 0
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, script, log, out, str(processes)], start_new_session=True
        )
        parts = tmp_path / "out.jsonl.parts"
        before = len(list(parts.glob("*.jsonl")))
        while process.poll() is None and len(list(parts.glob("*.jsonl"))) <= before:
            time.sleep(0.005)
        time.sleep(chance.random() * 0.1)
        os.kill(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
        wait_for(partial(group_has_ended, process.pid))
    assert kills > 0
    done = run_batch(log, out, Work("repair"), processes=1, chunk=5, force=out.exists())
    assert done.rows == 3_000
    rows = list(read_output(out))
    assert [row["row"] for row in rows] == list(range(3_000))
    fresh = tmp_path / "fresh.jsonl"
    run_batch(log, fresh, Work("repair"), processes=1)
    assert out.read_bytes() == fresh.read_bytes()
    assert not list(tmp_path.glob("*.parts*"))


def wait_for(is_so: Callable[[], bool]) -> None:
    end = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < end, "waited for a minute"
        time.sleep(0.02)


def group_has_ended(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


def test_another_run_is_not_continued_by_mistake(tmp_path: Path) -> None:
    log, out = log_of(tmp_path, 20), tmp_path / "out.jsonl"
    (tmp_path / "out.jsonl.parts").mkdir()
    (tmp_path / "out.jsonl.parts/run.json").write_text('{"log": [], "work": "other"}')
    with pytest.raises(BatchError, match="left by another run"):
        run_batch(log, out, Work("repair"), processes=1)
    assert run_batch(log, out, Work("repair"), processes=1, force=True).rows == 20
    with pytest.raises(BatchError, match="is there already"):
        run_batch(log, out, Work("repair"), processes=1)


class Deadly:
    """Ends the process that reads it."""

    def __reduce__(self) -> tuple[Any, tuple[int]]:
        return os._exit, (1,)


@pytest.mark.slow
def test_a_row_that_ends_its_process_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zkit.batch import runner
    from zkit.batch.logs import Row

    rows = [Row('{"a": 1}'), Row(Deadly()), Row("{'a': 2}")]
    monkeypatch.setattr(runner, "read_log", lambda log, column: iter(rows))
    log = log_of(tmp_path, 1)
    run_batch(log, tmp_path / "out.jsonl", Work("repair"), processes=2)
    found = list(read_output(tmp_path / "out.jsonl"))
    assert [row["outcome"] for row in found] == ["exact", "failed", "repaired"]
    assert found[1]["reason"] == "crashed"


# ── the report ───────────────────────────────────────────────────────────────


def statistics(tmp_path: Path, rows: int = 90) -> Statistics:
    out = tmp_path / "out.jsonl"
    run_batch(log_of(tmp_path, rows), out, Work("repair"), processes=1, force=True)
    return collect(read_output(out))


def test_statistics_count_what_the_rows_say(tmp_path: Path) -> None:
    found = statistics(tmp_path)
    assert found.rows == 90
    assert found.outcomes["exact"] == 20
    assert found.saved == found.outcomes["repaired"]
    assert sum(found.models["small"].values()) == 45
    assert list(found.days) == ["1970-01-01", "1970-01-02", "1970-01-03", "1970-01-04"]
    assert found.share("damaged") == pytest.approx(100 * (90 - 20 - 20) / 90)


def test_a_report_holds_no_secret_and_no_live_markup() -> None:
    row = {
        "outcome": "refused",
        "reason": "not_json",
        "fixes": [],
        "model": "<img src=x onerror=alert(1)>",
        "text": "key sk-proj-abcdefghijklmnopqrstuvwxyz0123456789 <script>alert(1)</script>",
    }
    found = collect([row])
    page = as_html(found)
    assert "sk-proj-abcdefghijklmnop" not in page + as_markdown(found)
    assert "<script" not in page
    assert "<img" not in page
    assert "http" not in page


def test_thresholds_say_what_is_exceeded(tmp_path: Path) -> None:
    found = statistics(tmp_path)
    assert broken_thresholds(found, ["refused>1%", "failed>0", "damaged>=55%"]) == [
        "refused>1%",
        "damaged>=55%",
    ]
    with pytest.raises(BatchError, match="not a threshold"):
        broken_thresholds(found, ["refused=5"])


@pytest.mark.parametrize(
    ("given", "day"),
    [(0, "1970-01-01"), (1.7e12, "2023-11-14"), ("2026-03-04T05:06:07Z", "2026-03-04"), ("soon", None), (1e300, None)],
)  # fmt: skip
def test_timestamps_of_every_kind_have_a_day(given: object, day: str | None) -> None:
    assert day_of(given) == day


def test_the_command_line_runs_and_reports(tmp_path: Path) -> None:
    log_of(tmp_path, 20)
    done = zkit(
        "batch", "repair", "log.jsonl", "-o", "out.parquet", "--processes", "1", cwd=tmp_path
    )
    assert (done.code, done.out) == (0, "")
    assert "wrote 20 rows" in done.err
    report = zkit("batch", "report", "out.parquet", "-o", "report.html", "-o", "report.json",
                  "--fail-on", "refused>1%", cwd=tmp_path)  # fmt: skip
    assert report.code == 1
    assert "exceeded: refused>1%" in report.err
    assert json.loads((tmp_path / "report.json").read_text())["rows"] == 20
    wrong = zkit("batch", "repair", "log.jsonl", "-o", "out.parquet", cwd=tmp_path)
    assert wrong.code == 2
    assert "is there already" in wrong.err


@pytest.mark.engines
@pytest.mark.filterwarnings("default")  # the engines' own
@pytest.mark.parametrize("engine", ["polars", "daft", "ray"])
def test_an_engine_gives_the_same_columns(engine: str, tmp_path: Path) -> None:
    pytest.importorskip(engine, reason=f"{engine} is not installed")
    import pyarrow as arrow
    from pyarrow import parquet

    texts = [text for text in TEXTS if isinstance(text, str)] * 5
    parquet.write_table(arrow.table({"text": texts}), tmp_path / "log.parquet")
    out = tmp_path / ("out" if engine == "ray" else "out.parquet")
    from zkit.batch.engines import run_engine

    run_engine(engine, str(tmp_path / "log.parquet"), str(out), Work("repair"), "text")
    rows = parquet.read_table(out).to_pylist()
    expected = Work("repair")(texts)
    assert sorted(map(str, (row["outcome"] for row in rows))) == sorted(expected["outcome"])
    assert sorted(str(row["value"]) for row in rows) == sorted(map(str, expected["value"]))


def test_the_figures_of_the_page_are_those_of_the_results() -> None:
    from benchmarks.batch_page import scale_parts
    from benchmarks.report import put_between_markers

    assert put_between_markers(RECIPES, scale_parts()) == RECIPES
    assert all(part in RECIPES for part in scale_parts().values())


RECIPES = (Path(__file__).parent.parent / "docs/scale.md").read_text("utf-8")


def recipe(engine: str) -> str:
    """The lines of an engine in docs/scale.md."""
    row = re.search(rf"^\| {engine} \| (.*) \|$", RECIPES, re.M)
    assert row is not None
    return "\n".join(re.findall(r"`([^`]+)`", row[1]))


@contextmanager
def begun(engine: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, object]]:
    """The names that the lines of an engine need beside `work`."""
    modules = {"polars": "polars", "Daft": "daft", "Ray Data": "ray", "Dask": "dask.dataframe"}
    short = {"polars": "pl", "Dask": "dd", "Daft": "daft", "Ray Data": "ray"}
    if engine != "Spark":
        module = pytest.importorskip(modules[engine], reason=f"{engine} is not installed")
        yield {short[engine]: module}
        return
    sql = pytest.importorskip("pyspark.sql", reason="pyspark is not installed")
    if shutil.which("java") is None:
        pytest.skip("Spark needs a Java runtime")
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)  # else the first one on PATH
    session = sql.SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    spark = session.getOrCreate()
    try:
        yield {"spark": spark}
    finally:
        spark.stop()


@pytest.mark.engines
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("engine", ["polars", "Daft", "Ray Data", "Dask", "Spark"])
def test_the_lines_of_the_page_run(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow as arrow
    from pyarrow import parquet

    texts = [text for text in TEXTS if isinstance(text, str)] * 5
    table = arrow.table({"number": range(len(texts)), "text": texts})
    parquet.write_table(table, tmp_path / "log.parquet", row_group_size=7)
    monkeypatch.chdir(tmp_path)
    lines = recipe(engine).replace("log.parquet", str(tmp_path / "log.parquet"))
    *first, last = lines.replace('"out"', repr(str(tmp_path / "out"))).splitlines()
    with begun(engine, monkeypatch) as names:
        exec("\n".join([*first, f"made = {last}"]), {"work": Work("repair")}, names)
        if engine == "polars":
            (tmp_path / "out").mkdir()
            names["made"].write_parquet(tmp_path / "out/made.parquet")  # type: ignore[attr-defined]
    columns = ["number", "text", *COLUMNS]
    written = sorted(map(str, (tmp_path / "out").glob("*.parquet")))
    rows = [
        row for file in written for row in parquet.read_table(file, columns=columns).to_pylist()
    ]
    rows.sort(key=lambda row: row["number"])
    expected = Work("repair")(texts)
    assert [row["text"] for row in rows] == texts
    for name in COLUMNS:
        assert [row[name] for row in rows] == [
            list(cell) if name == "fixes" else cell for cell in expected[name]
        ]
