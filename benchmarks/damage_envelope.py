"""Damages of a whole text and of the text around it; each returns None where it has no place."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable
from functools import wraps
from random import Random

from benchmarks.payloads import Payload

Wrapper = Callable[[Random, str, Payload], str | None]


# ── the text as a whole ───────────────────────────────────────────────────────


FIRST_QUOTE = re.compile(r"[^\"'`“”„«»‘’]*+\"")


def _by_its_quotes(damage: Wrapper) -> Wrapper:
    """The same damage, only where strings have double quotes: without them it does not show."""

    @wraps(damage)
    def wrapper(rng: Random, text: str, payload: Payload) -> str | None:
        return damage(rng, text, payload) if FIRST_QUOTE.match(text) else None

    return wrapper


@_by_its_quotes
def html_entities(rng: Random, text: str, _payload: Payload) -> str | None:
    """Every character that HTML escapes, escaped."""
    return html.escape(text, quote=rng.random() < 0.5).replace('"', "&quot;")


@_by_its_quotes
def quote_entities(rng: Random, text: str, _payload: Payload) -> str | None:
    """Only the quotes as entities; not where the text has entities of its own."""
    mark = rng.choice(("&quot;", "&quot;", "&#34;"))
    return None if re.search(r"&#?\w+;", text) else text.replace('"', mark)


def double_encoded(rng: Random, text: str, _payload: Payload) -> str | None:
    """The payload as a JSON string."""
    return json.dumps(text, ensure_ascii=rng.random() < 0.3)


@_by_its_quotes
def escaped_payload(_rng: Random, text: str, _payload: Payload) -> str | None:
    """The payload as a JSON string without its outer quotes."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


@_by_its_quotes
def escaped_quotes(_rng: Random, text: str, _payload: Payload) -> str | None:
    """Only the quotes escaped; not where there are backslashes already."""
    return None if "\\" in text else text.replace('"', '\\"')


def byte_order_mark(_rng: Random, text: str, _payload: Payload) -> str | None:
    """A byte order mark before the text."""
    return "\ufeff" + text


def twice(rng: Random, text: str, _payload: Payload) -> str | None:
    """The same object two times."""
    return text + rng.choice(("\n", "\n\n", "", " ", "\n---\n")) + text


# ── around it ─────────────────────────────────────────────────────────────────

BEFORE = (
    "Sure, here it is:\n\n",
    "I will update the file now.\n",
    "好的，参数如下：\n",
    "Hier sind die Argumente: ",
    "Here's what I'd send (it's the \"safe\" way):\n",
    "JSON:\n",
    "1. First I look at the file.\n2. Then I call the tool:\n\n",
)
AFTER = (
    "\n\nLet me know if you need anything else!",
    "\n\nI've kept the rest as it was; it's all set.",
    "\nDas war's.",
    '\n\nNote: the "limit" is optional, so I left it out.',
    " ✅",
    "\n\n**Why:** the old value, 'x', was wrong.",
)
TRICKY_BEFORE = (
    'I\'ll use the tool (see [docs](https://example.org/z)). The "old" value {foo} goes away:\n\n',
    "The set {a, b} isn't JSON, but this is:\n",
    'Let\'s say x = [1, 2]; then, for "x":\n```\nx[0]\n```\nthe call is\n',
    "Use f(x) { return x; } as before [1].\n",
    "With ${NAME} and {{ template }} filled in, it's:\n",
    "For i in {1..3}: nothing. The dict {'a'} won't do:\n",
)
TRICKY_AFTER = (
    '\n\nNote: the list [1, 2] and "x" stay; it\'s {done}.',
    '\n\nThat\'s it - "all" {set} :)',
    "\n}\n",
    "\n\nHere {path} stands for the file, and [n] for the line.",
)
REASONING = (
    '<think>\nThe user wants {something}. A draft: {"path": "?"}. Not yet.\n</think>\n',
    "<think>Let's see... args like [x] or {y: 1}?</think>",
    '<thinking>It\'s "simple": one call, no more.</thinking>\n\n',
    '<reasoning>\nFirst {"a": 1}? No, that isn\'t it.\n</reasoning>\n',
    'so I need {"mode": "x"} or not?\n</think>\n\n',
)


def around(befores: tuple[str, ...], afters: tuple[str, ...] = ("",)) -> Wrapper:
    """Text before and after."""
    return lambda rng, text, _payload: rng.choice(befores) + text + rng.choice(afters)


FENCES = (
    "```json\n{}\n```",
    "```\n{}\n```",
    "```JSON\n{}\n```\n",
    "~~~json\n{}\n~~~",
    "```javascript\n{}\n```",
    "```tool_call\n{}\n```",
    "````json\n{}\n````",
    "`{}`",
)
UNCLOSED = ("```json\n{}", "```\n{}", "```json\n{}\n``", "{}\n```", "```json {}```")
CALLS = (
    "callback({});",
    "const args = {};",
    "arguments = {}",
    "‹tool›({})",
    "json\n{}",
    "return {};",
    "print({})",
    "let payload={}",
    "‹tool›\n{}",
    "await tools.‹tool›({});",
    "args: {}",
    "result = json.dumps({})",
)
TAGS = (
    "<tool_call>\n{}\n</tool_call>",
    "<|tool_call_start|>{}<|tool_call_end|>",
    "Thought: I should act.\nAction: ‹tool›\nAction Input: {}\nObservation:",
    '<invoke name="‹tool›"><arguments>{}</arguments></invoke>',
    "<function=‹tool›>{}</function>",
    "[TOOL_CALLS]{}</s>",
    "<|im_start|>assistant\n{}<|im_end|>",
    "<s>[INST] go [/INST] {}</s>",
    "<|start|>assistant<|channel|>commentary to=‹tool› <|message|>{}<|call|>",
    "<arguments>{}",
)


def within(templates: tuple[str, ...]) -> Wrapper:
    """The text in one of the templates, in place of their {}."""

    def wrapper(rng: Random, text: str, payload: Payload) -> str | None:
        template = rng.choice(templates).replace("‹tool›", payload.tool)
        before, _, after = template.partition("{}")
        return before + text + after

    return wrapper


def fence_in_prose(rng: Random, text: str, _payload: Payload) -> str | None:
    """A fence with prose before and after."""
    before, after = rng.choice(BEFORE), rng.choice(AFTER)
    return f"{before}```json\n{text}\n```{after}"


def draft_before(rng: Random, text: str, payload: Payload) -> str | None:
    """Prose with a draft that lacks a required member, then the real object."""
    required = payload.schema["required"]
    if len(required) < 2:
        return None
    kept = rng.choice(required[:-1])
    draft = json.dumps({kept: payload.truth[kept]}, ensure_ascii=False)
    return f"My first idea was {draft}, but that lacks {required[-1]}. So:\n\n{text}"
