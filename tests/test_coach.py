"""The coach: documents and their sections, failure modes, hints, and what is added when."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from dispatch_samples import failed, notes_of, send
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI

from zkit.calls import Call
from zkit.chat import ChatLoop, ToolFinished
from zkit.cli.chat.recording import NoLog
from zkit.cli.chat.terminal import MARKS, Output, Renderer
from zkit.cli.commands import zkit as zkit_command
from zkit.cli.screen import Screen
from zkit.coach import (
    SECTIONS,
    TITLES,
    Coach,
    DocSection,
    FailureCounts,
    coach_of,
    correction_hints,
    failure_mode,
    infer_tool,
    lint_document,
    nearest_example,
    parse_document,
    select_sections,
    tool_document,
)
from zkit.coach.failure_modes import WITHOUT_EXAMPLE
from zkit.dispatch import Dispatcher, repeated_calls
from zkit.errors import KitError
from zkit.results import Crashed, Problem, Result, Success, Validation
from zkit.sources import Kit, Toolbox
from zkit.std import std_tools
from zkit.testing import ScriptedServer, says
from zkit.tools import Example, FunctionTool, render_result, scope, tool

PAGE = """# read_file

Reads a file.

## Signature

    read_file(path)

## Parameters

- path: relative to the workspace, never with a leading slash

### More about paths

Use `/` on every system.

## Returns

The text.

## Examples

```markdown
## Signature
not a heading
```

## Notes

Call `find_files` first.

## Errors

- not_found
"""


def read_file(path: str, lines: int = 100) -> str:
    """Read a text file."""
    if path == "absent":
        raise Validation("there is no such file", code="not_found")
    if path == "refused":
        raise Validation("400 Bad Request: invalid path")
    return "text"


def find_files(pattern: str) -> list[str]:
    """Find files by a pattern."""
    return [pattern]


def tools(docs: str | None = "read.md") -> list[FunctionTool[..., Any]]:
    examples: list[Example | dict[str, Any]] = [
        {"arguments": {"path": "notes.txt"}, "description": "Read a text"},
        {"arguments": {"path": "big.log", "lines": 5}, "description": "Look at a log"},
    ]
    given: dict[str, Any] = {
        "examples": examples,
        "error_modes": ["not_found: no file"],
        "guide": {"tips": ["paths are relative"]},
        **({} if docs is None else {"docs": docs}),
    }
    return [
        tool(grade="read", **given)(read_file),
        tool(grade="read", tags=["directory"])(find_files),
    ]


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    (tmp_path / "read.md").write_text(PAGE, "utf-8")
    return Toolbox(tools(), docs_root=tmp_path)


# The index


def test_a_toolbox_names_documents_and_reads_them_when_asked(box: Toolbox, tmp_path: Path) -> None:
    assert box.docs_index() == {"tool_docs": {"read_file": "read.md"}, "kit_docs": []}
    assert box.resolve_doc("read.md") == PAGE
    assert box.resolve_doc("other.md") is None
    (tmp_path / "read.md").write_text("changed", "utf-8")
    assert box.resolve_doc("read.md") == "changed"


@pytest.mark.parametrize("path", ["../secret", "/etc/hostname", "a/../../secret", ""])
def test_no_path_leads_out_of_the_root(box: Toolbox, tmp_path: Path, path: str) -> None:
    (tmp_path.parent / "secret").write_text("x", "utf-8")
    with pytest.raises(KitError, match="leads out"):
        box.resolve_doc(path)


def test_a_link_out_of_the_root_is_not_followed(box: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    with pytest.raises(KitError, match="leads out"):
        box.resolve_doc("link.md")


def test_a_file_too_long_for_a_document_is_refused(box: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "long.md").write_text("x" * 400_001, "utf-8")
    with pytest.raises(KitError, match="too large"):
        box.resolve_doc("long.md")


def test_a_kit_looks_below_its_own_root_and_then_below_that_of_its_source(
    box: Toolbox, tmp_path: Path
) -> None:
    own = tmp_path / "own"
    own.mkdir()
    (own / "kit.md").write_text("of the kit", "utf-8")
    kit = Kit(box, {"cat": "read_file"}, docs=["kit.md"], docs_root=own)
    assert kit.docs_index() == {"tool_docs": {"cat": "read.md"}, "kit_docs": ["kit.md"]}
    assert kit.resolve_doc("kit.md") == "of the kit"
    assert kit.resolve_doc("read.md") == PAGE
    assert Kit(box, "*").resolve_doc("read.md") == PAGE
    with pytest.raises(KitError, match="no docs_root"):
        Toolbox().resolve_doc("read.md")


def test_the_documents_of_the_standard_tools_ship_with_them_and_are_complete(
    tmp_path: Path,
) -> None:
    box = Toolbox(std_tools(tmp_path))
    paths = box.docs_index()["tool_docs"]
    assert set(paths) == set(box.names())
    for spec in box.specs():
        text = box.resolve_doc(paths[spec.name])
        assert text is not None
        assert lint_document(text, spec) == [], spec.name
    assert Kit(box, ["read_file"]).resolve_doc("std/read_file.md")
    with pytest.raises(KitError, match="leads out"):
        box.resolve_doc("std/../../std_tool.py")


# Documents


def test_a_document_has_sections_and_fences_and_deeper_headings_belong_to_them() -> None:
    found = parse_document(PAGE, file="read.md", tool="read_file")
    assert [one.title for one in found] == list(TITLES)
    assert "### More about paths" in found[1].content
    assert "not a heading" in found[3].content
    assert found[0] == DocSection("Signature", "read_file(path)", "read.md", 2, "read_file")


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("", []),
        ("no heading", [""]),
        ("# One\na\n# Two\nb", ["One", "Two"]),
        ("### Deep\na", ["Deep"]),
        ("#hash\n####### seven", [""]),
        ("## A ##\n```\n## B\n~~~\n```\n## C", ["A", "C"]),
    ],
)
def test_whatever_the_headings_the_sections_are_found(text: str, titles: list[str]) -> None:
    assert [one.title for one in parse_document(text)] == titles


@given(st.text(alphabet="# \n`~aB-", max_size=80))
def test_any_text_has_sections(text: str) -> None:
    for section in parse_document(text):
        assert section.content in text or "\n" in section.content


def test_a_document_is_generated_from_a_spec_and_complete_if_the_spec_is() -> None:
    spec = tools()[0].definition()
    text = tool_document(spec)
    assert lint_document(text, spec) == []
    sections = {one.title: one.content for one in parse_document(text)}
    assert spec.signature() in sections["Signature"]
    assert "- `path` (str, required)" in sections["Parameters"]
    assert "default 100" in sections["Parameters"]
    assert '{"path": "notes.txt"}' in sections["Examples"]
    assert sections["Errors"] == "- not_found: no file"


def test_the_linter_names_what_is_missing_empty_doubled_or_unexplained() -> None:
    spec = tools()[0].definition()
    found = lint_document("# x\n## Signature\na\n## Signature\nb\n## Notes\n", spec)
    assert found == [
        "the section Parameters is missing",
        "the section Returns is missing",
        "the section Examples is missing",
        "the section Errors is missing",
        "the section Notes is empty",
        "the section Signature is there twice",
        "the parameter path is not named",
        "the parameter lines is not named",
    ]
    assert "the section Examples is missing" in lint_document(
        tool_document(tools()[1].definition())
    )


# Sections by failure mode

LACKPY = {
    "stdlib_leak": ("Signature", "Parameters", "Notes"),
    "implement_not_orchestrate": ("Signature", "Examples"),
    "key_hallucination": ("Signature", "Returns", "Notes"),
    "path_prefix": ("Notes", "Parameters"),
    "wrong_output": ("Signature", "Returns", "Examples"),
}
OF_CALLS = (
    "unparseable", "truncated", "unknown_tool", "missing_field", "unknown_field", "wrong_type",
    "bad_value", "loop", "unconfirmed",
)  # fmt: skip


def titles(mode: str, **options: Any) -> list[str]:
    return [one.title for one in select_sections(parse_document(PAGE), mode, **options)]


def test_the_table_has_the_five_modes_of_programs_and_those_of_calls() -> None:
    assert {mode: SECTIONS[mode] for mode in LACKPY} == LACKPY
    assert all(set(SECTIONS[mode]) <= set(TITLES) for mode in OF_CALLS)
    assert not {"jupyter_confusion", "syntax_artifact"} & set(SECTIONS)


@pytest.mark.parametrize("mode", SECTIONS)
def test_a_mode_selects_its_sections_in_the_order_of_the_document(mode: str) -> None:
    assert titles(mode) == [title for title in TITLES if title in SECTIONS[mode]]


@pytest.mark.parametrize("mode", ["", "never received of", "jupyter_confusion", "syntax_artifact"])
def test_a_mode_without_a_row_gets_the_first_two_sections(mode: str) -> None:
    assert titles(mode) == ["Signature", "Parameters"]


def test_if_no_title_is_there_the_first_two_sections_are_taken() -> None:
    page = parse_document("## A\na\n## B\nb\n## C\nc")
    assert [one.title for one in select_sections(page, "loop")] == ["A", "B"]


def test_users_add_rows_or_choose_themselves(box: Toolbox) -> None:
    coach = Coach(box, sections={"mine": ("Errors",), "loop": ["Errors"]})
    for mode in ("mine", "loop"):
        assert [one.title for one in coach.correction_hints(mode).sections] in ([], ["Errors"])
        hints = coach.correction_hints(mode, tool="read_file")
        assert (hints.known, [one.title for one in hints.sections]) == (True, ["Errors"])
    asked: list[Any] = []

    def select(sections: list[DocSection], context: Any) -> list[DocSection]:
        asked.append(context)
        return [DocSection("Short", sections[0].content[:4])]

    found = Coach(box, select=select).correction_hints("loop", tool="read_file").sections
    assert [(one.title, one.content) for one in found] == [("Short", "read")]
    assert asked[0]["query"] == asked[0]["tool"] == "read_file"
    assert asked[0]["failure_mode"] == "loop"
    assert asked[0]["namespace"] == ["find_files", "read_file"]


def test_no_more_than_three_sections_are_chosen(box: Toolbox) -> None:
    everything = Coach(box, sections={"all": TITLES}).correction_hints("all", tool="read_file")
    chosen = Coach(box, select=lambda sections, context: sections)
    for hints in (everything, chosen.correction_hints("loop", tool="read_file")):
        assert [one.title for one in hints.sections] == list(TITLES[:3])


def test_a_callback_that_fails_leaves_it_to_the_table(
    box: Toolbox, caplog: pytest.LogCaptureFixture
) -> None:
    def select(sections: Any, context: Any) -> Any:
        raise RuntimeError("oops")

    with caplog.at_level(logging.INFO, "zkit"):
        found = Coach(box, select=select).correction_hints("path_prefix", tool="read_file").sections
    assert [one.title for one in found] == ["Parameters", "Notes"]
    assert "failed with RuntimeError" in caplog.text
    assert "oops" not in caplog.text


# Which mode, which tool


@pytest.mark.parametrize(
    ("failure", "mode"),
    [
        (Validation("m", "invalid_json"), "unparseable"),
        (Validation("m", "ambiguous"), "unparseable"),
        (Validation("m", "truncated"), "truncated"),
        (Validation("m", "unknown_tool"), "unknown_tool"),
        (Validation("m", problems=(Problem("a", "missing", "", ""),)), "missing_field"),
        (Validation("m", problems=(Problem("a", "unknown", "", ""),)), "unknown_field"),
        (Validation("m", problems=(Problem("a", "wrong_type", "", ""),)), "wrong_type"),
        (Validation("m", problems=(Problem("a", "bad_value", "", ""),)), "bad_value"),
        (Validation("m"), "bad_value"),
        (Validation("m", "loop"), "loop"),
        (Validation("m", "unconfirmed"), "unconfirmed"),
        (Validation("m", "not_found"), "path_prefix"),
        (Crashed("m"), ""),
        (KeyError("path"), "key_hallucination"),
        (FileNotFoundError(2, "No such file or directory"), "path_prefix"),
        ("Forbidden name: 'open'", "stdlib_leak"),
        ("FunctionDef at line 1", "implement_not_orchestrate"),
        ("ClassDef at line 1", "implement_not_orchestrate"),
        ("Import at line 1", "implement_not_orchestrate"),
        ("Parse error near ->", "syntax_artifact"),
        ("the path escapes base_dir", "path_prefix"),
        ("wrong_output", "wrong_output"),
        ("something else happened", ""),
    ],
    ids=str,
)
def test_the_mode_of_a_failure(failure: Any, mode: str) -> None:
    assert failure_mode(failure) == mode


@pytest.mark.parametrize(
    ("name", "text", "meant"),
    [
        ("read_file", "", "read_file"),
        ("open", "", "read_file"),
        ("os.listdir", "", "find_files"),
        ("glob", "", "find_files"),
        ("pathlib", "", "find_files"),
        ("reed_file", "", "read_file"),
        ("file_reader", "", "read_file"),
        ("", "find_files is not called like this", "find_files"),
        ("", "Forbidden name: 'open'", "read_file"),
        ("zzz", "look at the log", "read_file"),
        ("zzz", "every directory", "find_files"),
        ("zzz", "", None),
        ("", "", None),
    ],
)
def test_the_tool_of_a_failure_is_inferred(name: str, text: str, meant: str | None) -> None:
    specs = [one.definition() for one in tools()]
    for order in (specs, specs[::-1]):
        found = infer_tool(order, name=name, text=text)
        assert (found.name if found else None) == meant


def test_only_tools_that_are_there_are_inferred() -> None:
    assert infer_tool([tools()[1].definition()], name="open", text="") is None


@pytest.mark.parametrize(
    ("sent", "path"),
    [({"path": "x", "lines": 3}, "big.log"), ({"path": "x"}, "notes.txt"), ("log", "big.log"), (None, "notes.txt")],
)  # fmt: skip
def test_the_nearest_example_shares_most(sent: Any, path: str) -> None:
    found = nearest_example(tools()[0].definition(), sent)
    assert found is not None
    assert found["path"] == path
    assert nearest_example(tools()[1].definition(), sent) is None


# Hints


def test_hints_say_all_that_is_known(box: Toolbox) -> None:
    counts = FailureCounts()
    for mode in ("stdlib_leak", "", "stdlib_leak"):
        counts.add("small", mode)
    coach = Coach(box, counts=counts)
    hints = coach.correction_hints("Forbidden name: 'open'", model="small", attempt=7)
    assert hints.to_dict() == {
        "failure_mode": "stdlib_leak",
        "known": True,
        "attempt": 7,
        "escalation_level": 3,
        "tool": "read_file",
        "signatures": ["read_file(path: str, lines: int = 100) -> str"],
        "example": '{"name": "read_file", "arguments": {"path": "notes.txt"}}',
        "history": {"count": 2, "total": 3},
        "doc_context": [
            {"title": one.title, "content": one.content, "file": "read.md"}
            for one in parse_document(PAGE)
            if one.title in SECTIONS["stdlib_leak"]
        ],
    }
    assert coach.correction_hints("bad_value", model="unheard").history is None
    assert not coach.correction_hints("jupyter_confusion").known


@pytest.mark.parametrize("mode", sorted(WITHOUT_EXAMPLE))
def test_no_example_is_added_to_copy_where_the_form_was_right_or_the_message_has_one(
    box: Toolbox, mode: str
) -> None:
    hints = Coach(box).correction_hints(mode, attempt=3, tool="read_file")
    assert "Signature: read_file(" in hints.text(2_000)
    assert "notes.txt" not in hints.text(2_000)
    assert "Examples" not in SECTIONS[mode]


@pytest.mark.parametrize("mode", ["unknown_tool", "unparseable", "unconfirmed"])
def test_the_nearest_example_is_added_where_the_message_has_none(box: Toolbox, mode: str) -> None:
    hints = Coach(box).correction_hints(mode, attempt=2, tool="read_file")
    assert hints.text(2_000) == (
        "Signature: read_file(path: str, lines: int = 100) -> str\n"
        "A call of this form works (with values of your own):"
        ' {"name": "read_file", "arguments": {"path": "notes.txt"}}'
    )


@pytest.mark.parametrize(
    "sent", [{}, {"file": "a"}, {"path": ["a"], "lines": "x"}, {"path": "a", "lines": []}], ids=str
)
def test_the_message_about_arguments_has_an_example_of_its_own(box: Toolbox, sent: Any) -> None:
    """Otherwise the coach would have to add one."""
    assert {"missing_field", "unknown_field", "wrong_type", "bad_value"} <= WITHOUT_EXAMPLE
    found = failed(send(Dispatcher(box, guards=()), "read_file", sent), Validation)
    assert failure_mode(found) in WITHOUT_EXAMPLE
    assert '{"path": "' in str(found)


def test_hints_need_no_coach_and_no_document() -> None:
    hints = correction_hints("wrong_output", tool=tools(docs=None)[0], attempt=3)
    assert [one.title for one in hints.sections] == ["Signature", "Returns", "Examples"]
    assert all(not one.file for one in hints.sections)
    assert "From the description of read_file" in hints.text()
    assert correction_hints("loop").text() == ""


def test_without_a_tool_the_documents_of_the_kit_help(box: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "kit.md").write_text("## Notes\nRead first.\n## Returns\nText.", "utf-8")
    kit = Kit(box, "*", docs=["kit.md", "gone.md"])
    hints = correction_hints("loop", source=kit)
    assert [(one.title, one.file) for one in hints.sections] == [
        ("Notes", "kit.md"),
        ("Returns", "kit.md"),
    ]


@pytest.mark.parametrize("stored", [True, False])
def test_failures_are_counted_by_model_and_mode(tmp_path: Path, stored: bool) -> None:
    path = tmp_path / "counts.db" if stored else None
    counts = FailureCounts(path)
    assert counts.history("a", "loop") is None
    for mode in ["loop"] * 3 + [""] * 2 + ["bad_value"]:
        counts.add("a", mode)
    counts.add("b", "loop")
    again = FailureCounts(path) if stored else counts
    assert again.by_mode("a") == {"loop": 3, "bad_value": 1}
    assert (again.count("a", "loop"), again.count("b", "loop"), again.count(None, "loop")) == (
        3,
        1,
        0,
    )
    history = again.history("a", "loop")
    assert history is not None
    assert (history.count, history.total) == (3, 6)
    for _ in range(40):
        again.add("a", "")
    history = again.history("a", "loop")
    assert history is not None
    assert (history.count, history.total) == (0, 20)
    assert again.count("a", "loop") == 3


# The coach


def advice(result: Result) -> dict[str, Any] | None:
    found: dict[str, Any] | None = result.meta.get("coach")  # type: ignore[attr-defined]
    return found


def test_attempts_add_more_each_time_and_a_success_begins_anew(box: Toolbox) -> None:
    dispatcher = Dispatcher(box, guards=[repeated_calls(), Coach(model="m")])
    plain = Dispatcher(box, guards=())
    with scope("t"):
        first, second, third = (send(dispatcher, "read_file") for _ in range(3))
        assert first == send(plain, "read_file")
        assert str(first) == str(second) == str(third)
        assert notes_of(second) == ["Signature: read_file(path: str, lines: int = 100) -> str"]
        told = advice(third)
        assert told is not None
        assert told["text"].startswith(notes_of(second)[0])
        assert "From read.md:\n## Parameters" in told["text"]
        assert (told["mode"], told["attempt"], told["files"]) == ("missing_field", 3, ["read.md"])
        assert told["text"] in render_result(third)
        json.loads(third.to_json())
        fourth, fifth = (send(dispatcher, "read_file") for _ in range(2))
        assert advice(fourth) is None  # it would be the same text again
        assert advice(fifth) is not None
        assert isinstance(send(dispatcher, "read_file", {"path": "a"}), Success)
        assert send(dispatcher, "read_file") == first


def test_a_call_of_an_unknown_tool_counts_for_the_tool_that_was_meant(box: Toolbox) -> None:
    dispatcher = Dispatcher(box, guards=[Coach()])
    with scope("t"):
        assert advice(send(dispatcher, "open", {"path": "a"})) is None
        told = advice(send(dispatcher, "open", {"path": "a"}))
        assert told is not None
        assert (told["tool"], told["mode"]) == ("read_file", "unknown_tool")
        told = advice(send(dispatcher, "read_file", '{"path": "a'))
        assert told is not None
        assert (told["mode"], told["attempt"]) == ("truncated", 3)


def test_tools_that_may_not_be_called_are_not_explained(box: Toolbox) -> None:
    dispatcher = Dispatcher(box, deny=["read_file"], guards=[Coach()])
    with scope("t"):
        results = [send(dispatcher, "open") for _ in range(3)]
    assert all("read_file" not in render_result(one) for one in results)


def test_what_the_tool_itself_refuses_is_coached_and_what_it_crashes_on_is_not(
    box: Toolbox,
) -> None:
    def broken() -> str:
        raise RuntimeError("no")

    box.register(broken)
    dispatcher = Dispatcher(box, guards=[Coach()])
    with scope("t"):
        results = [send(dispatcher, "read_file", {"path": "absent"}) for _ in range(3)]
        told = advice(results[2])
        assert told is not None
        assert told["sections"] == ["Parameters", "Notes"]
        assert all(advice(send(dispatcher, "broken")) is None for _ in range(3))


FORM = 'Send the corrected call: {"name": "read_file", "arguments": {"path": ...}}'


def test_a_call_that_fits_the_signature_and_is_refused_by_the_tool_gets_the_sections_at_once(
    box: Toolbox,
) -> None:
    dispatcher = Dispatcher(box, guards=[Coach()])
    with scope("t"):
        first, second = (send(dispatcher, "read_file", {"path": "refused"}) for _ in range(2))
    assert notes_of(first) == []
    told = advice(second)
    assert told is not None
    assert (told["attempt"], told["files"]) == (2, ["read.md"])
    assert told["sections"] == ["Parameters", "Notes", "Errors"]
    lines = told["text"].splitlines()
    assert (lines[0], lines[-1]) == (
        "Signature: read_file(path: str, lines: int = 100) -> str",
        FORM,
    )


@pytest.mark.parametrize("declared", [tool(read_file), tool(grade="write")(read_file)])
def test_a_tool_that_may_write_keeps_the_order_of_the_attempts(declared: Any) -> None:
    dispatcher = Dispatcher([declared], guards=[Coach()])
    with scope("t"):
        second = [send(dispatcher, "read_file", {"path": "refused"}) for _ in range(2)][1]
    told = advice(second)
    assert told is not None
    assert (told["sections"], told["text"].count("\n")) == ([], 0)


def test_the_form_of_the_call_is_kept_before_the_sections_and_never_cut() -> None:
    refused = Validation("400 Bad Request: invalid path")
    hints = correction_hints(
        refused, attempt=2, tool="read_file", source=tools(None), sent={"path": "a"}
    )
    for budget in range(len(hints.text()) + 1):
        text = hints.text(budget)
        assert len(text) <= budget
        assert text.endswith(FORM) if budget >= len(FORM) else FORM[:10] not in text


@pytest.mark.parametrize("arguments", [{}, {"lines": 1}, {"path": "absent"}, '{"path": "a'])
def test_only_a_call_that_the_tool_itself_refuses_gets_its_form(
    box: Toolbox, arguments: Any
) -> None:
    dispatcher = Dispatcher(box, guards=[Coach()])
    with scope("t"):
        results = [send(dispatcher, "read_file", arguments) for _ in range(3)]
    assert all("corrected call" not in render_result(one) for one in results)
    assert advice(results[2]) is not None


def test_tasks_have_their_own_attempts_and_models_their_own_counts(box: Toolbox) -> None:
    coach = Coach()
    dispatcher = Dispatcher(box, guards=[coach.for_model("one")])
    other = Dispatcher(box, guards=[coach.for_model("two")])
    for task in "ab":
        with scope(task):
            assert advice(send(dispatcher, "read_file")) is None
            assert advice(send(other, "read_file")) is not None
    assert (coach.counts.count("one", "missing_field"), coach.counts.count("two", "loop")) == (2, 0)


def test_a_document_that_cannot_be_read_is_replaced_by_the_spec(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    box = Toolbox(tools(docs="../out.md"), docs_root=tmp_path)
    dispatcher = Dispatcher(box, guards=[Coach()])
    with scope("t"), caplog.at_level(logging.CRITICAL, "zkit"):
        results = [send(dispatcher, "read_file") for _ in range(3)]
    told = advice(results[2])
    assert told is not None
    assert "From the description of read_file" in told["text"]


def test_a_document_is_read_at_the_third_attempt_and_not_before(
    box: Toolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []
    resolve = box.resolve_doc

    def noted(path: str) -> str | None:
        read.append(path)
        return resolve(path)

    monkeypatch.setattr(box, "resolve_doc", noted)
    dispatcher = Dispatcher(box, guards=[Coach()])
    with scope("t"):
        for expected in ([], [], ["read.md"]):
            send(dispatcher, "read_file")
            assert read == expected


def test_a_call_that_is_done_is_not_explained() -> None:
    @tool(grade="write")
    def put(text: str) -> str:
        """Put a text down."""
        return "ok"

    dispatcher = Dispatcher([put], guards=[repeated_calls(), Coach()])
    with scope("t"):
        results = [send(dispatcher, "put", {"text": "a"}) for _ in range(5)]
    assert [advice(one) for one in results] == [None] * 5
    failed(results[1], Validation, "loop")


@pytest.mark.parametrize(
    "given", [{"budget": -1}, {"sections": {"loop": "Notes"}}, {"select": 1}, {"model": 2}, {"counts": 3}]
)  # fmt: skip
def test_mistaken_settings_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        Coach(**given)


FAILURES = st.sampled_from(
    [("read_file", {}), ("read_file", {"path": 1.5}), ("read_file", {"path": "absent"}),
     ("read_file", {"path": "refused"}), ("read_file", '{"path": "a'), ("open", {}), ("nothing_like_it", {}), ("find_files", {"x": 1}),
     ("find_files", {"pattern": "ok"}), ("read_file", {"path": "ok"})]
)  # fmt: skip


PAGES = (None, PAGE * 5, "\n".join(f"## {title}\n{'x' * 2_000}" for title in TITLES))
"""No document, one with short lines, and one whose lines fill any budget to the last character."""


@given(st.lists(FAILURES, max_size=25), st.integers(0, 1500), st.sampled_from(PAGES))
def test_the_first_message_stays_the_budget_holds_and_no_text_comes_twice_in_a_row(
    calls: list[tuple[str, Any]], budget: int, page: str | None
) -> None:
    """The law of the coach, over any sequence of calls."""
    box = Toolbox(tools(docs="page.md" if page else None))
    box.resolve_doc = lambda path: page  # type: ignore[method-assign]
    coach = Coach(budget=budget)
    attempts: dict[str, int] = {}
    last = ""
    with scope("law"):
        for name, arguments in calls:
            plain = Dispatcher(box, guards=()).call_sync(Call(name, arguments))
            result = Dispatcher(box, guards=[coach]).call_sync(Call(name, arguments))
            meant = {"open": "read_file", "nothing_like_it": ""}.get(name, name)
            if isinstance(plain, Success):
                attempts.pop(meant, None)
                attempts.pop("", None)
            else:
                attempts[meant] = attempts.get(meant, 0) + 1
            told = advice(result)
            text = told["text"] if told else ""
            if attempts.get(meant, 0) <= 1:
                assert result == plain
            assert len(text) <= budget
            if not isinstance(plain, Success):
                assert not text or text != last
                last = text
            room = len("\n\nNote: ") + budget
            assert len(render_result(result)) <= len(render_result(plain)) + room


def test_a_dispatcher_has_the_coach_that_it_was_given(box: Toolbox) -> None:
    coach = Coach()
    assert coach_of(Dispatcher(box, guards=[coach])) is coach
    assert coach_of(Dispatcher(box)) is None


# In the loop and on the command line


def test_the_loop_coaches_what_the_dispatcher_and_the_reader_refuse() -> None:
    call = '<tool_call>{"name": "read_file", "arguments": {%s}}</tool_call>'
    broken = '<tool_call>{"name": "read_file", "arguments": {"path": "a</tool_call>'
    script = [says(text) for text in (call % "", call % '"lines": 3', broken, "Done.")]
    with (
        ScriptedServer(script) as server,
        OpenAI(base_url=server.url, api_key="none", max_retries=0) as client,
    ):
        coach = Coach()
        result = ChatLoop(client, "small", tools(docs=None), coach=coach).run_sync("Read it.")
    told = [advice(one.result) for one in result.calls]
    assert [one and one["attempt"] for one in told] == [None, 2, 3]
    assert "Signature: read_file(" in result.messages[4]["content"]
    assert "From the description of read_file" in result.messages[6]["content"]
    assert coach.counts.by_mode("small")["missing_field"] == 2


@pytest.mark.parametrize("coach", [False, True])
def test_the_coach_of_a_loop_can_be_turned_off(coach: bool) -> None:
    given: Any = None
    loop = ChatLoop(given, "m", Dispatcher(tools(), guards=[Coach()]), coach=coach)
    assert (coach_of(loop.dispatcher) is not None) == coach
    assert coach_of(ChatLoop(given, "m", tools()).dispatcher) is not None
    with pytest.raises(TypeError, match="coach must be a Coach, True or False"):
        ChatLoop(given, "m", tools(), coach="yes")  # type: ignore[arg-type]


def test_zkit_chat_shows_what_the_coach_added(capsys: pytest.CaptureFixture[str]) -> None:
    receipt = {"attempt": 2, "mode": "missing_field", "text": "Signature: read_file(path: str)"}
    result = Validation("path: missing", meta={"coach": receipt})
    output = Output(Screen(width=200), Screen(width=200), NoLog())
    Renderer(output, MARKS["ascii"]).show(ToolFinished(Call("read_file", {}), result, "", 0.0))
    assert "coach, attempt 2 (missing_field): Signature: read_file(" in capsys.readouterr().out


def command(*arguments: str) -> Any:
    return CliRunner().invoke(zkit_command, ["docs", *arguments])


def test_zkit_docs_tool_writes_a_document_and_names_what_is_missing() -> None:
    done = command("tool", "read_file", "--from", "std")
    assert done.exit_code == 0
    assert lint_document(done.output) == []
    assert command("tool", "no_such_tool", "--from", "std").exit_code == 1


def test_zkit_docs_lint_reports_missing_sections(tmp_path: Path) -> None:
    (tmp_path / "good.md").write_text(PAGE, "utf-8")
    (tmp_path / "bad.md").write_text("## Signature\nx\n", "utf-8")
    assert command("lint", str(tmp_path / "good.md")).exit_code == 0
    done = command("lint", str(tmp_path / "bad.md"))
    assert (done.exit_code, "the section Returns is missing" in done.output) == (1, True)
    assert command("lint", "--from", "std").exit_code == 0


def test_every_example_of_the_page_prints_what_the_page_says() -> None:
    page = (Path(__file__).parent.parent / "docs/coach.md").read_text("utf-8")
    names: dict[str, Any] = {"__name__": "__main__"}
    examples = re.findall(r"```python\n(.*?)```", page, re.S)
    assert len(examples) >= 4
    for number, example in enumerate(examples, 1):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(example, f"example {number}", "exec"), names)
        expected = "\n".join(re.findall(r"^ *# >(?: (.*)|)$", example, re.M))
        assert printed.getvalue().rstrip() == expected.rstrip(), example
