"""Confine commands with bubblewrap: the workspace is writable, the rest is not, no network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sandbox:
    """How commands are confined.

    `confine` is `"if_installed"` (bubblewrap where it is installed and works), `"required"`
    (without it no command runs) or `"never"`. `hidden` names further folders that commands cannot
    see, besides the usual ones with keys (`~/.ssh` and others).
    """

    confine: str = "if_installed"
    network: bool = False
    hidden: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.confine not in ("if_installed", "required", "never"):
            raise ValueError(
                f"confine cannot be {self.confine!r}; one of 'if_installed', 'required', 'never'"
            )

    @property
    def works(self) -> bool:
        """True if commands are confined here."""
        return self.confine != "never" and bubblewrap_works()

    def wrap(self, arguments: Sequence[str], root: Path) -> list[str]:
        """Return the command that runs another one confined to a root."""
        command = [
            "bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--ro-bind", "/", "/",
            "--dev", "/dev", "--proc", "/proc", "--tmpfs", "/tmp", "--tmpfs", "/run",
        ]  # fmt: skip
        command += ["--share-net", *_resolver()] if self.network else []
        home = Path.home()
        customary = [
            home / name for name in (".ssh", ".gnupg", ".aws", ".config", ".netrc", ".kube")
        ]
        for place in [*customary, *map(Path, self.hidden)]:
            if place.is_dir():
                command += ["--tmpfs", str(place)]
            elif place.exists():
                command += ["--ro-bind", os.devnull, str(place)]
        command += _interpreter()
        return [*command, "--bind", str(root), str(root), "--chdir", str(root), "--", *arguments]


def _interpreter() -> list[str]:
    """Return the folders of this interpreter and its packages, if they are in a hidden folder."""
    places = {sys.prefix, sys.base_prefix, str(Path(__file__).parents[2])}
    hidden = sorted(place for place in places if place.startswith(("/tmp/", "/run/")))
    return [part for place in hidden for part in ("--ro-bind", place, place)]


def _resolver() -> list[str]:
    """Return the target of `/etc/resolv.conf`, which is often a link into /run, which is hidden."""
    place = os.path.realpath("/etc/resolv.conf")
    return ["--ro-bind", place, place] if place.startswith("/run/") else []


@lru_cache(maxsize=1)
def bubblewrap_works() -> bool:
    """True if bubblewrap is installed and this system lets it make its namespaces."""
    if shutil.which("bwrap") is None:
        return False
    probe = ["bwrap", "--unshare-all", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    try:
        done = subprocess.run([*probe, "true"], capture_output=True, timeout=10)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


def sandbox_of(given: Sandbox | bool | str | None) -> Sandbox:
    """Read the setting `sandbox` of the standard tools.

    None confines where it can, True is required, False is never; or a `Sandbox`, or one of the
    words that its `confine` takes.
    """
    if isinstance(given, Sandbox):
        return given
    if isinstance(given, str):
        return Sandbox(given)
    if given is not None and not isinstance(given, bool):
        raise TypeError(f"sandbox must be a Sandbox, a bool, a text or None, not {given!r}")
    return Sandbox("if_installed" if given is None else "required" if given else "never")
