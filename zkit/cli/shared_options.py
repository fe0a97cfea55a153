"""Options that several commands share: a server and a model with a client, places of tools with their toolbox."""

from __future__ import annotations

import importlib
import sys
import types
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from zkit.chat.client_errors import explain
from zkit.chat.loop import client_for
from zkit.cli.schema import found, module_name
from zkit.cli.streams import BadUsageError, tell
from zkit.errors import MissingExtraError, ZkitError
from zkit.sources import Toolbox
from zkit.std import BuiltinProvider, StdKits, StdProvider
from zkit.tools import tools_in

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
    """Exit with a hint if no server is named."""
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
    """Return a client that asks the server once for each request."""
    check_server(base_url, api_key)
    try:
        return client_for(base_url, api_key)
    except MissingExtraError as error:
        raise BadUsageError(str(error)) from error
    except Exception as error:  # the client of openai has errors of its own for an address
        raise BadUsageError(f"--base-url {base_url}: {error}") from error


FROM = click.option(
    "--from",
    "places",
    metavar="PLACE",
    multiple=True,
    help="Where tools come from: a folder of Python files, a file, a module, module:name,"
    " builtin (four tools for files) or std (the standard tools). May be repeated.",
)
USUAL_KITS = "kits"
KITS = click.option(
    "--kits", metavar="FOLDER", default=USUAL_KITS, help="The folder of kit files (default kits)."
)
MACHINE = click.option("--json", "machine", is_flag=True, help="As JSON.")


def toolbox_of(places: Sequence[str], default: str = "builtin") -> Toolbox:
    """Collect the tools of all places; problems are reported on standard error."""
    box = Toolbox()
    for place in places or (default,):
        before = len(box)
        try:
            with telling_warnings():
                _add(box, place)
        except ZkitError as error:
            raise BadUsageError(f"{place}: {error}") from error
        if len(box) == before:
            tell(f"{place}: no tools there; decorate functions with @tool of zkit.tools")
    return box


@contextmanager
def telling_warnings() -> Iterator[list[str]]:
    """Print the warnings of the block on standard error, one line each; yield the list of them."""
    shown: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield shown
    for message in dict.fromkeys(str(one.message) for one in caught):
        shown.append(message)
        tell(message)


_PROVIDERS = {"builtin": BuiltinProvider, "std": StdProvider}


def _add(box: Toolbox, place: str) -> None:
    if place in _PROVIDERS:
        box.register_provider(_PROVIDERS[place]("."))
    elif Path(place).is_dir():
        for problem in box.load_dir(place).problems:
            tell(str(problem))
    else:
        box.register_all(_imported(place))


def _imported(place: str) -> list[Any]:
    """Return the tools of a module, or the object of a name in it."""
    what = found(place) if ":" in place else _module(module_name(place))
    if isinstance(what, types.ModuleType):
        return list(tools_in(what))
    if hasattr(what, "tools"):
        return list(what.tools())
    return list(what) if isinstance(what, Iterable) else [what]


def _module(place: str) -> types.ModuleType:
    sys.path.insert(0, "")
    try:
        return importlib.import_module(place)
    except Exception as error:  # whatever the user's module raises when it is imported
        line = str(error).split("\n", 1)[0]
        raise BadUsageError(f"{place}: {type(error).__name__}: {line}") from error


def kit_folder(path: str) -> StdKits:
    """Return the kits of a folder and the standard ones; only the usual folder may be missing."""
    if not Path(path).is_dir() and path != USUAL_KITS:
        raise BadUsageError(f"{path}: no such folder; say where the kits are with --kits")
    return StdKits(path)


def place_for(selection: str | None, kits: str) -> str:
    """Return the default place of the tools of a selection: a standard kit needs the standard tools."""
    folder = StdKits(kits)
    return "std" if selection is not None and folder.is_standard(selection) else "builtin"
