"""Show the versions of a tool that was made at run time, and bring an older one back."""

from __future__ import annotations

import json

import click

from zkit.cli.mcp import CATALOG, catalog_at
from zkit.cli.streams import BadUsageError, tell, write_json, write_line
from zkit.cli.toolboxes import MACHINE
from zkit.dynamic import ToolCode
from zkit.errors import ZkitError

EPILOG = """\b
Example:
  zkit tools history make_report --catalog .zkit/catalog.db

Exit code: 0 done, 1 there is no such tool, 2 bad usage."""


@click.command("history", epilog=EPILOG)
@click.argument("name")
@click.option("--restore", metavar="VERSION", type=int, help="Make this version the current one.")
@click.option("--code", is_flag=True, help="With the code of each version.")
@CATALOG
@MACHINE
def tool_history(
    name: str, restore: int | None, code: bool, path: str | None, machine: bool
) -> None:
    """List the versions of the tool NAME that was made at run time."""
    catalog = catalog_at(path)
    if restore is not None:
        try:
            tell(f"{name} is version {catalog.restore(name, restore)} now")
        except ZkitError as error:
            raise BadUsageError(str(error)) from error
    found = catalog.history(name)
    if not found:
        tell(f"the catalog holds no tool {name!r}")
        raise click.exceptions.Exit(1)
    if machine:
        write_json(json.dumps([one._asdict() for one in found], indent=2))
        return
    for one in found:
        mark = "*" if one.current else " "
        write_line(f"{mark} {one.version:>3}  {one.created}  {one.note}")
        if code:
            source = ToolCode.of(one.definition).source
            write_line("\n".join(f"    {line}" for line in source.split("\n")))
