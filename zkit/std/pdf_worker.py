"""Read the pages of a PDF in a process of its own: run as a script, a PDF on standard input."""

from __future__ import annotations

import io
import json
import logging
import resource
import sys

MAX_MEMORY = 1_500_000_000  # bytes: a PDF can be made to unpack to anything
MAX_CPU = 60  # seconds


def main() -> None:
    """Print the text of the pages that the first line asks for, as JSON."""
    resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (MAX_CPU, MAX_CPU))
    logging.disable(logging.CRITICAL)
    asked = json.loads(sys.stdin.buffer.readline())
    try:
        found = pages(sys.stdin.buffer.read(), asked["first"], asked["last"])
    except ImportError:
        found = {"missing": "pypdf"}
    except Exception as error:
        found = {"error": f"{type(error).__name__}: {error}"[:500]}
    sys.stdout.write(json.dumps(found))


def pages(data: bytes, first: int, last: int) -> dict[str, object]:
    """Return the number of pages, and the text of some of them."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(data))
    if reader.is_encrypted and not reader.decrypt(""):
        return {"error": "it is protected by a password"}
    count = len(reader.pages)
    wanted = range(first, min(last, count) + 1)
    return {"count": count, "pages": [reader.pages[n - 1].extract_text() for n in wanted]}


if __name__ == "__main__":
    main()
