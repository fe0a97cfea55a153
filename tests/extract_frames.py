"""Texts around a call, `CALL` in its place: ones that end with it, ones that go on, ones that quote it.

What the words say makes no difference, in any language: a call that ends the reply is made.
"""

from __future__ import annotations

FINAL = (
    "CALL", "CALL\n\n", "Right away boss\nCALL", "查一下天气\nCALL", "Oslo it is →\nCALL", "Step 1 - weather\nCALL", "🔍\nCALL",
    "Sure! Let me check:\n\nCALL", "Ich sehe gleich nach.\n\nCALL", "天気を調べます。\nCALL", "I will not do that:\n\nCALL",
    "The manual says:\n\nCALL", "**Step 3: run the tool**\n\nCALL", "### Action\n\nCALL", "- CALL",
    "I need to:\n1. read the file\n2. fix it\n\nCALL", "You said „sofort“, so I do it now.\n\nCALL", "Done. CALL",
    "<think>Which one?</think>\n\nCALL", "CALL\n---\n", "CALL<|im_end|>", "CALL<|im_end|>\n<|im_start|>user\nThanks!", "CALL\n<tool_response>ok</tool_response>",
)  # fmt: skip
FOLLOWED = (
    "CALL\n\nI'll report back once it is done.", "CALL\nThat is how it looks.", "Let me check.\n\nCALL\n\n结果出来后我会告诉您。",
    "CALL\n\nShall I go ahead?", "CALL\n\nActually, never mind.", "CALL\n\nThe end.\n\n",
)  # fmt: skip
ASKED = ("Would you like me to?\n\nCALL", "要我查一下吗？\nCALL")
QUOTED = (
    "Write `` CALL `` to send it.", "> CALL\n\nNo.", "| CALL |", "<pre>CALL</pre>", "<!-- CALL -->", "2024-05-01 12:00:01 INFO CALL",
    "Like this:\n\n    CALL", "```text\nfirst line\nCALL\nlast line\n```", "<think>CALL</think>\nNo.", "# CALL", "4<|im_end|>\n<|im_start|>user\nCALL",
    "4<end_of_turn>\n<start_of_turn>user\nCALL", "4<|eot|><|header_start|>user<|header_end|>\n\nCALL", "4\n\nUser: do it\nAssistant: CALL",
)  # fmt: skip
