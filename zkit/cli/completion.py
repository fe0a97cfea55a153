"""Print the script that completes zkit's commands and options in a shell."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from zkit.cli.streams import BadUsageError, write_line

EPILOG = """\b
Example, for bash:
  zkit completion bash > ~/.local/share/bash-completion/completions/zkit"""


@click.command(epilog=EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL, to be sourced or saved where the shell finds it."""
    found = get_completion_class(shell)
    if found is None:
        raise BadUsageError(f"there is no completion for {shell}")
    write_line(found(ctx.find_root().command, {}, "zkit", "_ZKIT_COMPLETE").source())
