"""Errors in the format of the API that a client speaks, whole and inside a stream."""

from __future__ import annotations

import json
from typing import Literal

ApiName = Literal["chat", "responses", "messages"]
_ANTHROPIC_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_OPENAI_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    429: "rate_limit_error",
}


class ProxyError(Exception):
    """A request that cannot be answered; `code` is for programs."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.code = code


def error_body(api: ApiName, error: ProxyError) -> dict[str, object]:
    """Return the body of an error."""
    if api == "messages":
        kind = _ANTHROPIC_TYPES.get(error.status, "api_error")
        return {"type": "error", "error": {"type": kind, "message": error.message}}
    usual = "invalid_request_error" if error.status < 500 else "server_error"
    kind = _OPENAI_TYPES.get(error.status, usual)
    own = {"message": error.message, "type": kind, "param": None, "code": error.code}
    return {"error": own}


def error_event(api: ApiName, error: ProxyError) -> bytes:
    """Return the error as the last event of a stream that has begun."""
    body: dict[str, object] = error_body(api, error)
    if api == "responses":
        body = {"type": "error", "code": error.code, "message": error.message, "param": None}
    head = b"" if api == "chat" else b"event: error\n"
    return b"\n\n%sdata: %s\n\n" % (head, json.dumps(body, ensure_ascii=False).encode())


def message_in(body: bytes) -> str:
    """Return what the body of an upstream's error says."""
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return body[:2000].decode("utf-8", "replace").strip()
    found = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(found, dict):
        found = found.get("message") or found.get("detail") or found
    return found if isinstance(found, str) else json.dumps(found)[:2000]
