"""What callers of zkit can get wrong, as exceptions.

    ZkitError
    ├── SchemaError              a schema that a dialect cannot express, or that is no schema
    ├── ToolDefinitionError      a function or class that cannot be a tool
    ├── ToolNameTakenError       a second tool of the same name from another provider
    └── MissingExtraError        an optional dependency that is not installed

A model's mistakes are values (see `zkit.results`), never one of these.
"""

from __future__ import annotations


class ZkitError(Exception):
    """The base of every exception that zkit raises for a caller's mistake."""


class SchemaError(ZkitError, ValueError):
    """A schema that cannot be used, or not in the dialect that was asked for."""


class ToolDefinitionError(ZkitError, TypeError):
    """Something that cannot be made into a tool."""


class ToolNameTakenError(ZkitError, ValueError):
    """A tool's name is already taken by another provider."""


class MissingExtraError(ZkitError, ImportError):
    """A part of zkit needs a package that is not installed."""

    def __init__(self, extra: str, needed_for: str) -> None:
        super().__init__(f"{needed_for} needs an extra: pip install 'zkit[{extra}]'")
        self.extra = extra
