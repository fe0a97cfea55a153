"""A profile file in, the manners of one model on one server out, and the way back."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from zkit.errors import ProfileError
from zkit.extract import FORMATS
from zkit.extract.formats.table import unknown_format
from zkit.required import require_count, require_flag, require_kind, require_one_of, require_text
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
class ServerSettings:
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

    def server_settings(self) -> dict[str, Any]:
        """These settings alone, by name."""
        return {one.name: getattr(self, one.name) for one in fields(ServerSettings)}


VERSION = 1
_HEAD = """\
# How to talk to this model on this server. Pass it on: ChatLoop(..., profile="{name}"), wrap(..., profile="{name}")
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile(ServerSettings):
    """How to talk to one model on one server, for `ChatLoop(profile=...)` and `wrap(profile=...)`.

    `zkit doctor --out FILE` writes one; the file may be edited. What the caller says for himself
    goes before it.
    """

    model: str = ""
    base_url: str = ""

    @classmethod
    def of(cls, given: Profile | str | Path | None) -> Profile:
        """A profile as it is, read from a file, or the one of which nothing is known."""
        if given is None:
            return cls()
        if isinstance(given, Profile):
            return given
        require_kind("profile", given, (str, PathLike), "a Profile or the path of one")
        return cls.read(given)

    @classmethod
    def read(cls, path: str | Path) -> Profile:
        """Read a profile from a TOML file, or a JSON file that ends in `.json`."""
        import tomllib

        try:
            text = Path(path).read_text("utf-8")
            data = json.loads(text) if _is_json(path) else tomllib.loads(text)
        except OSError as error:
            raise ProfileError(f"{path}: {error.strerror}") from error
        except ValueError as error:
            raise ProfileError(f"{path}: no profile: {error}") from error
        return cls.from_dict(data, str(path))

    @classmethod
    def from_dict(cls, data: Any, place: str = "the profile") -> Profile:
        """Take what stands in a file; complaints say where, and what is known."""
        if not isinstance(data, dict) or data.get("version") != VERSION:
            found = data.get("version") if isinstance(data, dict) else None
            raise ProfileError(f"{place}: version must be {VERSION}, not {found!r}")
        given = {key: value for key, value in data.items() if key != "version"}
        known = {one.name: one.type for one in fields(cls)}
        for key, value in given.items():
            if key not in known:
                raise ProfileError(f"{place}: unknown key {key!r} (known: {', '.join(known)})")
            _check_kind(key, value, str(known[key]), place)
        try:
            return cls(**given)
        except ValueError as error:
            raise ProfileError(f"{place}: {error}") from error

    def to_dict(self) -> dict[str, Any]:
        """As it stands in a file: who it speaks of, and all settings that say something."""
        own = {"version": VERSION, "model": self.model, "base_url": self.base_url}
        return own | {
            key: value for key, value in self.server_settings().items() if value is not None
        }

    def text(self, name: str = "profile.toml") -> str:
        """The file of that name."""
        if _is_json(name):
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"
        # A JSON string, number or boolean is a TOML one too; DEL alone is written otherwise.
        lines = [
            f"{key} = {json.dumps(value, ensure_ascii=False)}".replace("\x7f", "\\u007f")
            for key, value in self.to_dict().items()
        ]
        return _HEAD.format(name=Path(name).name) + "\n".join(lines) + "\n"

    def write(self, path: str | Path) -> None:
        """Write the file: TOML, or JSON when its name ends in `.json`."""
        Path(path).write_text(self.text(str(path)), "utf-8")


def _is_json(path: str | Path) -> bool:
    return Path(path).suffix == ".json"


_KINDS: dict[str, tuple[type, str]] = {
    "bool": (bool, "true or false"),
    "int | None": (int, "a whole number"),
}


def _check_kind(key: str, value: Any, annotation: str, place: str) -> None:
    kind, named = _KINDS.get(annotation, (str, "a text"))
    if type(value) is not kind:
        raise ProfileError(f"{place}: {key} must be {named}, not {json.dumps(value, default=str)}")
