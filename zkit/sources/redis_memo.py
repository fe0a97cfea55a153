"""A shared memory in Redis, for processes on many machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkit.errors import MissingExtraError
from zkit.required import require_seconds
from zkit.sources.shared_memo import Looked, StoreDownError

if TYPE_CHECKING:
    from redis import Redis

# A change is under way while its token is in the sorted set of its workspace and has not expired.
_PUT = """
local changing = redis.call('ZCOUNT', KEYS[2], ARGV[1], '+inf')
local version = redis.call('GET', KEYS[1]) or '0'
if changing > 0 or version ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[3], ARGV[3], 'PX', ARGV[4])
return 1
"""
_RELEASE = (
    "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0"
)


class RedisMemo:
    """A shared memory on a Redis server: `MemoSource(box, store=RedisMemo("redis://localhost"))`.

    `ttl` is how long an entry is served, `lease` how long a process that died may hold a call or a
    change, `timeout` how long the server may take to answer, all in seconds. `prefix` begins the name
    of every key. Entries belong to one start of the server: what it kept on disk over a restart is
    not served, because changes may have been missed meanwhile.
    """

    def __init__(
        self,
        url: str = "redis://localhost:6379/0",
        *,
        ttl: float = 300.0,
        lease: float = 60.0,
        timeout: float = 1.0,
        prefix: str = "zkit:memo",
    ) -> None:
        for name, value in (("ttl", ttl), ("lease", lease), ("timeout", timeout)):
            require_seconds(name, value, above_zero=True)
        try:
            from redis import Redis
            from redis.backoff import NoBackoff
            from redis.retry import Retry
        except ImportError as error:
            raise MissingExtraError("redis", "RedisMemo") from error
        self._ttl, self._lease, self._prefix = ttl, lease, prefix
        self._redis: Redis = Redis.from_url(
            url,
            decode_responses=True,
            socket_timeout=timeout,
            socket_connect_timeout=timeout,
            retry=Retry(NoBackoff(), 1),
        )

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    @contextmanager
    def _errors(self) -> Iterator[None]:
        from redis.exceptions import RedisError

        try:
            yield
        except (RedisError, OSError, UnicodeError) as error:
            raise StoreDownError(f"{type(error).__name__}: {error}") from error

    def _version(self, workspace: str) -> str:
        return f"{self._prefix}:version:{workspace}"

    def _changes(self, workspace: str) -> str:
        return f"{self._prefix}:changes:{workspace}"

    def _entry(self, key: str, start: str) -> str:
        return f"{self._prefix}:entry:{start}:{key}"

    def _lead(self, key: str) -> str:
        return f"{self._prefix}:lead:{key}"

    def look(self, workspace: str, key: str) -> Looked:
        """Return what is known of a key."""
        with self._errors():
            ask = self._redis.pipeline(transaction=True)
            ask.info("server")
            ask.get(self._version(workspace))
            ask.zcount(self._changes(workspace), time.time(), "+inf")
            server, version, changing = ask.execute()
            start = str(server["run_id"])
            known = str(version or "0")
            entry = self._redis.get(self._entry(f"{key}:{known}", start))
            return Looked(f"{start}:{known}", not changing, str(entry) if entry else None)

    def begin_change(self, workspace: str, token: str) -> None:
        """Raise the version; from now on a change is under way."""
        with self._errors():
            tell = self._redis.pipeline(transaction=True)
            tell.incr(self._version(workspace))
            tell.zadd(self._changes(workspace), {token: time.time() + self._lease})
            tell.execute()

    def end_change(self, workspace: str, token: str) -> None:
        """Raise the version again; that change is over."""
        with self._errors():
            tell = self._redis.pipeline(transaction=True)
            tell.incr(self._version(workspace))
            tell.zrem(self._changes(workspace), token)
            tell.zremrangebyscore(self._changes(workspace), "-inf", time.time())
            tell.execute()

    def clear(self, workspace: str) -> None:
        """Raise the version: everything of the workspace is forgotten."""
        with self._errors():
            self._redis.incr(self._version(workspace))

    def lead(self, key: str, token: str) -> bool:
        """True if the caller may run the call."""
        with self._errors():
            return bool(
                self._redis.set(self._lead(key), token, nx=True, px=int(self._lease * 1000))
            )

    def release(self, key: str, token: str) -> None:
        """Let others run the call."""
        with self._errors():
            self._redis.eval(_RELEASE, 1, self._lead(key), token)

    def put(self, workspace: str, key: str, version: str, entry: str) -> None:
        """Keep an entry for its time to live, unless the version has changed or a change runs."""
        start, _, known = version.partition(":")
        with self._errors():
            names = (
                self._version(workspace),
                self._changes(workspace),
                self._entry(f"{key}:{known}", start),
            )
            self._redis.eval(_PUT, 3, *names, time.time(), known, entry, int(self._ttl * 1000))
