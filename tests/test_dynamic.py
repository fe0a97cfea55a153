from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from zkit import (
    Call,
    Crashed,
    Dispatcher,
    Grade,
    Refused,
    Success,
    Toolbox,
    ToolSpec,
    Transient,
    Validation,
)
from zkit.dynamic import Catalog, WorkerLimits, dynamic_tools
from zkit.errors import CatalogError

COUNT = {
    "name": "word_count",
    "description": "Count the words of a text.",
    "fields": [
        {"name": "text", "type": "str", "description": "The text."},
        {"name": "least", "type": "int", "description": "Shortest word.", "default": 1},
    ],
    "body": "words = [w for w in text.split() if len(w) >= least]\nreturn len(words)",
    "returns": "int",
    "examples": [
        {"arguments": {"text": "a bb ccc"}, "result": 3},
        {"arguments": {"text": "a bb ccc", "least": 2}, "result": 2},
    ],
}


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    return new_box(tmp_path)


def new_box(folder: Path) -> Toolbox:
    """A toolbox as a program has it after a restart."""
    made = Toolbox()
    made.dynamic.catalog = folder / "catalog.db"
    return made


def made(box: Toolbox, **changes: Any) -> Any:
    return box.dynamic.new_tool_sync(**{**COUNT, **changes})


def call(box: Toolbox, name: str, **arguments: Any) -> Any:
    return send(Dispatcher(box), name, arguments)


def send(dispatcher: Dispatcher, name: str, arguments: Any) -> Any:
    return dispatcher.call_sync(Call(name, arguments, id="1"))


def spec_of(box: Toolbox, name: str) -> ToolSpec:
    found = box.get(name)
    assert found is not None
    return found.definition()


def approving(box: Toolbox, shown: list[Call] | None = None) -> Dispatcher:
    def approve(call: Call) -> bool:
        if shown is not None:
            shown.append(call)
        return True

    return Dispatcher(box, approve=approve)


# Making


def test_a_tool_is_made_checked_and_registered_in_one_call(box: Toolbox) -> None:
    found = made(box)
    assert found.signature == "word_count(text: str, least: int = 1) -> int"
    assert found.version == 1
    assert box.provider_of("word_count") == "dynamic"
    assert call(box, "word_count", text="one two").data == 2
    assert spec_of(box, "word_count").grade == Grade(3, 3)


def test_code_that_fits_runs_in_the_sandbox(box: Toolbox) -> None:
    assert made(box).runner == "monty"


def test_code_that_needs_a_file_runs_in_a_process(box: Toolbox, tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hello")
    found = made(
        box,
        name="read_it",
        fields=[{"name": "path", "type": "str"}],
        body="with open(path) as file:\n    return file.read()",
        returns="str",
        examples=[{"arguments": {"path": str(path)}, "result": "hello"}],
    )
    assert found.runner == "process"
    assert call(box, "read_it", path=str(path)).data == "hello"


def test_a_body_that_is_the_whole_function_is_taken_as_it_is(box: Toolbox) -> None:
    body = "import math\n\ndef area(r: float) -> float:\n    return round(math.pi * r * r, 2)"
    made(box, name="area", fields=["r: float"], body=body, returns="float", examples=[])
    assert call(box, "area", r=2).data == 12.57


def test_arguments_are_decoded_like_those_of_any_tool(box: Toolbox) -> None:
    made(box)
    result = send(Dispatcher(box), "word_count", '{"text": "a bb", "least": "2",}')
    assert result.data == 1
    wrong = call(box, "word_count", txt="a")
    assert isinstance(wrong, Validation)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"body": "x = 1\nif x\n    return 1"}, "line 2 of the body: expected ':'"),
        ({"body": "return undefined_name"}, "NameError"),
        ({"body": "return len(text.nope)"}, "line 1 of the body: return len(text.nope)"),
        ({"body": "return 'three'"}, "not what it promises"),
        ({"body": "return 4"}, "it returned 4, not 3"),
        ({"name": "Word Count"}, "small letters"),
        ({"name": "class"}, "small letters"),
        ({"name": "../../etc"}, "small letters"),
        ({"description": "  "}, "needs a description"),
        ({"fields": [{"name": "a b"}]}, "cannot be a field's name"),
        ({"fields": [{"name": "a"}, {"name": "a"}]}, "cannot be a field's name"),
        ({"fields": [{"name": "a", "type": "__import__('os')"}]}, "is not a type"),
        ({"fields": [{"name": "a", "type": "Dict"}]}, "is not a type"),
        ({"fields": [{"kind": "a"}]}, "a field has a name"),
        ({"imports": ["import os; os.system('x')"]}, "is not an import statement"),
        ({"imports": ["import no_such_module"], "examples": []}, "No module named"),
        ({"examples": [{"arguments": {"text": 5}}]}, "example 1"),
        ({"examples": [{"input": {}}]}, "an example has no 'input'"),
        (
            {"body": "def word_count(other):\n    return 1", "examples": []},
            "the fields say otherwise",
        ),
    ],
)
def test_a_failure_says_what_is_wrong_and_where(
    box: Toolbox, changes: dict[str, Any], says: str
) -> None:
    with pytest.raises(Validation, match="The tool was not made") as caught:
        made(box, **changes)
    assert says in caught.value.message
    assert box.names() == []
    assert box.dynamic.catalog.tools() == []


@pytest.mark.parametrize(
    "kind",
    ["str", "int", "list[str]", "dict[str, int]", "str | None", "Optional[int]", "Any", "array",
     "integer", "Literal['a', 'b']", "list[dict[str, float]]"],
)  # fmt: skip
def test_the_types_of_fields(box: Toolbox, kind: str) -> None:
    field = {"name": "value", "type": kind}
    made(box, name="same", fields=[field], body="return value", returns="Any", examples=[])
    assert "value" in spec_of(box, "same").parameters["properties"]


def test_a_name_that_is_taken_is_refused(box: Toolbox) -> None:
    @box.tool
    def word_count() -> int:
        """Ours."""
        return 1

    with pytest.raises(Validation, match="belongs to another tool"):
        made(box)
    with pytest.raises(Validation, match="not made at run time"):
        box.dynamic.unregister_tool("word_count")


def test_a_tool_is_replaced_only_when_asked_for(box: Toolbox) -> None:
    made(box)
    with pytest.raises(Validation, match="replace=true"):
        made(box)
    again = made(box, body="return -1", examples=[], replace=True)
    assert (again.version, again.runner) == (2, "process")
    assert call(box, "word_count", text="x").data == -1


# Running


def run_body(box: Toolbox, body: str, **options: Any) -> Any:
    given = {"fields": [], "examples": [], "returns": "Any", **options}
    made(box, name="probe", body=body, **given)
    return call(box, "probe")


def test_it_runs_in_a_process_of_its_own_without_our_variables(
    box: Toolbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    body = "import os\nprint('noise')\nreturn [os.getpid(), sorted(os.environ), os.getcwd()]"
    result = run_body(box, body)
    number, names, folder = result.data
    assert number != os.getpid()
    assert "SECRET_KEY" not in names
    assert folder != os.getcwd()
    assert result.meta["printed"] == "noise\n"


def test_a_loop_that_never_ends_is_stopped_with_its_children(box: Toolbox) -> None:
    box.dynamic.limits = WorkerLimits(seconds=1)
    body = "import subprocess\nsubprocess.Popen(['sleep', '77.7'])\nwhile True:\n    pass"
    result = run_body(box, body)
    assert isinstance(result, Transient)
    assert result.code == "timeout"
    running = subprocess.run(["pgrep", "-f", "sleep 77.7"], capture_output=True).stdout
    assert running == b""


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("return 'x' * 10**10", "MemoryError"),
        ("return 'x' * 2_000_000", "more than 1,048,576 bytes"),
        ("import os\nos._exit(3)", "without an answer"),
        ("import sys\nsys.exit('bye')", "SystemExit: bye"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("x = 1\nreturn x / 0", "ZeroDivisionError: division by zero (line 2 of the body"),
        ("def f():\n    return f()\nreturn f()", "RecursionError"),
    ],
)
def test_what_goes_wrong_is_a_crash_of_the_tool_and_not_ours(
    box: Toolbox, body: str, says: str
) -> None:
    result = run_body(box, body)
    assert isinstance(result, Crashed)
    assert says in result.cause


def test_what_json_does_not_know_is_written_as_text(box: Toolbox) -> None:
    assert run_body(box, "import datetime\nreturn datetime.date(2024, 3, 1)").data == "2024-03-01"


@pytest.mark.parametrize(
    ("body", "kind"),
    [("while n:\n    pass\nreturn 0", Transient), ("return 'x' * 10**10 if n else 0", Crashed)],
)
def test_the_sandbox_has_the_same_limits(box: Toolbox, body: str, kind: type[Any]) -> None:
    box.dynamic.limits = WorkerLimits(seconds=0.3)
    found = made(
        box,
        name="probe",
        fields=["n: int"],
        body=body,
        returns="Any",
        examples=[{"arguments": {"n": 0}, "result": 0}],
    )
    assert found.runner == "monty"
    assert isinstance(call(box, "probe", n=1), kind)


# Agents


def test_creating_a_tool_needs_approval_and_shows_the_code(box: Toolbox) -> None:
    box.register_all(dynamic_tools(box))
    assert isinstance(send(Dispatcher(box), "new_tool", COUNT), Refused)
    assert "word_count" not in box.names()
    shown: list[Call] = []
    agent = approving(box, shown)
    assert isinstance(send(agent, "new_tool", COUNT), Success)
    assert shown[0].arguments["body"] == COUNT["body"]
    assert send(agent, "word_count", {"text": "a b"}).data == 2
    assert isinstance(send(agent, "unregister_tool", {"name": "word_count"}), Success)
    assert isinstance(send(agent, "unregister_tool", {"name": "new_tool"}), Validation)
    assert "word_count" not in box.names()


def test_an_agent_sends_fields_as_objects_or_texts(box: Toolbox) -> None:
    box.register_all(dynamic_tools(box))
    agent = approving(box, [])
    for fields in (
        ["text"],
        ["text: str"],
        [{"name": "text", "type": "str"}],
        '[{"name": "text",}]',
    ):
        made = send(agent, "new_tool", {**COUNT, "fields": fields, "body": "return text.upper()",
                                        "returns": "str", "examples": [], "replace": True})  # fmt: skip
        assert isinstance(made, Success), made
        assert send(agent, "word_count", {"text": "a"}).data == "A"
    wrong = send(agent, "new_tool", {**COUNT, "fields": [{"type": "str"}], "replace": True})
    assert isinstance(wrong, Validation)
    assert "name" in wrong.message


def test_the_grade_is_what_the_operator_allows(box: Toolbox) -> None:
    box.dynamic.grade = Grade.of("read")
    made(box)
    assert spec_of(box, "word_count").grade == Grade(1, 0)


def test_a_broken_body_is_explained_to_the_agent(box: Toolbox) -> None:
    box.register_all(dynamic_tools(box))
    result = send(approving(box), "new_tool", {**COUNT, "body": "return ("})
    assert isinstance(result, Validation)
    assert "line 1 of the body" in result.message


# The catalog


def test_tools_survive_a_restart(box: Toolbox, tmp_path: Path) -> None:
    made(box)
    again = new_box(tmp_path)
    assert again.dynamic.restore().tools == ("word_count",)
    assert call(again, "word_count", text="a b c").data == 3


def test_a_tool_that_was_changed_in_the_file_is_withheld(box: Toolbox, tmp_path: Path) -> None:
    import sqlite3

    made(box)
    with sqlite3.connect(tmp_path / "catalog.db") as database:
        database.execute("update versions set definition = replace(definition, 'len(', 'id(')")
    again = new_box(tmp_path)
    assert again.dynamic.restore().withheld == ("word_count",)
    assert again.names() == []


def test_what_is_there_is_not_shadowed_after_a_restart(box: Toolbox, tmp_path: Path) -> None:
    made(box)
    again = new_box(tmp_path)

    @again.tool
    def word_count() -> int:
        """Ours."""
        return 1

    assert again.dynamic.restore().shadowed == ("word_count",)
    assert again.provider_of("word_count") == ""


def test_versions_are_kept_and_can_be_restored(box: Toolbox, tmp_path: Path) -> None:
    made(box)
    made(box, body="return -1", examples=[], replace=True)
    box.dynamic.unregister_tool("word_count")
    assert [one.current for one in box.dynamic.history("word_count")] == [False, False]
    assert box.dynamic.restore_version("word_count", 1) == 3
    assert call(box, "word_count", text="a b").data == 2
    assert box.dynamic.history("word_count")[-1].note == "restored from version 1"
    with pytest.raises(CatalogError, match="no version 9"):
        box.dynamic.restore_version("word_count", 9)


def test_only_the_owner_can_read_the_catalog(box: Toolbox, tmp_path: Path) -> None:
    made(box)
    assert (tmp_path / "catalog.db").stat().st_mode & 0o777 == 0o600


def test_a_file_that_is_no_catalog_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    path.write_bytes(b"not a database, and long enough to be looked at" * 20)
    with pytest.raises(CatalogError):
        Catalog(path)
    with pytest.raises(CatalogError):
        Catalog(tmp_path)


WRITER = """
import sys
from zkit.dynamic import Catalog
catalog, who = Catalog(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
for number in range(int(sys.argv[3])):
    catalog.save_tool({"name": f"{who}_{number % 3}", "body": "x" * 2000, "number": number})
    catalog.admit(who, {"a": {"name": "a", "number": number}})
    print(number, flush=True)
"""


def writer(path: Path, who: str, times: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), who, str(times)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_two_processes_share_a_catalog(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    writers = [writer(path, who, 12) for who in ("left", "right")]
    for one in writers:
        one.communicate(timeout=120)
        assert one.returncode == 0
    catalog = Catalog(path)
    versions = [
        one
        for name in "012"
        for who in ("left", "right")
        for one in catalog.history(f"{who}_{name}")
    ]
    assert len(versions) == 24
    assert len(catalog.tools()) == 6
    assert catalog.revision == 24 + 24 + 3


def test_what_was_written_before_a_kill_is_there(tmp_path: Path) -> None:
    path = tmp_path / "catalog.db"
    process = writer(path, "left", 100_000)
    assert process.stdout is not None
    seen = -1
    for line in process.stdout:
        seen = int(line) if line.strip().isdigit() else seen
        if seen >= 5:
            break
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    catalog = Catalog(path)
    kept = [one.definition["number"] for n in range(3) for one in catalog.history(f"left_{n}")]
    assert sorted(kept, key=int)[: seen + 1] == list(range(seen + 1))  # type: ignore[arg-type]
    catalog.save_tool({"name": "left_0"})
