"""Every tuning constant of this package, with the reason for its value.

A schema may come from an untrusted server. Beyond these limits it is refused when a tool
is defined, so that no call can hang or crash the process.
"""

from __future__ import annotations

MAX_DEPTH = 64
"""How deep schemas may be nested. Real ones stay below 20; jsonschema recurses about four frames a
level, and 64 levels fit Python's stack with room to spare."""
MAX_CHARACTERS = 2_000_000
"""How long a schema may be as JSON. The largest MCP server seen has 400,000 for all of its tools; one
of 10 MB, an enum of 900,000 names, took ten seconds to refuse a call."""
MAX_PLACES = 10_000
"""How many schemas one may contain. The largest MCP server seen has 3,000. jsonschema takes half a
millisecond for each of them to check the schema itself."""
MAX_EXPANDED = 100_000
"""How many schemas one may stand for once every `$ref` is written out. A chain of twenty definitions
that each refer twice to the next stands for a million; ordinary schemas stay below 5,000."""
MAX_ALL_OF = 200
"""How many branches of `allOf`, nested ones included, are merged for a dialect that lacks it."""
MAX_KEPT = 1024
"""How many targets are kept. One costs about 30 KB; a program rarely has more than 200 tools."""
LONG_ENUM, LONG_ENUM_CHARACTERS = 250, 15_000
"""OpenAI refuses an enum of more than 250 values that has more than 15,000 characters in all."""
MAX_EXACT_FLOAT = 2**53
"""Integers from here on are not exact as floats, so a bound above it is not compiled."""
PATTERN_SECONDS = 0.05
"""How long a pattern with look-around or back references may run on one text. Ordinary patterns take
microseconds; they run in linear time in Rust and need no limit."""
LONGEST_PATTERN = 2_000
"""A longer pattern is dropped: compiling it may take longer than the call that it checks."""
