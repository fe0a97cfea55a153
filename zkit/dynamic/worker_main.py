"""Run the code of one tool in a process of its own; a script that needs nothing but Python.

`--describe` says what the function takes, `--call` runs it. Standard input holds the request as JSON
(`source`, `name`, `arguments`, `memory`, `seconds`), standard output gets `{"data": …}` or
`{"error": …}`. What the code prints goes to standard error.
"""

from __future__ import annotations

import json
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:  # a worker starts for every call: it imports no more than it needs
    from typing import Any

    Request = dict[str, Any]


def limit(request: Request) -> None:
    """Limit what the process may use, where the system supports it."""
    try:
        import resource
    except ImportError:
        return
    seconds = int(request["seconds"]) + 1
    limits = (
        (resource.RLIMIT_AS, request["memory"]),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 64 * 1024 * 1024),
        (resource.RLIMIT_NOFILE, 64),
    )
    for kind, most in limits:
        hard = resource.getrlimit(kind)[1]
        bound = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(kind, (bound, bound))


def explained(error: BaseException, source: str) -> dict[str, object]:
    """Return an error as data: its kind, what it says, and the line of the source."""
    trace, line = error.__traceback__, None
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<tool>":
            line = trace.tb_lineno
        trace = trace.tb_next
    if isinstance(error, SyntaxError) and error.filename == "<tool>":
        line = error.lineno
    text = source.split("\n")[line - 1].strip() if line else ""
    try:
        message = str(error)
    except Exception:
        message = ""
    return {
        "kind": type(error).__name__,
        "message": message[:2000],
        "line": line,
        "text": text[:200],
    }


def answer(request: Request, describe: bool) -> dict[str, object]:
    """Run the code and return what is written back."""
    source = request["source"]
    try:
        space: Request = {"__name__": "tool"}
        exec(compile(source, "<tool>", "exec"), space)
        function = space[request["name"]]
        if describe:
            code = function.__code__
            count = code.co_argcount + code.co_kwonlyargcount
            return {"name": request["name"], "takes": list(code.co_varnames[:count])}
        return {"data": function(**request["arguments"])}
    except BaseException as error:
        return {"error": explained(error, source)}


def main() -> None:
    """Read the request, run it, write the answer."""
    wire = os.dup(1)
    os.dup2(2, 1)
    request = json.load(sys.stdin)
    limit(request)
    reply = answer(request, "--describe" in sys.argv)
    try:
        text = json.dumps(reply, default=str)
    except Exception as error:
        text = json.dumps({"error": explained(error, request["source"])})
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:  # the tool may have closed it
            continue
    with os.fdopen(wire, "w", encoding="utf-8") as out:
        out.write(text)
    os._exit(0)  # do not wait for threads that the tool left behind


if __name__ == "__main__":
    main()
