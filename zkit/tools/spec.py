"""The declaration of a tool, from which everything else is derived, and the names on the wire."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Awaitable, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, field, fields, replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Protocol, Self, runtime_checkable
from unicodedata import normalize

from zkit.calls import Call
from zkit.errors import ToolDefinitionError
from zkit.grade import WRITE, Grade
from zkit.json_types import JsonMapping, JsonObject
from zkit.receipt import Rank
from zkit.results import Result
from zkit.tools import projections, spec_fields
from zkit.tools.frozen_data import freeze, thaw
from zkit.tools.spec_fields import NOTHING, Example, Guide, Preference, misfits

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

# https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools: what a function's
# name may hold. MCP allows dots and 128 characters, and users like `git.status` and `mcp:fs`.
MAX_WIRE = 64
_LEGAL = re.compile(r"[A-Za-z0-9_-]{1,64}")
_WORDS = {".": "dot", ":": "colon", "/": "slash", "@": "at", " ": "space", "+": "plus"}
_CHARACTERS = {word: character for character, word in _WORDS.items()}
_ESCAPE = re.compile(rf"__({'|'.join(_CHARACTERS)}|u[0-9a-f]{{1,6}})__")
# What could be mistaken for an escape is escaped too: two underscores, or one beside an escape.
_TO_ESCAPE = re.compile(r"[^A-Za-z0-9_-]|_(?=[^A-Za-z0-9-])|(?<=[^A-Za-z0-9-])_")
_DIGEST = 16
_CUT = re.compile(rf"__h[0-9a-f]{{{_DIGEST}}}$")


def to_wire(name: str) -> str:
    """Return a name that OpenAI-compatible servers accept; a name that is legal stays as it is.

    Two names never share a wire name. `git.status` becomes `git__dot__status`. A name that would
    be longer than 64 characters is cut and ends in a digest of the whole: only a source, which
    knows its names, can turn that one back.
    """
    if _is_plain(name):
        return name
    wire = _TO_ESCAPE.sub(_escaped, name)
    if len(wire) <= MAX_WIRE and not _CUT.search(wire):
        return wire
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST]
    return f"{wire[: MAX_WIRE - _DIGEST - 3]}__h{digest}"


def from_wire(wire: str) -> str:
    """Return the name for a wire name; what is not a wire name stays as it is."""
    return _ESCAPE.sub(_unescaped, wire)


def _is_plain(name: str) -> bool:
    legal = _LEGAL.fullmatch(name) is not None
    return legal and not _ESCAPE.search(name) and not _CUT.search(name)


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    return f"__{_WORDS.get(character) or f'u{ord(character):x}'}__"


def _unescaped(match: re.Match[str]) -> str:
    word = match[1]
    code = int(word[1:], 16) if word not in _CHARACTERS else 0
    if code > 0x10FFFF:
        return match[0]
    return _CHARACTERS.get(word) or chr(code)


MAX_SUMMARY = 120
NO_PARAMETERS: JsonMapping = freeze({"type": "object", "properties": {}})


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """Everything that zkit knows about a tool.

    For what is not declared, the worst case is assumed: without a `grade`, `effective_grade` is (3,
    3), and a call that executes or writes is not retried unless `idempotent` is declared.

    `destructive` is true, false, or the values of arguments for which it is true:
    `{"action": ["delete"]}`. `touches` names the arguments that hold the paths which a tool reads
    or changes, when it touches no others. `limit` and `parallel` override what follows from
    the grade (see `zkit.tools.policy`).
    """

    name: str
    description: str = ""
    parameters: JsonMapping = NO_PARAMETERS
    summary: str = ""
    output: JsonMapping | None = None
    examples: tuple[Example, ...] = ()
    tags: tuple[str, ...] = ()
    grade: Grade | None = None
    destructive: bool | Mapping[str, Sequence[object]] = False
    idempotent: bool | None = None
    error_modes: tuple[str, ...] = ()
    guide: Guide = field(default_factory=Guide)
    docs: str | None = None
    preference: Preference = field(default_factory=Preference)
    timeout: float | None = None
    provider: str = ""
    provider_config: JsonMapping = NOTHING
    cacheable: bool | None = None
    touches: tuple[str, ...] = ()
    limit: Rank | None = None
    parallel: bool | None = None

    def __post_init__(self) -> None:
        _check_name(self)
        for name, reader in _READERS.items():
            object.__setattr__(self, name, reader(getattr(self, name), f"{self.name}: {name}"))
        object.__setattr__(self, "summary", _summary(self))
        for check in _CHECKS:
            check(self)

    def __hash__(self) -> int:
        return hash(self.name)

    @property
    def effective_grade(self) -> Grade:
        """The declared grade; (3, 3) when none is declared.

        Everything uses it except the policy for calls found in text, which distinguishes a tool
        that is declared to write from one that is not declared (`zkit.tools.policy`).
        """
        return WRITE if self.grade is None else self.grade

    @property
    def wire_name(self) -> str:
        """The name under which OpenAI-compatible servers know the tool."""
        return to_wire(self.name)

    @property
    def digest(self) -> str:
        """A short text that changes whenever anything in the spec changes; approvals are bound to it."""
        text = json.dumps(self.to_dict(), sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def is_destructive(self, arguments: JsonMapping | None = None) -> bool:
        """True if a call can destroy something; without arguments, if any call can.

        The arguments are decoded ones. Case, whitespace, invisible characters and the spelling of a
        number do not matter. A value that is missing, or that is a list or object, counts as
        destructive.
        """
        if isinstance(self.destructive, bool):
            return self.destructive
        if arguments is None:
            return bool(self.destructive)
        return any(
            _is_among(arguments.get(name), values) for name, values in self.destructive.items()
        )

    def openai(self, *, strict: bool = False) -> JsonObject:
        """Return the tool as an entry of OpenAI's `tools`."""
        return projections.openai(self, strict=strict)

    def summary_entry(self) -> JsonObject:
        """Return the tool in a catalogue: no schema, a line of text."""
        return projections.summary_entry(self)

    def full(self) -> JsonObject:
        """Everything that helps to use the tool well, as plain data."""
        return projections.full(self)

    def signature(self) -> str:
        """Return the tool as one line: `read_file(path: str, start: int = 1) -> str`."""
        return projections.signature(self)

    def text(self) -> str:
        """Return the tool as a block of text for a prompt."""
        return projections.text(self)

    def mcp(self) -> JsonObject:
        """Return the tool as an entry of MCP's `tools/list`."""
        return projections.mcp(self)

    def to_dict(self) -> JsonObject:
        """Return the spec as plain data, ready for `json.dumps`; `from_dict` is the way back."""
        return _declared(self)

    @classmethod
    def from_dict(cls, data: JsonMapping) -> Self:
        """Return the spec that `to_dict` was called on; an unknown field is refused."""
        known = {entry.name for entry in fields(cls)}
        wrong = [f"has no field {key!r}" for key in data if key not in known]
        wrong += [] if "name" in data else ["needs a name"]
        if wrong:
            raise ToolDefinitionError(f"a tool spec {wrong[0]}")
        return cls(**data)

    def replace(self, **changes: Any) -> Self:
        """Return the spec with some fields changed; a summary made from the description follows it."""
        if (
            "description" in changes
            and "summary" not in changes
            and self.summary == _first_sentence(self.description)
        ):
            changes["summary"] = ""
        return replace(self, **changes)


_READERS = {
    "docs": spec_fields.text_or_none,
    "description": spec_fields.text,
    "summary": spec_fields.text,
    "provider": spec_fields.text,
    "parameters": spec_fields.object_schema,
    "output": spec_fields.schema,
    "provider_config": spec_fields.json_object,
    "timeout": spec_fields.seconds,
    "limit": spec_fields.rank,
    **dict.fromkeys(("idempotent", "cacheable", "parallel"), spec_fields.flag),
    "tags": spec_fields.texts,
    "error_modes": spec_fields.texts,
    "touches": spec_fields.texts,
    "destructive": spec_fields.destructive,
    "grade": spec_fields.grade,
    "guide": spec_fields.record(Guide),
    "preference": spec_fields.record(Preference),
    "examples": spec_fields.records(Example),
}


def _declared(record: DataclassInstance) -> JsonObject:
    """Return the fields of a record that differ from their defaults, as plain data."""
    own = {entry.name: getattr(record, entry.name) for entry in fields(record)}
    return {
        name: _plain(value)
        for name, value in own.items()
        if name == "name" or value != _default(type(record), name)
    }


def _plain(value: object) -> object:
    if isinstance(value, Example | Guide | Preference):
        return _declared(value)
    if isinstance(value, Rank):
        return int(value)
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Mapping):
        return {key: _plain(thaw(part)) for key, part in value.items()}
    return value


def _default(kind: type[DataclassInstance], name: str) -> object:
    [entry] = [entry for entry in fields(kind) if entry.name == name]
    return entry.default_factory() if entry.default_factory is not MISSING else entry.default


def _is_among(value: object, values: Sequence[object]) -> bool:
    if value is None or (
        isinstance(value, Mapping | Set | Sequence) and not isinstance(value, str)
    ):
        return True
    return value in values or _folded(value) in [_folded(one) for one in values]


# Joiners, fillers and variation selectors: Python calls them printable, but they are invisible (the
# printable part of Unicode's Default_Ignorable_Code_Point).
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]+"
)


def _folded(value: object) -> object:
    """Return a number as a number, however it is written; any other value as a text.

    The text is without case, compatibility forms, whitespace and invisible characters.
    """
    folded = normalize("NFKC", str(value)).casefold()
    text = "".join(one for one in _UNSEEN.sub("", folded) if one.isprintable() and one != " ")
    try:
        number = Decimal(text)
    except ArithmeticError:
        return text
    return number if number.is_finite() else text


def _first_sentence(description: str) -> str:
    """Return the first sentence of the first paragraph, cut at a word when it is too long."""
    paragraph = " ".join(description.strip().split("\n\n", 1)[0].split())
    end = paragraph.find(". ")
    sentence = paragraph if end < 0 else paragraph[: end + 1]
    if len(sentence) <= MAX_SUMMARY:
        return sentence
    return f"{sentence[: MAX_SUMMARY - 2].rsplit(' ', 1)[0]} …"


def _summary(spec: ToolSpec) -> str:
    if len(spec.summary) > MAX_SUMMARY:
        raise ToolDefinitionError(
            f"{spec.name}: a summary has at most {MAX_SUMMARY} characters, not {len(spec.summary)};"
            " the rest belongs into the description"
        )
    return " ".join(spec.summary.split()) or _first_sentence(spec.description)


def _check_name(spec: ToolSpec) -> None:
    name = spec.name
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise ToolDefinitionError(f"a tool needs a name, not {name!r}")
    if not name.isprintable():
        raise ToolDefinitionError(f"the name {name!r} holds characters that nobody can see")


def _check_examples(spec: ToolSpec) -> None:
    for index, example in enumerate(spec.examples):
        found = misfits(spec.parameters, example.arguments)
        if found:
            raise ToolDefinitionError(
                f"{spec.name}: example {index + 1} does not fit the parameters: {found[0]}"
            )


def _check_paths(spec: ToolSpec) -> None:
    unknown = [name for name in spec.touches if name not in spec.parameters["properties"]]
    if unknown:
        raise ToolDefinitionError(f"{spec.name}: touches names no parameter: {unknown[0]!r}")
    if isinstance(spec.destructive, Mapping):
        unknown = [name for name in spec.destructive if name not in spec.parameters["properties"]]
        if unknown:
            raise ToolDefinitionError(
                f"{spec.name}: destructive names no parameter: {unknown[0]!r}"
            )


def _check_memory(spec: ToolSpec) -> None:
    if spec.cacheable and spec.effective_grade.w > 1:
        raise ToolDefinitionError(
            f"{spec.name}: a call that executes or writes must run each time;"
            f" cacheable needs a grade of w 0 or 1, not {spec.effective_grade}"
        )


_CHECKS = (_check_paths, _check_memory, _check_examples)


@runtime_checkable
class Tool(Protocol):
    """A tool. `execute` may be plain or async; an exception that it raises becomes a result."""

    def definition(self) -> ToolSpec:
        """Return the tool's spec: its name, parameters and description."""

    def execute(self, call: Call, /) -> Result | Awaitable[Result]:
        """Run one call."""
