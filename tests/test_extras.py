"""The extras hold what the code imports, and nothing else."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
IMPORT_NAMES = {
    "pyyaml": "yaml",
    "opentelemetry-api": "opentelemetry",
    "pydantic-ai-slim": "pydantic_ai",
    "openai-agents": "agents",
}
"""Distributions whose modules have another name."""


def imported() -> set[str]:
    """The first names of all modules that zkit imports anywhere."""
    found = set()
    for path in (ROOT / "zkit").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").split(".")[0])
    return found


def module_of(requirement: str) -> str:
    name = re.split(r"[\[<>=]", requirement)[0]
    return IMPORT_NAMES.get(name, name.replace("-", "_"))


def test_every_extra_is_imported_somewhere() -> None:
    extras = PROJECT["optional-dependencies"].values()
    needed = {module_of(one) for extra in extras for one in extra if not one.startswith("zkit-llm")}
    assert needed - imported() == set()


def test_all_holds_every_extra_that_is_not_a_framework() -> None:
    [everything] = PROJECT["optional-dependencies"]["all"]
    named = set(re.findall(r"[\w-]+", everything.removeprefix("zkit-llm")))
    frameworks = {path.stem.replace("_", "-") for path in (ROOT / "zkit" / "ext").glob("*.py")}
    assert named == PROJECT["optional-dependencies"].keys() - frameworks - {"all"}
