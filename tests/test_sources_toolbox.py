"""The toolbox: the one registry that can change, and what may not change with it."""

from __future__ import annotations

import json
import sys
import threading
import warnings
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule
from profiles import many
from tool_samples import PlainSpecTool, call, data_of, simple, undeclared

from zkit.errors import ProviderError, ToolDefinitionError, ToolNameTakenError
from zkit.grade import PURE, READ, WRITE, Grade
from zkit.results import Refused, Success, Validation
from zkit.sources import (
    Overlay,
    Overlays,
    PythonProvider,
    ShadowedNameWarning,
    Toolbox,
    ToolSource,
)
from zkit.tools import Preference, ToolSpec, tool


def test_a_toolbox_is_a_source() -> None:
    box = Toolbox([simple("b"), simple("a")])
    assert isinstance(box, ToolSource)
    assert box.names() == ["a", "b"]
    assert data_of(call(box, "a", {"text": "x"})) == "a:x"
    assert "a" in box
    assert "c" not in box
    assert len(box) == 2


def test_functions_classes_and_decorators_are_registered() -> None:
    box = Toolbox()

    @box.register
    def plain(n: int) -> int:
        """Plain."""
        return n

    @box.tool(grade=READ, name="named")
    def other(n: int) -> int:
        """Other."""
        return n + 1

    @box.tool
    def third(n: int) -> int:
        """Third."""
        return n + 2

    box.register(PlainSpecTool("echo"))
    assert box.names() == ["echo", "named", "plain", "third"]
    assert (plain(1), other(1), third(1)) == (1, 2, 3)
    assert data_of(call(box, "named", {"n": 1})) == 2


def test_the_listing_does_not_depend_on_the_order_of_registration() -> None:
    tools = [simple(name) for name in "dacb"]
    one, other = Toolbox(tools), Toolbox(reversed(tools))
    assert json.dumps(one.openai()) == json.dumps(other.openai())
    before = json.dumps(one.openai(strict=True))
    assert json.dumps(one.openai(strict=True)) == before


@given(st.permutations([f"tool.{n}" for n in range(6)]))
def test_any_order_gives_the_same_bytes(names: list[str]) -> None:
    expected = json.dumps(Toolbox([simple(name) for name in sorted(names)]).openai())
    assert json.dumps(Toolbox([simple(name) for name in names]).openai()) == expected


def test_a_digest_changes_with_any_tool_and_only_then() -> None:
    one, other = Toolbox([simple("a"), simple("b")]), Toolbox([simple("b"), simple("a")])
    assert one.digest == other.digest
    other.overlays.change("a", description="Else.")
    assert one.digest != other.digest
    other.overlays.delete("a")
    assert one.digest == other.digest


def test_the_listing_that_is_handed_out_cannot_be_changed() -> None:
    box = Toolbox([simple("a")])
    with pytest.raises(TypeError):
        box.openai()[0]["function"]["name"] = "b"
    with pytest.raises(TypeError):
        box.openai().append({})


def test_the_version_grows_with_every_change_and_only_then() -> None:
    box = Toolbox()
    versions = [box.version]
    box.register(simple("a"), provider="p")
    versions.append(box.version)
    box.register(simple("a"), provider="p")
    versions.append(box.version)
    assert box.unregister("a")
    versions.append(box.version)
    assert versions == sorted(set(versions))
    assert not box.unregister("a")
    box.clear("nobody")
    assert box.version == versions[-1]


def test_listeners_are_told_the_version() -> None:
    box = Toolbox()
    told: list[int] = []
    stop = box.listen(told.append)
    box.register(simple("a"))
    stop()
    stop()
    box.register(simple("b"))
    assert told == [1]


def test_the_same_provider_replaces_and_another_is_refused() -> None:
    box = Toolbox()
    box.register(simple("a"), provider="one")
    newer = simple("a")
    box.register(newer, provider="one")
    with pytest.raises(ToolNameTakenError, match="'one'"):
        box.register(simple("a"), provider="two")
    assert box.of_provider("one") == [newer]
    box.register(simple("a"), provider="two", replace=True)
    assert box.provider_of("a") == "two"
    assert box.provider_of("z") is None


def test_two_tools_of_one_name_are_not_registered_together() -> None:
    with pytest.raises(ToolNameTakenError, match="two of the tools are called 'a'"):
        Toolbox([simple("a"), simple("b"), simple("a")])
    same = simple("a")
    assert Toolbox([same, same]).names() == ["a"]


def test_registering_several_is_all_or_nothing() -> None:
    box = Toolbox()
    box.register(simple("a"), provider="one")
    version = box.version
    with pytest.raises(ToolNameTakenError):
        box.register_all([simple("z"), simple("a")], provider="two")
    assert box.names() == ["a"]
    assert box.version == version


def test_a_provider_is_cleared_and_restored_without_touching_others() -> None:
    box = Toolbox()
    box.register_all([simple("a"), simple("b")], provider="one")
    box.register(simple("c"), provider="two")
    before = json.dumps(box.openai())
    snapshot = box.clear("one")
    assert box.names() == ["c"]
    assert box.providers() == {"two": 1}
    box.restore(snapshot)
    assert json.dumps(box.openai()) == before
    assert box.providers() == {"one": 2, "two": 1}


def test_a_restore_that_meets_a_taken_name_changes_nothing() -> None:
    box = Toolbox()
    box.register_all([simple("a"), simple("b")], provider="one")
    snapshot = box.clear("one")
    box.register(simple("b"), provider="two")
    with pytest.raises(ToolNameTakenError):
        box.restore(snapshot)
    assert box.names() == ["b"]
    box.restore(snapshot, replace=True)
    assert box.providers() == {"one": 2}


def test_a_tool_is_found_by_its_wire_name_too() -> None:
    box = Toolbox([simple("git.status")])
    assert box.get("git__dot__status") is box.get("git.status")
    assert data_of(call(box, "git__dot__status", {"text": "x"})) == "git.status:x"
    assert box.unregister("git__dot__status")
    assert box.get("git.status") is None


@pytest.mark.parametrize("name", ["open", "print", "list", "glob", "os", "json"])
def test_a_name_that_shadows_python_is_warned_of(name: str) -> None:
    with pytest.warns(ShadowedNameWarning, match=name) as warned:
        Toolbox([simple(name)])
    assert warned[0].filename == __file__


@pytest.mark.parametrize("name", ["keys", "read_file", "copy_file", "__name__"])
def test_other_names_are_not_warned_of(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Toolbox([simple(name)])


def test_a_replaced_tool_is_warned_of_once() -> None:
    box = Toolbox()
    with pytest.warns(ShadowedNameWarning):
        box.register(simple("glob"))
    box.register(simple("glob"))


# Unknown names


def test_an_unknown_tool_is_answered_with_the_nearest_names() -> None:
    box = Toolbox([simple("read_file"), simple("write_file"), simple("search")])
    result = call(box, "readFile")
    assert isinstance(result, Validation)
    assert result.code == "unknown_tool"
    assert result.message == (
        'There is no tool "readFile". Did you mean read_file or write_file?'
        " The tools are: read_file, search, write_file. Call one of them by its exact name."
    )


@pytest.mark.parametrize("name", ["", "  ", "x" * 5000, "\x00\n", "\ud800", "zzz"])
def test_no_name_is_answered_with_nothing(name: str) -> None:
    for box in (Toolbox(), Toolbox([simple("read_file")])):
        result = call(box, name)
        assert isinstance(result, Validation)
        assert 10 < len(result.message) < 400


def test_many_tools_are_not_all_listed_to_a_model() -> None:
    box = Toolbox([simple(f"tool_{n:03}") for n in range(100)])
    result = call(box, "zzz")
    assert isinstance(result, Validation)
    assert "and 80 more" in result.message


@given(st.text(max_size=30))
def test_any_name_gets_an_answer(name: str) -> None:
    assert call(Toolbox([simple("read_file")]), name).kind in ("validation", "success")


# Calls


def test_arguments_are_repaired_and_checked_before_the_tool_runs() -> None:
    ran: list[Any] = []

    @tool(grade=READ)
    def look(path: str, n: int = 1) -> str:
        """Look."""
        ran.append((path, n))
        return "seen"

    box = Toolbox([look])
    assert data_of(call(box, "look", '{"path": "a", "n": "2",}')) == "seen"
    assert isinstance(call(box, "look", {"n": 2}), Validation)
    assert ran == [("a", 2)]


def test_a_raw_schema_is_enough_for_checking() -> None:
    echo = PlainSpecTool(
        "echo",
        {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]},
    )
    box = Toolbox([echo])
    assert data_of(call(box, "echo", '{"n": "3"}')) == {"n": 3}
    assert isinstance(call(box, "echo", {"n": "x"}), Validation)
    assert len(echo.calls) == 1


# Providers


def test_a_spec_names_a_function_of_a_module() -> None:
    config = {"module": "posixpath", "function": "basename"}
    spec = ToolSpec("name_of", "The last part.", provider="python", provider_config=config)
    box = Toolbox()
    box.register(spec)
    assert box.provider_of("name_of") == "python"
    assert data_of(call(box, "name_of", {"p": "a/b.txt"})) == "b.txt"
    again = Toolbox([spec])
    assert again.names() == ["name_of"]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({}, "needs a 'module'"),
        ({"module": "os"}, "needs a 'function'"),
        ({"module": "no.such.module", "function": "x"}, "No module"),
        ({"module": "os", "function": "no_such"}, "no os.no_such"),
    ],
)
def test_a_wrong_config_is_refused_when_it_is_registered(
    config: dict[str, str], message: str
) -> None:
    with pytest.raises(ProviderError, match=message):
        Toolbox().register(ToolSpec("x", provider="python", provider_config=config))


def test_an_unknown_provider_is_named_with_the_known_ones() -> None:
    with pytest.raises(ProviderError, match=r"no provider 'rest' .*python"):
        Toolbox().register(ToolSpec("x", provider="rest"))


class Rest:
    """A provider of one's own."""

    name = "rest"

    def __init__(self, up: bool = True) -> None:
        self.up = up

    def available(self) -> bool:
        return self.up

    def resolve(self, spec: ToolSpec, /) -> Any:
        url = spec.provider_config["url"]

        async def fetch(id: int) -> str:
            """Fetch."""
            return f"{url}/{id}"

        return fetch

    def specs(self) -> list[ToolSpec]:
        return [
            ToolSpec("users.get", provider="rest", grade=READ, provider_config={"url": "/users"}),
            ToolSpec("posts.get", provider="rest", grade=READ, provider_config={"url": "/posts"}),
        ]


def test_a_provider_of_ones_own_brings_its_tools() -> None:
    box = Toolbox([simple("mine")])
    assert box.register_provider(Rest()) == ("posts.get", "users.get")
    assert data_of(call(box, "users.get", {"id": 3})) == "/users/3"
    spec = box.get("users.get").definition()  # type: ignore[union-attr]
    assert (spec.grade, spec.provider, spec.description) == (READ, "rest", "Fetch.")
    box.clear("rest")
    assert box.names() == ["mine"]


def test_a_provider_that_is_not_available_brings_nothing() -> None:
    box = Toolbox(providers=[Rest(up=False)])
    assert box.names() == []
    with pytest.raises(ProviderError, match="not available"):
        box.register(Rest().specs()[0])
    assert PythonProvider().available()


# Overlays


def test_a_description_can_be_changed_at_run_time_and_changed_back() -> None:
    box = Toolbox([simple("a")])
    version = box.version
    told: list[frozenset[str]] = []
    box.overlays.listen(told.append)
    box.overlays.change("a", description="Does it well. Always.")
    spec = box.get("a").definition()  # type: ignore[union-attr]
    assert (spec.description, spec.summary) == ("Does it well. Always.", "Does it well.")
    assert box.version > version
    assert box.openai()[0]["function"]["description"] == "Does it well. Always."
    assert box.overlays.delete("a")
    assert box.get("a").definition().description == "Does a."  # type: ignore[union-attr]
    assert told == [frozenset("a"), frozenset("a")]


def test_a_tool_can_be_switched_off_and_is_then_neither_listed_nor_called() -> None:
    box = Toolbox([simple("a"), simple("b")])
    box.overlays.change("a", enabled=False, reason="under repair")
    assert box.names() == ["b"]
    assert box.get("a") is None
    assert call(box, "a") == Refused("under repair", code="disabled")
    box.overlays.change("a", enabled=True)
    assert box.names() == ["a", "b"]


def test_arguments_can_be_set_by_the_operator() -> None:
    @tool(grade=READ, examples=[{"arguments": {"path": "x", "root": "/"}}])
    def look(path: str, root: str) -> str:
        """Look."""
        return f"{root}/{path}"

    box = Toolbox([look])
    box.overlays.change("look", overrides={"root": "/srv"})
    spec = box.get("look").definition()  # type: ignore[union-attr]
    assert list(spec.parameters["properties"]) == ["path"]
    assert spec.parameters["required"] == ["path"]
    assert data_of(call(box, "look", {"path": "x"})) == "/srv/x"
    forced = call(box, "look", {"path": "x", "root": "/etc"})
    assert isinstance(forced, Validation) or data_of(forced) == "/srv/x"


def test_what_the_operator_has_set_wins_where_anything_may_be_sent() -> None:
    echo = PlainSpecTool("echo", {"type": "object", "properties": {"root": {"type": "string"}}})
    box = Toolbox([echo])
    box.overlays.change("echo", overrides={"root": "/srv"})
    assert data_of(call(box, "echo", {"root": "/etc", "more": 1})) == {"root": "/srv", "more": 1}


def test_an_override_that_does_not_fit_changes_nothing() -> None:
    box = Toolbox([simple("a")])
    before = box.overlays.revision, box.version
    for overrides in ({"nope": 1}, {"text": 3}):
        with pytest.raises(ToolDefinitionError):
            box.overlays.change("a", overrides=overrides)
    assert (box.overlays.revision, box.version) == before
    assert box.overlays.get("a") is None
    assert data_of(call(box, "a", {"text": "x"})) == "a:x"


def test_an_overlay_waits_for_its_tool() -> None:
    overlays = Overlays({"a": Overlay(description="Emitted before.")})
    box = Toolbox(overlays=overlays)
    box.register(simple("a"))
    assert box.get("a").definition().description == "Emitted before."  # type: ignore[union-attr]


def test_weight_moves_a_tool_in_a_search() -> None:
    box = Toolbox([simple("find_a"), simple("find_b")])
    assert [spec.name for spec in box.search("find")] == ["find_a", "find_b"]
    box.overlays.change("find_b", weight=5.0)
    assert [spec.name for spec in box.search("find")] == ["find_b", "find_a"]


def test_a_spec_may_say_that_it_is_off() -> None:
    box = Toolbox([simple("a", preference=Preference(enabled=False))])
    assert box.names() == []


def test_a_preference_has_only_its_own_fields() -> None:
    with pytest.raises(ToolDefinitionError, match="colour"):
        Overlays().change("a", colour="red")


# Grades


def test_the_grade_of_a_toolbox_is_that_of_its_worst() -> None:
    assert Toolbox().grade == Grade(0, 0)
    assert Toolbox([simple("a", PURE), simple("b", READ)]).grade == READ
    assert Toolbox([simple("a", Grade(0, 3)), simple("b", Grade(2, 0))]).grade == Grade(2, 3)
    assert Toolbox([undeclared]).grade == WRITE


# Threads


def test_many_threads_may_register_and_call_at_once() -> None:
    box = Toolbox([simple("fixed")])
    failures: list[BaseException] = []
    start = threading.Barrier(8)

    def work(number: int) -> None:
        try:
            start.wait()
            for turn in range(20):
                name = f"t{number}_{turn}"
                box.register(simple(name), provider=f"p{number}")
                assert isinstance(call(box, name, {"text": "x"}), Success)
                names = box.names()
                assert names == sorted(names)
                assert "fixed" in names
            box.clear(f"p{number}")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert box.names() == ["fixed"]


# The conflict rule, whatever the order


def test_whoever_looks_while_tools_are_replaced_finds_the_old_or_the_new() -> None:
    box = Toolbox()
    box.register_all([simple(f"t{n}") for n in range(20)], provider="p")
    snapshot, over = box.snapshot("p"), threading.Event()
    missed: list[str] = []

    def keep_looking() -> None:
        while not over.is_set():
            missed.extend(name for name in ("t0", "t19") if box.get(name) is None)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    looking = threading.Thread(target=keep_looking)
    looking.start()
    try:
        for _ in range(300):
            box.restore(snapshot)
    finally:
        over.set()
        looking.join()
        sys.setswitchinterval(interval)
    assert missed == []


class Conflicts(RuleBasedStateMachine):
    """A toolbox beside a dict that knows the rule and nothing else."""

    names = st.sampled_from(["a", "b", "a.b", "c:d"])
    providers = st.sampled_from(["", "one", "two"])

    def __init__(self) -> None:
        super().__init__()
        self.box = Toolbox()
        self.model: dict[str, tuple[str, Any]] = {}
        self.snapshots: list[tuple[Any, dict[str, Any]]] = []
        self.version = self.box.version

    @rule(name=names, provider=providers, replace=st.booleans())
    def register(self, name: str, provider: str, replace: bool) -> None:
        made = simple(name)
        owner = self.model.get(name, (provider,))[0]
        if owner != provider and not replace:
            with pytest.raises(ToolNameTakenError):
                self.box.register(made, provider=provider)
            return
        self.box.register(made, provider=provider, replace=replace)
        self.model[name] = (provider, made)

    @rule(name=names)
    def unregister(self, name: str) -> None:
        assert self.box.unregister(name) is (self.model.pop(name, None) is not None)

    @rule(provider=providers)
    def clear(self, provider: str) -> None:
        own = {name: made for name, (owner, made) in self.model.items() if owner == provider}
        self.snapshots.append((self.box.clear(provider), own))
        self.model = {name: pair for name, pair in self.model.items() if name not in own}

    @rule(replace=st.booleans())
    def restore(self, replace: bool) -> None:
        if not self.snapshots:
            return
        snapshot, own = self.snapshots.pop()
        provider = snapshot.provider
        taken = [n for n in own if self.model.get(n, (provider,))[0] != provider]
        if taken and not replace:
            with pytest.raises(ToolNameTakenError):
                self.box.restore(snapshot)
            return
        self.box.restore(snapshot, replace=replace)
        self.model = {n: pair for n, pair in self.model.items() if pair[0] != provider}
        self.model |= {name: (provider, made) for name, made in own.items()}

    @invariant()
    def agrees(self) -> None:
        assert self.box.names() == sorted(self.model)
        for name, (provider, made) in self.model.items():
            assert self.box.provider_of(name) == provider
            found = self.box.get(name)
            assert found is not None
            assert found.definition() == made.definition().replace(provider=provider)
            assert self.box.get(found.definition().wire_name) is found
        assert self.box.version >= self.version
        self.version = self.box.version


TestConflicts = Conflicts.TestCase
TestConflicts.settings = settings(many(60), stateful_step_count=25)
