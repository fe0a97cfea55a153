"""A kind of hook in, what is done there out: the table of the scan."""

from __future__ import annotations

from zkit.extract import openings, reasoning, results, shapes
from zkit.extract.scanner import Handler

HANDLERS: dict[str, Handler] = {
    "first": shapes.first_name,
    "start": openings.opening,
    "functools": openings.opening,
    "tag": openings.tool_tag,
    "functions": openings.functions_colon,
    "fence": shapes.fenced,
    "json": shapes.bracket,
    "label": shapes.labelled,
    "functionary": shapes.recipient,
    "stripped": shapes.stripped_channel,
    "marked": reasoning.marked,
    "think": reasoning.tagged,
    "orphan": reasoning.orphan,
    "spoken": reasoning.spoken,
    "answer": reasoning.answer,
    "channel": reasoning.channel,
    "result": results.result,
    "quote": results.line_of_text,
    "row": results.line_of_text,
    "quoting": results.quoting,
    "comment": results.comment,
    "tick": results.tick,
    "stop": results.token,
}
