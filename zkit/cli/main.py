"""The entry point of the command line, with its exit codes: 0 done, 1 refused or differing, 2 bad usage."""

from __future__ import annotations

import errno
import io
import sys
from importlib.util import find_spec

INSTALL_LINE = (
    "zkit: the command line needs {missing}; install it with: pip install 'zkit-llm[cli]'"
)
INTERRUPTED = 130


def main() -> None:
    """Run `zkit`, or say how to install what its command line needs."""
    missing = [name for name in ("click", "rich") if find_spec(name) is None]
    if missing:
        print(INSTALL_LINE.format(missing=" and ".join(missing)), file=sys.stderr)
        sys.exit(2)
    sys.exit(run())


def run() -> int:
    """Run the command that `sys.argv` names and return its exit code."""
    import click

    from zkit.cli.commands import zkit
    from zkit.cli.streams import open_closed_streams, silence_stdout, tell, tell_mistake

    open_closed_streams()
    if isinstance(sys.stdout, io.TextIOWrapper):  # a narrow locale must not end in a traceback
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        return zkit.main(prog_name="zkit", standalone_mode=False) or 0
    except click.ClickException as error:
        tell_mistake(error)
        return error.exit_code
    except click.Abort:
        return INTERRUPTED
    except OSError as error:
        silence_stdout()
        if error.errno == errno.EPIPE:
            return 0
        tell(f"{error.filename or 'standard output'}: {error.strerror}")
        return 2


if __name__ == "__main__":
    main()
