"""A framework that you have, on a model that writes calls into its text: one line more.

Needs LangChain: pip install langchain langchain-openai
"""

import os

from langchain.agents import create_agent
from langchain_openai import ChatOpenAI

import zkit.transport


def get_weather(city: str) -> str:
    """Tell the weather in a city."""
    return f"sunny, 21 degrees in {city}"


model = ChatOpenAI(
    model=os.environ.get("ZKIT_MODEL", "qwen2.5-coder:1.5b"),
    base_url=os.environ.get("ZKIT_BASE_URL", "http://localhost:11434/v1"),
    api_key="none",
    http_client=zkit.transport.client(ask_again=1),  # the one line
)
agent = create_agent(model, [get_weather])
answer = agent.invoke({"messages": [("user", "What is the weather in Oslo?")]})
print(answer["messages"][-1].content)
