"""Plug-ins: zkit in other frameworks, and zkit's tools as theirs.

| module | for | what it is |
|---|---|---|
| `pydantic_ai` | pydantic-ai | a capability; `Toolbox.as_pydantic_ai()` |
| `langchain` | LangChain | a middleware of `create_agent`; `Toolbox.as_langchain()` |
| `openai_agents` | OpenAI Agents SDK | a model, a provider; `Toolbox.as_openai_agents()` |
| `litellm` | litellm, SDK and proxy | a callback |
| `dspy` | DSPy | an adapter |
| `pytest_plugin` | pytest | a user's case files as tests, and the scripted server |
| `foreign_tools` | all of them | how a call of a framework reaches the dispatcher |

Each needs the extra of its name. Repair happens on the wire (`zkit.transport`), so that streams, retries
and truncated replies are covered in the same way everywhere. DSPy is the exception: its calls are fields of
a text.
"""
