"""The command line of a chat in, an exit code out."""

from __future__ import annotations

from typing import Any

import click

from zkit.chat.requests.profile import Profile
from zkit.cli.chat.live import Options, chatted
from zkit.cli.chat.playing import APPROVERS
from zkit.cli.chat.replay import replayed
from zkit.cli.servers import API_KEY, BASE_URL, MODEL, check_server
from zkit.cli.streams import BadUsageError, read_text
from zkit.cli.toolboxes import FROM, KITS
from zkit.errors import ZkitError
from zkit.transcripts import read_transcript

EPILOG = (
    "Exit code: 0 done (with --once: answered), 1 no answer, or a replay that deviates, 2 bad usage,"
    " 3 with --once: the run is paused and waits for somebody."
)


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
    help="Keep paused runs in this SQLite file, so that they can be resumed.",
)
@click.option(
    "--resume",
    metavar="ID",
    help="Go on with a paused run of --store; `last` is the newest. With --once, QUESTION is the answer, or yes.",
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


def _options(model: str | None, given: dict[str, Any]) -> Options:
    if given["resume"] and not given["store"]:
        raise BadUsageError("--resume needs --store FILE: where the paused run is")
    profile = Profile.of(given.pop("profile"))
    given["base_url"] = given["base_url"] or profile.base_url or None
    check_server(given["base_url"], given["api_key"])
    if not (model or profile.model or given["resume"]):
        raise BadUsageError("which model? --model NAME, or set ZKIT_MODEL")
    system = given["system"]
    if system.startswith("@"):
        given["system"] = read_text(system[1:])
    return Options(model=model or profile.model, profile=profile, **given)
