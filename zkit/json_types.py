"""Names for JSON data whose values are not checked yet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object: a request, a message or a record as it is sent or received."""

JsonMapping = Mapping[str, Any]
"""The same where it is only read."""
