"""The settings of a proxy: where requests go, how replies are repaired, and every limit."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal, get_args
from urllib.parse import urlsplit

from zkit.chat.call_checker import Rules
from zkit.chat.client.exchange import Repairing
from zkit.chat.server_profile import Profile
from zkit.required import (
    require_count,
    require_kind,
    require_list,
    require_path,
    require_seconds,
    require_text,
)

Speaks = Literal["auto", "chat", "responses", "messages"]
MAX_BODY = 32_000_000
"""The longest request: images in base64 make requests of some megabytes, and OpenAI takes 50."""
MAX_REPLY = 64_000_000
"""The longest whole reply; it is held in memory, and a server must not fill that."""
MAX_REQUESTS = 256
"""Requests at one time; more are answered with 429, which every SDK retries."""
TIMEOUT = 600.0
"""Seconds for one request, as long as the SDKs of OpenAI and Anthropic wait."""
KEPT = 500
"""Requests on the page: about 10 kB each, so a few megabytes."""


@dataclass(frozen=True, slots=True)
class Upstream:
    """A model server. `models` is a pattern (`qwen*`) that names of models match.

    `speaks` is the API that it speaks beside chat completions: `auto` tries `/responses` and
    translates where there is none; `messages` passes `/v1/messages` on unchanged.
    """

    url: str
    models: str = "*"
    speaks: Speaks = "auto"

    def __post_init__(self) -> None:
        require_text("url", self.url)
        require_text("models", self.models)
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError(f"an upstream is the URL of a model server, not {self.url!r:.200}")
        if self.speaks not in get_args(Speaks):
            raise ValueError(f"speaks is one of {', '.join(get_args(Speaks))}, not {self.speaks!r}")

    @classmethod
    def of(cls, text: str) -> Upstream:
        """Read `URL` or `PATTERN=URL`."""
        pattern, separator, url = text.partition("=")
        if not separator or "://" in pattern:
            return cls(text)
        return cls(url, pattern.strip())

    @property
    def base(self) -> str:
        """The address without a slash at its end."""
        return self.url.rstrip("/")

    @property
    def root(self) -> str:
        """The address without `/v1`, for paths that do not begin with it."""
        return self.base.removesuffix("/v1")

    @property
    def shown(self) -> str:
        """The address without a name or password in it."""
        parts = urlsplit(self.base)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


@dataclass(frozen=True, kw_only=True, slots=True)
class ProxySettings:
    """How a proxy works; see `zkit proxy --help` for what each setting means."""

    upstreams: Sequence[Upstream]
    host: str = "127.0.0.1"
    port: int = 8787
    ask_again: int = 1
    rules: Rules = field(default_factory=Rules)
    profiles: Sequence[Profile] = ()
    max_body: int = MAX_BODY
    max_reply: int = MAX_REPLY
    max_requests: int = MAX_REQUESTS
    timeout: float = TIMEOUT
    keep: Path | None = None
    keep_last: int = KEPT
    cases: Path | None = None
    token: str = ""
    allowed_hosts: Sequence[str] = ()
    allowed_origins: Sequence[str] = ()

    def __post_init__(self) -> None:
        lists: dict[str, type] = {
            "upstreams": Upstream,
            "profiles": Profile,
            "allowed_hosts": str,
            "allowed_origins": str,
        }
        for name, kind in lists.items():
            require_list(name, getattr(self, name), f"{kind.__name__} values")
            for one in getattr(self, name):
                require_kind(f"an entry of {name}", one, kind, f"of the kind {kind.__name__}")
        if not self.upstreams:
            raise ValueError("upstreams: a proxy needs an upstream, the URL of a model server")
        for name in ("max_body", "max_reply", "max_requests", "keep_last"):
            require_count(name, getattr(self, name), least=1)
        for name in ("port", "ask_again"):
            require_count(name, getattr(self, name))
        if self.port > 65_535:
            raise ValueError(f"port must be at most 65535, not {self.port}")
        require_seconds("timeout", self.timeout, above_zero=True)
        require_kind("rules", self.rules, Rules, "Rules")
        for name in ("host", "token"):
            require_text(name, getattr(self, name))
        for name in ("keep", "cases"):
            require_path(name, getattr(self, name), or_none=True)
        if not self.is_loopback and not self.token:
            raise ValueError(f"a proxy on {self.host} needs a token: others can reach its page")

    @property
    def is_loopback(self) -> bool:
        """True if only this machine can reach the proxy."""
        return is_loopback(self.host)

    @property
    def repairing(self) -> Repairing:
        """How replies are repaired."""
        return Repairing(self.rules, self.ask_again)

    def upstream_for(self, model: str) -> Upstream | None:
        """Return the first upstream whose pattern the name matches; None if there is none."""
        return next((one for one in self.upstreams if fnmatchcase(model, one.models)), None)

    def profile_for(self, model: str) -> Profile | None:
        """Return the profile of a model; one without a name holds for all others."""
        named = [one for one in self.profiles if one.model == model]
        others = [one for one in self.profiles if not one.model]
        return next(iter([*named, *others]), None)


def is_loopback(host: str) -> bool:
    """True for the names and addresses of this machine that nobody else can reach."""
    name = host.strip("[]").lower().rstrip(".")
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
