"""What older systems got wrong about tools and sources, and that zkit does not."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from tool_samples import Counter, PlainSpecTool, call, data_of, simple, undeclared

from zkit.errors import ToolDefinitionError, ToolNameTakenError
from zkit.grade import READ, Grade
from zkit.results import Crashed, Success, Transient, Validation
from zkit.sources import Kit, MemoSource, Toolbox
from zkit.tools import (
    Context,
    ToolSpec,
    TypedTool,
    policy_for,
    render_result,
    scope,
    tool,
    tools_in,
)


def test_an_undeclared_parameter_list_is_not_the_first_parameter_only() -> None:
    def many(a: int, b: int, c: int = 1) -> None:
        """Many."""

    parameters = tool(many).definition().openai()["function"]["parameters"]
    assert parameters["required"] == ["a", "b"]


def test_strict_mode_lets_optional_parameters_be_null() -> None:
    def many(a: int, b: int = 1) -> None:
        """Many."""

    made = tool(many)
    strict = made.definition().openai(strict=True)["function"]["parameters"]
    assert strict["required"] == ["a", "b"]
    assert "null" in json.dumps(strict["properties"]["b"])
    assert data_of(call(Toolbox([made]), "many", {"a": 1, "b": None})) is None


def test_a_text_that_looks_like_a_failure_is_no_failure() -> None:
    text = "❌ not found: ERROR"
    result = call(Toolbox([tool(name="cat", grade=READ)(lambda: text)]), "cat")
    assert result == Success(text)
    assert render_result(result) == text


def test_arguments_that_do_not_parse_are_not_taken_for_none() -> None:
    ran: list[int] = []

    @tool(grade=READ)
    def look(n: int = 0) -> None:
        """Look."""
        ran.append(n)

    box = Toolbox([look])
    assert isinstance(call(box, "look", "what {{{ is this"), Validation)
    assert ran == []
    call(box, "look", {"n": 0})
    call(box, "look", {})
    assert ran == [0, 0]


def test_names_match_exactly_and_prefixes_do_not() -> None:
    box = Toolbox([simple("code_exec"), simple("code_search"), simple("code_")])
    assert Kit(box, ["code_"]).names() == ["code_"]
    assert Kit(box, ["code*"]).names() == ["code_", "code_exec", "code_search"]


def test_no_selection_never_means_all_tools() -> None:
    with pytest.raises(ValueError, match="none"):
        Kit(Toolbox([simple("a")]), None)
    assert Kit(Toolbox([simple("a")]), []).names() == []


def test_registering_over_another_provider_is_never_silent() -> None:
    box = Toolbox()
    box.register(simple("a"), provider="one")
    with pytest.raises(ToolNameTakenError):
        box.register(simple("a"), provider="two")


def test_every_tool_takes_the_same_way_whatever_its_name() -> None:
    for name in ("mcp:files.read", "mcp_files_read", "read"):
        echo = PlainSpecTool(
            name, {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
        )
        assert isinstance(call(Toolbox([echo]), name, {"n": "x"}), Validation)
        assert echo.calls == []


def test_nothing_is_added_to_the_arguments_of_a_tool() -> None:
    echo = PlainSpecTool("echo")
    with scope("task", workspace="/w"):
        call(Toolbox([echo]), "echo", {"text": "x"})
    assert echo.calls[0].arguments == {"text": "x"}


def test_dotted_names_are_legal_on_the_wire_and_come_back() -> None:
    box = Toolbox([simple("git.status"), simple("mcp:x.y")])
    for entry in box.openai():
        name = entry["function"]["name"]
        assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name)
        assert isinstance(call(box, name), Success)


def test_a_schema_is_compiled_once_and_not_at_every_call() -> None:
    echo = PlainSpecTool("echo")
    from zkit.schema import target_for

    assert target_for(echo.spec.parameters) is target_for(echo.spec.parameters)


def test_a_missing_schema_takes_no_arguments_instead_of_any() -> None:
    spec = tool(
        undeclared,
    ).definition()
    assert spec.parameters["additionalProperties"] is False


def test_what_is_wrong_with_a_call_is_told_with_the_tool_s_own_example() -> None:
    @tool(grade=READ, examples=[{"arguments": {"path": "src/main.py", "lines": 20}}])
    def head(path: str, lines: int = 3) -> str:
        """Show the first lines."""
        return path

    class Tail(TypedTool):
        """Show the last lines."""

        examples = ({"arguments": {"path": "src/main.py"}},)

        class Args(BaseModel):
            path: str

        def run(self, args: Args) -> str:
            return args.path

    box = Toolbox([head, Tail])
    for name in ("head", "tail"):
        result = call(box, name, {"lines": "x"})
        assert isinstance(result, Validation)
        assert '"path": "src/main.py"' in result.message
    assert "examples" not in str(box.openai())


def test_a_parameter_may_be_called_like_a_keyword_of_a_schema() -> None:
    properties = {name: {"type": "string"} for name in ("description", "title", "examples", "type")}
    spec = ToolSpec("f", "F.", {"properties": properties, "required": ["description", "title"]})
    for shown in (spec.openai(), spec.openai(strict=True)):
        assert list(shown["function"]["parameters"]["properties"]) == list(properties)
    assert spec.mcp()["inputSchema"]["properties"] == properties
    assert spec.signature().startswith("f(description: str, title: str, examples: str = ...")


def test_a_crash_is_told_apart_and_costs_nobody_else() -> None:
    def crashes() -> None:
        raise KeyError("x")

    box = Toolbox([crashes, simple("fine")])
    result = call(box, "crashes")
    assert isinstance(result, Crashed)
    assert "not in your arguments" in render_result(result)
    assert isinstance(call(box, "fine"), Success)


def test_an_unknown_tool_never_gets_an_empty_answer() -> None:
    text = render_result(call(Toolbox(), "nope"))
    assert text == 'There is no tool "nope". No tools are available.'


def test_purity_is_declared_by_the_tool_and_not_by_a_list_of_names() -> None:
    memo = MemoSource(Toolbox([simple("read"), simple("ls", grade=(3, 3))]))
    assert [call(memo, "read").meta for _ in range(2)][1]["cached"]  # type: ignore[attr-defined]
    assert [call(memo, "ls").meta for _ in range(2)][1] == {}  # type: ignore[attr-defined]


def test_the_third_equal_call_is_answered_like_the_second() -> None:
    memo = MemoSource(Toolbox(tools_in(Counter())))
    assert {call(memo, "look").kind for _ in range(5)} == {"success"}


def test_a_failed_change_clears_what_was_remembered() -> None:
    counter = Counter()
    memo = MemoSource(Toolbox(tools_in(counter)))
    call(memo, "look")
    assert isinstance(call(memo, "change", {"fail": True}), Crashed)
    assert data_of(call(memo, "look"))["value"] == 1


def test_a_change_inside_another_tool_clears_too() -> None:
    counter = Counter()

    async def delegate() -> Any:
        """Let a child task change something."""
        from zkit.calls import Call

        with scope("child"):
            return data_of(await memo.call(Call("change", {})))

    memo = MemoSource(Toolbox([*tools_in(counter), tool(grade=READ)(delegate)]))
    call(memo, "look")
    call(memo, "delegate")
    assert data_of(call(memo, "look"))["value"] == 1


def test_grades_that_are_missing_are_the_worst() -> None:
    assert Toolbox([undeclared]).grade == Grade(3, 3)
    assert ToolSpec("x").effective_grade == Grade(3, 3)
    assert not policy_for(ToolSpec("x")).retry


def test_preferences_are_obeyed() -> None:
    box = Toolbox([simple("a")])
    box.overlays.change("a", enabled=False)
    assert box.openai() == []


def test_wrong_conventions_are_refused_by_the_code() -> None:
    with pytest.raises(ToolDefinitionError):
        ToolSpec("x", summary="long " * 100)
    with pytest.raises(ToolDefinitionError):
        tool(name="x", examples=[{"arguments": {"nope": 1}}])(lambda: None)


def test_effects_are_records_and_cannot_hold_both_kinds() -> None:
    from pydantic import ValidationError

    from zkit.effects import EFFECTS

    with pytest.raises(ValidationError):
        EFFECTS.validate_python([{"kind": "file", "path": "a", "op": "read", "command": "x"}])
    with pytest.raises(ValidationError):
        EFFECTS.validate_python([{"kind": "network"}])


def test_a_failure_is_one_object_that_is_returned_or_raised() -> None:
    failure = Transient("busy", 2.0, "rate_limited")

    def returns() -> Any:
        return failure

    def raises() -> Any:
        raise failure

    box = Toolbox([returns, raises])
    assert call(box, "returns") == call(box, "raises") == failure


def test_a_signature_shows_types_and_what_is_optional() -> None:
    def read_file(path: str, lines: int | None = None) -> str:
        """Read."""
        return path

    kit = Toolbox([read_file]).kit("*")
    assert "read_file(path: str, lines: int | None = None) -> str" in kit.prompt()


def test_kit_docs_do_not_hide_the_docs_of_tools(tmp_path: Path) -> None:
    (tmp_path / "a.kit").write_text("---\ndocs: kit.md\n---\nread\n", "utf-8")
    box = Toolbox([simple("read", docs="read.md")])
    assert Kit(box, "a", kits=tmp_path).docs == ("kit.md", "read.md")


def test_aliases_stay_visible_beside_extra_tools() -> None:
    box = Toolbox([simple("find_files"), simple("read_file")])
    kit = Kit(box, {"find": "find_files"}, extra=["read_file"])
    assert [entry["name"] for entry in kit.summaries()] == ["find", "read_file"]
    assert "- find(" in kit.prompt()


def test_a_context_of_the_model_is_not_believed() -> None:
    @tool(grade=READ)
    def who(context: Context) -> str:
        """Who."""
        return context.task

    result = call(Toolbox([who]), "who", {"context": {"task": "admin"}})
    assert isinstance(result, Validation) or data_of(result) == ""


def test_no_module_keeps_a_registry_of_its_own() -> None:
    import zkit.sources.toolbox

    kept = [
        name
        for name, value in vars(zkit.sources.toolbox).items()
        if isinstance(value, Toolbox | dict) and not name.startswith("__")
    ]
    assert kept == []
    assert inspect.isclass(zkit.sources.toolbox.Toolbox)
