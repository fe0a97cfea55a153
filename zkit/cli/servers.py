"""The options that name a server and a model, and the client for them."""

from __future__ import annotations

from typing import Any

import click

from zkit.chat.client_errors import explain
from zkit.chat.loop import client_for
from zkit.cli.streams import BadUsageError, tell
from zkit.errors import MissingExtraError

BASE_URL = click.option(
    "--base-url",
    metavar="URL",
    envvar=["ZKIT_BASE_URL", "OPENAI_BASE_URL"],
    help="An OpenAI-compatible server, such as http://localhost:11434/v1. [env: ZKIT_BASE_URL]",
)
MODEL = click.option(
    "--model", "-m", metavar="NAME", envvar="ZKIT_MODEL", help="The model. [env: ZKIT_MODEL]"
)
API_KEY = click.option(
    "--api-key",
    metavar="KEY",
    envvar=["ZKIT_API_KEY", "OPENAI_API_KEY"],
    help="The key, if the server wants one. [env: ZKIT_API_KEY, OPENAI_API_KEY]",
)


def check_server(base_url: str | None, api_key: str | None) -> None:
    """Refuse to ask nobody."""
    if not base_url and not api_key:
        raise BadUsageError(
            "which server? --base-url http://localhost:11434/v1 (Ollama), http://localhost:8080/v1"
            " (llama.cpp), http://localhost:8000/v1 (vLLM), or set ZKIT_BASE_URL"
        )
    if base_url and not base_url.startswith(("http://", "https://")):
        host = base_url.rpartition("://")[2].rstrip("/").removesuffix("/v1")
        raise BadUsageError(
            f"--base-url {base_url}: an address begins with http:// or https://; did you mean"
            f" http://{host}/v1?"
        )


def only_model(base_url: str | None, api_key: str | None) -> str:
    """Return the model of a server that has one; with none or several, ask which."""
    client = connect(base_url, api_key)
    try:
        names = sorted({str(one.id) for one in client.with_options(timeout=10).models.list().data})
    except Exception as error:  # whatever the client raises, the user can name the model
        explain(error)
        raise BadUsageError(
            f"{error} (if the server runs and lists no models: --model NAME, or set ZKIT_MODEL)"
        ) from error
    finally:
        client.close()
    if len(names) == 1:
        tell(f"using {names[0]}, the only model of the server")
        return names[0]
    known = f"; the server has {', '.join(names[:20])}" if names else ""
    raise BadUsageError(f"which model? --model NAME, or set ZKIT_MODEL{known}")


def connect(base_url: str | None, api_key: str | None) -> Any:
    """A client that asks the server once for each request."""
    check_server(base_url, api_key)
    try:
        return client_for(base_url, api_key)
    except MissingExtraError as error:
        raise BadUsageError(str(error)) from error
