"""The table of fixes: each has a name, a rank, one line of documentation and an example."""

from __future__ import annotations

from typing import NamedTuple

from zkit.receipt import Fix, Rank


class FixKind(NamedTuple):
    """One way to repair a text. `before` and `after` are an example that a test replays."""

    name: str
    rank: Rank
    doc: str
    before: str
    after: str
    # Compares hypotheses of the same rank: the cheapest wins, and a tie is refused.
    cost: int = 2
    # The effect on containers: `mark` only adds or drops a mark, `ends` closes all of them at the
    # end of the text, `opens` and `closes` add one bracket, `drops` drops a closer, `moves`
    # changes a boundary.
    effect: str = ""


# The ranks as plain names, because each lookup in the enumeration costs as much as a call.
EXACT, UNWRAP, RESPELL, COMPLETE, GUESS, CUT, SALVAGE = Rank
_U, _R, _C, _G, _X = UNWRAP, RESPELL, COMPLETE, GUESS, CUT

FIXES: dict[str, FixKind] = {
    kind.name: kind
    for kind in (
        FixKind("drop_fence", _U, "drop the code fence around the value", '```json\n{"a": 1}\n```', '{"a": 1}', 0),
        FixKind("drop_reasoning", _U, "drop the reasoning before the value", '<think>hm {"b": 2}</think>{"a": 1}', '{"a": 1}', 0),
        FixKind("drop_tag", _U, "drop the tags or special tokens around the value", '<tool_call>{"a": 1}</tool_call>', '{"a": 1}', 0),
        FixKind("drop_prose", _U, "drop the prose around the value", 'Sure, here it is: {"a": 1}', '{"a": 1}', 0),
        FixKind("drop_wrapper", _U, "drop the call or assignment around the value", 'const args = {"a": 1};', '{"a": 1}', 0),
        FixKind("drop_line_mark", _U, "drop the marks before each line of a quotation or a listing", '> {\n>   "a": 1\n> }', '{\n  "a": 1\n}', 0),
        FixKind("drop_repeat", _U, "drop an equal second copy of the value", '{"a": 1}\n{"a": 1}', '{"a": 1}', 0),
        FixKind("unwrap_string", _U, "read the JSON that a JSON string holds, where the schema wants no string", '"{\\"a\\": 1}"', '{"a": 1}', 0),
        FixKind("unescape_payload", _U, "undo one level of escaping over the whole value", '{\\"a\\": \\"b\\"}', '{"a": "b"}', 0),
        FixKind("unescape_entities", _U, "undo HTML entities over the whole value", "{&quot;a&quot;: 1}", '{"a": 1}', 0),
        FixKind("drop_doubled_brace", _U, "drop a brace that was written twice", '{{"a": 1}}', '{"a": 1}', 0),
        FixKind("plain_brackets", _U, "write full-width brackets the JSON way", '｛"a": ［1］｝', '{"a": [1]}', 0),
        FixKind("plain_space", _U, "replace odd or invisible white space between tokens", '{"a":\u00a01}', '{"a": 1}', 0),
        FixKind("escape_control_character", _R, "escape raw line breaks, tabs and control characters in a string", '{"a": "x\ny"}', '{"a": "x\\ny"}', 0),
        FixKind("double_backslash", _R, "keep the backslash of an escape that JSON does not know", '{"a": "\\d+"}', '{"a": "\\\\d+"}', 0),
        FixKind("unescape_apostrophe", _R, "drop the backslash of an escape that needs none", '{"a": "it\\\'s"}', '{"a": "it\'s"}', 0),
        FixKind("use_double_quotes", _R, "write a string between double quotes", "{'a': `b`}", '{"a": "b"}', 0),
        FixKind("quote_key", _R, "quote a bare key", "{a: 1}", '{"a": 1}', 0),
        FixKind("respell_literal", _R, "write true, false and null the JSON way", '{"a": True, "b": None}', '{"a": true, "b": null}', 0),
        FixKind("respell_number", _R, "write a number the JSON way", '{"a": 0x1F, "b": .5}', '{"a": 31, "b": 0.5}', 0),
        FixKind("keep_not_a_number", _R, "keep NaN and infinities as floats", '{"a": -Infinity}', '{"a": -1e999}', 0),
        FixKind("drop_comment", _R, "drop a comment", '{"a": 1 /* one */}', '{"a": 1 }', 0),
        FixKind("drop_backslash", _R, "drop a backslash between two tokens", '{"a": \\[1\\]}', '{"a": [1]}', 0),
        FixKind("drop_markdown", _R, "drop the Markdown around a key or a value", '{**"a"**: 1}', '{"a": 1}', 0),
        FixKind("drop_trailing_comma", _R, "drop a comma before a closer", '{"a": [1, 2,],}', '{"a": [1, 2]}', 0),
        FixKind("use_colon", _R, "write a colon for `=`, `=>` or `->`", '{"a" => 1}', '{"a" : 1}', 0),
        FixKind("use_comma", _R, "write a comma for one of another script", '{"a": 1，"b": 2}', '{"a": 1,"b": 2}', 0),
        FixKind("keep_last", _R, "let the last value count of a key that is written twice", '{"a": 1, "a": 2,}', '{"a": 1, "a": 2}', 0),
        FixKind("join_strings", _R, "join strings that are added up", '{"a": "x" + "y"}', '{"a": "xy"}', 0),
        FixKind("list_for_tuple", _R, "write a tuple as a list", '{"a": (1, 2)}', '{"a": [1, 2]}', 0),
        FixKind("respell_container", _R, "write the brackets of JSON for those of another language", "dict(a=1, b=[2])", '{"a": 1, "b": [2]}', 0),
        FixKind("add_comma", _C, "add a missing comma", '{"a": 1 "b": 2}', '{"a": 1, "b": 2}', effect="mark"),
        FixKind("drop_comma", _C, "drop a leading or doubled comma", '{"a": 1,, "b": 2}', '{"a": 1, "b": 2}', effect="mark"),
        FixKind("add_colon", _C, "add a missing colon", '{"a" 1}', '{"a": 1}', effect="mark"),
        FixKind("drop_colon", _C, "drop a doubled colon", '{"a":: 1}', '{"a": 1}', effect="mark"),
        FixKind("drop_repeated_key", _C, "drop a key that was written twice in a row", '{"a": "a": 1}', '{"a":  1}'),
        FixKind("replace_punctuation", _C, "write the comma or colon that is expected for another mark", '{"a": 1; "b": 2}', '{"a": 1, "b": 2}', 3),
        FixKind("close_at_end", _C, "add the closers that are missing at the end", '{"a": ["x"', '{"a": ["x"]}', effect="ends"),
        FixKind("add_closer", _C, "add the closer that is expected before another one", '{"a": [1, 2}', '{"a": [1, 2]}', effect="closes"),
        FixKind("replace_closer", _C, "write the closer that matches", '{"a": {"b": 1], "c": 2}', '{"a": {"b": 1}, "c": 2}', effect="moves"),
        FixKind("drop_closer", _C, "drop a closer that closes nothing, or too early", '{"a": 1], "b": 2}', '{"a": 1, "b": 2}', effect="drops"),
        FixKind("open_object", _C, "add the opening brace", '"a": 1}', '{"a": 1}'),
        FixKind("escape_inner_quote", _G, "escape quotes inside a string", '{"a": "say "hi" now"}', '{"a": "say \\"hi\\" now"}', 3),
        FixKind("keep_backslash_guess", _G, "read an escape as a backslash and a letter, as its neighbours are", '{"a": "\\bx\\s"}', '{"a": "\\\\bx\\\\s"}', 1, effect="mark"),
        FixKind("quote_phrase", _G, "quote a bare value", '{"a": some words}', '{"a": "some words"}', 3),
        FixKind("drop_remark", _G, "drop a remark between two members or items", '{"a": 1, <- new\n"b": 2}', '{"a": 1, \n"b": 2}', 3),
        FixKind("add_opening_quote", _G, "add the opening quote", '{"a": x", "b": 1}', '{"a": "x", "b": 1}', 3),
        FixKind("restore_inner_quote", _G, "write the quote of which only its backslash is left", '{"a": "say \\hi\\" now"}', '{"a": "say \\"hi\\" now"}', 3),
        FixKind("add_closing_quote", _G, "add the closing quote", '{"a": "x, "b": 1}', '{"a": "x", "b": 1}', 3),
        FixKind("drop_extra_quote", _G, "drop a quote that was written twice", '{"a": "x"", "b": 1}', '{"a": "x", "b": 1}', 3),
        FixKind("replace_quote", _G, "write the quote that another mark stands for", '{"a[: 1, "b": 2}', '{"a": 1, "b": 2}', 3),
        FixKind("move_quote", _G, "put a quote before the colon that it changed places with", '{"a:" 1}', '{"a": 1}', 3),
        FixKind("swap_marks", _G, "put a mark and its neighbour in each other's place", '{k"ey": 1}', '{"key": 1}', 3),
        FixKind("close_in_middle", _G, "add a closer before the next member", '{"a": [1, 2, "b": 3}', '{"a": [1, 2], "b": 3}', 3, effect="closes"),
        FixKind("reopen", _G, "drop a closer after which its container goes on", '{"a": [{"b": 1}, "c": 2}, {"b": 3}]}', '{"a": [{"b": 1, "c": 2}, {"b": 3}]}', 3, effect="drops"),
        FixKind("open_in_middle", _G, "add the opener before a value", '{"a": 1, 2], "b": 3}', '{"a": [1, 2], "b": 3}', 4, effect="opens"),
        FixKind("replace_opener", _G, "write the opener that matches what follows", '["a": 1}', '{"a": 1}', 3, effect="opens"),
        FixKind("drop_stray_mark", _G, "drop a mark that belongs to nothing", '{"a": "x"[, "b": 2}', '{"a": "x", "b": 2}', 3),
        FixKind("join_thousands", _G, "drop the thousands separators of a number", '{"a": 1,500, "b": 2}', '{"a": 1500, "b": 2}', 3),
        FixKind("drop_ellipsis", _X, "drop the ellipsis that stands for values which were left out", '{"a": [1, ...]}', '{"a": [1]}', 1, effect="mark"),
        FixKind("keep_open_string", _X, "end a string that the text ended in", '{"a": "x', '{"a": "x"}', 1),
        FixKind("drop_cut_member", _X, "drop the member that the text ended in", '{"a": "x", "b": 12', '{"a": "x"}', 1),
        FixKind("close_after_cut", _X, "add the closers that the cut left out", '{"a": "x",', '{"a": "x"}', 1),
        FixKind("salvage", SALVAGE, "what the json_repair library makes of it", '{"a": 1024 - 24}', '{"a": 1024}', 9),
    )
}  # fmt: skip


def with_effect(*effects: str) -> frozenset[str]:
    """Return the names of the fixes with one of these effects on containers."""
    return frozenset(kind.name for kind in FIXES.values() if kind.effect in effects)


def with_rank(*ranks: Rank) -> frozenset[str]:
    """Return the names of the fixes with one of these ranks."""
    return frozenset(kind.name for kind in FIXES.values() if kind.rank in ranks)


def fix_named(name: str, start: int, end: int, new: str) -> Fix:
    """Return the receipt's entry for a fix of the table: `text[start:end]` becomes `new`."""
    kind = FIXES[name]
    return _new(Fix, (name, kind.rank, start, end, new, kind.doc, ""))


# Makes a record from all its fields in half the time of calling its class.
_new = tuple.__new__

# Why a text is refused: the values of `Unrepairable.reason`.
REASONS: dict[str, str] = {
    "empty": "the text holds nothing but white space",
    "no_json": "the text holds no JSON object or list",
    "damaged": "no reading holds to the end of the text",
    "ambiguous": "two different readings are equally good",
    "several": "the text holds several different values, and one is expected",
    "expression": "a value is an expression or a call, not a literal",
    "limit": "a reading exists, but only at a rank above the limit",
    "cut": "the text was cut off, and the limit does not allow a partial value",
    "too_deep": "the value is nested deeper than the limit",
    "too_large": "the text is longer than the limit, or holds more values",
}
