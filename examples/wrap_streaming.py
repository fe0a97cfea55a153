"""Your own OpenAI client and your own loop; the calls in its streams are repaired."""

import os

from openai import OpenAI

from zkit import wrap

client = wrap(
    OpenAI(base_url=os.environ.get("ZKIT_BASE_URL", "http://localhost:11434/v1"), api_key="none"),
    ask_again=1,
)
weather = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "Tell the weather in a city.",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer"}},
            "required": ["city"],
        },
    },
}
stream = client.chat.completions.create(
    model=os.environ.get("ZKIT_MODEL", "qwen2.5-coder:1.5b"),
    messages=[{"role": "user", "content": "What is the weather in Oslo?"}],
    tools=[weather],
    stream=True,
)
for chunk in stream:
    for choice in chunk.choices:
        for call in choice.delta.tool_calls or ():
            print(call.function.name, call.function.arguments)
print([fix.name for fix in stream.zkit.fixes])
