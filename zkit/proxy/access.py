"""Who may use the proxy: only its own hosts and origins, and beyond loopback only with the token.

A page of another site can make a browser send requests to this machine, and with DNS rebinding read
the answers. Such requests carry a foreign `Origin`, a foreign `Host`, or `Sec-Fetch-Site`.
"""

from __future__ import annotations

import hmac
import ipaddress
from collections.abc import Mapping
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlsplit

from zkit.proxy.proxy_settings import ProxySettings, is_loopback

COOKIE = "zkit_token"
_GUARDED = ("/zkit", "/metrics")


def refusal_of(
    settings: ProxySettings, method: str, path: str, headers: Mapping[str, str]
) -> str | None:
    """Return why a request is rejected, by its hosts and origins; None if it may pass."""
    host = headers.get("host", "")
    if not _is_own_host(settings, host):
        return f"the host {host[:100]!r} is not allowed; allow it with --allow-host"
    origin = headers.get("origin")
    if origin is not None and not is_own_origin(settings, origin, host):
        return f"the origin {origin[:100]!r} is not allowed; allow it with --allow-origin"
    is_foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
    is_link = headers.get("sec-fetch-mode") == "navigate" and method == "GET"
    if is_foreign and origin is None and not (is_link and path == "/zkit"):
        return "requests of other sites are not allowed"
    return None


def _is_own_host(settings: ProxySettings, host: str) -> bool:
    name = (urlsplit(f"//{host}").hostname or "") if "@" not in host else ""
    if is_loopback(name) or name in settings.allowed_hosts or host in settings.allowed_hosts:
        return True
    if settings.is_loopback or not name:
        return False
    return name == settings.host or _is_address(name)


def _is_address(name: str) -> bool:
    """True for an IP address: DNS rebinding always uses a name."""
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def is_own_origin(settings: ProxySettings, origin: str, host: str) -> bool:
    """True for the page of the proxy itself, and for origins that the operator allows."""
    if origin in settings.allowed_origins:
        return True
    parts = urlsplit(origin)
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


def needs_token(settings: ProxySettings, path: str) -> bool:
    """True for the page and the figures, if others than this machine can reach them."""
    is_guarded = any(path == one or path.startswith(f"{one}/") for one in _GUARDED)
    return is_guarded and not settings.is_loopback


def has_token(settings: ProxySettings, headers: Mapping[str, str], query: str) -> bool:
    """True if the request carries the token: as bearer, in its cookie, or in the address."""
    bearer = headers.get("authorization", "").removeprefix("Bearer ").strip()
    given = [bearer, _cookie(headers.get("cookie", "")), *parse_qs(query).get("token", [])]
    due = settings.token.encode()
    return any(hmac.compare_digest(one.encode(), due) for one in given if one)


def _cookie(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
