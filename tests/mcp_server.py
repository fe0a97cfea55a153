"""An MCP server for tests, on the low-level server of the official SDK.

`python tests/mcp_server.py STATE [--http PORT]`: STATE is a JSON file that says which tools there
are; it is read at every listing, so a test changes the server by writing the file.
"""

from __future__ import annotations

import base64
import json
import os
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp_types as types
from mcp.server.lowlevel.server import NotificationOptions, Server
from mcp.server.stdio import stdio_server
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler, ToolsListChanged

STATE = Path(sys.argv[1])
BUS = InMemorySubscriptionBus()
OBJECT = {"type": "object", "properties": {}}
PIXEL = base64.b64encode(b"not really a picture").decode()


async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
    listed = json.loads(STATE.read_text("utf-8"))["tools"]
    page = int(params.cursor or 0) if params is not None else 0
    tools = [types.Tool.model_validate({"inputSchema": OBJECT, **tool}) for tool in listed]
    size = 3
    more = str(page + size) if page + size < len(tools) else None
    return types.ListToolsResult(tools=tools[page : page + size], next_cursor=more)


async def call_tool(ctx: Any, params: Any) -> Any:
    given = params.arguments or {}
    return await TOOLS.get(params.name, echo)(ctx, params, given)


def text(*texts: str, **more: Any) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(text=one) for one in texts], **more)


async def echo(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    return text(json.dumps({"tool": params.name, "given": given}, sort_keys=True))


async def pid(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    return text(str(os.getpid()))


async def fail(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    return text("no such city: Atlantis", is_error=True)


async def structured(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    data = {"sum": given.get("a", 0) + given.get("b", 0)}
    return text(json.dumps(data), structured_content=data)


async def lie(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    return text("x", structured_content={"sum": "many"})


async def picture(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    content: list[Any] = [
        types.TextContent(text="a picture"),
        types.ImageContent(data=PIXEL, mime_type="image/png"),
        types.ResourceLink(name="log", uri="file:///var/log/x"),
        types.EmbeddedResource(
            resource=types.TextResourceContents(uri="file:///a.txt", text="inside a.txt")
        ),
    ]
    return types.CallToolResult(content=content)


async def slow(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    try:
        for step in range(int(given.get("steps", 3))):
            await ctx.session.report_progress(step + 1, 3, f"step {step + 1}")
            await anyio.sleep(float(given.get("pause", 0.01)))
    except anyio.get_cancelled_exc_class():
        STATE.with_suffix(".cancelled").write_text("yes")
        raise
    return text("done")


async def change(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    """Tell that the list of tools has changed; the test has written it before."""
    await BUS.publish(ToolsListChanged())
    await ctx.session.send_tool_list_changed()
    return text("changed")


async def note(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    for _ in range(int(given.get("times", 1))):
        await ctx.session.send_notification(
            types.LoggingMessageNotification(
                params=types.LoggingMessageNotificationParams(level="error", data=given["data"])
            ),
            related_request_id=ctx.request_id,
        )
    return text("sent")


QUESTION = types.ElicitRequestFormParams(
    message="Which city?",
    requested_schema={"type": "object", "properties": {"city": {"type": "string"}}},
)


async def ask(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    if ctx.session.can_send_request:
        answer = await ctx.session.elicit_form(QUESTION.message, QUESTION.requested_schema)
    elif params.input_responses is None:
        request = types.ElicitRequest(params=QUESTION)
        return types.InputRequiredResult(input_requests={"city": request}, request_state="s")
    else:
        answer = params.input_responses["city"]
    return text(f"{answer.action} {json.dumps(answer.content)}")


async def sample(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    message = types.SamplingMessage(role="user", content=types.TextContent(text="hello"))
    request = types.CreateMessageRequest(
        params=types.CreateMessageRequestParams(messages=[message], max_tokens=10)
    )
    if not ctx.session.can_send_request:
        return types.InputRequiredResult(input_requests={"m": request}, request_state="s")
    return text(str(await ctx.session.send_request(request, types.CreateMessageResult)))


async def die(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    os._exit(1)


async def hang(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    await anyio.sleep_forever()


async def empty(ctx: Any, params: Any, given: dict[str, Any]) -> Any:
    return text()


TOOLS = {
    one.__name__: one
    for one in (
        echo, pid, fail, structured, lie, picture, slow, change, note, ask, sample, die, hang, empty,
    )
}  # fmt: skip


async def main() -> None:
    server: Server[Any] = Server(
        "sample",
        version="1",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_subscriptions_listen=ListenHandler(BUS),
    )
    if "--http" in sys.argv:
        import uvicorn

        port = int(sys.argv[sys.argv.index("--http") + 1])
        config = uvicorn.Config(
            server.streamable_http_app(), port=port, log_level="error", timeout_graceful_shutdown=1
        )
        await uvicorn.Server(config).serve()
        return
    async with stdio_server() as (incoming, outgoing):
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(incoming, outgoing, options)


if __name__ == "__main__":
    anyio.run(main)
