"""Exceptions for mistakes of the calling program.

    ZkitError ├── SchemaError              a schema that a dialect cannot express, or that is not a
    schema ├── ToolDefinitionError      a function or class that cannot be a tool ├──
    ToolNameTakenError       a second tool of the same name from another provider ├──
    UnknownToolError a name that no tool of a source has ├── ProviderError            a provider
    that is not there, or cannot provide ├── KitError                 a selection of tools that is
    empty or ambiguous │   └── KitFileError         the same in a file, with its line ├──
    OverlayError             a store of overlays that cannot be read or written ├── StoreError
    a file of requests or counts that cannot be read or written ├── ProfileError             a
    profile of a server that cannot be read ├── ResumeError              a paused run that cannot go
    on: it went on already, or was never paused ├── CatalogError             a catalog of tools that
    cannot be read, or holds no such version ├── McpError                 an MCP server that cannot
    be connected to ├── TranscriptError          a file that is not a transcript, or that cannot be
    written as one └── MissingExtraError        an optional dependency that is not installed

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


class UnknownToolError(ZkitError, KeyError):
    """No tool has this name."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else ""


class ProviderError(ZkitError, LookupError):
    """A provider of tools is not registered, not available, or does not know the tool."""


class KitError(ZkitError, ValueError):
    """A selection of tools that cannot be read, or in which one name means two tools."""


class KitFileError(KitError):
    """A kit, workflow or skill file that cannot be read; says where."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        super().__init__(f"{file}:{line}: {problem}" if line else f"{file}: {problem}")
        self.file = file
        self.line = line
        self.problem = problem


class OverlayError(ZkitError, RuntimeError):
    """A store of overlays that cannot be read or written; says why."""


class StoreError(ZkitError, RuntimeError):
    """The file of a request log or of failure counts cannot be read or written; says why."""


class ProfileError(ZkitError, ValueError):
    """A profile of a server that cannot be read, or has an unknown setting."""


class ResumeError(ZkitError, ValueError):
    """A paused run that cannot be resumed; says why."""


class CatalogError(ZkitError, ValueError):
    """A file that is not a catalog of tools, or a tool or version that it does not hold."""


class McpError(ZkitError, ConnectionError):
    """An MCP server that cannot be connected to, or a connection that does not exist."""


class TranscriptError(ZkitError, ValueError):
    """A file that is not a transcript, or one that cannot be written; says where."""


class MissingExtraError(ZkitError, ImportError):
    """A part of zkit needs a package that is not installed."""

    def __init__(self, extra: str, needed_for: str) -> None:
        super().__init__(f"{needed_for} needs an extra: pip install 'zkit-llm[{extra}]'")
        self.extra = extra
