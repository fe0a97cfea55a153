"""Every format by its name, and the format of a call that was read."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache

from zkit.extract.formats.json_formats import JSON_FORMATS
from zkit.extract.formats.record import Format
from zkit.extract.formats.shape_formats import PYTHON_FORMATS, SHAPE_FORMATS
from zkit.extract.formats.tag_formats import MARKUP_FORMATS
from zkit.extract.tape import compiled
from zkit.required import require_list

FORMATS: dict[str, Format] = {
    record.name: record
    for record in (*JSON_FORMATS, *MARKUP_FORMATS, *PYTHON_FORMATS, *SHAPE_FORMATS)
}

_ALL = frozenset(FORMATS)


def wanted_formats(names: Iterable[str] | None) -> frozenset[str]:
    """Return the formats to search for: all, or every format of the named formats' families."""
    if names is None:
        return _ALL
    if isinstance(names, frozenset) and names <= _ALL:
        return names
    require_list("formats", [names] if isinstance(names, str) else names, "names of formats")
    chosen_names = [names] if isinstance(names, str) else list(names)
    families = {record.family for record in FORMATS.values()}
    for name in chosen_names:
        if name not in FORMATS and name not in families:
            raise unknown_format(name)
    chosen = {FORMATS[name].family if name in FORMATS else name for name in chosen_names}
    return frozenset(name for name, record in FORMATS.items() if record.family in chosen)


def unknown_format(name: object) -> ValueError:
    """Return the error for an unknown format, with the nearest names."""
    near = get_close_matches(str(name), FORMATS)
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    return ValueError(
        f"no format is called {name!r}; {meant}docs/formats.md lists all {len(FORMATS)}"
    )


def format_of(opener: str, body: str, text: str) -> Format:
    """Return the format of a call by its envelope and body, then by the format's `sign`.

    If no format has this body in this envelope, it counts as a mistake in the envelope's first format.
    """
    records = _having(opener, body) or _having(opener, "")
    for record in records:
        sign = compiled(f"(?s){record.sign}")
        if not record.sign or sign.search(text[:400]) or sign.search(text[-40:]):
            return record
    return records[0]


@cache
def _having(opener: str, body: str) -> tuple[Format, ...]:
    """Return the formats with this envelope and body, those with a `sign` first."""
    found = [r for r in FORMATS.values() if r.opener == opener and body in (r.body, "")]
    return tuple(sorted(found, key=lambda record: not record.sign))
