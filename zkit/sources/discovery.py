"""Lists a few tools of a large source, and others when the model asks for them."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import Field

from zkit.calls import Call
from zkit.grade import PURE
from zkit.required import require_count, require_list
from zkit.results import Failure, Result, Success, Validation
from zkit.sources.catalog import catalog_text
from zkit.sources.source import SourceView, ToolSource, as_source, unknown_tool
from zkit.tools import FunctionTool, Tool, current_scope, tool

_MOST_FOUND = 25


class Discovery(SourceView):
    """Two tools in place of hundreds: `search_tools` finds, `describe_tool` opens.

    A tool that was described is listed and can be called from the next turn on. In each task the
    last `keep` of these stay listed; `always` names tools that are listed from the start. A tool
    that is not listed is not run: a call of it is answered with its description, and it is listed
    from then on.
    """

    def __init__(
        self, source: ToolSource | Iterable[object], *, always: Iterable[str] = (), keep: int = 16
    ) -> None:
        super().__init__()
        require_list("always", always, "names of tools")
        require_count("keep", keep, least=1)
        self.source = source = as_source(source)
        self.keep = keep
        self._always = tuple(always)
        self._lock = threading.Lock()
        self._open: dict[str, OrderedDict[str, None]] = {}
        self._changes = 0
        self._own = {made.definition().name: made for made in discovery_tools(source, self.open)}

    @property
    def version(self) -> int:
        """A number that grows whenever the listing may have changed."""
        return self.source.version + self._changes

    def tools(self) -> list[Tool]:
        """List the two tools, and those that were described in this task."""
        names = (*self._always, *self._open.get(current_scope().task, ()))
        found = {n: t for n in names if n not in self._own and (t := self.source.get(n))}
        return [one for _, one in sorted({**found, **self._own}.items())]

    def get(self, name: str) -> Tool | None:
        """Find a listed tool."""
        if name in self._own:
            return self._own[name]
        tool = self.source.get(name)
        return tool if tool is not None and self._is_open(tool.definition().name) else None

    async def call(self, call: Call, /) -> Result:
        """Run a call of a listed tool through the source."""
        if call.name in self._own:
            return await super().call(call)
        return (
            self.absent(call.name) if self.get(call.name) is None else await self.source.call(call)
        )

    def absent(self, name: str) -> Failure:
        """Describe a tool that is not listed yet, and list it; say that other names do not exist."""
        tool = self.source.get(name)
        if tool is None:
            why = getattr(self.source, "absent", None)
            return why(name) if why is not None else unknown_tool(name, self.names(), ())
        self.open(tool.definition().name)
        return Validation(
            f"{name} was not open, so it was not run. It is now:\n{tool.definition().text()}\n"
            "Send the call again with these parameters.",
            code="unknown_tool",
        )

    def open(self, name: str) -> None:
        """List a tool from now on in this task."""
        scope = current_scope()
        with self._lock:
            opened = self._open.setdefault(scope.task, OrderedDict())
            if name not in opened:
                self._changes += 1
            opened[name] = None
            opened.move_to_end(name)
            while len(opened) > self.keep:
                opened.popitem(last=False)
        if not scope.when_over(self, lambda: self.forget(scope.task)):
            self.forget(scope.task)

    def forget(self, task: str) -> None:
        """Forget what a task has described."""
        with self._lock:
            if self._open.pop(task, None):
                self._changes += 1

    def _once(self, what: str, make: Callable[[], Any]) -> Any:
        """Make the value again each time: every task has its own listing."""
        return make()

    def _is_open(self, name: str) -> bool:
        return name in self._always or name in self._open.get(current_scope().task, ())


def discovery_tools(source: ToolSource, opened: Any = None) -> tuple[FunctionTool[..., Any], ...]:
    """Make `search_tools` and `describe_tool` over a source."""
    view = source if isinstance(source, SourceView) else _View(source)

    @tool(grade=PURE, cacheable=False, tags=["discovery"])
    def search_tools(
        query: Annotated[str, Field(description="What the tool should do, in a few words.")] = "",
        tags: Annotated[list[str], Field(description="Tags that it must bear.")] = [],  # noqa: B006
        limit: Annotated[int, Field(ge=1, le=_MOST_FOUND)] = 8,
    ) -> str:
        """Find tools by what they do. Then call describe_tool for the one you need."""
        found = view.search(query, tags, limit)
        if not found:
            tagged = f" with the tags {', '.join(tags)}" if tags else ""
            return f"No tool{tagged} fits {query!r}. Try other words, or fewer."
        return f"{catalog_text(found)}\nCall describe_tool with a name before you call the tool."

    @tool(grade=PURE, cacheable=False, tags=["discovery"])
    def describe_tool(
        name: Annotated[str, Field(description="The exact name of the tool.")],
    ) -> Result:
        """Show how a tool is called. From then on it can be called."""
        one = view.get(name)
        if one is None:
            return view.absent(name)
        spec = one.definition()
        if opened is not None:
            opened(spec.name)
        return Success(spec.text())

    return (search_tools, describe_tool)


class _View(SourceView):
    """The catalogue of a source that has none."""

    def __init__(self, source: ToolSource) -> None:
        super().__init__()
        self._source = source

    @property
    def version(self) -> int:
        return self._source.version

    def tools(self) -> Any:
        return self._source.tools()

    def get(self, name: str) -> Tool | None:
        return self._source.get(name)
