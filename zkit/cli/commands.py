"""A command's name in, the command out, loaded only when it is called."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

import click

CONTEXT = {"help_option_names": ["-h", "--help"]}


class Entry(NamedTuple):
    """Where a command lives, and the line that `zkit --help` shows for it."""

    module: str
    help: str
    hidden: bool = False


COMMANDS: dict[str, Entry] = {
    "repair": Entry("zkit.cli.repair", "Repair the JSON in a file or on standard input."),
    "extract": Entry("zkit.cli.extract", "Find the tool calls in a model's reply."),
    "decode": Entry("zkit.cli.decode", "Read raw arguments as a schema wants them."),
    "corpus": Entry(
        "zkit.cli.corpus", "Run cases as a regression check, or turn a failure into one."
    ),
    "schema": Entry("zkit.cli.schema", "Print the JSON Schema of a model or function."),
    "lint-schema": Entry("zkit.cli.lint_schema", "List what a backend would choke on in schemas."),
    "tools": Entry("zkit.cli.tools", "List tools, show one, or call one."),
    "kit": Entry("zkit.cli.kit", "List kits, show what one holds, or write a new one."),
    "doctor": Entry(
        "zkit.cli.doctor", "Find out what a model on a server gets wrong, and what covers it."
    ),
    "demo": Entry(
        "zkit.cli.demo", "Ask a small model with and without zkit, and see the difference."
    ),
    "docs": Entry("zkit.cli.docs", "Write the generated pages again.", hidden=True),
}


class LazyGroup(click.Group):
    """A group that lists its commands from the table and imports one only to run it.

    Rich and the corpus are slow to load; `zkit --help` and `zkit repair` need neither.
    """

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command, in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command of that name; None when there is none."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        command: click.Command = import_module(entry.module).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands for `zkit --help`."""
        with formatter.section("Commands"):
            formatter.write_dl([(k, e.help) for k, e in COMMANDS.items() if not e.hidden])


@click.group(cls=LazyGroup, context_settings=CONTEXT)
@click.version_option(package_name="zkit", message="zkit %(version)s")
def zkit() -> None:
    """Repair the JSON that language models write, and never silently return a wrong value."""
