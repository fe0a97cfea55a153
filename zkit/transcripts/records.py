"""The records of a transcript: what happens in a chat, each with its `kind`."""

from __future__ import annotations

import base64
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, ClassVar

from pydantic import ConfigDict, Field

from zkit.json_types import JsonMapping, JsonObject

VERSION = 1
Columns = Annotated[int, Field(ge=1, le=10_000)]
"""The width of a screen: what is wider was not recorded from one."""


class Record:
    """The family of records. A field that there is not, or of another type, is refused on reading."""

    kind: ClassVar[str]
    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")

    def to_dict(self) -> JsonObject:
        """The record as plain data, ready for `json.dumps`."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self)}  # type: ignore[arg-type]
        return {"kind": self.kind, **own}


@dataclass(frozen=True, slots=True)
class Header(Record):
    """Who talked to what, and on what screen: `columns` wide, with `colour` or without."""

    kind: ClassVar[str] = "header"
    model: str
    base_url: str = ""
    kit: str = ""
    system: str = ""
    once: str | None = None
    columns: Columns = 80
    colour: bool = False
    options: JsonMapping = field(default_factory=dict)
    zkit: str = ""
    version: int = VERSION


@dataclass(frozen=True, slots=True)
class Tools(Record):
    """The tools that can be called from here on, as `ToolSpec.to_dict` writes them.

    `workflows` are those of the kit: the prompt speaks of them.
    """

    kind: ClassVar[str] = "tools"
    tools: tuple[JsonMapping, ...]
    workflows: tuple[JsonMapping, ...] = ()


@dataclass(frozen=True, slots=True)
class Typed(Record):
    """A line that the person typed; None where the person ended the input or pressed Ctrl-C."""

    kind: ClassVar[str] = "typed"
    text: str | None
    interrupted: bool = False


@dataclass(frozen=True, slots=True)
class Request(Record):
    """A request to the model, as it went over the wire. Headers are never recorded."""

    kind: ClassVar[str] = "request"
    number: int
    body: Any


@dataclass(frozen=True, slots=True)
class Response(Record):
    """The beginning of the answer to a request."""

    kind: ClassVar[str] = "response"
    number: int
    status: int
    content_type: str = ""
    retry_after: str = ""


@dataclass(frozen=True, slots=True)
class Received(Record):
    """Bytes of an answer, exactly as they came; in base64 where they are no UTF-8."""

    kind: ClassVar[str] = "bytes"
    number: int
    text: str | None = None
    base64: str | None = None

    @classmethod
    def of(cls, number: int, data: bytes) -> Received:
        """The record of some bytes."""
        try:
            return cls(number, data.decode("utf-8"))
        except UnicodeDecodeError:
            return cls(number, None, base64.b64encode(data).decode("ascii"))

    @property
    def data(self) -> bytes:
        """The bytes."""
        if self.text is not None:
            return self.text.encode("utf-8")
        return base64.b64decode(self.base64 or "")


@dataclass(frozen=True, slots=True)
class Ended(Record):
    """The end of an answer: whole, or with the error that broke it off."""

    kind: ClassVar[str] = "end"
    number: int
    error: str = ""


@dataclass(frozen=True, slots=True)
class Told(Record):
    """An event of the loop, as its `to_dict` writes it."""

    kind: ClassVar[str] = "event"
    event: JsonMapping


@dataclass(frozen=True, slots=True)
class Shown(Record):
    """What was written to the screen; `stream` is `out` or `err`."""

    kind: ClassVar[str] = "shown"
    text: str
    stream: str = "out"


@dataclass(frozen=True, slots=True)
class Interrupted(Record):
    """The person stopped the turn that was running."""

    kind: ClassVar[str] = "interrupted"


@dataclass(frozen=True, slots=True)
class Resized(Record):
    """The screen has another width."""

    kind: ClassVar[str] = "resized"
    columns: Columns


KINDS: dict[str, type[Record]] = {
    kind.kind: kind
    for kind in (
        Header, Tools, Typed, Request, Response, Received, Ended, Told, Shown, Interrupted, Resized
    )
}  # fmt: skip
