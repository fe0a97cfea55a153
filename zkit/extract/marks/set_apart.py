"""The parts of a reply that are no place for a call: reasoning, channels, quotations, results."""

from __future__ import annotations

import re
from dataclasses import dataclass

import regex


@dataclass(frozen=True, slots=True)
class Region:
    """What opens a part of the reply and what closes it."""

    opener: str
    closer: str


REASONING_TAGS = ("think", "thinking", "thought", "reasoning", "scratch_pad", "scratchpad", "seed:think", "mm:think", "longcat_think")  # fmt: skip

TAGGED_REASONING = tuple(
    Region(rf"<{tag}\s*+>|<{tag.upper()}\s*+>|<{tag.title()}\s*+>", rf"</(?i:{tag})\s*+>")
    for tag in REASONING_TAGS
)
"""Reasoning in tags that may also be named in a sentence: they count where a line begins."""

MARKED_REASONING = (
    Region(r"\[THINK\]", r"\[/THINK\]"),
    Region(r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    Region(r"<\|channel>thought", r"<channel\|>"),
    Region(r"<\|thought_start\|>", r"<\|thought_end\|>"),
    Region(r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>"),
    Region(r"<\|inner_prefix\|>", r"<\|inner_suffix\|>"),
    Region(r"<\|think\|>", r"<\|/think\|>|<\|end\|>|(?=<\|content\|>|<\|tool_calls\|>)"),
    Region(r"<\|message_model\|><\|content_thinking\|>", r"<\|end_message\|>"),
    Region(r"<\|content_thinking\|>", r"<\|end_message\|>"),
    Region(r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    Region(r"◁think▷", r"◁/think▷"),
    Region(r"\[\[ ## next_thought ## \]\]", r"(?=\[\[ ## )"),
)
SPOKEN_REASONING = (
    Region(r"Here is my thought process:", r"Here is my response:"),
    Region(r"Here are my reasoning steps:", r"\[BEGIN FINAL RESPONSE\]"),
    Region(r"analysis(?=[A-Z])", r"assistantfinal|(?=assistantcommentary to=)"),
)
"""Reasoning between sentences, or between the words of a harmony header that lost its tokens:
without the second one the first is only a sentence."""
LONGEST_SPOKEN = 20_000
"""How far after the first sentence the second one is waited for."""

ANSWERS = (
    Region(r"<\|START_RESPONSE\|>", r"<\|END_RESPONSE\|>"),
    Region(r"<\|START_TEXT\|>", r"<\|END_TEXT\|>"),
    Region(r"<\|open\|>response<\|sep\|>", r"<\|close\|>response<\|sep\|>"),
    Region(r"<\|message_model\|><\|content_text\|>", r"<\|end_message\|>"),
    Region(r"<\|content_text\|>", r"<\|end_message\|>"),
    Region(r"<\|recipient\|>\s*+all\s*+<\|content\|>", r"(?=<\|from\|>|<\|recipient\|>)"),
)
"""Channels for the reader: what stands in them is text, whatever it looks like."""

ORPHANS = "|".join(
    [*(rf"</{t}\s*+>|</{t.upper()}\s*+>|</{t.title()}\s*+>" for t in REASONING_TAGS), r"\[/THINK\]", r"<\|END_THINKING\|>", r"<channel\|>", r"<\|thought_end\|>", r"<\|close\|>think<\|sep\|>", r"◁/think▷", r"\[BEGIN FINAL RESPONSE\]"]
)  # fmt: skip
"""Ends of reasoning whose beginning stood in the prompt."""

QUOTING_TAGS = (
    "pre", "code", "blockquote", "samp", "kbd", "script", "style", "textarea", "example", "examples",
    "document", "documents", "webpage", "email", "quote", "cite", "q", "search_results", "transcript",
)  # fmt: skip
RESULT_TAGS = (
    "tool_response", "tool_responses", "tool_result", "tool_results", "tool_output", "tool_outputs",
    "function_result", "function_results", "function_response", "function_output", "observation",
)  # fmt: skip
ONE_LINE = frozenset({"code", "q", "cite", "samp", "kbd"})

RESULTS = (
    "|".join(rf"<{tag}\s*+>|<{tag.upper()}\s*+>" for tag in RESULT_TAGS)
    + r"|<\|tool_response|<start_function_response>|\[TOOL_RESULTS?\]"
    r"|<｜tool(?:▁|_| )outputs?(?:▁|_| )(?:begin|sep)|<\|tool(?:▁|_| )outputs?(?:▁|_| )(?:begin|sep)|<\|START_TOOL_RESULT\|>|✿(?:RESULT|RETURN)✿:"
    r"|<\|observation\|>|<\|user\|>|<\|USER_TOKEN\|>|<\|im_start\|>(?:user|tool)|<start_of_turn>(?:user|tool)\b|<\|start_header_id\|>(?:user|tool|ipython)"
    r"|<\|start\|>(?:user|tool|functions\.)|\[\[ ## observation"
)
"""Openers of a tool's result or of the next turn: a model that writes one answers itself."""

TURN_ENDS = (
    r"</s>|<\|im_end\|>|<\|im_start\|>assistant|<\|endoftext\|>|<\|end_of_text\|>|<\|eot_id\|>|<\|eom_id\|>|<\|end\|>|<\|return\|>|<\|call\|>"
    r"|<\|eot\|>|<\|eom\|>|<end_of_turn>|<start_of_turn>model\b|<eos>|<bos>|<[｜|](?:begin|end)[▁_]of[▁_]sentence[｜|]>|<\|(?:begin|start)_?of_?text\|>|<\|[be]os\|>|<(?:BOS|EOS)_TOKEN>|\[gMASK\]|<sop>|<\|end_of_turn\|>|<\|END_OF_TURN_TOKEN\|>|<\|START_OF_TURN_TOKEN\|>|<\|CHATBOT_TOKEN\|>|<\|assistant\|>|<bot_end>|<\|from\|>assistant|<\|end_message\|>"
    r"|<end_code>|<end_action>|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|message_model\|>|<\|close\|>message<\|sep\|>|<\|open\|>message[^<>|]{0,60}<\|sep\|>|\[END FINAL RESPONSE\]|<\|stop\|>|<\|content\|>|✿(?:RESULT|RETURN)✿(?!:)"
)
"""Marks between turns and around messages: they belong to no text."""
CLOSERS = r"</(?:longcat_|seed:|minimax:)?tool_calls?(?::[\w-]+)?\s*>|</function>|</function_calls?>|</invoke>|<\|/?tool_calls?\|>|<\|tool_call_end\|>|<\|tool_calls_section_end\|>|<tool_call\|>|<｜tool▁calls?▁end｜>|\]<\]minimax\[>\[(?!<)|\[/INST\]|\[[BE]OS\]|<s>"
"""Ends of calls, and of turns in words that a text may speak of. After a call, and before any text, they are left over; anywhere else they are text."""
CALL_ENDS = r"<bot_end>|✿(?:RESULT|RETURN)✿"
"""Marks that end a call as well: after one that stays in the text they stay there too."""
TOKENS = f"{TURN_ENDS}|{CLOSERS}"

CHANNEL = regex.compile(
    r"(?:<\|start\|>(?P<role>[\w.]++))?+(?:\s*+to=(?P<to>[\w.:/-]++))?+\s*+"
    r"(?:<\|channel\|>\s*+(?P<channel>\w++)(?:\s*+to=(?P<to>[\w.:/-]++))?+(?:\s*+(?:<\|constrain\|>)?+\s*+(?P<kind>\w++))?+)?+\s*+<\|message\|>"
)
CHANNEL_END = re.compile(r"<\|(?:call|end|return|eom|eot)\|>|(?=<\|(?:start|channel)\|>)")
STRIPPED_CHANNEL = r"(?:assistant\s*+)?(?:analysis|commentary)\s*+to=(?:functions\.)?"
