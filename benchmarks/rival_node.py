"""The npm package jsonrepair, behind one long-lived node process that speaks lines."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


class NodeRepair:
    """Reads texts with node's jsonrepair; starts node again after a time-out."""

    def __init__(self) -> None:
        if not shutil.which("node") or not (HERE / "node_modules" / "jsonrepair").is_dir():
            raise ImportError("node or its package jsonrepair is missing")
        self._process = self._start()

    def _start(self) -> subprocess.Popen[str]:
        command = ["node", str(HERE / "jsonrepair.mjs")]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")

    def __call__(self, text: str, _schema: Any) -> Any:
        """The value, or a ValueError."""
        try:
            answer = json.loads(self._ask(text))
        except BaseException:  # also a time-out: a late answer must not meet the next question
            self._process.kill()
            self._process.communicate()
            self._process = self._start()
            raise
        if "error" in answer:
            raise ValueError(answer["error"])
        return json.loads(answer["text"])

    def _ask(self, text: str) -> str:
        asked, answered = self._process.stdin, self._process.stdout
        assert asked
        assert answered
        asked.write(json.dumps(text) + "\n")
        asked.flush()
        return answered.readline()
