"""Where the report of a reply goes: the headers of a whole reply, and OpenTelemetry."""

from __future__ import annotations

from functools import cache
from types import ModuleType

from zkit.chat.call_checker import NOTHING_DONE, Report

HEADERS = ("x-zkit-calls", "x-zkit-fixes", "x-zkit-refused", "x-zkit-doubtful", "x-zkit-requests")
_LONGEST_HEADER = 1000


def headers_of(report: Report) -> dict[str, str]:
    """Return the report as response headers; none if the reply held no calls."""
    if report == NOTHING_DONE:
        return {}
    fixes = ",".join(dict.fromkeys(fix.name for fix in report.fixes))[:_LONGEST_HEADER]
    refused = ",".join(one.code for one in report.refusals)[:_LONGEST_HEADER]
    values = (len(report.calls), fixes, refused, len(report.doubtful), report.requests)
    return {name: str(value) for name, value in zip(HEADERS, values, strict=True) if value}


@cache
def _api() -> ModuleType | None:
    try:
        from opentelemetry import trace
    except ImportError:
        return None
    return trace


def trace_report(report: Report, model: object = "") -> None:
    """Write the report as a span `zkit.repair_reply`, if OpenTelemetry is set up."""
    api = _api()
    if report == NOTHING_DONE or api is None:
        return
    if isinstance(api.get_tracer_provider(), api.ProxyTracerProvider):
        return  # no exporter is configured
    with api.get_tracer("zkit").start_as_current_span("zkit.repair_reply") as span:
        span.set_attributes(
            {
                "gen_ai.request.model": str(model),
                "zkit.calls": [call.name for call in report.calls],
                "zkit.fixes": [fix.name for fix in report.fixes],
                "zkit.rank": max((call.rank for call in report.calls), default=0),
                "zkit.refused": [f"{one.name}: {one.code}" for one in report.refusals],
                "zkit.doubtful": [f"{one.call.name}: {one.reason}" for one in report.doubtful],
                "zkit.requests": report.requests,
            }
        )
