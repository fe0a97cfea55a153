"""What a tool did to the world, as records told apart by `kind`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

FileOp = Literal["read", "create", "modify", "append", "delete", "rename"]


class FileEffect(BaseModel):
    """A file was read or changed. `from_path` is the old name of a renamed file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["file"] = "file"
    path: str
    op: FileOp
    from_path: str | None = None
    bytes_after: int | None = None


class ProcessEffect(BaseModel):
    """A command was run, or left running in the background."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Literal["process"] = "process"
    command: str
    pid: int | None = None
    exit_code: int | None = None
    background: bool = False
    timed_out: bool = False


Effect = Annotated[FileEffect | ProcessEffect, Field(discriminator="kind")]
EFFECTS: TypeAdapter[tuple[FileEffect | ProcessEffect, ...]] = TypeAdapter(tuple[Effect, ...])
