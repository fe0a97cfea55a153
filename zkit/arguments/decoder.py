"""The public functions: decode what a model sent into typed arguments, or return a `Validation`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, overload

from pydantic import ValidationError
from pydantic_core import from_json, to_json
from typing_extensions import TypeVar

from zkit.arguments.attempt import Attempt
from zkit.arguments.plain_slips import coerce_plain_slips
from zkit.arguments.prepare import PREPARED, Prepared, errors_of, prepared_for
from zkit.arguments.refusals import (
    refuse_bytes,
    refuse_half_character,
    refuse_repair,
    refuse_unusable,
)
from zkit.arguments.validation_errors import FieldError
from zkit.receipt import Fix, Rank, RankName, highest, limit_of
from zkit.results import Validation
from zkit.schema import MisfitError

if TYPE_CHECKING:
    from zkit.repair import Repaired

T = TypeVar("T", default=Any)
# Valid arguments should cost what validating them costs: every avoidable call is avoided.
_new = tuple.__new__
_EXACT = Rank.EXACT
_UNKNOWN = object()
_GUESS = Rank.GUESS


class Decoded(NamedTuple, Generic[T]):
    """Typed arguments, and everything that was changed to read them."""

    value: T
    fixes: tuple[Fix, ...] = ()
    rank: Rank = Rank.EXACT


class DecodedWithData(Decoded[T]):
    """A result after changes, with the JSON data that the arguments were made from."""

    data: object


def _with_data(value: object, fixes: tuple[Fix, ...], rank: Rank, data: object) -> DecodedWithData:
    made: DecodedWithData = _new(DecodedWithData, (value, fixes, rank))
    made.data = data
    return made


@overload
def decode_args(
    model: type[T],
    raw: object,
    *,
    limit: Rank | RankName = ...,
    finish_reason: str | None = ...,
    receipt: list[Fix] | None = ...,
) -> T: ...
@overload
def decode_args(
    model: object,
    raw: object,
    *,
    limit: Rank | RankName = ...,
    finish_reason: str | None = ...,
    receipt: list[Fix] | None = ...,
) -> Any: ...
def decode_args(
    model: object,
    raw: object,
    *,
    limit: Rank | RankName = _GUESS,
    finish_reason: str | None = None,
    receipt: list[Fix] | None = None,
) -> Any:
    """Return the typed arguments; raise `Validation`, whose `str()` is the message for the model.

    `model` is a pydantic model, a TypedDict, a dataclass, an annotated function (the value is then
    a dict of its keyword arguments), a tool, or a JSON Schema. `raw` is what the model sent: a
    string, bytes, a dict or None. Whatever was repaired, coerced or left out is put into the list
    `receipt`; `decode` returns it beside the value.
    """
    try:
        subject, prepared, validate = PREPARED[id(model)]
    except KeyError:
        subject = _UNKNOWN
    if subject is model and type(raw) is str and (limit is _GUESS or type(limit) is Rank):
        try:
            return validate(raw)
        except Exception as error:
            outcome = _read(prepared, raw, error, limit, finish_reason)
    else:
        outcome = decode(model, raw, limit=limit, finish_reason=finish_reason)
    if receipt is not None:
        receipt += outcome.fixes
    if isinstance(outcome, Validation):
        raise outcome
    return outcome.value


@overload
def decode(
    model: type[T], raw: object, *, limit: Rank | RankName = ..., finish_reason: str | None = ...
) -> Decoded[T] | Validation: ...
@overload
def decode(
    model: object, raw: object, *, limit: Rank | RankName = ..., finish_reason: str | None = ...
) -> Decoded | Validation: ...
def decode(
    model: object, raw: object, *, limit: Rank | RankName = _GUESS, finish_reason: str | None = None
) -> Decoded | Validation:
    """Return the typed arguments with their receipt, or a `Validation`; never raise for any `raw`.

    Strict first; then repair, guided by the schema; then coercions, only where validation failed.
    """
    if limit is not _GUESS and type(limit) is not Rank:
        limit = limit_of(limit)
    known = PREPARED.get(id(model))
    prepared = prepared_for(model) if known is None or known[0] is not model else known[1]
    try:
        sent = to_json(raw, inf_nan_mode="constants") if type(raw) is dict else raw
        return _new(Decoded, (prepared.validate(sent), (), _EXACT))
    except Exception as error:
        return _read(prepared, raw, error, limit, finish_reason)


def decode_to_run(
    model: object, raw: object, *, limit: Rank | RankName = _GUESS, finish_reason: str | None = None
) -> Decoded | Validation:
    """Like `decode`, for a call that will run: a key with two values is refused.

    Parsers silently take the last value, and `decode` leaves valid JSON alone.
    """
    return decode_with_data(model, raw, limit=limit, finish_reason=finish_reason)[0]


def decode_with_data(
    model: object, raw: object, *, limit: Rank | RankName = _GUESS, finish_reason: str | None = None
) -> tuple[Decoded | Validation, Any]:
    """Like `decode_to_run`, with the JSON data that the arguments were made from."""
    outcome = decode(model, raw, limit=limit, finish_reason=finish_reason)
    if type(outcome) is Decoded and type(raw) is str:
        try:  # as below, for what most calls are
            value = from_json(raw, allow_inf_nan=False)
        except (ValueError, TypeError):
            return outcome, raw
        if type(value) is dict and len(value) == raw.count(":"):
            return outcome, value
    if isinstance(outcome, Validation):
        return outcome, None
    data = outcome.data if isinstance(outcome, DecodedWithData) else raw
    if isinstance(raw, str):
        text = raw
    elif isinstance(raw, bytes | bytearray):
        text = bytes(raw).decode("utf-8-sig")
    else:
        return outcome, data
    value = _strictly_read(text)
    if value is _NOT_STRICT:
        return outcome, data
    if data is raw:
        data = value
    if type(value) is dict and len(value) == text.count(":"):
        return outcome, data  # as many keys as colons: none is given twice
    from zkit.repair.repeated_keys import repeats_in

    repeats = repeats_in(text, value)
    if repeats:
        attempt = Attempt.of_repeats(prepared_for(model), text, value, repeats)
        outcome = _settled(attempt, limit_of(limit))
        if type(outcome) is DecodedWithData:
            data = outcome.data
    return outcome, data


def _read(
    prepared: Prepared,
    raw: object,
    error: Exception,
    limit: Rank,
    finish_reason: str | None,
) -> Decoded | Validation:
    """Read a text or value that did not validate; `error` is what the validator raised."""
    if type(raw) is str and isinstance(error, ValidationError):
        short = coerce_plain_slips(prepared, raw, error)
        if isinstance(short, Validation):
            return short
        if short is not None and (rank := highest(short.fixes)) <= limit:
            return _with_data(short.value, short.fixes, rank, short.data)
    try:
        if isinstance(raw, bytes | bytearray):
            raw = bytes(raw).decode("utf-8-sig")
        if not isinstance(raw, str):
            return _read_value(prepared, raw, limit)
        value = _strictly_read(raw)
        if value is _NOT_STRICT:
            return _read_damaged(prepared, raw, limit, finish_reason)
        if isinstance(error, ValidationError | MisfitError):
            errors = errors_of(error)
        else:
            errors = [FieldError((), "other")]
        return _settled(Attempt.of_text(prepared, raw, value, errors), limit)
    except UnicodeDecodeError as error:
        return refuse_bytes(prepared, error)
    except Exception as error:
        # The model's own validator crashed, or the value is not data: the call cannot be judged.
        return refuse_unusable(prepared, error)


_NOT_STRICT = object()


def _strictly_read(text: str) -> object:
    """Return the value of strict JSON; a JSON string is left to repair, which looks inside it."""
    try:
        value = from_json(text, allow_inf_nan=False)
    except (ValueError, TypeError):  # `TypeError` for half a character
        return _NOT_STRICT
    return _NOT_STRICT if isinstance(value, str) and value.strip() else value


def _read_damaged(
    prepared: Prepared, text: str, limit: Rank, finish_reason: str | None
) -> Decoded | Validation:
    """Read a text that is not strict JSON."""
    # Repair is a large package, and most arguments do not need it.
    from zkit.repair import Unrepairable, repair_json

    if not text.strip():
        # An empty text is shown as such, unless it may be the value.
        shape = prepared.shape
        sent = "" if shape.takes("object") and not shape.takes("string") else None
        return _settled(Attempt(prepared, sent, None, ()), limit)
    for most in sorted({min(limit, Rank.COMPLETE), limit}):
        repaired = repair_json(
            text, schema=prepared.schema, limit=most, finish_reason=finish_reason
        )
        if isinstance(repaired, Unrepairable):
            continue
        second = _second_object(prepared, repaired)
        if second is not None:
            return refuse_repair(prepared, text, Unrepairable("several", second, ""))
        outcome = _settled(Attempt.of_repair(prepared, repaired), limit)
        # A guess is used only if nothing of a lower rank fits, coercions included.
        if most == limit or (isinstance(outcome, Decoded) and outcome.rank <= most):
            return outcome
    assert isinstance(repaired, Unrepairable)
    return refuse_repair(prepared, text, repaired)


def _second_object(prepared: Prepared, repaired: Repaired) -> int | None:
    """Return the place of further arguments right beside those that were read, or None.

    A second object, or a line that assigns a value to a field, may be the missing half of the
    arguments even if it does not fit the schema.
    """
    unsent = [name for name in prepared.shape.fields if not _holds(repaired.value, name)]
    for fix in repaired.fixes:
        if fix.name == "drop_prose":
            dropped = repaired.text[fix.start : fix.end].strip()
            if dropped.startswith("{") or (dropped.endswith("}") and "{" in dropped):
                return fix.start
            if any(f"\n{name}:" in f"\n{dropped}" for name in unsent):
                return fix.start
    return None


def _read_value(prepared: Prepared, raw: object, limit: Rank) -> Decoded | Validation:
    """Read a value that came without a text, as if it were JSON."""
    refusal = refuse_half_character(prepared, raw)
    if refusal is not None:
        return refusal
    text = to_json(dict(raw) if isinstance(raw, Mapping) else raw, inf_nan_mode="constants")
    return _settled(Attempt(prepared, from_json(text), None, ()), limit)


def _settled(reading: Attempt, limit: Rank) -> Decoded | Validation:
    """Return the reading as the target accepts it, within the limit."""
    refusal = refuse_half_character(reading.prepared, reading.value)
    outcome = reading.settle() if refusal is None else refusal
    if isinstance(outcome, Validation):
        return outcome
    rank = highest(outcome.fixes)
    if rank > limit:
        return reading.refuse_over(limit, outcome)
    if not outcome.fixes:
        return Decoded(outcome.value)
    return _with_data(outcome.value, outcome.fixes, rank, outcome.data)


def _holds(value: object, name: str) -> bool:
    return isinstance(value, dict) and name in value
