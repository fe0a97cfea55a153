"""Show links to files outside docs/ as the paths of those files, which the site does not contain."""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?:\.\./)+[^)#\s]*)(?:#[^)\s]*)?\)")


def on_page_markdown(markdown: str, *, page: Any, config: Any, **_: Any) -> str:
    """Rewrite the links of one page; with `repo_url` they lead to the repository."""
    folder = posixpath.dirname(page.file.src_uri)

    def shown(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join("docs", folder, link[3]))
        if path.startswith("docs/"):
            return link[0]
        if config.repo_url:
            return f"{link[1]}[{link[2]}]({config.repo_url.rstrip('/')}/blob/main/{path})"
        return f"{link[2]} (`{path}`)"

    return LINK.sub(shown, markdown)
