"""Draft a case from a text, or from each repair and refusal in a transcript of a chat."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic_core import to_jsonable_python

from zkit.arguments import Decoded, decode
from zkit.cases.case import Case, Sheet
from zkit.cases.case_files import read_entry
from zkit.chat.assembler import Assembler, Reply, call_entries
from zkit.chat.wire_data import entries, stream_data
from zkit.errors import ZkitError
from zkit.extract import Extraction, find_calls
from zkit.json_types import JsonMapping, JsonObject
from zkit.masking import secrets_in, shortened, without_secrets
from zkit.receipt import Fix, Rank
from zkit.repair import Repaired, Unrepairable, repair_json
from zkit.results import Validation
from zkit.schema import offered
from zkit.transcripts import Exchange, Transcript

Outcome = Repaired | Unrepairable | Decoded | Validation | Extraction
Expects = JsonObject
_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"(:?)')
"""A string in JSON; before a colon it is a key."""


class ShapeLostError(ValueError):
    """A text would have another outcome without its secrets."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text that will be a case. `kind` is one of repair, decode, extract."""

    kind: str
    text: str
    schema: JsonMapping | None = None
    toolset: Sequence[JsonMapping] = ()
    finish_reason: str | None = None
    limit: Rank | None = None
    source: str = ""

    def outcome(self) -> Outcome:
        """Return what zkit makes of it today."""
        known: dict[str, Any] = {"finish_reason": self.finish_reason}
        if self.limit is not None:
            known["limit"] = self.limit
        if self.kind == "extract":
            return find_calls(self.text, list(self.toolset), finish_reason=self.finish_reason)
        if self.kind == "decode":
            return decode(self.schema, self.text, **known)
        return repair_json(self.text, schema=self.schema, **known)

    def given(self) -> dict[str, object]:
        """Return the keys of the case that say what is known."""
        limit = None if self.limit is None else self.limit.name
        found: JsonObject = {"text": self.text, "finish_reason": self.finish_reason}
        found["limit"] = limit
        if self.kind == "extract":
            found["toolset"] = list(self.toolset)
        elif self.schema is not None:
            found["schema"] = self.schema
        found["source"] = self.source or None
        return {key: value for key, value in found.items() if value is not None}


def as_case(
    draft: Draft, it: str, expects: Expects, file: str = "new", beyond: bool = False
) -> Case:
    """Return the case, checked like one of a file; raises EntryError for what makes no sense."""
    sheet = Sheet(file, draft.kind, beyond=beyond)
    return read_entry({"it": it, **draft.given(), **expects}, sheet, 1)


# ── the expected outcome ─────────────────────────────────────────────────────


def proposed(draft: Draft) -> Expects:
    """Return what the case expects when today's outcome is right."""
    outcome = draft.outcome()
    if isinstance(outcome, Extraction):
        return _of_extraction(outcome, draft.text)
    if isinstance(outcome, Unrepairable):
        return {"refused": outcome.reason}
    if isinstance(outcome, Validation):
        problems = [one.path for one in outcome.problems]
        return {"refused": outcome.code, **({"problems": problems} if problems else {})}
    return _of_value(outcome, draft.text)


def _of_value(outcome: Repaired | Decoded, text: str) -> Expects:
    if not outcome.fixes and outcome.rank is Rank.EXACT and _is_strict(text):
        return {"untouched": True}
    value = to_jsonable_python(outcome.value)
    found: Expects = {
        "json": _json(value),
        "rank": outcome.rank.name,
        "fixes": _names(outcome.fixes),
    }
    if isinstance(outcome, Repaired) and outcome.lossy:
        found["lossy"] = True
    return found


def _of_extraction(found: Extraction, text: str) -> Expects:
    unknown = [one.name for one in found.unknown]
    incomplete = [one.name or "" for one in found.incomplete]
    told = {"unknown": unknown, "incomplete": incomplete}
    said: Expects = {key: value for key, value in told.items() if value}
    if found.doubtful:
        said["doubtful"] = _json(
            [{"name": one.name, "arguments": one.arguments} for one in found.doubtful]
        )
    if not found.calls and found.content == text:
        return {"untouched": True, **said}
    calls = [{"name": call.name, "arguments": call.arguments} for call in found.calls]
    expects: Expects = {"calls": _json(calls), "content": found.content.strip()}
    if found.reasoning.strip():
        expects["reasoning"] = found.reasoning.strip()
    if found.calls:
        expects["format"] = [call.origin for call in found.calls]
        expects["rank"] = max(call.rank for call in found.calls).name
    if found.ended_at is not None:
        expects["ended"] = True
    return {**expects, **said}


def sentence(draft: Draft, expects: Expects) -> str:
    """Return a sentence that finishes "it should …", to begin with."""
    if "refused" in expects:
        return f"refuse what is {str(expects['refused']).replace('_', ' ')}"
    if "untouched" in expects:
        return "leave this as it is"
    if "calls" in expects:
        formats = dict.fromkeys(expects.get("format", ()))
        names = dict.fromkeys(call["name"] for call in json.loads(expects["calls"]))
        where = f" in {' and '.join(formats)}" if formats else ""
        return f"find the call of {' and '.join(names)}{where}" if names else "find no call"
    words = [name.replace("_", " ") for name in dict.fromkeys(expects.get("fixes", ()))]
    return f"{' and '.join(words[:3])}" if words else "read this"


# ── without secrets ──────────────────────────────────────────────────────────


def redacted(draft: Draft) -> Draft:
    """Return the draft without secrets and without long runs of words, and with the same damage.

    Raises ShapeLostError when the outcome would change.
    """
    shape = _shape(draft.outcome())
    clean = replace(
        draft,
        text=without_secrets(draft.text),
        schema=_clean_data(draft.schema),
        toolset=_clean_data(list(draft.toolset)),
        source=without_secrets(draft.source),
        finish_reason=draft.finish_reason and without_secrets(draft.finish_reason),
    )
    if _shape(clean.outcome()) != shape:
        kinds = ", ".join(dict.fromkeys(one.kind for one in secrets_in(draft.text)))
        raise ShapeLostError(f"without its secrets ({kinds}) the text has another outcome")
    short = shortened(clean.text, lambda text: _shape(replace(clean, text=text).outcome()) == shape)
    return replace(clean, text=short)


def _clean_data(data: object) -> Any:
    return (
        None if data is None else json.loads(without_secrets(json.dumps(data, ensure_ascii=False)))
    )


def _shape(outcome: Outcome) -> object:
    """Return the parts of an outcome that must not change: everything but the words in its strings."""
    if isinstance(outcome, Unrepairable):
        return ("refused", outcome.reason)
    if isinstance(outcome, Validation):
        return (
            "refused",
            outcome.code,
            sorted(without_secrets(one.path) for one in outcome.problems),
        )
    if isinstance(outcome, Extraction):
        return (
            [(c.name, _skeleton(c.arguments), c.origin, c.rank, _names(c.fixes)) for c in outcome.calls],
            [one.name for one in outcome.unknown],
            [one.name for one in outcome.incomplete],
            [one.reason for one in outcome.refused],
            bool(outcome.content.strip()), bool(outcome.reasoning.strip()), outcome.ended_at is None,
        )  # fmt: skip
    value = _skeleton(to_jsonable_python(outcome.value))
    return ("read", outcome.rank, _names(outcome.fixes), value)


def _skeleton(value: object) -> str:
    """Return a value with its strings left out, keys as they are told."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return without_secrets(_STRING.sub(lambda one: one[0] if one[1] else '""', text))


def _names(fixes: Sequence[Fix]) -> list[str]:
    return [fix.name for fix in fixes]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _is_strict(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def drafts_of(transcript: Transcript) -> list[Draft]:
    """Return the faults in the replies of a chat, in order, each once."""
    source = f"{transcript.header.model}, recorded by zkit chat"
    found: dict[str, Draft] = {}
    for exchange in transcript.exchanges():
        for draft in exchange_drafts(exchange, source):
            found.setdefault(f"{draft.kind} {draft.text}", draft)
    return list(found.values())


def exchange_drafts(exchange: Exchange, source: str) -> Iterator[Draft]:
    """Return the faults in one reply."""
    tools = [dict(one) for one in entries((exchange.request or {}).get("tools"))]
    reply = reply_of(exchange)
    schemas = _schemas(tools)
    finish = reply.finish_reason if reply.finish_reason == "length" else None
    for call in reply.calls:
        schema = schemas.get(call.name)
        kind = "repair" if schema is None else "decode"
        draft = Draft(kind, call.arguments, schema, (), finish, source=source)
        if call.arguments and _needed_help(draft):
            yield draft
    if not reply.calls and reply.content:
        draft = Draft("extract", reply.content, None, tools, finish, source=source)
        if tools and _needed_help(draft):
            yield draft


def reply_of(exchange: Exchange) -> Reply:
    """Return the reply as it came, assembled from its parts."""
    return assembled(exchange.body, exchange.content_type).reply()


def assembled(body: bytes, content_type: str) -> Assembler:
    """Return a completion, whole or streamed, assembled from its parts."""
    assembler = Assembler()
    if "event-stream" in content_type or body.startswith(b"data:"):
        for event in stream_data(body):
            for chunk in entries(_read_json(event)):
                assembler.add(chunk)
        return assembler
    data = next(entries(_read_json(body)), {})
    for choice in entries(data.get("choices")):
        message = dict(next(entries(choice.get("message")), {}))
        parts = [{"index": at, **part} for at, part in enumerate(call_entries(message))]
        delta = {**message, "tool_calls": parts, "function_call": None}
        assembler.add({"choices": [{**choice, "delta": delta}]})
    return assembler


def _needed_help(draft: Draft) -> bool:
    """True if zkit repaired or refused something."""
    outcome = draft.outcome()
    if isinstance(outcome, Extraction):
        return bool(outcome.calls or outcome.unknown or outcome.incomplete or outcome.refused)
    return bool(getattr(outcome, "fixes", ())) if isinstance(outcome, Decoded) else True


def _schemas(tools: list[JsonObject]) -> Mapping[str, JsonMapping]:
    try:
        return {name: offer.parameters for name, offer in offered(tools).items()} if tools else {}
    except ZkitError:
        return {}


def _read_json(text: str | bytes) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
