"""What a tool did to the world, as records that differ in `kind`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

FileOp = Literal["read", "create", "modify", "append", "delete", "rename"]


class FileEffect(BaseModel):
    """A file was read or changed. `from_path` is the old name of a renamed file."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Literal["file"] = "file"
    path: str
    op: FileOp
    from_path: str | None = None
    bytes_after: int | None = None


class ProcessEffect(BaseModel):
    """A command was run, or left running in the background."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Literal["process"] = "process"
    command: str
    pid: int | None = None
    exit_code: int | None = None
    background: bool = False
    timed_out: bool = False


Effect = Annotated[FileEffect | ProcessEffect, Field(discriminator="kind")]
_LATE = ConfigDict(defer_build=True)  # most programs read no effects
EFFECTS: TypeAdapter[tuple[FileEffect | ProcessEffect, ...]] = TypeAdapter(
    tuple[Effect, ...], config=_LATE
)
ONE_EFFECT: TypeAdapter[FileEffect | ProcessEffect] = TypeAdapter(Effect, config=_LATE)


def read_effects(given: object) -> tuple[tuple[FileEffect | ProcessEffect, ...], tuple[str, ...]]:
    """Return the valid effects that a tool gave, and a short text for each invalid one.

    An effect may be given as a mapping. Nothing is raised: the tool has run, and its result must
    not be lost.
    """
    if isinstance(given, FileEffect | ProcessEffect | Mapping):
        given = (given,)
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        return (), (f"{given!r:.80}",)
    valid: list[FileEffect | ProcessEffect] = []
    wrong: list[str] = []
    for one in given:
        if isinstance(one, FileEffect | ProcessEffect):
            valid.append(one)
            continue
        try:
            valid.append(ONE_EFFECT.validate_python(one))
        except ValidationError:
            wrong.append(f"{one!r:.80}")
    return tuple(valid), tuple(wrong)
