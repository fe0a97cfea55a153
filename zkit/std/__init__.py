"""The standard tools, workflow kits and skills; start with `std_tools(root)`."""

from zkit.std.bubblewrap import Sandbox
from zkit.std.kits import StdKits, std_kit
from zkit.std.std_tool import DOCS_ROOT, std_skills
from zkit.std.toolset import ALIASES, FAMILIES, BuiltinProvider, StdProvider, std_tools
from zkit.std.web_client import SearchBackend, SearchHit, Web
from zkit.std.web_tools import GoogleSearch, SearxngSearch

__all__ = [
    "ALIASES",
    "DOCS_ROOT",
    "FAMILIES",
    "BuiltinProvider",
    "GoogleSearch",
    "Sandbox",
    "SearchBackend",
    "SearchHit",
    "SearxngSearch",
    "StdKits",
    "StdProvider",
    "Web",
    "std_kit",
    "std_skills",
    "std_tools",
]
