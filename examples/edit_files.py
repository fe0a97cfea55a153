"""An agent that edits files in a folder and asks before it deletes something."""

import os
import sys
import tempfile
from pathlib import Path

from openai import OpenAI

from zkit import Call, ChatLoop
from zkit.std import std_tools


def approve(call: Call) -> bool:
    """Ask the user at the terminal; without a terminal, refuse."""
    if not sys.stdin.isatty():
        return False
    return input(f"Run {call.name} {call.arguments}? [y/N] ").strip().lower() == "y"


folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
(folder / "notes.txt").write_text("buy milk\n")
loop = ChatLoop(
    OpenAI(base_url=os.environ.get("ZKIT_BASE_URL", "http://localhost:11434/v1"), api_key="none"),
    os.environ.get("ZKIT_MODEL", "qwen2.5-coder:1.5b"),
    std_tools(folder, only=["read_file", "edit_file", "ls"]),
    workspace=folder,
    approve=approve,
)
result = loop.run_sync("In notes.txt, replace milk by bread.")
for call in result.calls:
    print(call.call.name, type(call.result).__name__)
print(result.text)
print((folder / "notes.txt").read_text(), end="")
