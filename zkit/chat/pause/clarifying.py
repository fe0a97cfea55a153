"""A question of the model in; the answer of a person out, now or when the run is resumed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from anyio import to_thread
from pydantic import Field

from zkit.dispatch import wait_for_answer
from zkit.grade import PURE
from zkit.results import Validation
from zkit.tools import FunctionTool, tool

Ask = Callable[[str, tuple[str, ...]], Any]


def clarification(ask: Ask | None = None) -> FunctionTool[..., Any]:
    """Make the tool `ask_clarification`.

    `ask` gets the question and the options and returns the answer; it may be async. Without it
    the run pauses, and the answer is given to `ChatLoop.resume`.
    """

    @tool(grade=PURE, cacheable=False, tags=["people"])
    async def ask_clarification(
        question: Annotated[str, Field(description="One question, complete in itself.")],
        options: Annotated[
            Sequence[str], Field(description="Answers to choose from, if there are only a few.")
        ] = (),
    ) -> Any:
        """Ask the user a question, and wait for the answer.

        Only for what you cannot find out with the other tools, and cannot go on without.
        """
        if not question.strip():
            raise Validation("question: must not be empty. Send the question that you want to ask.")
        offered = tuple(option for option in options if option.strip())
        if ask is None:
            return wait_for_answer(question, offered)
        if inspect.iscoroutinefunction(ask):
            return await ask(question, offered)
        # It waits for a person, so it has a thread.
        return await to_thread.run_sync(ask, question, offered, abandon_on_cancel=True)

    return ask_clarification


ask_clarification = clarification()
"""The tool that pauses a run for a question."""
