"""What the tests of the standard tools share: a workspace on disk, and calls through a dispatcher."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from zkit import Call, Dispatcher, Success, Toolbox, Validation
from zkit.results import Result
from zkit.std import StdProvider
from zkit.tools import render_result


class Bench:
    """The standard tools of one folder, called by name as a model calls them."""

    def __init__(self, root: Path, *, approve: bool = True, **options: Any) -> None:
        self.root = root
        self.box = Toolbox(providers=[StdProvider(root, **options)])
        asked = (lambda call: True) if approve else None
        self.dispatcher = Dispatcher(self.box, approve=asked)

    def result(self, name: str, /, **arguments: Any) -> Result:
        """The result of one call."""
        return self.dispatcher.call_sync(Call(name, arguments, id="1"))

    def ok(self, name: str, /, **arguments: Any) -> Any:
        """The data of a call that must succeed."""
        result = self.result(name, **arguments)
        assert isinstance(result, Success), render_result(result)
        return result.data

    def text(self, name: str, /, **arguments: Any) -> str:
        """What the model reads of a call that must succeed."""
        result = self.result(name, **arguments)
        assert isinstance(result, Success), render_result(result)
        return render_result(result)

    def refused(self, name: str, /, **arguments: Any) -> Validation:
        """The refusal of a call that must not succeed."""
        result = self.result(name, **arguments)
        assert isinstance(result, Validation), result
        return result

    def write(self, path: str, text: str | bytes = "") -> Path:
        """Put a file into the workspace, past the tools."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def read(self, path: str) -> str:
        """The text of a file of the workspace, with its line ends."""
        return (self.root / path).read_bytes().decode()
