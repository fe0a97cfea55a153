"""Cleans up after examples, which leave clients open as users' programs do."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def forgotten(names: dict[str, object]) -> Iterator[None]:
    """Forget the names of an example after the block; its open connections are no warning here.

    Without this the garbage collector would find them in some later test, which would then fail.
    """
    try:
        yield
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            names.clear()
            gc.collect()
