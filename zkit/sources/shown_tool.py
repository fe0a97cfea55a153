"""Show a tool under another name or with some arguments set, and get tools from providers."""

from __future__ import annotations

import importlib
import importlib.util
from dataclasses import replace
from typing import Any, Protocol, runtime_checkable

from zkit.calls import Call
from zkit.errors import ProviderError, ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject
from zkit.results import Failure
from zkit.schema import Target, target_for
from zkit.tools import (
    NO_PARAMETERS,
    Tool,
    ToolSpec,
    as_tool,
    decode_call,
    freeze,
    policy_for,
    thaw,
)
from zkit.tools.call_arguments import judged_arguments, read_arguments
from zkit.tools.spec_fields import misfits


class ShownTool:
    """A tool under another name or description; `inner` is the tool that runs.

    `preset` are arguments that are set whatever the model sends, `defaults` those that are set
    when it sends nothing.
    """

    def __init__(
        self,
        inner: Tool,
        spec: ToolSpec,
        preset: JsonMapping | None = None,
        defaults: JsonMapping | None = None,
    ) -> None:
        self.inner = inner
        self._spec = spec
        self._preset = dict(preset or {})
        self._defaults = dict(defaults or {})
        own = inner.definition()
        self._name = own.name
        is_bare = not self._preset and not self._defaults
        # Whether arguments decoded for one of them fit the other as they are.
        self.takes_the_same = is_bare and spec.parameters == own.parameters
        self.runs_async = bool(getattr(inner, "runs_async", False))

    def __repr__(self) -> str:
        return f"<tool {self._spec.signature()}>"

    @property
    def target(self) -> Target:
        """The target that validates arguments: the tool's own, if it takes what is shown."""
        own = getattr(self.inner, "target", None)
        if not (isinstance(own, Target) and self.takes_the_same):
            own = target_for(thaw(self._spec.parameters))
        return replace(own, name=self._spec.name)

    def definition(self) -> ToolSpec:
        """Return the spec that is shown."""
        return self._spec

    def execute(self, call: Call, /) -> Any:
        """Run the tool under its own name, with the preset arguments."""
        ready = self.prepared(call)
        if isinstance(ready, Failure):
            return _same(ready) if self.runs_async else ready
        return self.inner.execute(ready)

    def prepared(self, call: Call) -> Call | Failure:
        """Return the call as the inner tool takes it."""
        if self._preset or self._defaults:
            ready = decode_call(self, call)
            if isinstance(ready, Failure):
                return ready
            call = replace(ready, arguments=self._defaults | ready.arguments | self._preset)
        return replace(call, name=self._name)


async def _same(result: Any) -> Any:
    return result


def can_destroy(tool: Tool, call: Call, typed: Any = None) -> bool:
    """True if a call with decoded arguments can destroy something, so that it needs approval.

    `typed` are the arguments as the tool takes them. If arguments are preset, or the tool is shown
    with another schema, the values that the inner tool decodes count too.
    """
    while True:
        spec = tool.definition()
        if spec.destructive is True:
            return True
        if spec.destructive:
            if typed is None:
                found = read_arguments(tool, call, policy_for(spec).limit)
                if isinstance(found, Failure):
                    return True
                typed = found.typed
            if spec.is_destructive(judged_arguments(spec, call.arguments, typed)):
                return True
        if not isinstance(tool, ShownTool):
            return False
        if not tool.takes_the_same:
            ready = tool.prepared(call)
            if isinstance(ready, Failure):
                return bool(tool.inner.definition().destructive)
            call, typed = ready, None
        tool = tool.inner


def without(spec: ToolSpec, preset: JsonMapping) -> ToolSpec:
    """Return the spec without the preset parameters; refuse values that do not fit."""
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
        "destructive": _pinned(spec, preset),
        "examples": [
            replace(one, arguments={k: v for k, v in one.arguments.items() if k not in preset})
            for one in spec.examples
        ],
    }
    return spec.replace(**left)


def _pinned(spec: ToolSpec, preset: JsonMapping) -> bool | JsonObject:
    """Return what is destructive once some arguments are set: always, never, or by those that are left."""
    if isinstance(spec.destructive, bool):
        return spec.destructive
    pinned = {name: values for name, values in spec.destructive.items() if name in preset}
    left = {name: values for name, values in spec.destructive.items() if name not in preset}
    if pinned and replace(spec, destructive=pinned).is_destructive(preset):
        return True
    return left or False


def with_defaults(spec: ToolSpec, defaults: JsonMapping) -> ToolSpec:
    """Return the spec with other defaults; what has a default need not be sent."""
    parameters = thaw(spec.parameters)
    for name, value in defaults.items():
        _check_fit(spec, name, value)
        parameters["properties"][name] = {**parameters["properties"][name], "default": value}
    if "required" in parameters:
        parameters["required"] = [name for name in parameters["required"] if name not in defaults]
    return spec.replace(parameters=parameters)


def _check_fit(spec: ToolSpec, name: str, value: object) -> None:
    properties = spec.parameters["properties"]
    if name not in properties:
        raise ToolDefinitionError(f"{spec.name}: has no parameter {name!r}")
    only = {**spec.parameters, "properties": {name: properties[name]}, "required": [name]}
    found = misfits(freeze(only), {name: value})
    if found:
        raise ToolDefinitionError(f"{spec.name}: {name} cannot be {value!r}: {found[0]}")


@runtime_checkable
class Provider(Protocol):
    """Where the code of tools comes from. A provider may also have `specs()`: what it can provide."""

    @property
    def name(self) -> str:
        """The name by which specs refer to it."""

    def available(self) -> bool:
        """True if it can provide at all: what it needs is installed and reachable."""

    def resolve(self, spec: ToolSpec, /) -> Any:
        """Return the tool or function for a spec; raise `ProviderError` when there is none."""


class PythonProvider:
    """Functions of installed modules: `{"module": "os.path", "function": "basename"}`."""

    name = "python"

    def available(self) -> bool:
        """Return True: Python is always available."""
        return True

    def resolve(self, spec: ToolSpec, /) -> Any:
        """Import the module and return the function, which may be `Class.method`."""
        config = spec.provider_config
        for key in ("module", "function"):
            if not isinstance(config.get(key), str) or not config[key]:
                raise ProviderError(f"{spec.name}: provider_config needs a {key!r}")
        try:
            found: Any = importlib.import_module(config["module"])
        except ImportError as error:
            raise ProviderError(f"{spec.name}: {error}") from error
        for step in config["function"].split("."):
            if not hasattr(found, step):
                place = f"{config['module']}.{config['function']}"
                raise ProviderError(f"{spec.name}: there is no {place}")
            found = getattr(found, step)
        return found


def provided(spec: ToolSpec, provider: Provider) -> Tool:
    """Return the tool that a provider has for a spec, as the spec describes it."""
    if not provider.available():
        raise ProviderError(f"{spec.name}: the provider {provider.name!r} is not available")
    tool = as_tool(provider.resolve(spec), name=spec.name)
    return ShownTool(tool, _described(spec, tool.definition()))


def _described(spec: ToolSpec, own: ToolSpec) -> ToolSpec:
    """Return the spec, completed from the tool itself. It never makes a destructive tool harmless."""
    says_parameters = spec.parameters != NO_PARAMETERS
    return spec.replace(
        parameters=spec.parameters if says_parameters else own.parameters,
        description=spec.description or own.description,
        output=spec.output if spec.output is not None else own.output,
        grade=spec.grade if spec.grade is not None else own.grade,
        destructive=spec.destructive
        or (bool(own.destructive) if says_parameters else own.destructive),
    )
