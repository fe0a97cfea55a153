"""How often the code says `Any`: at most 15 times in 1,000 lines of each package."""

from __future__ import annotations

from pathlib import Path

from any_count import any_and_lines
from grouped import grouped

import zkit

MOST = 15


def test_no_package_says_any_too_often() -> None:
    root = Path(zkit.__file__).parent
    with grouped() as group:
        for folder in sorted(path for path in root.iterdir() if path.is_dir()):
            found, lines = any_and_lines(folder)
            with group.case(folder.name):
                assert 1000 * found <= MOST * lines, (found, lines)
