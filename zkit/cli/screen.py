"""A console for output in colour that lets nothing from outside control the terminal."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from zkit.cli.streams import silence_stdout
from zkit.cli.terminal import printable


class Screen(Console):
    """A console whose reader may leave early (`zkit demo | head`): the exit code still stands."""

    def on_broken_pipe(self) -> None:
        """Write nothing more."""
        self.quiet = True
        silence_stdout()

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Return what is drawn, with everything that could control a terminal as visible escapes."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else printable(text), style, control)
