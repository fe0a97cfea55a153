"""The marks of chat templates: reasoning, channels, turns, tool results, and tags that quote."""

from __future__ import annotations

import re
from typing import NamedTuple


class Region(NamedTuple):
    """The patterns that open and close a part of the reply."""

    opener: str
    closer: str


REASONING_TAGS = ("think", "thinking", "thought", "reasoning", "scratch_pad", "scratchpad", "seed:think", "mm:think", "longcat_think")  # fmt: skip

# Reasoning in tags that a sentence may mention, so they count only at the beginning of a line.
TAGGED_REASONING = tuple(
    Region(rf"<{tag}\s*+>|<{tag.upper()}\s*+>|<{tag.title()}\s*+>", rf"</(?i:{tag})\s*+>")
    for tag in REASONING_TAGS
)

MARKED_REASONING = (
    Region(r"\[THINK\]", r"\[/THINK\]"),
    Region(r"<\|START_THINKING\|>", r"<\|END_THINKING\|>"),
    Region(r"(?:<\|channel>){1,2}+thought", r"<channel\|>"),
    Region(r"<\|plamo:begin_think:plamo\|>", r"<\|plamo:end_think:plamo\|>"),
    Region(r"<\|thought_start\|>", r"<\|thought_end\|>"),
    Region(r"<\|open\|>think<\|sep\|>", r"<\|close\|>think<\|sep\|>|(?=<\|open\|>tools<\|sep\|>)"),
    Region(r"<\|inner_prefix\|>", r"<\|inner_suffix\|>|(?=<\|tools_prefix\|>)"),
    Region(r"<\|think\|>", r"<\|/think\|>|<\|end\|>|(?=<\|content\|>|<\|tool_calls\|>)"),
    Region(r"<\|message_model\|><\|content_thinking\|>", r"<\|end_message\|>"),
    Region(r"<\|content_thinking\|>", r"<\|end_message\|>"),
    Region(r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>"),
    Region(r"◁think▷", r"◁/think▷"),
    Region(r"\[\[ ## next_thought ## \]\]", r"(?=\[\[ ## )"),
)
# Reasoning between two fixed sentences (corpus/extract/granite31_array, tool_calls_array), or between the
# words of a Harmony header without its tokens. Without the second one, the first is only text.
SPOKEN_REASONING = (
    Region(r"Here is my thought process:", r"Here is my response:"),
    Region(r"Here are my reasoning steps:", r"\[BEGIN FINAL RESPONSE\]"),
    Region(r"analysis(?=[A-Z])", r"assistantfinal|(?=assistantcommentary to=)"),
)
# How far after the first sentence the second one is searched for.
LONGEST_SPOKEN = 20_000

# Channels for the reader: their content is text, whatever it looks like.
ANSWERS = (
    Region(r"<\|START_RESPONSE\|>", r"<\|END_RESPONSE\|>"),
    Region(r"<\|START_TEXT\|>", r"<\|END_TEXT\|>"),
    Region(
        r"<\|open\|>response<\|sep\|>", r"<\|close\|>response<\|sep\|>|(?=<\|open\|>tools<\|sep\|>)"
    ),
    Region(r"<\|message_model\|><\|content_text\|>", r"<\|end_message\|>"),
    Region(r"<\|content_text\|>", r"<\|end_message\|>"),
    Region(r"<\|recipient\|>\s*+all\s*+<\|content\|>", r"(?=<\|from\|>|<\|recipient\|>)"),
)

# Closers of reasoning that the prompt opened.
ORPHANS = "|".join(
    [*(rf"</{t}\s*+>|</{t.upper()}\s*+>|</{t.title()}\s*+>" for t in REASONING_TAGS), r"\[/THINK\]", r"<\|END_THINKING\|>", r"<channel\|>", r"<\|thought_end\|>", r"<\|inner_suffix\|>", r"<\|plamo:end_think:plamo\|>", r"<\|close\|>think<\|sep\|>", r"◁/think▷", r"\[BEGIN FINAL RESPONSE\]"]
)  # fmt: skip

QUOTING_TAGS = (
    "pre", "code", "blockquote", "samp", "kbd", "script", "style", "textarea", "example", "examples",
    "document", "documents", "webpage", "email", "quote", "cite", "q", "search_results", "transcript",
    "details", "template", "table", "svg", "untrusted_content", "search_result",
)  # fmt: skip
RESULT_TAGS = (
    "tool_response", "tool_responses", "tool_result", "tool_results", "tool_output", "tool_outputs",
    "function_result", "function_results", "function_response", "function_output", "observation",
)  # fmt: skip
ONE_LINE = frozenset({"code", "q", "cite", "samp", "kbd"})

# Openers of a tool result; a model that writes one makes up the result.
RESULTS = (
    "|".join(rf"<{tag}\s*+>|<{tag.upper()}\s*+>" for tag in RESULT_TAGS)
    + r"|<\|tool_response|<start_function_response>|\[TOOL_RESULTS?\]"
    r"|<｜tool(?:▁|_| )outputs?(?:▁|_| )(?:begin|sep)|<\|tool(?:▁|_| )outputs?(?:▁|_| )(?:begin|sep)|<\|START_TOOL_RESULT\|>|✿(?:RESULT|RETURN)✿:"
    r"|\[\[ ## observation"
)

_OTHERS = r"(?:user|system|tool|developer|human|ipython|environment|observation|function|context)"

# The marks that open somebody else's turn, with the templates that define them.
OTHER_TURNS: tuple[tuple[str, str], ...] = (
    ("ChatML: Qwen, Hermes, Yi, LFM2, SmolLM", rf"<\|im_start\|>\s?{_OTHERS}\b"),
    ("Llama 2, Mistral", r"\[INST\]|<<SYS>>"),
    ("Mistral v7 and later", r"\[SYSTEM_PROMPT\]|\[AVAILABLE_TOOLS\]"),
    ("Llama 3", rf"<\|start_header_id\|>\s?{_OTHERS}\b"),
    ("Llama 4", rf"<\|header_start\|>\s?{_OTHERS}\b"),
    ("Gemma 1 to 3", rf"<start_of_turn>\s?{_OTHERS}\b"),
    ("Gemma 4", rf"<\|turn>\s?{_OTHERS}\b"),
    ("Phi 3 and 4, GLM, Zephyr, OLMo, Falcon 3", r"<\|(?:user|system|observation|tool)\|>"),
    ("DeepSeek, InternLM", r"<｜(?:User|System)｜>|<\|(?:User|System)\|>"),
    ("Kimi", r"<\|im_(?:user|system)\|>"),
    ("Kimi K3", rf"<\|open\|>message\b[^<>|]{{0,40}}?\b{_OTHERS}\b"),
    ("Granite", rf"<\|start_of_role\|>\s?(?:{_OTHERS}|available_tools|tool_response|documents)\b"),
    ("InternLM 1", r"<eoh>"),
    ("Baichuan", r"<reserved_10[26]>|<C_Q>|<B_[A-Z]SYS>"),
    ("Hunyuan", r"<｜hy_User｜>|<\|hy_User\|>|<\|extra_[04]\|>"),
    ("EXAONE", r"\[\|(?:user|system|tool)\|\]"),
    ("Nemotron", r"<extra_id_[01]>(?:User|System|Tool)\b|<SPECIAL_1[01]>(?:User|System|Tool)\b"),
    ("MiniMax", rf"\]~b\]\s?{_OTHERS}\b|<beginning_of_sentence>\s?{_OTHERS}\b"),
    ("Seed", rf"<seed:bos>\s?{_OTHERS}\b"),
    ("Ling", r"<role>(?:HUMAN|SYSTEM|OBSERVATION)</role>"),
    ("Solar", rf"<\|begin\|>\s?{_OTHERS}\b"),
    ("Apertus", r"<\|(?:user|system|developer)_start\|>"),
    ("Cohere", r"<\|(?:USER|SYSTEM)_TOKEN\|>"),
    ("Harmony: gpt-oss", r"<\|start\|>(?:user|tool|system|developer|functions\.)"),
    ("Functionary", rf"<\|from\|>\s?{_OTHERS}\b"),
    ("Inkling", r"<\|message_(?:user|system|tool)\|>"),
    ("GigaChat", r"<\|message_sep\|>\s*+(?:user|system|function result)<\|role_sep\|>"),
    ("MiniCPM", r"<用户>"),
    ("TeleChat", r"<_user>|<_system>"),
    ("Skywork", r"\[USER\]"),
    ("Step", rf"<\|BOT\|>\s?{_OTHERS}\b"),
)  # fmt: skip
OTHER_TURN = "|".join(pattern for _, pattern in OTHER_TURNS)

# Openers of the model's own turn, left over at the beginning of a reply and after the end of a turn.
OWN_TURN = (
    r"<\|im_start\|>assistant|<start_of_turn>model\b|<\|turn>model\b|<\|CHATBOT_TOKEN\|>|<\|assistant\|>|<\|from\|>assistant"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>|<\|header_start\|>assistant<\|header_end\|>|<｜Assistant｜>|<\|Assistant\|>|<\|Bot\|>:?"
    r"|<\|im_assistant\|>(?:assistant)?(?:<\|im_middle\|>)?|<\|start_of_role\|>assistant<\|end_of_role\|>|<reserved_10[37]>|<C_A>|<｜hy_Assistant｜>"
    r"|\[\|assistant\|\]|<extra_id_1>Assistant|<SPECIAL_11>Assistant|\]~b\]ai\b|<seed:bos>assistant|<role>ASSISTANT</role>|<\|begin\|>assistant"
    r"|<\|assistant_start\|>|<beginning_of_sentence>ai\b|<AI>|<_bot>|\[BOT\]|<\|BOT\|>assistant"
)

# The tokens that end a turn; text after one of them is not part of this reply.
END_OF_TURN = (
    r"</s>|<\|im_end\|>|<\|endoftext\|>|<\|end_of_text\|>|<\|eot_id\|>|<\|eot\|>|<end_of_turn>|<turn\|>|<eos>|<\|eos\|>"
    r"|<[｜|]end[▁_]of[▁_]sentence[｜|]>|<EOS_TOKEN>|<\|end_of_turn\|>|<\|END_OF_TURN_TOKEN\|>|<eoa>|<seed:eos>|\[e~\[|\[\|endofturn\|\]"
    r"|<\|role_end\|>|<bot_end>|<\|assistant_end\|>|<end_of_sentence>|<_end>|<\|EOT\|>|<\|plamo:tag\|>"
)

# Marks between turns and around messages; they are never part of the text.
TURN_ENDS = (
    rf"{END_OF_TURN}|{OWN_TURN}|<\|im_start\|>|<\|eom_id\|>|<\|end\|>|<\|return\|>|<\|call\|>|<\|eom\|>|<bos>|<[｜|]begin[▁_]of[▁_]sentence[｜|]>"
    r"|<\|(?:begin|start)_?of_?text\|>|<\|bos\|>|<BOS_TOKEN>|\[gMASK\]|<sop>|<\|START_OF_TURN_TOKEN\|>|<\|end_message\|>"
    r"|<end_code>|<end_action>|<\|message_model\|>|<\|close\|>(?:message|response)<\|sep\|>|<\|open\|>message[^<>|]{0,60}<\|sep\|>|\[END FINAL RESPONSE\]|<\|stop\|>|<\|content\|>|✿(?:RESULT|RETURN)✿(?!:)"
)
# Closers of calls, and turn marks that a text may mention. After a call and before any text they are
# left over and dropped; anywhere else they are text.
CLOSERS = r"</(?:longcat_|seed:|minimax:)?tool_calls?(?::[\w-]+)?\s*>|</tools>|</function>|</function_calls?>|</invoke>|<\|/?tool_calls?\|>|<\|tool_call_end\|>|<\|tool_calls_section_end\|>|<tool_call\|>|<｜tool▁calls?▁end｜>|\]<\]minimax\[>\[(?!<)|\[/INST\]|\[[BE]OS\]|<s>"
TOKENS = f"{TURN_ENDS}|{CLOSERS}"

# The labels of two speakers: if a line of the second answers a line of the first, a turn leaked.
TURN_LABELS: tuple[tuple[str, str, str], ...] = (
    ("Vicuna, Falcon, plain dialogues", "user|human|customer", "assistant|ai|bot|model|agent|chatbot|falcon|gpt"),
    ("Alpaca", "instruction|input", "response"),
    ("OpenChat", "gpt4 user|gpt4 correct user", "gpt4 assistant|gpt4 correct assistant"),
    ("question-answer prompts", "question|q", "answer|a"),
    ("ChatGLM2, Baichuan, Chinese dialogues", "问|用户", "答|助手"),
    ("dialogues in German", "nutzer|benutzer", "assistent"),
    ("dialogues in French and Spanish", "utilisateur|usuario", "assistant|asistente"),
    ("dialogues in Russian", "пользователь", "ассистент"),
    ("dialogues in Japanese and Korean", "ユーザー|사용자", "アシスタント|어시스턴트"),
)  # fmt: skip
ASKED = "|".join(asks for _, asks, _ in TURN_LABELS)
ANSWERED = "|".join(answers for _, _, answers in TURN_LABELS)

CHANNEL = (
    r"(?:<\|start\|>(?P<role>[\w.]++))?+(?:\s*+to=(?P<to>[\w.:/-]++))?+\s*+"
    r"(?:<\|channel\|>\s*+(?P<channel>\w++)(?:\s*+to=(?P<to>[\w.:/-]++))?+(?:\s*+(?:<\|constrain\|>)?+\s*+(?P<kind>\w++))?+)?+\s*+<\|message\|>"
)
CHANNEL_END = re.compile(r"<\|(?:call|end|return|eom|eot)\|>|(?=<\|(?:start|channel)\|>)")
STRIPPED_CHANNEL = r"(?:assistant\s*+)?(?:analysis|commentary)\s*+to=(?:functions\.)?"
