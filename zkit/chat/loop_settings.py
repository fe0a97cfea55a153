"""The settings of a loop: one record, and the keyword arguments that make it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict, get_args

from zkit.chat.loop_events import Message
from zkit.chat.server_profile import Mode, ServerSettings, ToolChoice
from zkit.chat.tool_offer import Fit
from zkit.coach import Coach
from zkit.dispatch.approval import Confirm
from zkit.extract.formats.table import wanted_formats
from zkit.json_types import JsonMapping
from zkit.required import (
    require_count,
    require_function,
    require_kind,
    require_mapping,
    require_one_of,
    require_path,
    require_seconds,
    require_share,
)
from zkit.schema import DialectName

if TYPE_CHECKING:
    from pydantic import JsonValue

Compact = Callable[[list[Message]], object]
BUDGETS: Mapping[str, int] = MappingProxyType(
    {"malformed": 3, "unreadable": 3, "empty": 3, "reasoning_only": 2, "repeated": 2, "retry": 3}
)
"""How often in a row each kind of problem is retried; progress resets the count."""


_LEAST = {"max_turns": 1, "max_calls": 0, "result_limit": 1, "keep_turns": 1}
_LEAST_OR_NONE = {"max_total_tokens": 1, "context": 1}


class RequestOptions(TypedDict, total=False):
    """What `ChatLoop` and `run` put into each request, under the names of the OpenAI API."""

    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    max_completion_tokens: int | None
    seed: int | None
    stop: str | list[str] | None
    frequency_penalty: float | None
    presence_penalty: float | None
    reasoning_effort: str | None
    response_format: Mapping[str, JsonValue] | None
    logit_bias: Mapping[str, int] | None
    user: str | None
    extra_body: Mapping[str, JsonValue] | None
    extra_headers: Mapping[str, str] | None


class LoopOptions(RequestOptions, total=False):
    """The keyword arguments of `ChatLoop` and `run`; `LoopSettings` says what each means."""

    max_turns: int
    max_calls: int
    max_total_tokens: int | None
    max_seconds: float | None
    confirm: Confirm
    coach: Coach | bool
    context: int | None
    tool_share: float
    fit: Fit
    formats: tuple[str, ...] | None
    result_limit: int
    spill: str | Path | None
    compact: Compact | None
    compact_at: float
    keep_turns: int
    budgets: Mapping[str, int]
    backoff: float
    options: JsonMapping
    mode: Mode
    format: str
    dialect: DialectName
    parallel: bool
    tool_choice: ToolChoice
    stream: bool
    stream_usage: bool
    reasoning: str
    replay_reasoning: bool
    max_tools: int | None


@dataclass(frozen=True, slots=True)
class LoopSettings(ServerSettings):
    """The limits and options of a loop, and the settings of the server.

    Limits of a whole run: `max_turns` replies, `max_calls` calls, `max_total_tokens` over all
    requests, `max_seconds`. `confirm="never"` runs calls that were found in text and may not have
    been meant, without asking anybody. `coach` explains a tool whose calls fail in a row: a
    `Coach`, or False for none.

    `context` is the model's context in tokens: with it the tools may take `tool_share` of it (`fit`
    says how: all of them, by `weights`, by `discovery`, or `auto`), results are cut to a quarter of
    it, and `compact` is called when the conversation takes more than `compact_at` of it. `compact`
    gets the messages and returns fewer; it may be async. `formats` limits the text formats that
    calls are looked for in. `options` go into each request, and so do the keyword arguments of
    `RequestOptions`.
    """

    max_turns: int = 12
    max_calls: int = 64
    max_total_tokens: int | None = None
    max_seconds: float | None = None
    confirm: Confirm = "doubtful"
    coach: Coach | bool = True
    context: int | None = None
    tool_share: float = 0.3
    fit: Fit = "auto"
    formats: tuple[str, ...] | None = None
    result_limit: int = 50_000
    spill: str | Path | None = None
    compact: Compact | None = None
    compact_at: float = 0.8
    keep_turns: int = 200
    budgets: Mapping[str, int] = field(default_factory=lambda: BUDGETS)
    backoff: float = 0.5
    options: JsonMapping = field(default_factory=dict)

    def __post_init__(self) -> None:
        ServerSettings.__post_init__(self)
        require_one_of("fit", self.fit, get_args(Fit))
        require_one_of("confirm", self.confirm, get_args(Confirm))
        require_kind("coach", self.coach, (Coach, bool), "a Coach, True or False")
        for name, least in _LEAST.items():
            require_count(name, getattr(self, name), least=least)
        for name, least in _LEAST_OR_NONE.items():
            require_count(name, getattr(self, name), least=least, or_none=True)
        require_seconds("max_seconds", self.max_seconds, or_none=True)
        require_seconds("backoff", self.backoff)
        for name in ("tool_share", "compact_at"):
            require_share(name, getattr(self, name))
        require_path("spill", self.spill, or_none=True)
        require_function("compact", self.compact, or_none=True)
        require_mapping("options", self.options)
        require_mapping("budgets", self.budgets)
        for kind, tries in self.budgets.items():
            require_one_of("a key of budgets", kind, BUDGETS)
            require_count(f"budgets[{kind!r}]", tries)
        wanted_formats(self.formats)

    @property
    def tool_room(self) -> int | None:
        """How many tokens the tools may take; None for no limit."""
        return None if self.context is None else int(self.context * self.tool_share)

    @property
    def result_room(self) -> int:
        """How many characters one result may take."""
        if self.context is None:
            return self.result_limit
        return max(400, min(self.result_limit, self.context))

    @property
    def most_tokens(self) -> int | None:
        """The limit of tokens in one reply, as the request sets it."""
        found = self.options.get("max_completion_tokens") or self.options.get("max_tokens")
        return found if isinstance(found, int) else None

    def budget(self, kind: str) -> int:
        """Return how often in a row a kind of problem is retried."""
        return self.budgets.get(kind, BUDGETS[kind])


REQUEST_OPTIONS = frozenset(RequestOptions.__annotations__)


def settings_of(profile: JsonMapping, given: JsonMapping) -> LoopSettings:
    """Return the settings of a loop; the given ones override the profile.

    Raises `TypeError` for an unknown name, with the nearest one.
    """
    known = [one.name for one in fields(LoopSettings)]
    for name in given:
        if name not in known and name not in REQUEST_OPTIONS:
            near = get_close_matches(name, [*known, *sorted(REQUEST_OPTIONS)], 1)
            hint = f"did you mean {near[0]}?" if near else "options={...} go into each request"
            raise TypeError(f"there is no setting {name!r}; {hint}")
    own = {name: value for name, value in given.items() if name not in REQUEST_OPTIONS}
    sent = {name: given[name] for name in given if name in REQUEST_OPTIONS}
    require_mapping("options", own.get("options", {}))
    options = {**own.pop("options", {}), **{k: v for k, v in sent.items() if v is not None}}
    return LoopSettings(**{**profile, **own, "options": options})
