"""How often the code says `Any`: the ceilings may only fall."""

from __future__ import annotations

from pathlib import Path

from any_count import any_and_lines
from grouped import grouped

import zkit

# `Any` for each 1,000 lines of code. What is not listed may have 15.
MOST = {
    "arguments": 22.1,
    "batch": 40,
    "cases": 61,
    "chat": 46,
    "ext": 208,
    "mcp": 16,
    "schema": 29.1,
    "testing": 58,
    "tools": 33.3,
    "transport": 117,
}


def test_no_package_says_any_more_often_than_it_did() -> None:
    root = Path(zkit.__file__).parent
    with grouped() as group:
        for folder in sorted(path for path in root.iterdir() if path.is_dir()):
            found, lines = any_and_lines(folder)
            with group.case(folder.name):
                assert 1000 * found <= MOST.get(folder.name, 15) * lines, (found, lines)
