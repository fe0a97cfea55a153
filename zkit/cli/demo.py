"""A small model's replies through the bare client and through zkit, side by side on the screen."""

from __future__ import annotations

from collections.abc import Iterator

import click
from click.core import ParameterSource

from zkit.cli import demo_repair
from zkit.cli.demo_asking import Asked, Asking, ask, live, recorded, requests
from zkit.cli.demo_screen import next_steps, show, summary
from zkit.cli.screen import Screen
from zkit.cli.servers import API_KEY, check_server
from zkit.cli.streams import BadUsageError
from zkit.errors import MissingExtraError

RECORDED = (
    "Replies of small models, recorded and played again by a server on loopback. The OpenAI client"
    " asks each request twice: bare, and wrapped by zkit. Ten tools are offered."
)
LIVE = "The OpenAI client asks {model} each request twice: bare, and wrapped by zkit."


EPILOG = """\b
Examples:
  zkit demo
  zkit demo --base-url http://localhost:11434/v1 --model qwen2.5:1.5b
  zkit demo --repair"""


@click.command(epilog=EPILOG)
@click.option(
    "--base-url",
    metavar="URL",
    envvar="ZKIT_BASE_URL",
    help="Ask a live server, such as http://localhost:11434/v1. [env: ZKIT_BASE_URL]",
)
@click.option(
    "--model",
    "-m",
    metavar="NAME",
    envvar="ZKIT_MODEL",
    help="The model to ask; without it, the first that the server lists. [env: ZKIT_MODEL]",
)
@API_KEY
@click.option("--repair", is_flag=True, help="Show what is done to broken JSON, step by step.")
@click.pass_context
def command(
    ctx: click.Context, base_url: str | None, model: str | None, api_key: str | None, repair: bool
) -> None:
    """Ask a small model with and without zkit, and see the difference.

    Needs neither model nor network: recorded replies are played. With --base-url the same requests
    go to a server of yours.
    """
    screen = Screen(highlight=False, markup=False)
    if repair:
        demo_repair.show(screen)
        return
    if ctx.get_parameter_source("model") is ParameterSource.COMMANDLINE and not base_url:
        raise click.UsageError("--model is for a live server; say which with --base-url")
    if base_url:
        check_server(base_url, api_key)
    try:
        with live(base_url, model, api_key) if base_url else recorded() as asking:
            found = list(shown(screen, asking))
    except MissingExtraError as error:
        raise BadUsageError(str(error)) from error
    except Exception as error:
        if not base_url:
            raise
        raise click.ClickException(f"{base_url} did not answer: {error}") from error
    screen.print()
    screen.print(summary(found, is_recorded=not base_url))
    screen.print()
    screen.print(next_steps(), soft_wrap=not screen.is_terminal)


def shown(screen: Screen, asking: Asking) -> Iterator[Asked]:
    """Ask request after request, and show each at once."""
    screen.print("What the bare client does, and what zkit makes of it", style="bold")
    screen.print(
        RECORDED if asking.server else LIVE.format(model=asking.model),
        soft_wrap=not screen.is_terminal,
    )
    for number, wanted in enumerate(requests(), 1):
        with screen.status(f"asking: {wanted.reply.prompt}"):
            asked = ask(asking, wanted)
        show(screen, number, asked, is_recorded=asking.server is not None)
        yield asked
