"""`zkit docs` writes the generated pages or checks them; `docs tool` and `docs lint` are about tools."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import click

from zkit.cli.api_page import api_page
from zkit.cli.commands import CONTEXT
from zkit.cli.pages import coercions_page, formats_page, repairs_page
from zkit.cli.std_page import std_page, tool_pages
from zkit.cli.streams import BadUsageError, read_text, tell, write_line
from zkit.cli.toolboxes import FROM, toolbox_of
from zkit.coach import lint_document, tool_document
from zkit.coach.documents_of_tools import read_or_none
from zkit.tools import ToolSpec

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


TOOL_EPILOG = """\b
Example:
  zkit docs tool read_file --from std

Exit code: 0 done, 1 something is missing, 2 bad usage."""


@command.command("tool", epilog=TOOL_EPILOG)
@click.argument("name")
@FROM
def tool_docs(name: str, places: tuple[str, ...]) -> None:
    """Print the document of the tool NAME, made from its spec: Markdown with sections.

    What the spec does not say has no section; standard error names what is missing.
    """
    box = toolbox_of(places)
    tool = box.get(name)
    if tool is None:
        near = " or ".join(box.catalog().nearest(name))
        tell(f"there is no tool {name!r}" + (f"; did you mean {near}?" if near else ""))
        raise click.exceptions.Exit(1)
    text = tool_document(tool.definition())
    write_line(text.rstrip("\n"))
    for problem in lint_document(text, tool.definition()):
        tell(f"{name}: {problem}")


@command.command("lint", epilog=TOOL_EPILOG)
@click.argument("files", nargs=-1, type=click.Path())
@FROM
@click.option(
    "--docs-root",
    metavar="FOLDER",
    default=".",
    type=click.Path(),
    help="Where the documents of tools are, without FILES (default: here).",
)
def lint_docs(files: tuple[str, ...], places: tuple[str, ...], docs_root: str) -> None:
    """Report what is missing in the documents FILES, or in those of the tools of --from."""
    problems = [f"{file}: {one}" for file in files for one in lint_document(read_text(file))]
    if not files:
        box = toolbox_of(places)
        box.docs_root = Path(docs_root)
        problems = [
            f"{spec.name}: {one}"
            for spec in box.specs()
            for one in _lint_tool(spec, read_or_none(spec.docs or "", box) if spec.docs else None)
        ]
    for problem in problems:
        write_line(problem)
    raise click.exceptions.Exit(int(bool(problems)))


def _lint_tool(spec: ToolSpec, text: str | None) -> list[str]:
    if not spec.docs:
        return ["it names no document"]
    if text is None:
        return [f"the document {spec.docs} is not there"]
    return lint_document(text, spec)
