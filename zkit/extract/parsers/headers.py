"""Parse calls with a header that names the tool; the arguments follow as one object."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from zkit.extract.parsers.arguments import Reading, Task, Unit, broken, finished
from zkit.extract.parsers.json_calls import read_named
from zkit.extract.parsers.tag_calls import cut_header, cut_reading
from zkit.extract.parsers.tag_dialects import CALL_BEGIN, CALL_END, CALL_SEP
from zkit.extract.parsers.values import strict
from zkit.extract.tape import Steps, searched
from zkit.receipt import Fix, Rank

NAME = r"(?P<name>[^\s<>{}()\[\]\"'|✿,;\ufeff]{1,128})"
_FENCE = r"(?:```[\w-]*+\s*+)?+"
_FENCE_END = r"(?:\s*+```)?"
_QUOTED_OBJECT = r"\"\s*+\{"
_QUOTE = re.compile(r"(?<!\\)(?:\\\\)*+\"")
# Markdown around a label at the beginning of a line, and the labels of ReAct prompts.
LABEL_MARK = r"(?:\*\*|__|#{1,4}[ \t]|[0-9]{1,2}[.)][ \t])*+"
LABEL_COLON = r"(?:[ \t]?[0-9]{1,2})?+(?:\*\*|__)?+[ \t]*+:(?:\*\*|__)?+"
NEXT_LABEL = rf"\n[ \t]*+{LABEL_MARK}(?:Observation|Thought|Final Answer|Action){LABEL_COLON}"
_ACTION = rf"{LABEL_MARK}Action{LABEL_COLON}[ \t]*+"
_COUNTER = re.compile(r":[0-9]+\Z")


class Header(NamedTuple):
    """The patterns of the text before the arguments and of what closes the call after them."""

    name: str
    pattern: str
    end: str = ""
    # What ends a damaged object, in addition to `end`.
    stop: str = ""
    # Whether the arguments may be plain text, for a tool with one string parameter.
    raw: bool = False
    # Whether the header contains a token or a tag.
    marked: bool = True
    # The mark at which a call is recognised without an envelope.
    opens: str = ""


HEADERS: dict[str, Header] = {
    header.name: header
    for header in (
        Header("mistral", rf"\[TOOL_CALLS\]\s*+{NAME}(?:\s*+\[CALL_ID\]\s*+(?P<id>\w{{1,64}}))?+(?:\s*+\[ARGS\])?+\s*+{_FENCE}", stop=r"\[TOOL_CALLS\]", opens=r"\[TOOL_CALLS\]\s*+[^\s\[{<\"'(]"),
        Header("functionary_v2", rf"<\|recipient\|>\s*+{NAME}\s*+<\|content\|>\s*+", stop=r"<\|(?:from|recipient)\|>", opens=r"<\|recipient\|>"),
        Header("functionary_v32", rf">>>{NAME}[ \t\r]*+\n\s*+"),
        Header("deepseek", rf"{CALL_BEGIN}\s*+(?:function\s*+{CALL_SEP})?+\s*+{NAME}\s*+(?:{CALL_SEP})?+\s*+{_FENCE}", rf"{_FENCE_END}\s*+{CALL_END}", CALL_BEGIN),
        Header("kimi", rf"{CALL_BEGIN}\s*+{NAME}\s*+<\|tool_call_argument_begin\|>\s*+", rf"\s*+{CALL_END}", CALL_BEGIN),
        Header("solar", rf"<\|tool_call:begin\|>(?P<id>[^<>|]{{0,64}})<\|tool_call:name\|>\s*+{NAME}\s*+<\|tool_call:args\|>\s*+", r"\s*+<\|tool_call:end\|>", r"<\|tool_call:begin\|>", opens=r"<\|tool_call:begin\|>"),
        Header("plamo", rf"<\|plamo:begin_tool_request:plamo\|>\s*+<\|plamo:begin_tool_name:plamo\|>\s*+{NAME}\s*+<\|plamo:end_tool_name:plamo\|>\s*+<\|plamo:begin_tool_arguments:plamo\|>(?:<\|plamo:constrain\|>json)?+(?:<\|plamo:msg\|>)?+\s*+", r"\s*+<\|plamo:end_tool_arguments:plamo\|>(?:\s*+<\|plamo:end_tool_request:plamo\|>)?+", r"<\|plamo:", opens=r"<\|plamo:begin_tool_request:plamo\|>"),
        Header("inkling_named", rf"<\|message_model\|>{NAME}<\|content_invoke_tool_(?:json|text)\|>\s*+", r"\s*+<\|end_message\|>", raw=True, opens=r"<\|message_model\|>[^<>|\s]++<\|content_invoke_tool_"),
        Header("flower", rf"✿FUNCTION✿:?\s*+{NAME}\s*+✿ARGS✿:?\s*+", stop="✿(?:RESULT|RETURN|FUNCTION)✿", opens="✿FUNCTION✿"),
        Header("bracket_calling", rf"\[Calling tool:\s*+{NAME}\s*+\(\s*+", r"\s*+\)\s*+\]", r"\[Calling tool:", opens=r"\[Calling tool:"),
        Header("dspy", rf"\[\[ ## next_tool_name ## \]\]\s*+{NAME}\s*+\[\[ ## next_tool_args ## \]\]\s*+{_FENCE}", rf"{_FENCE_END}\s*+\[\[ ## completed ## \]\]", r"\[\[ ## next_tool_name ## \]\]", opens=r"\[\[ ## next_tool_name ## \]\]"),
        Header("tool_input", rf"(?i:<tool>)\s*+{NAME}\s*+(?i:</tool>\s*+<tool_input>)\s*+", r"\s*+(?i:</tool_input>)", raw=True, opens="<tool>"),
        Header("named", rf"{NAME}(?:\[CALL_ID\](?P<id>\w{{1,64}}))?+(?:\[ARGS\])?+\s*+{_FENCE}(?=\{{)", r"\s*+```", marked=False),
        Header("harmony", rf"(?:assistant\s*+)?(?:analysis|commentary)\s*+to=(?:functions\.)?{NAME}\s*+(?:<\|constrain\|>)?+(?:(?:code|json)\s*+)?(?:<\|message\|>)?+(?=\{{)", marked=False),
        Header("react", rf"{_ACTION}`?+(?P<name>[^\s`(){{}}\[\]<>]{{1,128}}+)`?+[ \t\r]*+\n\s*+{LABEL_MARK}Action[ _]Input{LABEL_COLON}\s*+(?:```[\w-]*+\s*+|`(?=\{{))?+", r"\s*+(?:```|~~~|`)", NEXT_LABEL, raw=True, marked=False),
        # `Action: NAME[...]`, as in the ReAct paper.
        Header("react_box", rf"{_ACTION}(?P<name>[^\W\d][\w.:/-]*+)[ \t]*+\[\s*+", r"\s*+\](?=[ \t\r]*+(?:\n|\Z))", r"\s*+\](?=[ \t\r]*+(?:\n|\Z))|\n", raw=True),
        Header("functions_colon", rf"(?:functions\.){NAME}?:\s*+(?=\{{)", marked=False),
        Header("name_line", rf"{NAME}\s*?(?:\n\s*+|\[ARGS\])?+(?=\{{)", marked=False),
    )
}  # fmt: skip


def read_header(task: Task, kind: str, pos: int, stop: str) -> Steps[Reading | None]:
    """Return the call whose header begins at `pos`; None if there is no header or no arguments."""
    tape, header = task.tape, HEADERS[kind]
    head = yield from tape.look(header.pattern, pos)
    if head is None:
        return cut_header(task, header.pattern, kind, pos) if header.marked else None
    name, at = _COUNTER.sub("", head["name"]), pos + head.end()
    ident = head.groupdict().get("id") or (head["name"] if kind == "kimi" else "")
    until = "|".join(filter(None, (header.end, header.stop, stop)))
    found = yield from read_arguments(task, name, pos, at, until, header.end)
    found = found or (yield from _without_object(task, header, name, pos, at, until))
    if found is None:
        return cut_header(task, header.pattern, kind, pos) if header.marked else None
    units = tuple(replace(unit, id=unit.id or ident) for unit in found.units)
    return replace(found, units=units, body=kind)


def read_arguments(
    task: Task, name: str, start: int, pos: int, stop: str, end: str
) -> Steps[Reading | None]:
    """Return the call whose arguments are the object at `pos`, or a string of one; None without either.

    `stop` ends a damaged object, and `end` closes the call. If the text ends at `pos`, the call is cut.
    """
    tape = task.tape
    at = yield from tape.next_solid(pos)
    if at >= tape.size:
        return cut_reading(task, name, "named", start)
    found = yield from _quoted_object(task, name, start, at)
    if found is None and tape.char(at) != "{":
        return None
    found = found or (yield from read_named(task, name, start, at, stop))
    return (yield from closed_by(task, found, end))


def closed_by(task: Task, reading: Reading, end: str) -> Steps[Reading]:
    """Return the reading extended by its closer, if the closer follows."""
    closer = (yield from task.tape.look(end, reading.end)) if end else None
    if closer is None:
        return reading
    return replace(reading, end=reading.end + closer.end(), closed=True)


def _quoted_object(task: Task, name: str, start: int, at: int) -> Steps[Reading | None]:
    """Read arguments that were encoded twice: a string that holds an object with the tool's keys.

    None for anything else. See corpus/extract/around.
    """
    opens = yield from task.tape.look(_QUOTED_OBJECT, at)
    if opens is None:
        return None
    closes = yield from task.tape.find(_QUOTE, at + 1)
    if closes is None:
        return None
    end = closes.end
    text = strict(task.tape.slice(at, end))
    found = None if text is None else strict(text[0])
    if found is None or not task.tools.fits(name, found[0]):
        return None
    return Reading((finished(task, name, found[0], (start, end), ()),), end, "named")


def _without_object(
    task: Task, header: Header, name: str, start: int, at: int, until: str
) -> Steps[Reading | None]:
    """Read a header without an object after it: no arguments, or plain text as the only argument."""
    if not header.end:
        return None
    closer = yield from task.tape.look(header.end, at)
    if closer is not None:
        end = at + closer.end()
        begun = yield from task.tape.look(r"[`~]*+\s*+\Z", end)
        if begun is not None and not header.marked:  # a fence that has only begun
            return cut_reading(task, name, header.name, start)
        return Reading((finished(task, name, {}, (start, end), ()),), end, header.name)
    if not header.raw:
        return None
    hit = yield from task.tape.find(searched(header.stop or until), at)
    end = task.tape.size if hit is None else hit.start
    whole = hit is not None or not (header.marked or task.tape.cut)
    unit = _plain_argument(task, name, at, end, start, whole)
    reading = Reading((unit,), end, header.name, hit is not None)
    return (yield from closed_by(task, reading, header.end))


def _plain_argument(task: Task, name: str, at: int, end: int, start: int, whole: bool) -> Unit:
    """Return a call with plain text as its only argument, for a tool with one string parameter.

    ReAct prompts lead to such calls. See corpus/extract/small_models.
    """
    span = (start, end)
    if not whole:
        return Unit(name, None, span, state="cut")
    expect = task.tools.expect(name)
    named = expect.order if len(expect.order) == 1 else tuple(expect.required)
    key = named[0] if len(named) == 1 else ""
    text = task.tape.slice(at, end).strip()
    if not key or "string" not in expect.child(key).kinds:
        message = f"The arguments of {name} must be a JSON object."
        return broken(name, span, "no_object", message)
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1]
    note = "a plain text was the only argument"
    fix = Fix("name_only_argument", Rank.COMPLETE, at, at, f"{key}=", note)
    return finished(task, name, {key: text}, span, (fix,))
