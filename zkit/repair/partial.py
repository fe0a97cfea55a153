"""Chunks of JSON in, the value so far out, for live display."""

from __future__ import annotations


class PartialReader:
    """Being written."""
