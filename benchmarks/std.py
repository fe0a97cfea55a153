"""Time grep and glob of the standard tools over 20,000 files, next to ripgrep and to git.

Run as `python -m benchmarks.std`; writes benchmarks/results/std.md.
"""

from __future__ import annotations

import os
import random
import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from zkit.std.confined_tree import ConfinedTree
from zkit.std.folder_walk import entries, find
from zkit.std.text_search import Query, search

FILES = 20_000
REPEATS = 5
RESULTS = Path(__file__).parent / "results" / "std.md"
WORDS = ("alpha", "beta", "gamma", "delta", "import", "return", "value", "name", "self", "None")


def make_tree(root: Path) -> None:
    """Write 20,000 small files in 400 folders, a quarter of them ignored."""
    chance = random.Random(1)
    (root / ".gitignore").write_text("build/\n*.log\n!keep.log\n/dist\n", "utf-8")
    for number in range(FILES):
        top = "build" if number % 4 == 0 else f"pkg{number % 20}"
        folder = root / top / f"sub{number % 401 % 20}"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [" ".join(chance.choices(WORDS, k=8)) for _ in range(30)]
        if number % 100 == 1:
            lines[7] += "  # TODO: needle"
        (folder / f"file{number}.{'py' if number % 3 else 'txt'}").write_text(
            "\n".join(lines), "utf-8"
        )


def spent() -> float:
    """The seconds of CPU of this process and of those that it waited for."""
    return sum(os.times()[:4])


def best(work: Callable[[], int]) -> tuple[float, float, int]:
    """The best and the median of some runs in milliseconds of CPU, and what was counted."""
    times, count = [], 0
    for _ in range(REPEATS):
        began = spent()
        count = work()
        times.append((spent() - began) * 1000)
    return min(times), statistics.median(times), count


def lines_of(root: Path, *command: str) -> int:
    """Run a command, and count the lines that it prints."""
    done = subprocess.run(command, cwd=root, capture_output=True)
    return done.stdout.count(b"\n")


def cases(root: Path) -> dict[str, Callable[[], int]]:
    """What is timed, by name."""
    tree = ConfinedTree(root)
    rg = shutil.which("rg") or "rg"
    plain = [rg, "--no-config", "--hidden", "--no-require-git", "--glob=!.git", "--sort=path"]

    def grep(engine: str, pattern: str, limit: int) -> Callable[[], int]:
        query = Query(pattern, limit=limit)
        return lambda: search(tree, query, lambda: None, engine=engine).matches

    found: dict[str, Callable[[], int]] = {
        "grep TODO, rare: zkit with ripgrep": grep("auto", "TODO", 1000),
        "grep TODO, rare: zkit without": grep("regex", "TODO", 1000),
        "grep TODO, rare: ripgrep itself": lambda: lines_of(root, *plain, "TODO", "."),
        "grep alpha, first 100: zkit with ripgrep": grep("auto", "alpha", 100),
        "grep alpha, first 100: zkit without": grep("regex", "alpha", 100),
        "glob **/*.py: zkit": lambda: sum(1 for _ in entries(find(tree, "**/*.py"))),
        "glob **/*.py: pathlib, ignored files too": lambda: sum(1 for _ in root.glob("**/*.py")),
        "glob **/*.py: rg --files": lambda: lines_of(
            root, rg, "--files", "--no-config", "--hidden", "--no-require-git", "--sort=path"
        ),
    }
    return (
        found
        if shutil.which("rg")
        else {k: v for k, v in found.items() if "ripgrep" not in k and "rg" not in k}
    )


def main() -> None:
    """Measure, print, and write the page."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        make_tree(root)
        rows = []
        for name, work in cases(root).items():
            least, median, count = best(work)
            rows.append(f"| {name} | {least:.0f} | {median:.0f} | {count:,} |")
            print(rows[-1], flush=True)
    head = f"# grep and glob over {FILES:,} files\n\n`python -m benchmarks.std`, {REPEATS} runs each, CPU time with that of ripgrep.\n\n"
    table = "| what | best ms | median ms | found |\n|---|---|---|---|\n" + "\n".join(rows) + "\n"
    RESULTS.write_text(head + table, "utf-8")


if __name__ == "__main__":
    main()
