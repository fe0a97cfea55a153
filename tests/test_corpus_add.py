"""`zkit corpus add`: a failure becomes a case that holds, without secrets, with the damage left in."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from command_line import ZKIT, zkit
from hypothesis import given
from hypothesis import strategies as st

from zkit.calls import Call
from zkit.cases import Case, DecodeCase, ExtractCase, RepairCase, load, run, shipped_corpus
from zkit.cases.decode_cases import NOT_GIVEN
from zkit.cases.draft import Draft, ShapeLostError, proposed, redacted, sentence
from zkit.cases.writing import add_case, without_null
from zkit.extract import render_call
from zkit.masking import masked, secrets_in, shortened, without_secrets
from zkit.transcripts import Ended, Header, Received, Request, Response, TranscriptWriter

BROKEN = "{'path': 'a.txt', 'lines': 3,}"
SCHEMA = {
    "type": "object",
    "properties": {"path": {"type": "string"}, "lines": {"type": "integer"}},
    "required": ["path"],
}
TOOLS = [{"type": "function", "function": {"name": "head", "parameters": SCHEMA}}]


def written(path: Path, data: Any) -> Path:
    path.write_text(data if isinstance(data, str) else json.dumps(data), "utf-8")
    return path


# secrets

SECRETS = {
    "sk-proj-abcDEF1234567890abcdefGH": "key",
    "ghp_16C7e42F292c6912E7710c838347Ae178B4a": "key",
    "AKIAIOSFODNN7EXAMPLE": "key",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N": "token",
    "ann.lee+test@mail.example.org": "e-mail address",
    "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b": "random word",
    "bPxRfiCYEXAMPLEKEY1wJalrXUtnFEMI7MDENG": "random word",
}
AROUND = ["{0}", '{{"note": "{0}"}}', "see {0}, please", "'{0}'", "[{0}]", "{0}\\n{0}"]


@pytest.mark.parametrize("secret", SECRETS)
@pytest.mark.parametrize("around", AROUND)
def test_a_secret_is_found_wherever_it_stands(secret: str, around: str) -> None:
    text = around.format(secret)
    assert SECRETS[secret] in {one.kind for one in secrets_in(text)}
    clean = without_secrets(text)
    assert secret not in clean
    assert len(clean) == len(text)


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ('{"password": "hunter2!"}', '{"password": "xxxxxx0!"}'),
        ("{'api_key': 'abcd1234'}", "{'api_key': 'xxxx0000'}"),
        ('{\\"token\\": \\"abcd\\"}', '{\\"token\\": \\"xxxx\\"}'),
        ("DB_PASSWORD=geheim99 run", "DB_PASSWORD=xxxxxx00 run"),
        ("Authorization: Bearer abc.def-123", "Authorization: Bearer xxx.xxx-000"),
        ("https://ann:geheim@example.org/x", "https://ann:xxxxxx@xxxxxxx.xxx/x"),
        ("/home/ann/notes/a.md", "/home/xxx/notes/a.md"),
        ("/Users/Ann/notes", "/Users/Xxx/notes"),
        ("C:\\\\Users\\\\Ann\\\\notes", "C:\\\\Users\\\\Xxx\\\\notes"),
        (f"{Path.home()}/x", f"{masked(str(Path.home()))}/x"),
        ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----", "-----BEGIN RSA PRIVATE KEY-----\nXXXX\n-----"),
    ],
)  # fmt: skip
def test_what_is_masked_keeps_its_shape(text: str, clean: str) -> None:
    assert without_secrets(text) == clean


@pytest.mark.parametrize(
    "text",
    [
        '{"tokens": 5, "path": "src/zkit/cases/masking.py"}',
        "get_weather(city='Oslo')",
        "tokenise the text and count the author's words",
        "https://example.org/a/very/long/path/that/is/no/secret/at/all",
        "a_function_name_that_is_very_long_indeed_but_no_secret",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert without_secrets(text) == text


MARKS = re.compile(r"[\W_]")


@pytest.mark.slow
@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*SECRETS, *"{}[]\"',:\\\n <>", "password: "])).map("".join)
)
def test_masking_keeps_every_mark_and_is_done_once(text: str) -> None:  # fmt: skip
    clean = without_secrets(text)
    assert len(clean) == len(text)
    assert [c for c in clean if not c.isalnum()] == [c for c in text if not c.isalnum()]


def test_long_runs_of_words_are_cut_short() -> None:
    words = "all work and no play " * 20
    text = f'{{"note": "{words}", "n": 1,}}'
    short = redacted(Draft("repair", text)).text
    assert len(short) < 120
    assert " … " in short
    assert proposed(Draft("repair", short))["fixes"] == ["drop_trailing_comma"]
    assert shortened(text, lambda tried: False) == text


def test_a_text_whose_damage_would_not_survive_is_refused() -> None:
    """An enum that is no address any more when it is masked."""
    schema = {"type": "object", "properties": {"to": {"enum": ["ann@example.org"]}}}
    draft = Draft("decode", '{"to": "ann@example.org",}', schema)
    assert proposed(redacted(draft))["rank"] == "RESPELL"  # the schema is masked alike
    fixed = {"type": "object", "properties": {"to": {"type": "string", "pattern": "^ann@"}}}
    with pytest.raises(ShapeLostError, match="e-mail address"):
        redacted(replace(draft, schema=fixed))


# every case of our own corpus could have been added


def draft_of(case: Case) -> Draft | None:
    if isinstance(case, DecodeCase):
        if case.value is not NOT_GIVEN:
            return None
        return Draft("decode", case.text, case.schema, (), case.finish_reason, case.limit)
    if isinstance(case, ExtractCase):
        return Draft("extract", case.text, None, case.toolset, case.finish_reason)
    assert isinstance(case, RepairCase)
    return Draft("repair", case.text, case.schema, (), case.finish_reason, case.limit)


SHIPPED = [case for case in load([shipped_corpus()]) if not case.beyond]
SOME = SHIPPED[::7]


def test_what_zkit_makes_of_its_own_corpus_can_be_added_again(tmp_path: Path) -> None:
    """Whatever the text: it is written, read again as it was, and holds."""
    for number, case in enumerate(SOME):
        draft = draft_of(case)
        if draft is None or any("\ud800" <= one <= "\udfff" for one in case.text):
            continue
        expects = proposed(draft)
        added = add_case(tmp_path / f"{number}.toml", draft, sentence(draft, expects), expects)
        assert added.text == case.text
        assert run(added).passes


@pytest.mark.slow
def test_redaction_keeps_the_outcome_of_our_own_corpus() -> None:
    for case in SOME:
        draft = draft_of(case)
        if draft is None:
            continue
        try:
            clean = redacted(draft)
        except ShapeLostError:
            assert secrets_in(case.text)
            continue
        before, after = proposed(draft), proposed(clean)
        assert before.keys() == after.keys()
        assert before.get("fixes") == after.get("fixes")
        assert secrets_in(clean.text) == secrets_in(without_secrets(clean.text))


def test_null_is_said_otherwise_in_a_schema() -> None:
    schema = {"enum": ["a", None], "default": None, "anyOf": [{"const": None}, {"type": "string"}]}
    made = json.loads(json.dumps(without_null(schema)))
    assert None not in made.values()
    assert made["anyOf"][1] == {"type": "null"}


# the command


def test_a_text_becomes_a_case_that_holds(tmp_path: Path) -> None:
    done = zkit("corpus", "add", "--yes", given=BROKEN, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    said = "use double quotes and drop trailing comma"
    assert done.out == f"cases/repair.toml:4: it should {said} (it holds)\n"
    text = (tmp_path / "cases/repair.toml").read_text("utf-8")
    assert text == (
        'about = "recorded failures"\n'
        "kind = 'repair'\n\n"
        "[[case]]\n"
        f"it = '{said}'\n"
        f"text = '''\n{BROKEN}'''\n"
        """json = '{"path": "a.txt", "lines": 3}'\n"""
        "rank = 'RESPELL'\n"
        "fixes = ['use_double_quotes', 'use_double_quotes', 'use_double_quotes',"
        " 'drop_trailing_comma']\n"
    )
    assert zkit("corpus", "run", "cases", cwd=tmp_path).code == 0


def test_cases_of_each_kind_share_what_they_can(tmp_path: Path) -> None:
    schema, tools = written(tmp_path / "s.json", SCHEMA), written(tmp_path / "t.json", TOOLS)
    reply = render_call(Call("head", {"path": "a"}), "hermes_json")
    for text in (BROKEN, '{"path": 1}'):
        assert zkit("corpus", "add", "-y", "--schema", schema, given=text, cwd=tmp_path).code == 0
    for text in (reply, reply.replace('"a"', "'a'"), "No call."):
        assert zkit("corpus", "add", "-y", "--tools", tools, given=text, cwd=tmp_path).code == 0
    files = {path.name: path.read_text("utf-8") for path in (tmp_path / "cases").iterdir()}
    assert set(files) == {"decode.toml", "extract.toml"}
    assert files["decode.toml"].count("[schemas.") == 1
    assert files["extract.toml"].count("[[tools.") == 1
    cases = load([tmp_path / "cases"])
    assert [type(case) for case in cases] == [DecodeCase] * 2 + [ExtractCase] * 3
    assert all(run(case).passes for case in cases)


CALL = 'Sure. <tool_call>{"name": "head", "arguments": {"path": "a"}}</tool_call>'


@pytest.mark.parametrize("text", [CALL, '{"name": "head", "arguments": {"path": "a"},}'])
def test_a_call_is_not_filed_without_its_tools(tmp_path: Path, text: str) -> None:
    done = zkit("corpus", "add", "-y", given=text, cwd=tmp_path)
    assert done.code == 2
    assert "the text holds a tool call: give --tools FILE" in done.err
    assert not (tmp_path / "cases").exists()
    assert zkit("corpus", "add", "-y", "--kind", "repair", given=text, cwd=tmp_path).code == 0


def test_a_duplicate_is_noticed(tmp_path: Path) -> None:
    for _ in range(2):
        done = zkit("corpus", "add", "-y", "--it", "read it", given=BROKEN, cwd=tmp_path)
    assert (done.code, done.out) == (1, "")
    assert done.err == "zkit: is there already: cases/repair.toml:4 it should read it\n"
    assert len(load([tmp_path / "cases"])) == 1
    other = zkit("corpus", "add", "-y", "--it", "read it", given=BROKEN + " ", cwd=tmp_path)
    assert "it should read it (2)" in other.out


def test_what_is_not_done_right_yet_is_kept_beyond(tmp_path: Path) -> None:
    done = zkit("corpus", "add", "--expect", '{"a": 2}', given='{"a": 1,}', cwd=tmp_path)
    assert done.code == 0
    assert done.out.startswith("cases/beyond/repair.toml:4: ")
    assert done.out.endswith("(a known failure, kept until it holds)\n")
    [case] = load([tmp_path / "cases"])
    assert case.beyond
    assert run(case).passes


@pytest.mark.parametrize(
    ("expect", "text", "keys"),
    [
        ('{"a":1}', '{"a": 1,}', {"json", "rank", "fixes"}),
        ("untouched", '{"a": 1}', {"untouched"}),
        ("refused", "no JSON here", {"refused"}),
        ("refused:no_json", "no JSON here", {"refused"}),
    ],
)
def test_an_expectation_that_holds_goes_with_the_receipt(
    expect: str, text: str, keys: set[str], tmp_path: Path
) -> None:
    assert zkit("corpus", "add", "--expect", expect, given=text, cwd=tmp_path).code == 0
    written_as = (tmp_path / "cases/repair.toml").read_text("utf-8")
    assert {line.split(" = ")[0] for line in written_as.splitlines()} >= keys


@pytest.mark.parametrize(
    ("args", "said"),
    [
        ([], "nobody to ask: say --yes if today's outcome is right, or --expect WHAT"),
        (["--kind", "decode", "-y"], "a case of decode needs --schema FILE"),
        (["--kind", "extract", "-y"], "a case of extract needs --tools FILE"),
        (["--expect", "{oops"], "what must come of it: json is not JSON"),
        (["--expect", "refused:nonsense"], "what must come of it: refused 'nonsense' is no reason"),
        (["--to", "cases.yaml", "-y"], "cases.yaml: a case file ends in .toml"),
        (["--pick", "2", "-y"], "--pick is for transcripts"),
        (["nowhere.txt", "-y"], "nowhere.txt: No such file or directory"),
    ],
)
def test_bad_usage_says_what_to_do(args: list[str], said: str, tmp_path: Path) -> None:
    done = zkit("corpus", "add", *args, given=BROKEN, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"zkit: {said}")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    zkit("corpus", "add", "-y", "--to", path, given=BROKEN)
    before = path.read_bytes()
    schema = written(tmp_path / "s.json", SCHEMA)
    done = zkit("corpus", "add", "-y", "--to", path, "--schema", schema, given=BROKEN + "\n")
    assert done.code == 1
    assert "holds cases of repair, not of decode; name another file" in done.err
    assert path.read_bytes() == before


def test_secrets_do_not_reach_the_file(tmp_path: Path) -> None:
    text = "{'key': 'sk-proj-abcDEF1234567890abcdefGH', 'to': 'ann@example.org',}"
    assert zkit("corpus", "add", "-y", given=text, cwd=tmp_path).code == 0
    [case] = load([tmp_path / "cases"])
    assert case.text == "{'key': 'xx-xxxx-xxxXXX0000000000xxxxxxXX', 'to': 'xxx@xxxxxxx.xxx',}"
    kept = zkit("corpus", "add", "-y", "--no-redact", "--to", "all", given=text, cwd=tmp_path)
    assert kept.code == 0
    assert load([tmp_path / "all"])[0].text == text


# transcripts


def transcript(path: Path, *bodies: tuple[str, bytes]) -> Path:
    writer = TranscriptWriter(path, Header("small-model"))
    for number, (content_type, body) in enumerate(bodies, 1):
        writer.write(Request(number, {"model": "m", "tools": TOOLS, "messages": []}))
        writer.write(Response(number, 200, content_type))
        writer.write(Received.of(number, body[: len(body) // 2]))
        writer.write(Received.of(number, body[len(body) // 2 :]))
        writer.write(Ended(number))
    writer.close()
    return path


def completion(message: dict[str, Any], finish: str = "stop") -> tuple[str, bytes]:
    body = {"choices": [{"index": 0, "message": message, "finish_reason": finish}]}
    return "application/json", json.dumps(body).encode()


def streamed(*deltas: dict[str, Any]) -> tuple[str, bytes]:
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks]
    return "text/event-stream", "".join([*lines, "data: [DONE]\n\n"]).encode()


def native(arguments: str) -> dict[str, Any]:
    function = {"name": "head", "arguments": arguments}
    return {"tool_calls": [{"index": 0, "id": "c", "type": "function", "function": function}]}


REPLY = '<tool_call>\n{"name": "head", "arguments": {"path": "a",}}\n</tool_call>'


def test_a_transcript_gives_what_had_to_be_repaired(tmp_path: Path) -> None:
    path = transcript(
        tmp_path / "chat.jsonl",
        completion(native('{"path": "fine"}'), "tool_calls"),
        streamed(native("{'path': "), {"tool_calls": [{"index": 0, "function": {"arguments": "'a'}"}}]}),
        completion({"content": "Just an answer."}),
        completion({"content": REPLY}),
        streamed({"content": REPLY[:30]}, {"content": REPLY[30:]}),
        completion(native('{"path": "cut of'), "length"),
    )  # fmt: skip
    done = zkit("corpus", "add", path, "-y", cwd=tmp_path)
    assert done.code == 2
    listed = done.err.splitlines()
    assert listed[0] == f"zkit: {path} has 3 failures:"
    assert listed[1] == "  1  decode, use double quotes: {'path': 'a'}"
    assert (
        listed[2]
        == f"  2  extract, find the call of head in hermes_json: {' '.join(REPLY.split())[:59]}…"
    )
    assert listed[3] == '  3  decode, refuse what is truncated: {"path": "cut of'
    assert listed[4] == "zkit: say which with --pick N"
    for pick in "123":
        done = zkit("corpus", "add", path, "-y", "--pick", pick, "--json", cwd=tmp_path)
        assert done.code == 0
        assert json.loads(done.out)["beyond"] is False
    cases = load([tmp_path / "cases"])
    assert [case.source for case in cases] == ["small-model, recorded by zkit chat"] * 3
    assert all(run(case).passes for case in cases)
    assert zkit("corpus", "add", path, "-y", "--pick", "9", cwd=tmp_path).code == 2


# a person at a terminal


def typed(cwd: Path, *answers: str, text: str = BROKEN) -> tuple[int, str]:
    """Run `zkit corpus add` on a terminal, and type an answer at each prompt."""
    file = written(cwd / "reply.txt", text)
    main, terminal = pty.openpty()
    process = subprocess.Popen(
        [*ZKIT, "corpus", "add", str(file)],
        stdin=terminal, stdout=terminal, stderr=terminal, cwd=cwd, close_fds=True,
    )  # fmt: skip
    os.close(terminal)
    screen, waiting = "", list(answers)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            read = os.read(main, 65536)
        except OSError:
            break
        if not read:
            break
        screen += read.decode("utf-8")
        if waiting and screen.endswith(("]: ", "on offer: ")):
            screen += "\n"
            os.write(main, f"{waiting.pop(0)}\n".encode())
    os.close(main)
    return process.wait(), screen


def test_a_person_confirms_what_is_proposed(tmp_path: Path) -> None:
    code, screen = typed(tmp_path, "y", "read a Python dict")
    assert code == 0
    assert """json = '{"path": "a.txt", "lines": 3}'""" in screen
    [case] = load([tmp_path / "cases"])
    assert case.it == "read a Python dict"


def test_a_person_corrects_what_is_proposed(tmp_path: Path) -> None:
    code, screen = typed(tmp_path, "{oops", "refused", "")
    assert code == 0
    assert "what must come of it: json is not JSON" in screen
    [case] = load([tmp_path / "cases"])
    assert isinstance(case, RepairCase)
    assert (case.beyond, bool(case.refused)) == (True, True)


def test_a_person_is_asked_for_the_tools_of_a_call(tmp_path: Path) -> None:
    written(tmp_path / "t.json", TOOLS)
    code, screen = typed(tmp_path, "t.json", "y", "find the call", text=CALL)
    assert code == 0
    assert "JSON file with the tools that were on offer" in screen
    [case] = load([tmp_path / "cases"])
    assert isinstance(case, ExtractCase)
    assert case.it == "find the call"


def test_a_person_wants_no_case(tmp_path: Path) -> None:
    code, _ = typed(tmp_path, "n")
    assert code == 1
    assert not (tmp_path / "cases").exists()


LEAKS = {
    "basic": ("Authorization: Basic YW5uOmh1bnRlcjI=", "YW5uOmh1bnRlcjI"),
    "query": ("https://maps.example.org/x?key=abc123def456&q=1", "abc123def456"),
    "signature": ("https://x.example.org/a?b=1&sig=Zm9vYmFy%2Bx", "Zm9vYmFy"),
    "cookie": ("Cookie: session=abcdef; theme=dark", "abcdef"),
    "phrase": ('{"password": "correct horse battery"}', "horse"),
    "at": ("postgres://ann:p@ss@db.example.org/x", "p@ss"),
    "headers": (
        "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEabc\n-----END", "MIIEabc"
    ),
    "pgp": ("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF\n-----END", "lQOYBF"),
    "newer": ("github_pat_11ABCDEFG0123456789abc", "11ABCDEFG"),
    "split": ("sk-proj-abcDEF12\\n34567890abcdefGH", "34567890abcdefGH"),
    "escaped": ("sk-proj-abc\\u0044EF1\\u003234abcdefGH", "234abcdefGH"),
    "random": ("value Zk3vQ9xT7bLm2RwY8pHs4NcF6", "Lm2RwY8"),
    "wrapped": ("ghp_16C7e42F292c\n6912E7710c838347Ae178B4a", "6912E7710c83"),
    "encoded": ("c2stcHJvai1hYmNERUYxMjM0NTY3ODkwYWJjZGVmR0g=", "c2stcHJvai1hYmN"),
    "card": ("pay with 4111 1111 1111 1111 now", "4111 1111"),
    "phone": ("call +47 22 33 44 55", "22 33 44"),
}  # fmt: skip


@pytest.mark.parametrize("leak", LEAKS)
def test_what_leaked_is_masked(leak: str) -> None:
    text, secret = LEAKS[leak]
    clean = without_secrets(text)
    assert secret not in clean
    assert len(clean) == len(text)


def test_every_field_is_masked_and_the_file_is_the_owners(tmp_path: Path) -> None:
    secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
    draft = redacted(Draft("repair", "{'a': 1}", source=f"from {secret}", finish_reason="stop"))
    assert secret not in draft.source
    path = tmp_path / "mine.toml"
    add_case(path, draft, "read it", proposed(draft))
    assert path.stat().st_mode & 0o777 == 0o600
