"""The coach: a guard that adds help to the message of a failed call, more with each attempt."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from zkit.calls import Call
from zkit.coach.failure_counts import FailureCounts
from zkit.coach.failure_modes import SECTIONS, Select, failure_mode
from zkit.coach.hints import BUDGET, MOST_LEVELS, Hints, correction_hints
from zkit.coach.tool_inference import MEANT
from zkit.dispatch import Dispatcher, Guard
from zkit.dispatch.live_call import LiveCall, with_meta, with_notes
from zkit.required import (
    require_count,
    require_function,
    require_kind,
    require_list,
    require_mapping,
    require_text,
)
from zkit.results import Result, Success, Validation
from zkit.tools import Tool, ToolSpec
from zkit.tools.context import PerTask

_MOST_KEYS = 256


@dataclass(slots=True)
class Attempts:
    """How often each tool failed in a row in one task, and what the coach added last."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    failures: dict[str, int] = field(default_factory=dict)
    last: str = ""

    def fail(self, key: str) -> int:
        """Count a failure; return how many there were in a row."""
        with self.lock:
            if key not in self.failures and len(self.failures) >= _MOST_KEYS:
                del self.failures[next(iter(self.failures))]
            self.failures[key] = self.failures.get(key, 0) + 1
            return self.failures[key]

    def succeed(self, key: str) -> None:
        """Reset the count of a tool, and the count of calls without a known tool."""
        with self.lock:
            self.failures.pop(key, None)
            self.failures.pop("", None)

    def once(self, text: str) -> str:
        """Return the text, or an empty one if the same text was added last."""
        with self.lock:
            kept = "" if text == self.last else text
            self.last = kept
            return kept


class Coach(Guard):
    """Adds help to the message of a failed call, more each time the tool fails in a row.

    The first failure keeps its message. The second gets the signature and the nearest declared
    example, and the third the sections of the tool's document that help with this kind of failure;
    without a document, the sections come from the tool's spec. If a tool declared to read refuses a
    call that fits its signature, the sections and the form of the call come at the second failure.
    At most `budget` characters are added, and never the same text twice in a row. A success resets
    the count.

    Use it as a guard: `Dispatcher(box, guards=[repeated_calls(), Coach()])`. `ChatLoop` has one
    unless `coach=False`. `sections` adds rows to the table of failure modes, and `meant` to the
    table of names that mean a tool; `select` is a callback `(sections, context)` that chooses
    sections. `counts` is a `FailureCounts` or the path of a SQLite file. `meta["coach"]` of the
    result records what was added.
    """

    __eq__ = object.__eq__
    __hash__ = object.__hash__

    def __init__(
        self,
        source: object = None,
        *,
        budget: int = BUDGET,
        counts: FailureCounts | str | Path | None = None,
        sections: Mapping[str, Sequence[str]] | None = None,
        meant: Mapping[str, Sequence[str]] | None = None,
        select: Select | None = None,
        model: str | None = None,
    ) -> None:
        require_count("budget", budget)
        require_mapping("sections", sections, or_none=True)
        require_mapping("meant", meant, or_none=True)
        for rows in (sections, meant):
            for key, row in (rows or {}).items():
                require_list(f"the row {key!r}", row, "names")
        require_function("select", select, or_none=True)
        require_text("model", model, or_none=True)
        super().__init__("coach", after=self._after_call, every=True, recall=self._recall)
        self.source = source
        self.budget = budget
        self.counts = counts if isinstance(counts, FailureCounts) else FailureCounts(counts)
        self.sections = {**SECTIONS, **(sections or {})}
        self.meant = {**MEANT, **(meant or {})}
        self.select = select
        self.model = model
        self._attempts = PerTask(Attempts)

    def for_model(self, model: str) -> Coach:
        """Return a copy of this coach that counts failures for a model."""
        made = copy.copy(self)
        made.model = model
        object.__setattr__(made, "after", made._after_call)
        object.__setattr__(made, "recall", made._recall)
        return made

    def correction_hints(
        self,
        failure: object,
        *,
        model: str | None = None,
        attempt: int = 1,
        tool: str | Tool | ToolSpec | None = None,
    ) -> Hints:
        """Return what helps with a failure, using this coach's tables, counts and source."""
        return self._hints(failure, self.source, None, model or self.model, attempt, tool)

    def advise(
        self,
        call: Call,
        result: Result,
        source: object,
        *,
        tool: str | Tool | ToolSpec | None = None,
    ) -> Result:
        """Return the result of a call with the coach's text; the same result if nothing is added."""
        if isinstance(result, Success | Validation):
            mode = failure_mode(result) if isinstance(result, Validation) else ""
            self.counts.add(self.model, mode)
        return self._advised(call, result, source, tool)

    def _advised(
        self, call: Call, result: Result, source: object, tool: str | Tool | ToolSpec | None
    ) -> Result:
        attempts = self._attempts.always()
        if isinstance(result, Success):
            attempts.succeed(call.name)
        if not isinstance(result, Validation) or result.meta.get("done"):
            return result  # `done`: the same call succeeded before
        given = call.name if tool is None else tool
        hints = self._hints(result, source, call.arguments, self.model, 1, given, load=False)
        attempt = attempts.fail(hints.tool)
        hints = replace(hints, attempt=attempt)
        if hints.level >= MOST_LEVELS:  # read the document only now
            hints = self._hints(result, source, call.arguments, self.model, attempt, given)
        text = attempts.once(hints.text(self.budget))
        return _with_advice(result, hints, text) if text else result

    def _after_call(self, call: LiveCall, result: Result) -> Validation | None:
        """Return the result with the coach's text; None if nothing is added.

        The dispatcher runs this after every call.
        """
        found = self.advise(call, result, _offered(call, result), tool=call.tool)
        return found if isinstance(found, Validation) and found is not result else None

    def _recall(self, call: LiveCall, result: Result) -> None:
        """Count a failure from before this task was paused."""
        self._advised(call, result, _offered(call, result), call.tool)

    def _hints(
        self,
        failure: object,
        source: object,
        sent: object,
        model: str | None,
        attempt: int,
        tool: str | Tool | ToolSpec | None,
        *,
        load: bool = True,
    ) -> Hints:
        return correction_hints(
            failure,
            model=model,
            attempt=attempt,
            tool=tool,
            source=source,
            sent=sent,
            counts=self.counts,
            sections=self.sections,
            meant=self.meant,
            select=self.select,
            load=load,
        )


@dataclass(frozen=True, slots=True)
class _Offered:
    """The tools that may be called, and the source of their documents."""

    source: object
    listed: Sequence[Tool]

    def tools(self) -> Sequence[Tool]:
        return self.listed


def _offered(call: LiveCall, result: Result) -> _Offered:
    settings = call.settings
    allowed = settings.permissions
    tools = settings.source.tools() if isinstance(result, Validation) else ()
    open_tools = [one for one in tools if allowed.is_open or allowed.refusal(one) is None]
    return _Offered(settings.source, open_tools)


def _with_advice(result: Validation, hints: Hints, text: str) -> Validation:
    """Return the result with the text as a note; its `meta` records what was added and why."""
    sections = [section.title for section in hints.sections if section.title in text]
    files = list(dict.fromkeys(one.file for one in hints.sections if one.file and one.file in text))
    receipt = {
        "mode": hints.mode,
        "attempt": hints.attempt,
        "tool": hints.tool,
        "sections": sections if hints.level >= MOST_LEVELS else [],
        "files": files if hints.level >= MOST_LEVELS else [],
        "text": text,
    }
    return with_meta(with_notes(result, text), coach=receipt)


def coach_of(dispatcher: Dispatcher) -> Coach | None:
    """Return the coach among the guards of a dispatcher; None if there is none."""
    return next((one for one in dispatcher.settings.guards if isinstance(one, Coach)), None)


def coached(dispatcher: Dispatcher, coach: Coach | bool, model: str) -> Dispatcher:
    """Return the dispatcher with the given coach, or for True its own or a new one; without any for False."""
    require_kind("coach", coach, (Coach, bool), "a Coach, True or False")
    others: Iterable[Guard] = (
        one for one in dispatcher.settings.guards if not isinstance(one, Coach)
    )
    if coach is False:
        return dispatcher.changed(guards=tuple(others))
    chosen = coach if isinstance(coach, Coach) else coach_of(dispatcher) or Coach()
    return dispatcher.changed(guards=(*others, chosen.for_model(model)))
