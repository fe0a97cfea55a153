"""The settings of one server, the profile file, and requests that fit it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from os import PathLike
from pathlib import Path
from typing import Any, Literal, get_args

from zkit.chat.history import as_text
from zkit.chat.loop_events import Message
from zkit.chat.wire_data import REASONING, dumps, text_of
from zkit.errors import ProfileError, SchemaError
from zkit.extract import FORMATS
from zkit.extract.formats.table import unknown_format
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_count, require_flag, require_kind, require_one_of, require_text
from zkit.schema import DIALECTS, DialectName, convert, offered

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
    `tool_choice` is what must be sent for a model to call at all. `stream` is false where streams
    are not to be trusted, `stream_usage` where asking for a count at their end is refused.
    `system` is false where system messages are refused or ignored: the text goes to the user's
    first message. `reasoning` is the field of its reasoning, if it is an unusual one, and
    `replay_reasoning` whether that may be sent back. `max_tools` is how many tools one request
    may offer.
    """

    mode: Mode = "auto"
    format: str = "hermes_json"
    dialect: DialectName = "openai"
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

    def server_settings(self) -> JsonObject:
        """These settings alone, by name."""
        return {one.name: getattr(self, one.name) for one in fields(ServerSettings)}


VERSION = 1
_HEAD = """\
# How to talk to this model on this server. Pass it on: ChatLoop(..., profile="{name}"), wrap(..., profile="{name}")
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Profile(ServerSettings):
    """How to talk to one model on one server, for `ChatLoop(profile=...)` and `wrap(profile=...)`.

    `zkit doctor --out FILE` writes one; the file may be edited. Settings that
    the caller passes override it.
    """

    model: str = ""
    base_url: str = ""

    @classmethod
    def of(cls, given: Profile | str | Path | None) -> Profile:
        """Return the given profile, one read from a file, or the default."""
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
    def from_dict(cls, data: object, place: str = "the profile") -> Profile:
        """Read the data of a file; errors name the place and the known keys."""
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

    def to_dict(self) -> JsonObject:
        """Return the data of the file: the model, the server, and all settings that are not None."""
        own = {"version": VERSION, "model": self.model, "base_url": self.base_url}
        return own | {
            key: value for key, value in self.server_settings().items() if value is not None
        }

    def text(self, name: str = "profile.toml") -> str:
        """Return the file of that name."""
        if _is_json(name):
            return json.dumps(self.to_dict(), ensure_ascii=False, indent=2) + "\n"
        # A JSON string, number or boolean is valid TOML too; only DEL is written differently.
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


def _check_kind(key: str, value: object, annotation: str, place: str) -> None:
    kind, named = _KINDS.get(annotation, (str, "a text"))
    if type(value) is not kind:
        raise ProfileError(f"{place}: {key} must be {named}, not {json.dumps(value, default=str)}")


_ABOUT_TOOLS = ("tools", "tool_choice", "parallel_tool_calls")


def fitted(
    request: JsonMapping,
    server: ServerSettings,
    examples: Mapping[str, JsonMapping] | None = None,
) -> JsonObject:
    """Return the request adapted to this server; what the caller set stays as it is."""
    made = _tools_in_text(dict(request), server, examples)
    for step in _STEPS:
        made = step(made, server)
    return made


def asked(request: JsonMapping, key: str) -> object:
    """Return a field of a request; clients use sentinels for missing values."""
    found = request.get(key)
    return None if type(found).__name__ in ("NotGiven", "Omit") else found


def _tools_in_text(
    request: JsonObject,
    server: ServerSettings,
    examples: Mapping[str, JsonMapping] | None,
) -> JsonObject:
    """Return the tools in the prompt, the calls and results of the conversation as text."""
    if server.mode != "text" or not isinstance(asked(request, "messages"), list):
        return request
    choice = asked(request, "tool_choice")
    tools = asked(request, "tools") if choice != "none" else None
    offers = list(offered(tools).values()) if tools else []
    kept = {key: value for key, value in request.items() if key not in _ABOUT_TOOLS}
    messages = [_plain_message(one) for one in request["messages"]]
    shown = as_text(
        messages, offers, server.format, must_call=_must_call(choice), examples=examples
    )
    return {**kept, "messages": shown}


def _plain_message(message: Any) -> Message:
    """Return a message as a dict; callers put the client's own records into the conversation too."""
    if isinstance(message, Mapping):
        return dict(message)
    made: Message = message.model_dump(exclude_none=True, warnings=False)
    return made


def _must_call(choice: object) -> str:
    if isinstance(choice, Mapping):
        name = (choice.get("function") or {}).get("name")
        return f"Your next message must be a call of {name}."
    return "Your next message must be a call." if choice == "required" else ""


def _schemas_in_dialect(request: JsonObject, server: ServerSettings) -> JsonObject:
    tools = asked(request, "tools")
    if server.dialect == "openai" or not isinstance(tools, list):
        return request
    return {**request, "tools": [_in_dialect(tool, server.dialect) for tool in tools]}


def _in_dialect(tool: Any, dialect: DialectName) -> object:
    """Return a tool in a dialect; one that the dialect cannot express stays as it is."""
    function = tool.get("function") if isinstance(tool, Mapping) else None
    if not isinstance(function, Mapping) or not isinstance(function.get("parameters"), Mapping):
        return tool
    made = _converted(dumps(function["parameters"]), dialect)
    if made is None:
        return tool
    strict = {"strict": True} if dialect.endswith("-strict") else {}
    return {**tool, "function": {**function, "parameters": json.loads(made), **strict}}


@lru_cache(maxsize=512)
def _converted(schema: str, dialect: DialectName) -> str | None:
    """Return the schema in the dialect; a loop sends the same ones again and again."""
    try:
        return json.dumps(convert(json.loads(schema), dialect), ensure_ascii=False)
    except SchemaError:
        return None


def _call_settings(request: JsonObject, server: ServerSettings) -> JsonObject:
    """Add the settings for calls, unless the request has its own."""
    if not asked(request, "tools"):
        return request
    own: JsonObject = {}
    if not server.parallel and asked(request, "parallel_tool_calls") is None:
        own["parallel_tool_calls"] = False
    choice = server.tool_choice
    # A model that must always call would never give its answer.
    is_due = choice == "auto" or (choice and not _follows_a_result(request))
    if is_due and asked(request, "tool_choice") is None:
        own["tool_choice"] = choice
    return {**request, **own}


def _follows_a_result(request: JsonObject) -> bool:
    messages = asked(request, "messages")
    last = messages[-1] if isinstance(messages, list) and messages else {}
    role = last.get("role") if isinstance(last, Mapping) else getattr(last, "role", "")
    return bool(role == "tool")


def _streaming(request: JsonObject, server: ServerSettings) -> JsonObject:
    left_out = set()
    if not server.stream:
        left_out = {"stream", "stream_options"}
    elif not server.stream_usage:
        left_out = {"stream_options"}
    return {key: value for key, value in request.items() if key not in left_out}


def _without_system(request: JsonObject, server: ServerSettings) -> JsonObject:
    """Return the system prompt at the head of the user's first message."""
    messages = asked(request, "messages")
    if server.system or not isinstance(messages, list):
        return request
    plain = [_plain_message(one) for one in messages]
    prompts = [text_of(m.get("content")) for m in plain if m.get("role") in ("system", "developer")]
    rest = [m for m in plain if m.get("role") not in ("system", "developer")]
    if not prompts:
        return request
    text = "\n\n".join(prompts)
    first = next((m for m in rest if m.get("role") == "user"), None)
    if first is None or not isinstance(first.get("content"), str):
        return {**request, "messages": [{"role": "user", "content": text}, *rest]}
    joined = {**first, "content": f"{text}\n\n{first['content']}"}
    return {**request, "messages": [joined if m is first else m for m in rest]}


def _reasoning_kept_back(request: JsonObject, server: ServerSettings) -> JsonObject:
    messages = asked(request, "messages")
    if server.replay_reasoning or not isinstance(messages, list):
        return request
    names = {server.reasoning, *REASONING}
    plain = [_plain_message(one) for one in messages]
    kept = [{key: value for key, value in m.items() if key not in names} for m in plain]
    return {**request, "messages": kept}


_STEPS: tuple[Callable[[JsonObject, ServerSettings], JsonObject], ...] = (
    _schemas_in_dialect,
    _call_settings,
    _streaming,
    _without_system,
    _reasoning_kept_back,
)
