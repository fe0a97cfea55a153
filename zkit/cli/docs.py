"""`zkit docs` writes the generated pages or checks them, docs/api.md among them; `docs tool` and `docs lint` are about tools."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable
from enum import Enum
from pathlib import Path
from typing import Any, ForwardRef

import click
from pydantic import BaseModel

import zkit
from zkit.cli.commands import CONTEXT
from zkit.cli.pages import coercions_page, formats_page, repairs_page
from zkit.cli.shared_options import FROM, toolbox_of
from zkit.cli.std_page import std_page, tool_pages
from zkit.cli.streams import BadUsageError, read_text, tell, write_line
from zkit.coach import lint_document, tool_document
from zkit.coach.documents_of_tools import read_or_none
from zkit.json_types import JsonObject
from zkit.tools import ToolSpec

INTRO = """\
# API reference

This page is generated from the signatures and docstrings of the names that `zkit` exports: `make
docs` writes it, and a test fails when it drifts. `help(zkit.NAME)` shows the whole docstring.
Wherever a `Rank` or a `Grade` is accepted, so is its name: `limit="COMPLETE"`, `grade="read"`.
"""
SECTIONS: dict[str, tuple[str, ...]] = {
    "Run an agent": ("run", "ChatLoop", "wrap"),
    "Declare tools": ("tool", "Tool", "TypedTool", "ToolSpec", "Grade", "Context"),
    "Collect tools": ("ToolSource", "Toolbox", "Kit", "MemoSource"),
    "Run calls": ("Dispatcher", "Call"),
    "Results": ("Success", "Validation", "Transient", "Refused", "Crashed"),
    "Effects": ("FileEffect", "ProcessEffect"),
    "Find calls in text": ("find_calls", "Extractor", "Extraction", "instructions", "render_call"),
    "Typed arguments": ("decode_args", "decode", "Decoded", "schema_for", "lint_schema"),
    "Repair JSON": ("repair_json", "loads", "repair_all", "PartialReader"),
    "Outcomes of a repair": ("Repaired", "Unrepairable", "RepairError", "Rank", "Fix"),
}
_WIDTH = 92  # a signature that is longer has a line for each parameter
_ADDRESS = re.compile(r" at 0x[0-9a-f]+")


def api_page() -> str:
    """Return the page: every public name by subject."""
    parts = [INTRO]
    seen: set[object] = set()
    for title, names in SECTIONS.items():
        parts.append(f"## {title}\n")
        parts += [_entry(name, getattr(zkit, name), seen) for name in names]
    return "\n".join(parts)


def _entry(name: str, found: Any, seen: set[object]) -> str:
    """Return one name: heading, signature, first paragraph, and the methods of a class."""
    if inspect.isclass(found) and issubclass(found, BaseModel):
        found.model_rebuild()  # a model that is built on first use has no signature before
    shown = [f"### {name}\n", f"```python\n{_signature(name, found)}\n```\n"]
    shown.append(f"{_first_paragraph(found)}\n")
    methods = _methods(found) if inspect.isclass(found) else []
    lines = [_method(one, method) for one, method in methods if method not in seen]
    again = [f"`{one}`" for one, method in methods if method in seen]
    seen.update(method for _, method in methods)
    if again:
        lines.append(f"* As above: {', '.join(again)}")
    return "\n".join([*shown, *(["\n".join(lines) + "\n"] if lines else [])])


def _method(name: str, method: Any) -> str:
    """Return one method as an entry of a list."""
    prefix = "await " if inspect.iscoroutinefunction(method) else ""
    return f"* `{prefix}{_signature(name, method, one_line=True)}`: {_first_paragraph(method)}"


def _methods(owner: type) -> list[tuple[str, Any]]:
    """Return the public methods that a class of ours defines, by name."""
    found: JsonObject = {}
    for one in reversed(owner.__mro__):
        if one.__module__.startswith("zkit"):
            found |= {
                name: value.__func__ if isinstance(value, classmethod | staticmethod) else value
                for name, value in vars(one).items()
            }
    return sorted(
        (name, value)
        for name, value in found.items()
        if not name.startswith("_") and inspect.isfunction(value) and value.__doc__
    )


def _signature(name: str, found: Any, *, one_line: bool = False) -> str:
    """Return how something is called, the way a stub file writes it."""
    if inspect.isclass(found) and issubclass(found, Enum):
        return f"class {name}: {', '.join(member.name for member in found)}"
    if inspect.isclass(found) and getattr(found, "_is_protocol", False):
        return f"class {name}(Protocol)"
    signature = inspect.signature(found)
    shown = [part for part in _parameters(signature.parameters.values()) if part != "self"]
    returns = signature.return_annotation
    has_result = returns is not inspect.Signature.empty and not inspect.isclass(found)
    result = f" -> {_annotation(returns)}" if has_result else ""
    line = f"{name}({', '.join(shown)}){result}"
    if one_line or len(line) <= _WIDTH:
        return line
    lines = "".join(f"    {part},\n" for part in shown)
    return f"{name}(\n{lines}){result}"


def _parameters(parameters: Iterable[inspect.Parameter]) -> list[str]:
    """Return the parameters as text, with the star before those that need their name."""
    shown: list[str] = []
    starred = False
    for one in parameters:
        if one.name == "cls" and not shown:
            continue
        if one.kind is one.VAR_POSITIONAL:
            starred = True
        if one.kind is one.KEYWORD_ONLY and not starred:
            starred = True
            shown.append("*")
        shown.append(_parameter(one))
    return shown


def _parameter(one: inspect.Parameter) -> str:
    stars = 1 if one.kind is one.VAR_POSITIONAL else 2 if one.kind is one.VAR_KEYWORD else 0
    text = "*" * stars + one.name
    if one.annotation is not one.empty:
        text += f": {_annotation(one.annotation)}"
    if one.default is one.empty:
        return text
    return f"{text}{' = ' if ':' in text else '='}{_default(one.default)}"


def _default(value: object) -> str:
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    shown = repr(value)
    return "..." if _ADDRESS.search(shown) or shown.startswith("<") else shown


def _annotation(value: Any) -> str:
    if isinstance(value, ForwardRef):
        return value.__forward_arg__
    if isinstance(value, str):
        return value
    text = (
        value.__name__ if inspect.isclass(value) and not hasattr(value, "__args__") else str(value)
    )
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)


def _first_paragraph(found: object) -> str:
    text = inspect.getdoc(found) or ""
    return " ".join(text.split("\n\n")[0].split())


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
        """Treat arguments that are not a subcommand as pages."""
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
