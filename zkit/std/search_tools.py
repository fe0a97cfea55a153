"""The tools that search the text of files below the root: `grep` and `code_search`."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, Literal

from pydantic import Field

from zkit.grade import READ
from zkit.std.std_tool import Workspace, std_tool
from zkit.std.text_search import Matches, Query, search
from zkit.tools import Context, FunctionTool

_ERRORS = [
    "invalid_arguments: the pattern is not a regular expression, or takes too long",
    "not_found: there is no such folder",
    "timeout: there is too much to search; send a deeper path",
]
_MOST_COUNTED = 20_000  # lines that are counted where only counts are shown
PatternArgument = Annotated[str, Field(description="A regular expression, matched line by line.")]
PlaceArgument = Annotated[str, Field(description="A file or folder, relative to the workspace.")]
CaseArgument = Annotated[bool, Field(description="Take upper and lower case for the same.")]


def search_tools(space: Workspace) -> list[FunctionTool[..., Any]]:
    """Make the tools that search below a root."""
    return [_grep(space), _code_search(space)]


def _grep(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "files",
        grade=READ,
        idempotent=True,
        examples=[
            {"arguments": {"pattern": "TODO"}, "description": "Every TODO"},
            {
                "arguments": {"pattern": r"def \w+_tool\(", "path": "src", "glob": "*.py"},
                "description": "Functions by a part of their name",
            },
        ],
        error_modes=_ERRORS,
    )
    def grep(
        pattern: PatternArgument,
        context: Context,
        path: PlaceArgument = ".",
        glob: Annotated[str, Field(description="Only files like this: *.py, src/**/*.ts.")] = "",
        ignore_case: CaseArgument = False,
        literal: Annotated[bool, Field(description="The pattern is plain text.")] = False,
        limit: Annotated[int, Field(ge=1, le=1000, description="How many lines at most.")] = 100,
    ) -> Matches:
        """Find the lines of text files that match a regular expression.

        Ignored and binary files and files over 10 MB are left out.
        """
        globs = (glob,) if glob else ()
        query = Query(pattern, path, globs, ignore_case, literal, limit=limit)
        return search(space.tree, query, context.check)

    return grep


def _code_search(space: Workspace) -> FunctionTool[..., Any]:
    @std_tool(
        "code",
        grade=READ,
        idempotent=True,
        examples=[
            {
                "arguments": {"pattern": r"class \w+Error", "globs": ["*.py"], "context": 2},
                "description": "Every error class with two lines around it",
            },
            {
                "arguments": {"pattern": "import requests", "show": "counts"},
                "description": "How often, file by file",
            },
        ],
        error_modes=_ERRORS,
    )
    def code_search(
        pattern: PatternArgument,
        context_: Context,
        path: PlaceArgument = ".",
        globs: Annotated[
            list[str], Field(description="Only files like any of these: *.py, src/**.")
        ] = [],  # noqa: B006
        context: Annotated[int, Field(ge=0, le=20, description="Lines around each match.")] = 0,
        ignore_case: CaseArgument = False,
        show: Annotated[
            Literal["lines", "files", "counts"],
            Field(description="The lines, only the files, or how many lines of each."),
        ] = "lines",
        limit: Annotated[
            int, Field(ge=1, le=2000, description="How many lines or files at most.")
        ] = 200,
    ) -> Matches:
        """Search code by a regular expression, with lines around each match or with counts."""
        lines = limit if show == "lines" else _MOST_COUNTED
        query = Query(pattern, path, tuple(globs), ignore_case, False, context, lines)
        found = search(space.tree, query, context_.check)
        if show == "lines":
            return found
        files = [replace(file, lines=[]) for file in found.files[:limit]]
        return replace(found, files=files, complete=found.complete and len(found.files) <= limit)

    return code_search
