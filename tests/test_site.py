"""The documentation site holds every page, and builds without a warning."""

from __future__ import annotations

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

import zkit
from zkit.cli.api_page import SECTIONS

ROOT = Path(__file__).parent.parent


def _pages(entry: Any) -> list[str]:
    """The pages of an entry of the navigation."""
    if isinstance(entry, str):
        return [entry]
    found = entry.values() if isinstance(entry, dict) else entry
    return [page for one in found for page in _pages(one)]


def test_every_page_is_in_the_navigation_once() -> None:
    config = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    written = [path.name for path in (ROOT / "docs").glob("*.md")]
    assert sorted(_pages(config["nav"])) == sorted([*written, "decisions/README.md"])


def test_the_api_page_has_every_public_name_once() -> None:
    assert sorted(name for names in SECTIONS.values() for name in names) == zkit.__all__


def test_the_list_of_decisions_names_every_one() -> None:
    folder = ROOT / "docs/decisions"
    listed = (folder / "README.md").read_text("utf-8")
    for path in folder.glob("0*.md"):
        [row] = [line for line in listed.splitlines() if f"]({path.name})" in line]
        superseded = "*Superseded by" in path.read_text("utf-8")
        assert superseded == ("| superseded by" in row)


@pytest.mark.slow
@pytest.mark.skipif(not find_spec("material"), reason="needs the dependency group `docs`")
def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-d", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "tutorial.html").exists()
