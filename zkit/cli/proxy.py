"""The command `zkit proxy`: run the repairing proxy in front of a model server."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from zkit.chat.call_checker import Rules
from zkit.chat.server_profile import Profile
from zkit.cli.commands import CONTEXT
from zkit.cli.streams import BadUsageError, tell
from zkit.errors import ZkitError
from zkit.receipt import limit_of

EPILOG = """\b
Example:
  zkit proxy --upstream http://localhost:11434/v1
  OPENAI_BASE_URL=http://127.0.0.1:8787/v1 python agent.py

Exit code: 0 stopped, 2 bad usage."""


@click.command("proxy", context_settings=CONTEXT, epilog=EPILOG)
@click.option(
    "--upstream",
    "upstreams",
    metavar="[PATTERN=]URL",
    multiple=True,
    required=True,
    help="A model server; with a pattern (qwen*=URL) for the models that match. May be repeated.",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option("--port", default=8787, show_default=True, type=click.IntRange(0, 65535))
@click.option("--ask-again", default=1, show_default=True, type=click.IntRange(0, 10), help="Extra requests that one completion may cost if a call cannot be run.")  # fmt: skip
@click.option("--limit", default="GUESS", show_default=True, metavar="RANK", help="Highest rank of repair.")  # fmt: skip
@click.option("--speaks", type=click.Choice(["auto", "chat", "responses", "messages"]), default="auto", show_default=True, help="What the upstreams speak beside chat completions.")  # fmt: skip
@click.option("--profile", "profiles", metavar="FILE", multiple=True, help="A profile that zkit doctor wrote. May be repeated.")  # fmt: skip
@click.option("--keep", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path), help="Keep the requests of the page in this SQLite file.")  # fmt: skip
@click.option("--keep-last", default=500, show_default=True, type=click.IntRange(1, 100_000), help="How many requests the page shows.")  # fmt: skip
@click.option("--cases", metavar="FOLDER", type=click.Path(file_okay=False, path_type=Path), help="Where the page adds cases of the corpus.")  # fmt: skip
@click.option("--token", envvar="ZKIT_PROXY_TOKEN", default="", help="Token of the page; made up if the proxy is not on loopback.")  # fmt: skip
@click.option("--allow-host", "hosts", multiple=True, metavar="NAME", help="A further name of this machine.")  # fmt: skip
@click.option("--allow-origin", "origins", multiple=True, metavar="ORIGIN", help="A web page that may use the proxy, such as http://localhost:3000.")  # fmt: skip
@click.option("--max-body", default=32_000_000, show_default=True, type=click.IntRange(1), help="Bytes of a request.")  # fmt: skip
@click.option("--max-requests", default=256, show_default=True, type=click.IntRange(1), help="Requests at one time.")  # fmt: skip
@click.option("--timeout", default=600.0, show_default=True, type=click.FloatRange(0.1), help="Seconds for one request.")  # fmt: skip
def command(
    upstreams: tuple[str, ...],
    host: str,
    port: int,
    ask_again: int,
    limit: str,
    speaks: str,
    profiles: tuple[str, ...],
    keep: Path | None,
    keep_last: int,
    cases: Path | None,
    token: str,
    hosts: tuple[str, ...],
    origins: tuple[str, ...],
    max_body: int,
    max_requests: int,
    timeout: float,
) -> None:
    """Repair the tool calls of any model server, for programs that cannot be changed.

    Programs use the proxy as their server, at /v1. The page at /zkit shows every request: what the
    model sent, what the program received, and what was changed and why.
    """
    try:
        from dataclasses import replace

        from zkit.proxy import ProxySettings, Upstream, serve
        from zkit.proxy.proxy_settings import is_loopback

        given = [replace(Upstream.of(one), speaks=speaks) for one in upstreams]  # type: ignore[arg-type]
        settings = ProxySettings(
            upstreams=tuple(given),
            host=host,
            port=port,
            ask_again=ask_again,
            rules=Rules.of(limit_of(limit)),
            profiles=tuple(Profile.read(one) for one in profiles),
            keep=keep,
            keep_last=keep_last,
            cases=cases,
            token=token or ("" if is_loopback(host) else secrets.token_urlsafe(24)),
            allowed_hosts=hosts,
            allowed_origins=origins,
            max_body=max_body,
            max_requests=max_requests,
            timeout=timeout,
        )
    except (ValueError, ZkitError) as error:
        raise BadUsageError(str(error)) from error
    shown = f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}"
    tell(f"base URL for programs: {address}/v1")
    extra = "" if settings.is_loopback else f"?token={settings.token}"
    tell(f"what was repaired, and why: {address}/zkit{extra}")
    try:
        serve(settings)
    except KeyboardInterrupt:
        tell("stopped")
