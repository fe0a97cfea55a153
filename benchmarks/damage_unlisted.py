"""Damages that zkit makes no promise about, to see what it does with what it was not built for."""

from __future__ import annotations

from dataclasses import replace
from random import Random

from benchmarks.damage import Damage
from benchmarks.damage_envelope import Wrapper, around, within
from benchmarks.damage_strings import UNDER_ESCAPED, Breaker, Tokens, halve_backslashes, is_plain
from benchmarks.payloads import Payload
from benchmarks.tokens import change, insert, places, requote, rewrite, some


def full_width(rng: Random, tokens: Tokens) -> Tokens | None:
    """Full-width colons and commas, as Chinese and Japanese keyboards write them."""
    wide = {":": "：", ",": "，"}
    found = places(tokens, lambda t: t.kind in ("colon", "comma"))
    return rewrite(tokens, some(rng, found), lambda body: wide[body])


def semicolons(rng: Random, tokens: Tokens) -> Tokens | None:
    """Semicolons where commas are expected."""
    found = places(tokens, lambda t: t.kind == "comma")
    return rewrite(tokens, some(rng, found, all_chance=0.6), lambda _body: ";")


def mismatched_quotes(opens: str, closes: str) -> Breaker:
    """One string that begins with one kind of quote and ends with another."""

    def breaker(rng: Random, tokens: Tokens) -> Tokens | None:
        found = places(tokens, lambda t: is_plain(t) and len(t.body) > 1 and "'" not in t.body)
        return requote(tokens, some(rng, found, all_chance=0), opens, closes)

    return breaker


def raw_string_prefix(rng: Random, tokens: Tokens) -> Tokens | None:
    """A string with backslashes as Python's raw string: r"..."."""
    found = places(
        tokens, lambda t: is_plain(t) and "\\\\" in t.body and UNDER_ESCAPED["plain"](t.body)
    )
    chosen = some(rng, found, all_chance=0)
    return change(tokens, chosen, lambda t: replace(t, opens='r"', body=halve_backslashes(t.body)))


def stray_remark(rng: Random, tokens: Tokens) -> Tokens | None:
    """A remark without any comment sign after a comma at the end of a line."""
    found = [at + 1 for at in places(tokens, lambda t: t.kind == "comma")]
    lines = [at for at in found if tokens[at].body.startswith("\n")]
    return insert(tokens, rng.choice(lines), " <- changed") if lines else None


def line_prefix(*marks: str) -> Wrapper:
    """Every line begins with a mark, as in a quotation or a listing."""

    def wrapper(rng: Random, text: str, _payload: Payload) -> str | None:
        mark = rng.choice(marks)
        lines = text.split("\n")
        numbered = (mark.replace("#", str(at)) + line for at, line in enumerate(lines, 1))
        return "\n".join(numbered) if len(lines) > 2 else None

    return wrapper


UNLISTED: tuple[Damage, ...] = (
    Damage("full_width", "RESPELL", full_width),
    Damage("semicolons", "RESPELL", semicolons),
    Damage("smart_then_straight", "GUESS", mismatched_quotes("“", '"'), in_strings=True),
    Damage("straight_then_smart", "GUESS", mismatched_quotes('"', "”"), in_strings=True),
    Damage("single_then_double", "GUESS", mismatched_quotes("'", '"'), in_strings=True),
    Damage("raw_string_prefix", "RESPELL", raw_string_prefix, in_strings=True),
    Damage("stray_remark", "GUESS", stray_remark),
    Damage("quotation", "UNWRAP", wraps=line_prefix("> ", ">")),
    Damage("line_numbers", "UNWRAP", wraps=line_prefix("#: ", "# | ", "#\t")),
    Damage("bold", "UNWRAP", wraps=around(("**",), ("**",))),
    Damage("list_item", "UNWRAP", wraps=around(("1. ", "- ", "* "))),
    Damage(
        "shell_heredoc",
        "UNWRAP",
        wraps=within(("cat <<'EOF'\n{}\nEOF", "echo '{}' | jq .", "$ {}")),
    ),
    Damage("xml_cdata", "UNWRAP", wraps=within(("<args><![CDATA[{}]]></args>",))),
)
