"""What the command line says in; a chat with a server, recorded if it should be, out."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from zkit.chat import ChatLoop, PausedRun, PauseStore, ask_clarification
from zkit.chat.requests.profile import Profile
from zkit.cli.chat.interrupts import Interrupts
from zkit.cli.chat.keyboard import Keyboard, Lines, Terminal
from zkit.cli.chat.playing import loop_of, openai_client, play, session_of
from zkit.cli.chat.stage import has_colour, screen_columns
from zkit.cli.chat.tapes import NoTape, Recording, Tape
from zkit.cli.chat.wiretap import tapped_client
from zkit.cli.streams import BadUsageError
from zkit.cli.toolboxes import toolbox_of
from zkit.errors import ZkitError
from zkit.sources import Kit, read_kit
from zkit.transcripts import Header, Redaction, TranscriptWriter


@dataclass(frozen=True, slots=True)
class Options:
    """What the command line says."""

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
    store = None if options.store is None else PauseStore(options.store)
    paused = None if store is None or options.resume is None else _found(store, options.resume)
    header = _header(options, paused)
    box = toolbox_of(options.places)
    box.register(ask_clarification)
    redaction = Redaction(_secrets(options))
    tape: Tape = NoTape()
    if options.record is not None:
        tape = Recording(TranscriptWriter(options.record, header, redaction), header.columns)
    interrupts = Interrupts()
    http = tapped_client(tape, redaction, interrupts)
    client = openai_client(options.base_url, options.api_key, http)

    def make_loop(selection: str | None) -> ChatLoop:
        source = box if selection is None else _kit(box, selection, options.kits)
        return loop_of(client, header, source, tape)

    keyboard: Keyboard = Terminal(tape, colour=header.colour)
    if options.once is not None and not sys.stdin.isatty():
        keyboard = Lines([], tape)
    session = session_of(header, tape, keyboard, make_loop, make_loop(options.kit), interrupts)
    session.store = store
    return play(session, header, paused)


def _header(options: Options, paused: PausedRun | None) -> Header:
    """What must be known to play the chat again."""
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
            "can_ask": options.once is None or sys.stdin.isatty(),
        },
        zkit=version("zkit-llm"),
    )


def _found(store: PauseStore, wanted: str) -> PausedRun:
    """The paused run that is meant: by its id, or the newest that waits."""
    waiting = [one for one in store.list() if one.resumed is None]
    ids = [one.id for one in waiting]
    if wanted == "last" and ids:
        return store.load(ids[-1])
    if wanted in ids:
        return store.load(wanted)
    known = "; ".join(f"{one.id} ({one.waits_for})" for one in waiting) or "nothing waits there"
    raise BadUsageError(f"no paused run {wanted} waits in {store.path}: {known}")


def _secrets(options: Options) -> list[str]:
    parts = urlsplit(options.base_url or "")
    return [one for one in (options.api_key, parts.password, parts.query) if one]


def _public(url: str) -> str:
    """An address without what only its owner should know."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _kit(box: Any, selection: str, kits: str) -> Kit:
    chosen: Any = read_kit(selection) if Path(selection).suffix == ".kit" else selection
    is_file = isinstance(chosen, str) and (Path(kits) / f"{chosen}.kit").is_file()
    if isinstance(chosen, str) and not is_file:
        chosen = [part.strip() for part in chosen.split(",") if part.strip()]
    # Whatever the kit, the model may ask the person who sits there.
    name = "" if is_file else selection
    try:
        return Kit(box, chosen, kits=kits, extra=[ask_clarification], name=name)
    except ZkitError as error:
        if is_file or len(chosen) != 1:
            raise
        raise BadUsageError(
            f"--kit {selection}: no {Path(kits) / selection}.kit, and {error}"
        ) from error
