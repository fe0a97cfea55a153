"""Declare a standard tool: what all of them have in common is added here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from threading import RLock
from typing import ParamSpec, TypeVar, Unpack

from zkit.sources.confined_files import Stamp
from zkit.sources.workflows import PACKAGED, load_skills, read_skill
from zkit.std.confined_tree import ConfinedTree
from zkit.tools import Context, FunctionTool, Guide, tool
from zkit.tools.declare import Declared

P = ParamSpec("P")
R = TypeVar("R")
PROVIDER = "std"
HERE = Path(__file__).parent
SKILLS = HERE / "skills"
KITS = HERE / "kits"
DOCS_ROOT = HERE / "pages"
PACKAGED[PROVIDER] = DOCS_ROOT  # so that any source of these tools finds their documents
TIMEOUT = 60.0  # seconds, for every tool that does not say otherwise
MAX_OUTPUT = 30_000  # characters of a result; what is above keeps its head and its tail
_MOST_SEEN = 10_000


def std_tool(
    family: str, **declared: Unpack[Declared]
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]:
    """Make a standard tool from a function: a family as its tag, a docs page, a guide."""

    def made(function: Callable[P, R]) -> FunctionTool[P, R]:
        name = declared.get("name", function.__name__)
        given: Declared = {
            "provider": PROVIDER,
            "tags": [family],
            "docs": f"std/{name}.md",
            "guide": skill_of(name),
            "timeout": TIMEOUT,
        }
        given.update(declared)
        return tool(**given)(function)

    return made


@cache
def skill_of(name: str) -> Guide:
    """Return the guide of a tool, from the skill file that comes with the package."""
    return read_skill(SKILLS / f"{name}.yaml")[1]


def std_skills(folder: str | Path | None = None) -> dict[str, Guide]:
    """Return the skills by the name of their tool; those of a folder of yours come first."""
    own = {} if folder is None else load_skills(folder)
    return {**load_skills(SKILLS), **own}


@dataclass
class SeenFiles:
    """The stamps of files when each task read them last."""

    _stamps: dict[tuple[str, str], Stamp] = field(default_factory=dict)
    _lock: RLock = field(default_factory=RLock)

    def note(self, context: Context, path: str, stamp: Stamp) -> None:
        """Remember the stamp of a file for the task of a call."""
        task = context.task
        with self._lock:
            self._stamps.pop((task, path), None)
            self._stamps[task, path] = stamp
            if len(self._stamps) > _MOST_SEEN:
                self._stamps.pop(next(iter(self._stamps)))
        context.scope.when_over((self.__class__, id(self)), lambda: self.forget(task))

    def known(self, context: Context, path: str) -> Stamp | None:
        """Return the stamp that the task of a call has seen; None if it never read the file."""
        return self._stamps.get((context.task, path))

    def drop(self, context: Context, path: str) -> None:
        """Forget a file that is gone."""
        self._stamps.pop((context.task, path), None)

    def forget(self, task: str) -> None:
        """Forget what a task has seen."""
        with self._lock:
            for key in [key for key in self._stamps if key[0] == task]:
                del self._stamps[key]


@dataclass
class Workspace:
    """What the standard tools of one root share."""

    tree: ConfinedTree
    seen: SeenFiles = field(default_factory=SeenFiles)
    lock: RLock = field(default_factory=RLock)  # changes of files happen one after the other

    @property
    def root(self) -> Path:
        """The folder that the tools work in."""
        return self.tree.root
