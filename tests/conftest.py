"""How hypothesis runs, and what every test of chat needs: a server, clients of it, an event loop.

Hypothesis tries the same examples every time: few with the profile `quick` (`make test`), more with
`steady` (`make check`, and the default). `--hypothesis-profile=explore` tries many new ones; what it
finds becomes an `@example`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings
from openai import AsyncOpenAI, OpenAI
from profiles import QUICK

from zkit.testing import ScriptedServer

# Damaged tool arguments are long texts, and the laws over them are no stop-watches.
SLOW = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much)

settings.register_profile(
    "quick",
    derandomize=True,
    deadline=None,
    max_examples=QUICK,
    database=None,
    suppress_health_check=SLOW,
)
settings.register_profile(
    "steady",
    derandomize=True,
    deadline=None,
    max_examples=150,
    database=None,
    suppress_health_check=SLOW,
)
settings.register_profile(
    "explore",
    derandomize=False,
    deadline=None,
    max_examples=5000,
    suppress_health_check=SLOW,
)
settings.load_profile("steady")


@pytest.fixture(scope="module")
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer() as running:
        yield running


@pytest.fixture(scope="module")
def client(server: ScriptedServer) -> Iterator[OpenAI]:
    with OpenAI(base_url=server.url, api_key="none", max_retries=0) as made:
        yield made


@pytest.fixture(scope="module")
def runner() -> Iterator[asyncio.Runner]:
    """One event loop for all runs, so that they share one client."""
    with asyncio.Runner() as made:
        yield made


@pytest.fixture(scope="module")
def async_client(server: ScriptedServer, runner: asyncio.Runner) -> Iterator[AsyncOpenAI]:
    made = AsyncOpenAI(base_url=server.url, api_key="none", max_retries=0)
    yield made
    runner.run(made.close())
