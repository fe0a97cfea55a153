"""docs/cli.md shows every command, and what it shows is what the commands print."""

from __future__ import annotations

import re
from itertools import zip_longest

import pytest
from cli_page import PAGE, played

from zkit.cli.commands import COMMANDS

TEXT = PAGE.read_text("utf-8")


@pytest.mark.slow
def test_the_page_shows_what_the_commands_print() -> None:
    """`python tests/cli_page.py` writes it again."""
    now = played(TEXT)
    differing = [
        (one, other)
        for one, other in zip_longest(TEXT.splitlines(), now.splitlines())
        if one != other
    ]
    assert differing == []


def test_every_command_is_on_the_page() -> None:
    shown = "\n".join(line for line in TEXT.splitlines() if line.startswith("$ "))
    assert [name for name in COMMANDS if not re.search(rf"zkit {name}\b(?!-)", shown)] == []
