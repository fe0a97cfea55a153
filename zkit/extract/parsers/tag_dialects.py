"""The dialects in which models write calls as tags, as records."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from zkit.extract.tape import searched

PREFIX = r"(?:[a-z]{2,10}:|[|｜‖]{1,2}\s?DSML\s?[|｜‖]{1,2}\s?)?+"
_JOIN = r"(?:▁|\\?_| )"
# The tokens around a call and after its name: DeepSeek, Kimi, Step-3.
CALL_BEGIN = (
    rf"(?:<｜\s?tool{_JOIN}call{_JOIN}begin\s?[｜|]>|<\|\s?tool{_JOIN}call{_JOIN}begin\s?[｜|]>)"
)
CALL_END = rf"<[｜|]\s?tool{_JOIN}call{_JOIN}end\s?[｜|]>"
CALL_SEP = rf"<[｜|]\s?tool{_JOIN}sep\s?[｜|]>"
M3 = r"\]<\]minimax\[>\["
# A blank, or the byte-level token `Ġ` that a server did not decode to one (MiniCPM 5 under vLLM).
_SPACE = r"[\s\u0120]*+"
_NAMED_TAG = "(?:function_call|function|tool_call|tool)"
_SUFFIX = r"(?::[\w-]+)?+"
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>/|,]+))")
TAGGED = r"[^\s<>/\"'=|{}\[\]]{1,128}"
# A name or key in a tag of its own; it may contain blanks (Qwen3-Coder under Ollama).
_SPACED = rf"{TAGGED}?(?:[ ]{TAGGED}?){{0,8}}"


@dataclass(frozen=True, slots=True)
class Dialect:
    """One way to write a call in tags.

    `unit` opens a call and `unit_end` closes it; `param` opens an argument and `param_end` closes
    it. The name and the key are groups of the openers, or attributes in the group `attrs`. In the
    closers, `{name}` and `{key}` are replaced by those of the opener.
    """

    name: str
    unit: str
    unit_end: str
    param: str
    param_end: str
    # One newline on each side of a value is not part of it.
    newlines: bool = False
    # Any tag may open an argument, so only a closer ends a value.
    keys_are_tags: bool = False
    # The pattern of the tags that objects and lists are made of.
    nested: str = ""
    # Any tag could open a call, so only one with a declared name does.
    any_tag: bool = False
    # The tag that closes a value may be written twice (GLM-4.5).
    doubles: bool = False

    def closer(self, key: str) -> re.Pattern[str]:
        """Return the pattern that ends the value of `key`."""
        return searched(self.param_end.replace("{key}", re.escape(key)))

    def end_of(self, name: str) -> str:
        """Return the pattern that ends a call of `name`."""
        return self.unit_end.replace("{name}", re.escape(name))


def attributes(text: str | None) -> dict[str, str]:
    """Return the attributes of a tag by their lower-case names."""
    return {key.lower(): value for key, value in written_attributes(text)}


def written_attributes(text: str | None) -> list[tuple[str, str]]:
    """Return the attributes of a tag, with entities resolved; values may be quoted either way or not."""
    from html import unescape  # a table of two thousand names

    found = _ATTRIBUTE.findall(text or "")
    return [(key, unescape(double or single or bare)) for key, double, single, bare in found]


def _tags(name: str, *patterns: str, nested: str = "", **flags: bool) -> Dialect:
    """Return a dialect whose tags may also be in capitals, as some models write them."""
    unit, unit_end, param, param_end = (f"(?i:{one})" if one else "" for one in patterns)
    return Dialect(name, unit, unit_end, param, param_end, nested=nested, **flags)


# The namespaces of LongCat and K2 Horizon.
SPACE = r"(?:longcat_|ifm\|)?"
_KEY_TAG, _VALUE_TAG = (rf"<{SPACE}(?:arg|param)_{part}{_SUFFIX}" for part in ("key", "value"))
_INVOKED = rf"<{PREFIX}invoke\s++(?P<attrs>[^<>]{{1,300}}?)\s*+(?P<empty>/?)>"

FUNCTION_EQ = _tags(
    "function_eq", rf"<function\s*+=\s*+[\"']?(?P<name>{_SPACED})[\"']?\s*+>", r"</function\s*+>",
    rf"<parameter\s*+=\s*+[\"']?(?P<key>{_SPACED})[\"']?\s*+>", r"</parameter\s*+>", newlines=True,
)  # fmt: skip
FUNCTION_NAME = _tags(
    "function_name", rf"<{_NAMED_TAG}{_SPACE}(?P<attrs>name\s*+=[^<>]{{1,2000}}?)\s*+(?P<empty>/?)>", rf"</{_NAMED_TAG}\s*+>",
    rf"<param(?:eter)?{_SPACE}(?P<attrs>name\s*+=[^<>]{{1,200}}?)\s*+>", r"</param(?:eter)?\s*+>",
)  # fmt: skip
INVOKE = _tags(
    "invoke", _INVOKED, rf"</{PREFIX}invoke\s*+>",
    rf"<{PREFIX}parameter\s++(?P<attrs>[^<>]{{1,300}}?)\s*+>", rf"</{PREFIX}parameter\s*+>",
)  # fmt: skip
# `<function=f>` with the arguments of Claude's style (corpus/extract/qwen3_coder).
FUNCTION_EQ_NAMED = replace(FUNCTION_EQ, param=INVOKE.param, param_end=INVOKE.param_end)
STEP3 = replace(
    INVOKE, name="step3", unit=rf"{CALL_BEGIN}\s*+(?:function\s*+)?+(?:{CALL_SEP})?+\s*+{INVOKE.unit}",
    unit_end=rf"{INVOKE.unit_end}(?:\s*+{CALL_END})?+",
)  # fmt: skip
# Tags named after the arguments: MiniMax-M3 without its sentinels, and mistakes in Claude's style.
INVOKE_TAGS = _tags(
    "invoke", _INVOKED, rf"</{PREFIX}invoke\s*+>",
    rf"<(?P<key>{TAGGED})>", r"</{key}\s*+>", newlines=True, keys_are_tags=True, nested=r"<(?P<close>/?)(?P<key>[^<>\s]+)>",
)  # fmt: skip
# A name in a tag of its own: Claude 2, and small models in `<tool_call>` (corpus/extract/small_models).
_CALLING_TAG = "(?:invoke|tool_call|tool_use|function_call)"
_HELD = "(?:parameters|arguments|args|input)"
NAMED_IN_TAG = rf"{_CALLING_TAG}\s*+>\s*+<(?:tool_)?name>"
LEGACY = _tags(
    "legacy", rf"<{PREFIX}{NAMED_IN_TAG}\s*+(?P<name>{TAGGED})\s*+</(?:tool_)?name>(?:\s*+<{_HELD}>)?+",
    rf"(?:</{_HELD}>\s*+)?</{PREFIX}{_CALLING_TAG}\s*+>",
    rf"<(?P<key>{TAGGED})>", r"</{key}\s*+>", newlines=True, keys_are_tags=True,
)  # fmt: skip
KEY_VALUE = _tags(
    "key_value", r"(?P<name>[^\s<>{}()]{1,128}+)\s*+(?=<(?:arg|param)_key>)", rf"</{SPACE}tool_call{_SUFFIX}\s*+>",
    rf"(?:{_KEY_TAG}>\s*+){{1,2}}+(?P<key>[^<>]{{1,200}}?)\s*+(?:(?:</{_KEY_TAG[1:]}>\s*+){{1,2}}+(?:<ifm\|arg_type>\w*+</ifm\|arg_type>)?+(?:{_VALUE_TAG}>){{0,2}}+|{_VALUE_TAG}>)",
    rf"</{_VALUE_TAG[1:]}>", doubles=True,
)  # fmt: skip
COFL = _tags(
    "cofl", r"<cofl:tool_call\s++(?P<attrs>[^<>]{1,300}?)\s*+(?P<empty>/?)>", r"</cofl:tool_call\s*+>",
    r"<cofl:value\s++(?P<attrs>[^<>]{1,300}?)\s*+>", r"</cofl:value\s*+>",
    nested=r"<(?P<close>/?)cofl:value\b(?P<attrs>[^<>]*)>",
)  # fmt: skip
XTML = Dialect(
    "xtml", r"<\|open\|>call\s++(?P<attrs>[^|]{1,300}?)\s*+<\|sep\|>", r"<\|close\|>call<\|sep\|>",
    r"<\|open\|>argument\s++(?P<attrs>[^|]{1,300}?)\s*+<\|sep\|>", r"<\|close\|>argument<\|sep\|>",
)  # fmt: skip
MINIMAX_M3 = Dialect(
    "m3", rf"{M3}<invoke\s++(?P<attrs>[^<>]{{1,300}}?)\s*+>", rf"{M3}</invoke>",
    rf"{M3}<(?P<key>{TAGGED})>", rf"{M3}</{{key}}>", keys_are_tags=True, nested=rf"{M3}<(?P<close>/?)(?P<key>[^<>\s]+)>",
)  # fmt: skip
LINES = Dialect(
    "lines", r"(?i:tool_name):[ \t]*+(?P<name>\S{1,128})[ \t\r]*+(?:\n|$)", r"(?:\r?\n)?[ \t]*+(?:```|~~~)",
    r"(?i:begin_arg):[ \t]*+(?P<key>\S{1,128})[ \t\r]*+\n", r"(?:\r?\n)?[ \t]*+(?i:end_arg)(?!\w)",
)  # fmt: skip
# Tags named after the tools. Small models also write arguments as attributes, `<f a="x"/>`
# (corpus/extract/cline_xml).
TOOL_TAG = Dialect(
    "tool_tag",
    rf"<(?P<name>{TAGGED})(?P<given>(?:\s++[\w-]{{1,64}}+=(?:\"[^\"<>]{{0,400}}+\"|'[^'<>]{{0,400}}+'))*+)\s*+(?P<empty>/?)>",
    r"</{name}\s*+>", rf"<(?P<key>{TAGGED})>", r"</{key}\s*+>", newlines=True, keys_are_tags=True, any_tag=True,
)  # fmt: skip
