"""Parse calls in JSON: one object, a list of objects, or one object after the other."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from zkit.extract.parsers import values
from zkit.extract.parsers.arguments import Reading, Task, Unit, broken, from_text, unit_of
from zkit.extract.parsers.call_objects import LIST_KEYS, NAME_KEYS, calls_in, is_chat, name_in
from zkit.extract.parsers.python_calls import unit_from
from zkit.extract.parsers.values import Extent
from zkit.extract.tape import Steps, searched
from zkit.receipt import Fix, Rank
from zkit.repair import Unrepairable

# The message if another object follows a call: it may hold more arguments.
FOLLOWED = "{name}: another object follows the call. Put its members into the arguments."
# The beginning of a value that may be JSON, even without its brace or in quotes.
DAMAGED = r"[\s\ufeff]*+[\[{\"']"
_BETWEEN = r"\s*+[;,]?+\s*+(?=\{)"
_IN_LIST = r"[\s,]*+(?=(?P<mark>\S))"
# Extra closing braces (corpus/extract/around).
_EXTRA = r"\s*+\}++"
_EXTRA_IN_LIST = r"\s*+\}++(?=\s*+[,\]])"
_SINGLE = re.compile(r"[\"'](?:arguments|parameters)[\"']\s*:\s*'(?=\s*\{)")
# `{"name="f"` for `{"name": "f"` (Qwen2.5-Coder-1.5B).
_NAME_EQUALS = re.compile(rf"\A(\s*+\{{\s*+\"(?:{'|'.join(NAME_KEYS)}))=\"")
_LISTED = re.compile(rf"[\"']?\b(?:{'|'.join(LIST_KEYS)})\b[\"']?\s*:\s*\[")


def read_json(task: Task, pos: int, stop: str) -> Steps[Reading]:
    """Return the calls in the object or list at `pos`; it may hold none."""
    if task.tape.char(pos) == "[":
        inner = yield from task.tape.look(_IN_LIST, pos + 1)
        if inner is not None and inner["mark"] in "[\"'":
            return (yield from _read_whole_list(task, pos, stop))
        return (yield from _read_list(task, pos, stop))
    units: list[Unit] = []
    at, begin, closed = pos, pos, True
    while True:
        more, end, still = yield from _read_object(task, at, stop, listed=False)
        if units and not more:
            break  # an object that is not a call is not part of this reading
        units, at, closed = units + list(more), end, still
        between = yield from task.tape.look(_BETWEEN, at)
        if between is None or not closed or not more:
            break
        begin, at = at, at + between.end()
    return Reading(tuple(units), min(at, begin) if units and not more else at, "json", closed)


def _read_list(task: Task, pos: int, stop: str) -> Steps[Reading]:
    """Read a list of objects; a list that is cut keeps the calls before the cut."""
    units: list[Unit] = []
    at, closed = pos + 1, True
    while closed:
        gap = yield from task.tape.look(_IN_LIST, at)
        if gap is None or gap["mark"] != "{":
            closed = gap is not None and gap["mark"] == "]"
            break
        more, at, closed = yield from _read_object(task, at + gap.end(), stop, listed=True)
        if units and not more:
            units[-1] = followed(units[-1])
        units += more
    if closed:
        at = (yield from task.tape.next_solid(at)) + 1
    return Reading(tuple(units), min(at, task.tape.size), "json_list", closed)


def followed(unit: Unit) -> Unit:
    """Return a call as ambiguous, because another object follows it in its envelope (decision 26)."""
    if unit.state != "whole":
        return unit
    return broken(unit.name, unit.span, "ambiguous", FOLLOWED.format(name=unit.name))


def _read_whole_list(task: Task, pos: int, stop: str) -> Steps[Reading]:
    """Read a list of calls in strings, or a name and its arguments: `["f(a=1)"]`, `["f", {...}]`.

    See corpus/extract/small_models.
    """
    found = yield from values.extent(task.tape, pos, "json", stop)
    text = task.tape.slice(pos, found.end)
    value = (values.unambiguous(text) or values.python_literal(text)) if found.closed else None
    span, units = (pos, found.end), list[Unit]()
    if value and isinstance(value[0], list) and all(isinstance(one, str) for one in value[0]):
        calls = [_CALLED.fullmatch(one) for one in value[0]]
        named = [call for call in calls if call and task.tools.name_of(call["name"])]
        if len(named) == len(calls):
            units = [unit_from(task, c["name"], c["inside"], pos, span, "python") for c in named]
    elif value:
        units = [unit_of(task, spelt, span, ()) for spelt in calls_in(value[0], task.tools)]
    return Reading(tuple(units), found.end, "json_list", found.closed)


_CALLED = re.compile(
    r"\s*+(?P<name>[^\W\d](?:[\w.:/-]|\\_)*+)\s*+\((?P<inside>.*)\)\s*+", re.DOTALL
)


def _read_object(
    task: Task, at: int, stop: str, *, listed: bool
) -> Steps[tuple[tuple[Unit, ...], int, bool]]:
    """Return the calls in one object, the position after it, and whether it was closed."""
    found = yield from bounded(task, at, stop)
    end = found.end
    if found.closed:
        extra = yield from task.tape.look(_EXTRA_IN_LIST if listed else _EXTRA, end)
        end += 0 if extra is None else extra.end()
    text = task.tape.slice(at, end)
    if found.torn:
        unit = Unit(name_in(text, task.tools), None, (at, end), state="cut")
        return (unit,), end, found.closed
    units = units_in(task, text, at, found)
    cut = bool(units) and units[-1].state == "cut" and not listed
    if cut and (listing := _LISTED.search(text)):
        inner = yield from _read_list(task, at + listing.end() - 1, stop)
        units = inner.units or units
    return units, end, found.closed


def bounded(task: Task, at: int, stop: str) -> Steps[Extent]:
    """Return where an object ends: at its brace, or else at the first stop mark or the end of the text."""
    found = yield from values.extent(task.tape, at, "json", stop)
    if found.closed or found.end < task.tape.size:
        text = task.tape.slice(at, found.end)
        if found.closed and values.strict(text) is not None:
            return found
        torn = values.torn_at(text, searched(stop or "(?!)"))
        if torn is not None:
            return Extent(at + torn, found.closed and torn == len(text), torn=True)
    if found.closed or not stop or found.end < task.tape.size:
        return found
    hit = yield from task.tape.find(searched(stop), at)
    return found if hit is None else Extent(hit.start, False)


def ended(task: Task, found: Extent) -> str | None:
    """Return the finish reason to assume for an object; the server's own only at the end of the text.

    So earlier calls are read the same, whether the server's reason has arrived or not.
    """
    if found.closed:
        return None
    return "stop" if found.end < task.tape.size else task.tape.finish_reason


# The end of an object of arguments (Llama 3.1 8B leaves out the last brace of the call).
_ARGUED = re.compile(r"\}\s*+\Z")


def units_in(task: Task, text: str, at: int, found: Extent) -> tuple[Unit, ...]:
    """Return the calls that one object spells out, as it is or repaired.

    If the text ended inside the arguments of a call, the call is cut, because arguments may be
    missing even if the others look complete; unless the model itself stopped there.
    """
    span = (at, at + len(text))
    valid = values.unambiguous(text) or _unquoted(text)
    if valid is not None and is_chat(valid[0]):
        return (broken("", span, "conversation", ""),)
    if valid is not None:
        return tuple(unit_of(task, spelt, span, ()) for spelt in calls_in(valid[0], task.tools))
    text = _NAME_EQUALS.sub(r'\g<1>": "', text)
    name = name_in(text, task.tools)
    if (
        found.open
        and not task.tape.cut
        and (missing := values.last_quote(text, _CALL_END)) is not None
    ):
        place, quote = missing
        closed = values.unambiguous(f"{text[:place]}{quote}{text[place:]}")
        if closed is not None:
            fix = Fix("add_closing_quote", Rank.GUESS, at + place, at + place, quote, "not closed")
            spelt = calls_in(closed[0], task.tools)
            return tuple(unit_of(task, one, span, (fix,)) for one in spelt)
    finish = ended(task, found)
    if finish is None and found.open == 1 and _ARGUED.search(text):
        finish = "stop"  # the arguments are closed; only the last brace of the call is missing
    outcome = values.repaired(text, finish)
    if isinstance(outcome, Unrepairable):
        if outcome.reason == "cut":
            return (Unit(name, None, span, state="cut"),)
        return (broken(name, span, outcome.reason, outcome.message),) if name else ()
    if outcome.rank >= Rank.CUT:
        return (Unit(name, outcome.value, span, state="cut"),) if name else ()
    fixes = values.shifted(outcome.fixes, at)
    found_calls = list(calls_in(outcome.value, task.tools))
    units = [unit_of(task, spelt, span, fixes) for spelt in found_calls]
    if units and found_calls[-1].level <= found.open and not task.tape.stopped:
        units[-1] = replace(units[-1], state="cut")
    return tuple(units)


_CALL_END = re.compile(r"\}\s*+\}\s*+\Z")


def _unquoted(text: str) -> tuple[Any] | None:
    """Return the value of an object whose arguments are valid JSON in single quotes (Glaive), else None."""
    opened = _SINGLE.search(text)
    closed = text.rfind("'")
    if opened is None or closed < opened.end():
        return None
    bare = text[: opened.end() - 1] + text[opened.end() : closed] + text[closed + 1 :]
    return values.unambiguous(bare)


def read_named(task: Task, name: str, start: int, pos: int, stop: str) -> Steps[Reading]:
    """Return the call of `name` whose arguments are the object at `pos`."""
    found = yield from bounded(task, pos, stop)
    end = found.end
    text = task.tape.slice(pos, end)
    unit = from_text(task, name, text, pos, (start, end), ended(task, found))
    if found.torn or (found.open and unit.state == "whole" and not task.tape.stopped):
        unit = replace(unit, state="cut")
    return Reading((unit,), end, "named", found.closed)
