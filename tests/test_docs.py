"""Generated pages say what the code does, and what the pages link to exists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from command_line import zkit as run_zkit

import zkit
from zkit import Rank
from zkit.arguments import COERCIONS
from zkit.cli.docs import PAGES, SECTIONS
from zkit.cli.pages import code, coercions_page, repairs_page
from zkit.repair.fixes import FIXES, REASONS

ROOT = Path(__file__).parent.parent
FOLDERS = (".", "corpus", "benchmarks")
WRITTEN = sorted(
    [*(ROOT / "docs").rglob("*.md"), *(page for f in FOLDERS for page in (ROOT / f).glob("*.md"))]
)
LINK = re.compile(r"\]\(([^)#:\s]*)(?:#([^):\s]*))?\)")
HEADING = re.compile(r"^#+ (.*)$", re.M)


@pytest.mark.parametrize("path", PAGES)
def test_a_generated_page_has_not_drifted(path: str) -> None:
    """`make docs` writes it again."""
    assert (ROOT / path).read_text("utf-8") == PAGES[path]()


def test_the_page_of_repairs_names_every_rank_fix_and_reason() -> None:
    page = repairs_page()
    assert [rank.name for rank in Rank if f"## {rank.name} " not in page] == []
    assert [name for name in FIXES if f"| `{name}` |" not in page] == []
    assert [reason for reason in REASONS if f"| `{reason}` |" not in page] == []


def test_the_page_of_coercions_names_every_one() -> None:
    page = coercions_page()
    assert [name for name in COERCIONS if f"| `{name}` |" not in page] == []


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a": 1}', '`{"a": 1}`'),
        ("a\n\tb", "`a␊␉b`"),
        ("a|b", r"`a\|b`"),
        ("`a`", "`` `a` ``"),
        ("```json", "```` ```json ````"),
        ("\ufeffa\u200b\u00a0b", "`⟨U+FEFF⟩a⟨U+200B⟩⟨U+00A0⟩b`"),
    ],
)
def test_a_table_shows_code_as_it_is(text: str, shown: str) -> None:
    assert code(text) == shown


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: str(page.relative_to(ROOT)))
def test_what_a_page_links_to_exists(page: Path) -> None:
    for path, heading in LINK.findall(page.read_text("utf-8")):
        there = page.parent / path if path else page
        assert there.exists()
        assert not heading or heading in _anchors(there)


def _anchors(page: Path) -> list[str]:
    """The headings of a page as links name them."""
    found = HEADING.findall(page.read_text("utf-8"))
    return [re.sub(r"[^\w\- ]", "", one).strip().lower().replace(" ", "-") for one in found]


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


def test_docs_writes_a_page_and_check_tells_when_it_drifts(tmp_path: Path) -> None:
    def docs(*options: str) -> int:
        return run_zkit("docs", "docs/repairs.md", *options, cwd=tmp_path).code

    assert docs() == 2
    (tmp_path / "docs").mkdir()
    assert docs("--check") == 1
    assert docs() == 0
    assert docs("--check") == 0
    page = tmp_path / "docs/repairs.md"
    page.write_text(page.read_text("utf-8") + "more", "utf-8")
    assert docs("--check") == 1
