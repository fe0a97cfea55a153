"""No two modules have the same name, and every name has one meaning."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parent.parent
MODULES = sorted((ROOT / "zkit").rglob("*.py"))
SHARED = {"api": {"zkit/extract/api.py", "zkit/repair/api.py"}}
"""Names that two modules have on purpose: the design names the entrance of both packages so."""
ONCE = ("Finding", "Verdict", "SchemaProblem", "CaseResult")
"""Records whose names were used for several things."""


def test_module_names_are_unique() -> None:
    found: dict[str, set[str]] = defaultdict(set)
    for path in MODULES:
        if path.stem not in ("__init__", "__main__"):
            found[path.stem].add(path.relative_to(ROOT).as_posix())
    twice = {name: paths for name, paths in found.items() if len(paths) > 1}
    assert twice == {name: paths for name, paths in SHARED.items() if len(paths & found[name]) > 1}


def test_a_noun_names_one_class() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    classes = re.compile(rf"^ *class ({'|'.join(ONCE)})\b", re.M)
    for path in MODULES:
        for name in classes.findall(path.read_text("utf-8")):
            found[name].append(path.stem)
    assert {name: len(places) for name, places in found.items()} == dict.fromkeys(ONCE, 1)
