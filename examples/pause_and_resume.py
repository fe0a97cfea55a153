"""A web handler whose agent waits for an approval: the run is a document until somebody decides."""

import os
import tempfile

from openai import OpenAI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from zkit import ChatLoop, tool
from zkit.chat import PauseStore, ask_later


@tool(destructive=True)
def cancel_trip(city: str) -> str:
    """Cancel a trip."""
    return f"the trip to {city} is cancelled"


loop = ChatLoop(
    OpenAI(base_url=os.environ.get("ZKIT_BASE_URL", "http://localhost:11434/v1"), api_key="none"),
    os.environ.get("ZKIT_MODEL", "qwen2.5-coder:1.5b"),
    [cancel_trip],
    approve=ask_later,
)
store = PauseStore(os.path.join(tempfile.mkdtemp(), "paused.db"))


def ask(request: Request) -> JSONResponse:
    """Start a run; it ends here, or waits for a decision."""
    result = loop.run_sync(request.query_params["q"])
    if result.paused is None:
        return JSONResponse({"answer": result.text})
    store.save(result.paused)
    waiting = [f"{one.call.name} {one.call.arguments}" for one in result.paused.waiting]
    return JSONResponse({"waiting": waiting, "id": store.list()[-1].id})


def decide(request: Request) -> JSONResponse:
    """Go on with a run that waits, with the decision of a person."""
    paused = store.take(request.query_params["id"])
    result = loop.resume_sync(paused, approve=request.query_params["ok"] == "yes")
    return JSONResponse({"answer": result.text})


app = Starlette(routes=[Route("/ask", ask), Route("/decide", decide)])

if __name__ == "__main__":
    from starlette.testclient import TestClient

    browser = TestClient(app)
    first = browser.get("/ask", params={"q": "Cancel my trip to Oslo."}).json()
    print(first["waiting"])
    print(browser.get("/decide", params={"id": first["id"], "ok": "yes"}).json())
