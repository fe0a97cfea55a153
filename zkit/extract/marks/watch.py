"""The text that has arrived in, the next mark in it that may matter out, and what surely does not."""

from __future__ import annotations

import re

import regex

from zkit.extract.arriving_text import LONGEST_MARK, Hit, Tape
from zkit.extract.declared import Declared
from zkit.extract.marks.first_match import Lookout
from zkit.extract.marks.plain_text import plain_text
from zkit.extract.marks.search_patterns import TAG_BEGUN, TRIGGER, hooks_for, tags_of

LONGEST_TAG = 140


class Watch:
    """Looks for marks in a text, for tools of certain names. A mark that more text may change waits."""

    def __init__(self, tape: Tape, tools: Declared) -> None:
        self._tape = tape
        self._tools = tools
        self._hooks = hooks_for(bool(tools))
        tags = (tags_of(tools.pattern()),) if tools else ()
        self._lookout = Lookout((*tags, *self._hooks.search))
        self._plain = plain_text(tools.pattern()) if tools else None

    @property
    def line(self) -> regex.Pattern[str]:
        """What counts at the beginning of a line."""
        return self._hooks.line

    def next(self, pos: int) -> tuple[Hit | None, int]:
        """The next mark, None when none is sure yet, and the place up to which there is only text."""
        text, base = self._tape.window(pos)
        match = self._first(text, pos - base)
        if match is not None and self._is_sure(text, match):
            start = match.start() + base
            return Hit(start, match.end() + base, match), start
        return None, self._held(text, base, pos, match)

    def _first(self, text: str, at: int) -> re.Match[str] | None:
        """The first mark from a place on that is more than text at a second look."""
        while True:
            match = self._lookout.first(text, at)
            if match is None or self._plain is None:
                return match
            plain = self._plain.match(text, match.start())
            if plain is None:
                return match
            at = plain.end()

    def _is_sure(self, text: str, match: re.Match[str]) -> bool:
        """Whether no text to come can make a longer mark of this one."""
        if self._tape.final:
            return True
        if match.end() == len(text):
            return False
        if len(text) - match.start() > LONGEST_MARK:
            return True
        return self._hooks.partial.fullmatch(text, match.start(), partial=True) is None

    def _held(self, text: str, base: int, pos: int, match: re.Match[str] | None) -> int:
        """The place from which on the end of the text may still become a mark."""
        tail = max(pos - base, len(text) - LONGEST_MARK)
        trigger = None if self._tape.final else TRIGGER.search(text, tail)
        if trigger is None:
            return self._tape.size
        found = self._hooks.partial.search(text, trigger.start(), partial=True)
        held = len(text) if found is None else found.start()
        line = text.rfind("\n", tail)
        # A whole match further on hides one that has only begun: backticks may become a fence.
        if line >= 0 and self._hooks.new_line.fullmatch(text, line, partial=True):
            held = min(held, line)
        tag = text.rfind("<", max(pos - base, len(text) - LONGEST_TAG))
        if tag >= 0 and self._tools and TAG_BEGUN.match(text, tag):
            held = min(held, tag)
        return min(held, len(text) if match is None else match.start()) + base
