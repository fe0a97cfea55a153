"""Write the message for the model whose text was refused.

Each message names the problem, shows the place, and ends with what to send. Snapshot tests pin the
sentences.
"""

from __future__ import annotations

import re

from zkit.expect import Evidence, Expect
from zkit.repair.limits import MOST_DIGITS, MOST_KEYS
from zkit.text.edits import excerpt, place_of

_FOUND = {
    "empty": "The text is empty: no JSON arrived.",
    "no_json": "The text holds no JSON object or list.",
    "damaged": "The text is not valid JSON, and there is no single way to repair it.",
    "ambiguous": "The text is not valid JSON, and it can be read in two ways.",
    "several": "The text holds several different JSON values, but exactly one is expected.",
    "expression": "A value is an expression or a call, not a JSON value. Nothing is evaluated here.",
    "limit": "The text is not valid JSON, and repairing it takes more guessing than is allowed here.",
    "cut": "The text was cut off after {size} characters, so data is missing.",
    "too_deep": "The value is nested too deeply.",
    "too_large": "The text is too large: {size} characters, or too many values in it.",
}

_NEXT = {
    "empty": "Send one JSON object.",
    "no_json": "Send one JSON object and nothing else.",
    "damaged": "Send the whole JSON again: double quotes around keys and strings, a comma between members, no text around it.",
    "ambiguous": 'Send the whole JSON again, with each quote inside a string written as \\" and each backslash as \\\\.',
    "several": "Send only the one that counts.",
    "expression": "Send the value itself: a number, a string in double quotes, true, false, null, a list or an object.",
    "limit": "Send the whole JSON again in strict form.",
    "cut": "Send it again with less in it: shorten the longest string, or split the work into several calls.",
    "too_deep": "Send it again with fewer levels of nesting.",
    "too_large": "Send it again with less in it, or split it into several calls.",
}

_ZERO_IN_FRONT = re.compile(r"-?0[0-9]")
_DIGITS = re.compile(r"[0-9]++")
_WITHOUT_PLACE = frozenset({"empty", "no_json", "too_large"})


def refusal(text: str, reason: str, at: int, evidence: Evidence | None = None) -> str:
    """Return the message for a refusal: what was found, where, and what to send."""
    found, move = _of_number(text, reason, at) or (_FOUND[reason], _NEXT[reason])
    parts = [found.format(size=len(text))]
    if reason not in _WITHOUT_PLACE:
        place = place_of(text, at)
        line, caret = excerpt(text, at)
        parts.append(f"At line {place.line}, column {place.column}:\n  {line}\n  {caret}")
    parts.append(move)
    if evidence is not None and (expected := _expected(evidence.root)):
        parts.append(expected)
    return "\n".join(parts)


def _of_number(text: str, reason: str, at: int) -> tuple[str, str] | None:
    """Return what was found and what to send if a number is the problem, else None."""
    if reason == "ambiguous" and _ZERO_IN_FRONT.match(text, at):
        return (
            "A number begins with a zero, which JSON does not allow.",
            "Send it without the zeros in front, or in double quotes if it is a code.",
        )
    if reason == "damaged" and any(len(run) > MOST_DIGITS for run in _DIGITS.findall(text)):
        return (
            "A number has too many digits to be read.",
            "Send a shorter number, or the digits in double quotes.",
        )
    return None


def _expected(root: Expect) -> str:
    """Return a sentence that lists the schema's keys and their types in the schema's order."""
    if not root.order:
        return ""
    keys = [_key(root, key) for key in root.order[:MOST_KEYS]]
    more = ", ..." if len(root.order) > MOST_KEYS else ""
    return f"Expected keys: {', '.join(keys)}{more}."


def _key(root: Expect, key: str) -> str:
    child = root.child(key)
    kinds = " or ".join(sorted(child.kinds)) if len(child.kinds) < 4 else "any"
    return f'"{key}" ({kinds}{"" if key in root.required else ", optional"})'
