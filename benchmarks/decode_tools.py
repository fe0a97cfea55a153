"""The tools of the decode benchmark: pydantic models such as people write for agents."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field


class Closed(BaseModel):
    """A model that forbids members which it does not name."""

    model_config = ConfigDict(extra="forbid")


class WriteFile(BaseModel):
    """Write text to a file."""

    path: str
    content: str
    append: bool = False
    mode: int | None = None


class ListFiles(Closed):
    """List files; every argument is optional."""

    folder: str = "."
    pattern: str = "*"
    recursive: bool = False
    limit: int = 100


class ReadLogs(BaseModel):
    """Read logs; every argument is optional, and other members are ignored."""

    service: str | None = None
    level: Literal["debug", "info", "warning", "error"] = "info"
    max_lines: Annotated[int, Field(ge=1, le=10000)] = 100
    since: datetime | None = None


class RunCommand(Closed):
    """Run a shell command."""

    command: str
    cwd: str | None = None
    timeout_seconds: Annotated[int, Field(ge=1, le=600)] = 30
    env: dict[str, str] = {}
    background: bool = False


class RunScript(Closed):
    """Run a script; its members have names that are wrappers elsewhere."""

    name: str
    arguments: list[str] = []
    input: str = ""


class WebSearch(BaseModel):
    """Search the web."""

    query: str
    max_results: Annotated[int, Field(ge=1, le=50)] = 10
    site: str | None = None
    language: Literal["en", "de", "fr", "ja"] = "en"
    safe: bool = True


class CreateEvent(Closed):
    """Put an event into a calendar."""

    title: str
    day: date
    start: time
    minutes: Annotated[int, Field(ge=5, le=1440)]
    attendees: list[str] = []
    repeat: Literal["never", "daily", "weekly", "monthly"] = "never"


class SendEmail(Closed):
    """Send an e-mail."""

    to: Annotated[list[str], Field(min_length=1)]
    subject: str
    body: str
    cc: list[str] = []
    html: bool = False
    send_at: datetime | None = None


class Filter(Closed):
    """One condition on a row."""

    column: str
    op: Literal["eq", "lt", "gt", "like"]
    value: str


class Order(Closed):
    """How rows are sorted."""

    column: str
    direction: Literal["ascending", "descending"] = "ascending"


class QueryRows(BaseModel):
    """Read rows of a table."""

    table: str
    filters: list[Filter] = []
    order_by: Order | None = None
    limit: Annotated[int, Field(ge=1, le=1000)] = 50
    offset: int = 0


class Slot(BaseModel):
    """A temperature from an hour on."""

    hour: Annotated[int, Field(ge=0, le=23)]
    temperature: float


class SetThermostat(BaseModel):
    """Set a room's temperature."""

    room: str
    temperature: float
    unit: Literal["celsius", "fahrenheit"]
    schedule: list[Slot] = []
    hold: bool = False


class SendPayment(Closed):
    """Send money."""

    recipient: str
    amount: Annotated[float, Field(gt=0)]
    currency: Literal["EUR", "USD", "GBP", "JPY"]
    reference: str
    urgent: bool = False


class Place(BaseModel):
    """A point on the map."""

    latitude: Annotated[float, Field(ge=-90, le=90)]
    longitude: Annotated[float, Field(ge=-180, le=180)]


class FindRoute(Closed):
    """Find a way."""

    origin: Place
    destination: Place
    mode: Literal["driving", "walking", "cycling", "transit"]
    avoid: list[Literal["tolls", "ferries", "highways"]] = []
    alternatives: int = 1


class UpdateTicket(Closed):
    """Change a ticket."""

    ticket_id: int
    status: Literal["open", "in_progress", "on_hold", "resolved"]
    priority: Literal["low", "medium", "high", "critical"] | None = None
    assignee: str | None = None
    labels: list[str] = []
    due_date: date | None = None


class GenerateImage(BaseModel):
    """Make a picture."""

    prompt: str
    width: Annotated[int, Field(ge=64, le=2048, multiple_of=8)]
    height: Annotated[int, Field(ge=64, le=2048, multiple_of=8)]
    style: Literal["photo", "drawing", "oil_painting"] = "photo"
    seed: int | None = None
    negative_prompt: str = ""


class FitCurve(BaseModel):
    """Fit a polynomial to points."""

    xs: Annotated[list[float], Field(min_length=2)]
    ys: Annotated[list[float], Field(min_length=2)]
    degree: Annotated[int, Field(ge=1, le=9)] = 1
    weights: list[float] | None = None


class HttpRequest(BaseModel):
    """Call a web service."""

    url: str
    method: Literal["GET", "POST", "PUT", "PATCH", "DELETE"]
    headers: dict[str, str] = {}
    body: str | None = None
    timeout: float = 30.0


class OrderItem(BaseModel):
    """One line of an order."""

    sku: Annotated[str, Field(pattern=r"^[A-Z]{2}-[0-9]{4}$")]
    quantity: Annotated[int, Field(ge=1, le=99)]
    gift_wrap: bool = False


class PlaceOrder(Closed):
    """Order goods."""

    customer_id: str
    items: Annotated[list[OrderItem], Field(min_length=1)]
    shipping: Literal["standard", "express"] = "standard"
    deliver_on: date | None = None


class ListDevices(Closed):
    """List the devices; there are no arguments."""


TOOLS: Mapping[str, type[BaseModel]] = {
    model.__name__: model
    for model in (
        WriteFile,
        ListFiles,
        ReadLogs,
        RunCommand,
        RunScript,
        WebSearch,
        CreateEvent,
        SendEmail,
        QueryRows,
        SetThermostat,
        SendPayment,
        FindRoute,
        UpdateTicket,
        GenerateImage,
        FitCurve,
        HttpRequest,
        PlaceOrder,
        ListDevices,
    )
}
