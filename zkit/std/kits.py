"""The workflow kits that come with the package, by name; a folder of the user comes first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zkit.errors import KitError
from zkit.sources import Kit, KitFolder, Toolbox, ToolSource
from zkit.sources.kit_files import KitFile
from zkit.std.std_tool import DOCS_ROOT, KITS, std_skills
from zkit.std.toolset import StdProvider


class StdKits(KitFolder):
    """The kits of a folder, and those of the package with other names."""

    def __init__(self, path: str | Path | None = None) -> None:
        super().__init__(KITS if path is None else path)
        self._packaged = KitFolder(KITS)

    def is_standard(self, name: str) -> bool:
        """True if a name means a kit of the package."""
        return name in self._packaged.names() and name not in super().names()

    def names(self) -> list[str]:
        """Name the kits of both, sorted."""
        return sorted({*super().names(), *self._packaged.names()})

    def read(self, name: str) -> KitFile:
        """Read a kit by its name: of the user's folder, or of the package."""
        self.check_name(name)
        if name in super().names():
            return super().read(name)
        if name in self._packaged.names():
            return self._packaged.read(name)
        raise KitError(
            f"there is no kit {name!r} in {self.path} or among the standard ones;"
            f" there are: {', '.join(self.names())}"
        )


def std_kit(
    name: str,
    source: ToolSource | None = None,
    *,
    root: str | Path = ".",
    kits: str | Path | None = None,
    skills: str | Path | None = None,
    **options: Any,
) -> Kit:
    """Return a kit by its name, with the standard tools of a root if no source is given.

    `kits` and `skills` are folders of yours, whose files come before those of the package.
    """
    box = Toolbox(providers=[StdProvider(root)]) if source is None else source
    options.setdefault("docs_root", DOCS_ROOT)
    return Kit(box, name, kits=StdKits(kits), skills=std_skills(skills), **options)
