"""The records that parsers return, and the check that turns arguments into a call or a refusal."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from zkit.expect import Expect
from zkit.extract.declared import Declared
from zkit.extract.parsers.call_objects import RESULT_KEYS, Spelt, is_declaration
from zkit.extract.parsers.values import Slot, repaired, shifted
from zkit.extract.tape import Match, Steps, Tape
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank, highest
from zkit.repair import Unrepairable

# Keys that some models put around all arguments (MiniCPM 5, corpus/extract/small_models).
WRAPPERS = ("arguments", "properties", "parameters", "input", "kwargs", "params", "args")


State = Literal["whole", "cut", "broken"]


@dataclass(frozen=True, slots=True)
class Unit:
    """One call as it was written.

    `name` is as written, `arguments` is what could be read, and `message` says why a broken call
    could not be. `keys` are the other keys beside the name; they decide about calls without a marker.
    """

    name: str
    arguments: Any
    span: tuple[int, int]
    id: str = ""
    fixes: tuple[Fix, ...] = ()
    state: State = "whole"
    reason: str = ""
    message: str = ""
    keys: frozenset[str] = frozenset()

    @property
    def rank(self) -> Rank:
        """The highest rank of its fixes."""
        return highest(self.fixes)


@dataclass(frozen=True, slots=True)
class Reading:
    """The content of one envelope: its calls, where it ends, the kind of its body, and its opener."""

    units: tuple[Unit, ...]
    end: int
    body: str
    closed: bool = True
    opener: str = ""


def broken(name: str, span: tuple[int, int], reason: str, message: str) -> Unit:
    """Return a call that cannot be read, with a message for the model."""
    return Unit(name, None, span, state="broken", reason=reason, message=message)


class Task(NamedTuple):
    """The input of a parser: the text so far, and the declared tools."""

    tape: Tape
    tools: Declared

    def slot(self, name: str, key: str) -> Slot:
        """Return what the schema says about one argument of a tool."""
        return Slot(key, self.tools.expect(name).child(key))

    def look_named(self, pattern: str, at: int) -> Steps[Match | None]:
        """Return the match at a position if it names a declared tool, otherwise None."""
        found = yield from self.tape.look(pattern, at)
        return None if found is None or self.tools.name_of(found["name"]) is None else found


def unit_of(task: Task, spelt: Spelt, span: tuple[int, int], fixes: tuple[Fix, ...]) -> Unit:
    """Return the call that a JSON object spells out, or why it is refused."""
    arguments = spelt.arguments
    if arguments is None or arguments == "":
        arguments = {}
    if isinstance(arguments, str):
        # JSON in a string, as in the OpenAI API (Granite 4)
        unit = from_text(task, spelt.name, arguments, 0, span)
        inner = tuple(fix._replace(start=0, end=0, path="arguments") for fix in unit.fixes)
        return replace(unit, id=spelt.id, fixes=fixes + inner, keys=spelt.keys)
    if spelt.keys & RESULT_KEYS:
        return broken(spelt.name, span, "result", "")
    unit = finished(task, spelt.name, arguments, span, fixes)
    return replace(unit, id=spelt.id, keys=spelt.keys)


def from_text(
    task: Task, name: str, text: str, at: int, span: tuple[int, int], finish: str | None = None
) -> Unit:
    """Return the call whose arguments are the JSON object `text`, which begins at `at`.

    `finish` is the finish reason for the object: after "stop" its last value is complete.
    """
    outcome = repaired(text, finish)
    if isinstance(outcome, Unrepairable):
        if outcome.reason == "cut":
            return Unit(name, None, span, state="cut")
        return broken(name, span, outcome.reason, outcome.message)
    if outcome.rank >= Rank.CUT:
        return Unit(name, outcome.value, span, state="cut")
    return finished(task, name, outcome.value, span, shifted(outcome.fixes, at))


def finished(
    task: Task, name: str, arguments: Any, span: tuple[int, int], fixes: tuple[Fix, ...]
) -> Unit:
    """Return the call with these arguments, or why they are refused."""
    expect = task.tools.expect(name)
    if not isinstance(arguments, dict):
        return broken(name, span, "no_object", f"The arguments of {name} must be an object.")
    if is_declaration(arguments, expect):
        return broken(name, span, "declaration", "")
    fallen = _fallen_in(arguments, expect) if highest(fixes) >= Rank.COMPLETE else ""
    if fallen:
        message = f"{name}: a bracket or a quote is not closed, and {fallen} may be in it or after it. Close it and call {name} again."
        return broken(name, span, "ambiguous", message)
    key = next(iter(arguments)) if len(arguments) == 1 else ""
    if (
        task.tools.name_of(name)
        and key in WRAPPERS
        and key not in expect.keys
        and isinstance(arguments[key], dict)
    ):
        note = f"the arguments stood under the key {key!r}"
        fixes = (*fixes, Fix("unwrap_arguments", Rank.UNWRAP, 0, 0, "", note, key))
        arguments = arguments[key]
    hollow = _placeholder(arguments, expect, task.tools.schema(name) or {})
    if hollow:
        message = f"{name}: {hollow} holds a placeholder. Call {name} again with the value itself."
        return broken(name, span, "placeholder", message)
    if not _finite(arguments):
        message = f"{name}: a number is too large to be one. Send it as a finite number."
        return broken(name, span, "number", message)
    return Unit(name, arguments, span, fixes=fixes)


_BLANK = re.compile(r"_{2,}+\Z|<(?P<inner>[^\W\d][\w -]{1,60}+)>\Z")
_TYPES = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "list": "array", "dict": "object"}  # fmt: skip


def _placeholder(arguments: JsonObject, expect: Expect, schema: JsonObject) -> str:
    """Return the key of an argument that holds a placeholder instead of a value; empty if none does.

    `{"city": "string", "days": "integer"}` repeats the schema; `"<your query>"` and `"___"` repeat
    an example (Llama 3.2 1B, Qwen2.5 0.5B). A word in the schema's enum is a value.
    """
    texts = {
        key: value
        for key, value in arguments.items()
        if isinstance(value, str) and value not in _listed(schema, key)
    }
    types = [
        key for key, value in texts.items() if _TYPES.get(value, value) in expect.child(key).kinds
    ]
    if types and len(types) == len(arguments):
        return str(types[0])
    return next((str(key) for key, value in texts.items() if _is_blank(str(key), value)), "")


def _is_blank(key: str, value: str) -> bool:
    """True if a text is a blank to fill in: `___`, `<city>` for the key `city`, `<your query>`."""
    blank = _BLANK.match(value)
    if blank is None or blank["inner"] is None:
        return blank is not None
    inner, name = blank["inner"].lower(), key.lower()
    return inner in name or name in inner or any(sign in inner for sign in " _-") or inner in _TYPES


def _listed(schema: JsonObject, key: str) -> list[Any]:
    """Return the enum values that a schema lists for a key."""
    part = (schema.get("properties") or {}).get(key)
    return list(part.get("enum") or ()) if isinstance(part, dict) else []


def _fallen_in(arguments: JsonObject, expect: Expect) -> str:
    """Return a key that ended up inside another argument, or fell out of a list; empty if there is none.

    The other argument is an object without such a key in its schema, or a text that holds the key
    and its colon. See corpus/extract/damaged.
    """
    missing = expect.keys - arguments.keys()
    for key, value in arguments.items():
        inner = expect.child(key)
        fallen_out = (arguments.keys() - expect.keys) & inner.item().keys
        if fallen_out:
            return str(min(fallen_out))
        for part in value if isinstance(value, list) else [value]:
            within = part if isinstance(part, dict) else {}
            lost = within.keys() & missing - inner.keys - inner.item().keys
            if isinstance(part, str):
                lost = {name for name in missing if f'{name}":' in part}
            if lost:
                return str(min(lost))
    return ""


def _finite(arguments: JsonObject) -> bool:
    """True if JSON can express the arguments: `1e999` becomes infinity, which it cannot express.

    See corpus/untouched/two_readings.
    """
    try:
        json.dumps(arguments, allow_nan=False)
    except ValueError:
        return False
    except RecursionError:
        pass
    return True
