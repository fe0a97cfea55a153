"""Rich text in, a terminal or plain text out."""

from __future__ import annotations

from rich.console import Console

from zkit.cli.streams import silence_stdout


class Screen(Console):
    """A console whose reader may leave early (`zkit demo | head`): the exit code still stands."""

    def on_broken_pipe(self) -> None:
        """Write nothing more."""
        self.quiet = True
        silence_stdout()
