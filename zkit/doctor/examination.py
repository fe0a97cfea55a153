"""Probes and a line to a server in, a finding for each out, and the profile that follows from them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from zkit.chat import Profile
from zkit.doctor.asks import ASKS
from zkit.doctor.heard import Heard
from zkit.doctor.line import Line
from zkit.doctor.probes import PROBES, Probe, Settings, settings_text
from zkit.doctor.verdict import Verdict, covered, worst

ASKED_AGAIN = "the loop asks again: the second try was right"


@dataclass(frozen=True, slots=True)
class Finding:
    """A probe and its verdict; `is_failure` says that the question got no answer at all."""

    probe: Probe
    verdict: Verdict
    is_failure: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for `json.dumps`."""
        found = self.verdict
        return {
            "probe": self.probe.name,
            "shows": self.probe.shows,
            "status": {"open": "not covered"}.get(found.status, found.status),
            "evidence": found.evidence,
            "covered_by": found.by,
            "settings": dict(found.settings),
        }


def selected(patterns: Sequence[str]) -> list[Probe]:
    """The probes whose names match one of the patterns; all when there are none."""
    if not patterns:
        return list(PROBES.values())
    return [
        probe
        for probe in PROBES.values()
        if any(fnmatchcase(probe.name, pattern) for pattern in patterns)
    ]


def requests_of(probes: Sequence[Probe]) -> int:
    """How many requests the probes need when nothing is wrong."""
    return len({ask for probe in probes for ask in probe.asks})


class Examination:
    """Examines one model on one server; what was found shapes the questions after it."""

    def __init__(self, line: Line, base_url: str = "") -> None:
        self._line = line
        self._heard: dict[str, Heard] = {}
        self.profile = Profile(model=line.model, base_url=base_url)

    def run(self, probes: Sequence[Probe]) -> Iterator[Finding]:
        """Examine; each finding as soon as it is there."""
        for probe in probes:
            verdict = self._examined(probe)
            self.profile = replace(self.profile, **verdict.settings)
            yield Finding(probe, verdict, self._has_failed(probe, verdict))

    def _has_failed(self, probe: Probe, verdict: Verdict) -> bool:
        return verdict.status == "open" and any(self._heard[ask].failure for ask in probe.asks)

    def is_usable(self, findings: Sequence[Finding]) -> bool:
        """Whether the server answers, and calls in one way or another; unasked counts as yes."""
        needed = ("answer", "native_call")
        return all(one.verdict.status != "open" for one in findings if one.probe.name in needed)

    def _examined(self, probe: Probe) -> Verdict:
        verdict = worst(probe.judge(self._answer(ask)) for ask in probe.asks)
        if verdict.status == "open" and len(probe.asks) == 1:
            return self._second_opinion(probe, verdict)
        if probe.name == "native_call" and verdict.status == "ok":
            return replace(verdict, settings={"mode": "native"})
        needed = self._in_force(probe)
        if verdict.status != "open" and needed is not None:
            return covered(verdict.evidence, settings_text(needed))
        return verdict

    def _in_force(self, probe: Probe) -> Settings | None:
        """The remedy of a probe that an earlier one has called for already."""
        manners = self.profile.server_settings()
        return next((one for one in probe.remedies if one.items() <= manners.items()), None)

    def _answer(self, name: str) -> Heard:
        if name not in self._heard:
            self._heard[name] = self._asked(name, {})
        return self._heard[name]

    def _asked(self, name: str, settings: Settings) -> Heard:
        ask = ASKS[name]
        return self._line.ask(ask, replace(self.profile, **{**ask.manners, **settings}))

    def _second_opinion(self, probe: Probe, verdict: Verdict) -> Verdict:
        """Ask once more, and then with each of the settings that might help."""
        [name] = probe.asks
        is_refused = 400 <= self._heard[name].status < 500
        if not is_refused and probe.judge(self._asked(name, {})).status != "open":
            return covered(verdict.evidence, ASKED_AGAIN)
        for settings in probe.remedies:
            heard = self._asked(name, settings)
            if probe.judge(heard).status != "open":
                self._heard[name] = heard
                return covered(verdict.evidence, settings_text(settings), **settings)
        return verdict
