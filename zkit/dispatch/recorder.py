"""Record what calls change in files, call by call and turn by turn."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from anyio import CancelScope, to_thread

from zkit.dispatch.file_guards import changed_files, named_files
from zkit.dispatch.live_call import LiveCall, Next, effects_of
from zkit.required import require_count, require_function, require_kind, require_path
from zkit.results import Result
from zkit.sources.confined_files import ConfinedFiles, ConfinedPathError, confined
from zkit.tools import watching
from zkit.tools.context import log_failure, reset


@dataclass(frozen=True, slots=True)
class Content:
    """The content of a file: a text, or why there is none (`missing`, `binary`, `large`, `unknown`)."""

    text: str | None = None
    why: str = ""


MISSING = Content(why="missing")
UNKNOWN = Content(why="unknown")


@dataclass(frozen=True, slots=True)
class Change:
    """A file that one call changed."""

    turn: int
    call_id: str
    tool: str
    path: str
    before: Content
    after: Content
    old_path: str = ""

    @property
    def diff(self) -> str:
        """The change as a unified diff; a sentence where there is no text to compare."""
        return _diff(self.before, self.after, self.path, self.old_path)


class Recorder:
    """Notes what calls that execute or write change in files below `root`.

    The files that a call names are read before it, those and the files of its effects after it;
    files outside of the root are ignored. Pass it to a dispatcher, then call `changes()` and
    `diff()`, for all turns or one. `on_change` is called with each change.
    """

    def __init__(
        self,
        root: str | Path = ".",
        *,
        max_bytes: int = 1_000_000,
        max_turns: int = 100,
        on_change: Callable[[Change], Any] | None = None,
    ) -> None:
        require_path("root", root)
        require_count("max_bytes", max_bytes)
        require_count("max_turns", max_turns, least=1)
        require_function("on_change", on_change, or_none=True)
        self.root = Path(root).resolve()
        self._files = ConfinedFiles(self.root)
        self._max_bytes = max_bytes
        self._max_turns = max_turns
        self._on_change = on_change
        self._lock = threading.Lock()
        self._turns: dict[int, list[Change]] = {}
        self._last = 0

    # Reading

    def turns(self) -> list[int]:
        """Return the numbers of the turns that changed something, oldest first."""
        with self._lock:
            return sorted(self._turns)

    def changes(self, turn: int | None = None) -> list[Change]:
        """Return what was changed, in order: in one turn, or in all that are kept."""
        with self._lock:
            wanted = sorted(self._turns) if turn is None else [turn]
            return [change for number in wanted for change in self._turns.get(number, ())]

    def diff(self, turn: int | None = None) -> str:
        """Return the net change of every file: what it was before the first call, and after the last."""
        net: dict[str, Change] = {}
        for change in self.changes(turn):
            first = net.pop(change.old_path or change.path, change)
            old_path = first.old_path or (first.path if first.path != change.path else "")
            net[change.path] = Change(
                change.turn, "", "", change.path, first.before, change.after, old_path
            )
        return "".join(net[path].diff for path in sorted(net))

    # Recording

    @contextmanager
    def turn(self) -> Iterator[int]:
        """Note the changes of all calls inside the block as those of one turn."""
        number = self._next()
        token = _TURN.set(number)
        try:
            yield number
        finally:
            reset(_TURN, token)

    def look(self, call: LiveCall) -> dict[Path, Content]:
        """Read the files that a call names, before it runs."""
        return {place: self._read(place) for place in named_files(call, self.root)}

    def note(
        self, call: LiveCall, seen: dict[Path, Content], effects: tuple[Any, ...], turn: int
    ) -> None:
        """Record what changed since `look`, and what the effects report."""
        renamed: dict[Path, Path] = {}
        for effect, place in changed_files(effects, self.root):
            if effect.op == "create":
                seen.setdefault(place, MISSING)
            old = confined(self.root, effect.from_path) if effect.from_path else None
            if old is not None:
                renamed[place] = old
                seen[place] = seen.pop(old, UNKNOWN)
            seen.setdefault(place, UNKNOWN)
        for place, before in seen.items():
            after = self._read(place)
            if before != after or before == UNKNOWN or place in renamed:
                old_path = self._shown(renamed[place]) if place in renamed else ""
                path = self._shown(place)
                self._keep(Change(turn, call.id, call.name, path, before, after, old_path))

    def turn_of_now(self) -> int:
        """Return the number of the current turn; a call outside of any turn is a turn of its own."""
        return _TURN.get() or self._next()

    # Inside

    def _next(self) -> int:
        with self._lock:
            self._last += 1
            return self._last

    def _shown(self, place: Path) -> str:
        return place.relative_to(self.root).as_posix()

    def _read(self, place: Path) -> Content:
        path = self._shown(place)
        try:
            stamp = self._files.stamp(path)
            if stamp is not None and stamp.size > self._max_bytes:
                return Content(why=f"large, {stamp.size} bytes")
            data = self._files.read_bytes(path, max_bytes=self._max_bytes)
        except FileNotFoundError:
            return MISSING
        except (OSError, ConfinedPathError):  # a folder, a link, a pipe
            return UNKNOWN
        try:
            return (
                Content(data.decode("utf-8")) if b"\0" not in data else Content(why=_binary(data))
            )
        except UnicodeDecodeError:
            return Content(why=_binary(data))

    def _keep(self, change: Change) -> None:
        with self._lock:
            self._turns.setdefault(change.turn, []).append(change)
            while len(self._turns) > self._max_turns:
                del self._turns[min(self._turns)]
        if self._on_change is not None:
            try:
                self._on_change(change)
            except Exception as error:
                log_failure("a listener for changes failed with %s", error)


def checked_recorder(given: Recorder | None) -> Recorder | None:
    """Return the recorder, or refuse anything else."""
    require_kind("recorder", given, Recorder, "a Recorder", or_none=True)
    return given


_TURN: ContextVar[int] = ContextVar("zkit turn", default=0)


def _binary(data: bytes) -> str:
    return f"binary, {len(data)} bytes, {hash(data) & 0xFFFFFFFF:08x}"


def _diff(before: Content, after: Content, path: str, old_path: str) -> str:
    if old_path and before == after:
        return f"rename from {old_path}\nrename to {path}\n"
    texts = [one.text is not None or one == MISSING for one in (before, after)]
    if all(texts):
        from zkit.dispatch.diffs import unified_diff  # only what is recorded is compared

        return unified_diff(before.text, after.text, path, old_path)
    if before == after and before != UNKNOWN:
        return ""
    was, now = (one.why or "text" for one in (before, after))
    return f"{path}: changed (before: {was}, after: {now})\n"


def record(call: LiveCall, proceed: Next) -> Awaitable[Result]:
    """Compare the files that a changing call names or reports, before and after it.

    This also happens if the call fails or is cancelled; if its code still runs then, once it has
    ended.
    """
    recorder = call.settings.recorder
    if recorder is None or not call.policy.clear:
        return proceed(call)
    return _recorded(recorder, call, proceed)


async def _recorded(recorder: Recorder, call: LiveCall, proceed: Next) -> Result:
    seen = await to_thread.run_sync(recorder.look, call)
    turn = recorder.turn_of_now()
    result: Result | None = None
    with watching() as watch:
        try:
            result = await proceed(call)
            return result
        finally:
            note = partial(recorder.note, call, seen, effects_of(result), turn)
            with CancelScope(shield=True):
                if watch.busy:
                    watch.when_idle(note)
                else:
                    await to_thread.run_sync(note)
