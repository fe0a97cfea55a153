"""`zkit doctor`: examine a model on a server, and write a profile of the settings that it needs."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial

import click
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from zkit.chat import Profile
from zkit.cli.screen import Screen
from zkit.cli.shared_options import API_KEY, BASE_URL, MODEL, connect
from zkit.cli.streams import BadUsageError, counted, tell, write_json, write_line
from zkit.doctor import (
    ATTEMPTS,
    PROBES,
    Connection,
    Examination,
    Finding,
    Minimized,
    Probe,
    as_curl,
    minimize,
    requests_of,
    selected,
)
from zkit.json_types import JsonObject

EPILOG = """\b
Examples:
  zkit doctor --base-url http://localhost:11434/v1 --out ours.toml
  zkit doctor --base-url http://localhost:8080/v1 --only 'stream*' --timeout 240
  zkit doctor --base-url http://localhost:8080/v1 --only ref --minimize

Exit code: 0 usable, 1 the server cannot be reached or used, 2 bad usage, 130 interrupted."""
_LOOK = {"ok": ("ok", "green"), "covered": ("covered", "yellow"), "timeout": ("timed out", "magenta"), "open": ("not covered", "red"), "skipped": ("–", "bright_black")}  # fmt: skip
_WIDTH = max(map(len, PROBES))


@dataclass
class Run:
    """One run of the doctor: what was found so far."""

    examination: Examination
    connection: Connection
    probes: list[Probe]
    base_url: str
    began: float = field(default_factory=time.monotonic)
    findings: list[Finding] = field(default_factory=list)
    smallest: dict[str, Minimized] = field(default_factory=dict)
    interrupted: bool = False

    @property
    def usable(self) -> bool:
        """True if a loop can work with the server, as far as that was tried."""
        return bool(self.findings) and self.examination.is_usable(self.findings)

    def count(self, status: str) -> int:
        """Return how many findings have this status."""
        return sum(one.verdict.status == status for one in self.findings)


@click.command(epilog=EPILOG)
@BASE_URL
@MODEL
@API_KEY
@click.option("--only", metavar="GLOB", multiple=True, help="Only these probes. May be repeated.")
@click.option("--list", "listing", is_flag=True, help="List the probes, and ask nothing.")
@click.option("--timeout", type=click.FloatRange(0.1), default=60.0, metavar="SECONDS",
              help="How long one answer may take (default 60).")  # fmt: skip
@click.option(
    "--out",
    metavar="FILE",
    help="Write the profile: TOML, or JSON if it ends in .json. Also after Ctrl-C.",
)
@click.option("--minimize", "shrinking", is_flag=True,
              help="Shrink each request that fails to the smallest one that still does, and print it.")  # fmt: skip
@click.option("--json", "machine", is_flag=True, help="One JSON object with all findings.")
@click.pass_context
def command(
    ctx: click.Context,
    base_url: str | None,
    model: str | None,
    api_key: str | None,
    only: tuple[str, ...],
    listing: bool,
    timeout: float,
    out: str | None,
    shrinking: bool,
    machine: bool,
) -> None:
    """Find out what a model on a server gets wrong, and which settings of zkit cover it.

    Each probe asks for something that has one right answer, and looks at what comes back: as a
    plain client sees it, and as zkit does. Where that is not enough, settings are tried that may
    help; those that do are in the profile, for ChatLoop(profile=...) and wrap(profile=...).
    A probe whose request timed out gets no verdict: give the server more time with --timeout.
    """
    probes = selected(only)
    if not probes:
        raise BadUsageError(
            f"no probe is called {' or '.join(only)}; zkit doctor --list names them"
        )
    if listing:
        list_probes(probes, machine)
        return
    client = connect(base_url, api_key)
    connection = Connection(client, model or "", timeout)
    connection.model = chosen_model(ctx, connection, model, machine)
    run = Run(Examination(connection, connection.address), connection, probes, connection.address)
    examine(run, machine)
    if shrinking and not run.interrupted:
        shrink(run, machine)
    if machine:
        write_json(as_object(run))
    else:
        sum_up(run, out, timeout)
    if out is not None and run.usable:
        write_profile(run, out)
    ctx.exit(130 if run.interrupted else int(not run.usable))


def list_probes(probes: list[Probe], machine: bool) -> None:
    """Print what each probe is about."""
    for probe in probes:
        listed = {"probe": probe.name, "shows": probe.shows, "judged": probe.judged,
                "questions": list(probe.questions), "covered_by": probe.covers}  # fmt: skip
        line = f"{probe.name:<{_WIDTH}}  {probe.shows}; covered by {probe.covers}"
        if machine:
            write_json(json.dumps(listed, ensure_ascii=False))
        else:
            write_line(line)


def chosen_model(
    ctx: click.Context, connection: Connection, model: str | None, machine: bool
) -> str:
    """Return the given model, or the only one on the server; exit if there is no server."""
    try:
        names = connection.models()
    except Exception as error:  # any error of the client, the connection or the server
        status = getattr(error, "status_code", None)
        is_elsewhere = status == 404 and not connection.address.rstrip("/").endswith("/v1")
        if status is None or status in (401, 403) or is_elsewhere:
            unreachable(ctx, connection.address, error, machine)
        names = []
    if model is None and len(names) != 1:
        known = f"; it has: {', '.join(names[:10])}" if names else ""
        raise BadUsageError(f"which model? Name it with --model NAME{known}")
    if model and names and model not in names:
        tell(f"the server does not list {model}; it has: {', '.join(names[:10])}")
    return model or names[0]


def unreachable(ctx: click.Context, address: str, error: Exception, machine: bool) -> None:
    """Print why the server cannot be used, and what to check; exit with 1."""
    if getattr(error, "status_code", None) in (401, 403):
        advice = "it wants a key: --api-key KEY, or set ZKIT_API_KEY"
    elif type(error).__name__ == "APITimeoutError":
        advice = "it does not answer; it may be loading a model: try a longer --timeout"
    else:
        advice = "is it running, and does the address end in /v1?"
    reason = f"{address} cannot be reached: {str(error).rstrip('.')}; {advice}"
    if machine:
        write_json(json.dumps({"base_url": address, "usable": False, "error": reason}))
    else:
        tell(reason)
    ctx.exit(1)


def examine(run: Run, machine: bool) -> None:
    """Run the probes with a progress bar; each finding is shown as soon as it is there."""
    screen = Screen(highlight=False, markup=False)
    if not machine:
        screen.print(heading(run), soft_wrap=True)
    with progress(screen) as bar:
        task = bar.add_task("", total=len(run.probes))
        try:
            for finding in run.examination.run(run.probes):
                run.findings.append(finding)
                following = run.probes[len(run.findings) :][:1]
                bar.update(task, advance=1, description=following[0].name if following else "")
                if not machine:
                    show(screen, finding)
                if has_no_answer(finding):
                    break
        except KeyboardInterrupt:
            run.interrupted = True


def show(screen: Screen, finding: Finding) -> None:
    """Print one finding: cut to the width of a terminal, whole in a pipe."""
    if screen.is_terminal:
        screen.print(as_line(finding), no_wrap=True, overflow="ellipsis")
    else:
        screen.print(as_line(finding), soft_wrap=True)


def heading(run: Run) -> str:
    """Return one line on what will be done."""
    return (
        f"{run.connection.model} at {run.base_url}: {counted(len(run.probes), 'probe')},"
        f" {counted(requests_of(run.probes), 'request')} (and some more where something is wrong)\n"
    )


@contextmanager
def progress(screen: Screen) -> Iterator[Progress]:
    """Show a bar below the findings on a terminal; on standard error if the findings go elsewhere."""
    shown = screen if screen.is_terminal else Screen(stderr=True)
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=shown, transient=True, disable=not shown.is_terminal) as bar:
        yield bar


def has_no_answer(finding: Finding) -> bool:
    """True if a plain question gets no answer, so that going on makes no sense."""
    return finding.probe.name == "answer" and finding.is_failure


def as_line(finding: Finding) -> Text:
    """Return one finding as a line: the probe, its verdict, the evidence, and what covers it."""
    verdict = finding.verdict
    word, style = _LOOK[verdict.status]
    line = Text.assemble((f"{word:<11}", f"bold {style}"), f"  {finding.probe.name:<{_WIDTH}}  ")
    if verdict.by:
        line.append(f"{verdict.by}", style="cyan")
        line.append(" ← ", style="bright_black")
    line.append(verdict.evidence)
    return line


def sum_up(run: Run, out: str | None, timeout: float) -> None:
    """Print the counts, what a profile would say, and whether the server can be used."""
    screen = Screen(highlight=False, markup=False)
    counts = f"{run.count('ok')} ok, {run.count('covered')} covered by zkit, {run.count('open')} not covered"
    late = run.count("timeout")
    counts += f", {late} timed out" if late else ""
    seconds = time.monotonic() - run.began
    stopped = "interrupted: " if run.interrupted else ""
    screen.print(
        f"\n{stopped}{counts}; {counted(run.connection.sent, 'request')} in {seconds:.1f} s",
        style="bold",
        soft_wrap=True,
    )
    usual = Profile().server_settings()
    settings = run.examination.profile.server_settings().items()
    changed = [f"{key} = {json.dumps(value)}" for key, value in settings if value != usual[key]]
    screen.print(f"profile: {', '.join(changed) or 'nothing special'}", soft_wrap=True)
    if late:
        advice = f"there is no verdict on what timed out: try --timeout {4 * timeout:g}"
        screen.print(advice, style="magenta", soft_wrap=True)
    if not run.usable and not late:
        screen.print("not usable: it returned no call", style="bold red", soft_wrap=True)
    elif run.usable and out is None:
        screen.print(
            "--out FILE writes the profile, for ChatLoop(profile=...) and wrap(profile=...)",
            soft_wrap=True,
        )


def as_object(run: Run) -> str:
    """Return everything as one JSON object on one line."""
    found: JsonObject = {
        "model": run.connection.model,
        "base_url": run.base_url,
        "usable": run.usable,
        "interrupted": run.interrupted,
        "requests": run.connection.sent,
        "seconds": round(time.monotonic() - run.began, 1),
        "findings": [{**one.to_dict(), **smallest_of(run, one)} for one in run.findings],
        "profile": run.examination.profile.to_dict(),
    }
    return json.dumps(found, ensure_ascii=False)


def smallest_of(run: Run, finding: Finding) -> JsonObject:
    """Return the smallest request that fails, as part of a finding in JSON."""
    found = run.smallest.get(finding.probe.name)
    if found is None:
        return {}
    return {
        "smallest_request": found.request,
        "curl": as_curl(run.base_url, found.request),
        "fails_every_time": found.is_steady,
    }


def shrink(run: Run, machine: bool) -> None:
    """Find the smallest request that still fails for each probe that failed, and print it."""
    screen = Screen(highlight=False, markup=False)
    failures = run.examination.failures
    if not failures and not machine:
        screen.print("\nnothing to minimize: no single request failed", soft_wrap=True)
    with progress(screen) as bar:
        try:
            for name, first in failures.items():
                task = bar.add_task(f"minimize {name}", total=ATTEMPTS)
                shown = partial(_advance, bar, task)
                found = minimize(run.connection, PROBES[name], first, on_attempt=shown)
                bar.remove_task(task)
                run.smallest[name] = found
                if not machine:
                    show_smallest(screen, run, name, found)
        except KeyboardInterrupt:
            run.interrupted = True


def _advance(bar: Progress, task: TaskID, sent: int) -> None:
    bar.update(task, completed=sent)


def show_smallest(screen: Screen, run: Run, name: str, found: Minimized) -> None:
    """Print the smallest request as JSON and as a command for a shell."""
    sent = counted(found.sent, "request")
    if not found.is_steady:
        screen.print(f"\n{name} failed once, and not again with the same request", soft_wrap=True)
        return
    end = "" if found.is_finished else ", as far as the attempts went"
    screen.print(
        f"\nsmallest request that fails {name} ({sent}{end})", style="bold", soft_wrap=True
    )
    screen.print(f"{found.evidence}\n", soft_wrap=True)
    screen.print(json.dumps(found.request, ensure_ascii=False, indent=2), soft_wrap=True)
    screen.print(f"\n{as_curl(run.base_url, found.request)}", soft_wrap=True)


def write_profile(run: Run, path: str) -> None:
    """Write the profile, or report why it cannot be written."""
    try:
        run.examination.profile.write(path)
    except OSError as error:
        raise BadUsageError(f"{path}: {error.strerror}") from error
    done = f" (partial: {len(run.findings)} of {len(run.probes)} probes)" if run.interrupted else ""
    tell(f"wrote {path}{done}")
