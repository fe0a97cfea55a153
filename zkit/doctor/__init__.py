"""Examines a model on a server: what it gets wrong, which settings cover it, and a profile with them."""

from zkit.doctor.connection import Connection
from zkit.doctor.examination import PROBES, Examination, Finding, Probe, requests_of, selected
from zkit.doctor.judges import Verdict
from zkit.doctor.minimize import ATTEMPTS, Minimized, as_curl, minimize
from zkit.doctor.questions import QUESTIONS, Question

__all__ = [
    "ATTEMPTS",
    "PROBES",
    "QUESTIONS",
    "Connection",
    "Examination",
    "Finding",
    "Minimized",
    "Probe",
    "Question",
    "Verdict",
    "as_curl",
    "minimize",
    "requests_of",
    "selected",
]
