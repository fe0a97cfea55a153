"""How one server and its model want to be asked, as one record."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from zkit.extract import FORMATS
from zkit.extract.formats.table import unknown_format
from zkit.required import require_count, require_flag, require_one_of, require_text
from zkit.schema import DIALECTS

Mode = Literal["auto", "native", "text"]
ToolChoice = Literal["", "auto", "required"]
_ONE_OF: dict[str, tuple[str, ...]] = {
    "mode": get_args(Mode),
    "tool_choice": get_args(ToolChoice),
    "dialect": tuple(DIALECTS),
}
_FLAGS = ("parallel", "stream", "stream_usage", "system", "replay_reasoning")


@dataclass(frozen=True, kw_only=True, slots=True)
class Manners:
    """What a request must look like for one server; the defaults are those of OpenAI's own.

    `mode`: `native` tools, `text` (the tools explained in the prompt, calls written in `format`),
    or `auto`: native until the server says that it has no tools. `dialect` is what it understands
    of JSON Schema. `parallel` is false where several calls in one reply come out damaged,
    `tool_choice` is what must be said for a model to call at all. `stream` is false where streams
    are not to be trusted, `stream_usage` where asking for a count at their end is refused.
    `system` is false where system messages are refused or ignored: the text goes to the user's
    first message. `reasoning` is the field of its reasoning, if it is an unusual one, and
    `replay_reasoning` whether that may be sent back. `max_tools` is how many tools one request
    may offer.
    """

    mode: Mode = "auto"
    format: str = "hermes_json"
    dialect: str = "openai"
    parallel: bool = True
    tool_choice: ToolChoice = ""
    stream: bool = True
    stream_usage: bool = True
    system: bool = True
    reasoning: str = ""
    replay_reasoning: bool = True
    max_tools: int | None = None

    def __post_init__(self) -> None:
        for name, known in _ONE_OF.items():
            require_one_of(name, getattr(self, name), known)
        for name in _FLAGS:
            require_flag(name, getattr(self, name))
        require_text("reasoning", self.reasoning)
        require_text("format", self.format)
        if self.format not in FORMATS:
            raise unknown_format(self.format)
        require_count("max_tools", self.max_tools, least=1, or_none=True)

    def manners(self) -> dict[str, Any]:
        """These settings alone, by name."""
        return {one.name: getattr(self, one.name) for one in fields(Manners)}
