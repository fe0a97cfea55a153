"""What each public name loads, as a count of modules: a cold start grows with it, and a clock is not needed."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence

from grouped import grouped

import zkit

# Modules of zkit, and modules of others beyond those of pydantic. A name that is not listed may
# load what `Dispatcher` loads. They are what is loaded today, and one for another version of a library.
MOST = {
    "repair_json": (13, 3),
    "loads": (13, 3),
    "Repaired": (11, 3),
    "RepairError": (11, 3),
    "Unrepairable": (11, 3),
    "Rank": (3, 1),
    "Fix": (3, 1),
    "Grade": (3, 1),
    "repair_all": (46, 9),
    "PartialReader": (18, 3),
    "decode": (39, 25),
    "decode_args": (39, 25),
    "find_calls": (55, 6),
    "Extractor": (55, 6),
    "Extraction": (55, 6),
    "instructions": (55, 6),
    "render_call": (55, 6),
    "Dispatcher": (91, 49),
    "Kit": (66, 39),
    "Toolbox": (69, 56),
    "MemoSource": (66, 49),
    "ChatLoop": (172, 49),
    "run": (172, 49),
    "wrap": (138, 45),
}
NEVER = ("openai", "griffe", "jsonschema", "mcp", "rich", "click", "opentelemetry", "json_repair")
_PROGRAM = """
import json, os, sys
from pydantic import BaseModel, TypeAdapter
before = set(sys.modules)
for name in sys.argv[1:]:
    if os.fork() == 0:  # a process that has loaded pydantic and nothing of zkit
        exec(f"from zkit import {name}")
        print(json.dumps([name, sorted(set(sys.modules) - before)]), flush=True)
        os._exit(0)
    os.wait()
"""


def module_of(name: str) -> str:
    found: str = getattr(getattr(zkit, name), "__module__", name)
    return found


def loaded_by(names: Sequence[str]) -> dict[str, list[str]]:
    """The modules that a fresh process loads for each name; names of one module load the same."""
    first = {module_of(name): name for name in reversed(names)}
    program = [sys.executable, "-c", _PROGRAM, *first.values()]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found = dict(json.loads(line) for line in done.stdout.splitlines())
    return {name: found[first[module_of(name)]] for name in names}


def test_a_name_loads_no_more_than_its_budget() -> None:
    with grouped() as group:
        for name, modules in loaded_by(zkit.__all__).items():
            own = [one for one in modules if one.partition(".")[0] == "zkit"]
            others = [one for one in modules if one not in own]
            most_own, most_others = MOST.get(name, MOST["Dispatcher"])
            with group.case(name):
                assert len(own) <= most_own, own
                assert len(others) <= most_others, others


def test_a_name_loads_no_library_before_it_is_used() -> None:
    names = ("repair_json", "decode_args", "find_calls", "Dispatcher", "ChatLoop")
    for name, modules in loaded_by(names).items():
        tops = {one.partition(".")[0] for one in modules}
        assert tops.isdisjoint({*NEVER, "regex", "sqlite3", "asyncio", "tomllib"}), name
        assert not {"zkit.text.lexis", "zkit.masking"}.intersection(modules), name


def test_strict_json_is_read_without_the_code_that_repairs() -> None:
    program = (
        "import sys; from zkit import repair_json; repair_json('[1]')\n"
        "print('zkit.repair.api' in sys.modules, repair_json('[1,]').value, 'zkit.repair.api' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["False", "[1]", "True"]


def test_calls_of_tools_that_are_data_are_found_without_loading_pydantic() -> None:
    program = (
        "import sys; from zkit import find_calls\n"
        "tools = [{'name': 'f', 'parameters': {'type': 'object', 'properties': {'a': {}}}}]\n"
        'text = \'<tool_call>{"name": "f", "arguments": {"a": 1}}</tool_call>\'\n'
        "print(len(find_calls(text, tools).calls), 'pydantic' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout.split() == ["1", "False"]
