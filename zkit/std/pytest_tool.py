"""The tool `test_runner`: run pytest in a process of its own, and report what failed and where."""

from __future__ import annotations

import re
import secrets
import sys
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any
from xml.etree import ElementTree

from pydantic import Field

from zkit.results import Validation
from zkit.std.bubblewrap import Sandbox
from zkit.std.processes import Finished, run
from zkit.std.shell_tools import COMMAND, MAX_SECONDS, command_environment
from zkit.std.std_tool import Workspace, std_tool
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened

_MAX_REPORT = 20_000_000  # bytes of the report that pytest writes
_MAX_FAILURES = 25
_MAX_MESSAGE = 1_500  # characters of each failure
_PLACE = re.compile(r"^(\S[^:\n]*):(\d+): ", re.M)


@dataclass(frozen=True, slots=True)
class FailedTest:
    """A failed test: its name, its place, and the message of pytest."""

    test: str
    file: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class SlowTest:
    """A test and the seconds that it took."""

    test: str
    seconds: float


@dataclass(frozen=True, slots=True)
class TestReport:
    """The counts, the failures and the slowest tests of one run."""

    __test__ = False

    passed: int
    failed: int
    errors: int
    skipped: int
    seconds: float
    exit_code: int | None
    confined: bool
    failures: list[FailedTest]
    slowest: list[SlowTest]
    output: str = ""

    def __str__(self) -> str:
        head = (
            f"passed: {self.passed}  failed: {self.failed}  errors: {self.errors}"
            f"  skipped: {self.skipped}  seconds: {self.seconds}"
        )
        lines = [head]
        for one in self.failures:
            lines += [f"{one.file}:{one.line}: {one.test}", *_indented(one.message)]
        if self.slowest:
            shown = ", ".join(f"{one.test} {one.seconds:g} s" for one in self.slowest)
            lines.append(f"slowest: {shown}")
        return "\n".join([*lines, *([self.output] if self.output else [])])


def _indented(text: str) -> list[str]:
    return [f"    {line}" for line in text.splitlines()]


def pytest_tools(space: Workspace, sandbox: Sandbox) -> list[FunctionTool[..., Any]]:
    """Make `test_runner` for a root."""
    confined = sandbox.works

    @std_tool(
        "process",
        grade=COMMAND,
        destructive=not confined,
        idempotent=True,
        timeout=MAX_SECONDS + 30.0,
        examples=[
            {"arguments": {}, "description": "Run all tests"},
            {
                "arguments": {"paths": ["tests/test_app.py::test_port"]},
                "description": "Run one test",
            },
            {"arguments": {"keyword": "port and not slow"}, "description": "Tests by name"},
        ],
        error_modes=[
            "not_found: pytest is not installed, or a path is not there",
            "invalid_arguments: pytest could not run; the message shows its output",
        ],
    )
    def test_runner(
        context: Context,
        paths: Annotated[
            list[str], Field(description="Files, folders, or file::test; all if empty.")
        ] = [],  # noqa: B006
        keyword: Annotated[
            str, Field(description="Only tests whose names fit, as pytest's -k.")
        ] = "",
        max_failures: Annotated[int, Field(ge=0, le=100, description="Stop after so many.")] = 0,
        timeout: Annotated[
            float, Field(gt=0, le=MAX_SECONDS, description="Seconds until it is killed.")
        ] = 120,
    ) -> TestReport:
        """Run pytest in the workspace: counts, failures with file, line and message, slowest tests.

        Tests that fail are a result, not an error of the tool.
        """
        options = [
            *([f"-k{keyword}"] if keyword else []),
            *([f"--maxfail={max_failures}"] if max_failures else []),
        ]
        targets = [_target(space, path) for path in paths]
        shown = " ".join(["pytest", *paths])
        done, cases = _run_pytest(
            space, sandbox, [*options, "--", *targets], timeout, context, shown
        )
        if done.timed_out:
            raise Validation(
                f"The tests took more than {timeout:g} s and were stopped. Run fewer of them, or"
                f" send a longer timeout. Output:\n{shortened(done.output, 4000)}"
            )
        if cases is None or done.exit_code not in (0, 1, 2, 5):
            raise _not_run(done.output)
        return _report(cases, done.exit_code, done.seconds, confined, done.output)

    return [test_runner]


def _run_pytest(
    space: Workspace,
    sandbox: Sandbox,
    arguments: list[str],
    timeout: float,
    context: Context,
    shown: str,
) -> tuple[Finished, list[ElementTree.Element] | None]:
    """Run pytest; return how it ended, and the test cases of its report as `_cases` reads them."""
    report = f".zkit-{secrets.token_hex(8)}.xml"
    command = [
        _python(space.root), "-m", "pytest", "-q", "--tb=short", "--color=no",
        "-p", "no:cacheprovider", f"--junit-xml={report}", "-o", "junit_family=xunit1",
        *arguments,
    ]  # fmt: skip
    try:
        done = run(
            sandbox.wrap(command, space.root) if sandbox.works else command,
            cwd=space.root,
            timeout=timeout,
            context=context,
            shown=shown,
            environment={**command_environment(), "PYTHONDONTWRITEBYTECODE": "1"},
        )
        return done, None if done.timed_out else _cases(space, report)
    finally:
        with suppress(Validation):
            space.tree.delete(report)


def _python(root: Path) -> str:
    """Return the interpreter of the project, if it has one of its own."""
    own = root / ".venv" / "bin" / "python"
    return str(own) if own.exists() else sys.executable


def _target(space: Workspace, path: str) -> str:
    """Return a target for pytest; refuse a path that does not exist or goes through a link."""
    file, mark, test = path.partition("::")
    if space.tree.stamp(file) is None:
        space.tree.open_folder(file).close()
    return space.tree.name(file) + mark + test


def _not_run(output: str) -> Validation:
    if "No module named pytest" in output:
        return Validation("pytest is not installed for this project.", code="not_found")
    return Validation(f"pytest could not run:\n{shortened(output, 4000)}")


def _cases(space: Workspace, report: str) -> list[ElementTree.Element] | None:
    """Return the test cases of a report; None when pytest wrote none that can be read."""
    try:
        data, _ = space.tree.read(report, most=_MAX_REPORT)
        return list(ElementTree.fromstring(data).iter("testcase"))
    except (Validation, ElementTree.ParseError):
        return None


def _report(
    cases: list[ElementTree.Element],
    exit_code: int | None,
    seconds: float,
    confined: bool,
    output: str,
) -> TestReport:
    counts = dict.fromkeys(("failure", "error", "skipped"), 0)
    for case in cases:
        for kind in counts:
            counts[kind] += case.find(kind) is not None
    failures = [found for case in cases for found in _failures(case)]
    timed = sorted((SlowTest(_name(c), float(c.get("time") or 0)) for c in cases), key=_slowness)
    return TestReport(
        passed=len(cases) - sum(counts.values()),
        failed=counts["failure"],
        errors=counts["error"],
        skipped=counts["skipped"],
        seconds=seconds,
        exit_code=exit_code,
        confined=confined,
        failures=failures[:_MAX_FAILURES],
        slowest=[one for one in timed[:3] if one.seconds >= 0.01],
        output="" if cases else shortened(output.strip(), 4000),
    )


def _slowness(test: SlowTest) -> float:
    return -test.seconds


def _name(case: ElementTree.Element) -> str:
    return case.get("name") or case.get("classname") or "?"


def _failures(case: ElementTree.Element) -> Iterator[FailedTest]:
    for kind in ("failure", "error"):
        for found in case.findall(kind):
            text = (found.text or found.get("message") or "").strip()
            places = _PLACE.findall(text)
            default = (case.get("file") or "", str(int(case.get("line") or 0) + 1))
            file, line = places[-1] if places else default
            yield FailedTest(_name(case), file, int(line), shortened(text, _MAX_MESSAGE))
