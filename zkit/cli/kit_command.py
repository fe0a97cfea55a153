"""`zkit kit`: list kits, show what one holds, or write a new one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from zkit.cli.commands import CONTEXT
from zkit.cli.shared_options import (
    FROM,
    KITS,
    MACHINE,
    kit_folder,
    place_for,
    telling_warnings,
    toolbox_of,
)
from zkit.cli.streams import BadUsageError, tell, write_json, write_line
from zkit.errors import KitError, KitFileError, MissingExtraError, ZkitError
from zkit.json_types import JsonObject
from zkit.sources import Kit, KitFolder, read_kit
from zkit.sources.kit_files import SUFFIXES, kit_text, parse_kit
from zkit.std import StdKits

EPILOG = """\b
Examples:
  zkit kit create outdoors get_weather --from weather --description 'For walks.'
  zkit kit info outdoors --from weather

Exit code: 0 done, 1 the kit does not hold together, 2 bad usage."""


@click.group(context_settings=CONTEXT, epilog=EPILOG)
def command() -> None:
    """List kits, show what one holds, or write a new one."""


@command.command("list", epilog=EPILOG)
@KITS
@MACHINE
@click.pass_context
def list_kits(ctx: click.Context, kits: str, machine: bool) -> None:
    """List the kits of a folder and the standard ones with their descriptions."""
    folder = kit_folder(kits)
    entries = [_summary(folder, name) for name in folder.names()]
    if not entries:
        tell(f"{kits}: no kits there; zkit kit create NAME TOOL ... makes one")
    if machine:
        write_json(json.dumps(entries, ensure_ascii=False, indent=2))
    else:
        width = max((len(entry["name"]) for entry in entries), default=0)
        for entry in entries:
            about = entry["description"] or entry.get("problem", "")
            write_line(f"{entry['name']:<{width}}  {about}".rstrip())
    ctx.exit(int(any("problem" in entry for entry in entries)))


def _summary(folder: KitFolder, name: str) -> JsonObject:
    try:
        kit = folder.read(name)
    except (KitError, MissingExtraError) as error:
        return {"name": name, "description": "", "problem": str(error)}
    return {"name": name, "description": kit.description, "path": str(kit.path)}


@command.command("info", epilog=EPILOG, short_help="Show what a kit holds.")
@click.argument("selection")
@click.option("--extra", metavar="TOOL", multiple=True, help="A tool to add. May be repeated.")
@click.option("--prompt", is_flag=True, help="Only the text of the kit in a prompt.")
@FROM
@KITS
@MACHINE
@click.pass_context
def kit_info(
    ctx: click.Context,
    selection: str,
    extra: tuple[str, ...],
    prompt: bool,
    places: tuple[str, ...],
    kits: str,
    machine: bool,
) -> None:
    """Show the kit SELECTION: the name of a kit file, a path to one, or `a,b,#tag,!c`."""
    box = toolbox_of(places, place_for(selection, kits))
    try:
        chosen: Any = read_kit(selection) if Path(selection).suffix in SUFFIXES else selection
        with telling_warnings() as warned:
            kit = Kit(box, chosen, extra=extra, kits=StdKits(kits))
    except ZkitError as error:
        is_tool = selection in box and isinstance(error, KitError)
        tell(f"{error}; write '{selection},' for the tool of that name" if is_tool else str(error))
        ctx.exit(1)
    for entry in kit.unmatched():
        if not any(message.startswith(entry) for message in warned):
            tell(f"{entry} matches no tool")
    if prompt:
        write_line(kit.prompt())
    else:
        show(kit, machine)


def show(kit: Kit, machine: bool) -> None:
    """Print what a kit holds, for programs or for people."""
    if machine:
        write_json(json.dumps(_info(kit), ensure_ascii=False, indent=2))
    else:
        write_line(_page(kit))


def _info(kit: Kit) -> JsonObject:
    return {
        "name": kit.name,
        "description": kit.description,
        "grade": {"w": kit.grade.w, "d": kit.grade.d},
        "tools": {
            alias: {"tool": pick.name, "signature": pick.shown.definition().signature()}
            for alias, pick in kit.picks().items()
        },
        "docs": kit.docs_index(),
        "workflows": [flow.name for flow in kit.usable_workflows()],
    }


def _page(kit: Kit) -> str:
    head = [f"kit    {kit.name}"] if kit.name else []
    head += [f"about  {kit.description}"] if kit.description else []
    docs = [f"docs   {path}" for path in kit.docs]
    return "\n".join([*head, f"grade  {kit.grade}", *docs, "", kit.prompt()])


@command.command("create", epilog=EPILOG)
@click.argument("name")
@click.argument("tools", nargs=-1)
@click.option("--tools", "more", metavar="A,B", multiple=True, help="Tools, with commas between.")
@click.option("--description", default="", help="What the kit is for.")
@click.option("--force", is_flag=True, help="Replace a kit of that name.")
@FROM
@KITS
@click.pass_context
def create_kit(
    ctx: click.Context,
    name: str,
    tools: tuple[str, ...],
    more: tuple[str, ...],
    description: str,
    force: bool,
    places: tuple[str, ...],
    kits: str,
) -> None:
    """Write the kit file NAME with TOOLS.

    Each is a name, `glob*`, `@provider`, `#tag`, any of these to leave out as `!not_this`, or an
    alias as 'find: find_files'.
    """
    entries = [*tools, *(part.strip() for one in more for part in one.split(",") if part.strip())]
    if not entries:
        raise BadUsageError("a kit needs tools: zkit kit create NAME TOOL ...")
    path = _path(name, kits)
    if path.exists() and not force:
        raise BadUsageError(f"{path}: is there already; --force replaces it")
    text = kit_text(name, entries, description)
    try:
        with telling_warnings():
            Kit(toolbox_of(places), parse_kit(text, path))
    except KitFileError as error:  # the file does not exist yet: line numbers would be wrong
        tell(error.problem)
        ctx.exit(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    write_line(str(path))


def _path(name: str, kits: str) -> Path:
    """Return where the file goes; a name never leads out of the folder."""
    try:
        KitFolder(kits).check_name(name)
    except KitError as error:
        raise BadUsageError(str(error)) from error
    return Path(kits) / f"{name}.kit"
