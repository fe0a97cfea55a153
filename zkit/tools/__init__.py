"""A function or a class in, a tool out: one declaration from which everything else follows."""

from zkit.tools.context import (
    Context,
    Progress,
    Scope,
    call_key,
    current_context,
    current_scope,
    scope,
)
from zkit.tools.declaring import as_tool, declared_in, tool, tools_in
from zkit.tools.decoding import canonical_arguments, decode_call
from zkit.tools.frozen_data import FrozenDict, FrozenList, freeze, thaw
from zkit.tools.function_tool import FunctionTool
from zkit.tools.labeling import labeled
from zkit.tools.policy import TEXT_CALLS, Policy, policy_for, text_call_action
from zkit.tools.protocol import Tool
from zkit.tools.rendering import render_result
from zkit.tools.running import run_tool
from zkit.tools.spec import NO_PARAMETERS, ToolSpec
from zkit.tools.spec_parts import Example, Guide, Preference
from zkit.tools.still_running import Watch, watching
from zkit.tools.typed_tool import TypedTool
from zkit.tools.wire_names import from_wire, to_wire

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
