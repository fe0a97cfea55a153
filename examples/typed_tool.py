"""Typed arguments inside a tool of yours: repaired and validated, or a message for the model."""

from typing import Literal

from pydantic import BaseModel

from zkit import Validation, decode_args


class Search(BaseModel):
    """What the model must send."""

    query: str
    limit: int = 10
    order: Literal["newest", "oldest"] = "newest"


def search(raw: str) -> str:
    """Run the tool on what the model sent; the return value is what the model reads."""
    try:
        arguments = decode_args(Search, raw)
    except Validation as failure:
        return failure.message
    return f"searching {arguments.query!r}, {arguments.limit} results, {arguments.order} first"


print(search("{'query': 'zkit', 'limit': \"5\",}"))
print(search('{"query": "zkit", "order": "best"}'))
