"""Parse the content of an envelope; the first characters of the body decide which parser reads it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from zkit.extract.formats.table import FORMATS
from zkit.extract.parsers import tag_dialects as dialects
from zkit.extract.parsers.arguments import Reading, Task, Unit, broken
from zkit.extract.parsers.call_objects import OPENING_KEYS
from zkit.extract.parsers.headers import HEADERS, NAME, closed_by, read_header
from zkit.extract.parsers.json_calls import DAMAGED, bounded, followed, read_json, units_in
from zkit.extract.parsers.python_calls import read_arrows, read_braces, read_python
from zkit.extract.parsers.tag_calls import Draft, cut_reading, read_markup, read_unit
from zkit.extract.parsers.values import Extent
from zkit.extract.tape import LONGEST_MARK, MOST_HEADER, Steps, compiled, searched

GENERIC_STOP = r"</s>|<\|im_end\|>|<\|endoftext\|>|<\|eot_id\|>|<\|eom_id\|>|<end_of_turn>"
# How far to search for the end of an envelope without a readable call; longer texts are documents.
LONGEST_UNREAD = 20_000
Read = Callable[[Task, int, str], Steps[Reading | None]]


class Wrapper(NamedTuple):
    """An envelope: the patterns of its opener and closer, of what ends a damaged body, and of its end."""

    opener: str
    closer: str
    stop: str
    end: str


def _wrapper(opener: str, closer: str) -> Wrapper:
    """Return an envelope; any extra closing brackets before its closer belong to its end.

    Qwen3 and Granite close with the opener: `<tool_call>{...}<tool_call>`.
    """
    marks = "|".join(filter(None, (closer, opener)))
    again = rf"(?:{opener})(?=\s*+(?:\Z|<\||</))"
    end = rf"\s*+[\]}})]*?\s*+(?:```)?\s*+(?i:{closer}|{again})"
    return Wrapper(opener, closer, f"(?i:{marks})|{GENERIC_STOP}", end)


_CLOSERS = {record.opener: record.closer for record in FORMATS.values() if record.opener}
WRAPPERS = tuple(_wrapper(opener, closer) for opener, closer in _CLOSERS.items())


def by_tags(*ways: dialects.Dialect) -> Read:
    """Return a reader for calls in tags, which tries the next dialect if the arguments are in other tags."""

    def read(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
        found: Reading | None = None
        for dialect in ways:
            reading = yield from read_markup(task, dialect, pos, stop)
            found = reading or found
            if reading is None or any(unit.reason != "other_markup" for unit in reading.units):
                break
        return found

    return read


def by_header(kind: str) -> Read:
    """Return a reader for a header and an object."""
    return lambda task, pos, stop: read_header(task, kind, pos, stop)


def _call_begin(task: Task, pos: int, stop: str) -> Steps[Reading | None]:
    """Read a call of Step-3, Kimi or DeepSeek: they share the opener, and the rest tells them apart."""
    for read in (by_tags(dialects.STEP3), by_header("kimi"), by_header("deepseek")):
        reading = yield from read(task, pos, f"{dialects.CALL_END}|{stop}")
        if reading is not None:
            return reading
    return None


_PREFIXED = dialects.PREFIX.removesuffix("?+")

# Bodies that are recognised without an envelope.
BODIES: dict[str, tuple[str, Read]] = {
    "function_eq": (r"<function\s*+=", by_tags(dialects.FUNCTION_EQ, dialects.FUNCTION_EQ_NAMED)),
    "function_name": (r"<function[\s\u0120]*+name\s*+=|<function_call\s++name\s*+=|<tool\s++name\s*+=|<tool_call\s++name\s*+=", by_tags(dialects.FUNCTION_NAME)),
    "invoke": (rf"<invoke\s++name\s*+=|<{_PREFIXED}invoke\s++name\s*+=", by_tags(dialects.INVOKE, dialects.INVOKE_TAGS)),
    "legacy": (rf"<{dialects.NAMED_IN_TAG}|<{_PREFIXED}{dialects.NAMED_IN_TAG}", by_tags(dialects.LEGACY)),
    "cofl": (r"<cofl:tool_call\s", by_tags(dialects.COFL)),
    "xtml": (r"<\|open\|>call\s", by_tags(dialects.XTML)),
    "m3": (rf"{dialects.M3}<invoke\s", by_tags(dialects.MINIMAX_M3)),
    "call_begin": (dialects.CALL_BEGIN[3:-1], _call_begin),
    **{h.name: (h.opens, by_header(h.name)) for h in HEADERS.values() if h.opens},
}  # fmt: skip

_INNER = (
    r"(?:<(?:ifm\|)?tool_call(?::[\w-]++)?+\s*+>\s*+)?+(?:(?:```[\w-]*+|json)[ \t\r]*+\n\s*+)?+"
)
# A name before tags of arguments; it may contain blanks (Laguna under vLLM).
_SPACED_NAME = r"(?P<name>[^\s<>{}()\[\]\"'|]{1,128}(?: [^\s<>{}()\[\]\"'|]{1,64}){0,4})"
_PLAIN_NAME = NAME.replace("(?P<name>", "(?:")
_CHOICE = (
    rf"(?i)\s*+{_INNER}(?:"
    + "|".join(f"(?P<{kind}>(?={start}))" for kind, (start, _) in BODIES.items())
    + r"|(?P<arrows>(?=\{\s*+tool\s*+=>))|(?P<json>(?=\[?\s*+\{))"
    + rf"|(?P<braces>(?=call\s*+:\s*+{_PLAIN_NAME}\s*+\{{))"
    + r"|(?P<python>(?=\[?\s*+(?:print\(\s*+)?[^\W\d][\w.:/-]*+\s*+\())"
    + rf"|(?P<key_value>{_SPACED_NAME}\s*+(?=<arg_key)|{NAME}\s*+(?:<tool_sep(?::[\w-]++)?+>)?+\s*+(?=<{dialects.SPACE}(?:arg|param)_key|</{dialects.SPACE}tool_call)|{NAME}\s*+<tool_sep(?::[\w-]++)?+>\s*+)"
    + rf"|(?P<named>(?={_PLAIN_NAME}(?:\[CALL_ID\]\w{{1,64}})?+(?:\[ARGS\])?+\s*+(?:```[\w-]*+\s*+)?+\{{))"
    + r")"
)
_READS: dict[str, Read] = {
    **{kind: read for kind, (_, read) in BODIES.items()},
    "arrows": read_arrows,
    "json": read_json,
    "braces": read_braces,
    "python": read_python,
    "named": by_header("named"),
}
_OBJECT = r"\s*+,?\s*+(?=\{\s*+[\"'}])"
_KINDS = ("json", *(kind for kind in _READS if kind != "json"), "key_value")
_NESTED_END = r"(?:\s*+```(?!\w))?+(?:\s*+</(?:ifm\|)?(?i:tool_call)(?::[\w-]++)?+\s*+>)?+"


# Everything that opens an envelope, with the index of its wrapper, and everything that opens a call.
WRAPPED = "(?i)" + "|".join(f"(?P<w_{i}>{w.opener})" for i, w in enumerate(WRAPPERS))
OPENED = (
    "(?i)" + "|".join(f"(?P<b_{k}>{start})" for k, (start, _) in BODIES.items()) + "|" + WRAPPED[4:]
)


def read_envelope(task: Task, wrapper: Wrapper, start: int, pos: int) -> Steps[Reading | None]:
    """Return the content of the envelope whose opener ends at `pos`; None if it spells no call."""
    units: list[Unit] = []
    at, kind, closed = pos, "", True
    while closed:
        reading = yield from _read_body(task, wrapper, at)
        other = (yield from task.tape.look(_OBJECT, at)) if reading is None and units else None
        if other is not None:  # an object that is not a call; it may hold more arguments
            units[-1] = followed(units[-1])
            skipped = yield from bounded(task, at + other.end(), wrapper.stop)
            at, closed = skipped.end, skipped.closed
            continue
        if reading is None:
            break
        units += reading.units
        at, kind, closed = reading.end, kind or reading.body, reading.closed
        if reading.body == "key_value" and _ends_with(task, wrapper, at):
            break
        nested = yield from task.tape.look(_NESTED_END, at)
        if nested is not None and not wrapper.closer.startswith("</(?i:tool_call)"):
            at += nested.end()
    if not units:
        cut = _cut_body(task, wrapper, start, pos)
        return cut or (yield from _unread(task, wrapper, pos))
    first = replace(units[0], span=(start, units[0].span[1])) if len(units) == 1 else units[0]
    reading = Reading((first, *units[1:]), at, kind, False)
    return (yield from closed_by(task, reading, wrapper.closer and wrapper.end))


# The beginning of an object or a list of calls, up to its first key.
_BEGUN = r"\s*+(?:\[\s*+)?+(?:\{\s*+(?:[\"'](?P<key>[\w.-]*+))?+)?+"


def _cut_body(task: Task, wrapper: Wrapper, start: int, pos: int) -> Reading | None:
    """Return a cut call if the reply ends before the body shows what it is (corpus/extract/ends).

    An opener with nothing after it counts only at the beginning of a line or if the server cut the
    reply; otherwise a sentence may end with the name of a tag.
    """
    tape, tools = task.tape, task.tools
    body = tape.slice(pos, pos + MOST_HEADER)
    if not tape.final or pos + len(body) < tape.size:
        return None
    if not body.strip():
        line = tape.slice(start - MOST_HEADER, start).rpartition("\n")[2]
        return cut_reading(task, None if line.strip() and not tape.cut else "", "", start)
    begun = compiled(_BEGUN).fullmatch(body)
    if begun is not None:
        key = begun["key"] or ""
        known = key in tools.prefixes or any(one.startswith(key) for one in OPENING_KEYS)
        return cut_reading(task, "" if known else None, "json", start)
    if body.strip() in tools.prefixes:
        return cut_reading(task, body.strip(), "", start)
    tag = "<" in body and compiled(_CHOICE).fullmatch(body, partial=True)
    return cut_reading(task, "", "", start) if tag else None


def _unread(task: Task, wrapper: Wrapper, pos: int) -> Steps[Reading | None]:
    """Read a damaged JSON value in an envelope if it names a declared tool, otherwise return None.

    Its first brace is missing, or it is in quotes (corpus/extract/damaged). If it spells no call, it
    is refused: Apertus writes two names in one object, or a name without an object.
    """
    if task.tape.exhausted:
        return None
    if (yield from task.tape.look(DAMAGED, pos)) is None:
        return None
    closer = yield from task.tape.find(searched(wrapper.stop), pos, pos + LONGEST_UNREAD)
    end, after = (task.tape.size,) * 2 if closer is None else (closer.start, closer.end)
    text = task.tape.slice(pos, end)
    units = units_in(task, text, pos, Extent(end, closer is not None))
    if any(task.tools.name_of(unit.name) for unit in units):
        return Reading(units, after, "json", closer is not None)
    name = next((n for n in task.tools.offers if f'"{n}"' in text), None)
    if name is None or closer is None:
        return None
    message = f"The call of {name} cannot be read. Send one object with its name and its arguments."
    return Reading((broken(name, (pos, after), "other_object", message),), after, "json")


def _ends_with(task: Task, wrapper: Wrapper, at: int) -> bool:
    """True if the text just read ends with the envelope's closer, so that the envelope is over.

    See corpus/extract/glm45.
    """
    _, opens, last = task.tape.slice(at - LONGEST_MARK, at).rpartition("<")
    closes = compiled(rf"(?i:{wrapper.closer})\s*+").fullmatch(opens + last)
    return bool(wrapper.closer) and closes is not None


def _read_body(task: Task, wrapper: Wrapper, pos: int) -> Steps[Reading | None]:
    choice = yield from task.tape.look(_CHOICE, pos)
    if choice is None:
        return None
    kind = next(kind for kind in _KINDS if choice.group(kind) is not None)
    at = pos + choice.end()
    if kind == "key_value":
        draft = Draft(choice["name"], pos)
        unit, end, closed = yield from read_unit(task, dialects.KEY_VALUE, draft, at, wrapper.stop)
        if not draft.values and task.tools.name_of(draft.name) is None:
            return None
        return Reading((unit,), end, "key_value", closed)
    reading = yield from _READS[kind](task, at, wrapper.stop)
    return reading if reading is not None and reading.units else None
