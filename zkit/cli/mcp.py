"""Serve tools to MCP clients, and approve what MCP servers changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import anyio
import click

from zkit.cli.commands import CONTEXT
from zkit.cli.shared_options import FROM, KITS, MACHINE, place_for, toolbox_of
from zkit.cli.streams import BadUsageError, tell, write_json, write_line
from zkit.dynamic import Catalog, Pin, default_catalog
from zkit.errors import ZkitError
from zkit.json_types import JsonObject
from zkit.sources import Kit, read_kit
from zkit.sources.kit_files import SUFFIXES
from zkit.std import StdKits

CATALOG = click.option(
    "--catalog",
    "path",
    metavar="FILE",
    help="The catalog (default $ZKIT_CATALOG, or .zkit/catalog.db).",
)
EPILOG = """\b
Examples:
  zkit mcp serve --kit outdoors --from weather
  zkit mcp pins
  zkit mcp approve files read_file

Exit code: 0 done, 1 something waits for approval, 2 bad usage."""


@click.group(context_settings=CONTEXT, epilog=EPILOG)
def command() -> None:
    """Serve tools to MCP clients, and approve what MCP servers changed."""


@command.command("serve", short_help="Offer a kit to any MCP client.", epilog=EPILOG)
@click.option("--kit", "selection", metavar="NAME", help="The kit to offer (default all tools).")
@click.option("--http", "port", metavar="PORT", type=int, help="Over HTTP at /mcp, not stdio.")
@click.option("--host", default="127.0.0.1", help="The address to listen at (default 127.0.0.1).")
@FROM
@KITS
def serve(
    selection: str | None, port: int | None, host: str, places: tuple[str, ...], kits: str
) -> None:
    """Offer a kit, a selection such as `a,b,#tag`, or all tools to any MCP client.

    Calls go through the dispatcher: arguments are repaired, and a destructive call is put to the
    client's user, if the client can ask.
    """
    source = kit_of(selection, places, kits)
    try:
        from zkit.mcp import serve_http, serve_stdio

        name = f"zkit {selection}" if selection else "zkit"
        if port is None:
            anyio.run(lambda: serve_stdio(source, name=name))
        else:
            tell(f"serving at http://{host}:{port}/mcp; Ctrl-C ends it")
            anyio.run(lambda: serve_http(source, port, host=host, name=name))
    except KeyboardInterrupt:
        return
    except ZkitError as error:
        raise BadUsageError(str(error)) from error


def kit_of(selection: str | None, places: tuple[str, ...], kits: str) -> Kit:
    """Return the kit of that name or selection; all tools without one."""
    box = toolbox_of(places, place_for(selection, kits))
    try:
        if selection is None:
            return box.kit("*", docs_root=".")
        chosen: Any = read_kit(selection) if Path(selection).suffix in SUFFIXES else selection
        return Kit(box, chosen, kits=StdKits(kits), docs_root=".")
    except ZkitError as error:
        raise BadUsageError(str(error)) from error


@command.command("pins", epilog=EPILOG)
@click.argument("server", required=False)
@CATALOG
@MACHINE
@click.pass_context
def pins(ctx: click.Context, server: str | None, path: str | None, machine: bool) -> None:
    """List what was approved of the tools of MCP servers, and what waits, with a diff."""
    found = catalog_at(path).pins(server)
    if machine:
        write_json(json.dumps([_entry(pin) for pin in found], indent=2))
    elif not found:
        tell("nothing is pinned yet; the first connection to a server pins its tools")
    else:
        for pin in found:
            write_line(_line(pin))
            if pin.waiting is not None:
                write_line(_indented(pin.diff()))
    ctx.exit(int(any(pin.waiting is not None for pin in found)))


@command.command("approve", epilog=EPILOG)
@click.argument("server")
@click.argument("tools", nargs=-1)
@click.option("--yes", is_flag=True, help="Do not ask.")
@CATALOG
def approve(server: str, tools: tuple[str, ...], yes: bool, path: str | None) -> None:
    """Approve what waits of SERVER: all of it, or the named TOOLS. Shows the difference first."""
    catalog = catalog_at(path)
    waiting = [
        pin
        for pin in catalog.pins(server)
        if pin.waiting is not None and (not tools or pin.tool in tools)
    ]
    if not waiting:
        tell(f"nothing of {server} waits for approval")
        return
    for pin in waiting:
        write_line(_line(pin))
        write_line(_indented(pin.diff()))
    if not yes:
        click.confirm("Approve this?", abort=True)
    try:
        done = catalog.approve(server, tools or None)
    except ZkitError as error:
        raise BadUsageError(str(error)) from error
    tell(f"{len(done)} approved")


def catalog_at(path: str | None) -> Catalog:
    """Open an existing catalog; reading must not create one."""
    where = default_catalog() if path is None else Path(path)
    if not where.exists():
        raise BadUsageError(f"{where}: there is no catalog; name one with --catalog")
    try:
        return Catalog(where)
    except ZkitError as error:
        raise BadUsageError(str(error)) from error


def _line(pin: Pin) -> str:
    state = "approved" if pin.waiting is None else "changed" if pin.definition else "new"
    return f"{pin.server:<24} {pin.tool:<32} {pin.digest[:12]:<12} {state}"


def _indented(diff: str) -> str:
    return "\n".join(f"    {line}" for line in diff.split("\n"))


def _entry(pin: Pin) -> JsonObject:
    return {
        "server": pin.server,
        "tool": pin.tool,
        "digest": pin.digest,
        "waiting": pin.waiting is not None,
        "diff": pin.diff(),
    }
