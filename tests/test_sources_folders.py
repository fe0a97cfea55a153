"""Tools from folders of Python files, and the four that are built in; real files throughout."""

from __future__ import annotations

import gc
import os
import sys
import threading
from pathlib import Path

import pytest
from tool_samples import call, data_of, simple

from zkit.effects import FileEffect
from zkit.results import Validation
from zkit.sources import Toolbox
from zkit.std import BuiltinProvider

HELLO = '''\
from zkit.tools import tool

@tool(grade=(1, 0))
def hello(name: str) -> str:
    """Greet."""
    return f"hello {name}"
'''


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text, "utf-8")
    return folder


def modules_of(folder: Path) -> list[str]:
    return [
        name
        for name, module in sys.modules.items()
        if str(getattr(module, "__file__", "") or "").startswith(str(folder))
    ]


def test_the_tools_of_a_folder_are_loaded_under_a_provider(tmp_path: Path) -> None:
    box = Toolbox([simple("mine")])
    loaded = box.load_dir(write(tmp_path / "tools", hello=HELLO), provider="workspace")
    assert loaded.tools == ("hello",)
    assert loaded.problems == ()
    assert box.provider_of("hello") == "workspace"
    assert data_of(call(box, "hello", {"name": "you"})) == "hello you"


def test_files_that_begin_with_an_underscore_are_skipped_and_can_be_imported(
    tmp_path: Path,
) -> None:
    uses = HELLO.replace('f"hello {name}"', "shout(name)") + "\nfrom ._helpers import shout\n"
    helper = "def shout(text: str) -> str:\n    return text.upper()\n"
    box = Toolbox()
    loaded = box.load_dir(write(tmp_path / "tools", hello=uses, _helpers=helper, __init__="1/0"))
    assert loaded.problems == ()
    assert data_of(call(box, "hello", {"name": "you"})) == "YOU"


def test_a_name_may_differ_from_its_file_and_a_file_may_hold_many(tmp_path: Path) -> None:
    many = HELLO + HELLO.replace("def hello", "def bye").split("\n\n", 1)[1]
    box = Toolbox()
    assert box.load_dir(write(tmp_path, code_execution=many)).tools == ("bye", "hello")


BROKEN = {
    "syntax": ("def x(:\n    pass\n", 1, "SyntaxError"),
    "late_syntax": ("x = 1\n\ny = = 2\n", 3, "SyntaxError"),
    "imports": ("import zkit\nimport no_such_module_here\n", 2, "ModuleNotFoundError"),
    "raises": ("def f():\n    return 1 / 0\n\nf()\n", 2, "ZeroDivisionError"),
    "leaves": ("import sys\nsys.exit(3)\n", 2, "SystemExit"),
    "wrong_tool": ("from zkit.tools import tool\n\n@tool\ndef f(*args): ...\n", 3, "ToolDef"),
    "no_tool": ("x = 1\n", 1, "no tools here"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_reported_with_its_line_and_the_rest_is_loaded(
    name: str, tmp_path: Path
) -> None:
    text, line, message = BROKEN[name]
    folder = write(tmp_path / "tools", **{f"a_{name}": text, "z_hello": HELLO})
    loaded = Toolbox().load_dir(folder)
    assert loaded.tools == ("hello",)
    [problem] = loaded.problems
    assert problem.file == str(folder / f"a_{name}.py")
    assert problem.line == line
    assert message in problem.message
    assert str(problem).startswith(f"{folder / f'a_{name}.py'}:{line}: ")


def test_a_taken_name_is_a_problem_with_its_line(tmp_path: Path) -> None:
    box = Toolbox([simple("hello")])
    other = HELLO.replace("hello", "other")
    loaded = box.load_dir(write(tmp_path, hello=HELLO, other=other), provider="ws")
    assert loaded.tools == ("other",)
    [problem] = loaded.problems
    assert problem.line == 3
    assert "'hello' belongs to" in problem.message
    assert box.load_dir(tmp_path, provider="ws", replace=True).tools == ("hello", "other")


def test_a_name_defined_twice_in_a_folder_is_a_problem(tmp_path: Path) -> None:
    loaded = Toolbox().load_dir(write(tmp_path, one=HELLO, two=HELLO))
    assert loaded.tools == ("hello",)
    assert "one.py:3 already" in loaded.problems[0].message


def test_what_a_file_imports_is_not_its_own(tmp_path: Path) -> None:
    imports = "from tool_samples import Counter\nlook = Counter().look\n" + HELLO
    assert Toolbox().load_dir(write(tmp_path, hello=imports)).tools == ("hello",)
    listed = "from tool_samples import Counter\ndef f(n: int) -> int:\n    return n\n"
    listed += "TOOLS = [f, Counter().look]\n"
    assert Toolbox().load_dir(write(tmp_path / "b", x=listed)).tools == ("f", "look")


def test_loading_again_replaces_and_takes_away(tmp_path: Path) -> None:
    box = Toolbox([simple("mine")])
    folder = write(tmp_path / "tools", hello=HELLO, other=HELLO.replace("hello", "other"))
    box.load_dir(folder, provider="ws")
    # The same size within the same second: a cache of compiled files would not notice.
    (folder / "hello.py").write_text(HELLO.replace('"hello ', '"hullo '), "utf-8")
    (folder / "other.py").unlink()
    box.load_dir(folder, provider="ws")
    assert box.names() == ["hello", "mine"]
    assert data_of(call(box, "hello", {"name": "you"})) == "hullo you"
    assert not (folder / "__pycache__").exists()


def test_a_file_that_breaks_takes_only_its_own_tools_away(tmp_path: Path) -> None:
    box = Toolbox()
    folder = write(tmp_path / "tools", hello=HELLO, other=HELLO.replace("hello", "other"))
    box.load_dir(folder, provider="ws")
    (folder / "other.py").write_text("1 / 0\n", "utf-8")
    loaded = box.load_dir(folder, provider="ws")
    assert box.names() == ["hello"]
    assert len(loaded.problems) == 1


def test_a_helper_that_changes_is_read_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    uses = HELLO.replace('f"hello {name}"', "SAID") + "\nfrom ._helpers import SAID\n"
    folder = write(tmp_path / "tools", hello=uses, _helpers="SAID = 'one'\n")
    box = Toolbox()
    box.load_dir(folder, provider="ws")
    write(folder, _helpers="SAID = 'two'\n")
    box.load_dir(folder, provider="ws")
    assert data_of(call(box, "hello", {"name": "you"})) == "two"
    assert not (folder / "__pycache__").exists()


def test_files_that_import_each_other_run_once(tmp_path: Path) -> None:
    counted = "import builtins\nbuiltins.zkit_runs = getattr(builtins, 'zkit_runs', 0) + 1\n"
    one = f"{counted}from . import two\n{HELLO}"
    two = f"{counted}from . import one\n{HELLO.replace('hello', 'other')}"
    box = Toolbox()
    loaded = box.load_dir(write(tmp_path / "tools", one=one, two=two))
    import builtins

    assert (loaded.tools, loaded.problems) == (("hello", "other"), ())
    assert builtins.__dict__.pop("zkit_runs") == 2


def test_imports_that_go_in_a_circle_are_reported_for_each_file(tmp_path: Path) -> None:
    one = f"from .two import other\n{HELLO}"
    two = f"from .one import hello\n{HELLO.replace('hello', 'other')}"
    box = Toolbox()
    loaded = box.load_dir(write(tmp_path / "tools", one=one, two=two, fine=HELLO))
    assert loaded.tools == ("hello",)
    assert [(Path(p.file).name, p.line) for p in loaded.problems] == [("one.py", 1), ("two.py", 1)]
    assert len(modules_of(tmp_path / "tools")) == 1


def test_one_bad_tool_does_not_take_the_others_of_its_file_with_it(tmp_path: Path) -> None:
    more = """

from zkit.tools import TypedTool
from pydantic import BaseModel

class NeedsMore(TypedTool):
    class Args(BaseModel):
        pass
    def __init__(self, root): ...
    def run(self, args): ...
"""
    loaded = Toolbox().load_dir(write(tmp_path / "tools", x=HELLO + more))
    assert loaded.tools == ("hello",)
    [problem] = loaded.problems
    assert (problem.line, "give an object of it" in problem.message) == (12, True)


def test_a_tool_under_two_names_of_its_file_is_one_tool(tmp_path: Path) -> None:
    loaded = Toolbox().load_dir(write(tmp_path / "tools", x=f"{HELLO}\ngreet = hello\n"))
    assert (loaded.tools, loaded.problems) == (("hello",), ())


@pytest.mark.parametrize(
    "source",
    [
        "raise KeyboardInterrupt",
        "raise SystemExit(3)",
        "raise GeneratorExit",
        "class E(Exception):\n    def __str__(self): raise E\nraise E",
        "class T:\n    def definition(self): raise OSError\n    def execute(self, call): ...\nTOOLS = [T()]",
        "import time\ntime.sleep(15)",
        "TOOLS = 5",
        "def f(:",
        "\0",
    ],
)
def test_no_file_ends_the_load_of_the_others(source: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "tools", a=HELLO, b=source)
    box = Toolbox()
    is_slow = "sleep" in source
    loaded = box.load_dir(folder, timeout=0.5 if is_slow else 60)
    assert loaded.tools == ("hello",)
    assert [Path(problem.file).name for problem in loaded.problems] == ["b.py"]
    assert ("still being loaded" in str(loaded.problems[0])) == is_slow


def test_a_link_out_of_the_folder_is_not_loaded(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", evil=HELLO)
    folder = tmp_path / "tools"
    folder.mkdir()
    (folder / "evil.py").symlink_to(outside / "evil.py")
    (folder / "uses.py").write_text("from .evil import hello\nTOOLS = [hello]")
    loaded = Toolbox().load_dir(folder)
    assert loaded.tools == ()
    assert len(loaded.problems) == 2


def test_an_empty_path_is_not_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "tools", a=HELLO)
    monkeypatch.chdir(tmp_path / "tools")
    with pytest.raises(ValueError, match="path is empty"):
        Toolbox().load_dir("")


def test_folders_are_loaded_from_many_threads(tmp_path: Path) -> None:
    folders = [write(tmp_path / f"tools{n}", **{f"m{n}": HELLO}) for n in range(8)]
    boxes = [Toolbox() for _ in folders]
    failed: list[BaseException] = []

    def load(number: int) -> None:
        try:
            for _ in range(5):
                assert boxes[number].load_dir(folders[number]).tools == ("hello",)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=load, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_a_box_that_is_dropped_leaves_no_modules(tmp_path: Path) -> None:
    folder = write(tmp_path / "tools", a=HELLO)
    box = Toolbox()
    box.load_dir(folder)
    assert modules_of(folder)
    del box
    gc.collect()
    assert modules_of(folder) == []


@pytest.mark.parametrize("name", ["with space", "dash-ed", "a.dotted.name", "schön"])
def test_any_file_name_will_do(name: str, tmp_path: Path) -> None:
    box = Toolbox()
    folder = write(tmp_path / "tools", **{name: HELLO})
    assert box.load_dir(folder, provider="ws").tools == ("hello",)
    assert box.unload("ws")
    assert modules_of(folder) == []


def test_calls_go_on_while_a_folder_is_loaded_again(tmp_path: Path) -> None:
    folder = write(tmp_path / "tools", hello=HELLO)
    box = Toolbox()
    box.load_dir(folder, provider="ws")
    over = threading.Event()
    failed: list[object] = []

    def keep_calling() -> None:
        while not over.is_set():
            result = call(box, "hello", {"name": "you"})
            if getattr(result, "data", None) != "hello you":
                failed.append(result)

    threads = [threading.Thread(target=keep_calling) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(10):
        box.load_dir(folder, provider="ws")
    over.set()
    for thread in threads:
        thread.join()
    assert failed == []
    assert len(modules_of(folder)) == 1


def test_unloading_is_clean(tmp_path: Path) -> None:
    box = Toolbox([simple("mine")])
    folder = write(tmp_path / "tools", hello=HELLO)
    before = set(sys.modules)
    box.load_dir(folder, provider="ws")
    box.load_dir(folder, provider="ws")
    assert len(modules_of(folder)) == 1
    assert box.unload("ws")
    assert box.names() == ["mine"]
    assert modules_of(folder) == []
    assert {name for name in set(sys.modules) - before if name.startswith("zkit_loaded")} == set()
    assert not box.unload("ws")


def test_two_folders_may_have_files_of_the_same_name(tmp_path: Path) -> None:
    box = Toolbox()
    box.load_dir(write(tmp_path / "global", files=HELLO), provider="global")
    other = HELLO.replace("hello", "other")
    box.load_dir(write(tmp_path / "workspace", files=other), provider="workspace")
    assert box.providers() == {"global": 1, "workspace": 1}
    box.unload("workspace")
    assert box.names() == ["hello"]


def test_the_provider_is_the_folder_when_none_is_given(tmp_path: Path) -> None:
    loaded = Toolbox().load_dir(write(tmp_path, hello=HELLO))
    assert loaded.provider == f"dir:{tmp_path.resolve().as_posix()}"


def test_a_folder_that_is_not_there_is_our_mistake(tmp_path: Path) -> None:
    with pytest.raises(NotADirectoryError):
        Toolbox().load_dir(tmp_path / "nowhere")


# Built in


@pytest.fixture
def box(tmp_path: Path) -> Toolbox:
    """The four tools below a root, beside which lies a secret."""
    root = tmp_path / "root"
    (root / "src").mkdir(parents=True)
    (root / "a.txt").write_text("one\ntwo\none\n", "utf-8")
    (root / "src/b.py").write_text("x = 1\n", "utf-8")
    (tmp_path / "secret.txt").write_text("secret", "utf-8")
    os.symlink(tmp_path / "secret.txt", root / "link.txt")
    return Toolbox(providers=[BuiltinProvider(root)])


def test_the_builtin_provider_brings_four_tools(box: Toolbox) -> None:
    assert box.names() == ["edit_file", "find_files", "read_file", "write_file"]
    assert box.providers() == {"builtin": 4}
    assert box.kit(["read_file", "find_files"]).grade == (1, 0)


def test_files_are_read_and_found(box: Toolbox) -> None:
    result = call(box, "read_file", {"path": "a.txt"})
    assert data_of(result) == "one\ntwo\none\n"
    assert result.effects == (FileEffect(path="a.txt", op="read"),)  # type: ignore[attr-defined]
    assert data_of(call(box, "find_files", {"pattern": "**/*.py"})) == ["src/b.py"]
    assert data_of(call(box, "find_files", {"pattern": "*.md"})) == []


def test_files_are_written_and_edited(box: Toolbox, tmp_path: Path) -> None:
    result = call(box, "write_file", {"path": "new/c.txt", "content": "é"})
    effect = FileEffect(path="new/c.txt", op="create", bytes_after=2)
    assert result.effects == (effect,)  # type: ignore[attr-defined]
    assert (tmp_path / "root/new/c.txt").read_text("utf-8") == "é"
    call(box, "edit_file", {"path": "a.txt", "old_str": "two", "new_str": "2"})
    assert (tmp_path / "root/a.txt").read_text("utf-8") == "one\n2\none\n"


@pytest.mark.parametrize(("old", "code"), [("three", "stale"), ("one", "ambiguous"), ("", "stale")])
def test_an_edit_that_is_not_clear_is_refused(box: Toolbox, old: str, code: str) -> None:
    result = call(box, "edit_file", {"path": "a.txt", "old_str": old, "new_str": "x"})
    assert isinstance(result, Validation)
    assert result.code == code
    assert data_of(call(box, "read_file", {"path": "a.txt"})) == "one\ntwo\none\n"


@pytest.mark.parametrize(
    "path", ["../secret.txt", "link.txt", "/etc/passwd", "src/../../secret.txt", "", "a\0b"]
)
def test_no_path_leads_out_of_the_root(box: Toolbox, path: str, tmp_path: Path) -> None:
    for name, more in (("read_file", {}), ("write_file", {"content": "x"})):
        result = call(box, name, {"path": path, **more})
        assert isinstance(result, Validation), path
        assert "workspace" in result.message
    assert (tmp_path / "secret.txt").read_text("utf-8") == "secret"


@pytest.mark.parametrize("pattern", ["../*", "/etc/*", "", "src/../../*"])
def test_no_pattern_leads_out_of_the_root(box: Toolbox, pattern: str) -> None:
    assert isinstance(call(box, "find_files", {"pattern": pattern}), Validation)
    assert "link.txt" not in data_of(call(box, "find_files", {"pattern": "*.txt"}))


def test_a_missing_file_is_for_the_model_to_fix(box: Toolbox) -> None:
    result = call(box, "read_file", {"path": "nope.txt"})
    assert isinstance(result, Validation)
    assert result.code == "not_found"
    assert isinstance(call(box, "read_file", {"path": "src"}), Validation)


def test_the_current_directory_is_never_changed(box: Toolbox) -> None:
    before = os.getcwd()
    results: list[str] = []

    def work() -> None:
        results.append(data_of(call(box, "read_file", {"path": "src/b.py"})))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == ["x = 1\n"] * 4
    assert os.getcwd() == before
