"""The table of the 96 formats that the benchmark writes calls in.

Written from the formats' descriptions, one template each, and on purpose without zkit's own
records: what is measured must not be produced by what is measured.
"""

from __future__ import annotations

from dataclasses import replace

from benchmarks.extract_format import Format
from benchmarks.extract_formats_json import JSON_FORMATS
from benchmarks.extract_formats_python import PYTHON_FORMATS
from benchmarks.extract_formats_raw import RAW_FORMATS
from benchmarks.extract_spelling import python


def _settled(found: Format) -> Format:
    """Sarashina writes the JSON shape in Python's spelling, whatever the spelling asked for."""
    write = found.write
    if found.name != "sarashina_pyjson":
        return found
    return replace(found, write=lambda name, args, at, _: write(name, args, at, python))


FORMATS: dict[str, Format] = {
    found.name: _settled(found) for found in (*JSON_FORMATS, *RAW_FORMATS, *PYTHON_FORMATS)
}
