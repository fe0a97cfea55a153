"""`zkit tools` and `zkit kit` on the command line, as a user runs them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import command_line
import pytest
from command_line import Done

from zkit.std import FAMILIES

TOOL = '''\
from zkit.tools import tool

@tool(grade=(1, 0), tags=["greeting"], docs="docs/greet.md")
def greet(name: str, loud: bool = False) -> str:
    """Greet somebody."""
    return name
'''


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A folder with a folder of tools, a module and a folder of kits."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine/greet.py").write_text(TOOL, "utf-8")
    (tmp_path / "mymodule.py").write_text(TOOL.replace("greet(", "bow("), "utf-8")
    (tmp_path / "kits").mkdir()
    text = "---\ndescription: Be polite\ndocs: docs/polite.md\n---\nhello: greet\n"
    (tmp_path / "kits/polite.kit").write_text(text, "utf-8")
    return tmp_path


def zkit(here: Path, *arguments: str) -> Done:
    return command_line.zkit(*arguments, cwd=here)


def said(here: Path, *arguments: str) -> str:
    done = zkit(here, *arguments)
    assert (done.code, done.err) == (0, "")
    return done.out


def as_json(here: Path, *arguments: str) -> Any:
    return json.loads(said(here, *arguments))


def test_tools_are_listed_with_their_grades(here: Path) -> None:
    assert said(here, "tools", "list", "--from", "mine") == "greet  w1 d0  Greet somebody.\n"
    assert "read_file   w1 d0  Read a text file, or some of its lines.\n" in said(
        here, "tools", "list"
    )


def test_tools_come_from_folders_modules_and_the_builtin_ones(here: Path) -> None:
    places = ("--from", "mine", "--from", "mymodule", "--from", "builtin")
    names = [entry["name"] for entry in as_json(here, "tools", "list", "--json", *places)]
    assert names == ["bow", "edit_file", "find_files", "greet", "read_file", "write_file"]
    for place in ("mymodule:bow", "mymodule.py", "./mymodule.py"):
        assert said(here, "tools", "list", "--from", place).startswith("bow ")
    tagged = as_json(here, "tools", "list", "--json", *places, "--tag", "greeting")
    assert [entry["name"] for entry in tagged] == ["bow", "greet"]
    searched = said(here, "tools", "list", *places, "--search", "find files")
    assert searched.startswith("find_files ")


def test_a_tool_is_shown_in_every_projection(here: Path) -> None:
    text = said(here, "tools", "show", "greet", "--from", "mine")
    assert text.startswith("greet(name: str, loud: bool = False) -> str\n  Greet somebody.\n")
    for projection in ("summary", "full", "openai", "strict", "mcp"):
        shown = as_json(here, "tools", "show", "greet", "--from", "mine", "--as", projection)
        assert "greet" in json.dumps(shown)


def test_a_file_that_cannot_be_loaded_is_told_and_the_rest_is_listed(here: Path) -> None:
    (here / "mine/broken.py").write_text("x = 1\n1 / 0\n", "utf-8")
    done = zkit(here, "tools", "list", "--from", "mine")
    assert done.out.startswith("greet ")
    assert "broken.py:2: ZeroDivisionError" in done.err


def test_kits_are_listed_with_what_they_are_for(here: Path) -> None:
    assert "polite         Be polite\n" in said(here, "kit", "list")
    entries = {entry["name"]: entry for entry in as_json(here, "kit", "list", "--json")}
    assert sorted(entries) == [
        "code_quality", "debug_cycle", "polite", "project_setup", "tdd_workflow",
    ]  # fmt: skip
    assert entries["polite"] == {
        "name": "polite",
        "description": "Be polite",
        "path": "kits/polite.kit",
    }


def test_a_broken_kit_is_listed_with_its_mistake(here: Path) -> None:
    (here / "kits/wrong.kit").write_text("---\n", "utf-8")
    done = zkit(here, "kit", "list")
    assert done.code == 1
    assert "wrong          kits/wrong.kit:1: this '---' has no second one" in done.out


def test_a_kit_is_shown_by_its_name(here: Path) -> None:
    text = said(here, "kit", "info", "polite", "--from", "mine")
    assert text.startswith("kit    polite\nabout  Be polite\ngrade  w1 d0\ndocs   docs/polite.md\n")
    assert "- hello(name: str, loud: bool = False) -> str" in text
    info = as_json(here, "kit", "info", "polite", "--from", "mine", "--json")
    assert info["tools"]["hello"]["tool"] == "greet"
    assert info["docs"] == {
        "tool_docs": {"hello": "docs/greet.md"},
        "kit_docs": ["docs/polite.md"],
    }


def test_a_kit_is_shown_by_a_list_of_tools(here: Path) -> None:
    info = as_json(here, "kit", "info", "read_file,find_files", "--json")
    assert list(info["tools"]) == ["find_files", "read_file"]
    assert info["grade"] == {"w": 1, "d": 0}
    more = as_json(here, "kit", "info", "none", "--extra", "write_file", "--json")
    assert list(more["tools"]) == ["write_file"]
    prompt = said(here, "kit", "info", "#files,!write_*,!edit_*", "--prompt")
    assert prompt.startswith("Tools:\n- find_files(")


def test_a_kit_is_created_and_can_be_used(here: Path) -> None:
    created = said(here, "kit", "create", "look", "read_file", "--tools", "find_files,!edit_*")
    assert created == "kits/look.kit\n"
    info = as_json(here, "kit", "info", "look", "--json")
    assert list(info["tools"]) == ["find_files", "read_file"]
    assert "look" in said(here, "kit", "list")


WRONG: list[tuple[tuple[str, ...], int, str]] = [
    (("kit", "create", "polite", "read_file"), 2, "is there already; --force"),
    (("kit", "create", "new"), 2, "needs tools"),
    (("kit", "create", "../new", "read_file"), 2, "not the name of a kit"),
    (("kit", "create", "new", "reed_file"), 1, "did you mean read_file"),
    (("kit", "info", "nope"), 1, "there is no kit 'nope' in kits or among the standard ones"),
    (("kit", "info", "polite"), 1, "kits/polite.kit:5: there is no tool 'greet'"),
    (("kit", "list", "--kits", "nowhere"), 2, "no such folder"),
    (("tools", "show", "readfile"), 1, "did you mean read_file"),
    (("tools", "show", "zzz"), 1, "--from looks elsewhere"),
    (("kit", "create", "new", "two words"), 1, "'two words' selects no tool: an entry is one word"),
    (("kit", "info", "read_file"), 1, "write 'read_file,' for the tool of that name"),
    (("kit", "info", ""), 1, '"none" for no tools'),
    (("tools", "list", "--from", "no_such_module"), 2, "ModuleNotFoundError"),
    (("tools", "list", "--from", "mymodule:nope"), 2, "has no nope"),
]


@pytest.mark.parametrize(
    ("arguments", "code", "message"), WRONG, ids=[" ".join(w[0]) for w in WRONG]
)
def test_what_cannot_be_done_is_told_in_one_line(
    arguments: tuple[str, ...], code: int, message: str, here: Path
) -> None:
    done = zkit(here, *arguments)
    assert done.code == code
    assert message in done.err
    assert len(done.err.splitlines()) == 1
    assert sorted(path.name for path in (here / "kits").iterdir()) == ["polite.kit"]


TOLD: list[tuple[tuple[str, ...], str]] = [
    (("tools", "list", "--tag", "nope"), "none of the 4 tools fits"),
    (("tools", "list", "--from", "os:path"), "os:path: no tools there"),
    (("kit", "info", "read_file,#none"), "'#none' matches no tool"),
    (("kit", "info", "read_file,!raed_file"), "'!raed_file' leaves out nothing"),
    (("kit", "create", "new", "#files", "!writefile"), "did you mean write_file"),
]


@pytest.mark.parametrize(("arguments", "message"), TOLD, ids=[" ".join(t[0]) for t in TOLD])
def test_what_is_odd_is_told_in_one_line_and_done(
    arguments: tuple[str, ...], message: str, here: Path
) -> None:
    done = zkit(here, *arguments)
    assert done.code == 0
    assert message in done.err
    assert len(done.err.splitlines()) == 1


def test_a_standard_kit_is_shown_unless_the_folder_has_its_own(here: Path) -> None:
    assert "test_runner" in said(here, "kit", "info", "tdd_workflow")
    (here / "kits/tdd_workflow.kit").write_text("read_file\n", "utf-8")
    assert "test_runner" not in said(here, "kit", "info", "tdd_workflow")


def test_the_standard_tools_are_listed_and_called(here: Path) -> None:
    listed = said(here, "tools", "list", "--std")
    assert len(listed.splitlines()) == sum(map(len, FAMILIES.values()))
    assert "grep " in listed
    (here / "a.txt").write_text("one\n# TODO: two\n", "utf-8")
    assert "a.txt\n    2: # TODO: two\n" in said(here, "tools", "call", "grep", "pattern=TODO")


def test_a_created_kit_may_hold_aliases(here: Path) -> None:
    said(here, "kit", "create", "aliased", "find: find_files", "read_file")
    info = as_json(here, "kit", "info", "aliased", "--json")
    assert info["tools"]["find"]["tool"] == "find_files"


def test_a_kit_is_replaced_only_by_force(here: Path) -> None:
    said(here, "kit", "create", "polite", "read_file", "--force")
    assert (here / "kits/polite.kit").read_text("utf-8").endswith("read_file\n")
