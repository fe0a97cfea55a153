"""Verdicts in, JUnit XML out, for the test reports of CI servers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple
from xml.etree import ElementTree

from zkit.cases import CaseResult

# XML 1.0 has no way to write these, not even as a reference.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Judged(NamedTuple):
    """A verdict, the file it belongs to as the user knows it, and how long it took."""

    file: str
    verdict: CaseResult
    seconds: float


def junit_xml(judged: Iterable[Judged]) -> bytes:
    """Return one test suite for each case file."""
    root = ElementTree.Element("testsuites", name="zkit corpus")
    for file, group in groupby(judged, key=lambda each: each.file):
        root.append(suite(file, list(group)))
    ElementTree.indent(root)
    xml: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return xml


def suite(file: str, judged: list[Judged]) -> ElementTree.Element:
    """Return the test suite of one file."""
    failures = sum(not each.verdict.passes for each in judged)
    attributes = {
        "name": writable(file),
        "tests": str(len(judged)),
        "failures": str(failures),
        "errors": "0",
        "time": f"{sum(each.seconds for each in judged):.6f}",
    }
    element = ElementTree.Element("testsuite", attributes)
    element.extend([testcase(each) for each in judged])
    return element


def testcase(each: Judged) -> ElementTree.Element:
    """Return one case, with its deviation as the failure."""
    case, deviation = each.verdict.case, each.verdict.deviation
    file = writable(each.file)
    element = ElementTree.Element(
        "testcase",
        {
            "classname": file,
            "name": writable(case.it),
            "file": file,
            "line": str(case.line),
            "time": f"{each.seconds:.6f}",
        },
    )
    if deviation is not None:
        message = writable(deviation)
        failure = ElementTree.SubElement(element, "failure", message=message)
        failure.text = f"{file}:{case.line}: it should {writable(case.it)}\n{message}"
    return element


def writable(text: str) -> str:
    """Write what XML cannot hold as escapes."""
    return NOT_XML.sub(lambda match: f"\\u{ord(match[0]):04x}", text)
