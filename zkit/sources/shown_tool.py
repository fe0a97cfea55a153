"""A tool in, the same tool under another name or with some arguments set out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from zkit.calls import Call
from zkit.errors import ToolDefinitionError
from zkit.results import Failure
from zkit.schema import Target, target_for
from zkit.tools import Tool, ToolSpec, decode_call, freeze, thaw
from zkit.tools.schema_check import misfits


class ShownTool:
    """A tool as somebody is shown it; `inner` is the tool that runs.

    `preset` are arguments that are set whatever the model sends, `defaults` those that are set
    when it sends nothing.
    """

    def __init__(
        self,
        inner: Tool,
        spec: ToolSpec,
        preset: Mapping[str, Any] | None = None,
        defaults: Mapping[str, Any] | None = None,
    ) -> None:
        self.inner = inner
        self._spec = spec
        self._preset = dict(preset or {})
        self._defaults = dict(defaults or {})
        self._name = inner.definition().name
        self.runs_async = bool(getattr(inner, "runs_async", False))

    def __repr__(self) -> str:
        return f"<tool {self._spec.signature()}>"

    @property
    def target(self) -> Target:
        """How arguments are validated: as the tool does it, where it takes what is shown."""
        own = getattr(self.inner, "target", None)
        same = self._spec.parameters == self.inner.definition().parameters
        if not (isinstance(own, Target) and same):
            own = target_for(thaw(self._spec.parameters))
        return replace(own, name=self._spec.name)

    def definition(self) -> ToolSpec:
        """Say what is shown of the tool."""
        return self._spec

    def execute(self, call: Call, /) -> Any:
        """Run the tool under its own name, with the arguments that are set for it."""
        ready = self.prepared(call)
        if isinstance(ready, Failure):
            return _same(ready) if self.runs_async else ready
        return self.inner.execute(ready)

    def prepared(self, call: Call) -> Call | Failure:
        """Return the call as the tool itself takes it."""
        if self._preset or self._defaults:
            ready = decode_call(self, call)
            if isinstance(ready, Failure):
                return ready
            call = replace(ready, arguments=self._defaults | ready.arguments | self._preset)
        return replace(call, name=self._name)


async def _same(result: Any) -> Any:
    return result


def without(spec: ToolSpec, preset: Mapping[str, Any]) -> ToolSpec:
    """Return the spec without the parameters that are set already; refuse values that do not fit."""
    parameters = thaw(spec.parameters)
    properties = parameters["properties"]
    for name, value in preset.items():
        _check_fit(spec, name, value)
        del properties[name]
    if "required" in parameters:
        parameters["required"] = [name for name in parameters["required"] if name not in preset]
    left = {
        "parameters": parameters,
        "touches": [name for name in spec.touches if name not in preset],
        "examples": [
            replace(one, arguments={k: v for k, v in one.arguments.items() if k not in preset})
            for one in spec.examples
        ],
    }
    return spec.replace(**left)


def with_defaults(spec: ToolSpec, defaults: Mapping[str, Any]) -> ToolSpec:
    """Return the spec with other defaults; what has a default need not be sent."""
    parameters = thaw(spec.parameters)
    for name, value in defaults.items():
        _check_fit(spec, name, value)
        parameters["properties"][name] = {**parameters["properties"][name], "default": value}
    if "required" in parameters:
        parameters["required"] = [name for name in parameters["required"] if name not in defaults]
    return spec.replace(parameters=parameters)


def _check_fit(spec: ToolSpec, name: str, value: Any) -> None:
    properties = spec.parameters["properties"]
    if name not in properties:
        raise ToolDefinitionError(f"{spec.name}: has no parameter {name!r}")
    only = {**spec.parameters, "properties": {name: properties[name]}, "required": [name]}
    found = misfits(freeze(only), {name: value})
    if found:
        raise ToolDefinitionError(f"{spec.name}: {name} cannot be {value!r}: {found[0]}")
