"""Parse calls in tags: a name, then arguments as raw text, whose types the schema gives."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from zkit.expect import ALL_KINDS, Expect
from zkit.extract.parsers.arguments import Reading, Task, Unit, broken, finished
from zkit.extract.parsers.call_objects import ARGUMENT_KEYS
from zkit.extract.parsers.json_calls import read_named
from zkit.extract.parsers.tag_dialects import MINIMAX_M3, Dialect, attributes, written_attributes
from zkit.extract.parsers.values import Slot, Value, strict, typed
from zkit.extract.tape import MOST_HEADER, Steps, compiled, searched
from zkit.json_types import JsonObject
from zkit.receipt import Fix, Rank

_CDATA = re.compile(r"\s*<!\[CDATA\[(.*?)\]\]>\s*", re.DOTALL)
_FIRST_BREAK, _LAST_BREAK = re.compile(r"\A\r?\n"), re.compile(r"\r?\n\Z")
_CLOSER_END = re.compile(r"([\w:.-]{1,64}+)\s*+>")
_NEVER = r"(?!)"
_GAP = r"\s*+(?:```[\w-]*+\s*+)?"


class Raw(NamedTuple):
    """The text of one argument: its span, where to continue, and what was odd about it."""

    start: int
    end: int
    next: int
    odd: str = ""


@dataclass(slots=True)
class Draft:
    """A call that is being read, with the arguments so far."""

    name: str
    start: int
    id: str = ""
    values: JsonObject = field(default_factory=dict)
    fixes: list[Fix] = field(default_factory=list)
    trouble: tuple[str, str] = ("", "")
    odd: set[str] = field(default_factory=set)


def read_markup(task: Task, dialect: Dialect, pos: int, stop: str) -> Steps[Reading | None]:
    """Return the calls at `pos`, one after the other; None if none opens there."""
    units: list[Unit] = []
    at, closed = pos, True
    opener = compiled(dialect.unit)
    while closed:
        gap = (yield from task.tape.next_solid(at)) if units else at
        head = yield from task.tape.look(opener, gap)
        if head is None and not units and not dialect.any_tag:
            return cut_header(task, dialect.unit, dialect.name, gap)
        if head is None:
            break
        attrs = attributes(head.groupdict().get("attrs"))
        name = head.groupdict().get("name") or attrs.get("name") or attrs.get("tool") or ""
        if not name or (units and dialect.any_tag and task.tools.name_of(name) is None):
            break
        draft = Draft(name, gap, attrs.get("id", ""), _object_in(attrs))
        begin = gap + head.end()
        for key, text in written_attributes(head.groupdict().get("given")):
            _write(draft, key, typed(text, task.slot(name, key), gap))
        if head.groupdict().get("empty"):
            units.append(unit_of(task, draft, begin))
            at = begin
            continue
        unit, at, closed = yield from read_unit(task, dialect, draft, begin, stop)
        units.append(unit)
    return Reading(tuple(units), at, dialect.name, closed) if units else None


def _object_in(attrs: dict[str, str]) -> JsonObject:
    """Return the arguments that an attribute holds as one object; empty if there is none.

    For example `<function name="f" arguments='{...}'/>`.
    """
    found = (strict(attrs[key]) for key in ARGUMENT_KEYS if key in attrs)
    return next((one[0] for one in found if one and isinstance(one[0], dict)), {})


def cut_header(task: Task, pattern: str, body: str, at: int) -> Reading | None:
    """Return a cut call if the reply ends inside its header and it may be a declared tool's, else None."""
    text = task.tape.slice(at, at + MOST_HEADER)
    if not ends_in(task, pattern, at):
        return None
    name = next((name for name in task.tools.spellings if name in text), None)
    return cut_reading(task, task.tools.begun_in(text) if name is None else name, body, at)


def cut_reading(task: Task, name: str | None, body: str, at: int) -> Reading | None:
    """Return a call that is cut by the end of the reply; `name` may be incomplete. None for no name."""
    unit = Unit(name or "", None, (at, task.tape.size), state="cut")
    return None if name is None else Reading((unit,), task.tape.size, body, False)


def ends_in(task: Task, pattern: str, at: int) -> bool:
    """True if the reply ends inside a match of the pattern that begins at `at`."""
    text = task.tape.slice(at, at + MOST_HEADER)
    if not text or not task.tape.final or at + len(text) < task.tape.size:
        return False
    return compiled(pattern).fullmatch(text, partial=True) is not None


def read_unit(
    task: Task, dialect: Dialect, draft: Draft, pos: int, stop: str
) -> Steps[tuple[Unit, int, bool]]:
    """Return the call whose opener ends at `pos`, the position after it, and whether it was closed."""
    tape = task.tape
    end = dialect.end_of(draft.name)
    begins = compiled(rf"{_GAP}(?P<object>\{{)|\s*+(?={dialect.param}|{end})")
    first = yield from tape.look(begins, pos)
    if first is not None and first["object"]:
        return (yield from _with_object(task, dialect, draft, pos + first.end() - 1, stop))
    at = pos
    param = compiled(rf"\s*+(?:{dialect.param})")
    while True:
        opened = yield from tape.look(param, at)
        if opened is None:
            break
        raw = yield from _read_raw(task, dialect, draft, at + opened.end(), opened, stop)
        if raw is None:
            return _cut(draft, tape.size), tape.size, False
        _keep(task, dialect, draft, opened, raw)
        at = raw.next
    closer = yield from tape.look(rf"\s*+(?:{end})", at)
    if closer is not None:
        return unit_of(task, draft, at + closer.end()), at + closer.end(), True
    return (yield from _unclosed(task, dialect, draft, at, stop))


def _with_object(
    task: Task, dialect: Dialect, draft: Draft, pos: int, stop: str
) -> Steps[tuple[Unit, int, bool]]:
    """Read arguments that are one JSON object between the tags."""
    end = dialect.end_of(draft.name)
    until = "|".join(filter(None, (end, stop)))
    reading = yield from read_named(task, draft.name, draft.start, pos, until)
    closer = yield from task.tape.look(rf"(?:\s*+```)?\s*+(?:{end})", reading.end)
    at = reading.end + (0 if closer is None else closer.end())
    span, keys = (draft.start, at), frozenset({"_object"})
    unit = replace(reading.units[0], span=span, id=draft.id, keys=keys)
    return unit, at, closer is not None


def _unclosed(
    task: Task, dialect: Dialect, draft: Draft, at: int, stop: str
) -> Steps[tuple[Unit, int, bool]]:
    """Read a call without its closing tag: it is cut, unless no argument can be missing.

    None is missing if the end of the envelope follows, or if the call has every argument that the
    tool takes.
    """
    tape = task.tape
    solid = yield from tape.next_solid(at)
    tags = rf"(?:{dialect.param})|(?:{dialect.unit_end})"
    ends = solid >= tape.size or ends_in(task, tags, solid)
    solid = tape.size if ends else solid
    stopped = (yield from tape.look(stop or _NEVER, solid)) if not ends else None
    whole = ends and not tape.cut and _has_all(task, draft)
    if (draft.values and stopped is not None) or (whole and not dialect.any_tag):
        note = "the closing tag of the call was missing"
        draft.fixes.append(Fix("close_call", Rank.COMPLETE, at, at, "", note))
        return unit_of(task, draft, at), at, stopped is not None
    if ends or draft.values:
        return _cut(draft, solid if ends else at), solid if ends else at, False
    return broken(draft.name, (draft.start, at), "other_markup", ""), at, False


def _has_all(task: Task, draft: Draft) -> bool:
    """True if a call has every argument that its tool takes."""
    taken = task.tools.expect(draft.name).keys
    return not task.tools.is_open(draft.name) and taken <= draft.values.keys()


def _read_raw(
    task: Task, dialect: Dialect, draft: Draft, start: int, opened: Any, stop: str
) -> Steps[Raw | None]:
    """Return the text of one argument; None if it is cut.

    It ends at the first closer that another argument or the end of the call follows.
    """
    key, attrs = _key_of(opened)
    end = dialect.end_of(draft.name)
    if _nests(dialect, attrs, task.tools.expect(draft.name).child(key)):
        return (yield from _read_nested(task, dialect, key, start))
    closer = dialect.closer(key)
    ends = [f"(?P<value_end>{closer.pattern})", f"(?P<unit_end>{end})"]
    if not dialect.keys_are_tags:
        ends.append(f"(?P<next>{dialect.param.replace('?P<key>', '').replace('?P<attrs>', '')})")
    marks = searched("|".join(ends))
    again = closer.pattern if dialect.doubles else _NEVER
    follow = compiled(
        rf"(?P<again>\s*+(?:{again}))?+\s*+(?:{dialect.param}|{end}|{stop or _NEVER}|\Z)"
    )
    at, inside, missing, foreign = start, False, None, 0
    while (hit := (yield from task.tape.find(marks, at))) is not None:
        at = hit.end
        kind = hit.match.lastgroup
        if kind == "value_end":
            after = yield from task.tape.look(follow, hit.end)
            if after is not None:
                odd = "ambiguous" if foreign else "holds_closer" if inside else ""
                return Raw(start, hit.start, hit.end + len(after["again"] or ""), odd)
            inside, foreign = True, max(foreign - 1, 0)
            continue
        if kind == "next" and not _may_open(task, dialect, draft, hit.match.group()):
            foreign += 1
            continue
        missing = hit.start if missing is None else missing
        if task.tape.exhausted or (kind == "next" and not inside):
            break
    if missing is None:
        return None
    return Raw(start, missing, missing, "ambiguous" if inside else "no_closer")


def _nests(dialect: Dialect, attrs: dict[str, str], expect: Expect) -> bool:
    """True if a value is made of tags; plain tags are text if the schema allows a string (MiniMax-M3)."""
    if not dialect.nested or not dialect.keys_are_tags:
        return bool(dialect.nested) and attrs.get("type") in ("dict", "list")
    return dialect is MINIMAX_M3 or "string" not in expect.kinds


def _may_open(task: Task, dialect: Dialect, draft: Draft, tag: str) -> bool:
    """True if a tag inside a value may open the next argument: its key must be one of the tool's.

    See corpus/untouched/two_readings.
    """
    opened = compiled(dialect.param).match(tag)
    if opened is None or task.tools.is_open(draft.name):
        return True
    return _key_of(opened)[0] in task.tools.expect(draft.name).keys


def _read_nested(task: Task, dialect: Dialect, key: str, start: int) -> Steps[Raw | None]:
    """Return the text of an argument whose value is made of tags, by counting openers and closers."""
    opener = dialect.param
    if dialect.keys_are_tags:
        opener = re.sub(r"\(\?P<key>.*?\)(?=>)", lambda _: re.escape(key), dialect.param)
    closer = dialect.closer(key).pattern
    marks = searched(rf"(?P<open>{opener.replace('?P<attrs>', '?:')})|(?P<close>{closer})")
    at, depth = start, 1
    while True:
        hit = yield from task.tape.find(marks, at)
        if hit is None or task.tape.exhausted:
            return None
        depth += 1 if hit.match.lastgroup == "open" else -1
        at = hit.end
        if depth == 0:
            return Raw(start, hit.start, at)


def _key_of(opened: Any) -> tuple[str, dict[str, str]]:
    attrs = attributes(opened.groupdict().get("attrs"))
    key = opened.groupdict().get("key") or attrs.get("name") or attrs.get("key") or ""
    return key.strip(), attrs


def _keep(task: Task, dialect: Dialect, draft: Draft, opened: Any, raw: Raw) -> None:
    """Convert one argument to its type and write it into the draft."""
    key, attrs = _key_of(opened)
    text = task.tape.slice(raw.start, raw.end)
    _write(draft, key, _value(dialect, attrs, text, task.slot(draft.name, key), raw))
    if raw.odd:
        draft.odd.add(raw.odd)
    if raw.odd == "no_closer":
        note = f"the closing tag of {key} was missing"
        draft.fixes.append(Fix("close_argument", Rank.COMPLETE, raw.end, raw.end, "", note))


def _write(draft: Draft, key: str, found: Value) -> None:
    """Write a value into the draft; a key that is there already makes the call ambiguous."""
    if key in draft.values or not key:
        draft.trouble = ("ambiguous", f"{draft.name}: {key or 'an argument'} is given twice.")
        return
    draft.values[key] = found.value
    draft.fixes += found.fixes
    if found.reason:
        draft.trouble = (found.reason, found.message)


def _without_other_closer(text: str) -> str:
    """Return the text without a closing tag of another name at its end, unless it holds the opening tag.

    Small models close `<parameter=city>` with `</city>` or `</param>` (corpus/extract/qwen3_coder).
    """
    head, _, end = text.rstrip().rpartition("</")
    tag = _CLOSER_END.fullmatch(end)
    return text if tag is None or f"<{tag[1]}" in head else head


def _value(dialect: Dialect, attrs: dict[str, str], text: str, slot: Slot, raw: Raw) -> Value:
    kind = attrs.get("type", "")
    if _nests(dialect, attrs, slot.expect):
        return nested_value(dialect, text, slot, kind)
    declared = {"true": "string", "false": "json"}.get(attrs.get("string", ""), kind)
    if raw.odd == "no_closer":
        text = _without_other_closer(text)
    cdata = _CDATA.fullmatch(text)
    if cdata is not None:  # MiniCPM 5 writes code as CDATA
        text = cdata.group(1)
    elif dialect.newlines:  # Qwen3-Coder puts a line end on both sides
        text = _LAST_BREAK.sub("", _FIRST_BREAK.sub("", text))
    if cdata is None and raw.odd == "no_closer":
        text = text.rstrip()
    if declared in ("string", "raw"):
        return Value(text)
    if declared and slot.expect.kinds == ALL_KINDS and (literal := strict(text)) is not None:
        return Value(literal[0])  # only the tag has a type (Kimi K3, DeepSeek)
    return typed(text, slot, raw.start)


def unit_of(task: Task, draft: Draft, end: int) -> Unit:
    """Return the call that a draft describes, or why it is refused."""
    span = (draft.start, end)
    reason, message = draft.trouble
    if not reason and ("ambiguous" in draft.odd or draft.odd >= {"no_closer", "holds_closer"}):
        reason = "ambiguous"
        message = f"{draft.name}: an argument holds tags of its own kind; its end is not clear."
    if reason:
        return broken(draft.name, span, reason, message)
    unit = finished(task, draft.name, draft.values, span, tuple(draft.fixes))
    return replace(unit, id=draft.id)


def _cut(draft: Draft, end: int) -> Unit:
    return Unit(draft.name, dict(draft.values), (draft.start, end), draft.id, state="cut")


MAX_DEPTH = 50


@dataclass(slots=True)
class _Node:
    """An open element: its key and kind, its text so far, and its children."""

    key: str
    kind: str
    expect: Expect
    text: str = ""
    children: list[tuple[str, Any]] = field(default_factory=list)

    def child(self, key: str, kind: str) -> _Node:
        listed = key in ("", "item") and "array" in self.expect.kinds
        return _Node(key, kind, self.expect.item() if listed else self.expect.child(key))

    def value(self) -> Any:
        kinds = self.expect.kinds
        if not self.children and self.kind not in ("dict", "list"):
            if not self.text.strip() and "string" not in kinds and kinds & {"array", "object"}:
                return [] if "array" in kinds else {}  # empty where the schema has a container
            slot = Slot(self.key, self.expect)
            return self.text if self.kind == "raw" else typed(self.text, slot, 0).value
        keys = {key for key, _ in self.children}
        if self.kind == "list" or (self.kind != "dict" and keys <= {"item", ""}):
            return [value for _, value in self.children]
        if len(keys) < len(self.children):
            raise ValueError("a key is given twice")
        rest = {"$text": self.text.strip()} if self.text.strip() else {}
        return {**dict(self.children), **rest}


def nested_value(dialect: Dialect, text: str, slot: Slot, kind: str) -> Value:
    """Return the value that the tags inside an argument spell out."""
    root = _Node(slot.key, kind, slot.expect)
    stack, at = [root], 0
    try:
        for match in searched(dialect.nested).finditer(text):
            stack[-1].text += text[at : match.start()]
            at = match.end()
            if match["close"]:
                done = stack.pop()
                stack[-1].children.append((done.key, done.value()))
            elif len(stack) <= MAX_DEPTH:
                inner, attrs = _key_of(match)
                stack.append(stack[-1].child(inner, attrs.get("type", "")))
        root.text += text[at:]
        if len(stack) == 1:
            return Value(root.value())
    except (IndexError, ValueError):
        pass
    return Value(None, (), "damaged", f"{slot.key}: the tags inside the value do not match.")
