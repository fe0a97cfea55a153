"""The command `zkit chat`: its options, and a chat with a server, recorded if it should be."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import click

from zkit.chat import ChatLoop, PausedRun, PauseStore, Stored, ask_clarification
from zkit.chat.server_profile import Profile
from zkit.cli.chat.play import APPROVERS, loop_of, openai_client, play, replayed, session_of
from zkit.cli.chat.recording import ChatLog, FileLog, Interrupts, NoLog, recording_client
from zkit.cli.chat.terminal import Keyboard, Lines, Terminal, has_colour, screen_columns
from zkit.cli.shared_options import (
    API_KEY,
    BASE_URL,
    FROM,
    KITS,
    MODEL,
    check_server,
    only_model,
    place_for,
    toolbox_of,
)
from zkit.cli.streams import BadUsageError, read_text
from zkit.errors import ZkitError
from zkit.json_types import JsonObject
from zkit.sources import Kit, read_kit
from zkit.sources.kit_files import SUFFIXES
from zkit.std import StdKits
from zkit.transcripts import Header, Redaction, TranscriptWriter, read_transcript


@dataclass(frozen=True, slots=True)
class Options:
    """The options of the command line."""

    base_url: str | None
    api_key: str | None
    model: str
    profile: Profile
    system: str
    kit: str | None
    places: tuple[str, ...]
    kits: str
    approve: str
    max_turns: int
    once: str | None
    store: str | None
    resume: str | None
    record: str | None


def chatted(options: Options) -> int:
    """Chat, or ask once; the exit code."""
    secret = os.environ.get("ZKIT_PAUSE_SECRET") or None
    store = None if options.store is None else PauseStore(options.store, secret=secret)
    line = None if store is None or options.resume is None else _found(store, options.resume)
    if line is not None and line.started and options.once is not None:
        raise BadUsageError(f"{_started(line)}. Look at it, then resume without --once")
    paused = None if store is None or line is None else store.load(line.id)
    header = _header(options, paused, line)
    box = toolbox_of(options.places, place_for(options.kit, options.kits))
    if "ask_clarification" not in box:
        box.register(ask_clarification)
    redaction = Redaction(_secrets(options))
    log: ChatLog = NoLog()
    if options.record is not None:
        log = FileLog(TranscriptWriter(options.record, header, redaction), header.columns)
    interrupts = Interrupts()
    http = recording_client(log, redaction, interrupts)
    client = openai_client(options.base_url, options.api_key, http)

    def make_loop(selection: str | None) -> ChatLoop:
        source = box if selection is None else _kit(box, selection, options.kits)
        return loop_of(client, header, source, log)

    keyboard: Keyboard = Terminal(log, colour=header.colour)
    if options.once is not None and not sys.stdin.isatty():
        keyboard = Lines([], log)
    session = session_of(header, log, keyboard, make_loop, make_loop(options.kit), interrupts)
    session.store = store
    return play(session, header, paused)


def _header(options: Options, paused: PausedRun | None, line: Stored | None) -> Header:
    """Return the header, which holds what a replay needs."""
    is_unicode = (sys.stdout.encoding or "").lower().startswith("utf")
    return Header(
        model=options.model or (paused.model if paused else ""),
        base_url=_public(options.base_url or ""),
        kit=options.kit or "",
        system=options.system,
        once=options.once,
        columns=screen_columns(),
        colour=has_colour(sys.stdout),
        options={
            "approve": options.approve,
            "max_turns": options.max_turns,
            "profile": options.profile.to_dict(),
            "marks": "utf-8" if is_unicode else "ascii",
            "store": options.store or "",
            "resumed": None if paused is None else paused.to_dict(),
            "started": [] if line is None else [one._asdict() for one in line.started],
            "can_ask": options.once is None or sys.stdin.isatty(),
        },
        zkit=version("zkit-llm"),
    )


def _found(store: PauseStore, wanted: str) -> Stored:
    """Return the paused run with this id, or the newest that can continue.

    A run whose process ended during a call can continue too, after somebody has checked the call.
    """
    lines = store.list()
    waiting = [one for one in lines if one.is_free or (one.started and one.is_expired)]
    for one in reversed(waiting):
        if wanted in ("last", one.id):
            return one
    taken = next((one for one in lines if one.id == wanted), None)
    if taken is not None and taken.lease_until is not None:
        until = datetime.fromtimestamp(taken.lease_until, UTC).isoformat(timespec="seconds")
        started = f"; {_started(taken)}" if taken.started else ""
        raise BadUsageError(f"{wanted} is being resumed by another process until {until}{started}")
    known = "; ".join(f"{one.id} ({one.waits_for})" for one in waiting) or "nothing waits there"
    raise BadUsageError(f"no paused run {wanted} waits in {store.path}: {known}")


def _started(line: Stored) -> str:
    """Return which calls a process had started when it ended."""
    calls = [
        f"{one.name} {one.arguments} at {one.began}"
        + (f" (it ended at {one.ended})" if one.ended else " (no end was noted)")
        for one in line.started
    ]
    return f"a process that resumed {line.id} started {'; '.join(calls)}"


def _secrets(options: Options) -> list[str]:
    parts = urlsplit(options.base_url or "")
    return [one for one in (options.api_key, parts.password, parts.query) if one]


def _public(url: str) -> str:
    """Return an address without its credentials."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _kit(box: Any, selection: str, kits: str) -> Kit:
    folder = StdKits(kits)
    chosen: Any = read_kit(selection) if Path(selection).suffix in SUFFIXES else selection
    is_file = isinstance(chosen, str) and chosen in folder.names()
    if isinstance(chosen, str) and not is_file:
        chosen = [part.strip() for part in chosen.split(",") if part.strip()]
    # Whatever the kit, the model may ask the user.
    name = "" if is_file else selection
    try:
        return Kit(box, chosen, kits=folder, extra=[ask_clarification], name=name)
    except ZkitError as error:
        if is_file or len(chosen) != 1:
            raise
        raise BadUsageError(
            f"--kit {selection}: no {Path(kits) / selection}.kit, and {error}"
        ) from error


EPILOG = """\b
Examples:
  zkit chat --base-url http://localhost:11434/v1 --from weather
  zkit chat --profile ours.toml --from weather --once 'Oslo tomorrow?' --record talk.jsonl
  zkit chat --replay talk.jsonl

Exit code: 0 done (with --once: answered), 1 no answer, or a replay that differs, 2 bad usage,
3 with --once: the run is paused and waits for somebody."""


@click.command(epilog=EPILOG)
@BASE_URL
@API_KEY
@MODEL
@click.option(
    "--profile",
    metavar="FILE",
    type=click.Path(),
    help="How the server wants to be asked, as zkit doctor --out wrote it; names model and server.",
)
@click.option(
    "--system", metavar="TEXT", default="", help="The system prompt; @FILE reads it from a file."
)
@click.option(
    "--kit",
    metavar="KIT",
    help="The tools to offer: a kit file by name or path, or a,b,#tag,!c. Default: all.",
)
@FROM
@KITS
@click.option(
    "--approve",
    type=click.Choice(list(APPROVERS)),
    default="ask",
    help="What to do before a call that can destroy something (default ask).",
)
@click.option(
    "--max-turns",
    metavar="N",
    type=click.IntRange(1),
    default=12,
    help="The most replies to one question (default 12).",
)
@click.option(
    "--once",
    metavar="QUESTION",
    help="Ask one question and leave: the answer on standard output, all else on standard error.",
)
@click.option(
    "--store",
    metavar="FILE",
    help="Keep paused runs in this SQLite file, so that they can be resumed. They are signed if ZKIT_PAUSE_SECRET is set.",
)
@click.option(
    "--resume",
    metavar="ID",
    help="Go on with a paused run of --store; `last` is the newest. Shows the calls that a process had started before it was killed. With --once, QUESTION is the answer, or yes.",
)
@click.option(
    "--record",
    metavar="FILE",
    type=click.Path(),
    help="Write a transcript: every request, every byte of the answers, every event.",
)
@click.option(
    "--replay",
    metavar="FILE",
    type=click.Path(),
    help="Show a transcript again, without a model and without running a tool; tells where zkit now does something else.",
)
def command(replay: str | None, model: str | None, **given: Any) -> None:
    """Chat with a model that may call tools, on any OpenAI-compatible server.

    Shows the text as it arrives, each call, what was repaired in it, its result and its effects.
    /help lists the commands; Ctrl-C stops a turn, Ctrl-D leaves.
    """
    try:
        if replay is not None:
            code = replayed(read_transcript(replay), replay)
        else:
            code = chatted(_options(model, given))
    except ZkitError as error:
        raise BadUsageError(str(error)) from error
    raise click.exceptions.Exit(code)


def _options(model: str | None, given: JsonObject) -> Options:
    if given["resume"] and not given["store"]:
        raise BadUsageError("--resume needs --store FILE: where the paused run is")
    profile = Profile.of(given.pop("profile"))
    given["base_url"] = given["base_url"] or profile.base_url or None
    check_server(given["base_url"], given["api_key"])
    if not (model or profile.model or given["resume"]):
        model = only_model(given["base_url"], given["api_key"])
    system = given["system"]
    if system.startswith("@"):
        given["system"] = read_text(system[1:])
    return Options(model=model or profile.model, profile=profile, **given)
