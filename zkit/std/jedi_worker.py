"""Answer a question about Python code with jedi, in a process of its own: run as a script."""

from __future__ import annotations

import json
import os
import sys
from typing import Any

_MOST = 100


def main() -> None:
    """Answer the question on standard input, as JSON."""
    asked = json.load(sys.stdin)
    try:
        found: dict[str, Any] = {"answer": answer(asked)}
    except ImportError:
        found = {"missing": "jedi"}
    except ValueError as error:  # jedi's word for a line or column that is not there
        found = {"invalid": str(error)}
    except RecursionError:
        found = {"invalid": "the code is nested too deep"}
    sys.stdout.write(json.dumps(found))


def answer(asked: dict[str, Any]) -> list[dict[str, Any]]:
    """Return places in code: definitions, references, what a name is, or errors of syntax."""
    import jedi  # type: ignore[import-untyped]

    project = jedi.Project(asked["root"], load_unsafe_extensions=False)
    script = jedi.Script(
        asked["code"],
        path=asked["path"],
        project=project,
        environment=jedi.InterpreterEnvironment(),
    )
    if asked["action"] == "diagnostics":
        errors = script.get_syntax_errors()
        return [_row("", e.line, e.column, e.get_message(), asked) for e in errors[:_MOST]]
    look: dict[str, Any] = {
        "definition": lambda *at: script.goto(*at, follow_imports=True),
        "hover": script.help,
        "references": lambda *at: script.get_references(*at, scope="project"),
    }
    names = look[asked["action"]](asked["line"], asked["column"] - 1)
    detailed = asked["action"] == "hover"
    shown = [name for name in names if not _leads_out(str(name.module_path or ""), asked["root"])]
    return [_name(name, asked, detailed) for name in shown[:_MOST]]


def _leads_out(path: str, root: str) -> bool:
    """True if a path below the root is a link to somewhere else, whose text is not to be shown."""
    base = root.rstrip("/") + "/"
    return path.startswith(base) and not os.path.realpath(path).startswith(base)


def _name(name: Any, asked: dict[str, Any], detailed: bool) -> dict[str, Any]:
    text = name.docstring() if detailed else (name.description or name.name)
    path = str(name.module_path or name.module_name)
    return _row(path, name.line or 0, name.column or 0, text, asked)


def _row(path: str, line: int, column: int, text: str, asked: dict[str, Any]) -> dict[str, Any]:
    inside = path.removeprefix(asked["root"].rstrip("/") + "/") if path else asked["name"]
    return {"path": inside, "line": line, "column": column + 1, "text": text[:2000]}


if __name__ == "__main__":
    main()
