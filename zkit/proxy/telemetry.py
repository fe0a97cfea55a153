"""What a proxy reports: figures as Prometheus reads them, and one OpenTelemetry span for each completion."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from zkit.proxy.request_log import Record

MAX_MODELS = 100
"""Labels that a client can choose are bounded; further models count as `other`."""
BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)
_Labels = tuple[tuple[str, str], ...]


class Figures:
    """Counts of what was done."""

    def __init__(self) -> None:
        self.running = 0
        self._counts: Counter[tuple[str, _Labels]] = Counter()
        self._models: set[str] = set()
        self._buckets: Counter[float] = Counter()
        self._seconds = 0.0
        self._timed = 0

    def add(self, record: Record) -> None:
        """Count a request that has ended."""
        model = self._model(record.model)
        self._count("requests", model=model, endpoint=record.endpoint, outcome=record.outcome)
        made = record.report.get("requests", 1) - 1
        if made:
            self._count("extra_requests", made, model=model)
        for call in record.report.get("calls", ()):
            for fix in call["fixes"]:
                self._count("fixes", model=model, fix=fix["name"], rank=fix["rank"])
        for name in ("refusals", "doubtful", "answered"):
            for one in record.report.get(name, ()):
                self._count(name, model=model, code=one["code"])
        for name, value in record.usage.items():
            self._count("tokens", value, model=model, kind=name)
        if record.seconds is not None:
            self._timed += 1
            self._seconds += record.seconds
            self._buckets.update(b for b in BUCKETS if record.seconds <= b)

    def _model(self, name: str) -> str:
        if name in self._models or len(self._models) < MAX_MODELS:
            self._models.add(name)
            return name
        return "other"

    def _count(self, name: str, by: int = 1, **labels: str) -> None:
        self._counts[name, tuple(labels.items())] += by

    def text(self) -> str:
        """Return the text of `/metrics`."""
        return "\n".join([*self._lines(), ""])

    def _lines(self) -> Iterable[str]:
        yield "# TYPE zkit_proxy_running_requests gauge"
        yield f"zkit_proxy_running_requests {self.running}"
        last = ""
        for (name, labels), value in sorted(self._counts.items()):
            if name != last:
                yield f"# TYPE zkit_proxy_{name}_total counter"
                last = name
            shown = ",".join(f'{key}="{_escaped(one)}"' for key, one in labels)
            yield f"zkit_proxy_{name}_total{{{shown}}} {value}"
        yield "# TYPE zkit_proxy_request_seconds histogram"
        for bucket in BUCKETS:
            yield f'zkit_proxy_request_seconds_bucket{{le="{bucket}"}} {self._buckets[bucket]}'
        yield f'zkit_proxy_request_seconds_bucket{{le="+Inf"}} {self._timed}'
        yield f"zkit_proxy_request_seconds_sum {self._seconds:.6f}"
        yield f"zkit_proxy_request_seconds_count {self._timed}"


def _escaped(text: str) -> str:
    found = text[:200].replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return "".join(one for one in found if one >= " ")


@contextmanager
def request_span(record: Record) -> Iterator[None]:
    """Return a span `zkit.proxy` around one completion; the span of its repair is inside it."""
    try:
        from opentelemetry import trace
    except ImportError:
        yield
        return
    if isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider):
        yield  # nobody has configured where spans go
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
