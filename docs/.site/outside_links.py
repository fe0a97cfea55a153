"""Fit the links of the pages to the site: folders become their README, files outside docs/ their paths."""

from __future__ import annotations

import posixpath
import re
from typing import Any

LINK = re.compile(r"(!?)\[([^\]]*)\]\(((?:\.\./)+[^)#\s]*)(?:#[^)\s]*)?\)")
FOLDER = re.compile(r"(\]\((?!\.\.)[\w./-]+/)\)")  # a repository shows the README of a folder


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

    return LINK.sub(shown, FOLDER.sub(r"\1README.md)", markdown))
