"""The standard tools of a root, by name and by family, and the provider that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from zkit.errors import ProviderError
from zkit.required import require_list, require_path
from zkit.std.confined_tree import ConfinedTree
from zkit.std.file_tools import file_tools
from zkit.std.search_tools import search_tools
from zkit.std.std_tool import PROVIDER, Workspace
from zkit.tools import FunctionTool, Tool, ToolSpec

FAMILIES: dict[str, tuple[str, ...]] = {
    "files": (
        "read_file", "write_file", "edit_file", "find_files", "ls", "glob", "grep", "code_search",
    ),
    "manager": ("file_manager",),
}  # fmt: skip
"""The tools by family; a family is also a tag (`#files`) and an entry of kits (`std/files`)."""

Make = Callable[[Workspace], list[FunctionTool[..., Any]]]
_MAKERS: dict[str, Make] = {
    "files": file_tools,
    "search": search_tools,
}


def std_tools(
    root: str | Path,
    *,
    only: Iterable[str] | None = None,
    web: Any = None,
    sandbox: Any = None,
) -> list[Tool]:
    """Make the standard tools for the files below a root."""
    require_path("root", root)
    require_list("only", only, "names of tools or families", or_none=True)
    space = Workspace(ConfinedTree(root))
    made = {one.definition().name: one for make in _MAKERS.values() for one in make(space)}
    wanted = list(made) if only is None else _names(only)
    return [made[name] for name in wanted]


def _names(only: Iterable[str]) -> list[str]:
    """The names that a selection means: names, families, `std/family`."""
    known = [name for names in FAMILIES.values() for name in names]
    found: dict[str, None] = {}
    for entry in only:
        family = entry.removeprefix(f"{PROVIDER}/")
        if family in FAMILIES:
            found |= dict.fromkeys(FAMILIES[family])
        elif family in known:
            found[family] = None
        else:
            raise ProviderError(
                f"there is no standard tool {entry!r}; there are {', '.join(known)}, and the"
                f" families {', '.join(FAMILIES)}"
            )
    return list(found)


class StdProvider:
    """The standard tools below one root, as a provider of a toolbox."""

    name = PROVIDER

    def __init__(
        self,
        root: str | Path = ".",
        *,
        only: Iterable[str] | None = None,
        web: Any = None,
        sandbox: Any = None,
    ) -> None:
        self.root = Path(root).resolve()
        made = std_tools(root, only=only, web=web, sandbox=sandbox)
        self._tools = {one.definition().name: one for one in made}

    def available(self) -> bool:
        """True if the root is there."""
        return self.root.is_dir()

    def specs(self) -> list[ToolSpec]:
        """What each of its tools says of itself."""
        return [made.definition() for made in self._tools.values()]

    def resolve(self, spec: ToolSpec, /) -> Any:
        """Return one of its tools."""
        if spec.name not in self._tools:
            known = ", ".join(self._tools)
            raise ProviderError(f"there is no {self.name} {spec.name!r}; there are {known}")
        return self._tools[spec.name]


class BuiltinProvider(StdProvider):
    """The four tools that every kit begins with: reading, finding, writing and editing files."""

    name = "builtin"

    def __init__(self, root: str | Path = ".") -> None:
        super().__init__(root, only=("read_file", "find_files", "write_file", "edit_file"))
