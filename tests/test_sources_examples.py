"""Examples of calls are found by intent, and shown in a prompt."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zkit.errors import ToolDefinitionError
from zkit.sources import Kit, Toolbox
from zkit.tools import Example, ToolSpec, tool


@tool(
    grade=(1, 0),
    examples=[
        {"arguments": {"pattern": "**/*.py"}, "description": "find all Python files"},
        {
            "arguments": {"pattern": "docs/*"},
            "description": "list the documents",
            "tags": ["pages"],
        },
        {"arguments": {"pattern": "*"}},
    ],
)
def find_files(pattern: str) -> list[str]:
    """Find files."""
    return [pattern]


@tool(
    grade=(1, 0),
    examples=[{"arguments": {"path": "a.py"}, "description": "read a Python file"}],
)
def read_file(path: str) -> str:
    """Read a file."""
    return path


BOX = Toolbox([find_files, read_file])


@pytest.mark.parametrize(
    ("intent", "found"),
    [
        ("find the python files", ["find all Python files", "read a Python file"]),
        ("finding documents", ["find all Python files", "list the documents"]),
        ("which pages are there?", ["list the documents"]),
        ("Python", ["find all Python files", "read a Python file"]),
        ("delete everything", []),
        ("the of a", []),
        ("", []),
    ],
)
def test_examples_are_found_by_what_is_wanted(intent: str, found: list[str]) -> None:
    assert [one.example.description for one in BOX.examples(intent)] == found


def test_a_prompt_holds_the_nearest_examples_under_the_names_that_the_model_knows() -> None:
    kit = Kit(BOX, {"look": "find_files", "cat": "read_file"})
    assert kit.prompt("find Python files").endswith(
        "Examples:\n"
        '- find all Python files -> look({"pattern": "**/*.py"})\n'
        '- read a Python file -> cat({"path": "a.py"})'
    )
    assert "Examples" not in kit.prompt()
    assert "Examples" not in kit.prompt("pay the invoice")
    assert "Examples" not in Kit(BOX, "none").prompt("find Python files")


def test_there_are_never_more_examples_than_asked_for() -> None:
    many = ToolSpec("x", "X.", examples=tuple(Example(description=f"count {n}") for n in range(20)))

    class Many:
        def definition(self) -> ToolSpec:
            return many

        def execute(self, call: Any, /) -> Any:
            return None

    box = Toolbox([Many()])
    assert [one.example.description for one in box.examples("count", 2)] == ["count 0", "count 1"]
    assert len(box.examples("count")) == 6


@given(st.text(max_size=60), st.integers(-1, 9))
def test_every_example_found_shares_a_word_with_what_is_wanted(intent: str, limit: int) -> None:
    found = BOX.examples(intent, limit)
    assert len(found) <= max(0, limit)
    assert found == BOX.examples(intent, limit)
    letters = intent.casefold()
    for one in found:
        said = f"{one.example.description} {' '.join(one.example.tags)}".casefold().split()
        assert any(word[:4] in letters or word in letters for word in said)


def test_tags_of_an_example_are_words() -> None:
    with pytest.raises(ToolDefinitionError, match=r"example\.tags must be a list of texts"):
        Example(tags="pages")  # type: ignore[arg-type]
    spec = ToolSpec("x", examples=(Example(tags=("pages",)),))
    assert ToolSpec.from_dict(spec.to_dict()) == spec
