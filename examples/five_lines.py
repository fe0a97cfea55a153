"""An agent on a local server in five lines: a plain function, a small model."""

import os

from zkit import run


def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"sunny, 21 degrees in {city}"


answer = run(
    "What is the weather in Oslo?",
    tools=[get_weather],
    model=os.environ.get("ZKIT_MODEL", "qwen2.5-coder:1.5b"),
    base_url=os.environ.get("ZKIT_BASE_URL", "http://localhost:11434/v1"),
)
print(answer.text)
