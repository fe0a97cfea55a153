"""A kit: some of the tools of a source, under names of your choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from zkit.calls import Call
from zkit.errors import KitError
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_list, require_mapping, require_text
from zkit.results import Failure, Refused, Result
from zkit.sources.catalog import kit_prompt
from zkit.sources.kit_files import KitFile, KitFolder
from zkit.sources.kit_rules import KitChecks, Pick, Rule, picked, rules_of
from zkit.sources.shown_tool import ShownTool
from zkit.sources.source import SourceView, ToolSource, as_source, ready_call, specs_in, vouched
from zkit.sources.workflows import Workflow
from zkit.tools import Guide, Tool, run_tool, to_wire

_KIT_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


class Kit(SourceView):
    """Some of the tools of a source. The selection is fixed; the tools are looked up when they are needed.

    A selection is a list of entries, a mapping of aliases, the name of a kit file in the folder
    `kits`, or `"none"`:

        Kit(box, ["read_file", "git_*", "@mcp", "#files", "!write_file"])
        Kit(box, {"find": "find_files", "cat": {"tool": "read_file", "defaults": {"lines": 100}}})
        Kit(box, "filesystem", kits="kits", extra=["web_fetch", my_function])

    The model sees the aliases. A tool that is registered later and that a glob, provider or tag
    selects is there in the next turn; `freeze()` fixes the current names. `!` excludes a tool,
    whatever selected it. `extra` is added after that, and replaces nothing.
    """

    def __init__(
        self,
        source: ToolSource | Iterable[object],
        selection: object = None,
        *,
        extra: Iterable[object] | JsonMapping = (),
        kits: str | Path | KitFolder | None = None,
        name: str = "",
        description: str = "",
        docs: Iterable[str] = (),
        docs_root: str | Path | None = None,
        workflows: Iterable[Workflow] = (),
        skills: Mapping[str, Guide] | None = None,
    ) -> None:
        super().__init__()
        source = as_source(source)
        require_text("name", name)
        require_list("docs", docs, "paths")
        require_list("workflows", workflows, "workflows")
        require_mapping("skills", skills, or_none=True)
        added = rules_of(extra)
        file = _file_of(selection, bool(added), kits)
        own = () if file.workflow is None else (file.workflow,)
        given: JsonObject = {
            "source": source,
            "name": name or file.name,
            "description": description or file.description,
            "docs_root": docs_root,
            "workflows": (*own, *workflows),
            "skills": dict(skills or {}),
            "_rules": file.rules,
            "_extra": added,
            "_docs": tuple(dict.fromkeys((*file.docs, *docs))),
        }
        for key, value in given.items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "_closed", True)
        checks = KitChecks(source, str(file.path or ""))
        checks.check_rules(self._rules, self._extra)
        checks.check_steps(file.workflow, self._wire_names())

    source: ToolSource
    name: str
    description: str
    docs_root: str | Path | None
    workflows: tuple[Workflow, ...]
    skills: dict[str, Guide]
    _rules: tuple[Rule, ...]
    _extra: tuple[Rule, ...]
    _docs: tuple[str, ...]
    _closed: bool = False

    def __setattr__(self, name: str, value: object) -> None:
        if self._closed:
            raise AttributeError("a kit never changes; make another one")
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("a kit never changes; make another one")

    def __repr__(self) -> str:
        return f"<kit {self.name or '(unnamed)'}: {', '.join(self.names()) or 'no tools'}>"

    # Reading it

    @property
    def version(self) -> int:
        """A number that grows whenever the source changes."""
        return self.source.version

    def tools(self) -> tuple[Tool, ...]:
        """List the tools under their aliases, sorted."""
        return tuple(pick.shown for pick in self.picks().values())

    def get(self, name: str) -> Tool | None:
        """Find a tool by its alias, or by the alias on the wire."""
        pick = self._pick(name)
        return None if pick is None else pick.shown

    def picks(self) -> dict[str, Pick]:
        """Return the tools by alias, with the names that they have in the source."""
        found: dict[str, Pick] = self._once("picks", self._resolve)
        return found

    def unmatched(self) -> list[str]:
        """Return the entries of the selection that match no tool at present; perhaps a misspelling."""
        specs = specs_in(self.source.tools())
        rules = [rule for rule in self._rules if rule.tool is None]
        return [str(rule) for rule in rules if not any(rule.matches(spec) for spec in specs)]

    async def call(self, call: Call, /) -> Result:
        """Run a call of a tool of the kit through the source; a destructive call is refused."""
        pick = self._pick(call.name)
        if pick is None:
            return self.absent(call.name)
        ready = ready_call(pick.shown, call)
        if isinstance(ready, Failure) or pick.own:
            return ready if isinstance(ready, Failure) else await run_tool(pick.shown, ready)
        if isinstance(pick.shown, ShownTool):
            inner = pick.shown.prepared(ready)
            ready = ready if isinstance(inner, Failure) else inner
        ready = replace(ready, name=pick.name)
        with vouched(ready):
            return await self.source.call(ready)

    def absent(self, name: str) -> Failure:
        """Say why there is no tool of that name: switched off, or not in the kit."""
        named = [rule for rule in self._rules if rule.kind == "name" and rule.shown == name]
        why = getattr(self.source, "absent", None)
        if named and why is not None:
            failure = why(named[0].text)
            if isinstance(failure, Refused):
                return failure
        return super().absent(name)

    def freeze(self) -> Kit:
        """Return a kit of the current tools; tools that are registered later do not appear in it."""
        pinned = [
            pick.shown if pick.own else _pinned(pick, self._rules) for pick in self.picks().values()
        ]
        return Kit(
            self.source,
            pinned,
            name=self.name,
            description=self.description,
            docs=self._docs,
            docs_root=self.docs_root,
            workflows=self.workflows,
            skills=self.skills,
        )

    def kit(self, selection: object = None, **options: Any) -> Kit:
        """Return a selection of this kit."""
        return Kit(self, selection, **options)

    # Prompts

    def prompt(self, intent: str = "") -> str:
        """Return the tools, how to use them, and the workflows whose tools are all here, as text.

        With an intent, also the closest examples of calls.
        """
        return kit_prompt(self.specs(), self.usable_workflows(), self.examples(intent))

    def usable_workflows(self) -> tuple[Workflow, ...]:
        """Return the workflows whose tools are all in the kit, with the names that the model knows."""
        known = self._wire_names()
        return tuple(
            replace(flow, steps=tuple(replace(s, tool=known.get(s.tool, "")) for s in flow.steps))
            for flow in self.workflows
            if flow.tools <= set(known)
        )

    def _wire_names(self) -> dict[str, str]:
        """Return the name that the model knows for each tool, by its name in the source and by its
        alias."""
        wires = {alias: to_wire(alias) for alias in self.picks()}
        return {**{p.name: wires[alias] for alias, p in self.picks().items()}, **wires}

    # Documents: listed here, read on request

    @property
    def docs(self) -> tuple[str, ...]:
        """The documents of the kit and of its tools, each once."""
        of_tools = [spec.docs for spec in self.specs() if spec.docs]
        return tuple(dict.fromkeys((*self._docs, *of_tools)))

    def docs_index(self) -> JsonObject:
        """Return the documents: those of each tool by alias, and those of the kit."""
        return {**super().docs_index(), "kit_docs": list(self._docs)}

    # Inside

    def _pick(self, name: str) -> Pick | None:
        picks = self.picks()
        if name in picks:
            return picks[name]
        wires: dict[str, str] = self._once(
            "wires", lambda: {to_wire(alias): alias for alias in picks}
        )
        return picks.get(wires.get(name, ""))

    def _resolve(self) -> dict[str, Pick]:
        return picked(self.source, self._rules, self._extra, self.skills)


def _pinned(pick: Pick, rules: tuple[Rule, ...]) -> Rule:
    for rule in rules:
        if rule.kind == "name" and not rule.exclude and rule.shown == pick.alias:
            return rule
    return Rule("name", pick.name, alias=pick.alias)


def _file_of(selection: object, has_extra: bool, kits: str | Path | KitFolder | None) -> KitFile:
    """Return the content of a selection, read from its file if it is the name of one."""
    if selection is None and has_extra:
        return KitFile("")
    if isinstance(selection, KitFile):
        return selection
    if isinstance(selection, str) and selection != "none" and _KIT_NAME.fullmatch(selection):
        if kits is None:
            raise KitError(f"{selection!r} is the name of a kit: say in which folder, kits=...")
        return (kits if isinstance(kits, KitFolder) else KitFolder(kits)).read(selection)
    return KitFile("", rules_of(selection))
