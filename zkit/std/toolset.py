"""The standard tools of a root, by name and by family, and the provider that has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from zkit.errors import ProviderError
from zkit.required import require_flag, require_list, require_path
from zkit.sources.shown_tool import ShownTool
from zkit.std.bubblewrap import Sandbox, sandbox_of
from zkit.std.confined_tree import ConfinedTree
from zkit.std.std_tool import PROVIDER, TIMEOUT, Workspace, skill_of
from zkit.std.web_client import SearchBackend, Web
from zkit.tools import Tool, ToolSpec

FAMILIES: dict[str, tuple[str, ...]] = {
    "files": ("read_file", "write_file", "edit_file", "find_files", "ls", "glob", "grep"),
    "manager": ("file_manager",),
    "process": ("bash", "bash_output", "git_manager", "test_runner"),
    "code": ("lsp_manager", "code_exec", "diff_editor", "code_search"),
    "web": ("web_search", "web_fetch"),
    "documents": ("pdf_read",),
    "people": ("ask_clarification",),
}
"""The tools by family; a family is also a tag (`#files`) and an entry of kits (`std/files`)."""

ALIASES = {"bash_manager": "bash"}
"""Other names for a tool; it is then shown under that name."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What the operator decides about the standard tools."""

    web: Web
    sandbox: Sandbox
    push: bool = False


Make = Callable[[Workspace, Settings], Iterable[Tool]]


def _files(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.file_tools import file_tools

    return file_tools(space)


def _search(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.search_tools import search_tools

    return search_tools(space)


def _shell(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.shell_tools import shell_tools

    return shell_tools(space, settings.sandbox)


def _git(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.git_tool import git_tools

    return git_tools(space, settings.sandbox, push=settings.push)


def _pytest(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.pytest_tool import pytest_tools

    return pytest_tools(space, settings.sandbox)


def _code(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.code_tool import code_tools

    return code_tools(space)


def _monty(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.monty_tool import monty_tools

    return monty_tools(space)


def _diff(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.diff_tool import diff_tools

    return diff_tools(space)


def _web(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.web_tools import web_tools

    return web_tools(space, settings.web)


def _pdf(space: Workspace, settings: Settings) -> Iterable[Tool]:
    from zkit.std.pdf_tool import pdf_tools

    return pdf_tools(space)


def _people(space: Workspace, settings: Settings) -> Iterable[Tool]:
    """Return the tool of `zkit.chat` as a standard tool."""
    from zkit.chat import ask_clarification

    spec = ask_clarification.definition()
    dressed = spec.replace(
        provider=PROVIDER,
        docs=f"std/{spec.name}.md",
        guide=skill_of(spec.name),
        idempotent=True,
        timeout=spec.timeout or TIMEOUT,
        examples=[
            {
                "arguments": {
                    "question": "Which database is meant?",
                    "options": ["staging", "production"],
                },
                "description": "A question with two answers",
            }
        ],
        error_modes=["invalid_arguments: the question is empty"],
    )
    return [ShownTool(ask_clarification, dressed)]


# Which tools each maker makes: only what is wanted is imported.
_MAKERS: tuple[tuple[Make, tuple[str, ...]], ...] = (
    (_files, ("read_file", "write_file", "edit_file", "find_files", "ls", "glob", "file_manager")),
    (_search, ("grep", "code_search")),
    (_shell, ("bash", "bash_output")),
    (_git, ("git_manager",)),
    (_pytest, ("test_runner",)),
    (_code, ("lsp_manager",)),
    (_monty, ("code_exec",)),
    (_diff, ("diff_editor",)),
    (_web, ("web_search", "web_fetch")),
    (_pdf, ("pdf_read",)),
    (_people, ("ask_clarification",)),
)


def std_tools(
    root: str | Path,
    *,
    only: Iterable[str] | None = None,
    web: Web | SearchBackend | None = None,
    sandbox: Sandbox | bool | str | None = None,
    push: bool = False,
) -> list[Tool]:
    """Make the standard tools for the files below a root.

    `only` names tools and families (`"grep"`, `"files"`, `"std/files"`). `web` is a `Web`, or a
    search engine for `web_search`. `sandbox` says how commands are confined: None where bubblewrap
    is installed, True or they do not run, False never; or a `Sandbox`. `push` lets `git_manager`
    push.
    """
    require_path("root", root)
    require_list("only", only, "names of tools or families", or_none=True)
    require_flag("push", push)
    settings = Settings(_web_of(web), sandbox_of(sandbox), push)
    wanted = _names(only)
    space = Workspace(ConfinedTree(root))
    made: dict[str, Tool] = {}
    for make, names in _MAKERS:
        if any(name in wanted.values() for name in names):
            made |= {one.definition().name: one for one in make(space, settings)}
    return [_named(made[name], shown) for shown, name in wanted.items()]


def _web_of(given: Web | SearchBackend | None) -> Web:
    if given is None or isinstance(given, Web):
        return given or Web()
    if not isinstance(given, SearchBackend):
        raise TypeError(f"web must be a Web, a search engine or None, not {given!r}")
    return Web(search=given)


def _named(tool: Tool, name: str) -> Tool:
    spec = tool.definition()
    return tool if spec.name == name else ShownTool(tool, spec.replace(name=name))


def _names(only: Iterable[str] | None) -> dict[str, str]:
    """Return the selected tools: the shown name, and the real one."""
    known = [name for names in FAMILIES.values() for name in names]
    if only is None:
        return {name: name for name in known}
    found: dict[str, str] = {}
    for entry in only:
        text = entry.removeprefix(f"{PROVIDER}/")
        if text in FAMILIES:
            found |= {name: name for name in FAMILIES[text]}
        elif text in known or text in ALIASES:
            found[text] = ALIASES.get(text, text)
        else:
            raise ProviderError(
                f"there is no standard tool {entry!r}; there are {', '.join(known)}, and the"
                f" families {', '.join(FAMILIES)}"
            )
    return found


class StdProvider:
    """The standard tools below one root, as a provider of a toolbox."""

    name = PROVIDER

    def __init__(
        self,
        root: str | Path = ".",
        *,
        only: Iterable[str] | None = None,
        web: Web | SearchBackend | None = None,
        sandbox: Sandbox | bool | str | None = None,
        push: bool = False,
    ) -> None:
        self.root = Path(root).resolve()
        made = std_tools(root, only=only, web=web, sandbox=sandbox, push=push)
        self._tools = {one.definition().name: one for one in made}

    def available(self) -> bool:
        """True if the root is there."""
        return self.root.is_dir()

    def specs(self) -> list[ToolSpec]:
        """Return the specs of its tools."""
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
