"""The table of the generated pages: the path of each, and the function that writes it."""

from __future__ import annotations

from collections.abc import Callable

from zkit.cli.api_page import api_page
from zkit.cli.coercions_page import coercions_page
from zkit.cli.formats_page import formats_page
from zkit.cli.repairs_page import repairs_page
from zkit.cli.std_page import std_page, tool_pages

PAGES: dict[str, Callable[[], str]] = {
    "docs/repairs.md": repairs_page,
    "docs/coercions.md": coercions_page,
    "docs/formats.md": formats_page,
    "docs/api.md": api_page,
    "docs/std.md": std_page,
    **tool_pages(),
}
