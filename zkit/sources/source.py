"""What every source of tools offers: listing, finding, calling, describing and searching."""

from __future__ import annotations

import builtins
import hashlib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from zkit.calls import Call
from zkit.errors import ToolDefinitionError
from zkit.grade import Grade, joint_grade
from zkit.json_types import JsonObject
from zkit.results import Failure, Refused, Result, Success, Validation
from zkit.sources.catalog import MOST_EXAMPLES, Catalog, ToolExample, nearest_examples
from zkit.sources.shown_tool import can_destroy
from zkit.sources.workflows import read_document
from zkit.tools import FrozenList, Tool, ToolSpec, freeze, policy_for, run_tool
from zkit.tools.call_arguments import read_arguments
from zkit.tools.context import Held
from zkit.tools.execution import is_contained


class ShadowedNameWarning(UserWarning):
    """A tool has the name of a builtin or a standard module: small models mix them up."""


_SHADOWED: Mapping[str, str] = {
    **dict.fromkeys(sys.stdlib_module_names, "standard module"),
    **dict.fromkeys((name for name in vars(builtins) if not name.startswith("_")), "builtin"),
}


def warn_if_shadowing(name: str) -> None:
    """Warn of a name that is a builtin's or a standard module's.

    A small model that is offered `glob` writes `import glob`, or `glob.glob()`.
    """
    kind = _SHADOWED.get(name)
    if kind is not None:
        warning = f"the tool {name!r} has the name of a {kind}; small models mix them up"
        warnings.warn(warning, ShadowedNameWarning, stacklevel=levels_out())


def levels_out() -> int:
    """Return the stack level of the first caller outside of zkit, where the name was chosen."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("zkit."):
        level, frame = level + 1, frame.f_back
    return level


@runtime_checkable
class ToolSource(Protocol):
    """A source of tools. Only tools that are listed can be called."""

    @property
    def version(self) -> int:
        """A number that grows whenever the listing changes."""

    def tools(self) -> Sequence[Tool]:
        """List the tools, sorted by name; cheap, and without I/O."""

    def get(self, name: str) -> Tool | None:
        """Find a listed tool by its name or its wire name; None when there is none."""

    async def call(self, call: Call, /) -> Result:
        """Run a call; mistakes of a model or a tool are results and never raised."""


def as_source(given: object) -> ToolSource:
    """Return the source itself, or a `Toolbox` of the tools and functions in a list."""
    if isinstance(given, ToolSource):
        return given
    if isinstance(given, Iterable) and not isinstance(given, str | bytes | Mapping):
        from zkit.sources.toolbox import Toolbox

        return Toolbox(given)
    raise ToolDefinitionError(
        f"source must be a source of tools or a list of tools, not {given!r:.80}"
    )


class ToolUnavailableWarning(UserWarning):
    """The `definition()` of a tool raises, so the tool is neither listed nor callable."""


def spec_or_none(tool: Tool) -> ToolSpec | None:
    """Return the spec of a tool; None, with a warning, when `definition()` raises."""
    try:
        return tool.definition()
    except BaseException as error:
        if not is_contained(error):
            raise
        kind = type(tool).__name__
        warning = f"definition() of a {kind} raised {type(error).__name__}: the tool is unavailable"
        warnings.warn(warning, ToolUnavailableWarning, stacklevel=levels_out())
        return None


def specs_in(tools: Iterable[Tool]) -> list[ToolSpec]:
    """Return the spec of each tool; one that raises is left out, with a warning."""
    return [spec for tool in tools if (spec := spec_or_none(tool)) is not None]


_VOUCHED: ContextVar[Call | None] = ContextVar("zkit vouched", default=None)


def vouched(call: Call) -> Held[Call, Call]:
    """Let a source run this one call even if it is destructive: it was approved elsewhere."""
    return Held(_VOUCHED, call, call)


def ready_call(tool: Tool, call: Call) -> Call | Failure:
    """Return a call with valid arguments; refuse a destructive one that was not approved elsewhere."""
    spec = tool.definition()
    found = read_arguments(tool, call, policy_for(spec).limit)
    if isinstance(found, Failure):
        return found
    fixes, rank = (*call.fixes, *found.fixes), max(call.rank, found.rank)
    ready = replace(call, arguments=found.data, fixes=fixes, rank=rank)
    if _VOUCHED.get() is not call and can_destroy(tool, ready, found.typed):
        reason = f"{spec.name} needs approval: it is run by a Dispatcher, which can ask for it"
        return Refused(reason, code="approval")
    return ready


_MOST_NAMED = 20


class SourceView:
    """What every source offers once it can list and find its tools.

    Subclasses implement `version`, `tools` and `get`.
    """

    def __init__(self) -> None:
        self._made: dict[str, tuple[int, Any]] = {}
        self._entries_for_openai: dict[tuple[bool, str], tuple[ToolSpec, Any]] = {}

    @property
    def version(self) -> int:
        """A number that grows whenever the listing changes."""
        raise NotImplementedError

    def tools(self) -> Sequence[Tool]:
        """List the tools, sorted by name."""
        raise NotImplementedError

    def get(self, name: str) -> Tool | None:
        """Find a listed tool by its name or its wire name; None when there is none."""
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.tools())

    def __iter__(self) -> Iterator[Tool]:
        return iter(self.tools())

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __bool__(self) -> bool:
        return True

    def names(self) -> list[str]:
        """Return the names of the tools, sorted."""
        return [spec.name for spec in self.specs()]

    def specs(self) -> list[ToolSpec]:
        """Return the specs of the tools, sorted by name; a tool whose `definition()` raises is left out."""
        return specs_in(self.tools())

    @property
    def grade(self) -> Grade:
        """How much all of the tools together can break."""
        return joint_grade(spec.effective_grade for spec in self.specs())

    @property
    def digest(self) -> str:
        """A short text that changes whenever any listed tool does."""
        text = "\n".join(spec.digest for spec in self.specs())
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    async def call(self, call: Call, /) -> Result:
        """Run a call: find the tool, read the arguments, run it. Nothing is raised.

        A source cannot ask for approval, so a destructive call is refused; only a `Dispatcher` runs
        it.
        """
        tool = self.get(call.name)
        if tool is None:
            return self.absent(call.name)
        ready = ready_call(tool, call)
        return ready if isinstance(ready, Failure) else await run_tool(tool, ready)

    def absent(self, name: str) -> Failure:
        """Return the message about a missing tool, with what the model can do instead."""
        return unknown_tool(name, self.names(), self.catalog().nearest(name))

    def catalog(self) -> Catalog:
        """Return the index of the listing as it is now."""
        made: Catalog = self._once("catalog", lambda: Catalog(self.specs()))
        return made

    def openai(self, *, strict: bool = False) -> list[JsonObject]:
        """Return the listing as OpenAI's `tools`; byte for byte the same until a tool changes.

        It is shared and cannot be changed; `copy.deepcopy` gives one that can.
        """
        made: list[JsonObject] = self._once(
            f"openai {strict}",
            lambda: FrozenList(self._projected(spec, strict) for spec in self.specs()),
        )
        return made

    def as_pydantic_ai(self, **options: Any) -> list[object]:
        """Return the tools for pydantic-ai; `options` are those of the dispatcher they go through."""
        from zkit.ext.pydantic_ai import tools_of

        return tools_of(self, **options)

    def as_langchain(self, **options: Any) -> list[object]:
        """Return the tools for LangChain; `options` are those of the dispatcher they go through."""
        from zkit.ext.langchain import tools_of

        return list(tools_of(self, **options))

    def as_openai_agents(self, **options: Any) -> list[object]:
        """Return the tools for the OpenAI Agents SDK, each called through a dispatcher."""
        from zkit.ext.openai_agents import tools_of

        return list(tools_of(self, **options))

    def _projected(self, spec: ToolSpec, strict: bool) -> Any:
        """Return the projection of one tool, made again only when that tool has changed."""
        known = self._entries_for_openai.get((strict, spec.name))
        if known is None or known[0] is not spec:
            known = (spec, freeze(spec.openai(strict=strict)))
            self._entries_for_openai[strict, spec.name] = known
        return known[1]

    def _once(self, what: str, make: Callable[[], Any]) -> Any:
        """Return a value made from the listing, cached until the listing changes."""
        version = self.version
        known = self._made.get(what)
        if known is None or known[0] != version:
            known = self._made[what] = (version, make())
        return known[1]

    def summaries(self, tags: Iterable[str] = ()) -> list[JsonObject]:
        """Return a catalogue: one line for each tool that has all of the tags.

        The name of a tool's provider counts as one of its tags.
        """
        wanted = set(_as_tags(tags))
        return [
            spec.summary_entry()
            for spec in self.specs()
            if wanted <= {*spec.tags, *([spec.provider] if spec.provider else ())}
        ]

    def describe(self, name: str) -> Result:
        """Return everything about one tool; for an unknown name, a hint on how to find others."""
        tool = self.get(name)
        return self.absent(name) if tool is None else Success(tool.definition().full())

    def search(self, query: str, tags: Iterable[str] = (), limit: int = 10) -> list[ToolSpec]:
        """Return the tools that match a query, best first."""
        return self.catalog().search(query, _as_tags(tags), limit)

    # Documents: listed here, read on request

    def docs_index(self) -> JsonObject:
        """Return the documents: `tool_docs` by tool, and `kit_docs`."""
        inner = getattr(self, "source", None)
        index = inner.docs_index() if isinstance(inner, SourceView) else {}
        tool_docs = {spec.name: spec.docs for spec in self.specs() if spec.docs}
        return {"tool_docs": tool_docs, "kit_docs": list(index.get("kit_docs", ()))}

    def resolve_doc(self, path: str) -> str | None:
        """Read a document below a root of documents; None when there is none of that name.

        Raises `KitError` for a path that leads out of the root.
        """
        return read_document(path, self.doc_roots())

    def doc_roots(self) -> tuple[str | Path, ...]:
        """Return the folders that documents are read from, those of this source first."""
        own, inner = getattr(self, "docs_root", None), getattr(self, "source", None)
        outer = inner.doc_roots() if isinstance(inner, SourceView) else ()
        return outer if own is None else (own, *outer)

    def examples(self, intent: str, limit: int = MOST_EXAMPLES) -> list[ToolExample]:
        """Return examples of the tools that match an intent best, best first."""
        return nearest_examples(self.specs(), intent, limit)


def _as_tags(tags: Iterable[str]) -> list[str]:
    return [tags] if isinstance(tags, str) else list(tags)


def unknown_tool(name: str, names: Sequence[str], near: Sequence[str]) -> Validation:
    """Return the message about an unknown name: the nearest tools, then as many others as are readable."""
    shown = name if name.isprintable() and len(name) <= 80 else repr(name[:80])
    warning = f'There is no tool "{shown}".' if name.strip() else "The call names no tool."
    if near:
        warning += f" Did you mean {' or '.join(near)}?"
    if not names:
        return Validation(f"{warning} No tools are available.", code="unknown_tool")
    listed = ", ".join(names[:_MOST_NAMED])
    more = len(names) - _MOST_NAMED
    rest = f", and {more} more (search_tools finds them by what they do)" if more > 0 else ""
    message = f"{warning} The tools are: {listed}{rest}. Call one of them by its exact name."
    return Validation(message, code="unknown_tool", meta={"nearest": list(near)})
