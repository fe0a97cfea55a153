"""The tool `git_manager`: the everyday commands of git, as argument lists and never by a shell."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import Field

from zkit.grade import WRITE
from zkit.results import Refused, Validation
from zkit.std.bubblewrap import Sandbox
from zkit.std.processes import Finished, run
from zkit.std.shell_tools import command_environment
from zkit.std.std_tool import MAX_OUTPUT, Workspace, std_tool
from zkit.tools import Context, FunctionTool
from zkit.tools.result_text import shortened

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/-]{0,199}")
_SECONDS = 60
# The model can write files of the workspace, including the configuration of its repository:
# everything in it that could run a command is switched off.
_SAFE = (
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.pager=cat",
    "-c", "core.editor=true", "-c", "protocol.ext.allow=never", "-c", "commit.gpgSign=false",
    "-c", "color.ui=false", "--no-optional-locks", "--literal-pathspecs",
)  # fmt: skip
_LOG = "%H%x1f%an%x1f%aI%x1f%s"
GitAction = Literal["init", "status", "add", "commit", "log", "diff", "branch", "push"]


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """A file that differs from the last commit, with the two letters of git's short status."""

    state: str
    path: str


@dataclass(frozen=True, slots=True)
class Commit:
    """One line of the history."""

    commit: str
    author: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class GitReport:
    """What git answered, also as data where there is any."""

    action: str
    output: str = ""
    branch: str = ""
    files: list[ChangedFile] = field(default_factory=list)
    commits: list[Commit] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"branch: {self.branch}"] if self.branch else []
        lines += [f"{file.state} {file.path}" for file in self.files]
        lines += [
            f"{one.commit[:10]} {one.date} {one.author}: {one.subject}" for one in self.commits
        ]
        lines += [self.output] if self.output else []
        return "\n".join(lines) or f"{self.action}: done"


@dataclass(frozen=True, slots=True)
class Asked:
    """The arguments of one call."""

    paths: tuple[str, ...] = ()
    message: str = ""
    name: str = ""
    limit: int = 1
    staged: bool = False


@dataclass(frozen=True, slots=True)
class Git:
    """The actions of the tool, in one root."""

    space: Workspace
    sandbox: Sandbox
    may_push: bool

    def run(self, context: Context, *arguments: str, stdin: bytes | None = None) -> str:
        """Run git and return its output; what it refuses is a `Validation`."""
        command = ["git", *_SAFE, *arguments]
        confined = self.sandbox.works and arguments[0] != "push"
        done = run(
            self.sandbox.wrap(command, self.space.root) if confined else command,
            cwd=self.space.root,
            timeout=_SECONDS,
            context=context,
            shown="git " + " ".join(arguments),
            environment=_environment(self.space),
            stdin=stdin,
        )
        if done.timed_out:
            raise Validation(f"git {arguments[0]} took more than {_SECONDS} s and was stopped.")
        if done.exit_code:
            raise _failed(arguments[0], done)
        return done.output

    def files(self, asked: Asked) -> list[str]:
        """The files of a call as arguments that cannot be taken for options."""
        return ["--", *(self.space.tree.name(path) for path in asked.paths)]

    def init(self, asked: Asked, context: Context) -> GitReport:
        """Make a repository."""
        branch = [f"--initial-branch={_name(asked.name)}"] if asked.name else []
        return GitReport("init", self.run(context, "init", *branch).strip())

    def status(self, asked: Asked, context: Context) -> GitReport:
        """What has changed."""
        wanted = ["--porcelain=v1", "--branch", "-z", *self.files(asked)]
        branch, changed = _status(self.run(context, "status", *wanted))
        return GitReport("status", "" if changed else "nothing has changed", branch, changed)

    def add(self, asked: Asked, context: Context) -> GitReport:
        """Add files to the next commit."""
        if not asked.paths:
            raise Validation('paths: is empty. Name the files to add; ["."] adds all of them.')
        self.run(context, "add", *self.files(asked))
        return self.status(Asked(), context)

    def commit(self, asked: Asked, context: Context) -> GitReport:
        """Commit what was added."""
        if not asked.message.strip():
            raise Validation("message: is empty. Say in it what was changed, and why.")
        message = asked.message.encode("utf-8", "replace")
        only = self.files(asked) if asked.paths else []
        self.run(context, "commit", "--quiet", "--no-verify", "--file=-", *only, stdin=message)
        return self.log(Asked(limit=1), context)

    def log(self, asked: Asked, context: Context) -> GitReport:
        """The history, newest first."""
        wanted = ["--max-count", str(asked.limit), f"--format={_LOG}", *self.files(asked)]
        return GitReport("log", commits=_log(self.run(context, "log", *wanted)))

    def diff(self, asked: Asked, context: Context) -> GitReport:
        """What has changed, line by line."""
        wanted = ["--no-ext-diff", "--no-textconv", "--no-color"]
        wanted += ["--cached"] if asked.staged else []
        wanted += [_name(asked.name)] if asked.name else []
        text = self.run(context, "diff", *wanted, *self.files(asked))
        return GitReport("diff", shortened(text, MAX_OUTPUT) or "no difference")

    def branch(self, asked: Asked, context: Context) -> GitReport:
        """List the branches, or create one and go there."""
        if asked.name:
            return GitReport("branch", self.run(context, "switch", "--create", _name(asked.name)))
        return GitReport("branch", self.run(context, "branch", "--list", "--no-color"))

    def push(self, asked: Asked, context: Context) -> GitReport:
        """Publish commits, if the operator has enabled it."""
        if not self.may_push:
            raise Refused("push is not enabled here")
        return GitReport("push", self.run(context, "push", "origin", _name(asked.name) or "HEAD"))


def git_tools(
    space: Workspace, sandbox: Sandbox, *, push: bool = False
) -> list[FunctionTool[..., Any]]:
    """Make `git_manager` for a root."""
    git = Git(space, sandbox, push)

    @std_tool(
        "process",
        grade=WRITE,
        destructive={"action": ["push"]},
        idempotent=False,
        timeout=_SECONDS + 30.0,
        examples=[
            {"arguments": {"action": "status"}, "description": "What has changed"},
            {
                "arguments": {"action": "commit", "message": "Read the port from the settings"},
                "description": "Commit what was added",
            },
            {"arguments": {"action": "log", "limit": 5}, "description": "The last five commits"},
        ],
        error_modes=[
            "not_found: there is no repository, or git is not installed",
            "denied: push is not enabled",
            "invalid_arguments: git refused; the message says why",
        ],
    )
    def git_manager(
        action: Annotated[GitAction, Field(description="What to do.")],
        context: Context,
        paths: Annotated[list[str], Field(description="Files, for add, diff, log, status.")] = [],  # noqa: B006
        message: Annotated[str, Field(description="The message of a commit.")] = "",
        name: Annotated[
            str, Field(description="A branch to create or push, or what diff compares with.")
        ] = "",
        limit: Annotated[int, Field(ge=1, le=200, description="How many commits log shows.")] = 10,
        staged: Annotated[
            bool, Field(description="diff: what was added, not what was not.")
        ] = False,
    ) -> GitReport:
        """Use git in the workspace: init, status, add, commit, log, diff, branch, push.

        Hooks do not run. push works only if the operator has enabled it.
        """
        act: Callable[[Asked, Context], GitReport] = getattr(git, action)
        return act(Asked(tuple(paths), message, name, limit, staged), context)

    return [git_manager]


def _environment(space: Workspace) -> dict[str, str]:
    """Return an environment without prompt, pager, and repositories above the root."""
    return {
        **command_environment(),
        "GIT_CEILING_DIRECTORIES": str(space.root.parent),
        "GIT_OPTIONAL_LOCKS": "0",
    }


def _name(text: str) -> str:
    if text and (not _NAME.fullmatch(text) or ".." in text):
        raise Validation(f'name: "{text}" is not the name of a branch or commit.')
    return text


def _failed(action: str, done: Finished) -> Validation:
    reason = shortened(done.output.strip(), 2000) or f"exit code {done.exit_code}"
    if "not a git repository" in reason:
        message = "There is no git repository in the workspace. action=init makes one."
        return Validation(message, code="not_found")
    return Validation(f"git {action} failed: {reason}")


def _status(text: str) -> tuple[str, list[ChangedFile]]:
    """The branch, and the files of `git status --porcelain=v1 --branch -z`."""
    entries = text.split("\0")
    branch = entries[0].removeprefix("## ") if entries[0].startswith("## ") else ""
    files: list[ChangedFile] = []
    rest = iter(entries[1:] if branch else entries)
    for entry in rest:
        if entry:
            files.append(ChangedFile(entry[:2], entry[3:]))
            if entry[0] in "RC":
                next(rest, None)  # the old name of what was renamed
    return branch, files


def _log(text: str) -> list[Commit]:
    rows = [line.split("\x1f") for line in text.splitlines() if line.count("\x1f") == 3]
    return [Commit(*row) for row in rows]
