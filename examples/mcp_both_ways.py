"""A server of zkit's tools for any MCP client, and a client of it, in one file."""

import sys
import tempfile
from pathlib import Path

from zkit import Call, Dispatcher, Toolbox

SERVER = [sys.executable, "-m", "zkit", "mcp", "serve", "--from", "weather_tools.py"]
TOOLS = '''
from zkit import tool

@tool(grade="read")
def get_weather(city: str, days: int = 1) -> str:
    """Tell the weather in a city."""
    return f"sunny in {city} for {days} days"
'''

folder = Path(tempfile.mkdtemp())
(folder / "weather_tools.py").write_text(TOOLS)

box = Toolbox()
target = {"command": SERVER[0], "args": SERVER[1:], "cwd": str(folder)}
connection = box.mcp.connect_sync("ours", target, grades={"get_weather": "read"})
print(connection.state, connection.tools)

dispatcher = Dispatcher(box)  # the call is repaired here, and checked again by the server
result = dispatcher.call_sync(Call("ours_get_weather", "{'city': 'Oslo', 'days': '3',}"))
print(result.data)
box.mcp.disconnect_sync("ours")
