"""The scope of a task, the context of a call, and what still runs."""

from __future__ import annotations

import hashlib
import json
import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar, Token
from dataclasses import dataclass, field, replace
from typing import Any, Generic, NamedTuple, TypeVar
from weakref import WeakValueDictionary

from zkit.calls import Call
from zkit.effects import FileEffect, ProcessEffect, read_effects
from zkit.required import require_kind, require_text
from zkit.results import Transient

T = TypeVar("T")
V = TypeVar("V")


class Watch:
    """Knows whether code of a tool is still running inside a `with` block.

    A thread cannot be stopped: when a call is cancelled, its function keeps running. The watch
    reports when it has really ended.
    """

    _lock = threading.Lock()  # one lock for all: it is held briefly, and every call makes a watch
    _running = 0
    _actions: tuple[Callable[[], None], ...] = ()

    @property
    def busy(self) -> bool:
        """Whether code of a tool still runs."""
        return self._running > 0

    def when_idle(self, action: Callable[[], None]) -> None:
        """Call a function once no code of a tool runs; immediately, if none does."""
        with self._lock:
            if self._running:
                self._actions = (*self._actions, action)
                return
        action()

    def enter(self) -> None:
        """Note that code of a tool begins."""
        with self._lock:
            self._running += 1

    def leave(self) -> None:
        """Note that code of a tool has ended."""
        with self._lock:
            self._running -= 1
            if self._running or not self._actions:
                return
            ready, self._actions = self._actions, ()
        for action in ready:
            action()


def reset(variable: ContextVar[T], token: Token[T]) -> None:
    """Reset a variable. In another context, where a generator may be closed, this is not needed."""
    try:
        variable.reset(token)
    except ValueError:
        return


class Held(Generic[T, V]):
    """A `with` block in which a context variable has a value.

    It is a class because a generator would cost more than everything else here, and every call uses
    it.
    """

    __slots__ = ("_given", "_token", "_value", "_variable")

    def __init__(self, variable: ContextVar[Any], value: T, given: V) -> None:
        self._variable = variable
        self._value = value
        self._given = given

    def __enter__(self) -> V:
        self._token = self._variable.set(self._value)
        return self._given

    def __exit__(self, *raised: object) -> None:
        reset(self._variable, self._token)


_WATCHES: ContextVar[tuple[Watch, ...]] = ContextVar("zkit watches", default=())


def watching() -> Held[tuple[Watch, ...], Watch]:
    """Watch the tools that are run inside the block, and those that they run in turn."""
    watch = Watch()
    return Held(_WATCHES, (*_WATCHES.get(), watch), watch)


def watch_here(watch: Watch) -> None:
    """Watch the tools that are run from now on in this context of Python."""
    _WATCHES.set((*_WATCHES.get(), watch))


class watched:  # noqa: N801, read as a verb: `with watched():`
    """Notify every active watch that code of a tool runs during the block."""

    __slots__ = ("_watches",)

    def __enter__(self) -> None:
        self._watches = _WATCHES.get()
        for watch in self._watches:
            watch.enter()

    def __exit__(self, *raised: object) -> None:
        for watch in self._watches:
            watch.leave()


log = logging.getLogger("zkit")
# Without it Python prints warnings of a library if logging is not configured, secrets included.
log.addHandler(logging.NullHandler())
Effect = FileEffect | ProcessEffect


def log_failure(message: str, error: BaseException, *about: object) -> None:
    """Log that code of the operator failed (a hook, guard, approver, listener or step).

    The text of an exception may hold a secret, so it is logged at the level DEBUG only.
    """
    log.error(message, *about, type(error).__name__)
    log.debug(message, *about, type(error).__name__, exc_info=error)


class Progress(NamedTuple):
    """The progress of a call, as its tool reports it."""

    call_id: str
    tool: str
    done: float
    total: float | None = None
    message: str = ""


class _TaskState:
    """What the scopes of one task share: how many are open, and what to call when all have ended."""

    def __init__(self) -> None:
        self.actions: dict[Hashable, Callable[[], None]] = {}
        self.is_over = False
        self.scopes = 1

    def left(self) -> list[Callable[[], None]]:
        """Note that one scope has ended; return the functions to call now."""
        with _TASKS_LOCK:
            self.scopes -= 1
            self.is_over = self.scopes <= 0
            return list(self.actions.values()) if self.is_over else []


_TASKS_LOCK = threading.Lock()
_TASKS: WeakValueDictionary[str, _TaskState] = WeakValueDictionary()


def _joined(task: str) -> _TaskState:
    """Return the state of a task that is running under this name, or of a new one."""
    with _TASKS_LOCK:
        state = _TASKS.get(task)
        if state is None or state.is_over:
            state = _TASKS[task] = _TaskState()
        else:
            state.scopes += 1
        return state


@dataclass(frozen=True)
class Scope:
    """The task that calls belong to.

    `workspace` is the folder that the task works in: tasks of one workspace see each other's
    changes. `deadline` is a moment of `time.monotonic`.
    """

    task: str = ""
    workspace: str = ""
    deadline: float | None = None
    role: str = ""
    depth: int = 0
    on_progress: Callable[[Progress], None] | None = None
    _state: _TaskState = field(default_factory=lambda: _TaskState(), repr=False, compare=False)
    _ended: threading.Event = field(default_factory=threading.Event, repr=False, compare=False)

    @property
    def is_over(self) -> bool:
        """Whether the task has ended, though some code of it may still run."""
        return self._state.is_over

    def when_over(self, key: Hashable, action: Callable[[], None]) -> bool:
        """Call a function when the task ends, once for each key; return False if it has ended.

        Outside of any task nothing ends.
        """
        if self.task:
            self._state.actions.setdefault(key, action)
        return not self.is_over

    def inner(
        self, task: str | None = None, *, timeout: float | None = None, **changes: Any
    ) -> Scope:
        """Return a scope inside this one: a task of its own, or the same task with other settings.

        It inherits what it does not set, and never has a later deadline.
        """
        if task is not None and task != self.task:
            own = {"_state": _joined(task), "_ended": threading.Event()}
            changes |= {"task": task, "depth": self.depth + 1, **own}
        if timeout is not None:
            ends = time.monotonic() + timeout
            changes["deadline"] = ends if self.deadline is None else min(ends, self.deadline)
        return replace(self, **changes)

    def entered(self) -> Held[Scope, Scope]:
        """Run the code of a block inside this scope; it does not end with the block."""
        return Held(_SCOPE, self, self)

    def end(self) -> None:
        """End the task: what was remembered for it is forgotten. It ends once.

        A task that several threads have entered by its name ends with the last of them.
        """
        if self._ended.is_set():
            return
        self._ended.set()
        for action in self._state.left():
            try:
                action()
            except Exception as error:
                log_failure("an action at the end of task %r failed with %s", error, self.task)


_NO_SCOPE = Scope()
_SCOPE: ContextVar[Scope] = ContextVar("zkit scope", default=_NO_SCOPE)
_CONTEXT: ContextVar[Context | None] = ContextVar("zkit context", default=None)


def current_scope() -> Scope:
    """Return the scope of the task that is running here; an empty one outside of any."""
    return _SCOPE.get()


def current_context() -> Context | None:
    """Return the context of the call that is running here; None outside of any."""
    return _CONTEXT.get()


@contextmanager
def scope(
    task: str | None = None, *, timeout: float | None = None, **changes: object
) -> Iterator[Scope]:
    """Run calls inside a task, or with other settings inside the same one.

    A new task ends with the block: what was remembered for it is forgotten. A scope inside
    another inherits what it does not set, and never has a later deadline.
    """
    require_text("task", task, or_none=True)
    require_kind("timeout", timeout, (int, float), "a number of seconds", or_none=True)
    for name in ("workspace", "role"):
        require_text(name, changes.get(name, ""))
    outer = current_scope()
    inner = outer.inner(task, timeout=timeout, **changes)
    try:
        with inner.entered():
            yield inner
    finally:
        if inner.task != outer.task:
            inner.end()


def scope_until(timeout: float | None) -> Scope:
    """Return a scope of the same task with a timeout: a cheaper `inner(timeout=...)`."""
    outer = _SCOPE.get()
    if timeout is None:
        return outer
    ends = time.monotonic() + timeout
    if outer.deadline is not None and outer.deadline < ends:
        return outer
    inner: Scope = object.__new__(Scope)
    inner.__dict__.update(outer.__dict__, deadline=ends)
    return inner


def enter_scope(scope: Scope) -> None:
    """Run everything that follows in this Python context inside a scope."""
    _SCOPE.set(scope)


class Context:
    """What a tool can know about its call; zkit fills in a parameter of this type.

    The model neither sees nor sends it.
    """

    def __init__(self, call: Call, scope: Scope | None = None) -> None:
        self.call = call
        self.scope = scope or _SCOPE.get()
        self.typed: object = None  # the arguments, decoded for the tool that runs
        self._cancelled = False
        self._effects: list[Effect] = []

    def __repr__(self) -> str:
        return f"Context(tool={self.call.name!r}, call_id={self.call.id!r}, task={self.task!r})"

    @property
    def call_id(self) -> str:
        """The id of the call."""
        return self.call.id

    @property
    def task(self) -> str:
        """The task that the call belongs to."""
        return self.scope.task

    @property
    def workspace(self) -> str:
        """The folder that the task works in."""
        return self.scope.workspace

    @property
    def deadline(self) -> float | None:
        """When the call must have ended, as a moment of `time.monotonic`."""
        return self.scope.deadline

    @property
    def remaining(self) -> float | None:
        """How many seconds are left; None when there is no deadline."""
        return None if self.deadline is None else max(0.0, self.deadline - time.monotonic())

    @property
    def cancelled(self) -> bool:
        """True if nobody is waiting for the result any more."""
        return self._cancelled

    def cancel(self) -> None:
        """Cancel the call: the tool is asked to stop."""
        self._cancelled = True

    def check(self) -> None:
        """Raise if the call was cancelled or its time is over; for long loops in a tool."""
        if self.cancelled:
            raise Transient("the call was cancelled")
        if self.remaining == 0:
            raise Transient("the time for the call is over", code="timeout")

    def progress(self, done: float, total: float | None = None, message: str = "") -> None:
        """Report the progress of the call."""
        listener = self.scope.on_progress
        if listener is None:
            return
        try:
            listener(Progress(self.call_id, self.call.name, done, total, message))
        except Exception as error:
            log_failure("a listener for progress failed with %s", error)

    def record(self, effect: Effect) -> None:
        """Record an effect; it becomes part of the result, success or not.

        Anything else is logged and left out: the tool has already done its work.
        """
        valid, wrong = read_effects((effect,))
        self._effects += valid
        if wrong:
            log.warning("the tool %r recorded something that is not an effect", self.call.name)

    @property
    def has_effects(self) -> bool:
        """Whether anything was recorded so far."""
        return bool(self._effects)

    @property
    def effects(self) -> tuple[Effect, ...]:
        """What was recorded so far."""
        return tuple(self._effects)

    @property
    def idempotency_key(self) -> str:
        """A key that is the same whenever this same call is run again, in any process.

        Made from task, call id, tool and arguments: a retry or a resumed run has the same key,
        another call another one, as long as a task gives each of its calls its own id.
        """
        return call_key(self.task, self.call)


def call_key(task: str, call: Call) -> str:
    """Return a key for one call of a task: its id, its tool and its arguments, in any process."""
    parts = [task, call.id, call.name, call.arguments]
    text = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def enter_context(context: Context) -> Token[Context | None]:
    """Make a context the current one, until `leave_context`."""
    return _CONTEXT.set(context)


def leave_context(token: Token[Context | None]) -> None:
    """Set back what `enter_context` changed."""
    reset(_CONTEXT, token)


def inside(context: Context) -> Held[Context, Context]:
    """Make a context the current one."""
    return Held(_CONTEXT, context, context)


class PerTask(Generic[T]):
    """Keeps one object for each task, and drops it when the task ends.

    Outside of any task nothing is kept, unless `always` is used.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._lock = threading.Lock()
        self._kept: dict[str, T] = {}

    def __len__(self) -> int:
        return len(self._kept)

    def here(self) -> T | None:
        """Return the object of this task; None outside of any task, and when the task is over."""
        scope = _SCOPE.get()
        return None if not scope.task or scope.is_over else self.always()

    def always(self) -> T:
        """Return the object of this task; outside of any task, one that all such calls share."""
        scope = current_scope()
        with self._lock:
            kept = self._kept.get(scope.task)
            if kept is None:
                kept = self._make()
                if scope.when_over(self, lambda: self.forget(scope.task)):
                    self._kept[scope.task] = kept
        return kept

    def forget(self, task: str) -> None:
        """Forget what was kept for a task."""
        with self._lock:
            self._kept.pop(task, None)
