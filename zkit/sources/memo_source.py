"""A source that remembers what the reading tools of another source answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from zkit.calls import Call
from zkit.required import require_kind
from zkit.results import Failure, Result
from zkit.sources.memory import Memory
from zkit.sources.shared_memo import MemoStore
from zkit.sources.source import SourceView, ToolSource, as_source, ready_call, vouched
from zkit.tools import Tool


class MemoSource(SourceView):
    """Remembers what pure and reading tools answered, for the time of a task.

    A hit is marked (`meta["cached"]`), carries no effects, and its data cannot be changed. See
    `Memory` for what clears it. `MemoSource(box, root=".")` narrows that by the files that tools
    declare and report. The same memory can serve several sources. `store` shares the answers with
    other processes: `SqliteMemo(path)` on one machine, `RedisMemo(url)` on many.
    """

    def __init__(
        self,
        source: ToolSource | Iterable[Any],
        *,
        max_entries: int = 1024,
        max_bytes: int = 32_000_000,
        root: str | Path | None = None,
        memory: Memory | None = None,
        store: MemoStore | None = None,
    ) -> None:
        super().__init__()
        require_kind("memory", memory, Memory, "a Memory", or_none=True)
        self.source = as_source(source)
        if memory is None:
            memory = Memory(max_entries=max_entries, max_bytes=max_bytes, root=root, store=store)
        elif store is not None:
            raise ValueError("a memory has its own store: Memory(store=...)")
        self.memory = memory

    @property
    def version(self) -> int:
        """A number that grows whenever the listing changes."""
        return self.source.version

    def tools(self) -> Sequence[Tool]:
        """List the tools of the source."""
        return self.source.tools()

    def get(self, name: str) -> Tool | None:
        """Find a tool of the source."""
        return self.source.get(name)

    def absent(self, name: str) -> Failure:
        """Say why there is no tool of that name."""
        why: Any = getattr(self.source, "absent", super().absent)
        failure: Failure = why(name)
        return failure

    async def call(self, call: Call, /) -> Result:
        """Answer from memory, or run the call by way of the source; a destructive one is refused."""
        tool = self.source.get(call.name)
        if tool is None:
            return await self.source.call(call)
        ready = ready_call(tool, call)
        if isinstance(ready, Failure):
            return ready
        with vouched(ready):
            return await self.memory.run(tool, ready, self.source.call)

    def forget(self, task: str) -> None:
        """Forget everything of a task."""
        self.memory.forget(task)
