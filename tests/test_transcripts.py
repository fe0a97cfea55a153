"""Transcripts: what was written is read again, whatever the bytes, and secrets are never in it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from zkit.cli.chat import command
from zkit.transcripts import (
    HIDDEN,
    VERSION,
    Emitted,
    Ended,
    Header,
    Interrupted,
    Received,
    Record,
    Redaction,
    Request,
    Response,
    Shown,
    TranscriptError,
    TranscriptWriter,
    Typed,
    read_transcript,
)

HEADER = Header("m", "http://localhost/v1", columns=100, colour=True)
KEY = 'sk-"quoted\\key'


def written(path: Path, *records: Record, secrets: tuple[str, ...] = ()) -> Path:
    writer = TranscriptWriter(path, HEADER, Redaction(secrets))
    for record in records:
        writer.write(record)
    writer.close()
    return path


def test_what_was_written_is_read_again(tmp_path: Path) -> None:
    records = (
        Typed("hello"),
        Emitted({"kind": "text_delta", "text": "hi"}),
        Shown("hi"),
        Interrupted(),
    )
    found = read_transcript(written(tmp_path / "t.jsonl", *records))
    assert found.header == HEADER
    assert [(line.number, line.record) for line in found.lines] == list(enumerate(records, 2))
    assert not found.torn


@given(st.lists(st.binary(max_size=40), max_size=6))
def test_bytes_come_back_as_they_were(chunks: list[bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        received = [Received.of(1, chunk) for chunk in chunks]
        path = written(
            Path(folder) / "t", Request(1, {"a": 1}), Response(1, 200), *received, Ended(1)
        )
        (exchange,) = read_transcript(path).exchanges()
    assert exchange.body == b"".join(chunks)
    assert exchange.complete


def test_an_answer_that_broke_off_is_not_complete(tmp_path: Path) -> None:
    path = written(tmp_path / "t", Request(1, {}), Response(1, 200), Ended(1, "ReadError"))
    assert not read_transcript(path).exchanges()[0].complete


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
)


@given(JSON, st.sampled_from([{"a": [KEY]}, {KEY: 1}, [f"x{KEY}y"], {"a": {"b": f"{KEY}{KEY}"}}]))
def test_no_secret_is_written_at_any_depth(beside: Any, hiding: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        told = Emitted({"beside": beside, "hiding": hiding})
        path = written(Path(folder) / "t", told, secrets=(KEY,))
        event = next(iter(read_transcript(path).events()))
    assert KEY not in json.dumps(event)
    assert json.dumps(KEY)[1:-1] not in json.dumps(event)
    assert HIDDEN in json.dumps(event)
    assert event["beside"] == beside


def test_a_secret_in_bytes_is_hidden_and_its_beginning_is_held_back() -> None:
    redaction = Redaction(["sk-12345678"])
    assert redaction.raw(b"key sk-12345678.") == b"key [secret]."
    assert redaction.held(b"... sk-123") == 6
    assert redaction.held(b"... sk-124") == 0
    assert redaction.held(b"sk-12345678") == 0


def test_a_short_word_is_no_secret() -> None:
    assert Redaction(["none", ""]).text("none") == "none"


def test_a_torn_last_line_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "t", Typed("a"), Typed("b"))
    path.write_bytes(path.read_bytes()[:-5])
    found = read_transcript(path)
    assert [line.record for line in found.lines] == [Typed("a")]
    assert found.torn


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "does not begin with a header"),
        ('{"kind": "typed", "text": "a"}\n', "does not begin with a header"),
        (json.dumps({"kind": "header", "model": "m", "version": VERSION + 1}) + "\n", "version 2"),
        ('{"kind": "header", "model": "m"}\n[]\n', ":2: not a line of a transcript"),
        ('{"kind": "header", "model": "m"}\n{"kind": "odd"}\n', ":2: not a line of a transcript"),
        ('{"kind": "header", "model": "m"}\n' + "[" * 100_000 + "\n", ":2: not a line"),
    ],
)
def test_what_is_no_transcript_is_refused_with_its_place(
    tmp_path: Path, text: str, says: str
) -> None:
    (tmp_path / "t").write_text(text)
    with pytest.raises(TranscriptError, match=says):
        read_transcript(tmp_path / "t")


def test_a_file_that_is_there_is_not_overwritten(tmp_path: Path) -> None:
    written(tmp_path / "t")
    with pytest.raises(TranscriptError, match="is there already"):
        TranscriptWriter(tmp_path / "t", HEADER)


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    assert stat.S_IMODE(written(tmp_path / "t").stat().st_mode) == 0o600


def test_a_killed_process_loses_no_line(tmp_path: Path) -> None:
    code = f"""
import os, signal
from zkit.transcripts import Header, Shown, TranscriptWriter
writer = TranscriptWriter({str(tmp_path / "t")!r}, Header("m"))
for number in range(1000):
    writer.write(Shown(str(number)))
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ))
    assert done.returncode == -signal.SIGKILL
    lines = read_transcript(tmp_path / "t").lines
    assert [line.record for line in lines] == [Shown(str(number)) for number in range(1000)]


SAMPLES: tuple[Record, ...] = (
    HEADER,
    Typed("hello"),
    Request(1, {"messages": [{"role": "user", "content": "hello"}]}),
    Response(1, 200, "text/event-stream"),
    Received.of(1, b"data: hi"),
    Received.of(1, b"\xff"),
    Ended(1),
    Emitted({"kind": "text_delta", "text": "hi"}),
    Shown("hi"),
)


@given(st.data())
def test_no_damage_to_a_transcript_raises_anything_else(data: st.DataObject) -> None:
    """A random value at a random place of a random record."""
    lines = [one.to_dict() for one in SAMPLES]
    at: Any = data.draw(st.sampled_from(lines))
    while True:
        key = data.draw(st.sampled_from(list(at) if isinstance(at, dict) else range(len(at))))
        if not isinstance(at[key], dict | list) or not at[key]:
            break
        at = at[key]
    at[key] = data.draw(st.sampled_from([None, -1, "x", [], {}, 10**12, True, "\ud800", [[]]]))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "t.jsonl"
        path.write_text("".join(json.dumps(line) + "\n" for line in lines), "ascii")
        with contextlib.suppress(TranscriptError):
            read_transcript(path).exchanges()


def test_a_pipe_is_no_transcript(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t")
    with pytest.raises(TranscriptError, match="not a plain file"):
        read_transcript(tmp_path / "t")


TAMPERED: dict[str, dict[str, Any]] = {
    "no options": {"options": {}},
    "an odd approver": {"options": {"approve": "perhaps"}},
    "a resumed run of the wrong kind": {"options": {"resumed": {"version": 2}}},
    "a profile of the wrong kind": {"options": {"profile": []}},
    "marks of the wrong kind": {"options": {"marks": "x"}},
}


@pytest.mark.parametrize("name", TAMPERED)
def test_a_replay_of_a_tampered_header_ends_in_one_line(name: str, tmp_path: Path) -> None:
    usual = {
        "approve": "ask",
        "max_turns": 3,
        "profile": {"version": 1},
        "marks": "ascii",
        "store": "",
        "resumed": None,
        "can_ask": False,
    }
    given = TAMPERED[name]["options"]
    header = Header("m", once="?", options={**usual, **given} if given else {})
    TranscriptWriter(tmp_path / "t", header).close()
    result = CliRunner().invoke(command, ["--replay", str(tmp_path / "t")])
    assert result.exit_code == 2
    assert result.stderr.startswith(("Error: ", "zkit: "))
    assert isinstance(result.exception, SystemExit)
