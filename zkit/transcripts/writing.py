"""Records in, lines of a file out, each whole and on disk before anything of it is shown."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from zkit.errors import TranscriptError
from zkit.transcripts.records import Header, Record
from zkit.transcripts.redaction import Redaction


class TranscriptWriter:
    """Writes a transcript, each record as one line, for any thread. The file must be a new one."""

    def __init__(
        self, path: str | Path, header: Header, redaction: Redaction | None = None
    ) -> None:
        self.path = Path(path)
        self._redaction = redaction or Redaction()
        self._lock = threading.Lock()
        try:
            # Only for its owner: a conversation is nobody else's business.
            self._file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError as error:
            raise TranscriptError(
                f"{path}: is there already; a transcript is a new file"
            ) from error
        except OSError as error:
            raise TranscriptError(f"{path}: {error.strerror}") from error
        self.write(header)

    def write(self, record: Record) -> None:
        """Write one record; when this returns, it outlives the process."""
        made = self._redaction.data(record.to_dict())
        line = json.dumps(made, ensure_ascii=True, default=str) + "\n"
        left = line.encode("ascii")
        with self._lock:
            while left:
                left = left[os.write(self._file, left) :]

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)
