"""Run the fuzzers: `python -m fuzz --seconds 60 [--only repair]`."""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from fuzz.targets import TARGETS

ROOT = Path(__file__).parent.parent
FOUND = ROOT / "corpus" / "fuzz-found"
SLOWEST = 5.0
"""Seconds that one input may take; a longer one counts as a failure. Inputs are at most 4 KB."""
LONGEST = 4096


def main() -> int:
    """Run the targets one after the other; return 1 if one of them failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=60, help="for all targets together")
    parser.add_argument("--only", choices=sorted(TARGETS), action="append")
    parser.add_argument("--each", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.each:
        return _fuzz(options.each, options.seconds)
    wanted = options.only or list(TARGETS)
    share = max(1, options.seconds // len(wanted))
    failed = [name for name in wanted if not _run(name, share)]
    print(f"{len(wanted) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def _run(name: str, seconds: int) -> bool:
    """Fuzz one target in a process of its own, so that a crash ends only that one."""
    started = time.monotonic()
    command = [sys.executable, "-m", "fuzz", "--each", name, "--seconds", str(seconds)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    words = "ok" if done.returncode == 0 else "FAILED"
    print(f"{name}: {words} after {time.monotonic() - started:.0f} s", flush=True)
    if done.returncode:
        print(done.stdout[-2000:] + done.stderr[-4000:], flush=True)
    return done.returncode == 0


def _fuzz(name: str, seconds: int) -> int:
    """Let atheris call one target until the time is over."""
    import atheris

    with atheris.instrument_imports(include=["zkit"]):
        import zkit.arguments
        import zkit.chat
        import zkit.extract
        import zkit.repair  # noqa: F401

    def target(data: bytes) -> None:
        started = time.process_time()
        try:
            TARGETS[name](data)
            if time.process_time() - started > SLOWEST:
                raise TimeoutError(f"more than {SLOWEST} s of CPU time")
        except Exception:
            _save(name, data)
            raise

    with tempfile.TemporaryDirectory() as folder:
        _seed(name, Path(folder))
        options = [
            f"-max_total_time={seconds}",
            f"-max_len={LONGEST}",
            "-artifact_prefix=/dev/null",
        ]
        atheris.Setup([sys.argv[0], *options, folder], target)
        atheris.Fuzz()
    return 0


def _seed(name: str, folder: Path) -> None:
    """Give the fuzzer what earlier runs found, and texts with every mark of the corpus."""
    earlier = [path.read_bytes() for path in sorted(FOUND.glob(f"{name}-*"))]
    marks = [path.read_bytes()[:LONGEST] for path in sorted((ROOT / "corpus").rglob("*.toml"))[:80]]
    for at, data in enumerate([*earlier, *marks]):
        (folder / str(at)).write_bytes(data)


def _save(name: str, data: bytes) -> None:
    """Keep a failing input; `tests/test_fuzz.py` replays it from then on."""
    FOUND.mkdir(exist_ok=True)
    digest = hashlib.sha256(data).hexdigest()[:12]
    (FOUND / f"{name}-{digest}").write_bytes(data)


if __name__ == "__main__":
    sys.exit(main())
