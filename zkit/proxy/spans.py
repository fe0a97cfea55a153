"""One OpenTelemetry span for each completion, if OpenTelemetry is set up."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from zkit.proxy.request_log import Record


@contextmanager
def request_span(record: Record) -> Iterator[None]:
    """A span `zkit.proxy` around one completion; the span of its repair is inside it."""
    try:
        from opentelemetry import trace
    except ImportError:
        yield
        return
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        yield  # nobody has said where spans go
        return
    with trace.get_tracer("zkit").start_as_current_span("zkit.proxy") as span:
        try:
            yield
        finally:
            span.set_attributes(
                {
                    "gen_ai.request.model": record.model,
                    "server.address": record.upstream,
                    "http.route": record.endpoint,
                    "http.response.status_code": record.status,
                    "zkit.outcome": record.outcome,
                    "zkit.requests": record.report.get("requests", 1),
                }
            )
