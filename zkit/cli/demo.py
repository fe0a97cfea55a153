"""A small model's replies through the bare client and through zkit, side by side on the screen."""

from __future__ import annotations

from collections.abc import Iterator

import click

from zkit.cli import demo_repair
from zkit.cli.demo_asking import Asked, Asking, ask, live, recorded, requests
from zkit.cli.demo_screen import next_steps, show, summary
from zkit.cli.screen import Screen
from zkit.errors import MissingExtraError

RECORDED = (
    "Replies of small models, recorded and played again by a server on loopback. The OpenAI client"
    " asks each request twice: bare, and wrapped by zkit. Ten tools are offered."
)
LIVE = "The OpenAI client asks {model} each request twice: bare, and wrapped by zkit."


@click.command()
@click.option("--base-url", help="Ask a live server, such as http://localhost:11434/v1.")
@click.option("--model", help="The model to ask; without it, the first that the server lists.")
@click.option("--repair", is_flag=True, help="Show what is done to broken JSON, step by step.")
def command(base_url: str | None, model: str | None, repair: bool) -> None:
    """Ask a small model with and without zkit, and see the difference.

    Needs neither model nor network: recorded replies are played. With --base-url the same requests
    go to a server of yours.
    """
    screen = Screen(highlight=False, markup=False)
    if repair:
        demo_repair.show(screen)
        return
    if model and not base_url:
        raise click.UsageError("--model is for a live server; say which with --base-url")
    try:
        with live(base_url, model) if base_url else recorded() as asking:
            found = list(shown(screen, asking))
    except MissingExtraError as error:
        raise click.ClickException(str(error)) from error
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
