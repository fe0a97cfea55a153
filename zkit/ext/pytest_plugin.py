"""A user's case files as pytest items, and a scripted server as a fixture.

In the ini file, `zkit_cases = broken/*.toml` names the files by globs. Each case is an item with the file
and the line of the case. `zkit_decoder = package:function` runs the cases against another decoder,
and so does
`decoder = "package:function"` in a case file or in one case.
`--zkit-update` writes the actual outcome of a failing case into its file, and keeps comments.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # zkit is imported when cases are collected, not when pytest starts
    from _pytest._code.code import TerminalRepr, TracebackStyle

    from zkit.cases import Case
    from zkit.testing import ScriptedServer


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings of the ini file and the option of the command line."""
    parser.addini("zkit_cases", "Globs of case files, relative to the root folder.", "linelist")
    parser.addini("zkit_decoder", "Another decoder, as package:function.", default="")
    group = parser.getgroup("zkit")
    group.addoption(
        "--zkit-update",
        action="store_true",
        help="Write the outcome of failing cases into their files, as the expected one.",
    )
    group.addoption("--zkit-decoder", default="", help="Run the cases against package:function.")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the files that the ini file names, and no others."""
    globs = parent.config.getini("zkit_cases")
    if not globs or file_path.suffix not in (".toml", ".jsonl"):
        return None
    root = parent.config.rootpath
    below = file_path.relative_to(root) if file_path.is_relative_to(root) else file_path
    if not any(file_path.match(one) or below.match(one) for one in globs):
        return None
    made: CaseFile = CaseFile.from_parent(parent, path=file_path)
    return made


class CaseFile(pytest.File):
    """One case file."""

    def collect(self) -> Iterator[pytest.Item]:
        """Give one item for each case."""
        from zkit.cases import CaseFileError, load

        try:
            cases = load([self.path])
        except CaseFileError as error:
            raise self.CollectError(str(error)) from None
        for case in cases:
            yield CaseItem.from_parent(self, name=case.it, case=case)


class CaseFailedError(Exception):
    """A case whose outcome is not the expected one."""


class CaseItem(pytest.Item):
    """One case."""

    def __init__(self, *, case: Case, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self.case = case

    def runtest(self) -> None:
        """Run the case; with `--zkit-update`, a failing one is rewritten."""
        from zkit.cases import run

        given = self.config.getoption("zkit_decoder")
        decoder = given or self.case.decoder or self.config.getini("zkit_decoder")
        if decoder:
            problem = compared(self.case, _function(decoder))
        else:
            problem = run(self.case).mismatch
            if problem and self.config.getoption("zkit_update"):
                problem = updated(self.case, self.path) or None
        if problem:
            raise CaseFailedError(problem)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: TracebackStyle | None = None
    ) -> str | TerminalRepr:
        """Return the difference in one line."""
        if isinstance(excinfo.value, CaseFailedError):
            return f"{self.path}:{self.case.line}: it should {self.case.it}\n  {excinfo.value}"
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return the file and the line of the case."""
        return self.path, self.case.line - 1, self.case.it


def _function(name: str) -> Callable[[str], object]:
    """Return the function that `package:function` names."""
    module, _, attribute = name.partition(":")
    if not module or not attribute:
        raise pytest.UsageError(f"{name!r} is not a decoder: write it as package:function")
    try:
        found = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise pytest.UsageError(f"zkit_decoder: {error}") from None
    if not callable(found):
        raise pytest.UsageError(f"zkit_decoder: {name} cannot be called")
    return found  # type: ignore[no-any-return]


def compared(case: Case, decoder: Callable[[str], object]) -> str | None:
    """Return how the value of another decoder differs from what the case expects; None if it does
    not.

    The decoder gets the text, and returns the value or raises. A case that expects a refusal holds
    when it raises, one that expects calls is skipped.
    """
    expected = getattr(case, "json", None)
    if case.kind == "extract":
        pytest.skip("a decoder reads values, not calls in text")
    try:
        came = decoder(case.text)
    except Exception as error:
        return None if getattr(case, "refused", None) else f"expected a value, came {error!r:.200}"
    if getattr(case, "refused", None):
        return f"expected a refusal, came {came!r:.200}"
    wanted = json.loads(case.text if expected is None else expected)
    return None if came == wanted else f"expected {wanted!r:.200}, came {came!r:.200}"


def updated(case: Case, path: Path) -> str:
    """Write the outcome of a case into its file; return an empty text, or why that is not possible."""
    from zkit.cases.writing import update_case

    return update_case(case, path)


@pytest.fixture
def zkit_server() -> Iterator[ScriptedServer]:
    """An OpenAI-compatible server on loopback that plays a script: `zkit_server.play(says("Hi"))`."""
    from zkit.testing import ScriptedServer

    with ScriptedServer() as server:
        yield server
