"""A console for output in colour in which no foreign text can control the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from textwrap import indent

from rich.box import ROUNDED
from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from zkit import Rank
from zkit.cli.streams import printable, silence_stdout


class Screen(Console):
    """A console whose reader may leave early (`zkit demo | head`): the exit code stays the same."""

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


COLOURS = {
    Rank.EXACT: "green",
    Rank.UNWRAP: "cyan",
    Rank.RESPELL: "green",
    Rank.COMPLETE: "yellow",
    Rank.GUESS: "magenta",
    Rank.CUT: "dark_orange",
    Rank.SALVAGE: "red",
}
REFUSED = "red"

Cell = tuple[str, Text]
"""A title, and the text below it."""


def box(cells: Sequence[Cell], colour: str) -> Table:
    """Put titled texts side by side in one box."""
    table = Table(box=ROUNDED, expand=True, border_style=colour, header_style=f"bold {colour}")
    for title, _ in cells:
        table.add_column(title, ratio=1, overflow="fold")
    table.add_row(*(text for _, text in cells))
    return table


def heading(number: int, title: str, below: str) -> Table:
    """Return a number, and two lines beside it."""
    lines = Text.assemble((f"{title}\n", "bold"), (below, "dim"))
    grid = Table.grid(padding=(0, 2))
    grid.add_row(Text(f"{number:>3}", style="bold"), lines)
    return grid


def plain(number: int, title: str, below: str, cells: Sequence[tuple[str, str]]) -> str:
    """The same as plain text, one below the other."""
    head = f"{number:>2}  {title}\n    {below}\n"
    return head + "\n".join(
        indent(f"{name}:\n{indent(body.rstrip(), '    ')}", "    ") for name, body in cells
    )
