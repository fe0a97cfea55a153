"""Collect what helps with a failure: the tool's signature, an example, sections of its document."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from zkit.coach.documents_of_tools import (
    DocSection,
    document_sections,
    parse_document,
    read_or_none,
    source_of_documents,
)
from zkit.coach.failure_counts import FailureCounts, History
from zkit.coach.failure_modes import (
    SECTIONS,
    WITHOUT_EXAMPLE,
    Select,
    failure_mode,
    select_sections,
)
from zkit.coach.tool_inference import MEANT, infer_tool, nearest_example
from zkit.grade import READ
from zkit.json_types import JsonMapping, JsonObject
from zkit.required import require_count, require_function, require_kind, require_text
from zkit.results import Failure, Validation
from zkit.sources.source import spec_or_none
from zkit.tools import Tool, ToolSpec, thaw

MOST_LEVELS = 3
BUDGET = 1_200
"""The most characters that are added to a message: about 300 tokens, a tenth of what is left of a
4k context after the tool declarations."""
_LEAST_PIECE = 80  # a shorter part of a section is not worth sending
_MOST_SIGNATURES = 3
_MOST_KIT_DOCS = 4


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known about a failure, and what helps with it.

    `level` grows with the attempts up to 3 and decides how much `text` contains. `known` is False if
    the mode is not in the table. `history` is None for a model without outcomes. `form` is the call
    that was sent, with `...` for each value.
    """

    mode: str
    known: bool
    attempt: int
    tool: str = ""
    signatures: tuple[str, ...] = ()
    example: str = ""
    sections: tuple[DocSection, ...] = ()
    history: History | None = None
    form: str = ""

    @property
    def level(self) -> int:
        """How much is added: nothing at 1, the signature and an example at 2, also the sections at 3.

        If a tool that reads refused a call that fits its signature, level 2 is skipped.
        """
        is_early = bool(self.form) and self.attempt > 1
        return min(self.attempt + is_early, MOST_LEVELS)

    def text(self, budget: int = BUDGET) -> str:
        """Return the text to add to the message, at most `budget` characters; empty at level 1."""
        last = f"Send the corrected call: {self.form}" if self.form and self.level > 1 else ""
        if len(last) > budget:
            last = ""
        found = ""
        for piece, may_be_cut in self._pieces():
            room = budget - len(found) - bool(found) - len(last) - bool(last)
            fitting = piece if len(piece) <= room else _cut(piece, room) if may_be_cut else ""
            found += ("\n" if found and fitting else "") + fitting
        return found + ("\n" if found and last else "") + last

    def _pieces(self) -> Iterator[tuple[str, bool]]:
        """Yield the parts of the text, the most useful first, and whether each may be cut."""
        if self.level < 2:
            return
        yield from ((f"Signature: {signature}", False) for signature in self.signatures)
        if self.example:
            yield f"A call of this form works (with values of your own): {self.example}", False
        if self.level < 3:
            return
        file = ""
        for section in self.sections:
            if self._is_known(section):
                continue
            place = f"From {section.file or 'the description of ' + section.tool}:\n"
            yield f"{place if file != place else ''}## {section.title}\n{section.content}", True
            file = place

    def _is_known(self, section: DocSection) -> bool:
        """True if a section repeats the signature that the text already has."""
        return section.title == "Signature" and bool(self.signatures)

    def to_dict(self) -> JsonObject:
        """Return the hints as plain data."""
        return {
            "failure_mode": self.mode,
            "known": self.known,
            "attempt": self.attempt,
            "escalation_level": self.level,
            "tool": self.tool,
            "signatures": list(self.signatures),
            "example": self.example,
            "history": None if self.history is None else asdict(self.history),
            "doc_context": [section.to_dict() for section in self.sections],
        }


def _cut(piece: str, room: int) -> str:
    """Return the beginning of a text, cut at a line end if possible; empty if there is too little room."""
    if room < _LEAST_PIECE:
        return ""
    end = piece.rfind("\n", room // 2, room - 2)
    return f"{piece[: end if end > 0 else room - 2].rstrip()} …"


def correction_hints(
    failure: object,
    *,
    model: str | None = None,
    attempt: int = 1,
    tool: str | Tool | ToolSpec | None = None,
    source: object = None,
    sent: object = None,
    counts: FailureCounts | None = None,
    sections: Mapping[str, Sequence[str]] = SECTIONS,
    meant: Mapping[str, Sequence[str]] = MEANT,
    select: Select | None = None,
    load: bool = True,
) -> Hints:
    """Return what helps with a failure: a result, the name of a mode, an exception or an error text.

    Without `tool`, the tool is inferred from the failure and from the arguments that were `sent`.
    `source` has the tools and their documents, and `counts` the earlier failures. `load=False` reads
    no document.
    """
    require_count("attempt", attempt, least=1)
    require_text("model", model, or_none=True)
    require_function("select", select, or_none=True)
    mode = failure_mode(failure)
    specs = _specs(source)
    spec = _spec_of(tool, specs) or infer_tool(
        specs,
        name=tool if isinstance(tool, str) else "",
        text=_words_of(failure, sent),
        table=meant,
    )
    context = {
        "query": spec.name if spec else mode.replace("_", " "),
        "tool": spec.name if spec else None,
        "failure_mode": mode,
        "attempt": attempt,
        "namespace": [one.name for one in specs],
    }
    found = _sections(spec, source) if load else []
    example = None if spec is None or mode in WITHOUT_EXAMPLE else nearest_example(spec, sent)
    shown = specs[:_MOST_SIGNATURES] if spec is None else [spec]
    return Hints(
        mode=mode,
        known=mode in sections,
        attempt=attempt,
        tool=spec.name if spec else "",
        signatures=tuple(one.signature() for one in shown),
        example="" if spec is None or example is None else _call_text(spec, example),
        sections=tuple(
            select_sections(found, mode, table=sections, select=select, context=context)
        ),
        history=None if counts is None else counts.history(model, mode),
        form=_form_of(spec, failure, sent),
    )


def _specs(source: Any) -> list[ToolSpec]:
    """Return the specs of a source's tools; the source may also be a list of tools or specs."""
    listing = getattr(source, "tools", None)
    found = listing() if callable(listing) else source or ()
    specs = (one if isinstance(one, ToolSpec) else spec_or_none(one) for one in found)
    return [spec for spec in specs if spec is not None]


def _spec_of(tool: str | Tool | ToolSpec | None, specs: Sequence[ToolSpec]) -> ToolSpec | None:
    require_kind("tool", tool, (str, Tool, ToolSpec), "a tool or its name", or_none=True)
    if isinstance(tool, ToolSpec):
        return tool
    if isinstance(tool, Tool):
        return tool.definition()
    return next((spec for spec in specs if tool in (spec.name, spec.wire_name)), None)


def _words_of(failure: object, sent: object) -> str:
    """Return the texts of a failure in which a tool may be named.

    The message of a result may list all tools, so it is left out.
    """
    message = "" if isinstance(failure, Failure) else str(failure)
    return f"{message} {'' if sent is None else sent}"


def _sections(spec: ToolSpec | None, source: object) -> list[DocSection]:
    """Return the sections about a tool; without a tool, those of the kit's own documents."""
    if spec is not None:
        return document_sections(spec, source)
    documented = source_of_documents(source)
    paths = [] if documented is None else documented.docs_index()["kit_docs"][:_MOST_KIT_DOCS]
    texts = [(path, read_or_none(path, documented) or "") for path in paths]
    return [one for path, text in texts for one in parse_document(text, file=path)]


def _form_of(spec: ToolSpec | None, failure: object, sent: object) -> str:
    """Return the form of the call to send, if a tool that reads refused valid arguments; else empty.

    If arguments do not fit the schema, the message already has an example.
    """
    if spec is None or not isinstance(failure, Validation) or not isinstance(sent, Mapping):
        return ""
    if failure.code != "invalid_arguments" or failure.problems:
        return ""
    if spec.grade is None or spec.grade.w > READ.w:
        return ""  # small models copy values from the manual, and the tool would run (decision 35)
    names = ", ".join(f"{json.dumps(name)}: ..." for name in sent)
    return f'{{"name": {json.dumps(spec.wire_name)}, "arguments": {{{names}}}}}' if names else ""


def _call_text(spec: ToolSpec, arguments: JsonMapping) -> str:
    call = {"name": spec.wire_name, "arguments": thaw(arguments)}
    return json.dumps(call, ensure_ascii=False)
