"""`zkit docs`: write the generated pages, or check that they are up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from zkit.cli.api_page import api_page
from zkit.cli.commands import CONTEXT
from zkit.cli.docs_tool import lint_docs, tool_docs
from zkit.cli.pages import coercions_page, formats_page
from zkit.cli.repairs_page import repairs_page
from zkit.cli.std_page import std_page, tool_pages
from zkit.cli.streams import BadUsageError, write_line

PAGES: dict[str, Callable[[], str]] = {
    "docs/repairs.md": repairs_page,
    "docs/coercions.md": coercions_page,
    "docs/formats.md": formats_page,
    "docs/api.md": api_page,
    "docs/std.md": std_page,
    **tool_pages(),
}
EPILOG = """\b
Example:
  zkit docs --check

Exit code: 0 done or in step, 1 a page differs, 2 bad usage."""


class DocsGroup(click.Group):
    """Subcommands, and without one of them the generated pages."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take what is no subcommand as pages."""
        is_own = args[:1] and (args[0] in self.commands or args[0] in ctx.help_option_names)
        return super().parse_args(ctx, args if is_own else ["pages", *args])


@click.group(cls=DocsGroup, context_settings=CONTEXT, epilog=EPILOG)
def command() -> None:
    """Write the generated pages of a checkout again; write and check the documents of tools."""


@command.command("pages", epilog=EPILOG)
@click.option("--check", is_flag=True, help="Write nothing; exit 1 when a page has drifted.")
@click.argument("only", nargs=-1, metavar="[PAGE]...")
@click.pass_context
def write_pages(ctx: click.Context, check: bool, only: tuple[str, ...]) -> None:
    """Write the generated pages of the checkout in the current directory again, or some of them."""
    if not Path("docs").is_dir():
        raise BadUsageError("docs: no such folder here; run this at the top of a checkout")
    drifted = [path for path in only or PAGES if read(path) != _page(path)()]
    for path in drifted:
        write_line(f"{path}: drifted; run `make docs`" if check else f"{path}: written")
        if not check:
            Path(path).parent.mkdir(parents=True, exist_ok=True)
            Path(path).write_text(_page(path)(), encoding="utf-8")
    ctx.exit(int(check and bool(drifted)))


def _page(path: str) -> Callable[[], str]:
    if path not in PAGES:
        raise BadUsageError(f"{path}: no such page; there are {', '.join(PAGES)}")
    return PAGES[path]


def read(path: str) -> str | None:
    """Return the page as it stands; None when there is none yet."""
    page = Path(path)
    return page.read_text("utf-8") if page.exists() else None


command.add_command(tool_docs)
command.add_command(lint_docs)
