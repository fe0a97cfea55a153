"""The page of the proxy in a real browser."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest
from browser import CHROMIUM, DRIVER, MISSING, Browser, browser
from proxy_samples import CUT, GOOD, IN_TEXT, REQUEST, proxy

from zkit.testing import ScriptedServer, call, error, says

pytestmark = pytest.mark.skipif(CHROMIUM is None or DRIVER is None, reason=MISSING)
HOSTILE = "<img src=x onerror=alert(1)><script>document.title='owned'</script>"


@pytest.fixture(scope="module")
def upstream() -> Iterator[ScriptedServer]:
    with ScriptedServer() as made:
        yield made


@pytest.fixture(scope="module")
def window() -> Iterator[Browser]:
    with browser() as made:
        yield made


def ask(address: str, **request: object) -> None:
    httpx2.post(f"{address}/v1/chat/completions", json={**REQUEST, **request}, timeout=20)


def text(window: Browser, selector: str) -> str:
    return str(window.run(f"document.querySelector({selector!r})?.textContent || ''"))


def test_the_page_shows_what_was_changed_and_why(upstream: ScriptedServer, window: Browser) -> None:
    with proxy(upstream.url) as address:
        window.open(f"{address}/zkit")
        window.wait("document.querySelector('#live.on')")
        assert "No requests yet" in text(window, "#nothing")

        upstream.play(says(None, [call("getWeather", "{'city': 'Oslo', 'days': \"3\",}", "a")]))
        ask(address, model="qwen")
        window.wait("document.querySelector('#list li .repaired')")  # without a reload
        window.run("document.querySelector('#list li').click()")
        window.wait("document.querySelector('#fixlist')")
        assert "{'city': 'Oslo', 'days': \"3\",}" in text(window, "#sent")
        assert '{"city": "Oslo", "days": 3}' in text(window, "#received")
        marks = window.run("[...document.querySelectorAll('#sent mark')].map(m => m.textContent)")
        assert marks == ["getWeather", "'city'", "'Oslo'", "'days'", '"3"', ","]
        titles = window.run("[...document.querySelectorAll('#sent mark')].map(m => m.title)")
        assert "use_double_quotes (RESPELL)" in titles[1]
        assert "drop_trailing_comma" in text(window, "#fixlist")

        upstream.play(CUT, GOOD, IN_TEXT, error(500, "out of luck"))
        ask(address)
        ask(address, stream=True)
        ask(address, model=HOSTILE)
        window.wait("document.querySelectorAll('#list li').length === 4")
        outcomes = "[...document.querySelectorAll('#list li')].map(l => l.dataset.outcome)"
        window.wait(f"!{outcomes}.includes('running')")
        assert window.run(outcomes) == ["failed", "repaired", "asked_again", "repaired"]

        for id, value, count in (("by-model", "qwen", 1), ("by-outcome", "failed", 1), ("by-tool", "get_weather", 3)):  # fmt: skip
            window.run(
                f"(() => {{ const s = document.getElementById('{id}'); s.value = '{value}';"
                " s.dispatchEvent(new Event('change')); })()"
            )
            assert window.run("document.querySelectorAll('#list li').length") == count
            window.run(
                f"(() => {{ const s = document.getElementById('{id}'); s.value = '';"
                " s.dispatchEvent(new Event('change')); })()"
            )
        assert "Requests by model" in text(window, "#models")
        assert "drop_trailing_comma" in text(window, "#fixes")

        window.key("k")
        window.key("k")
        window.key("k")
        window.wait("document.querySelector('#detail .error')?.textContent === 'out of luck'")
        window.key("j")
        window.key("j")
        window.wait("document.querySelector('.answered')")
        assert "truncated" in text(window, ".answered")

        window.run("document.getElementById('case').click()")
        window.wait("document.getElementById('casetext')")
        assert "[[case]]" in text(window, "#casetext")
        window.key("c")
        window.wait("/Copied/.test(document.body.textContent) || document.getElementById('copied')")
        assert window.run("document.title") == "zkit proxy"
        assert window.errors() == []
        window.open("about:blank")


def test_dark_and_narrow_layouts(upstream: ScriptedServer, window: Browser) -> None:
    with proxy(upstream.url) as address:
        upstream.play(says(None, [call("get_weather", "{'city': 'Oslo',}", "a")]))
        ask(address)
        window.open(f"{address}/zkit")
        window.wait("document.querySelector('#list li')")
        shade = "getComputedStyle(document.body).backgroundColor"
        light = window.run(shade)
        dark = [{"name": "prefers-color-scheme", "value": "dark"}]
        window.command("Emulation.setEmulatedMedia", features=dark)
        assert window.run(shade) != light
        size = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
        window.command("Emulation.setDeviceMetricsOverride", **size)
        assert window.run("document.documentElement.scrollWidth") <= 390
        window.run("document.querySelector('#list li').click()")
        window.wait("document.querySelector('#fixlist')")
        assert window.run("getComputedStyle(document.querySelector('aside')).display") == "none"
        assert window.run("document.documentElement.scrollWidth") <= 390
        window.run("document.getElementById('back').click()")
        window.wait("getComputedStyle(document.querySelector('aside')).display !== 'none'")
        window.command("Emulation.clearDeviceMetricsOverride")
        window.command("Emulation.setEmulatedMedia", features=[])
        assert window.errors() == []
        window.open("about:blank")
