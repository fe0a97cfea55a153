"""The tables of the code in, the generated pages out, or a complaint that a page has drifted."""

from __future__ import annotations

from pathlib import Path

import click

from zkit.cli.pages import PAGES
from zkit.cli.streams import BadUsageError, write_line


@click.command()
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a page has drifted.")
@click.pass_context
def command(ctx: click.Context, check: bool) -> None:
    """Write the generated pages of the checkout in the current directory again."""
    if not Path("docs").is_dir():
        raise BadUsageError("docs: no such folder here; run this at the top of a checkout")
    drifted = [path for path, page in PAGES.items() if read(path) != page()]
    for path in drifted:
        write_line(f"{path}: drifted; run `make docs`" if check else f"{path}: written")
        if not check:
            Path(path).write_text(PAGES[path](), encoding="utf-8")
    ctx.exit(int(check and bool(drifted)))


def read(path: str) -> str | None:
    """Return the page as it stands; None when there is none yet."""
    page = Path(path)
    return page.read_text("utf-8") if page.exists() else None
