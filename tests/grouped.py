"""Check many cases in one test: an item of its own costs pytest more than most cases take."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from traceback import format_exception

import pytest


class Group:
    """The failures of the cases of one test, each with the name of its case."""

    def __init__(self) -> None:
        self.failures: list[str] = []

    @contextmanager
    def case(self, name: object) -> Iterator[None]:
        """Run one case; when it fails, the others still run."""
        try:
            yield
        except (Exception, pytest.fail.Exception) as error:
            trace = "".join(format_exception(error)[-2:])
            self.failures.append(f"{name}\n{trace}")


@contextmanager
def grouped() -> Iterator[Group]:
    """Fail at the end with every case that failed."""
    group = Group()
    yield group
    if group.failures:
        count = f"{len(group.failures)} of the cases failed"
        pytest.fail("\n\n".join([count, *group.failures]), pytrace=False)
