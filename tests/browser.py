"""A real browser for tests: chromium, driven over the WebDriver protocol of chromedriver."""

from __future__ import annotations

import base64
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
from proxy_samples import wait_for

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")
DRIVER = shutil.which("chromedriver")
MISSING = "there is no browser: apt-get install chromium chromium-driver"
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
)  # fmt: skip


class Browser:
    """One window; `run` evaluates JavaScript in its page."""

    def __init__(self, session: str) -> None:
        self._session = session

    def _post(self, path: str, **data: Any) -> Any:
        reply = httpx2.post(f"{self._session}/{path}", json=data, timeout=60)
        assert reply.status_code == 200, reply.text
        return reply.json()["value"]

    def open(self, url: str) -> None:
        """Load a page."""
        self._post("url", url=url)

    def run(self, script: str) -> Any:
        """What an expression of JavaScript gives."""
        return self._post("execute/sync", script=f"return {script}", args=[])

    def wait(self, script: str) -> Any:
        """Wait until an expression is true."""
        return wait_for(lambda: self.run(script), 20)

    def key(self, key: str) -> None:
        """Press a key."""
        pressed = [{"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]
        self._post("actions", actions=[{"type": "key", "id": "keys", "actions": pressed}])

    def command(self, name: str, **params: Any) -> Any:
        """A command of the browser's own protocol."""
        return self._post("goog/cdp/execute", cmd=name, params=params)

    def screenshot(self, path: Path) -> None:
        """Write what the window shows."""
        found = httpx2.get(f"{self._session}/screenshot", timeout=60).json()["value"]
        path.write_bytes(base64.b64decode(found))

    def errors(self) -> list[str]:
        """The errors of scripts so far."""
        logs = self._post("se/log", type="browser")
        return [one["message"] for one in logs if one["level"] == "SEVERE"]


@contextmanager
def browser(width: int = 1280, height: int = 800) -> Iterator[Browser]:
    """A fresh browser with a profile of its own."""
    assert DRIVER is not None
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([DRIVER, "--port=0"], stdout=subprocess.PIPE, text=True) as process,
    ):
        try:
            yield from _window(process, folder, width, height)
        finally:
            process.terminate()


def _window(process: Any, folder: str, width: int, height: int) -> Iterator[Browser]:
    line = next(one for one in process.stdout if "successfully on port" in one)
    port = "".join(c for c in line.rpartition("port")[2] if c.isdigit())
    arguments = [*OPTIONS, f"--user-data-dir={folder}/profile", f"--window-size={width},{height}"]
    chrome = {"binary": CHROMIUM, "args": arguments}
    wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
    address = f"http://127.0.0.1:{port}/session"
    body = {"capabilities": {"alwaysMatch": wanted}}
    made = httpx2.post(address, json=body, timeout=60).json()["value"]
    assert "sessionId" in made, made
    session = f"{address}/{made['sessionId']}"
    try:
        yield Browser(session)
    finally:
        httpx2.delete(session, timeout=30)
