"""Find rivals: other places or edits that would explain the text as well as a fix. With a rival, a value is refused.

Decisions 6, 18 and 24; cases: corpus/repair/misread.toml, changed_places.toml and missing_closer_middle.toml.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from itertools import islice
from typing import Any, NamedTuple

from zkit.receipt import Fix, highest
from zkit.repair.evidence.structure import (
    is_askew,
    is_on_own_line,
    other_places,
    repeated_keys,
)
from zkit.repair.fixes import COMPLETE, GUESS, UNWRAP, fix_named, with_effect, with_rank
from zkit.repair.limits import KEYS_WITHIN, MOST_OTHERS
from zkit.repair.outcome import Candidate, Task
from zkit.repair.repeated_keys import repeats_a_key
from zkit.repair.strict_parse import strict
from zkit.text import lexis
from zkit.text.edits import Edit, Layer, apply_edits

# ── misreading ──────────────────────────────────────────────────────────────


# Structural fixes that move no boundary.
HARMLESS = with_effect("mark", "ends")


def rearranged(fixes: Sequence[Fix]) -> bool:
    """True if a fix moved a boundary, so that members may be in the wrong object."""
    return any(fix[1] >= COMPLETE and fix[0] not in HARMLESS for fix in fixes)


def _changed_places(task: Task, candidate: Candidate) -> bool:
    """True if a fix added a mark next to a string that ends with it, or before a key that begins with one.

    The mark may have been swapped with the quote.
    """
    text = task.text
    for fix in candidate.fixes:
        if fix.rank >= COMPLETE and (
            _begins_with_mark(text, fix)
            or (fix.name in _ADDED and _ends_in(text, fix))
            or (fix.name == "open_in_middle" and _opens_inside(text, fix))
        ):
            return True
    return False


_ADDED = with_effect("ends", "closes") | {"add_comma"}


def _ends_in(text: str, fix: Fix) -> bool:
    """True if the string before a fix ends in the mark that the fix adds."""
    mark = fix.new[:1]
    return bool(mark) and text.endswith(f'{mark}"', 0, lexis.last_sign(text, fix.start))


def _opens_inside(text: str, fix: Fix) -> bool:
    """True if the string after an added opener begins with the same bracket and does not close it."""
    opener = lexis.skip_spaces(text, fix.end)
    if not text.startswith(f'"{fix.new}', opener):
        return False
    content = text[opener + 1 : text.find('"', opener + 1)]
    return content.count(fix.new) > content.count("}" if fix.new == "{" else "]")


_NEXT_KEY = re.compile(rf"{lexis.SPACE}\"([,;{{}}\[\]][^\"\\\n]{{0,80}}+)\"{lexis.SPACE}:")


def _begins_with_mark(text: str, fix: Fix) -> bool:
    """True if the key after a fix, or the item after a comma, begins with a mark that belongs before it."""
    key = _NEXT_KEY.match(text, fix.end)
    if key is None:
        return fix.name == "add_comma" and text.startswith('",', fix.end)
    name = key.group(1)
    return name[0] in ",;" or any(name.count(a) != name.count(b) for a, b in ("{}", "[]"))


# ── beside quotes ───────────────────────────────────────────────────────────


_LAST_LINE = re.compile(r"([ \t]*+)[}\]]")
_OPENER = {"}": "{", "]": "["}
_PAIR = re.compile(r"[{\[][}\]]\Z")
_PAIR = re.compile(r"\"[^\"\\]*+\"\s*+,\s*+\"[^\"\\]*+\"")
_CODE = re.compile(r"\\\"u[0-9a-fA-F]{4}")


def _beside_quote(task: Task, candidate: Candidate) -> bool:
    """True if a fix has a rival at the quote next to it."""
    return any(fix[0] in _SIGNS and _SIGNS[fix[0]](task.text, fix) for fix in candidate.fixes)


def past_line(text: str, fix: Fix) -> bool:
    """True if a string ends in its only line break, and the layout puts that break after the quote.

    The string is on an indented line of its own, and its closer belongs on a line further left.
    """
    if not text.endswith('\n"', fix.start, fix.end) or text.find("\n", fix.start) != fix.end - 2:
        return False
    last = _LAST_LINE.match(text, fix.end)
    line = text.rfind("\n", 0, fix.start) + 1
    return last is not None and text[line : line + len(last[1]) + 1].isspace()


def _number_before(text: str, fix: Fix) -> bool:
    """True if a comma was added between a single digit and a quote that touch: the digit may belong to the string."""
    at = fix.start
    if not text.startswith('"', at) or not text[at - 1].isdigit() or text[at - 2].isdigit():
        return False
    return lexis.KEY_AHEAD.match(text, at) is None


def _lacked_inside(text: str, fix: Fix) -> bool:
    """True if a closer was dropped right after a string that has an unclosed opener."""
    closer = text[fix.start]
    if closer not in _OPENER or text[fix.start - 1] != '"':
        return False
    content = _content_before(text, fix.start - 1)
    return content.count(_OPENER[closer]) > content.count(closer)


def _content_before(text: str, quote: int) -> str:
    """Return the content of the string that ends at a quote."""
    return text[lexis.quote_before(text, quote) + 1 : quote]


def _uneven(_: str, fix: Fix) -> bool:
    """True if a quote was dropped and the content lacks one bracket: the quote may replace it."""
    content = fix.new[1:-1]
    return any(abs(content.count(a) - content.count(b)) == 1 for a, b in ("{}", "[]"))


def _ends_in_mark(_: str, fix: Fix) -> bool:
    """True if content that lost its quote ends in a mark that may replace the quote."""
    return fix.new[1:-1].endswith(":")


def _coded(text: str, fix: Fix) -> bool:
    """True if a backslash before the opening quote may belong to the letter after it."""
    return text[fix.start] == "\\" and _CODE.match(text, fix.start) is not None


def _item_before(text: str, fix: Fix) -> bool:
    """True if a colon replaced a comma between two strings: both may be items of a list without its brackets."""
    if fix.new != ":" or text[fix.start] != ",":
        return False
    pair = _PAIR.match(text, text.rfind('"', 0, max(0, fix.start - 1)))
    return pair is not None and text[lexis.last_sign(text, pair.start()) - 1] == ","


def _bare_member(text: str, fix: Fix) -> bool:
    """True if a value without its opening quote has a bare key, while other keys are quoted."""
    key = _BARE_KEY.search(text, max(0, fix.start - 80), fix.start)
    if key is None:
        return False
    since = max(0, key.start() - KEYS_WITHIN)
    return _QUOTED_KEY.search(text, since, key.start()) is not None


_BARE_KEY = re.compile(rf"(?<=[\s,])({lexis.NAME})\s*+:\s*+\Z")
_QUOTED_KEY = re.compile(r"[{,]\s*+\"[^\"\\\n]{1,80}+\"\s*+:")

# For each fix that may have a rival at a quote, the function that finds it.
_SIGNS: dict[str, Callable[[str, Fix], bool]] = {
    "add_comma": _number_before,
    "drop_closer": _lacked_inside,
    "drop_extra_quote": _uneven,
    "add_closing_quote": _ends_in_mark,
    "add_opening_quote": _bare_member,
    "escape_control_character": past_line,
    "use_double_quotes": _coded,
    "replace_punctuation": _item_before,
}


# ── doubt ───────────────────────────────────────────────────────────────────


# Tells whether a schema accepts a value; None without a schema.
Fits = Callable[[object], bool] | None
_ADDED_DOUBT = with_effect("ends", "closes")
_DROPPED = with_effect("drops")
_MOVED = with_effect("drops", "opens", "moves")
_BRACKETS = _ADDED_DOUBT | _MOVED
# Fixes of brackets, or next to them.
_DOUBTFUL = _BRACKETS | {"use_colon", "drop_doubled_brace"}
# Fixes that may belong to another place.
_PLACED = _ADDED_DOUBT | {"drop_closer", "drop_doubled_brace"}
# An object in an object, or a list in a list: only these can swallow the members after them.
_NESTED = re.compile(rf":{lexis.SPACE}\{{|[\[,]{lexis.SPACE}\[")
_TWO_BRACKETS = re.compile(rf"\[(?={lexis.SPACE}\[)")


def _misplaced(task: Task, candidate: Candidate) -> bool:
    """True if a bracket repaired inside the value may belong elsewhere, for example if a list mixes kinds."""
    text, fixes = task.text, candidate.fixes
    inside = [f for f in fixes if f.name in _BRACKETS and text[f.end : candidate.end].strip()]
    if not inside or candidate.value is None:
        return False
    return _lost_openers(text, inside) or _is_mixed(candidate.value[0])


def undoubted(
    text: str, span: tuple[int, int], fixes: Sequence[Fix], fits: Fits, *, stopped: bool
) -> Sequence[Fix] | None:
    """Return the fixes for the value in `span`, perhaps with an added closer moved; None if its place is unclear.

    `stopped` means that the model ended the text itself: then the closer that it forgot is the last one.
    """
    layer = _layer(text, span, fixes)
    if _closes_once(text, layer.text.rstrip(), fixes, fits):
        return None
    if any(fix.name == "drop_closer" for fix in fixes) and is_askew(layer.text):
        return None
    added = [fix for fix in fixes if fix.name in _ADDED_DOUBT]
    if len(added) != 1:
        return fixes
    at = layer.starts[1 + fixes.index(added[0])]
    if len(added[0].new) > 1:
        return None if fits is None and is_askew(layer.text[:at]) else fixes
    is_last = stopped and added[0].name == "close_at_end"
    place = _closer_place(layer.text, at, fits, is_last=is_last)
    if place is None:
        return None
    return fixes if place == at else _with_closer_at(text, span, fixes, added[0], place)


def _closer_place(json: str, at: int, fits: Fits, *, is_last: bool) -> int | None:
    """Return where the added closer at `at` belongs: there, or earlier; None if that is unclear.

    `is_last` means that the model forgot the last closer, unless the lines show otherwise.
    """
    if not _NESTED.search(json):
        return at
    places = other_places(json, at)
    if places is None:
        return None if fits is None else at
    others = [p for p in places.others[:MOST_OTHERS] if _holds(_moved(json, at, p), fits)]
    if not others and not _opened_twice(json, at, fits):
        return at
    if places.stays and _holds(json, fits):
        return at if is_last else None
    return others[0] if len(others) == 1 else None


def _closes_once(text: str, json: str, fixes: Sequence[Fix], fits: Fits) -> bool:
    """True if a brace was opened twice and closed once, and the second closer may be missing elsewhere."""
    doubled = [text[fix.start] for fix in fixes if fix.name == "drop_doubled_brace"]
    if doubled.count("{") <= doubled.count("}"):
        return False
    places = other_places(json, len(json) - 1)
    if places is None:
        return fits is None
    return any(_holds(_moved(json, len(json) - 1, p), fits) for p in places.others[:MOST_OTHERS])


def _opened_twice(json: str, at: int, fits: Fits) -> bool:
    """True if the text is also valid with one of two openers dropped, instead of adding `json[at]`."""
    body = json[:at] + json[at + 1 :]
    openers = islice(_TWO_BRACKETS.finditer(body), MOST_OTHERS)
    return any(_holds(body[: two.start()] + body[two.end() :], fits) for two in openers)


def _lost_openers(text: str, fixes: Sequence[Fix]) -> bool:
    """True if a bracket dropped inside the value may also be the end of a list."""
    dropped = [f for f in fixes if f.name == "drop_closer" and "]" in text[f.start : f.end]]
    ends = [len(text[: fix.start].rstrip(_AFTER_ITEM)) for fix in dropped]
    return any(text[end - 1] in _LAST_OF_ITEM or is_on_own_line(text, end) for end in ends)


_LAST_OF_ITEM = frozenset("}\"'`”»")
# May come between the last item of a list and its closer.
_AFTER_ITEM = " \t\r\n,.…"


def _exchanged(task: Task, candidate: Candidate) -> bool:
    """True if a closer may have been moved: one was dropped, and another one, or a comma after one, was added."""
    text, fixes = task.text, candidate.fixes
    closes = any(fix.name in _ADDED_DOUBT for fix in fixes)
    if closes and any(_took_closer(text, fix) for fix in fixes):
        return True
    spliced = any(fix.name == "add_comma" and text[fix.start - 1] in "}]" for fix in fixes)
    return (closes or spliced) and any(fix.name in _DROPPED for fix in fixes)


def _at_odds(_: Task, candidate: Candidate) -> bool:
    """True if two fixes cannot both be right, because both repair a bracket, or one a lone quote that may replace it."""
    fixes = candidate.fixes
    names = {fix.name for fix in fixes}
    if "replace_closer" in names and not _ADDED_DOUBT.isdisjoint(names):
        return True
    empty = any(fix.name == "add_closing_quote" and fix.new == '""' for fix in fixes)
    return empty and "drop_closer" in names


def _took_closer(text: str, fix: Fix) -> bool:
    """True if a closer may be lost here: a comma right after an opener was dropped, or a mark became another."""
    if fix.name == "drop_comma":
        return text.endswith(("{", "["), 0, lexis.last_sign(text, fix.start))
    return fix.name == "replace_punctuation" and (fix.new == ":" or text[fix.start] in "}]")


def _is_mixed(value: object) -> bool:
    """True if a list holds values of different kinds: a bad sign after a bracket was repaired."""
    todo: list[Any] = [value]
    while todo:
        part = todo.pop()
        inner = part.values() if isinstance(part, dict) else part
        kinds = {float if type(item) is int else type(item) for item in inner if item is not None}
        if isinstance(part, list) and len(kinds) > 1:
            return True
        todo += [item for item in inner if isinstance(item, dict | list)]
    return False


def _layer(text: str, span: tuple[int, int], fixes: Sequence[Fix]) -> Layer:
    """Return the JSON that the fixes make of a span, as a layer that maps places back to the text."""
    edits = [Edit(0, span[0], ""), *(Edit(f.start, f.end, f.new) for f in fixes)]
    return Layer.over(text, edits, span[1])


def with_repeats(text: str, span: tuple[int, int], fixes: Sequence[Fix]) -> Sequence[Fix]:
    """Return the fixes with a note for each key that its object repeats: the last value counts."""
    layer = _layer(text, span, fixes)
    places = [layer.source_start(at) for at in repeated_keys(layer.text)]
    noted = [fix_named("keep_last", at, at, "") for at in places]
    return sorted([*noted, *fixes], key=lambda fix: fix.span)


def _moved(json: str, at: int, place: int) -> str:
    """Return the JSON with the closer at `at` moved to an earlier place."""
    return f"{json[:place]}{json[at]}{json[place:at]}{json[at + 1 :]}"


def _holds(json: str, fits: Fits) -> bool:
    """True if the JSON is valid, repeats no key and fits the schema."""
    value = strict(json)
    if value is None or repeats_a_key(json, value[0]):
        return False
    return fits is None or fits(value[0])


def _with_closer_at(
    text: str, span: tuple[int, int], fixes: Sequence[Fix], added: Fix, place: int
) -> list[Fix]:
    """Return the fixes with the added closer moved to `place`, counted in the JSON without it."""
    rest = [fix for fix in fixes if fix is not added]
    at = _layer(text, span, rest).source_end(place)
    moved = fix_named("close_in_middle", at, at, added.new)
    return sorted([moved, *rest], key=lambda fix: fix.start)


# ── the table ───────────────────────────────────────────────────────────────


class Rival(NamedTuple):
    """One row of the table: another explanation of a text with these fixes."""

    # The fixes that may have this rival.
    fixes: Collection[str]
    # True if it explains the text as well as the fixes do.
    explains: Callable[[Task, Candidate], bool]
    # False if a schema that describes what is expected makes the check unnecessary.
    guided: bool = True


# Checked in this order; with a rival, a value is refused as ambiguous.
RIVALS = (
    Rival(with_rank(COMPLETE, GUESS), _changed_places),
    Rival(_SIGNS.keys(), _beside_quote),
    Rival(_DOUBTFUL, _exchanged, guided=False),
    Rival(_DOUBTFUL, _at_odds, guided=False),
    Rival(_DOUBTFUL, _misplaced, guided=False),
)


# ── settling ────────────────────────────────────────────────────────────────


def beyond_doubt(task: Task, candidate: Candidate) -> Candidate:
    """Return the candidate with its brackets where they belong; without a value if that is unclear."""
    start, end, value, fixes, rank, _, _, _ = candidate
    if value is None or not UNWRAP <= rank <= GUESS:
        return candidate
    text = task.text
    names = {fix[0] for fix in fixes}
    for rival in RIVALS:
        may_be = not names.isdisjoint(rival.fixes) and (rival.guided or task.guide is None)
        if may_be and rival.explains(task, candidate):
            return _ambiguous(candidate)
    if _PLACED.isdisjoint(names):
        return candidate
    fits = None if task.evidence is None else task.evidence.holds
    stopped = task.finish_reason == "stop"
    likelier = undoubted(text, (start, end), fixes, fits, stopped=stopped)
    if likelier is fixes:
        return candidate
    if likelier is None:
        return _ambiguous(candidate)
    edits = [(0, start, ""), *((f.start, f.end, f.new) for f in likelier)]
    json = apply_edits(text, edits, end)
    return candidate._replace(
        value=strict(json), fixes=likelier, rank=highest(tuple(likelier)), fits=True, json=json
    )


def _ambiguous(candidate: Candidate) -> Candidate:
    refusal = ("ambiguous", first_guess(candidate.fixes, candidate.start))
    return candidate._replace(value=None, refusal=refusal)


def first_guess(fixes: Sequence[Fix], default: int) -> int:
    """Return the place of the first structural fix."""
    return next((f.start for f in fixes if f.rank >= COMPLETE), default)
