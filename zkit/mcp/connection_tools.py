"""Let an agent connect to servers itself: three tools, of which connecting needs approval."""

from __future__ import annotations

from zkit.errors import ZkitError
from zkit.grade import READ, WRITE
from zkit.mcp.connections import Connected, Connections
from zkit.mcp.server_target import ServerTarget, require_public
from zkit.results import Refused, Validation
from zkit.sources import Toolbox
from zkit.tools import Tool, tool


def mcp_tools(box: Toolbox, *, public_only: bool = True) -> list[Tool]:
    """Return `mcp_connect`, `mcp_disconnect` and `mcp_list` for the connections of a toolbox.

    A model may only name an absolute path that is not a shell, or a public address, unless
    `public_only` is False. It cannot set variables of a server, nor grades.
    """
    connections: Connections = box.mcp

    @tool(grade=WRITE, destructive=True, tags=["mcp"])
    async def mcp_connect(
        name: str,
        command: str = "",
        args: list[str] | None = None,
        url: str = "",
        auth_token: str = "",
    ) -> dict[str, object]:
        """Connect to an MCP server; its tools can be called from the next turn on.

        Args:
            name: A short name for the connection; the tools' names begin with it.
            command: The absolute path of a program to start. Give a command or a url.
            args: The arguments of the program.
            url: The address of a server, such as https://example.com/mcp.
            auth_token: A bearer token for the url; only over https.
        """
        if bool(command) == bool(url):
            raise Validation("Give either a command or a url.")
        headers = {"Authorization": f"Bearer {auth_token}"} if auth_token else {}
        words = (command, *(args or ())) if command else ()
        target = ServerTarget(words, url, headers=headers)
        try:
            if public_only:
                require_public(target)
        except ZkitError as error:
            raise Refused(str(error)) from error
        try:
            found = await connections.connect(name, target, public_only=public_only)
        except ZkitError as error:
            raise Validation(str(error)) from error
        return _entry(found)

    @tool(grade=WRITE, tags=["mcp"])
    async def mcp_disconnect(name: str) -> str:
        """Leave an MCP server; its tools are gone.

        Args:
            name: The name of the connection.
        """
        if not await connections.disconnect(name):
            known = ", ".join(one.name for one in connections.list()) or "none"
            raise Validation(f"There is no connection {name!r:.80}; there are: {known}.")
        return f"{name} is disconnected."

    @tool(grade=READ, tags=["mcp"], cacheable=False)
    def mcp_list() -> list[dict[str, object]]:
        """List the connected MCP servers with their tools and what is wrong with them."""
        return [_entry(one) for one in connections.list()]

    return [mcp_connect, mcp_disconnect, mcp_list]


def _entry(one: Connected) -> dict[str, object]:
    """Return a connection as data for the model, without what waits for approval."""
    described = {
        "name": one.name,
        "state": one.state,
        "server": one.server,
        "tools": list(one.tools),
        "waiting for approval": list(one.withheld),
        "left out": list(one.problems),
        "problem": one.problem,
    }
    return {key: value for key, value in described.items() if value}
