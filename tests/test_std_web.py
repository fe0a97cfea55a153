"""The standard tools for the web and PDF files, against a real server and real files."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from std_samples import Bench

from zkit import Refused, Success, Transient
from zkit.std import GoogleSearch, SearchHit, SearxngSearch, Web
from zkit.std.web_client import MAX_HOPS, _is_public
from zkit.tools import render_result

PAGE = """<html><head><title>T</title><style>p {}</style><script>evil()</script></head>
<body><h1>Ports</h1><p>Use <b>8080</b> &amp; be <a href="/x">happy</a>.</p>
<ul><li>one</li><li>two</li></ul></body></html>"""


class Handler(BaseHTTPRequestHandler):
    """Serves one page of each kind that a fetch must cope with."""

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        self.server.asked.append((path, parse_qs(query), dict(self.headers)))  # type: ignore[attr-defined]
        getattr(self, "page_" + path.strip("/").split("/")[0], self.page_missing)()

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def answer(
        self, data: bytes, kind: str = "text/html; charset=utf-8", status: int = 200, **more: str
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in more.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def page_page(self) -> None:
        self.answer(PAGE.encode())

    def page_latin(self) -> None:
        self.answer("café".encode("latin-1"), "text/plain; charset=iso-8859-1")

    def page_binary(self) -> None:
        self.answer(b"\x89PNG\0", "image/png")

    def page_lying(self) -> None:
        self.answer(b"a\0b", "text/html")

    def page_missing(self) -> None:
        self.answer(b"nothing here", "text/plain", 404)

    def page_loop(self) -> None:
        self.answer(b"", status=302, Location="/loop")

    def page_away(self) -> None:
        self.answer(b"", status=302, Location="http://localhost:1/secret")

    def page_there(self) -> None:
        self.answer(b"", status=301, Location="/page")

    def page_deep(self) -> None:
        self.answer(b"<div>" * 20_000 + b"deep text" + b"</div>" * 20_000)

    def page_huge(self) -> None:
        self.answer(b"<p>x</p>\n" * 400_000)

    def page_drip(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/plain")
        self.end_headers()
        try:
            for _ in range(100):
                self.wfile.write(b"x")
                self.wfile.flush()
                time.sleep(0.05)
        except OSError:
            pass

    def page_search(self) -> None:
        rows = [
            {"title": f"T {n}", "url": f"https://e.com/{n}", "content": "a\n b"} for n in range(9)
        ]
        self.answer(
            json.dumps({"results": [*rows, {"title": "no url"}, 3]}).encode(), "application/json"
        )

    def page_google(self) -> None:
        rows = [{"title": "G", "link": "https://g.com/", "snippet": "s"}]
        self.answer(json.dumps({"items": rows}).encode(), "application/json")

    def page_limited(self) -> None:
        self.answer(b"{}", "application/json", 429)

    def page_junk(self) -> None:
        self.answer(b"<html>", "text/html")


@pytest.fixture(scope="module")
def server() -> Iterator[ThreadingHTTPServer]:
    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    made.asked = []  # type: ignore[attr-defined]
    made.daemon_threads = True
    thread = threading.Thread(target=made.serve_forever, daemon=True)
    thread.start()
    yield made
    made.shutdown()
    made.server_close()
    thread.join()


@pytest.fixture
def url(server: ThreadingHTTPServer) -> str:
    server.asked.clear()  # type: ignore[attr-defined]
    return f"http://127.0.0.1:{server.server_port}"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path, only=["web", "pdf_read"], web=Web(allow_private=True, timeout=10))


# web_fetch


def test_a_page_is_read_as_markdown_text_or_raw(bench: Bench, url: str) -> None:
    page = bench.ok("web_fetch", url=f"{url}/page")
    assert page["status"] == 200
    assert "# Ports" in page["text"]
    assert "Use **8080** & be [happy](/x)." in page["text"]
    assert "evil" not in page["text"]
    text = bench.ok("web_fetch", url=f"{url}/there", format="text")
    assert text["url"] == f"{url}/page"
    assert "Use 8080 & be happy." in text["text"]
    assert "<b>" in bench.ok("web_fetch", url=f"{url}/page", format="raw")["text"]
    assert bench.ok("web_fetch", url=f"{url}/latin")["text"] == "café"
    assert bench.ok("web_fetch", url=f"{url}/nope")["status"] == 404


def test_a_long_page_is_read_in_parts(bench: Bench, url: str) -> None:
    first = bench.ok("web_fetch", url=f"{url}/huge", format="raw")
    assert first["next_offset"] == 20_000
    assert "bytes were read" in first["note"]
    second = bench.ok("web_fetch", url=f"{url}/huge", format="raw", offset=20_000)
    assert second["text"][:4] != ""
    assert "offset" in bench.refused("web_fetch", url=f"{url}/page", offset=10**6).message


def test_a_page_nested_too_deep_is_read_as_text(bench: Bench, url: str) -> None:
    assert "deep text" in bench.ok("web_fetch", url=f"{url}/deep")["text"]


@pytest.mark.parametrize("page", ["binary", "lying", "loop"])
def test_what_is_no_page_is_refused(bench: Bench, url: str, page: str) -> None:
    message = bench.refused("web_fetch", url=f"{url}/{page}").message
    assert message.startswith("url:")


def test_a_server_that_drips_is_given_up(tmp_path: Path, url: str) -> None:
    slow = Bench(tmp_path, only=["web_fetch"], web=Web(allow_private=True, timeout=0.5))
    result = slow.result("web_fetch", url=f"{url}/drip")
    assert isinstance(result, Transient)
    assert result.code == "timeout"


PRIVATE = [
    "http://127.0.0.1/", "http://localhost/", "http://10.1.2.3/", "http://192.168.0.1/", "http://[::1]/",
    "http://169.254.169.254/latest/meta-data", "http://0.0.0.0/", "http://[::ffff:127.0.0.1]/",
    "http://2130706433/", "http://0x7f.1/", "http://[fe80::1]/", "http://100.64.0.1/",
]  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private_addresses_are_refused(tmp_path: Path, address: str) -> None:
    result = Bench(tmp_path, only=["web_fetch"]).result("web_fetch", url=address)
    assert not isinstance(result, Success)
    assert isinstance(result, Refused) or "no host" in str(result)


def lookup(monkeypatch: pytest.MonkeyPatch, answers: dict[str, list[str]]) -> list[str]:
    """Make names resolve to given addresses, one after the other; return what was looked up."""
    import socket

    looked: list[str] = []
    real = socket.getaddrinfo

    def fake(host: Any, port: Any, *args: Any, **kwargs: Any) -> Any:
        if host not in answers:
            return real(host, port, *args, **kwargs)
        looked.append(host)
        left = answers[host]
        address = left.pop(0) if len(left) > 1 else left[0]
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr("socket.getaddrinfo", fake)
    return looked


def test_a_name_of_a_private_address_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lookup(monkeypatch, {"evil.example": ["10.0.0.1"]})
    result = Bench(tmp_path, only=["web_fetch"]).result("web_fetch", url="http://evil.example/")
    assert isinstance(result, Refused)


def test_a_redirect_to_a_private_address_is_refused(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first host counts as public here, so that the redirect is what is judged."""
    port = urlsplit(url).port
    monkeypatch.setattr("zkit.std.web_client._is_public", lambda address: address == "127.0.0.1")
    lookup(monkeypatch, {"public.example": ["127.0.0.1"], "localhost": ["127.0.0.2"]})
    bench = Bench(tmp_path, only=["web_fetch"])
    result = bench.result("web_fetch", url=f"http://public.example:{port}/away")
    assert isinstance(result, Refused)
    assert "127.0.0.2" in result.reason


def test_a_name_is_looked_up_once_for_each_hop(
    tmp_path: Path, url: str, server: ThreadingHTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that answers with a private address the second time gains nothing."""
    port = urlsplit(url).port
    monkeypatch.setattr("zkit.std.web_client._is_public", lambda address: True)
    looked = lookup(monkeypatch, {"rebind.example": ["127.0.0.1", "10.0.0.1"]})
    bench = Bench(tmp_path, only=["web_fetch"])
    page = bench.ok("web_fetch", url=f"http://rebind.example:{port}/page")
    assert "# Ports" in page["text"]
    assert looked == ["rebind.example"]
    assert server.asked[0][2]["Host"] == f"rebind.example:{port}"  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "address",
    ["ftp://a.b/", "file:///etc/passwd", "example.com", "", "http://", "http://u:p@127.0.0.1/", "http://a:b:c/", "http://127.0.0.1:99999/", "x" * 5000],
)  # fmt: skip
def test_what_is_no_address_is_refused(bench: Bench, address: str) -> None:
    assert bench.refused("web_fetch", url=address).message.startswith("url:")


def test_only_the_hosts_that_are_allowed_are_fetched_from(tmp_path: Path, url: str) -> None:
    web = Web(allow_private=True, hosts=("example.com",))
    assert isinstance(Bench(tmp_path, web=web, only=["web"]).result("web_fetch", url=url), Refused)
    assert MAX_HOPS == 5
    assert not _is_public("::ffff:10.0.0.1")


# web_search


def test_searxng_is_asked(tmp_path: Path, url: str, server: ThreadingHTTPServer) -> None:
    bench = Bench(tmp_path, only=["web"], web=SearxngSearch(url))
    found = bench.ok("web_search", query="ports & more", limit=2)
    assert found["results"][0] == {"title": "T 0", "url": "https://e.com/0", "snippet": "a b"}
    assert len(found["results"]) == 2
    assert server.asked[0][1] == {"q": ["ports & more"], "format": ["json"]}  # type: ignore[attr-defined]
    assert bench.text("web_search", query="x", limit=1) == (
        "results: 1  query: x\n1. T 0\n   https://e.com/0\n   a b"
    )


def test_google_is_asked_and_its_key_is_never_shown(
    tmp_path: Path, url: str, server: ThreadingHTTPServer
) -> None:
    def bench(page: str) -> Bench:
        engine = GoogleSearch("s3cret", "cx1", f"{url}/{page}", allow_private=True)
        assert "s3cret" not in repr(engine)
        return Bench(tmp_path, only=["web"], web=engine)

    assert bench("google").ok("web_search", query="x")["results"][0]["url"] == "https://g.com/"
    assert server.asked[0][1]["key"] == ["s3cret"]  # type: ignore[attr-defined]
    for page, code in (
        ("limited", "rate_limited"),
        ("junk", "unavailable"),
        ("nope", "unavailable"),
    ):
        result = bench(page).result("web_search", query="x")
        assert isinstance(result, Transient)
        assert result.code == code
        assert "s3cret" not in render_result(result)


def test_without_an_engine_a_search_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = Bench(tmp_path, only=["web"]).result("web_search", query="x")
    assert isinstance(result, Refused)
    assert result.code == "disabled"

    class Own:
        def search(self, query: str, limit: int, /) -> list[SearchHit]:
            return [SearchHit(query, "https://own.example")]

    own = Bench(tmp_path, only=["web"], web=Own())
    assert own.ok("web_search", query="mine")["results"][0]["title"] == "mine"
    with pytest.raises(TypeError):
        Bench(tmp_path, web="google")


# pdf_read


def pdf(*texts: str) -> bytes:
    """A small PDF with a line of text on each page."""
    objects = ["<< /Type /Catalog /Pages 2 0 R >>"]
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(texts)))
    objects.append(f"<< /Type /Pages /Kids [{kids}] /Count {len(texts)} >>")
    objects.append("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
    for n, text in enumerate(texts):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET" if text else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * n} 0 R"
            " /Resources << /Font << /F1 3 0 R >> >> >>"
        )
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    rows = "".join(f"{place:010d} 00000 n \n" for place in places)
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{rows}"
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return out.encode("latin-1")


def test_pages_of_a_pdf_are_read(bench: Bench) -> None:
    bench.write("manual.pdf", pdf("First page", "Second page", ""))
    text = bench.text("pdf_read", path="manual.pdf", first=2)
    assert text == (
        "pages: 3  path: manual.pdf\n--- page 2\nSecond page\n--- page 3\n(no text: a picture, or empty)"
    )
    [one] = bench.ok("pdf_read", path="manual.pdf", first=1, last=1)["text"]
    assert one == {"page": 1, "text": "First page"}
    assert "3 pages" in bench.refused("pdf_read", path="manual.pdf", first=9).message
    assert "last" in bench.refused("pdf_read", path="manual.pdf", first=3, last=1).message


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"%PDF-1.4\n" + b"1 0 obj\n<<" * 5000, pdf("x")[:200]]
)
def test_what_is_no_pdf_is_refused(bench: Bench, data: bytes) -> None:
    bench.write("odd.pdf", data)
    assert "could not be read" in bench.refused("pdf_read", path="odd.pdf").message


def test_a_pdf_outside_of_the_root_is_refused(bench: Bench) -> None:
    assert "outside" in bench.refused("pdf_read", path="../x.pdf").message
    assert bench.refused("pdf_read", path="nope.pdf").code == "not_found"
