"""A user's case files are collected, run, updated and compared by pytest."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

pytest_plugins = ["pytester"]

CASES = """\
about = "what our model breaks"
kind = "extract"

[[tools]]
name = "get_weather"
parameters = { type = "object", properties = { city = { type = "string" } }, required = ["city"] }

# The one from Monday.
[[case]]
it = "find a call as a table"
text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo"}}</tool_call>'
calls = [{ name = "get_weather", arguments = { city = "Oslo" } }]

[[case]]
it = "find a call as JSON"  # and this stays
text = '<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'
calls = '[{"name": "get_weather", "arguments": {"city": "Oslo"}}]'
# The end.
"""
REPAIRS = """\
about = "values"

[[case]]
it = "read Python"
text = "{'a': None}"
json = '{"a": null}'

[[case]]
it = "leave this"
text = '{"a": 1}'
untouched = true
"""


@pytest.fixture
def pytester(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return pytester


def pytested(
    pytester: pytest.Pytester, *options: str, cases: str = "broken/*.toml"
) -> tuple[int, str]:
    """Run pytest on the folder: in this process, or in another one if that starts more of them."""
    pytester.makeini(f"[pytest]\nzkit_cases = {cases}\n")
    command = ["-p", "zkit.ext.pytest_plugin", "-rA", *options]
    if "--lf" not in options:
        command += ["-p", "no:cacheprovider"]
    if "-n" in options:
        done = pytester.runpytest_subprocess(*command, "-p", "xdist.plugin", timeout=300)
    else:
        done = pytester.runpytest_inprocess(*command)
    return int(done.ret), done.stdout.str() + done.stderr.str()


def project(pytester: pytest.Pytester, content: str = CASES) -> pytest.Pytester:
    (pytester.path / "broken").mkdir()
    (pytester.path / "broken" / "mine.toml").write_text(content, "utf-8")
    (pytester.path / "other.toml").write_text("a = 1\n", "utf-8")
    return pytester


def test_cases_are_items_with_file_and_line(pytester: pytest.Pytester) -> None:
    folder = project(pytester)
    code, out = pytested(folder, f"--junit-xml={pytester.path / 'report.xml'}")
    assert code == 1
    assert "1 failed, 1 passed" in out
    assert re.search(r"mine\.toml:14: it should find a call as JSON\n\s+calls: ", out)
    found = ElementTree.parse(pytester.path / "report.xml").iter("testcase")
    assert [one.get("name") for one in found] == ["find a call as a table", "find a call as JSON"]


def test_cases_are_selected_like_tests(pytester: pytest.Pytester) -> None:
    folder = project(pytester)
    assert "1 passed, 1 deselected" in pytested(folder, "-k", "table")[1]
    assert "1 failed" in pytested(folder, "--lf")[1]
    again = pytested(folder, "--lf")[1]
    assert "1 failed" in again
    assert "1 passed" not in again


@pytest.mark.slow
def test_workers_share_the_cases(pytester: pytest.Pytester) -> None:
    assert "1 failed, 1 passed" in pytested(project(pytester), "-n", "2")[1]


def test_an_update_writes_what_came_and_keeps_comments(pytester: pytest.Pytester) -> None:
    folder = project(pytester)
    code, _ = pytested(folder, "--zkit-update")
    assert code == 0
    made = (folder.path / "broken" / "mine.toml").read_text("utf-8")
    assert pytested(folder)[0] == 0
    for comment in ("# The one from Monday.", "# and this stays", "# The end."):
        assert comment in made
    assert made.startswith(CASES.split("# The one")[0])
    assert '"Rome"' in made.split("find a call as JSON")[1].split("calls = ")[1]


TABLES = """
[[case]]
it = "find two calls as tables"
text = '''
[[not a table]]
<tool_call>{"name": "get_weather", "arguments": {"city": "Bonn"}}</tool_call>
<tool_call>{"name": "get_weather", "arguments": {"city": "Rome"}}</tool_call>'''
# before the tables
[case.meta]
day = 3  # of the month
[[case.calls]]
# inside a table
name = "get_weather"
arguments = { city = "Oslo" }
[[case.calls]]
name = "get_weather"
[case.calls.arguments]
city = "Rome"

# Another one.
[[case]]
it = "stay"
text = "just talk"
untouched = true
"""


def test_an_update_keeps_calls_that_are_tables(pytester: pytest.Pytester) -> None:
    folder = project(pytester, CASES + TABLES)
    assert pytested(folder, "--zkit-update", "-k", "two and calls")[0] == 0
    assert "1 failed, 3 passed" in pytested(folder)[1]  # the others were not touched
    made = (folder.path / "broken" / "mine.toml").read_text("utf-8")
    assert made.startswith(CASES)
    assert made.count("[[case.calls]]") == 2
    assert re.findall(r"arguments = (.*)", made.split("[case.meta]")[1]) == [
        "{ city = 'Bonn' }",
        "{ city = 'Rome' }",
    ]
    assert made.count("[[not a table]]") == 2  # in the text, and now in the content
    for line in ("# before the tables", "# inside a table", "# Another one.", "day = 3  # of the month"):  # fmt: skip
        assert made.count(line) == 1
    assert made.endswith(TABLES[TABLES.index("\n# Another one.") :])


def test_a_file_that_cannot_be_read_says_where(pytester: pytest.Pytester) -> None:
    folder = project(pytester, CASES.replace("it = ", "if = ", 1))
    code, out = pytested(folder)
    assert code == 2
    assert "mine.toml:10: unknown key 'if'" in out


def test_another_decoder_is_compared(pytester: pytest.Pytester) -> None:
    folder = project(pytester, REPAIRS)
    code, out = pytested(folder, "--zkit-decoder", "json:loads")
    assert (code, "1 failed, 1 passed" in out) == (1, True)
    assert pytested(folder)[0] == 0
    file = folder.path / "broken" / "mine.toml"
    file.write_text(f'decoder = "json:loads"\n{REPAIRS}', "utf-8")
    assert "1 failed, 1 passed" in pytested(folder)[1]
    file.write_text(REPAIRS.replace('it = "leave', 'decoder = "json:loads"\nit = "leave'), "utf-8")
    assert pytested(folder)[0] == 0
    code, out = pytested(folder, "--zkit-decoder", "json")
    assert "write it as package:function" in out


def test_the_scripted_server_is_a_fixture(pytester: pytest.Pytester) -> None:
    (pytester.path / "test_mine.py").write_text(
        "from openai import OpenAI\n"
        "from zkit.testing import says\n"
        "def test_it(zkit_server):\n"
        "    zkit_server.play(says('Hi'))\n"
        "    with OpenAI(base_url=zkit_server.url, api_key='none') as client:\n"
        "        made = client.chat.completions.create(model='m', messages=[])\n"
        "    assert made.choices[0].message.content == 'Hi'\n",
        "utf-8",
    )
    assert pytested(pytester)[0] == 0
