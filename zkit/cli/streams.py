"""Input, output and errors of the commands. A terminal obeys what is written to it: escape
sequences and OSC clear the screen, change its title or fill the clipboard; C1 controls such as
U+009B do the same in one character; marks of bidirectional text make a line read differently from
what it says. All of them are shown as visible escapes. Output goes through this module or through
`Screen`: `printable` for text that the command did not write itself, `printable_json` where the
output is JSON.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import click

from zkit.json_types import JsonObject

TERMINAL_HINT = "zkit: reading from the terminal; end with Ctrl-D (or pipe a text in)"


class BadUsageError(click.ClickException):
    """The command line is wrong; one line, exit code 2."""

    exit_code = 2


def tell_mistake(error: click.ClickException) -> None:
    """Print a mistake in the command line on standard error, in a uniform way."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(printable(error.format_message()), err=True)
        return
    if isinstance(error, click.UsageError) and context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    tell(error.format_message())


def tell(message: object) -> None:
    """Print a message on standard error."""
    click.echo(f"zkit: {printable(message)}", err=True)


def tell_lines(lines: Iterable[str]) -> None:
    """Print lines on standard error, in colour on a terminal; `styled` makes their parts safe."""
    colour = False if os.environ.get("NO_COLOR") else None
    click.echo("\n".join(lines), err=True, color=colour)


def write_styled(line: str) -> None:
    """Print a line whose parts came from `styled` on standard output, in colour on a terminal."""
    click.echo(line, color=False if os.environ.get("NO_COLOR") else None)


def styled(text: object, colour: str | None = None, *, bold: bool = False) -> str:
    """Return text that is safe on a terminal, in a colour if one is given."""
    shown = printable(text)
    return click.style(shown, fg=colour, bold=bold) if colour or bold else shown


def read_input(path: str) -> str:
    """Return the text of the file, or of standard input when the path is `-`."""
    if path != "-":
        return read_text(path)
    if sys.stdin.isatty():
        click.echo(TERMINAL_HINT, err=True)
    return decode_text(sys.stdin.buffer.read(), name_of(path))


def name_of(path: str) -> str:
    """Return the name of an input for messages: the path of the file, or standard input."""
    return "standard input" if path == "-" else path


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: `1 change`, `2 changes`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def read_text(path: str) -> str:
    """Return the text of the file exactly as it is, line ends included."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadUsageError(f"{path}: {error.strerror}") from error
    return decode_text(data, path)


def decode_text(data: bytes, source: str) -> str:
    """Read bytes as UTF-8, or name the byte that is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise BadUsageError(f"{source}: not UTF-8 (byte 0x{byte:02x} at {error.start})") from error


def read_schema(path: str) -> JsonObject:
    """Return the JSON Schema in the file."""
    try:
        schema = json.loads(read_text(path).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadUsageError(f"{path}: not a JSON Schema: {error}") from error
    if not isinstance(schema, dict):
        raise BadUsageError(f"{path}: not a JSON Schema: its root must be an object")
    return schema


def write_line(text: object) -> None:
    """Print a text on standard output; what could control a terminal becomes a visible escape."""
    _write(printable(text))


def write_json(text: str) -> None:
    """Print JSON on standard output; what could control a terminal is escaped in its strings."""
    _write(printable_json(text))


def _write(text: str) -> None:
    """Print one text as UTF-8, whatever the locale. It is not an error if the reader has left."""
    try:
        sys.stdout.buffer.write(f"{text}\n".encode("utf-8", "backslashreplace"))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        silence_stdout()


def open_closed_streams() -> None:
    """Give a process that was started without standard streams empty ones."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115


def silence_stdout() -> None:
    """Discard the rest of standard output, so that the final flush cannot fail either."""
    with suppress(io.UnsupportedOperation):  # a stream in memory cannot fail
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


# C0 without tab and newline, DEL and C1, line and paragraph separators, bidirectional marks,
# embeddings, overrides and isolates, lone surrogates (which cannot be encoded), interlinear
# annotations, and tag characters (invisible text that a model reads and a person does not).
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f"
    "\ud800-\udfff\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def printable(text: object) -> str:
    """Return the text with every character that could control a terminal as a visible escape.

    Newlines and tabs stay; a Windows line end becomes a newline.
    """
    return _UNSAFE.sub(_escape, str(text).replace("\r\n", "\n"))


def printable_line(text: object, room: int | None = None) -> str:
    """Return the text on one line, blanks collapsed, cut to `room` characters if given."""
    given = str(text)
    head = given if room is None else given[: room * 8]
    flat = " ".join(printable(head).split())
    if room is None or (len(flat) <= room and len(head) == len(given)):
        return flat
    return f"{flat[: max(1, room - 1)]}…"


def printable_json(text: str) -> str:
    """Return JSON text with the unsafe characters of its strings as `\\uXXXX`: the value is the same.

    A carriage return can only stand between tokens; alone, it becomes a newline.
    """
    return "\r\n".join(
        _UNSAFE.sub(_json_escape, part.replace("\r", "\n")) for part in text.split("\r\n")
    )


def is_printable(text: str) -> bool:
    """True if the text holds nothing that could control a terminal."""
    return _UNSAFE.search(text) is None


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _json_escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code < 0x10000:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"
