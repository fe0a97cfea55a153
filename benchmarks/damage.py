"""The table of damages, and cases made with it: what was meant, and the broken text that arrived."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from benchmarks import damage_envelope as env
from benchmarks import damage_notation as notation
from benchmarks import damage_strings as strings
from benchmarks import damage_structure as marks
from benchmarks.damage_envelope import Wrapper
from benchmarks.damage_strings import Breaker, Tokens
from benchmarks.payloads import Payload, make_payload
from benchmarks.planting import plant
from benchmarks.tokens import Path, pick_style, text_of, tokenise

QUOTED = (
    'Rename ‹word› to "‹other›" and keep the "‹var› ‹digit›" as is',
    'He called it "‹word›" once',
)
BESIDE = (
    'uses "‹word›", "‹other›" and "‹var›"',
    'the "‹word›"',
    '"‹word›": see "‹other›".',
    'say "‹word›, ‹other›"!',
    '("‹word›")',
)
APOSTROPHES = (
    "it's ‹word› and that isn't ‹other›",
    "the ‹word›'s ‹other›, don't ask",
    "l'‹word› n'est pas l'‹other›",
)
LINES = ("first ‹word›\nthen ‹other›\n", "‹word›:\n\t‹other›\n\tend")
PHRASES = ("open ‹word› and read ‹other›", "‹word› report ‹var›")


@dataclass(frozen=True, slots=True)
class Damage:
    """One way to break a text.

    `rank` names the rank that repairs it; `breaks` works on tokens, `wraps` on the finished text.
    `in_strings` is true when a string itself is damaged (else strings must come out byte-equal);
    `local` when a cut text so damaged still says all that came before the cut;
    `plants` are texts of which one may replace a string, so that the damage finds its place.
    """

    name: str
    rank: str
    breaks: Breaker | None = None
    wraps: Wrapper | None = None
    in_strings: bool = False
    local: bool = True
    plants: tuple[str, ...] = ()


def _string(
    name: str, rank: str, breaks: Breaker, plants: tuple[str, ...] = (), local: bool = True
) -> Damage:
    return Damage(name, rank, breaks, in_strings=True, plants=plants, local=local)


def _mark(name: str, rank: str, breaks: Breaker, local: bool = True) -> Damage:
    return Damage(name, rank, breaks, local=local)


def _text(name: str, rank: str, wraps: Wrapper) -> Damage:
    return Damage(name, rank, wraps=wraps, local=False)


def _envelope(name: str, wraps: Wrapper) -> Damage:
    return Damage(name, "UNWRAP", wraps=wraps)


def _untouched(_rng: Random, tokens: Tokens) -> Tokens | None:
    return tokens


VALID = Damage("valid", "EXACT", _untouched)

DAMAGES: tuple[Damage, ...] = (
    _string("raw_newline", "RESPELL", strings.raw({"\\n": "\n"}), LINES),
    _string("raw_tab", "RESPELL", strings.raw({"\\t": "\t"}), LINES),
    _string(
        "raw_control",
        "RESPELL",
        strings.raw(strings.RAW_CONTROLS),
        ("a\x01b ‹word›", "\x1b[1m‹word›\x1b[0m"),
    ),
    _string("inner_quotes_word", "GUESS", strings.quote_pair(beside_punctuation=False), QUOTED),
    _string("inner_quotes_punct", "GUESS", strings.quote_pair(beside_punctuation=True), BESIDE),
    _string("inner_quotes_code", "GUESS", strings.all_quotes(everywhere=False)),
    _string("inner_quotes_all", "GUESS", strings.all_quotes(everywhere=True)),
    _string(
        "inner_quote_alone",
        "GUESS",
        strings.quote_alone,
        ('a ‹digit›" ‹word›, flat', 'the 2‹digit›" screen'),
    ),
    _string("raw_code", "GUESS", strings.raw_code, ('print("‹word›")\nprint("‹other›", "x")\n',)),
    _string("escaped_apostrophe", "RESPELL", strings.escaped_apostrophe, APOSTROPHES),
    _string(
        "under_escaped",
        "RESPELL",
        strings.under_escaped("plain"),
        ("\\d+\\.\\w*", "D:\\‹word›\\data"),
    ),
    _string(
        "under_escaped_mixed",
        "GUESS",
        strings.under_escaped("mixed"),
        ("\\b‹word›\\s+", "C:\\new\\docs\\‹word›"),
    ),
    _string(
        "under_escaped_tail",
        "GUESS",
        strings.under_escaped("tail"),
        ("C:\\data\\‹digit›\\", "D:\\work\\"),
        local=False,
    ),
    Damage("single_quotes", "RESPELL", strings.single_quotes("key", "string")),
    Damage("single_quotes_keys", "RESPELL", strings.single_quotes("key")),
    Damage("single_quotes_values", "RESPELL", strings.single_quotes("string")),
    _string(
        "single_quotes_apostrophe", "GUESS", strings.single_quotes_bare_apostrophe, APOSTROPHES
    ),
    Damage("smart_quotes", "RESPELL", strings.smart_quotes),
    Damage("backtick_strings", "RESPELL", strings.backticks, in_strings=True),
    Damage("triple_quotes", "RESPELL", strings.triple_quotes, in_strings=True, plants=LINES),
    _string("concatenation", "RESPELL", strings.concatenation),
    _string("missing_open_quote_key", "GUESS", strings.quote_lost("key", "", '"'), local=False),
    _string("missing_close_quote_key", "GUESS", strings.quote_lost("key", '"', ""), local=False),
    _string(
        "missing_open_quote_value", "GUESS", strings.quote_lost("string", "", '"'), local=False
    ),
    _string(
        "missing_close_quote_value", "GUESS", strings.quote_lost("string", '"', ""), local=False
    ),
    _string("escaped_delimiters", "GUESS", strings.escaped_delimiters),
    _mark(
        "python_literals", "RESPELL", notation.respelled("literal", 1, lambda v: notation.PYTHON[v])
    ),
    _mark(
        "upper_literals",
        "RESPELL",
        notation.respelled("literal", 1, lambda v: json.dumps(v).upper()),
    ),
    _mark(
        "undefined",
        "RESPELL",
        notation.respelled("literal", 0.5, lambda v: "undefined" if v is None else None),
    ),
    _mark("unquoted_keys", "RESPELL", notation.unquoted_keys),
    _string("unquoted_word", "RESPELL", strings.unquoted_values(r"[A-Za-z_][\w-]*"), ("‹word›",)),
    _string(
        "unquoted_phrase", "GUESS", strings.unquoted_values(r"[^\W\d]\w*(?: [\w.-]*\w)+"), PHRASES
    ),
    _string(
        "unquoted_address",
        "GUESS",
        strings.unquoted_values(r"(?:https?://|[.~/]|20\d\d-)[^\s,'\"\\{}\[\]]+"),
    ),
    _mark("hex_number", "RESPELL", notation.respelled("number", 0.3, notation.hexadecimal)),
    _mark("plus_number", "RESPELL", notation.respelled("number", 0.5, notation.with_plus)),
    _mark(
        "leading_dot", "RESPELL", notation.respelled("number", 0.5, notation.without_leading_zero)
    ),
    _mark("trailing_dot", "RESPELL", notation.respelled("number", 0.5, notation.with_trailing_dot)),
    _mark("thousands_comma", "GUESS", notation.thousands(","), local=False),
    _mark("thousands_underscore", "RESPELL", notation.thousands("_")),
    _mark("trailing_comma", "RESPELL", marks.trailing_comma),
    _mark("leading_comma", "COMPLETE", marks.leading_comma),
    _mark("doubled_comma", "COMPLETE", marks.doubled_comma),
    _mark("missing_comma", "COMPLETE", marks.missing_comma(everywhere=False)),
    _mark("missing_comma_all", "COMPLETE", marks.missing_comma(everywhere=True)),
    _mark("missing_colon", "COMPLETE", marks.missing_colon),
    _mark("equals_sign", "RESPELL", marks.other_colon("=", "=", " = ", ":=")),
    _mark("arrow", "RESPELL", marks.other_colon("=>", " => ")),
    _mark("missing_closers_end", "COMPLETE", marks.missing_closers_end, local=False),
    _mark("missing_closer_mid", "GUESS", marks.missing_closer_mid, local=False),
    _mark("missing_opener_mid", "GUESS", marks.missing_opener_mid, local=False),
    _mark("wrong_closer", "COMPLETE", marks.wrong_closer, local=False),
    _mark("stray_closer_mid", "COMPLETE", marks.stray_closer_mid, local=False),
    _mark("stray_closer_end", "COMPLETE", marks.stray_closer_end, local=False),
    _mark("early_closer", "COMPLETE", marks.early_closer, local=False),
    _mark("missing_open_brace", "COMPLETE", marks.missing_open_brace, local=False),
    _mark("doubled_braces_outer", "UNWRAP", marks.doubled_braces(everywhere=False)),
    _mark("doubled_braces_all", "UNWRAP", marks.doubled_braces(everywhere=True)),
    _mark("comment_slash", "RESPELL", marks.comment(" // {}\n")),
    _mark("comment_hash", "RESPELL", marks.comment(" # {}\n")),
    _mark("comment_block", "RESPELL", marks.comment(" /* {} */ ")),
    _mark("ellipsis", "CUT", marks.ellipsis),
    _mark("tuples", "RESPELL", marks.tuples),
    _mark("zero_width", "UNWRAP", notation.zero_width),
    _mark("odd_spaces", "UNWRAP", notation.odd_spaces),
    Damage("python_repr", "RESPELL", notation.python_repr),
    Damage(
        "js_object",
        "RESPELL",
        notation.chain(
            notation.unquoted_keys, strings.single_quotes("string"), marks.trailing_comma
        ),
    ),
    _text("html_entities", "UNWRAP", env.html_entities),
    _text("quote_entities", "UNWRAP", env.quote_entities),
    _text("double_encoded", "UNWRAP", env.double_encoded),
    _text("escaped_payload", "UNWRAP", env.escaped_payload),
    _text("escaped_quotes", "UNWRAP", env.escaped_quotes),
    _envelope("bom", env.byte_order_mark),
    _text("object_twice", "UNWRAP", env.twice),
    _envelope("fence", env.within(env.FENCES)),
    _envelope("fence_unclosed", env.within(env.UNCLOSED)),
    _envelope("fence_in_prose", env.fence_in_prose),
    _envelope("call_wrapper", env.within(env.CALLS)),
    _envelope("tags", env.within(env.TAGS)),
    _envelope("prose_before", env.around(env.BEFORE)),
    _envelope("prose_after", env.around(("",), env.AFTER)),
    _envelope("prose_around", env.around(env.BEFORE, env.AFTER)),
    _envelope("prose_braces", env.around(env.TRICKY_BEFORE, ("", *env.TRICKY_AFTER))),
    _envelope("prose_braces_after", env.around(("",), env.TRICKY_AFTER)),
    _envelope("reasoning", env.around(env.REASONING, ("", "", *env.AFTER))),
    Damage("draft_object", "UNWRAP", wraps=env.draft_before, local=False),
)
BY_NAME = {damage.name: damage for damage in (VALID, *DAMAGES)}


@dataclass(frozen=True, slots=True)
class Case:
    """A broken text with what was meant by it.

    For a cut, `leaves` are the values that were complete, `begun` the paths of all that had
    begun, and `kind` says inside what the text ended.
    """

    section: str
    name: str
    payload: Payload
    text: str
    in_strings: bool = False
    kind: str = ""
    leaves: tuple[tuple[Path, Any], ...] = ()
    begun: frozenset[Path] = field(default_factory=frozenset)


def break_text(rng: Random, payload: Payload, damages: Sequence[Damage]) -> str | None:
    """The payload's text with these damages: those of tokens first, then those around it.

    None where one of them finds no place, or where the text is a valid object after all.
    """
    tokens = break_tokens(rng, payload, damages)
    return None if tokens is None else wrap_text(rng, text_of(tokens), payload, damages)


def break_tokens(rng: Random, payload: Payload, damages: Sequence[Damage]) -> Tokens | None:
    """The payload's tokens with the damages that work on tokens."""
    tokens: Tokens | None = tokenise(payload.truth, pick_style(rng))
    for damage in damages:
        if damage.breaks and tokens is not None:
            tokens = damage.breaks(rng, tokens)
    return tokens


def wrap_text(
    rng: Random, text: str | None, payload: Payload, damages: Sequence[Damage]
) -> str | None:
    """The text with the damages that work on text; None if it is a valid object after all."""
    for damage in damages:
        if damage.wraps and text is not None:
            text = damage.wraps(rng, text, payload)
    return None if text is None or (is_object(text) and VALID not in damages) else text


def is_object(text: str) -> bool:
    """Whether the text is strictly valid JSON and an object."""
    try:
        return isinstance(json.loads(text), dict)
    except ValueError:
        return False


def damaged_payload(
    rng: Random, damages: Sequence[Damage], tries: int = 60
) -> tuple[Payload, str] | None:
    """A payload in which these damages find a place, and its text; None after so many tries."""
    templates = tuple(template for damage in damages for template in damage.plants)
    for _ in range(tries):
        payload = make_payload(rng)
        if templates and rng.random() < 0.5:
            payload = plant(rng, payload, templates)
        text = break_text(rng, payload, damages)
        if text is not None:
            return payload, text
    return None
