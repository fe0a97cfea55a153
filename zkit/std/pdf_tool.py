"""The tool `pdf_read`: the text of some pages of a PDF file."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import Field

from zkit.effects import FileEffect
from zkit.errors import MissingExtraError
from zkit.grade import READ
from zkit.results import Validation
from zkit.std.processes import run
from zkit.std.shell_tools import command_environment
from zkit.std.std_tool import HERE, MAX_OUTPUT, Workspace, std_tool
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened

MAX_PDF = 100_000_000
_SECONDS = 60
_MAX_PAGES = 50  # pages of one call


@dataclass(frozen=True, slots=True)
class PdfPage:
    """The text of one page."""

    page: int
    text: str


@dataclass(frozen=True, slots=True)
class PdfText:
    """Some pages of a file, and how many there are."""

    path: str
    pages: int
    text: list[PdfPage]

    def __str__(self) -> str:
        lines = [f"pages: {self.pages}  path: {self.path}"]
        for one in self.text:
            lines += [f"--- page {one.page}", one.text or "(no text: a picture, or empty)"]
        return "\n".join(lines)


def pdf_tools(space: Workspace) -> list[FunctionTool[..., Any]]:
    """Make `pdf_read` for a root."""

    @std_tool(
        "documents",
        grade=READ,
        idempotent=True,
        touches=["path"],
        timeout=_SECONDS + 30.0,
        examples=[
            {
                "arguments": {"path": "docs/manual.pdf", "first": 3, "last": 5},
                "description": "Read pages 3 to 5",
            }
        ],
        error_modes=[
            "not_found: there is no such file",
            "invalid_arguments: it is not a PDF, is protected, or has fewer pages",
        ],
    )
    def pdf_read(
        path: Annotated[str, Field(description="The PDF file, relative to the workspace.")],
        context: Context,
        first: Annotated[int, Field(ge=1, description="The first page.")] = 1,
        last: Annotated[
            int | None, Field(ge=1, description="The last page; ten pages if absent.")
        ] = None,
    ) -> PdfText:
        """Read the text of some pages of a PDF file."""
        end = first + 9 if last is None else last
        if not first <= end < first + _MAX_PAGES:
            raise Validation(f"last: must be {first} to {first + _MAX_PAGES - 1}.")
        data, _ = space.tree.read(path, most=MAX_PDF)
        name = space.tree.name(path)
        context.record(FileEffect(path=name, op="read"))
        found = _pages(data, first, end, name, context, space)
        if first > found["count"]:
            raise Validation(f"first: {name} has {found['count']} pages. Send a smaller number.")
        most = MAX_OUTPUT // max(1, len(found["pages"]))
        texts = [
            PdfPage(number, shortened(text.strip(), max(400, most)))
            for number, text in enumerate(found["pages"], first)
        ]
        return PdfText(name, found["count"], texts)

    return [pdf_read]


def _pages(
    data: bytes, first: int, last: int, name: str, context: Context, space: Workspace
) -> dict[str, Any]:
    asked = json.dumps({"first": first, "last": last}).encode() + b"\n"
    done = run(
        [sys.executable, "-P", str(HERE / "pdf_worker.py")],
        cwd=space.root,
        timeout=_SECONDS,
        context=context,
        shown=f"pdf_worker {name}",
        environment=command_environment(),
        stdin=asked + data,
        errors=False,
        most=50_000_000,
    )
    if done.timed_out:
        raise Validation(f"path: {name} takes too long to read. Ask for fewer pages.")
    try:
        found: dict[str, Any] = json.loads(done.output)
    except ValueError:
        raise Validation(f"path: {name} could not be read: it needs too much memory.") from None
    if "missing" in found:
        raise MissingExtraError("std", "pdf_read")
    if "error" in found:
        raise Validation(f"path: {name} could not be read as a PDF: {found['error']}.")
    return found
