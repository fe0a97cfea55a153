"""The name of a table in, the words and phrases of it out, read from `words/*.toml` at their first use."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache, partial
from importlib.resources import files

from zkit.extract.around.phrases import Only, Phrases, Table

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "ru", "zh", "ja", "ko")
"""The languages that every meaning has words in."""
_MEANINGS = "meanings"
_LISTS = "lists"


def said(file: str, name: str) -> Phrases:
    """What finds the phrases of a table."""
    return Phrases(partial(_phrases, file, name), partial(_lists, file))


def only(file: str, name: str) -> Only:
    """What finds texts of nothing but the phrases of a table."""
    return Only(partial(_phrases, file, name), partial(_lists, file))


@cache
def words(meaning: str, language: str) -> Phrases:
    """What finds the words of one meaning in one language."""
    return Phrases(lambda: {language: (_unspaced(meanings()[meaning][language]),)})


def meanings() -> Mapping[str, Mapping[str, str]]:
    """All lists of words, by meaning and language."""
    return _tables(_MEANINGS)


def _phrases(file: str, name: str) -> Table:
    found: Table = _tables(file)[name]
    return found


def _lists(file: str) -> Mapping[str, str]:
    return {name: _unspaced(listed) for name, listed in _tables(file).get(_LISTS, {}).items()}


@cache
def _tables(file: str) -> Mapping[str, Mapping[str, str]]:
    text = files(__package__).joinpath("words", f"{file}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _unspaced(listed: str) -> str:
    """A list of words as phrases have it."""
    return listed.replace(", ", ",")
