"""`zkit docs tool` writes the document of a tool from its spec, `zkit docs lint` checks documents."""

from __future__ import annotations

from pathlib import Path

import click

from zkit.cli.streams import read_text, tell, write_line
from zkit.cli.toolboxes import FROM, toolbox_of
from zkit.coach import lint_document, tool_document
from zkit.coach.documents_of_tools import read_or_none
from zkit.tools import ToolSpec

EPILOG = """\b
Example:
  zkit docs tool read_file --from std

Exit code: 0 done, 1 something is missing, 2 bad usage."""


@click.command("tool", epilog=EPILOG)
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


@click.command("lint", epilog=EPILOG)
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
