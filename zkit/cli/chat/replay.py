"""A transcript in; the same chat on the screen again, and where it deviates, out."""

from __future__ import annotations

import click

from zkit.chat import ChatLoop, PausedRun
from zkit.cli.chat.interrupts import Interrupts
from zkit.cli.chat.keyboard import Replayed
from zkit.cli.chat.playing import loop_of, openai_client, play, session_of
from zkit.cli.chat.recorded_tools import recorded_dispatchers
from zkit.cli.chat.tapes import Comparison
from zkit.cli.chat.wiretap import TranscriptOver, replaying_client
from zkit.cli.streams import counted
from zkit.dispatch import Dispatcher
from zkit.transcripts import Transcript


def replayed(transcript: Transcript, path: str) -> int:
    """Play a transcript again; the exit code says whether zkit did the same."""
    header = transcript.header
    tape = Comparison(transcript)
    client = openai_client("http://transcript.invalid/v1", None, replaying_client(tape, transcript))
    dispatchers = iter(recorded_dispatchers(transcript))

    def make_loop(selection: str | None) -> ChatLoop:
        return loop_of(client, header, next(dispatchers, Dispatcher([])), tape)

    keyboard = Replayed(transcript, colour=header.colour, quiet=header.once is not None)
    session = session_of(header, tape, keyboard, make_loop, make_loop(None), Interrupts())
    session.can_write = False
    resumed = header.options.get("resumed")
    try:
        play(session, header, None if resumed is None else PausedRun.from_dict(resumed))
    except TranscriptOver:
        session.stage.end_line()
        tape.cut_off()
        click.echo(f"zkit: {path} ends here", err=True)
    else:
        tape.end()
    return _told(tape, path)


def _told(tape: Comparison, path: str) -> int:
    for one in tape.deviations[:5]:
        place = f"line {one.line}" if one.line else "after the last line"
        click.echo(f"zkit: {path}: {place}: recorded {one.recorded}", err=True)
        click.echo(f"zkit: {path}: {place}: now      {one.now}", err=True)
    more = len(tape.deviations) - 5
    if more > 0:
        click.echo(f"zkit: {path}: and {counted(more, 'more deviation')}", err=True)
    return int(bool(tape.deviations))
