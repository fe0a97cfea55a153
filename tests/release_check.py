"""Build the wheel, install it in an empty environment, and use it as a new user would.

`make release-check` runs it. It is not part of the tests: it downloads the dependencies.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from test_examples import model

from zkit.testing import ScriptedServer

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
        _run([bare, "-m", "zkit", "docs", "lint", "--from", "std"], cwd=place)
        for example in sorted((ROOT / "examples").glob("*.py")):
            _run_example(bare, example, place)
    print("the wheel installs and works")


def _run_example(python: str, example: Path, place: Path) -> None:
    """Run an example against a server that answers like a small model."""
    if example.stem == "framework_transport":  # it needs a framework, which zkit does not bring
        return
    with ScriptedServer(then=model) as server:
        env = {**os.environ, "ZKIT_BASE_URL": server.url, "ZKIT_MODEL": "small"}
        print("+", example.name, flush=True)
        subprocess.run([python, str(example)], cwd=place, env=env, check=True)


def _environment(place: Path) -> str:
    venv.create(place, with_pip=True)
    return str(place / "bin" / "python")


def _run(command: list[str], cwd: Path | None = None) -> None:
    print("+", " ".join(command), flush=True)
    subprocess.run(command, cwd=cwd, check=True)


if __name__ == "__main__":
    main()
