"""The standard tools as a whole: what each declares, families, kits, skills, prompts."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from zkit import Call, Dispatcher, Kit, Toolbox, ToolSpec
from zkit.cli.std_page import CALLS
from zkit.errors import KitError, ProviderError, UnknownToolError
from zkit.sources.kit_files import KitFolder
from zkit.std import (
    ALIASES,
    DOCS_ROOT,
    FAMILIES,
    StdKits,
    StdProvider,
    std_kit,
    std_skills,
    std_tools,
)
from zkit.std.std_tool import KITS, SKILLS
from zkit.tools import Tool

NAMES = [name for names in FAMILIES.values() for name in names]
WORKFLOWS = ["code_quality", "debug_cycle", "project_setup", "tdd_workflow"]
TOOLS: dict[str, Tool] = {tool.definition().name: tool for tool in std_tools(".")}


@pytest.fixture(scope="module")
def box(tmp_path_factory: pytest.TempPathFactory) -> Toolbox:
    return Toolbox(providers=[StdProvider(tmp_path_factory.mktemp("root"))])


def spec_of(name: str) -> ToolSpec:
    return TOOLS[name].definition()


@pytest.mark.parametrize("name", NAMES)
def test_a_standard_tool_declares_everything(name: str) -> None:
    spec = spec_of(name)
    assert spec.summary
    assert spec.description
    assert spec.examples  # each was validated when the spec was made
    assert spec.grade is not None
    assert spec.idempotent is not None
    assert spec.error_modes
    assert spec.guide.when_to_use
    assert spec.guide.tips
    assert spec.timeout
    assert spec.provider == "std"
    assert set(spec.tags) & set(FAMILIES)
    properties: dict[str, Any] = dict(spec.parameters["properties"])
    assert all(part.get("description") for key, part in properties.items() if key != "limit")
    text = Path(DOCS_ROOT / str(spec.docs)).read_text("utf-8")
    titles = re.findall(r"^## (.*)$", text, re.M)
    assert titles == ["Signature", "Parameters", "Returns", "Grade", "Examples", "Notes", "Errors"]


def test_every_tool_has_output_on_the_page() -> None:
    assert {call.name for call in CALLS} == set(NAMES)


def test_records_can_be_asked_for_as_json() -> None:
    plain = {name for name in NAMES if "output" not in spec_of(name).parameters["properties"]}
    assert plain == {"read_file", "write_file", "find_files", "file_manager", "ask_clarification"}


@pytest.mark.parametrize(
    ("name", "arguments", "asks"),
    [
        ("file_manager", {"action": "delete", "path": "a"}, True),
        ("file_manager", {"action": "write", "path": "a"}, False),
        ("git_manager", {"action": "push"}, True),
        ("git_manager", {"action": "commit"}, False),
        ("read_file", {"path": "a"}, False),
    ],
)
def test_what_destroys_is_told_by_the_action(
    name: str, arguments: dict[str, Any], asks: bool
) -> None:
    assert spec_of(name).is_destructive(arguments) is asks


def test_only_picks_names_families_and_aliases(tmp_path: Path) -> None:
    def names(*only: str) -> list[str]:
        return [tool.definition().name for tool in std_tools(tmp_path, only=only)]

    assert sorted(TOOLS) == sorted(NAMES)
    assert names("grep", "read_file") == ["grep", "read_file"]
    assert names("std/files") == names("files") == list(FAMILIES["files"])
    assert names("web", "ls") == ["web_search", "web_fetch", "ls"]
    assert names(*ALIASES) == list(ALIASES)
    with pytest.raises(ProviderError, match="there is no standard tool 'grepp'"):
        names("grepp")
    with pytest.raises(TypeError):
        std_tools(tmp_path, only="grep")
    with pytest.raises(TypeError):
        std_tools(3)  # type: ignore[arg-type]


def test_the_provider_and_its_families_select_in_kits(box: Toolbox) -> None:
    assert Kit(box, ["std/files"]).names() == sorted(FAMILIES["files"])
    assert Kit(box, ["@std", "!std/web", "!#process"]).names() == sorted(
        set(NAMES) - set(FAMILIES["web"]) - set(FAMILIES["process"])
    )
    with pytest.raises(UnknownToolError, match="std/fils"):
        Kit(box, ["std/fils"])
    assert {row["name"] for row in box.summaries(["std", "files"])} == set(FAMILIES["files"])


def test_a_provider_that_is_not_there_offers_nothing(tmp_path: Path) -> None:
    assert Toolbox(providers=[StdProvider(tmp_path / "nowhere", only=["files"])]).names() == []


# Kits and skills


@pytest.mark.parametrize("name", WORKFLOWS)
def test_a_workflow_kit_holds_its_steps_and_guides(box: Toolbox, name: str) -> None:
    kit = std_kit(name, box)
    prompt = kit.prompt()
    [flow] = kit.usable_workflows()
    assert f"Workflow {name}: {flow.goal}" in prompt
    for number, step in enumerate(flow.steps, 1):
        [line] = [line for line in prompt.splitlines() if line.startswith(f"{number}. ")]
        assert step.tool in line
        assert step.note in line
    for tool in kit.names():
        assert prompt.count(f"How to use {tool}:") == 1
        assert kit.resolve_doc(str(spec_of(tool).docs))
    assert std_kit(name, box).prompt() == prompt
    assert len(prompt) < 12_000


def test_the_steps_of_every_kit_are_calls_that_could_be_made(box: Toolbox) -> None:
    """Every action and parameter that a step names exists in its tool."""
    for name in WORKFLOWS:
        for step in std_kit(name, box).usable_workflows()[0].steps:
            if not step.tool:
                continue
            properties = spec_of(step.tool).parameters["properties"]
            assert set(step.params) <= set(properties)
            assert not step.action or step.action in properties["action"]["enum"]


def test_kits_are_read_by_name_and_the_users_folder_comes_first(
    box: Toolbox, tmp_path: Path
) -> None:
    assert StdKits().names() == WORKFLOWS == KitFolder(KITS).names()
    (tmp_path / "tdd_workflow.yaml").write_text(
        "tool_kit: tdd_workflow\ndescription: Mine.\nsteps:\n  - tool: ls\n    note: Look.\n",
        "utf-8",
    )
    (tmp_path / "own.kit").write_text("read_file\n", "utf-8")
    mine = StdKits(tmp_path)
    assert mine.names() == sorted([*WORKFLOWS, "own"])
    assert std_kit("tdd_workflow", box, kits=tmp_path).names() == ["ls"]
    assert std_kit("own", box, kits=tmp_path).names() == ["read_file"]
    assert std_kit("debug_cycle", box, kits=tmp_path).description
    for wrong in ("nope", "../own"):
        with pytest.raises((KitError, UnknownToolError)):
            std_kit(wrong, box, kits=tmp_path)


def test_skills_are_read_by_name_and_the_users_folder_comes_first(
    box: Toolbox, tmp_path: Path
) -> None:
    assert sorted(std_skills()) == sorted(NAMES)
    assert sorted(path.stem for path in SKILLS.glob("*.yaml")) == sorted(NAMES)
    assert std_skills()["grep"] == spec_of("grep").guide
    (tmp_path / "grep.yaml").write_text("tool: grep\ntips: [Search my way.]\n", "utf-8")
    prompt = std_kit("tdd_workflow", box, skills=tmp_path).prompt()
    assert "Search my way." in prompt
    assert "Begin with a narrow pattern" not in prompt


def test_a_kit_without_a_source_works_in_a_root(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("needle", "utf-8")
    kit = std_kit("tdd_workflow", root=tmp_path)
    result = Dispatcher(kit).call_sync(Call("grep", {"pattern": "needle"}))
    assert result.data["matches"] == 1  # type: ignore[attr-defined]
