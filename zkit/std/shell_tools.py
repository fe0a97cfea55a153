"""The tools that run commands: `bash`, and `bash_output` for those in the background."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from zkit.effects import ProcessEffect
from zkit.grade import Grade
from zkit.results import Refused, Validation
from zkit.std.bubblewrap import Sandbox
from zkit.std.processes import Background, Command, run, start
from zkit.std.std_tool import MAX_OUTPUT, Workspace, std_tool
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened

MAX_COMMAND = 20_000
MAX_SECONDS = 600
MAX_BACKGROUND = 16  # commands of one task that run at the same time
COMMAND = Grade(2, 3)  # a command executes, and can do anything that its boundary allows
_KEPT = (
    "PATH",
    "HOME",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TERM",
    "TZ",
    "USER",
    "LOGNAME",
    "VIRTUAL_ENV",
)


def command_environment() -> dict[str, str]:
    """Return the environment of commands: what programs need, without the secrets of this process."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {**kept, "PAGER": "cat", "GIT_PAGER": "cat", "GIT_TERMINAL_PROMPT": "0", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What a command wrote, how it ended, and whether anything confined it."""

    output: str
    exit_code: int | None
    confined: bool
    timed_out: bool = False
    seconds: float = 0.0
    id: str = ""
    running: bool = False

    def __str__(self) -> str:
        boundary = "confined by bubblewrap" if self.confined else "not confined: no boundary"
        if self.id:
            state = "running" if self.running else f"exit code: {self.exit_code}"
            head = f"id: {self.id}  {state}  ({boundary})"
        elif self.timed_out:
            head = f"timed out after {self.seconds} s and was killed  ({boundary})"
        else:
            head = f"exit code: {self.exit_code}  ({boundary})"
        return f"{head}\n{self.output}" if self.output else f"{head}\n(no output)"


def shell_tools(space: Workspace, sandbox: Sandbox) -> list[FunctionTool[..., Any]]:
    """Make the tools that run commands in a root."""
    jobs = Background()
    return [_bash(space.root, sandbox, jobs), _bash_output(jobs, sandbox.works)]


def _bash(root: Path, sandbox: Sandbox, jobs: Background) -> FunctionTool[..., Any]:
    confined = sandbox.works

    @std_tool(
        "process",
        grade=COMMAND,
        destructive=not confined,
        idempotent=False,
        timeout=MAX_SECONDS + 30.0,
        examples=[
            {"arguments": {"command": "make build", "timeout": 120}, "description": "Build it"},
            {
                "arguments": {"command": "python -m http.server 8000", "background": True},
                "description": "Start a server; read it with bash_output",
            },
        ],
        error_modes=[
            "denied: commands must be confined, and bubblewrap is not installed",
            "approval: a command without a boundary needs the consent of the operator",
        ],
    )
    def bash(
        command: Annotated[
            str, Field(min_length=1, max_length=MAX_COMMAND, description="The command, for bash.")
        ],
        context: Context,
        timeout: Annotated[
            float, Field(gt=0, le=MAX_SECONDS, description="Seconds until it is killed.")
        ] = 60,
        background: Annotated[
            bool, Field(description="Let it run on, and return an id at once.")
        ] = False,
    ) -> CommandResult:
        """Run a command in the workspace, and return its output and exit code.

        Standard output and errors come together. The command and everything that it started end
        with the call, unless it runs in the background; then it ends with the task.
        """
        arguments = _shell(command, sandbox, root)
        environment = command_environment()
        if not background:
            done = run(
                arguments,
                cwd=root,
                timeout=timeout,
                context=context,
                shown=command,
                environment=environment,
            )
            output = shortened(done.output, MAX_OUTPUT)
            return CommandResult(output, done.exit_code, confined, done.timed_out, done.seconds)
        if len(jobs.names(context)) >= MAX_BACKGROUND:
            raise Validation("background: too many commands are running. Stop one of them first.")
        started = start(arguments, cwd=root, shown=command, environment=environment)
        return _in_background(jobs, started, confined, context)

    return bash


def _shell(command: str, sandbox: Sandbox, root: Path) -> list[str]:
    """Return the arguments that run a command in a shell, confined if that works."""
    if sandbox.confine == "required" and not sandbox.works:
        raise Refused("commands must be confined here, and bubblewrap does not work")
    if "\0" in command:
        raise Validation("command: must not hold a NUL character.")
    shell = [shutil.which("bash") or "/bin/sh", "-c", command]
    return sandbox.wrap(shell, root) if sandbox.works else shell


def _in_background(
    jobs: Background, command: Command, confined: bool, context: Context
) -> CommandResult:
    """Keep a command that was started, and return its id."""
    name = jobs.add(command, context)
    context.record(ProcessEffect(command=command.shown, pid=command.process.pid, background=True))
    return CommandResult("", None, confined, id=name, running=True)


def _bash_output(jobs: Background, confined: bool) -> FunctionTool[..., Any]:
    @std_tool(
        "process",
        grade=COMMAND,
        idempotent=False,
        timeout=90.0,
        examples=[
            {"arguments": {"id": "b1", "wait": 2}, "description": "Read what it has written"},
            {"arguments": {"id": "b1", "stop": True}, "description": "Stop it"},
        ],
        error_modes=["not_found: no command of this task has that id"],
    )
    def bash_output(
        id: Annotated[str, Field(description="The id that bash returned.")],
        context: Context,
        wait: Annotated[
            float, Field(ge=0, le=60, description="Seconds to wait for it to end first.")
        ] = 0,
        stop: Annotated[bool, Field(description="Stop the command.")] = False,
    ) -> CommandResult:
        """Read what a background command has written since the last time, or stop it."""
        command = jobs.find(id, context)
        if command is None:
            known = ", ".join(jobs.names(context)) or "none"
            message = f'id: there is no command "{id}" in this task. Running: {known}.'
            raise Validation(message, code="not_found")
        _wait(jobs, id, wait, context)
        if stop:
            command.stop()
        return _report(jobs, id, command, confined, context)

    return bash_output


def _wait(jobs: Background, name: str, seconds: float, context: Context) -> None:
    """Wait for a command in small steps, so that a cancelled call ends."""
    left = seconds
    while left > 0:
        context.check()
        jobs.wait(name, min(left, 0.1))
        left -= 0.1
        found = jobs.find(name, context)
        if found is None or found.process.poll() is not None:
            break


def _report(
    jobs: Background, name: str, command: Command, confined: bool, context: Context
) -> CommandResult:
    code = command.process.poll()
    if code is not None:
        jobs.wait(name, 1.0)  # the rest of its output
        jobs.remove(name)
        command.sweep()
        context.record(
            ProcessEffect(
                command=command.shown, pid=command.process.pid, exit_code=code, background=True
            )
        )
    output = shortened(command.output.take(), MAX_OUTPUT)
    return CommandResult(output, code, confined, id=name, running=code is None)
