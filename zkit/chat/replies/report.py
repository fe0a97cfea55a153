"""What was done to a completion, as records: the `.zkit` of a reply."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from zkit.calls import Call
from zkit.receipt import Fix


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that must not run.

    `message` is for the model: send it as the answer to the call `id`. A call that was found in the
    text has no id. `text` is what the model wrote: the arguments, or the place in the text.
    """

    id: str
    name: str
    code: str
    message: str
    text: str
    origin: str = "native"


@dataclass(frozen=True, slots=True)
class DoubtfulCall:
    """A valid call in the text that the model may not have meant; it stays in the text.

    `reason` is `followed` (the reply goes on after it), `unmarked` (only its shape says that it is
    a call, and the tool can change things) or `beside_native` (the reply holds native calls too).
    """

    call: Call
    reason: str
    message: str


@dataclass(frozen=True, slots=True)
class Report:
    """What was done to the calls of a completion; empty when nothing had to be done.

    `calls` can be run: their arguments fit the schema, and each names where it was found and what
    was changed to read it. `refusals` must not be run, `doubtful` only after somebody confirmed
    them. `answered` are the calls of earlier replies that were not delivered, because the model was
    asked again; `requests` is how many requests were made in all. A reply of several choices has a
    report for each of them in `choices`.
    """

    calls: tuple[Call, ...] = ()
    refusals: tuple[RefusedCall, ...] = ()
    doubtful: tuple[DoubtfulCall, ...] = ()
    answered: tuple[RefusedCall | DoubtfulCall, ...] = ()
    requests: int = 1
    choices: tuple[Report, ...] = ()

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """Everything that was changed, over all calls."""
        return tuple(fix for call in self.calls for fix in call.fixes)

    @property
    def origin(self) -> str:
        """Where the calls were found: `native`, or the name of the text format; else empty."""
        return next((call.origin for call in self.calls), "")

    @property
    def is_clean(self) -> bool:
        """True if every call of the reply can be run."""
        return not self.refusals and not self.doubtful

    def call(self, id: str) -> Call | None:
        """The call that can be run under this id; None when there is none."""
        return next((call for call in self.calls if call.id == id), None)

    def refusal(self, id: str) -> RefusedCall | None:
        """Why the call of this id must not be run; None when it may."""
        return next((one for one in self.refusals if one.id == id), None)


def joined(reports: Iterable[Report]) -> Report:
    """One report of several choices."""
    found = tuple(reports)
    if len(found) == 1:
        return found[0]
    return Report(
        tuple(call for report in found for call in report.calls),
        tuple(one for report in found for one in report.refusals),
        tuple(one for report in found for one in report.doubtful),
        choices=found if any(report != Report() for report in found) else (),
    )
