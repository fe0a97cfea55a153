"""Reads the target of a connection: a command to start, or the address of a server."""

from __future__ import annotations

import hashlib
import ipaddress
import json
import os
import re
import shlex
import socket
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue

from zkit.errors import McpError

_VARIABLE = re.compile(r"\$\{(\w+)\}")
_SHELLS = frozenset(
    ("sh", "bash", "dash", "zsh", "fish", "ksh", "csh", "tcsh", "cmd.exe", "powershell", "pwsh")
)


@dataclass(frozen=True, slots=True)
class ServerTarget:
    """A command over stdio, or a URL over streamable HTTP. `env` and `headers` may name variables.

    A value such as `Bearer ${TOKEN}` is filled in when the connection is made, and only the name of
    the variable is kept in the catalog.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    cwd: str | None = None

    def __str__(self) -> str:
        return self.url.partition("?")[0] or shlex.join(self.command)

    @property
    def identity(self) -> str:
        """A short digest that is the same for the same command or address."""
        text = json.dumps([self.url, *self.command])
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    def kept(self) -> dict[str, JsonValue] | None:
        """Return what the catalog keeps; None when a secret would have to be written down."""
        values = [*self.env.values(), *self.headers.values()]
        if not all(_VARIABLE.search(value) for value in values) or "@" in urlsplit(self.url).netloc:
            return None
        made: dict[str, JsonValue] = {"url": self.url} if self.url else {}
        if self.command:
            made = {"command": self.command[0], "args": list(self.command[1:])}
        for name, pairs in (("env", self.env), ("headers", self.headers)):
            made |= {name: dict(pairs)} if pairs else {}
        return made if self.cwd is None else {**made, "cwd": self.cwd}


Given = str | Sequence[str] | Mapping[str, object] | ServerTarget


def target_of(given: Given) -> ServerTarget:
    """Return the target given by a text, a list of words or a mapping.

    A mapping is an entry of the usual `mcpServers`: `{"command": "npx", "args": […], "env": {…}}`
    or `{"url": "https://…", "headers": {…}}`.
    """
    if isinstance(given, ServerTarget):
        return given
    if isinstance(given, str):
        words = [] if _is_url(given) else _words(given)
        return ServerTarget(url=given) if not words else ServerTarget(tuple(words))
    if isinstance(given, Mapping):
        return _of_mapping(given)
    words = list(given)
    if not words or not all(isinstance(word, str) for word in words):
        raise McpError(f"a command is a list of texts, not {given!r:.80}")
    return ServerTarget(tuple(words))


def _words(text: str) -> list[str]:
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise McpError(f"{text!r:.80} is not a command: {error}") from error
    if not words or "://" in words[0]:
        raise McpError(f"{text!r:.80} is neither a command nor an http address")
    return words


def _of_mapping(given: Mapping[str, object]) -> ServerTarget:
    known = {"command", "args", "env", "cwd", "url", "headers", "type", "transport"}
    unknown = sorted(set(given) - known)
    if unknown:
        raise McpError(f"a server has no {unknown[0]!r}; it has {', '.join(sorted(known))}")
    texts = {k: v for k in ("env", "headers") if isinstance(v := given.get(k) or {}, Mapping)}
    parts = {k: {str(n): str(v) for n, v in pairs.items()} for k, pairs in texts.items()}
    url, command, args = given.get("url"), given.get("command"), given.get("args") or []
    if isinstance(url, str) and _is_url(url) and not command:
        return ServerTarget(url=url, headers=parts.get("headers", {}))
    if isinstance(command, str) and command and not url and isinstance(args, Sequence):
        words = (command, *map(str, args)) if not isinstance(args, str) else (command,)
        cwd = given.get("cwd")
        return ServerTarget(words, env=parts.get("env", {}), cwd=None if cwd is None else str(cwd))
    raise McpError(f"a server has a command or an http url, not {dict(given)!r:.120}")


def _is_url(text: str) -> bool:
    return text.startswith(("http://", "https://"))


def expanded(values: Mapping[str, str]) -> dict[str, str]:
    """Return values with `${NAME}` replaced from the environment; a missing one is an error."""

    def value_of(found: re.Match[str]) -> str:
        if found[1] not in os.environ:
            raise McpError(f"the environment has no variable {found[1]}")
        return os.environ[found[1]]

    return {name: _VARIABLE.sub(value_of, value) for name, value in values.items()}


def require_public(target: ServerTarget) -> None:
    """Refuse a target chosen by a model that is not public.

    A command must be an absolute path and no shell. An address must be public, also after its name
    is resolved; a token must not go over plain http. Raises `McpError`.
    """
    if target.command:
        program = Path(target.command[0])
        if not program.is_absolute():
            raise McpError(f"{program} must be an absolute path")
        if program.name in _SHELLS or program.resolve().name in _SHELLS:
            raise McpError(f"{program} is a shell: name the server itself")
        return
    address = urlsplit(target.url)
    if target.headers and address.scheme != "https":
        raise McpError("a token must not be sent over plain http")
    require_public_host(address.hostname or "", address.port or 443)


def require_public_host(host: str, port: int) -> None:
    """Refuse a host any of whose addresses is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except OSError as error:
        raise McpError(f"{host}: {error}") from error
    for entry in found:
        address = ipaddress.ip_address(str(entry[4][0]).partition("%")[0])
        if not address.is_global or address.is_multicast:
            raise McpError(f"{host} is {address}, which is not a public address")
