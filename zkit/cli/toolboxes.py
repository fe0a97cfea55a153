"""The options that name places of tools, and the toolbox of those tools."""

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

from zkit.cli.schema import found, module_name
from zkit.cli.streams import BadUsageError, tell
from zkit.errors import ZkitError
from zkit.sources import Toolbox
from zkit.std import BuiltinProvider, StdKits, StdProvider
from zkit.tools import tools_in

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
    """Gather the tools of all places; what could not be loaded is reported on standard error."""
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
    """The tools of a module, or what a name in it stands for."""
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
    """The kits of a folder and the standard ones; only the usual folder may be missing."""
    if not Path(path).is_dir() and path != USUAL_KITS:
        raise BadUsageError(f"{path}: no such folder; say where the kits are with --kits")
    return StdKits(path)


def place_for(selection: str | None, kits: str) -> str:
    """Where the tools of a selection come from if nobody says: a standard kit needs its own."""
    folder = StdKits(kits)
    return "std" if selection is not None and folder.is_standard(selection) else "builtin"
