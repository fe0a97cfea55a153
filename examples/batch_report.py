"""Repair a log of replies, and write a page that says what the models get wrong."""

import json
import tempfile
from pathlib import Path

from zkit.batch import Work, collect, render_report, run_batch
from zkit.batch.logs import read_output

folder = Path(tempfile.mkdtemp())
replies = [
    '{"city": "Oslo", "days": 3}',
    "{'city': 'Oslo', 'days': 3,}",
    'Sure! ```json\n{"city": "Oslo"}\n```',
    '{"city": "Oslo", "days": ',
    "I cannot do that.",
]
with open(folder / "log.jsonl", "w", encoding="utf-8") as log:
    for number in range(1_000):
        record = {"text": replies[number % len(replies)], "model": f"model-{number % 2}"}
        log.write(json.dumps(record) + "\n")

run_batch(folder / "log.jsonl", folder / "out.jsonl", Work("repair"), processes=1)
found = collect(read_output(folder / "out.jsonl"))
(folder / "report.html").write_text(render_report(found, "report.html"), "utf-8")
print(found.outcomes)
print(f"{found.saved} of {found.rows} replies would have been lost")
