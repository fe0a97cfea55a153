"""Tools: one declaration of a function or class, from which everything else follows.

| module | holds |
|---|---|
| `declare`, `python_tools` | `@tool`, `as_tool`; tools from functions, tools from classes |
| `spec`, `spec_fields`, `frozen_data` | `ToolSpec`, the `Tool` protocol, wire names; reading and checking its fields |
| `projections` | the spec in the formats of OpenAI, MCP, prompts and catalogues |
| `policy` | the two tables that follow from a grade |
| `call_arguments`, `return_types` | decoding the arguments of a call; the schema of what comes back |
| `execution`, `context` | running a tool; the scope of a task and the context of a call |
| `result_text` | a result as the text that the model reads |
"""

from zkit.tools.call_arguments import canonical_arguments, decode_call
from zkit.tools.context import (
    Context,
    Progress,
    Scope,
    Watch,
    call_key,
    current_context,
    current_scope,
    scope,
    watching,
)
from zkit.tools.declare import as_tool, declared_in, tool, tools_in
from zkit.tools.execution import run_tool
from zkit.tools.frozen_data import FrozenDict, FrozenList, freeze, thaw
from zkit.tools.policy import TEXT_CALLS, Policy, policy_for, text_call_action
from zkit.tools.python_tools import FunctionTool, TypedTool
from zkit.tools.result_text import labeled, render_result
from zkit.tools.spec import NO_PARAMETERS, Tool, ToolSpec, from_wire, to_wire
from zkit.tools.spec_fields import Example, Guide, Preference

__all__ = [
    "NO_PARAMETERS",
    "TEXT_CALLS",
    "Context",
    "Example",
    "FrozenDict",
    "FrozenList",
    "FunctionTool",
    "Guide",
    "Policy",
    "Preference",
    "Progress",
    "Scope",
    "Tool",
    "ToolSpec",
    "TypedTool",
    "Watch",
    "as_tool",
    "call_key",
    "canonical_arguments",
    "current_context",
    "current_scope",
    "declared_in",
    "decode_call",
    "freeze",
    "from_wire",
    "labeled",
    "policy_for",
    "render_result",
    "run_tool",
    "scope",
    "text_call_action",
    "thaw",
    "to_wire",
    "tool",
    "tools_in",
    "watching",
]
