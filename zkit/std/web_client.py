"""Fetch pages from public addresses only: every hop is resolved, checked and then connected to."""

from __future__ import annotations

import ipaddress
import socket
import time
import types
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable
from urllib.parse import urljoin, urlsplit

from zkit.errors import MissingExtraError
from zkit.results import Refused, Transient, Validation

if TYPE_CHECKING:
    import httpx

MAX_HOPS = 5
MAX_URL = 2_000
_AGENT = "zkit"


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One result of a search."""

    title: str
    url: str
    snippet: str = ""


@runtime_checkable
class SearchBackend(Protocol):
    """A search engine: a query, and how many results at most."""

    def search(self, query: str, limit: int, /) -> list[SearchHit]:
        """Return the results, best first."""


@dataclass(frozen=True, slots=True)
class Web:
    """How the web tools reach the network.

    `search` is the engine of `web_search`. Private and loopback addresses are refused unless
    `allow_private`; `hosts`, if given, are the only ones that are fetched from.
    """

    search: SearchBackend | None = None
    allow_private: bool = False
    hosts: tuple[str, ...] = ()
    timeout: float = 20.0
    max_bytes: int = 1_000_000


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer of a server, up to the limit of bytes."""

    url: str
    status: int
    content_type: str
    data: bytes
    complete: bool


def fetch(url: str, web: Web, check: Callable[[], None] = lambda: None) -> Fetched:
    """Fetch an address, follow its redirects, and check each hop before it is connected to."""
    httpx = _httpx()
    ends = time.monotonic() + web.timeout
    with httpx.Client(
        trust_env=False, follow_redirects=False, headers={"User-Agent": _AGENT}
    ) as client:
        for _ in range(MAX_HOPS + 1):
            check()
            left = ends - time.monotonic()
            if left <= 0:
                raise _slow(url)
            request = _request(client, url, web, left)
            try:
                answer = client.send(request, stream=True)
            except httpx.TimeoutException as error:
                raise _slow(url) from error
            except httpx.HTTPError as error:
                raise Transient(f"{url}: {error or type(error).__name__}") from error
            try:
                if not answer.is_redirect:
                    return _read(answer, url, web, ends, check)
                url = urljoin(url, answer.headers.get("location", ""))
            finally:
                answer.close()
    raise Validation(f"url: {url} redirects more than {MAX_HOPS} times.")


def _httpx() -> types.ModuleType:
    try:
        import httpx
    except ImportError as error:
        raise MissingExtraError("std", "The web tools") from error
    return httpx


def _request(client: httpx.Client, url: str, web: Web, seconds: float) -> httpx.Request:
    """Return a request to an address that was checked, with the name of the host in its headers.

    The address is looked up once, here: a name that answers differently the next time changes
    nothing.
    """
    parts = urlsplit(url) if len(url) <= MAX_URL else None
    try:
        port = parts.port if parts is not None else None
    except ValueError:
        parts = None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise Validation(f'url: "{url[:200]}" must be a whole http or https address.')
    if parts.username or parts.password:
        raise Validation("url: must not hold a user name or a password.")
    host = parts.hostname
    if web.hosts and host not in web.hosts:
        raise Refused(f"{host} is not among the hosts that may be fetched from")
    address = _checked_address(host, port or (443 if parts.scheme == "https" else 80), web)
    import httpx

    target = httpx.URL(url).copy_with(host=address, fragment=None)
    return client.build_request(
        "GET",
        target,
        headers={"Host": parts.netloc, "Accept": "text/html, text/*;q=0.9, application/json;q=0.9"},
        extensions={"sni_hostname": host, "timeout": httpx.Timeout(seconds).as_dict()},
    )


def _checked_address(host: str, port: int, web: Web) -> str:
    """Return the address of a host; refused if any address of its name is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise Validation(f'url: there is no host "{host}" ({error}).', code="not_found") from error
    addresses = [str(entry[4][0]).split("%", 1)[0] for entry in found]
    if not web.allow_private:
        for address in addresses:
            if not _is_public(address):
                raise Refused(f"{host} is a private or local address ({address})")
    return addresses[0]


def _is_public(address: str) -> bool:
    found = ipaddress.ip_address(address)
    inner = getattr(found, "ipv4_mapped", None) or getattr(found, "sixtofour", None)
    if inner is not None:
        return _is_public(str(inner))
    return found.is_global and not found.is_multicast


def _read(
    answer: httpx.Response, url: str, web: Web, ends: float, check: Callable[[], None]
) -> Fetched:
    import httpx

    kept = bytearray()
    complete = True
    try:
        for part in answer.iter_bytes():
            check()
            kept += part
            if len(kept) > web.max_bytes:
                complete = False
                break
            if time.monotonic() > ends:
                raise _slow(url)
    except httpx.TimeoutException as error:
        raise _slow(url) from error
    except httpx.HTTPError as error:
        raise Transient(f"{url}: {error or type(error).__name__}") from error
    kind = answer.headers.get("content-type", "").lower()
    return Fetched(url, answer.status_code, kind, bytes(kept[: web.max_bytes]), complete)


def _slow(url: str) -> Transient:
    return Transient(f"{url} took too long", code="timeout")
