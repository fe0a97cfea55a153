"""HTTP clients that repair replies, for every SDK that uses OpenAI-compatible servers.

`http_client=zkit.transport.client(ask_again=1)` is all that an SDK needs. The replies of
`/chat/completions` and `/responses` to requests with tools are repaired, whole or streamed;
everything else passes byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from zkit.chat.call_checker import Rules
from zkit.chat.client.exchange import Listener, Repairing
from zkit.receipt import Rank, RankName
from zkit.required import require_list
from zkit.transport.httpx_transport import library_for_sdk, library_of, transports_of

if TYPE_CHECKING:
    import httpx
    import httpx2

    Inner = httpx.BaseTransport | httpx2.BaseTransport
    AsyncInner = httpx.AsyncBaseTransport | httpx2.AsyncBaseTransport

C = TypeVar("C")

__all__ = ["async_client", "async_transport", "client", "transport"]


def client(
    *,
    ask_again: int = 0,
    limit: Rank | RankName = Rank.GUESS,
    formats: Iterable[str] | None = None,
    tools: object = None,
    on_report: Listener | None = None,
    http: ModuleType | None = None,
    inner: Inner | None = None,
    **options: object,
) -> Any:
    """Return an `httpx.Client` (or `httpx2.Client`) that repairs replies, to be passed as `http_client`.

    `ask_again` is how many extra requests one completion may cost when a call in it cannot be run.
    `limit` is the highest rank of repair, `formats` limits the text formats that are looked for, and
    `tools` are the tools that calls are checked against, if not those of each request. `on_report`
    is called with the report of each reply that holds calls. `http` is the library, by default the
    one that the installed openai client uses; `inner` is the transport that sends the requests. Other
    options are those of the client class (`timeout`, `proxy`, `verify`, …).
    """
    made = _repairing(ask_again, limit, formats, tools, on_report)
    library = http or (library_of(inner) if inner is not None else None) or library_for_sdk()
    found = library.Client(**{"follow_redirects": True, **options, **_below(inner)})
    return repair_client(found, made)


def async_client(
    *,
    ask_again: int = 0,
    limit: Rank | RankName = Rank.GUESS,
    formats: Iterable[str] | None = None,
    tools: object = None,
    on_report: Listener | None = None,
    http: ModuleType | None = None,
    inner: AsyncInner | None = None,
    **options: object,
) -> Any:
    """The same as `client`, for async SDKs: an `httpx.AsyncClient` (or `httpx2.AsyncClient`)."""
    made = _repairing(ask_again, limit, formats, tools, on_report)
    library = http or (library_of(inner) if inner is not None else None) or library_for_sdk()
    found = library.AsyncClient(**{"follow_redirects": True, **options, **_below(inner)})
    return repair_client(found, made)


def transport(inner: Inner, *, ask_again: int = 0, on_report: Listener | None = None) -> Any:
    """Return a transport that repairs the replies of another one (`httpx.HTTPTransport()`, for example)."""
    library = library_of(inner) or library_for_sdk()
    return transports_of(library).plain(inner, Repairing(ask_again=ask_again, on_report=on_report))


def async_transport(
    inner: AsyncInner, *, ask_again: int = 0, on_report: Listener | None = None
) -> Any:
    """The same as `transport`, for async clients."""
    library = library_of(inner) or library_for_sdk()
    return transports_of(library).asynchronous(
        inner, Repairing(ask_again=ask_again, on_report=on_report)
    )


def repair_client(found: C, repairing: Repairing) -> C:
    """Add the repair to all transports of an HTTP client, including those for proxies."""
    library = library_of(found)
    if library is None:
        raise TypeError(f"{found!r:.80} is not a client of httpx or httpx2")
    kind = transports_of(library)[hasattr(found, "__aenter__")]
    state = vars(found)
    state["_transport"] = kind(state["_transport"], repairing)
    state["_mounts"] = {
        pattern: None if inner is None else kind(inner, repairing)
        for pattern, inner in state["_mounts"].items()
    }
    return found


def repaired_copy(found: object, repairing: Repairing) -> object | None:
    """Return a copy of an HTTP client that repairs replies; None for any other object.

    The copy shares the connections of the original. It keeps the original alive, and does not close
    the connections when it is collected, as the clients of openai do.
    """
    if library_of(found) is None or not hasattr(found, "_transport"):
        return None
    kind = type(found)
    made: object = object.__new__(
        type(kind.__name__, (kind,), {"__del__": _keep, "__module__": kind.__module__})
    )
    vars(made).update(vars(found), _zkit_original=found)
    return repair_client(made, repairing)


def _keep(self: object) -> None:
    """Leave the connections open: they belong to the original client."""


def _repairing(
    ask_again: int,
    limit: Rank | RankName,
    formats: Iterable[str] | None,
    tools: object,
    on_report: Listener | None,
) -> Repairing:
    names = (formats,) if isinstance(formats, str) else formats
    require_list("formats", names, "names of formats", or_none=True)
    rules = Rules.of(limit, formats=None if names is None else tuple(names))
    return Repairing(rules, ask_again, tools, on_report)


def _below(inner: Inner | AsyncInner | None) -> dict[str, object]:
    return {} if inner is None else {"transport": inner}
