"""Decision records that name tests name tests that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
RECORDS = TESTS.parent / "docs" / "decisions"
NAMED = re.compile(r"`([a-z_]+)::([a-z0-9_]+)`")


@pytest.mark.parametrize(
    "record",
    [
        "0029-who-may-run-what.md",
        "0032-standard-tools.md",
        "0033-servers-are-strangers.md",
        "0035-the-failure-chooses-the-page.md",
    ],
)
def test_every_test_that_a_record_names_exists(record: str) -> None:
    named = NAMED.findall((RECORDS / record).read_text("utf-8"))
    assert len(named) > 20
    texts = {file: (TESTS / f"test_{file}.py").read_text("utf-8") for file, _ in named}
    missing = [f"{file}::{name}" for file, name in named if f"def test_{name}(" not in texts[file]]
    assert missing == []
