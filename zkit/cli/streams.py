"""Files and pipes in, text out: how the commands read and write, and fail in one line."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

TERMINAL_HINT = "zkit: reading from the terminal; end with Ctrl-D (or pipe a text in)"


class BadUsageError(click.ClickException):
    """What the user asked for cannot be done as asked; one line, exit code 2."""

    exit_code = 2


def tell_mistake(error: click.ClickException) -> None:
    """Print what was asked wrongly on standard error, in the one form that all of it has."""
    context = getattr(error, "ctx", None)
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        click.echo(error.format_message(), err=True)
        return
    if isinstance(error, click.UsageError) and context is not None:
        click.echo(context.get_usage(), err=True)
        click.echo(f"Try '{context.command_path} --help' for help.\n", err=True)
    click.echo(f"zkit: {error.format_message()}", err=True)


def read_input(path: str) -> str:
    """Return the text of the file, or of standard input when the path is `-`."""
    if path != "-":
        return read_text(path)
    if sys.stdin.isatty():
        click.echo(TERMINAL_HINT, err=True)
    return decode(sys.stdin.buffer.read(), name_of(path))


def name_of(path: str) -> str:
    """Return what messages call an input: the path of the file, or standard input."""
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
    return decode(data, path)


def decode(data: bytes, source: str) -> str:
    """Read bytes as UTF-8, or name the byte that is not."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        byte = data[error.start]
        raise BadUsageError(f"{source}: not UTF-8 (byte 0x{byte:02x} at {error.start})") from error


def read_schema(path: str) -> dict[str, Any]:
    """Return the JSON Schema in the file."""
    try:
        schema = json.loads(read_text(path).removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        raise BadUsageError(f"{path}: not a JSON Schema: {error}") from error
    if not isinstance(schema, dict):
        raise BadUsageError(f"{path}: not a JSON Schema: its root must be an object")
    return schema


def write_line(text: str) -> None:
    """Print one text on standard output as UTF-8, whatever the locale.

    A lone surrogate becomes its escape, which inside a JSON string means the same. A reader that
    left early is no error of ours.
    """
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
    """Send the rest of standard output nowhere, so that the final flush cannot fail either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
