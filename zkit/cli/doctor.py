"""A server and a model in; what they get wrong, what covers it, and a profile file out."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from zkit.chat import Profile
from zkit.cli.screen import Screen
from zkit.cli.servers import API_KEY, BASE_URL, MODEL, connect
from zkit.cli.streams import BadUsageError, counted, tell, write_json, write_line
from zkit.doctor import PROBES, Examination, Finding, Line, Probe, requests_of, selected

EPILOG = (
    "Exit code: 0 usable, 1 the server cannot be reached or used, 2 bad usage, 130 interrupted."
)
_LOOK = {"ok": ("ok", "green"), "covered": ("covered", "yellow"), "open": ("not covered", "red"), "skipped": ("–", "bright_black")}  # fmt: skip
_WIDTH = max(map(len, PROBES))


@dataclass
class Run:
    """One run of the doctor: what was found so far."""

    examination: Examination
    line: Line
    probes: list[Probe]
    base_url: str
    began: float = field(default_factory=time.monotonic)
    findings: list[Finding] = field(default_factory=list)
    interrupted: bool = False

    @property
    def usable(self) -> bool:
        """Whether a loop can work with the server."""
        return bool(self.findings) and self.examination.is_usable(self.findings)

    def count(self, status: str) -> int:
        """How many findings are of a kind."""
        return sum(one.verdict.status == status for one in self.findings)


@click.command(epilog=EPILOG)
@BASE_URL
@MODEL
@API_KEY
@click.option("--only", metavar="GLOB", multiple=True, help="Only these probes. May be repeated.")
@click.option("--list", "listing", is_flag=True, help="List the probes, and ask nothing.")
@click.option("--timeout", type=click.FloatRange(0.1), default=60.0, metavar="SECONDS",
              help="How long one answer may take (default 60).")  # fmt: skip
@click.option("--out", metavar="FILE", help="Write the profile: TOML, or JSON if it ends in .json.")
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
    machine: bool,
) -> None:
    """Find out what a model on a server gets wrong, and which settings of zkit cover it.

    Each probe asks for something that has one right answer, and looks at what comes back: as a
    plain client sees it, and as zkit does. Where that is not enough, settings are tried that may
    help; those that do stand in the profile, for ChatLoop(profile=...) and wrap(profile=...).
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
    line = Line(client, model or "", timeout)
    line.model = chosen_model(ctx, line, model, machine)
    run = Run(Examination(line, line.address), line, probes, line.address)
    examine(run, machine)
    if machine:
        write_json(as_object(run))
    else:
        sum_up(run, out)
    if out is not None and run.usable and not run.interrupted:
        write_profile(run.examination.profile, out)
    ctx.exit(130 if run.interrupted else int(not run.usable))


def list_probes(probes: list[Probe], machine: bool) -> None:
    """Print what each probe is about."""
    for probe in probes:
        told = {"probe": probe.name, "shows": probe.shows, "judged": probe.judged,
                "asks": list(probe.asks), "covered_by": probe.covers}  # fmt: skip
        line = f"{probe.name:<{_WIDTH}}  {probe.shows}; covered by {probe.covers}"
        if machine:
            write_json(json.dumps(told, ensure_ascii=False))
        else:
            write_line(line)


def chosen_model(ctx: click.Context, line: Line, model: str | None, machine: bool) -> str:
    """The model that was named, or the only one there is; ends when the server cannot be reached."""
    try:
        names = line.models()
    except Exception as error:  # whatever the client, the wire or the server makes of it
        status = getattr(error, "status_code", None)
        if status is None or status in (401, 403):
            unreachable(ctx, line.address, error, machine)
        names = []
    if model is None and len(names) != 1:
        known = f"; it has: {', '.join(names[:10])}" if names else ""
        raise BadUsageError(f"which model? say --model NAME{known}")
    if model and names and model not in names:
        tell(f"the server does not list {model}; it has: {', '.join(names[:10])}")
    return model or names[0]


def unreachable(ctx: click.Context, address: str, error: Exception, machine: bool) -> None:
    """Say why there is no talking to the server, and what to do; exit with 1."""
    if getattr(error, "status_code", None) in (401, 403):
        advice = "it wants a key: --api-key KEY, or set ZKIT_API_KEY"
    else:
        advice = "is it running, and does the address end in /v1?"
    said = f"{address} cannot be reached: {str(error).rstrip('.')}; {advice}"
    if machine:
        write_json(json.dumps({"base_url": address, "usable": False, "error": said}))
    else:
        tell(said)
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
    """What will be done."""
    return (
        f"{run.line.model} at {run.base_url}: {counted(len(run.probes), 'probe')},"
        f" {counted(requests_of(run.probes), 'request')} (and some more where something is wrong)\n"
    )


@contextmanager
def progress(screen: Screen) -> Iterator[Progress]:
    """A bar below the findings on a terminal; on standard error when the findings go elsewhere."""
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
    """Whether there is no point in asking on: a plain question gets no answer."""
    return finding.probe.name == "answer" and finding.is_failure


def as_line(finding: Finding) -> Text:
    """One finding: the probe, how it came out, the evidence, and what covers it."""
    verdict = finding.verdict
    word, style = _LOOK[verdict.status]
    line = Text.assemble((f"{word:<11}", f"bold {style}"), f"  {finding.probe.name:<{_WIDTH}}  ")
    if verdict.by:
        line.append(f"{verdict.by}", style="cyan")
        line.append(" ← ", style="bright_black")
    line.append(verdict.evidence)
    return line


def sum_up(run: Run, out: str | None) -> None:
    """Print the counts, what a profile would say, and whether the server can be used."""
    screen = Screen(highlight=False, markup=False)
    counts = f"{run.count('ok')} ok, {run.count('covered')} covered by zkit, {run.count('open')} not covered"
    seconds = time.monotonic() - run.began
    stopped = "interrupted: " if run.interrupted else ""
    screen.print(
        f"\n{stopped}{counts}; {counted(run.line.sent, 'request')} in {seconds:.1f} s",
        style="bold",
        soft_wrap=True,
    )
    usual = Profile().server_settings()
    manners = run.examination.profile.server_settings().items()
    changed = [f"{key} = {json.dumps(value)}" for key, value in manners if value != usual[key]]
    screen.print(f"profile: {', '.join(changed) or 'nothing special'}", soft_wrap=True)
    if not run.usable:
        screen.print("not usable: no call could be got from it", style="bold red", soft_wrap=True)
    elif out is None:
        screen.print(
            "--out FILE writes the profile, for ChatLoop(profile=...) and wrap(profile=...)",
            soft_wrap=True,
        )


def as_object(run: Run) -> str:
    """Everything as one JSON object on one line."""
    found: dict[str, Any] = {
        "model": run.line.model,
        "base_url": run.base_url,
        "usable": run.usable,
        "interrupted": run.interrupted,
        "requests": run.line.sent,
        "seconds": round(time.monotonic() - run.began, 1),
        "findings": [finding.to_dict() for finding in run.findings],
        "profile": run.examination.profile.to_dict(),
    }
    return json.dumps(found, ensure_ascii=False)


def write_profile(profile: Profile, path: str) -> None:
    """Write the profile, or say why it cannot be written."""
    try:
        profile.write(path)
    except OSError as error:
        raise BadUsageError(f"{path}: {error.strerror}") from error
    tell(f"wrote {path}")
