"""The limits for what a server may send, each with the reason for its value."""

from __future__ import annotations

MOST_TOOLS = 512
"""Tools of one server. The largest public servers offer about a hundred; a model reads far fewer."""
MOST_PAGES = 100
"""Pages of one listing: a cursor that never ends must not hang the connection."""
MOST_DESCRIPTION = 4_096
"""Characters of a description that the model sees. Longer ones are cut; the pin covers all of it."""
MOST_SCHEMA = 65_536
"""Characters of a schema. A larger one would fill the context of small models."""
MOST_LINE = 32 * 1024 * 1024
"""Bytes of one message over stdio: a photograph fits, a line that never ends does not."""
MOST_JUNK = 1_000
"""Lines in a row that are not messages, such as a banner or a log, before the server is given up."""
MOST_STDERR = 4_096
"""Characters of a server's standard error that are kept, for the message when it does not start."""
MOST_NOTE = 2_048
"""Characters of one notification that reach the model."""
NOTES_PER_MINUTE = 20
"""Notifications of one server that reach the model; the rest of a flood is counted."""
CONNECT_SECONDS = 30.0
"""From the start of a server to its list of tools. `npx` downloads a package the first time."""
PATIENCE = 15.0
"""Seconds that a call waits for a connection that is being made again: starting one takes a few."""
FIRST_DELAY, LONGEST_DELAY = 0.25, 30.0
"""Seconds between attempts to connect again; doubled each time, with jitter."""
SETTLED = 10.0
"""Seconds after which a connection counts as stable, so that the delays are reset."""
PIN_SECONDS = 1.0
"""How often the catalog is read while a tool waits for an approval that another process may give."""
EXIT_SECONDS = 2.0
"""Seconds that a server has to exit after its input is closed, and again after SIGTERM."""
