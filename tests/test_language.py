"""Code, comments, messages and pages use plain words: each pattern has the words to write instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDERS = ("zkit", "tests", "docs", "benchmarks", "examples", "fuzz")
KINDS = {".py", ".md", ".html", ".yaml"}
INSTEAD = {
    r"mend(s|ed|ing)?": "fix, repair",
    r"put(s|ting)? \w+ right": "fix, repair",
    r"sound": "valid (of JSON), audio",
    r"stumbl(e|es|ed|ing)": "fail, the first error",
    r"what stands(?! for)": "the text before, the surrounding text",
    r"stands? (before|after|around|behind|beside)": "come before, be beside",
    r"speaks? against": "rule out",
    r"(?<!there )(is|are) none(?! of)": "is not a call, is not one",
    r"(is|are|was|were) due": "is expected",
    r"deviat(e|es|ed|ion|ions)": "differ, mismatch",
    r"hears?|heard": "receive, be notified",
    r"in, [\w`.,/ ]{1,60} out": "one ordinary sentence",
    r"unto|manners|purse|desk": "to; profile, budget, checker",
    r"(?<=, )for (it|they|he) (is|are|was|were|has|have|may|might|would)": "because it is",
    r"(says?|said) (nothing )?of(?! a call)": "says about, describes",
    r"take[sn]? \w+ down": "record",
    r"in silence": "silently",
}
"""What is not written, as patterns, and what to write; an underscore ends a word as a blank does."""
WORDS = re.compile("|".join(rf"(?<![^\W_])(?:{pattern})(?![^\W_])" for pattern in INSTEAD))


def replaced_records() -> set[Path]:
    """Records of decisions that no longer hold stay as they were written."""
    records = (ROOT / "docs" / "decisions").glob("0*.md")
    return {path for path in records if "*Superseded by" in path.read_text("utf-8")}


def written() -> list[Path]:
    below = [path for name in FOLDERS for path in (ROOT / name).rglob("*") if path.suffix in KINDS]
    left_out = {Path(__file__), *replaced_records()}
    hidden = {"results", "node_modules", "__pycache__"}
    kept = [path for path in below if path not in left_out and not hidden & set(path.parts)]
    return [
        *kept,
        *(
            ROOT / name
            for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md", "corpus/README.md")
        ),
    ]


def test_words_are_plain() -> None:
    found = []
    for path in written():
        text = path.read_text("utf-8")
        for match in WORDS.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            found.append(f"{path.relative_to(ROOT)}:{line}: {match[0]!r}")
    assert found == [], f"the words to write instead: {INSTEAD}"


@pytest.mark.parametrize(
    "text",
    [
        "_mended_",
        "It is sound.",
        "where a list is due",
        "x is none, so",
        "read again, for it is old",
    ],
)
def test_another_word_is_found(text: str) -> None:
    assert WORDS.search(text)


@pytest.mark.parametrize(
    "text",
    [
        "recommended",
        "it sounds like a call",
        "None when there is none",
        "if x is None",
        "overdue",
        "the tool for it is clear",
    ],
)
def test_ordinary_words_are_left_alone(text: str) -> None:
    assert not WORDS.search(text)
