"""A kit: some tools, under names of your choice, and their text in a prompt."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tool_samples import call, data_of, simple, undeclared

from zkit.errors import KitError, KitFileError, UnknownToolError
from zkit.grade import PURE, READ, WRITE, Grade
from zkit.results import Refused, Validation
from zkit.sources import (
    Kit,
    KitFolder,
    NothingLeftOutWarning,
    ShadowedNameWarning,
    Step,
    Toolbox,
    ToolSource,
    Workflow,
    load_skills,
    read_kit,
    read_skill,
)
from zkit.sources.kit_files import kit_text, parse_kit
from zkit.tools import Guide, tool


def box_of_five() -> Toolbox:
    box = Toolbox()
    box.register(simple("read_file", READ, tags=["files"], docs="docs/read.md"), provider="builtin")
    box.register(simple("find_files", READ, tags=["files"]), provider="builtin")
    box.register(simple("write_file", WRITE, tags=["files", "risky"]), provider="builtin")
    box.register(simple("git.status", READ, tags=["git"]), provider="git")
    box.register(simple("add", PURE), provider="")
    return box


FORMS: list[tuple[Any, list[str]]] = [
    ("none", []),
    ([], []),
    (["read_file"], ["read_file"]),
    (("read_file", "add"), ["add", "read_file"]),
    ({"find": "find_files"}, ["find"]),
    ({"find": {"tool": "find_files"}}, ["find"]),
    ({"find_files": {}}, ["find_files"]),
    (["read_file", {"find": "find_files"}], ["find", "read_file"]),
    (["*"], ["add", "find_files", "git.status", "read_file", "write_file"]),
    ("*", ["add", "find_files", "git.status", "read_file", "write_file"]),
    ("*_file", ["read_file", "write_file"]),
    ("@builtin", ["find_files", "read_file", "write_file"]),
    ("@*", ["add", "find_files", "git.status", "read_file", "write_file"]),
    ("#files", ["find_files", "read_file", "write_file"]),
    (["#files", "!#risky"], ["find_files", "read_file"]),
    (["*", "!write_*", "!@git"], ["add", "find_files", "read_file"]),
    (["!read_file", "read_file", "add"], ["add"]),
    ("read_file, add", ["add", "read_file"]),
    (["read_file", "read_file"], ["read_file"]),
    ([{"find": "find_files"}, "*"], ["add", "find", "git.status", "read_file", "write_file"]),
    ([{"find": "find_files"}, "#files", "!find"], ["find_files", "read_file", "write_file"]),
    ([{"f": "find_files"}, "!find_files"], []),
    (["git__dot__status"], ["git.status"]),
    (["nothing_*", "@nobody", "#nothing"], []),
]


@pytest.mark.parametrize(("selection", "names"), FORMS, ids=[str(f[0]) for f in FORMS])
def test_every_form_of_a_selection(selection: Any, names: list[str]) -> None:
    kit = Kit(box_of_five(), selection)
    assert kit.names() == names
    assert isinstance(kit, ToolSource)
    for name in names:
        assert name in kit


WRONG: list[tuple[Any, type[Exception], str]] = [
    (None, KitError, "none"),
    (3, KitError, "a list or a mapping"),
    (["nope"], UnknownToolError, "no tool 'nope'"),
    (["read_fil"], UnknownToolError, "did you mean read_file"),
    ({"x": "nope"}, UnknownToolError, "nope"),
    ({"x": 3}, KitError, "x: must name a tool"),
    ({"x": {"tool": "add", "colour": 1}}, KitError, "colour"),
    ({"x": "read_*"}, KitError, "by its name"),
    ({"x": "!add"}, KitError, "by its name"),
    ({"": "add"}, KitError, "alias"),
    ([{"x": "add"}, {"x": "read_file"}], KitError, "both 'add' and 'read_file'"),
    (["two words"], KitError, "one word"),
    (["!"], KitError, "selects no tool"),
    ([3], KitError, "selects no tool"),
    ({"x": {"tool": "add", "defaults": {"nope": 1}}}, KitError, "no parameter"),
    ({"x": {"tool": "add", "defaults": {"text": 1}}}, KitError, "cannot be 1"),
    ("", KitError, '"none" for no tools'),
    (" , ", KitError, '"none" for no tools'),
    ("filesystem", KitError, "which folder"),
]


@pytest.mark.parametrize(("selection", "error", "message"), WRONG, ids=[str(w[0]) for w in WRONG])
def test_a_wrong_selection_is_refused_at_once(
    selection: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        Kit(box_of_five(), selection)


def test_names_may_be_swapped() -> None:
    kit = Kit(box_of_five(), {"read_file": "add", "x": "read_file"})
    assert data_of(call(kit, "read_file", {"text": "y"})) == "add:y"
    assert data_of(call(kit, "x", {"text": "y"})) == "read_file:y"


def test_unknown_tools_are_key_errors_too() -> None:
    with pytest.raises(KeyError, match="no tool 'nope'"):
        Kit(box_of_five(), ["nope"])


def test_the_model_sees_the_alias_everywhere() -> None:
    found = {"find": {"tool": "find_files", "description": "Find."}}
    kit = Kit(box_of_five(), found)
    assert data_of(call(kit, "find", {"text": "x"})) == "find_files:x"
    assert isinstance(call(kit, "find_files"), Validation)
    assert kit.openai()[0]["function"]["name"] == "find"
    assert "find(text: str" in kit.prompt()
    assert "find_files" not in kit.prompt()
    refused = call(kit, "find", {"text": ["a", "b"]})
    assert isinstance(refused, Validation)
    assert '"find"' in refused.message
    assert "find_files" not in refused.message
    unknown = call(kit, "grep")
    assert "The tools are: find." in str(unknown)


def test_extra_tools_are_added_and_what_is_there_stays() -> None:
    @tool(grade=PURE)
    def mine(n: int) -> int:
        """Mine."""
        return n

    def bare(n: int) -> int:
        """Bare."""
        return n + 1

    kit = Kit(box_of_five(), {"find": "find_files"}, extra=["read_file", mine, bare, "find_files"])
    assert kit.names() == ["bare", "find", "find_files", "mine", "read_file"]
    assert data_of(call(kit, "mine", {"n": 3})) == 3
    assert data_of(call(kit, "bare", {"n": 3})) == 4
    assert Kit(box_of_five(), None, extra=["add"]).names() == ["add"]
    assert Kit(box_of_five(), "none", extra=[bare]).names() == ["bare"]
    assert Kit(box_of_five(), ["add"], extra={"x": "add"}).names() == ["add", "x"]
    assert Kit(box_of_five(), ["add"], extra="read_file").names() == ["add", "read_file"]
    kept = Kit(box_of_five(), {"add": "read_file"}, extra=["add"])
    assert data_of(call(kept, "add", {"text": "x"})) == "read_file:x"
    with pytest.raises(UnknownToolError):
        Kit(box_of_five(), "none", extra=["nope"])


def test_the_grade_is_that_of_the_tools_in_the_kit() -> None:
    box = box_of_five()
    assert Kit(box, "none").grade == Grade(0, 0)
    assert Kit(box, ["add"]).grade == PURE
    assert Kit(box, ["add", "read_file"]).grade == READ
    assert Kit(box, ["read_file"], extra=["write_file"]).grade == WRITE
    assert Kit(box, ["read_file"], extra=[undeclared]).grade == WRITE


def test_a_kit_cannot_be_changed() -> None:
    kit = Kit(box_of_five(), ["add"])
    for name in ("name", "source", "_rules", "anything"):
        with pytest.raises(AttributeError, match="never changes"):
            setattr(kit, name, None)
    with pytest.raises(AttributeError, match="never changes"):
        del kit.name


def test_a_kit_follows_its_source_and_a_frozen_one_keeps_its_names() -> None:
    box = box_of_five()
    kit = Kit(box, ["#files", {"plus": "add"}])
    pinned = kit.freeze()
    version = kit.version
    box.register(simple("move_file", WRITE, tags=["files"]))
    assert "move_file" in kit
    assert kit.version > version
    assert pinned.names() == ["find_files", "plus", "read_file", "write_file"]
    box.unregister("add")
    assert "plus" not in kit
    assert isinstance(call(kit, "plus"), Validation)


def test_what_is_left_out_is_out_whatever_selects_it_and_wherever_it_stands() -> None:
    box = box_of_five()
    everything = set(box.names())
    for kit in (["!add", "*"], ["*", "!add"], ["*", "!a?d"], ["*", {"plus": "add"}, "!add"]):
        assert set(Kit(box, kit).names()) == everything - {"add"}
    assert Kit(box, ["add", "!*"]).names() == []


def test_leaving_out_a_tool_that_does_not_exist_is_warned_of() -> None:
    with pytest.warns(NothingLeftOutWarning, match="'!ad' leaves out nothing.*did you mean add"):
        kit = Kit(box_of_five(), ["*", "!ad"])
    assert kit.unmatched() == ["'!ad'"]
    assert Kit(box_of_five(), ["add", "@nobody", "#none", "x_*", "!y_*"]).unmatched() == [
        "'@nobody'",
        "'#none'",
        "'x_*'",
        "'!y_*'",
    ]


def test_a_late_tool_does_not_take_an_alias() -> None:
    box = box_of_five()
    kit = Kit(box, [{"find": "find_files"}, "*"])
    box.register(simple("find"))
    assert data_of(call(kit, "find", {"text": "x"})) == "find_files:x"


def test_an_entry_may_set_defaults_and_a_description() -> None:
    @tool(grade=READ)
    def head(path: str, lines: int) -> str:
        """Show."""
        return f"{path}:{lines}"

    selection = {"top": {"tool": "head", "defaults": {"lines": 3}, "description": "The top."}}
    kit = Kit(Toolbox([head]), selection)
    spec = kit.specs()[0]
    assert (spec.name, spec.description) == ("top", "The top.")
    assert spec.parameters["required"] == ["path"]
    assert data_of(call(kit, "top", {"path": "a"})) == "a:3"
    assert data_of(call(kit, "top", {"path": "a", "lines": 5})) == "a:5"
    assert data_of(call(kit.freeze(), "top", {"path": "a"})) == "a:3"


def test_a_kit_of_a_kit_holds_less() -> None:
    kit = box_of_five().kit(["#files"]).kit(["*", "!write_file"])
    assert kit.names() == ["find_files", "read_file"]
    with pytest.raises(UnknownToolError):
        kit.kit(["add"])


def test_a_tool_that_is_switched_off_is_refused_and_not_unknown() -> None:
    box = box_of_five()
    box.overlays.change("add", enabled=False, reason="broken")
    kit = Kit(box, {"plus": "add"})
    assert kit.names() == []
    assert call(kit, "plus") == Refused("broken", code="disabled")


def test_an_alias_that_shadows_python_is_warned_of() -> None:
    with pytest.warns(ShadowedNameWarning, match="glob"):
        Kit(box_of_five(), {"glob": "find_files"})


# Kit files

FILESYSTEM = """\
# The usual tools
---
name: filesystem
description: Read and find files
docs: docs/filesystem.md
docs: docs/more.md
---

read_file
find: find_files   # an alias
#git               # a tag
!write_file
"""


def folder_with(tmp_path: Path, **files: str) -> Path:
    folder = tmp_path / "kits"
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        suffix = "yaml" if name.endswith("_yaml") else "kit"
        (folder / f"{name.removesuffix('_yaml')}.{suffix}").write_text(text, "utf-8")
    return folder


def test_a_kit_is_found_by_its_name(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, filesystem=FILESYSTEM)
    kit = Kit(box_of_five(), "filesystem", kits=folder)
    assert kit.names() == ["find", "git.status", "read_file"]
    assert (kit.name, kit.description) == ("filesystem", "Read and find files")
    assert kit.docs == ("docs/filesystem.md", "docs/more.md", "docs/read.md")
    more = Kit(box_of_five(), "filesystem", kits=KitFolder(folder), extra=["add"])
    assert "add" in more


def test_docs_of_kit_and_tools_are_collected_and_not_read(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, fs=FILESYSTEM)
    kit = Kit(box_of_five(), "fs", kits=folder, docs_root=tmp_path)
    assert kit.docs_index() == {
        "tool_docs": {"read_file": "docs/read.md"},
        "kit_docs": ["docs/filesystem.md", "docs/more.md"],
    }
    assert kit.resolve_doc("docs/read.md") is None
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/read.md").write_text("# Read", "utf-8")
    assert kit.resolve_doc("docs/read.md") == "# Read"


@pytest.mark.parametrize("path", ["/etc/passwd", "../secret", "docs/../../secret", "link"])
def test_no_document_is_read_from_outside(path: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret", "utf-8")
    root = tmp_path / "root"
    root.mkdir()
    os.symlink(tmp_path / "secret", root / "link")
    kit = Kit(box_of_five(), "none", docs_root=root)
    with pytest.raises(KitError, match="leads out"):
        kit.resolve_doc(path)
    with pytest.raises(KitError, match="no docs_root"):
        Kit(box_of_five(), "none").resolve_doc(path)


MALFORMED: list[tuple[str, int, str]] = [
    ("---\nname: x\n---\nread_file\n---\nadd\n", 5, "third"),
    ("---\nname: x\nread_file\n", 1, "no second"),
    ("read_file\n---\nname: x\n---\n", 2, "at the top"),
    ("---\ncolour: red\n---\n", 2, "colour"),
    ("---\nread_file\n---\n", 2, "read_file"),
    ("---\nname: x\nname: y\n---\n", 3, "twice"),
    ("---\ndocs: ../x.md\n---\n", 2, "below the docs root"),
    ("---\ndocs: /x.md\n---\n", 2, "below the docs root"),
    ("---\ndocs:\n---\n", 2, "below the docs root"),
    ("read_file\n\nread_file add\n", 3, "one word"),
    ("read_file\nadd\nread_file\n", 3, "in line 1 already"),
    ("read_file\nnope\n", 2, "no tool 'nope'"),
    ("read_file\n#add\n", 2, "a comment is written '# add'"),
    ("x: read_file\nx: add\n", 2, "in line 1 already"),
    ("x: read_*\n", 1, "by its name"),
    ("!\n", 1, "selects no tool"),
    ("---\ndocs: C:\\x.md\n---\n", 2, "below the docs root"),
    ("---\ndocs: a\\..\\..\\x.md\n---\n", 2, "below the docs root"),
    ("# a form feed is no end of a line\nread_file\x0cadd\n", 2, "one word"),
    ("read_file\r\n\r\nnope\r\n", 3, "no tool 'nope'"),
    ("read_file\rnope\r", 2, "no tool 'nope'"),
]


@pytest.mark.parametrize(("text", "line", "message"), MALFORMED, ids=[m[2] for m in MALFORMED])
def test_a_mistake_in_a_kit_file_is_told_with_its_line(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, wrong=text)
    with pytest.raises(KitFileError, match=message) as caught:
        Kit(box_of_five(), "wrong", kits=folder)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{folder / 'wrong.kit'}:{line}: ")


@pytest.mark.parametrize("name", ["../evil", "a/b", "/etc/passwd", "..", ".hidden", "a\0b", ""])
def test_no_kit_is_read_from_outside_its_folder(name: str, tmp_path: Path) -> None:
    (tmp_path / "evil.kit").write_text("read_file\n", "utf-8")
    folder = folder_with(tmp_path, fs=FILESYSTEM)
    with pytest.raises(KitError):
        KitFolder(folder).read(name)


def test_a_link_that_leads_out_is_no_kit(tmp_path: Path) -> None:
    (tmp_path / "evil.kit").write_text("read_file\n", "utf-8")
    folder = folder_with(tmp_path, fs=FILESYSTEM)
    os.symlink(tmp_path / "evil.kit", folder / "evil.kit")
    assert KitFolder(folder).names() == ["fs"]
    with pytest.raises(KitError, match="no kit 'evil'"):
        KitFolder(folder).read("evil")


def test_a_kit_that_is_not_there_is_named_with_those_that_are(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, one="add\n", two="add\n")
    with pytest.raises(KitError, match="there are: one, two"):
        Kit(box_of_five(), "three", kits=folder)
    assert KitFolder(tmp_path / "nowhere").names() == []
    (folder / "one.yaml").write_text("tools: [add]\n", "utf-8")
    with pytest.raises(KitError, match="twice"):
        KitFolder(folder).read("one")


def test_line_ends_marks_and_encodings(tmp_path: Path) -> None:
    path = tmp_path / "x.kit"
    path.write_bytes(b"\xef\xbb\xbf---\r\nname: y\r\n---\r\nadd\r\n")
    kit = read_kit(path)
    assert (kit.name, [rule.text for rule in kit.rules]) == ("y", ["add"])
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(KitFileError, match="not UTF-8"):
        read_kit(path)
    with pytest.raises(KitFileError, match="No such file"):
        read_kit(tmp_path / "nope.kit")


words = st.from_regex(r"\A[A-Za-z][A-Za-z0-9_.]{0,12}\Z")


@given(
    words,
    st.lists(words | words.map("@{}".format) | words.map("!#{}".format), unique=True),
    st.text(st.characters(codec="utf-8"), max_size=30),
)
def test_what_is_written_as_a_kit_is_read_back(name: str, entries: list[str], about: str) -> None:
    read = parse_kit(kit_text(name, entries, about), Path("x.kit"))
    assert read.name == name
    assert read.description == " ".join(about.split()) or about.split()[:1] == ["#"]
    shown = [
        f"{'!' * r.exclude}{ {'provider': '@', 'tag': '#'}.get(r.kind, '') }{r.text}"
        for r in read.rules
    ]
    assert shown == entries


# Workflows and skills

RELEASE = """\
kit: release
goal: Publish a version
steps:
  - order: 2
    tool: git.status
    note: nothing may be uncommitted
  - order: 1
    tool: read_file
    action: read
    params: {text: CHANGELOG.md}
  - Tell the user what was done
"""
MORPHIX = """\
tool_kit: look_around
description: Look before you write
steps:
  - {order: 1, tool: find_files, action: find, params: {pattern: "*.py"}, note: what is there}
"""
SKILL = """\
tool: read_file
when_to_use: [you know the path]
when_not_to_use: [you look for a file]
examples: [read CHANGELOG.md]
tips: [read only what you need]
"""


def test_a_workflow_kit_holds_the_tools_of_its_steps(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, release_yaml=RELEASE)
    kit = Kit(box_of_five(), "release", kits=folder)
    assert kit.names() == ["git.status", "read_file"]
    assert kit.prompt().endswith(
        "Workflow release: Publish a version\n"
        '1. read_file(action="read", text="CHANGELOG.md")\n'
        "2. git__dot__status() - nothing may be uncommitted\n"
        "3. Tell the user what was done"
    )


def test_the_older_keys_of_a_workflow_are_read_too(tmp_path: Path) -> None:
    folder = folder_with(tmp_path, look_yaml=MORPHIX)
    kit = Kit(box_of_five(), "look", kits=folder)
    assert kit.name == "look_around"
    assert '1. find_files(action="find", pattern="*.py") - what is there' in kit.prompt()
    assert "?" not in kit.prompt()


def test_a_workflow_is_shown_only_when_all_its_tools_are_there() -> None:
    flow = Workflow("w", "Do it", (Step("read_file"), Step("add")))
    box = box_of_five()
    assert "Workflow" not in Kit(box, ["read_file"], workflows=[flow]).prompt()
    aliased = Kit(box, {"cat": "read_file", "plus": "add"}, workflows=[flow]).prompt()
    assert "1. cat()\n2. plus()" in aliased
    assert "Workflow" not in Kit(box, ["add", "read_file", "!add"], workflows=[flow]).prompt()
    box.overlays.change("add", enabled=False)
    assert "Workflow" not in Kit(box, ["read_file", "add"], workflows=[flow]).prompt()


def test_skills_are_shown_only_with_their_tools(tmp_path: Path) -> None:
    (tmp_path / "read.yaml").write_text(SKILL, "utf-8")
    skills = load_skills(tmp_path)
    assert skills == {
        "read_file": Guide(
            ("you know the path",),
            ("you look for a file",),
            ("read only what you need",),
            ("read CHANGELOG.md",),
        )
    }
    kit = Kit(box_of_five(), {"cat": "read_file"}, skills=skills)
    assert "How to use cat:\n- use it when: you know the path\n" in kit.prompt()
    assert "- do not use it when: you look for a file" in kit.prompt()
    assert "How to use" not in Kit(box_of_five(), ["add"], skills=skills).prompt()


def test_the_guide_of_a_tool_is_shown_without_any_file() -> None:
    box = Toolbox([simple("a", guide=Guide(tips=("be quick",)))])
    assert "How to use a:\n- tip: be quick" in box.kit("*").prompt()


def test_an_empty_kit_says_so() -> None:
    assert Kit(Toolbox(), "none").prompt() == "There are no tools."


YAML_MISTAKES: list[tuple[str, int, str]] = [
    ("kit: x\ncolour: red\n", 2, "colour"),
    ("kit: x\nkit: y\n", 2, "already"),
    ("kit: x\nname: y\n", 2, "names the kit already"),
    ("kit: x\nsteps:\n  - {tool: add, when: now}\n", 3, "when"),
    ("kit: x\nsteps:\n  - {action: a}\n", 3, "a tool or a note"),
    ("kit: x\nsteps: add\n", 2, "must be a list"),
    ("kit: x\nsteps: [3]\n", 2, "text or a mapping"),
    ("kit: x\nsteps:\n  - {tool: add, order: first}\n", 3, "number"),
    ("kit: x\nsteps:\n  - {tool: add, params: [1]}\n", 3, "mapping"),
    ("kit: [x]\n", 1, "must be a text"),
    ("kit: x\ntools: 3\n", 2, "a list or a mapping"),
    ("kit: x\ndocs: [../a.md]\n", 2, "below the docs root"),
    ("- a\n", 1, "mapping"),
    ("kit: 'x\n", 2, "end of stream"),
    ("1: x\n", 1, "must be a text"),
]


@pytest.mark.parametrize(
    ("text", "line", "message"), YAML_MISTAKES, ids=[m[0] for m in YAML_MISTAKES]
)
def test_a_mistake_in_a_yaml_kit_is_told_with_its_line(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, wrong_yaml=text)
    with pytest.raises(KitFileError, match=message) as caught:
        KitFolder(folder).read("wrong")
    assert caught.value.line == line


UNFIT: list[tuple[str, int, str]] = [
    ("kit: x\nsteps:\n  - tool: add\n  - note: n\n    tool: nope\n", 5, "no tool 'nope'"),
    ("kit: x\ntools:\n  - add\n  - nope\n", 4, "no tool 'nope'"),
    ("kit: x\ntools:\n  a: add\n  b: nope\n", 4, "no tool 'nope'"),
    ("kit: x\ntools:\n  - add\n  - b: {tool: add, defaults: {q: 1}}\n", 4, "no parameter 'q'"),
    ("kit: x\ntools: [add]\nsteps:\n  - tool: read_file\n", 4, "not among the tools"),
    ("kit: x\ntools: ['*', '!add']\nsteps:\n  - tool: add\n", 4, "not among the tools"),
]


@pytest.mark.parametrize(("text", "line", "message"), UNFIT, ids=[u[0] for u in UNFIT])
def test_a_yaml_kit_that_does_not_fit_its_source_is_told_with_its_line(
    text: str, line: int, message: str, tmp_path: Path
) -> None:
    folder = folder_with(tmp_path, wrong_yaml=text)
    with pytest.raises(KitFileError, match=message) as caught:
        Kit(box_of_five(), "wrong", kits=folder)
    assert caught.value.line == line


def test_steps_may_speak_of_tools_by_their_aliases(tmp_path: Path) -> None:
    text = "kit: x\ntools: {plus: add}\nsteps: [{tool: plus}, {tool: add}]\n"
    kit = Kit(box_of_five(), "x", kits=folder_with(tmp_path, x_yaml=text))
    assert kit.prompt().endswith("Workflow x\n1. plus()\n2. plus()")


def test_yaml_that_grows_or_runs_code_is_refused(tmp_path: Path) -> None:
    for text in ("kit: &a x\ndescription: *a\n", "kit: !!python/object/apply:os.getcwd []\n", ""):
        folder = folder_with(tmp_path, wrong_yaml=text)
        with pytest.raises(KitFileError):
            KitFolder(folder).read("wrong")


def test_mistakes_in_skills_are_told(tmp_path: Path) -> None:
    path = tmp_path / "x.yaml"
    for text, message in (
        ("tips: [a]\n", "name of its tool"),
        ("tool: a\nhints: [b]\n", "hints"),
        ("tool: a\ntips: [1]\n", "list of texts"),
    ):
        path.write_text(text, "utf-8")
        with pytest.raises(KitFileError, match=message):
            read_skill(path)
    path.write_text("tool: a\n", "utf-8")
    (tmp_path / "y.yaml").write_text("tool: a\n", "utf-8")
    with pytest.raises(KitFileError, match="already"):
        load_skills(tmp_path)


@pytest.mark.parametrize(
    "text", ["[" * 100_000, "a: " + "[" * 100_000, "- " * 50_000, "a: 1\n" * 100_000]
)
def test_a_hostile_kit_file_is_refused_at_once(text: str, tmp_path: Path) -> None:
    for name in ("deep.yaml", "deep.kit"):
        (tmp_path / name).write_text(text, "utf-8")
        if name == "deep.yaml" or len(text) > 256 * 1024:
            with pytest.raises(KitFileError):
                read_kit(tmp_path / name)


def test_a_document_that_cannot_be_read_is_a_mistake_of_the_kit(tmp_path: Path) -> None:
    kit = Kit(box_of_five(), "none", docs_root=tmp_path)
    (tmp_path / "binary.md").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "large.md").write_bytes(b"x" * 300_000)
    os.mkfifo(tmp_path / "pipe.md")
    for name in ("binary.md", "large.md", "pipe.md"):
        with pytest.raises(KitError, match="cannot be read"):
            kit.resolve_doc(name)
    assert kit.resolve_doc("missing.md") is None
