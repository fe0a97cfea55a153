"""The table of commands; each is imported only when it is called."""

from __future__ import annotations

from difflib import get_close_matches
from importlib import import_module
from typing import NamedTuple

import click
from click.shell_completion import get_completion_class

CONTEXT = {"help_option_names": ["-h", "--help"]}


class Entry(NamedTuple):
    """Where a command is, and the line that `zkit --help` shows for it, under its heading.

    `module` names a module with a `command`, or `module:name` another object of it.
    """

    module: str
    help: str
    heading: str = ""


WRITTEN, TOOLS, TALK, CHECK = (
    "What a model wrote", "Tools and their schemas", "A model on a server", "Regression checks",
)  # fmt: skip
COMMANDS: dict[str, Entry] = {
    "repair": Entry("zkit.cli.repair", "Repair broken JSON.", WRITTEN),
    "decode": Entry("zkit.cli.decode", "Read raw arguments as a schema wants them.", WRITTEN),
    "extract": Entry("zkit.cli.extract", "Find the tool calls in a reply.", WRITTEN),
    "tools": Entry("zkit.cli.tools", "List tools, show one, or call one.", TOOLS),
    "kit": Entry(
        "zkit.cli.kit_command", "List kits, show what one holds, or write a new one.", TOOLS
    ),
    "mcp": Entry("zkit.cli.mcp", "Serve tools over MCP, approve what servers changed.", TOOLS),
    "schema": Entry("zkit.cli.schema", "Print the JSON Schema of a model or function.", TOOLS),
    "lint-schema": Entry(
        "zkit.cli.schema:lint_command", "List what a backend would reject.", TOOLS
    ),
    "chat": Entry(
        "zkit.cli.chat", "Chat with a model that calls tools; record it, replay it.", TALK
    ),
    "proxy": Entry("zkit.cli.proxy", "Repair the replies of a server, for any program.", TALK),
    "doctor": Entry("zkit.cli.doctor", "Find out what it gets wrong, and what covers it.", TALK),
    "demo": Entry("zkit.cli.demo", "See the difference that zkit makes; needs no model.", TALK),
    "corpus": Entry("zkit.cli.corpus", "Run cases, or turn a failure into one.", CHECK),
    "batch": Entry("zkit.cli.batch", "Repair or extract whole logs; report the damage.", CHECK),
    "completion": Entry(
        "zkit.cli.commands:completion", "Print the completion script of a shell.", CHECK
    ),
    "docs": Entry("zkit.cli.docs", "Write the generated pages again."),
}
"""Every command; those without a heading are for developers of zkit."""


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
        module, _, name = entry.module.partition(":")
        command: click.Command = getattr(import_module(module), name or "command")
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for a name that does not exist, suggest the nearest one."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], COMMANDS, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise click.UsageError(f"{error.message.rstrip('.')}.{hint}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists of commands for `zkit --help`, heading by heading."""
        for heading in (WRITTEN, TOOLS, TALK, CHECK):
            with formatter.section(heading):
                listed = [(k, e.help) for k, e in COMMANDS.items() if e.heading == heading]
                formatter.write_dl([(f"{name:<11}", line) for name, line in listed])


@click.group(cls=LazyGroup, context_settings=CONTEXT)
@click.version_option(package_name="zkit-llm", message="zkit %(version)s")
def zkit() -> None:
    """Between "the model wrote something" and "a tool ran": no wrong call, no lost call.

    `zkit COMMAND --help` explains a command and shows an example of it.
    """


COMPLETION_EPILOG = """\b
Example, for bash:
  zkit completion bash > ~/.local/share/bash-completion/completions/zkit"""


@click.command(epilog=COMPLETION_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL, to be sourced or saved where the shell finds it."""
    found = get_completion_class(shell)
    if found is None:
        raise click.UsageError(f"there is no completion for {shell}")
    from zkit.cli.streams import write_line

    write_line(found(ctx.find_root().command, {}, "zkit", "_ZKIT_COMPLETE").source())
