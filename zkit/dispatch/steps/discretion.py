"""A crash in, the same crash out, saying what a model may know of it."""

from __future__ import annotations

import re
from dataclasses import replace

from zkit.results import Crashed

_MOST_CHARACTERS = 300
_SECRETS = re.compile(
    r"(?i:\bbearer\s++)[\w.~+/=-]{8,}+"
    r"|(?i:\b[\w-]{0,32}?(?:api[_-]?key|token|secret|passw(?:or)?d|authorization)[\w-]{0,16}\b\"?\s{0,4}[=:]\s{0,4})\"?[^\s,;&\"']{4,}+"
    r"|\bAKIA[0-9A-Z]{12,}+|\bgh[a-z]_\w{16,}+|\bsk-[\w-]{16,}+"
    r"|(?<=://)[^\s/@:]{1,64}+:[^\s/@]{1,128}+(?=@)"
    r"|-----BEGIN [A-Z ]{1,32}+-----.*+"
)
_SOURCE = re.compile(r"(?:[A-Za-z]:)?[/\\][^\s\"'<>|:]{1,400}?\.py\b(?:[\"']?,? line \d++|:\d++)?")


def discreet(crash: Crashed) -> Crashed:
    """Return the crash in one line, without secrets and places in source code.

    The log has the whole of it; `__cause__` is the exception.
    """
    said = crash.cause.strip().split("\n", 1)[0]
    said = _SECRETS.sub("[secret]", _SOURCE.sub("[source]", said))
    if len(said) > _MOST_CHARACTERS:
        said = f"{said[:_MOST_CHARACTERS]} …"
    if said == crash.cause:
        return crash
    quiet = replace(crash, cause=said)
    quiet.__cause__ = crash.__cause__
    return quiet
