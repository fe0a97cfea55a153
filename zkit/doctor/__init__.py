"""A server and a model in; what they get wrong, what covers it, and a profile for them out."""

from zkit.doctor.asks import ASKS, Ask
from zkit.doctor.examination import Examination, Finding, requests_of, selected
from zkit.doctor.line import Line
from zkit.doctor.probes import PROBES, Probe
from zkit.doctor.verdict import Verdict

__all__ = [
    "ASKS",
    "PROBES",
    "Ask",
    "Examination",
    "Finding",
    "Line",
    "Probe",
    "Verdict",
    "requests_of",
    "selected",
]
