"""A spec that names a provider in, the tool that the provider has for it out."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any, Protocol, runtime_checkable

from zkit.errors import ProviderError
from zkit.sources.shown_tool import ShownTool
from zkit.tools import NO_PARAMETERS, Tool, ToolSpec, as_tool


@runtime_checkable
class Provider(Protocol):
    """Where the code of tools comes from. One may also have `specs()`: what it can provide."""

    @property
    def name(self) -> str:
        """The name by which specs refer to it."""

    def available(self) -> bool:
        """Whether it can provide at all: what it needs is installed and reachable."""

    def resolve(self, spec: ToolSpec, /) -> Any:
        """Return the tool or function for a spec; raise `ProviderError` when there is none."""


class PythonProvider:
    """Functions of installed modules: `{"module": "os.path", "function": "basename"}`."""

    name = "python"

    def available(self) -> bool:
        """Python is always there."""
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
    """The spec; what it does not say, the tool says itself."""
    says_parameters = spec.parameters != NO_PARAMETERS
    return spec.replace(
        parameters=spec.parameters if says_parameters else own.parameters,
        description=spec.description or own.description,
        output=spec.output if spec.output is not None else own.output,
    )
