"""Write the code of a tool from its parts: a name, a description, typed fields and a body."""

from __future__ import annotations

import ast
import keyword
import re
import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Optional

from pydantic import ConfigDict, JsonValue, create_model
from pydantic import Field as ModelField

from zkit.errors import ToolDefinitionError
from zkit.json_types import JsonMapping, JsonObject
from zkit.schema import schema_for, target_for

NAME = re.compile(r"[a-z][a-z0-9_]{1,63}")
MOST_CODE = 100_000  # characters; a model writes a few thousand at most
MOST_FIELDS = 64
Data = JsonObject
_MISSING: object = object()
_TYPES: Data = {
    "str": str, "int": int, "float": float, "bool": bool, "list": list, "dict": dict, "None": None,
    "Any": Any, "Literal": Literal, "Optional": Optional,
    # Models know these from JSON Schema.
    "string": str, "integer": int, "number": float, "boolean": bool, "array": list, "object": dict,
}  # fmt: skip
_PYTHON = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"} | {
    "array": "list",
    "object": "dict",
}
_IMPORT = re.compile(r"(import|from) [\w., ]+( import [\w., ()*]+)?")


@dataclass(frozen=True, slots=True)
class Field:
    """One argument of a tool: `type` is a Python type such as `int`, `list[str]` or `Literal["a"]`."""

    name: str
    type: str = "str"
    description: str = ""
    default: object = _MISSING

    @classmethod
    def of(cls, given: object) -> Field:
        """Return a field that is given as one, or as a mapping; raises `ToolDefinitionError`."""
        if isinstance(given, Field):
            return given
        if isinstance(given, str):
            name, _, kind = given.partition(":")
            return cls(name.strip(), kind.strip() or "str")
        if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
            raise ToolDefinitionError(
                f"a field has a name, a type and a description, not {given!r:.120}"
            )
        unknown = sorted(set(given) - {"name", "type", "description", "default", "required"})
        if unknown:
            raise ToolDefinitionError(f"the field {given['name']!r} has no {unknown[0]!r}")
        default = given.get("default", None if given.get("required") is False else _MISSING)
        kind = str(given.get("type") or "str")
        if default is None and given.get("required") is False and "None" not in kind:
            kind = f"{kind} | None"
        return cls(given["name"], kind, str(given.get("description") or ""), default)

    def document(self) -> JsonObject:
        """Return the field as plain data."""
        made: JsonObject = {
            "name": self.name,
            "type": self.type,
            "description": self.description,
        }
        return made if self.default is _MISSING else {**made, "default": self.default}

    @property
    def is_required(self) -> bool:
        """Whether a call must send it."""
        return self.default is _MISSING


@dataclass(frozen=True, slots=True)
class ToolCode:
    """Everything that makes a tool: what the model sees of it, and the code that runs.

    `runner` is where it runs: `process`, a Python process with limits, or `monty`, a sandbox that
    reaches neither files nor the network.
    """

    name: str
    description: str
    body: str
    fields: tuple[Field, ...] = ()
    returns: str = "Any"
    imports: tuple[str, ...] = ()
    examples: tuple[Data, ...] = field(default=())
    runner: Literal["process", "monty"] = "process"

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not NAME.fullmatch(self.name) or _is_word(self.name):
            raise ToolDefinitionError(
                f"a tool is named with small letters, digits and _ (2 to 64), not {self.name!r:.80}"
            )
        if not self.description.strip():
            raise ToolDefinitionError(f"{self.name}: needs a description for the model")
        if len(self.body) > MOST_CODE or len(self.fields) > MOST_FIELDS:
            raise ToolDefinitionError(f"{self.name}: is too large for a tool")
        names = [one.name for one in self.fields]
        for name in names:
            if not name.isidentifier() or _is_word(name) or names.count(name) > 1:
                raise ToolDefinitionError(f"{self.name}: {name!r:.80} cannot be a field's name")
        for line in self.imports:
            if not _IMPORT.fullmatch(line):
                raise ToolDefinitionError(f"{self.name}: {line!r:.80} is not an import statement")

    @classmethod
    def of(cls, document: JsonMapping) -> ToolCode:
        """Return the code that `document` was called on."""
        parts = dict(document)
        parts["fields"] = tuple(map(Field.of, parts.get("fields", ())))
        parts["imports"] = tuple(parts.get("imports", ()))
        parts["examples"] = tuple(parts.get("examples", ()))
        try:
            return cls(**parts)
        except TypeError as error:
            raise ToolDefinitionError(f"not the code of a tool: {error}") from error

    def document(self) -> dict[str, JsonValue]:
        """Return the code as plain data, for the catalog."""
        return {
            "name": self.name,
            "description": self.description,
            "fields": [one.document() for one in self.fields],
            "returns": self.returns,
            "imports": list(self.imports),
            "body": self.body,
            "examples": list(self.examples),
            "runner": self.runner,
        }

    # The source

    @property
    def source(self) -> str:
        """The whole module, as it runs and as it is shown to an operator."""
        return f"{self._head}{self._body}\n"

    @property
    def _head(self) -> str:
        texts = [python_type(one.type) for one in self.fields] + [python_type(self.returns)]
        typing = [name for name in ("Any", "Literal", "Optional") if _mentions(texts, name)]
        lines = [f"from typing import {', '.join(typing)}"] if typing else []
        lines += list(self.imports)
        if self._is_whole:
            return "".join(f"{line}\n" for line in lines)
        taken = ", ".join(map(_parameter, _required_first(self.fields)))
        lines += ["", "", f"def {self.name}({taken}) -> {texts[-1]}:"]
        return "".join(f"{line}\n" for line in lines).lstrip("\n")

    @property
    def _body(self) -> str:
        text = textwrap.dedent(self.body.strip("\n")).rstrip() or "pass"
        return text if self._is_whole else textwrap.indent(text, "    ")

    @property
    def _is_whole(self) -> bool:
        """Whether the body is the whole function: models send that too."""
        try:
            tree = ast.parse(textwrap.dedent(self.body.strip("\n")))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return False
        defined = [one.name for one in tree.body if isinstance(one, ast.FunctionDef)]
        return self.name in defined

    @property
    def lines_before(self) -> int:
        """How many lines of the source come before the body."""
        return self._head.count("\n")

    def check(self) -> None:
        """Raise `ToolDefinitionError` if the code does not compile; names the line of the body."""
        try:
            compile(self.source, f"<{self.name}>", "exec", dont_inherit=True)
        except SyntaxError as error:
            line = (error.lineno or 1) - self.lines_before
            raise ToolDefinitionError(
                f"line {line} of the body: {error.msg}: {(error.text or '').strip()[:120]}"
            ) from None
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            raise ToolDefinitionError(f"the body cannot be compiled: {error}") from None

    # The schema

    def parameters(self) -> Data:
        """Return the JSON Schema of the arguments."""
        made: Data = {}
        for one in self.fields:
            default = ... if one.is_required else one.default
            made[one.name] = (
                type_of(one.type),
                ModelField(default, description=one.description or None),
            )
        model = create_model(self.name, __config__=ConfigDict(extra="forbid"), **made)
        return {key: part for key, part in schema_for(model).items() if key != "title"}

    def output(self) -> Data | None:
        """Return the JSON Schema of what is returned; None when it may be anything."""
        kind = type_of(self.returns)
        return None if kind is Any else dict(target_for(kind).schema) if kind else {"type": "null"}


def python_type(text: str) -> str:
    """Return a type as it is written in Python; raises `ToolDefinitionError` for anything else."""
    type_of(text)
    tree = ast.parse(text.strip(), mode="eval")
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = _PYTHON.get(node.id, node.id)
    return ast.unparse(tree)


def type_of(text: str) -> Any:
    """Return the type that a text names. Nothing of the text is run."""
    if len(text) > 500:
        raise ToolDefinitionError("a type of more than 500 characters")
    try:
        return _typed(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError) as error:
        raise ToolDefinitionError(
            f"{text!r:.80} is not a type: use str, int, float, bool, list[...], dict[str, ...],"
            f" Literal[...] or ... | None ({error})"
        ) from None


def _typed(node: ast.expr) -> Any:
    if isinstance(node, ast.Constant) and node.value is None:
        return None
    if isinstance(node, ast.Name) and node.id in _TYPES:
        return _TYPES[node.id]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _typed(node.left) | _typed(node.right)
    if isinstance(node, ast.Subscript):
        outer = _typed(node.value)
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if outer is Literal:
            return Literal[tuple(ast.literal_eval(one) for one in inner)]
        if outer in (list, dict, Optional):
            parts = tuple(map(_typed, inner))
            return outer[parts if len(parts) > 1 else parts[0]]
    raise ValueError(ast.unparse(node))


def _parameter(one: Field) -> str:
    default = "" if one.is_required else f" = {one.default!r}"
    return f"{one.name}: {python_type(one.type)}{default}"


def _required_first(fields: Iterable[Field]) -> list[Field]:
    return sorted(fields, key=lambda one: not one.is_required)


def _mentions(texts: Iterable[str], name: str) -> bool:
    return any(re.search(rf"\b{name}\b", text) for text in texts)


def _is_word(name: str) -> bool:
    return keyword.iskeyword(name) or name in ("print", "True", "None", "False")
