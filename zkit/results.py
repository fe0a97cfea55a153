"""The result of a call: success, or a failure that says who can fix it.

Result
├── Success      it worked
└── Failure      (an exception too: a tool may return it or raise it)
    ├── Validation   the model can fix it, by another call
    ├── Transient    time can fix it
    ├── Refused      the operator can fix it
    └── Crashed      the tool's author can fix it

Effects and metadata are checked when a result is made. What is invalid in them is left out and named
in `meta["invalid"]`: the tool has run, and its result is not lost over a wrong note about it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar, get_args

from pydantic import TypeAdapter

from zkit.effects import EFFECTS, FileEffect, ProcessEffect, read_effects
from zkit.receipt import Fix, Rank
from zkit.required import require_kind, require_one_of, require_text

T = TypeVar("T")
ValidationCode = Literal[
    "invalid_json",
    "truncated",
    "ambiguous",
    "invalid_arguments",
    "unknown_tool",
    "not_found",
    "stale",
    "loop",
    "unconfirmed",
]
TransientCode = Literal["timeout", "rate_limited", "unavailable"]
RefusedCode = Literal["denied", "approval", "budget", "disabled"]
MOST_SECONDS = 1e9
"""The longest `retry_after`: thirty years. A larger integer may not even fit a float."""
ProblemCode = Literal["missing", "unknown", "wrong_type", "bad_value", "inexact", "ambiguous"]


class Problem(NamedTuple):
    """What is wrong at one place of the arguments.

    `path` is the place (`todos[0].status`; empty for the whole), `got` what arrived, shortened,
    `expected` what is expected, `hint` the nearest name or value that would do, or nothing.
    """

    path: str
    code: ProblemCode
    got: str
    expected: str
    hint: str = ""


def json_text(data: Any) -> str:
    """Return data as strict JSON in a text that can be written anywhere.

    What JSON does not know is written as text: objects, NaN and infinity, and integers that Python
    does not write in digits. A lone surrogate, which cannot be written to a file or socket, is
    written as its escape.
    """
    try:
        text = json.dumps(data, ensure_ascii=False, default=text_of, allow_nan=False)
    except (ValueError, TypeError):
        data = _as_text_where_needed(data)
        text = json.dumps(data, ensure_ascii=False, default=text_of)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(data, default=text_of)
    return text


def text_of(value: object) -> str:
    """Return the text of an object, even if its `__str__` raises."""
    try:
        return str(value)
    except BaseException:
        return hex(value) if type(value) is int else f"<{type(value).__name__}>"


def _as_text_where_needed(value: Any) -> Any:
    """Return the data with a text for each number and key that strict JSON cannot hold."""
    if isinstance(value, dict):
        return {_key(key): _as_text_where_needed(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_as_text_where_needed(part) for part in value]
    if isinstance(value, float) and value - value != 0:
        return {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")
    if type(value) is int and (text := text_of(value)).startswith(("0x", "-0x")):
        return text
    return value


def _key(key: Any) -> Any:
    return key if key is None or isinstance(key, str | float | bool) else text_of(key)


class Result:
    """The family of outcomes. Every one turns into JSON and back; `kind` distinguishes them."""

    kind: ClassVar[str]

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, ready for `json.dumps`."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **{name: _plain(value) for name, value in own.items()}}

    def to_json(self) -> str:
        """Return the result as JSON text; `from_json` is the way back.

        Objects that JSON does not know are written as text, NaN and infinity so that they come back.
        """
        whole = self.to_dict()
        try:
            text = json.dumps(whole, ensure_ascii=False, default=text_of, allow_nan=False)
            is_plain = f'"{_FLOAT}"' not in text
        except (ValueError, TypeError):
            is_plain = False
        return json_text(whole if is_plain else _with_floats(whole))


@dataclass(frozen=True, init=False)
class Success(Result):
    """Success. `effects` lists what was changed, `meta` holds further notes."""

    kind: ClassVar[str] = "success"

    data: Any = None
    effects: tuple[FileEffect | ProcessEffect, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __init__(
        self,
        data: Any = None,
        effects: tuple[FileEffect | ProcessEffect, ...] = (),
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        # What dataclass writes for a frozen class costs three times as much, on every call of a tool.
        if meta is None:
            meta = {}
        if effects != () or type(meta) is not dict:
            effects, meta = _checked(effects, meta)
        self.__dict__.update(data=data, effects=effects, meta=meta)

    def data_as(self, kind: type[T]) -> T:
        """Return the data as an instance of a type: a pydantic model, a dataclass, a TypedDict, `list[int]`.

        Raises `pydantic.ValidationError`, a `ValueError`, for data that is something else.
        """
        return TypeAdapter(kind).validate_python(self.data)


class Failure(Result, Exception):
    """What failed, and who can fix it. Its fields are set once; it can be raised as it is.

    An exception is accepted in place of a text: `raise Transient(error)`.
    """

    code: str
    meta: Mapping[str, Any]
    effects: tuple[FileEffect | ProcessEffect, ...]
    codes: ClassVar[tuple[str, ...]]
    words: ClassVar[str]

    def __post_init__(self) -> None:
        given = getattr(self, self.words)
        if isinstance(given, BaseException):
            self.__dict__[self.words] = exception_text(given)
            self.__cause__ = given
        else:
            require_text(self.words, given)
        require_one_of("code", self.code, self.codes)
        if self.effects != () or type(self.meta) is not dict:
            self.__dict__["effects"], self.__dict__["meta"] = _checked(self.effects, self.meta)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__ and not name.startswith("__"):
            raise AttributeError(f"{type(self).__name__}.{name} is set once")
        super().__setattr__(name, value)

    def __hash__(self) -> int:
        return hash((self.kind, str(self)))

    def __reduce__(self) -> tuple[Any, ...]:
        return (from_dict, (self.to_dict(),))


@dataclass(frozen=True)
class Validation(Failure):
    """The model can fix it by another call; `message` is written for the model."""

    kind: ClassVar[str] = "validation"
    codes: ClassVar[tuple[str, ...]] = get_args(ValidationCode)
    words: ClassVar[str] = "message"
    __hash__ = Failure.__hash__

    message: str
    code: ValidationCode = "invalid_arguments"
    problems: tuple[Problem, ...] = ()
    fixes: tuple[Fix, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)
    effects: tuple[FileEffect | ProcessEffect, ...] = ()

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True)
class Transient(Failure):
    """Time can fix it: the same call may work later, after `retry_after` seconds if known."""

    kind: ClassVar[str] = "transient"
    codes: ClassVar[tuple[str, ...]] = get_args(TransientCode)
    words: ClassVar[str] = "cause"
    __hash__ = Failure.__hash__

    cause: str
    retry_after: float | None = None
    code: TransientCode = "unavailable"
    effects: tuple[FileEffect | ProcessEffect, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        Failure.__post_init__(self)
        require_kind(
            "retry_after", self.retry_after, (int, float), "a number of seconds", or_none=True
        )
        if self.retry_after is not None and not self.retry_after >= 0:
            self.__dict__["retry_after"] = 0.0  # that moment is over
        elif self.retry_after is not None and self.retry_after > MOST_SECONDS:
            self.__dict__["retry_after"] = MOST_SECONDS

    def __str__(self) -> str:
        return self.cause


@dataclass(frozen=True)
class Refused(Failure):
    """The operator can fix it: the call is not allowed, not approved, or over a budget."""

    kind: ClassVar[str] = "refused"
    codes: ClassVar[tuple[str, ...]] = get_args(RefusedCode)
    words: ClassVar[str] = "reason"
    __hash__ = Failure.__hash__

    reason: str
    code: RefusedCode = "denied"
    meta: Mapping[str, Any] = field(default_factory=dict)
    effects: tuple[FileEffect | ProcessEffect, ...] = ()

    def __str__(self) -> str:
        return self.reason


@dataclass(frozen=True)
class Crashed(Failure):
    """The tool's author can fix it: the tool itself failed, whatever the arguments."""

    kind: ClassVar[str] = "crashed"
    codes: ClassVar[tuple[str, ...]] = ("tool_exception",)
    words: ClassVar[str] = "cause"
    __hash__ = Failure.__hash__

    cause: str
    code: Literal["tool_exception"] = "tool_exception"
    effects: tuple[FileEffect | ProcessEffect, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.cause


# A frozen record refuses every attribute, even those that Python sets on a raised exception.
for _kind in (Validation, Transient, Refused, Crashed):
    _kind.__setattr__ = Failure.__setattr__  # type: ignore[method-assign]
    _kind.__delattr__ = Failure.__delattr__  # type: ignore[method-assign]

KINDS: dict[str, type[Result]] = {
    kind.kind: kind for kind in (Success, Validation, Transient, Refused, Crashed)
}


def meta_of(result: Result) -> Mapping[str, Any]:
    """Return the metadata of a result."""
    meta: Mapping[str, Any] = result.meta  # type: ignore[attr-defined]
    return meta


def from_dict(data: Mapping[str, Any]) -> Result:
    """Return the result that `to_dict` was called on."""
    given = dict(data)
    kind = KINDS.get(given.pop("kind", ""))
    if kind is None:
        raise ValueError(f"not a result: kind must be one of {', '.join(KINDS)}")
    return kind(**{name: _READERS.get(name, _as_is)(value) for name, value in given.items()})


def from_json(text: str) -> Result:
    """Return the result that `to_json` was called on."""
    return from_dict(_without_floats(json.loads(text)))


def exception_text(error: BaseException) -> str:
    """Return the type and the text of an exception, even if its `__str__` raises."""
    name = type(error).__name__
    try:
        detail = str(error)
    except BaseException:
        return name
    return f"{name}: {detail}" if detail else name


def _checked(effects: object, meta: object) -> tuple[Any, Mapping[str, Any]]:
    """Return the valid effects and metadata."""
    valid, wrong = read_effects(effects)
    invalid = [f"effect {one}" for one in wrong]
    if not isinstance(meta, Mapping):
        invalid.append(f"meta {meta!r:.80}")
        meta = {}
    if not all(isinstance(key, str) for key in meta):
        meta = {text_of(key): value for key, value in meta.items()}
    return valid, {**meta, "invalid": invalid} if invalid else meta


# Strict JSON has no NaN and no infinity: they are written as an object with this one key.
_FLOAT = "$float"


def _with_floats(value: Any) -> Any:
    if isinstance(value, float) and value - value != 0:  # NaN or infinite
        return {_FLOAT: str(value)}
    if isinstance(value, Mapping):
        inner = {text_of(key): _with_floats(part) for key, part in value.items()}
        return {_FLOAT: [inner]} if set(inner) == {_FLOAT} else inner
    return [_with_floats(part) for part in value] if isinstance(value, list | tuple) else value


def _without_floats(value: Any) -> Any:
    if isinstance(value, dict):
        if set(value) == {_FLOAT}:
            given = value[_FLOAT]
            if isinstance(given, list):
                return {key: _without_floats(part) for key, part in given[0].items()}
            return float(given)
        return {key: _without_floats(part) for key, part in value.items()}
    return [_without_floats(part) for part in value] if isinstance(value, list) else value


def _plain(value: Any) -> Any:
    """Return the records inside a result as plain data."""
    if isinstance(value, tuple) and value and isinstance(value[0], FileEffect | ProcessEffect):
        return [effect.model_dump(exclude_none=True) for effect in value]
    if isinstance(value, tuple) and value and isinstance(value[0], Fix):
        return [{**fix._asdict(), "rank": fix.rank.name} for fix in value]
    if isinstance(value, tuple) and value and isinstance(value[0], Problem):
        return [problem._asdict() for problem in value]
    return list(value) if isinstance(value, tuple) else value


def _as_is(value: Any) -> Any:
    return value


_READERS: dict[str, Any] = {
    "effects": EFFECTS.validate_python,
    "problems": lambda given: tuple(Problem(**entry) for entry in given),
    "fixes": lambda given: tuple(Fix(**{**entry, "rank": Rank[entry["rank"]]}) for entry in given),
}
