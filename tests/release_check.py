"""Build the wheel, install it in an empty environment, and use it as a new user would.

`make release-check` runs it. It is not part of the tests: it downloads the dependencies.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
LIBRARY = "import zkit; print(zkit.loads(\"{'path': 'a.txt',}\"))"


def main() -> None:
    """Raise `CalledProcessError` for the first step that fails."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        _run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, str(ROOT)])
        (wheel,) = place.glob("zkit_llm-*.whl")
        bare = _environment(place / "bare")
        _run([bare, "-m", "pip", "install", "-q", str(wheel)])
        _run([bare, "-c", LIBRARY], cwd=place)
        _run([bare, "-m", "pip", "install", "-q", f"zkit-llm[all] @ {wheel.as_uri()}"])
        _run([bare, "-m", "zkit", "--version"], cwd=place)
        _run([bare, "-m", "zkit", "corpus", "run"], cwd=place)
        for example in sorted((ROOT / "examples").glob("*.py")):
            _run([bare, str(example)], cwd=place)
    print("the wheel installs and works")


def _environment(place: Path) -> str:
    venv.create(place, with_pip=True)
    return str(place / "bin" / "python")


def _run(command: list[str], cwd: Path | None = None) -> None:
    print("+", " ".join(command), flush=True)
    subprocess.run(command, cwd=cwd, check=True)


if __name__ == "__main__":
    main()
