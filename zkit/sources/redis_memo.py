"""A shared memory and shared limits in Redis, for processes on many machines."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from zkit.errors import MissingExtraError
from zkit.required import require_seconds, require_text
from zkit.sources.shared_counts import Count, Exceeded
from zkit.sources.shared_memo import Looked, StoreDownError

if TYPE_CHECKING:
    from redis import Redis

# A change is under way while its token is in the sorted set of its workspace and has not expired.
_LOOK = """
local start = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
local version = redis.call('GET', KEYS[1]) or '0'
local changing = redis.call('ZCOUNT', KEYS[2], ARGV[1], '+inf')
return {start, version, changing, redis.call('GET', ARGV[2] .. ':' .. start .. ':' .. ARGV[3] .. ':' .. version)}
"""
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

_TAKE = """
local now = redis.call('TIME')
local ms = now[1] * 1000 + math.floor(now[2] / 1000)
local names = {}
for i, key in ipairs(KEYS) do
  local amount, limit, window = ARGV[3 * i], ARGV[3 * i + 1], tonumber(ARGV[3 * i + 2])
  names[i] = window > 0 and key .. ':' .. string.format('%.0f', math.floor(ms / window)) or key
  local spent = tonumber(redis.call('GET', names[i]) or '0')
  if ARGV[1] == 'take' and spent + tonumber(amount) > tonumber(limit) then
    return {i, window > 0 and math.ceil(window - ms % window) or -1}
  end
end
for i, name in ipairs(names) do
  local window = tonumber(ARGV[3 * i + 2])
  redis.call('INCRBY', name, ARGV[3 * i])
  redis.call('PEXPIRE', name, window > 0 and 2 * window or ARGV[2])
end
return {0, 0}
"""


def _connected(url: str, timeout: float, prefix: str, what: str) -> Redis:
    """Return a client that tries each command twice and gives up after `timeout` seconds."""
    require_text("url", url)
    require_text("prefix", prefix)
    if not prefix:
        raise ValueError("prefix must not be empty: the keys of others begin with it too")
    try:
        from redis import Redis
        from redis.backoff import NoBackoff
        from redis.retry import Retry
    except ImportError as error:
        raise MissingExtraError("redis", what) from error
    return Redis.from_url(
        url,
        decode_responses=True,
        socket_timeout=timeout,
        socket_connect_timeout=timeout,
        retry=Retry(NoBackoff(), 1),
    )


@contextmanager
def _errors() -> Iterator[None]:
    """Turn any error of the server or of the connection into `StoreDownError`."""
    from redis.exceptions import RedisError

    try:
        yield
    except (RedisError, OSError, UnicodeError) as error:
        raise StoreDownError(f"{type(error).__name__}: {error}") from error


class RedisCounts:
    """Counters on a Redis server: `Limits(calls=50, store=RedisCounts("redis://localhost"))`.

    The budget of a task is shared by its name, and forgotten `ttl` seconds after its last call. The
    server's clock decides when a minute begins. `timeout` and `prefix` are those of `RedisMemo`; on a
    cluster, put braces into the prefix (`{zkit}:limit`), because one call takes from several counters.
    """

    def __init__(
        self,
        url: str = "redis://localhost:6379/0",
        *,
        ttl: float = 86_400.0,
        timeout: float = 1.0,
        prefix: str = "zkit:limit",
    ) -> None:
        require_seconds("ttl", ttl, above_zero=True)
        require_seconds("timeout", timeout, above_zero=True)
        self._ttl, self._prefix = ttl, prefix
        self._redis = _connected(url, timeout, prefix, "RedisCounts")
        self._run_take = self._redis.register_script(_TAKE)

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def take(self, counts: tuple[Count, ...]) -> Exceeded | None:
        """Add every amount to its counter, or none of them if one would exceed its limit."""
        index, wait = self._run("take", counts)
        if not index:
            return None
        return Exceeded(index - 1, None if wait < 0 else wait / 1000)

    def add(self, counts: tuple[Count, ...]) -> None:
        """Add amounts, which may be negative, without checking the limits."""
        self._run("add", counts)

    def _run(self, what: str, counts: tuple[Count, ...]) -> tuple[int, int]:
        keys = [f"{self._prefix}:{one.counter}" for one in counts]
        given: list[int] = []
        for one in counts:
            given += [one.amount, one.limit, int(1000 * (one.seconds or 0))]
        with _errors():
            found = self._run_take(keys, [what, int(self._ttl * 1000), *given])
        return int(found[0]), int(found[1])


class RedisMemo:
    """A shared memory on a Redis server: `MemoSource(box, store=RedisMemo("redis://localhost"))`.

    `ttl` is how long an entry is served, `lease` how long a process that died may hold a call or a
    change, `timeout` how long the server may take to answer, all in seconds. `prefix` begins the
    name of every key. Entries are valid for one run of the server: what it kept on disk over a
    restart is not served, because changes may have been missed meanwhile.
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
        self._ttl, self._lease, self._prefix = ttl, lease, prefix
        self._redis = _connected(url, timeout, prefix, "RedisMemo")
        # The server keeps a script by its hash, so that only the hash is sent.
        self._run_look, self._run_put, self._run_release = map(
            self._redis.register_script, (_LOOK, _PUT, _RELEASE)
        )

    def close(self) -> None:
        """Close the connections."""
        self._redis.close()

    def _version(self, workspace: str) -> str:
        return f"{self._prefix}:version:{workspace}"

    def _changes(self, workspace: str) -> str:
        return f"{self._prefix}:changes:{workspace}"

    def _entry(self, key: str, start: str) -> str:
        return f"{self._prefix}:entry:{start}:{key}"

    def _lead(self, key: str) -> str:
        return f"{self._prefix}:lead:{key}"

    def look(self, workspace: str, key: str) -> Looked:
        """Return what is stored for a key."""
        names = (self._version(workspace), self._changes(workspace))
        with _errors():
            found = self._run_look(names, [time.time(), f"{self._prefix}:entry", key])
            start, known, changing = map(str, found[:3])
            entry = found[3] if len(found) > 3 else None
            return Looked(f"{start}:{known}", changing == "0", str(entry) if entry else None)

    def begin_change(self, workspace: str, token: str) -> None:
        """Raise the version; from now on a change is under way."""
        with _errors():
            tell = self._redis.pipeline(transaction=True)
            tell.incr(self._version(workspace))
            tell.zadd(self._changes(workspace), {token: time.time() + self._lease})
            tell.execute()

    def end_change(self, workspace: str, token: str) -> None:
        """Raise the version again; that change is over."""
        with _errors():
            tell = self._redis.pipeline(transaction=True)
            tell.incr(self._version(workspace))
            tell.zrem(self._changes(workspace), token)
            tell.zremrangebyscore(self._changes(workspace), "-inf", time.time())
            tell.execute()

    def clear(self, workspace: str) -> None:
        """Raise the version: everything of the workspace is forgotten."""
        with _errors():
            self._redis.incr(self._version(workspace))

    def lead(self, key: str, token: str) -> bool:
        """True if the caller may run the call."""
        with _errors():
            return bool(
                self._redis.set(self._lead(key), token, nx=True, px=int(self._lease * 1000))
            )

    def release(self, key: str, token: str) -> None:
        """Let others run the call."""
        with _errors():
            self._run_release([self._lead(key)], [token])

    def put(self, workspace: str, key: str, version: str, entry: str) -> None:
        """Keep an entry for its time to live, unless the version has changed or a change runs."""
        start, _, known = version.partition(":")
        with _errors():
            names = (
                self._version(workspace),
                self._changes(workspace),
                self._entry(f"{key}:{known}", start),
            )
            self._run_put(names, [time.time(), known, entry, int(self._ttl * 1000)])
