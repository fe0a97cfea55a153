"""Use the tools of MCP servers as our own, and offer our own to any MCP client."""

from importlib.util import find_spec

from zkit.errors import MissingExtraError

if find_spec("mcp") is None:
    raise MissingExtraError("mcp", "connecting to MCP servers")

from zkit.mcp.connection_tools import mcp_tools
from zkit.mcp.connections import Connected, Connections
from zkit.mcp.kit_server import serve_http, serve_stdio, server_for
from zkit.mcp.server_connection import ConnectionOptions
from zkit.mcp.server_target import ServerTarget

__all__ = [
    "Connected",
    "ConnectionOptions",
    "Connections",
    "ServerTarget",
    "mcp_tools",
    "serve_http",
    "serve_stdio",
    "server_for",
]
