"""The loop's own messages to a model."""

from __future__ import annotations

LAST_TURN = (
    "This is the last reply of this task, and no tool can be called any more. Answer the question"
    " now, in words, from what you know."
)
EMPTY = "Your last reply was empty. Answer in words, or call a tool."
EMPTY_AFTER_FAILURE = 'The last call failed, and your reply was empty. Send the next call: {"name": ..., "arguments": {...}}'
REASONING_ONLY = (
    "Your last reply held reasoning and nothing else. Reason briefly now, then answer in words or"
    " call a tool."
)
OUT_OF_TOKENS = (
    "Your last reply used up its tokens on reasoning, and nothing of an answer arrived. Reason in a"
    " few sentences now, then answer in words or call a tool."
)
UNREADABLE = (
    "Your last reply held a tool call that the server could not read: its arguments were not valid"
    " JSON. Send the call again: escape newlines and quotes inside texts, close every bracket, and"
    " write nothing after it."
)
NO_CALL = (
    "Your last reply begins like a tool call, but no call can be read from it, so nothing was run."
    " Send the call again exactly in the form that you were given: the name of one of the tools, and"
    " its arguments as JSON."
)
NO_RESULT = 'Nothing else was done so far. Send the next call: {"name": ..., "arguments": {...}}'
"""For a tool's result that the model made up. Qwen2.5-Coder-1.5B writes it again after a word about its
mistake or a list of what was done, and gives up if it is also offered to say that all is done."""
IN_WORDS = (
    "Your last reply is JSON that looks like a tool call and is not one, so nothing was run. Answer in"
    " words, or send the call exactly in the form that you were given."
)


PAUSED = (
    "Not run: paused. Somebody outside of this conversation must answer first; then this answer is"
    " replaced by the real one."
)


def cut_call(name: str, arrived: int) -> str:
    """Return a call at the end of a reply that the token limit cut."""
    return (
        f"Your reply reached its token limit while you wrote this call of {name}: {arrived}"
        " characters of arguments arrived, so it was not run. Send it again with less in it:"
        " shorten the longest text, or do the work in several smaller calls."
    )


def too_many_calls(limit: int) -> str:
    """Return a call beyond the limit of a run."""
    return f"this task may make {limit} calls, and they are used up"


def beside_native(name: str) -> str:
    """Return a call in the text of a reply that also made tool calls."""
    return (
        f"the text of your reply also contains a call of {name}: it was not run, because your reply"
        " made tool calls as well. Send it as a tool call if you mean it."
    )


REPEATED = "You made this call before, and this is its result. It was not run again."
HAVE_RESULTS = "Use these results to answer the question in one or two sentences, in words."
NO_MORE_CALLS = "no tool runs any more in this task; it was time for the answer"


def written_often(times: int) -> str:
    """Return the note about a call that is written several times in one reply."""
    return f"you wrote this call {times} times; it was run once. Use this answer now."
