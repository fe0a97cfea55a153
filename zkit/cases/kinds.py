"""The kinds of case, by the name that a case file gives at its top."""

from __future__ import annotations

from typing import Any

from zkit.cases.decode_cases import DECODE
from zkit.cases.extract_cases import EXTRACT
from zkit.cases.kind import Kind
from zkit.cases.repair_cases import REPAIR

KINDS: dict[str, Kind[Any]] = {kind.name: kind for kind in (REPAIR, EXTRACT, DECODE)}
