"""The tool `lsp_manager`: definitions, references, hover and diagnostics of Python code."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from zkit.errors import MissingExtraError
from zkit.grade import READ
from zkit.results import Validation
from zkit.std.file_tools import decoded
from zkit.std.processes import run
from zkit.std.shell_tools import command_environment
from zkit.std.std_tool import HERE, Workspace, std_tool
from zkit.tools import Context, FunctionTool

_SECONDS = 30
_MOST = 100
CodeAction = Literal["definition", "hover", "references", "diagnostics", "ruff_check"]


@dataclass(frozen=True, slots=True)
class CodePlace:
    """A place in code, and what is there."""

    path: str
    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class CodePlaces:
    """The places that answer a question about code."""

    action: str
    places: list[CodePlace]

    def __str__(self) -> str:
        lines = [f"{self.action}: {len(self.places)}"]
        lines += [f"{one.path}:{one.line}:{one.column}: {one.text}" for one in self.places]
        return "\n".join(lines)


def code_tools(space: Workspace) -> list[FunctionTool[..., Any]]:
    """Make `lsp_manager` for a root."""

    @std_tool(
        "code",
        grade=READ,
        idempotent=True,
        touches=["path"],
        cacheable=False,
        timeout=_SECONDS + 30.0,
        examples=[
            {
                "arguments": {"action": "definition", "path": "app.py", "line": 12, "column": 5},
                "description": "Where a name is defined",
            },
            {
                "arguments": {"action": "diagnostics", "path": "app.py"},
                "description": "Errors of syntax",
            },
        ],
        error_modes=[
            "not_found: there is no such file, or ruff is not installed",
            "invalid_arguments: there is no such line or column",
        ],
    )
    def lsp_manager(
        action: Annotated[CodeAction, Field(description="What to look for.")],
        path: Annotated[str, Field(description="The Python file, relative to the workspace.")],
        context: Context,
        line: Annotated[int, Field(ge=1, description="The line of the name, from 1.")] = 1,
        column: Annotated[int, Field(ge=1, description="A column of the name, from 1.")] = 1,
    ) -> CodePlaces:
        """Find definitions, references, documentation or errors in Python code, without running it."""
        name = space.tree.name(path)
        code = decoded(space.tree.read(path)[0], path)
        if action == "ruff_check":
            return CodePlaces(action, _ruff(space, name, code, context))
        asked = {"action": action, "path": str(space.root / name), "name": name, "line": line}
        asked |= {"column": column, "root": str(space.root), "code": code}
        found = _jedi(space, asked, context)
        return CodePlaces(action, [CodePlace(**one) for one in found])

    return [lsp_manager]


def _jedi(space: Workspace, asked: dict[str, Any], context: Context) -> list[dict[str, Any]]:
    done = run(
        [sys.executable, "-P", str(HERE / "jedi_worker.py")],
        cwd=space.root,
        timeout=_SECONDS,
        context=context,
        shown=f"jedi {asked['action']} {asked['name']}",
        environment=command_environment(),
        stdin=json.dumps(asked).encode(),
        errors=False,
        most=5_000_000,
    )
    try:
        found = json.loads(done.output)
    except ValueError:
        raise Validation(f"path: {asked['name']} could not be analysed in {_SECONDS} s.") from None
    if "missing" in found:
        raise MissingExtraError("std", "lsp_manager")
    if "invalid" in found:
        raise Validation(f"line: {found['invalid']}. Read the file, and point at the name.")
    return list(found["answer"])


def _ruff(space: Workspace, name: str, code: str, context: Context) -> list[CodePlace]:
    beside = Path(sys.executable).with_name("ruff")
    program = str(beside) if beside.exists() else shutil.which("ruff")
    if program is None:
        raise Validation("action: ruff is not installed here. Use diagnostics.", code="not_found")
    done = run(
        [program, "check", "--no-cache", "--output-format=json", f"--stdin-filename={name}", "-"],
        cwd=space.root,
        timeout=_SECONDS,
        context=context,
        shown=f"ruff check {name}",
        environment=command_environment(),
        stdin=code.encode(),
        errors=False,
        most=5_000_000,
    )
    try:
        found = json.loads(done.output)
    except ValueError:
        raise Validation(f"path: ruff could not check {name}: {done.output[:500]}") from None
    return [
        CodePlace(name, one["location"]["row"], one["location"]["column"], _message(one))
        for one in found[:_MOST]
    ]


def _message(one: dict[str, Any]) -> str:
    return f"{one.get('code') or 'syntax'} {one['message']}"
